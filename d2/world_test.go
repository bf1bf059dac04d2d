package d2

import (
	"slices"

	"pgregory.net/rapid"
)

// world is a table of row versions and the only place tests read columns from.
// A version may be read while its row has it, during the run that replaces it,
// and while it is pinned; reading it at any other time is a fault.
type world struct {
	key, v, x []int
	gone      []bool
	pins      []int
	current   []uint32 // by key
	rows      *Ordered // all current rows, as a collection's index would have them
	compares  int
}

func newWorld(keys int) *world {
	w := &world{current: make([]uint32, keys)}
	for k := range w.current {
		w.current[k] = None
	}
	w.rows = NewOrdered(w)
	return w
}

func (w *world) read(s Slot) Slot {
	if w.gone[s] && w.pins[s] == 0 {
		panic("a version was read after it had gone")
	}
	return s
}

func (w *world) Compare(a, b Slot) int {
	w.compares++
	w.read(a)
	w.read(b)
	if w.v[a] != w.v[b] {
		return w.v[a] - w.v[b]
	}
	return w.key[a] - w.key[b]
}

func (w *world) KeyOf(s Slot) Key { return uint32(w.key[w.read(s)]) }
func (w *world) Pin(s Slot)       { w.pins[w.read(s)]++ }
func (w *world) Unpin(s Slot)     { w.pins[s]-- }

func (w *world) pinned() int {
	n := 0
	for _, p := range w.pins {
		n += p
	}
	return n
}

// put makes another version of a row and returns the change.
func (w *world) put(key, v, x int) Change {
	s := uint32(len(w.key))
	w.key, w.v, w.x = append(w.key, key), append(w.v, v), append(w.x, x)
	w.gone, w.pins = append(w.gone, false), append(w.pins, 0)
	old := w.current[key]
	w.current[key] = s
	if old != None {
		w.rows.Delete(old)
	}
	w.rows.Insert(s)
	return Change{uint32(key), old, s}
}

func (w *world) del(key int) Change {
	old := w.current[key]
	w.current[key] = None
	w.rows.Delete(old)
	return Change{uint32(key), old, None}
}

// forget ends the life of versions that a run replaced.
func (w *world) forget(batch []Change) {
	for _, c := range batch {
		if c.Old != None && w.current[c.Key] != c.Old {
			w.gone[c.Old] = true
		}
	}
}

// chance makes choices from one drawn seed: drawing each choice by itself would
// bias every history towards few rows and few changes.
type chance struct{ state uint64 }

func newChance(t *rapid.T) *chance {
	c := &chance{}
	// One draw favours small numbers; several make distinct histories.
	for _, part := range rapid.SliceOfN(rapid.Uint32(), 4, 4).Draw(t, "seed") {
		c.state = c.state*0x100000001b3 + uint64(part)
		c.intn(2)
	}
	return c
}

func (c *chance) intn(n int) int {
	c.state += 0x9e3779b97f4a7c15
	x := c.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) >> 33 % uint64(n))
}

// batch makes changes of distinct keys, biased to ties, toggles and drains.
func (w *world) batch(c *chance, most, values int) []Change {
	batch := []Change{}
	style := []string{"mixed", "mixed", "drain", "toggle", "fill", "fill", "rekey", "rekey"}[c.intn(8)]
	n := min(most, len(w.current))
	if c.intn(2) > 0 {
		n = c.intn(n + 1)
	}
	picked := make([]bool, len(w.current))
	for range n + n/2 {
		k := c.intn(len(w.current))
		if picked[k] {
			continue
		}
		picked[k] = true
		has := w.current[k] != None
		v, x, op := c.intn(values+1), c.intn(2), c.intn(4)
		switch {
		case has && (style == "drain" || style == "toggle" || style == "mixed" && op == 0):
			batch = append(batch, w.del(k))
		case style == "drain", style == "rekey" && !has:
		case has && op == 1: // payload only
			batch = append(batch, w.put(k, w.v[w.current[k]], x))
		default:
			batch = append(batch, w.put(k, v, x))
		}
	}
	return batch
}

// fill gives most keys a row.
func (w *world) fill(c *chance, values int) {
	for k := range w.current {
		if c.intn(5) > 0 {
			w.put(k, c.intn(values+1), c.intn(2))
		}
	}
}

// visible is what a reader sees of a version.
type visible uint8

const (
	seesVersions visible = iota // every version looks different
	seesPayload                 // the order column is hidden
	seesNothing
)

func (w *world) looks(kind visible) Equal {
	if kind == seesVersions {
		return nil
	}
	return lookAlike{w, kind}
}

type lookAlike struct {
	w    *world
	kind visible
}

func (l lookAlike) Same(a, b Slot) bool {
	return l.kind == seesNothing || l.w.x[l.w.read(a)] == l.w.x[l.w.read(b)]
}

func (w *world) same(kind visible, a, b Slot) bool {
	eq := w.looks(kind)
	return a == b || eq != nil && eq.Same(a, b)
}

// xIs passes rows by their payload.
type xIs struct {
	w *world
	x int // -1: all pass
}

func (p xIs) pass(s Slot) bool { return s != None && (p.x < 0 || p.w.x[p.w.read(s)] == p.x) }

func (p xIs) Select(slots, keep []uint32) ([]uint32, error) {
	for _, s := range slots {
		if p.pass(s) {
			keep = append(keep, s)
		}
	}
	return keep, nil
}

// filterBatch is the selection of a batch, written as it is defined.
func filterBatch(p xIs, batch []Change) []Change {
	out := []Change{}
	for _, c := range batch {
		if !p.pass(c.Old) {
			c.Old = None
		}
		if !p.pass(c.New) {
			c.New = None
		}
		if c.Old != c.New {
			out = append(out, c)
		}
	}
	return out
}

// sequence sorts the current rows that pass, without the engine's help.
func (w *world) sequence(p xIs) []uint32 {
	rows := []uint32{}
	for _, s := range w.current {
		if p.pass(s) {
			rows = append(rows, s)
		}
	}
	slices.SortFunc(rows, w.Compare)
	return rows
}

func slice(rows []uint32, offset, limit uint32) []uint32 {
	from := min(int(offset), len(rows))
	return rows[from:min(uint64(len(rows)), uint64(from)+uint64(limit))]
}

// oracleDelta compares two windows as the definition says: among all sets of
// rows that may stay it takes the longest, then the one with smallest new
// positions, by looking at every set.
func (w *world) oracleDelta(p, q []uint32, kind visible) Delta {
	d := Delta{OldLen: uint32(len(p)), NewLen: uint32(len(q))}
	inP := func(key int) int {
		return slices.IndexFunc(p, func(s uint32) bool { return w.key[s] == key })
	}
	for i, s := range p {
		if !slices.ContainsFunc(q, func(o uint32) bool { return w.key[o] == w.key[s] }) {
			d.Leaves = append(d.Leaves, Leave{uint32(i), uint32(w.key[s]), s})
		}
	}
	both, free := []int{}, []int{} // positions in q; those whose order key changed
	for j, s := range q {
		i := inP(w.key[s])
		if i < 0 {
			d.Enters = append(d.Enters, Enter{uint32(j), uint32(w.key[s]), s})
			continue
		}
		both = append(both, j)
		if w.v[p[i]] != w.v[s] {
			free = append(free, j)
		}
	}
	var best []int
	for set := range 1 << len(free) {
		fix, last, ok := []int{}, -1, true
		for _, j := range both {
			if n := slices.Index(free, j); n >= 0 && set>>n&1 == 0 {
				continue
			}
			i := inP(w.key[q[j]])
			ok = ok && i > last
			last = i
			fix = append(fix, j)
		}
		if ok && (best == nil || len(fix) > len(best) || len(fix) == len(best) && slices.Compare(fix, best) < 0) {
			best = fix
		}
	}
	for _, j := range both {
		i := inP(w.key[q[j]])
		old, now, key := p[i], q[j], uint32(w.key[q[j]])
		switch {
		case !slices.Contains(best, j):
			d.Moves = append(d.Moves, Move{uint32(i), uint32(j), key, old, now, !w.same(kind, old, now)})
		case !w.same(kind, old, now):
			d.Updates = append(d.Updates, Update{uint32(j), key, old, now})
		case old != now:
			d.Rebinds = append(d.Rebinds, Update{uint32(j), key, old, now})
		}
	}
	return d
}

func equalDeltas(a, b *Delta) bool {
	return a.OldLen == b.OldLen && a.NewLen == b.NewLen && slices.Equal(a.Leaves, b.Leaves) &&
		slices.Equal(a.Moves, b.Moves) && slices.Equal(a.Enters, b.Enters) &&
		slices.Equal(a.Updates, b.Updates) && slices.Equal(a.Rebinds, b.Rebinds)
}

// splice applies a delta to a mirror, as a reader does.
func splice(mirror []uint32, d *Delta) []uint32 {
	out := []int{}
	for _, l := range d.Leaves {
		out = append(out, int(l.At))
	}
	for _, m := range d.Moves {
		out = append(out, int(m.From))
	}
	slices.Sort(out)
	slices.Reverse(out)
	for _, at := range out {
		mirror = slices.Delete(mirror, at, at+1)
	}
	type placed struct{ at, slot uint32 }
	in := []placed{}
	for _, m := range d.Moves {
		in = append(in, placed{m.To, m.New})
	}
	for _, e := range d.Enters {
		in = append(in, placed{e.At, e.New})
	}
	slices.SortFunc(in, func(a, b placed) int { return int(a.at) - int(b.at) })
	for _, p := range in {
		mirror = slices.Insert(mirror, int(p.at), p.slot)
	}
	for _, u := range slices.Concat(d.Updates, d.Rebinds) {
		mirror[u.At] = u.New
	}
	return mirror
}
