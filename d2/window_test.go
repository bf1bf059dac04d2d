package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// probe is one window under test with the mirror its deltas have built.
type probe struct {
	name   string
	w      *window
	mirror []uint32
	cut    bool // gets batches that are not whole
}

// someBounds favours the corners: nothing, one row, past the end.
func someBounds(c *chance) (offset, limit uint32) {
	offset = []uint32{0, 0, 0, 0, 0, 1, 1, 2, 3, 30}[c.intn(10)]
	limit = []uint32{0, 1, 1, 2, 2, 3, 5, 8, Unlimited - 1, Unlimited}[c.intn(10)]
	return offset, limit
}

func someCushion(c *chance) Cushion {
	if c.intn(2) == 0 {
		return Cushion{Start: 1, Min: 1, Max: 4, Target: uint32(1 + c.intn(8))}
	}
	return Cushion{Fixed: true, Start: uint32(c.intn(3))}
}

// shySource never says that it has come to the end.
type shySource struct{ Source }

func (s shySource) Fetch(after Slot, want int, yield func(Slot) bool) (int, bool) {
	scanned, _ := s.Source.Fetch(after, want, yield)
	return scanned, false
}

// newProbes makes the same window in every strategy.
func newProbes(t *rapid.T, c *chance, w *world, p xIs, kind visible, offset, limit uint32) []*probe {
	probes := []*probe{}
	var source Source = NewScanSource(w.rows, p)
	if c.intn(2) == 0 {
		source = shySource{source}
	}
	add := func(name string, retain bool, mode refetchMode) {
		win, err := newWindow(WindowSpec{
			Order: w, Keys: w, Offset: offset, Limit: limit, Retain: retain,
			Source: source, Pins: w, Equal: w.looks(kind), Cushion: someCushion(c),
		})
		if err != nil {
			t.Fatal(err)
		}
		win.mode = mode
		win.spare = c.intn(3)
		probes = append(probes, &probe{name: name, w: win})
	}
	add("retained", true, refetchByCost)
	add("windowed", false, refetchNever)
	add("read again", false, refetchAlways)
	add("by cost", false, refetchByCost)
	add("mixed", false, refetchNever)
	add("cut", false, refetchByCost)
	probes[5].cut = limit != Unlimited // then nothing is retained
	return probes
}

// lawStep is one step of one of several windows over the same rows.
type lawStep struct {
	t        *rapid.T
	w        *world
	kind     visible
	pr       *probe
	batch    []Change
	changes  []Change // what the step told as differences
	input    []uint32 // the whole input, in order
	old, now []uint32 // the window, by definition
	first    *Delta   // what the first of the windows has told
}

// checkWindows runs histories of windows and checks every step against a law.
func checkWindows(t *testing.T, law func(s *lawStep)) {
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		for range 2 {
			windowHistory(t, ch, law)
		}
	})
}

// Law 1, oracle: every strategy emits the delta that is defined by the windows
// before and after.
func TestLaw_Oracle(t *testing.T) {
	checkWindows(t, func(s *lawStep) {
		want := s.w.oracleDelta(s.old, s.now, s.kind)
		if got := &s.pr.w.delta; !equalDeltas(got, &want) {
			s.t.Fatalf("%s: batch %v\n old %v\n now %v\n got  %+v\n want %+v", s.pr.name, s.batch, s.old, s.now, *got, want)
		}
	})
}

// Law 2, mirror: whoever applies the deltas, by splicing or by rebuilding, has
// the rows of the window, in the versions it would read there.
func TestLaw_Mirror(t *testing.T) {
	checkWindows(t, func(s *lawStep) {
		d := &s.pr.w.delta
		rebuilt := rebuild(s.old, d)
		s.pr.mirror = splice(s.pr.mirror, d)
		if !slices.Equal(s.pr.mirror, s.now) || !slices.Equal(rebuilt, s.now) {
			s.t.Fatalf("%s: spliced %v, rebuilt %v, want %v", s.pr.name, s.pr.mirror, rebuilt, s.now)
		}
		if rows := s.pr.w.rows(nil); !slices.Equal(rows, s.now) {
			s.t.Fatalf("%s: rows %v, want %v", s.pr.name, rows, s.now)
		}
		checkDifferences(s.t, s.w, s.changes, s.old, s.now)
	})
}

// Law 3, prefix: what is held is a start of the input, all of it exactly if that
// is known, and else enough.
func TestLaw_Prefix(t *testing.T) {
	checkWindows(t, func(s *lawStep) {
		held, w := contents(s.pr.w.held), s.pr.w
		if len(held) > len(s.input) || !slices.Equal(held, s.input[:len(held)]) {
			s.t.Fatalf("%s: held %v is no start of %v", s.pr.name, held, s.input)
		}
		if w.exhausted && len(held) != len(s.input) || !w.exhausted && len(held) < w.need() {
			s.t.Fatalf("%s: holds %d of %d, needs %d", s.pr.name, len(held), len(s.input), w.need())
		}
	})
}

// Law 4, budget: one operation for each row that crosses an edge or has changed,
// and no other.
func TestLaw_Budget(t *testing.T) {
	checkWindows(t, func(s *lawStep) {
		checkBudget(s.t, s.w, &s.pr.w.delta, s.batch, s.old, s.now)
	})
}

// Law 6, strategy: stepping and reading again, mixed in any way, with any
// cushion, trim and controller, and batches cut anywhere give the same deltas.
func TestLaw_Strategy(t *testing.T) {
	checkWindows(t, func(s *lawStep) {
		if !equalDeltas(&s.pr.w.delta, s.first) {
			s.t.Fatalf("%s: batch %v\n old %v\n now %v\n got  %+v\n want %+v", s.pr.name, s.batch, s.old, s.now, s.pr.w.delta, *s.first)
		}
	})
}

// rebuild applies a delta in one pass over the new positions.
func rebuild(old []uint32, d *Delta) []uint32 {
	taken := make([]bool, len(old))
	for _, l := range d.Leaves {
		taken[l.At] = true
	}
	for _, m := range d.Moves {
		taken[m.From] = true
	}
	out := make([]uint32, d.NewLen)
	for i := range out {
		out[i] = None
	}
	for _, m := range d.Moves {
		out[m.To] = m.New
	}
	for _, e := range d.Enters {
		out[e.At] = e.New
	}
	at := 0
	for i := range out {
		if out[i] != None {
			continue
		}
		for taken[at] {
			at++
		}
		out[i] = old[at]
		at++
	}
	for _, u := range slices.Concat(d.Updates, d.Rebinds) {
		out[u.At] = u.New
	}
	return out
}

func windowHistory(t *rapid.T, ch *chance, law func(s *lawStep)) {
	w := newWorld([]int{3, 6, 9, 9}[ch.intn(4)])
	values := []int{0, 1, 3, 20}[ch.intn(4)]
	p := xIs{w, []int{-1, -1, 1}[ch.intn(3)]}
	kind := visible(ch.intn(3))
	offset, limit := someBounds(ch)
	w.fill(ch, values)
	probes := newProbes(t, ch, w, p, kind, offset, limit)
	var old []uint32
	stepAll := func(batch []Change) {
		s := lawStep{t: t, w: w, kind: kind, input: w.sequence(p), old: old, batch: batch}
		s.now = slice(s.input, offset, limit)
		for _, pr := range probes {
			s.pr, s.batch = pr, batch
			cut := None
			if pr.cut && len(s.input) > 0 && ch.intn(2) == 0 {
				cut = s.input[ch.intn(len(s.input))]
				s.batch = w.cutBatch(ch, batch, cut)
			}
			s.changes = pr.w.step(s.batch, cut, nil, &RunStats{})
			s.first = &probes[0].w.delta
			law(&s)
		}
		old = s.now
	}
	if ch.intn(2) == 0 {
		old = slice(w.sequence(p), offset, limit)
		for _, pr := range probes {
			pr.mirror = pr.w.hydrate(nil, &RunStats{})
		}
	} else { // the first contents arrive as a batch
		rows := []Change{}
		for _, s := range w.sequence(p) {
			rows = append(rows, Change{uint32(w.key[s]), None, s})
		}
		stepAll(rows)
	}
	for range 10 + ch.intn(60) {
		if ch.intn(6) == 0 {
			offset, limit = someBounds(ch)
			for _, pr := range probes {
				pr.w.setBounds(offset, limit)
			}
		}
		probes[4].w.mode = refetchMode(1 + ch.intn(2))
		batch := w.batch(ch, []int{0, 1, 1, 2, 4, 12, 12}[ch.intn(7)], values)
		stepAll(filterBatch(p, batch))
		w.forget(batch)
	}
	for _, pr := range probes {
		pr.w.release()
	}
	if w.pinned() != 0 {
		t.Fatalf("%d pins left", w.pinned())
	}
}

// cutBatch leaves out some of what came or went after a position.
func (w *world) cutBatch(ch *chance, batch []Change, at Slot) []Change {
	out := []Change{}
	for _, c := range batch {
		row := c.New
		if row == None {
			row = c.Old
		}
		if (c.Old == None || c.New == None) && w.Compare(row, at) > 0 && ch.intn(3) > 0 {
			continue
		}
		out = append(out, c)
	}
	return out
}

func checkBudget(t *rapid.T, w *world, d *Delta, batch []Change, old, now []uint32) {
	kept := 0
	for _, s := range now {
		if slices.ContainsFunc(old, func(o uint32) bool { return w.key[o] == w.key[s] }) {
			kept++
		}
	}
	if d.Ops() > len(old)+len(now)-kept {
		t.Fatalf("%d operations for windows of %d and %d with %d in common", d.Ops(), len(old), len(now), kept)
	}
	changed := func(key uint32) bool {
		return slices.ContainsFunc(batch, func(c Change) bool { return c.Key == key })
	}
	for _, m := range d.Moves {
		if !changed(m.Key) {
			t.Fatalf("key %d did not change, yet moves", m.Key)
		}
	}
	for _, u := range d.Updates {
		if !changed(u.Key) {
			t.Fatalf("key %d did not change, yet is updated", u.Key)
		}
	}
}

// checkDifferences adds a batch to the old window as a set.
func checkDifferences(t *rapid.T, w *world, changes []Change, old, now []uint32) {
	set := slices.Clone(old)
	seen := map[uint32]bool{}
	for _, c := range changes {
		if seen[c.Key] || c.Old == c.New {
			t.Fatalf("batch %v is not consolidated", changes)
		}
		seen[c.Key] = true
		if c.Old != None {
			i := slices.Index(set, c.Old)
			if i < 0 {
				t.Fatalf("-%d was never reported", c.Old)
			}
			set = slices.Delete(set, i, i+1)
		}
		if c.New != None {
			set = append(set, c.New)
		}
	}
	want := slices.Clone(now)
	slices.Sort(set)
	slices.Sort(want)
	if !slices.Equal(set, want) {
		t.Fatalf("differences give %v, want %v", set, want)
	}
}

// Law 5, set window: moving a window reports rows that cross an edge and nothing
// else, and going back undoes it.
func TestLaw_SetWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(12)
		p := xIs{w, -1}
		ch := newChance(t)
		w.fill(ch, 4)
		offset, limit := someBounds(ch)
		for _, pr := range newProbes(t, ch, w, p, seesVersions, offset, limit) {
			before := pr.w.hydrate(nil, &RunStats{})
			mirror := slices.Clone(before)
			there, length := someBounds(ch)
			var stats RunStats
			for _, to := range [][2]uint32{{there, length}, {offset, limit}} {
				pr.w.setBounds(to[0], to[1])
				pr.w.step(nil, None, nil, &stats)
				d := &pr.w.delta
				if len(d.Moves)+len(d.Updates)+len(d.Rebinds) > 0 {
					t.Fatalf("%s: %+v", pr.name, *d)
				}
				mirror = splice(mirror, d)
			}
			if !slices.Equal(mirror, before) {
				t.Fatalf("%s: %v, was %v", pr.name, mirror, before)
			}
		}
	})
}

// Law 7, split: two batches and their sum reach the same window.
func TestLaw_Split(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(10)
		p := xIs{w, -1}
		ch := newChance(t)
		w.fill(ch, 3)
		offset, limit := someBounds(ch)
		probes := newProbes(t, ch, w, p, seesVersions, offset, limit)
		whole := newProbes(t, ch, w, p, seesVersions, offset, limit)
		for i := range probes {
			probes[i].w.hydrate(nil, &RunStats{})
			whole[i].w.hydrate(nil, &RunStats{})
		}
		var stats RunStats
		b1 := w.batch(ch, 10, 3)
		for _, pr := range probes {
			pr.w.step(b1, None, nil, &stats)
		}
		b2 := w.batch(ch, 10, 3)
		sum, err := w.sum(b1, b2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range probes {
			probes[i].w.step(b2, None, nil, &stats)
			whole[i].w.step(sum, None, nil, &stats)
			if a, b := probes[i].w.rows(nil), whole[i].w.rows(nil); !slices.Equal(a, b) {
				t.Fatalf("%s: split %v, whole %v", probes[i].name, a, b)
			}
		}
	})
}

// Laws 2 and 6, over arrangements of many blocks and batches of
// many rows, where looking at every subset is out of the question.
func TestWindow_LargeWindowsAgreeAcrossStrategies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		w := newWorld(2000)
		p := xIs{w, -1}
		w.fill(ch, 1000)
		offset, limit := uint32(ch.intn(700)), uint32(ch.intn(1500))
		probes := newProbes(t, ch, w, p, seesVersions, offset, limit)
		for _, pr := range probes {
			pr.mirror = pr.w.hydrate(nil, &RunStats{})
		}
		for range 4 {
			offset, limit = uint32(max(0, int(offset)+ch.intn(50)-25)), uint32(ch.intn(1500))
			batch := w.batch(ch, []int{1, 30, 1500}[ch.intn(3)], 1000)
			now := slice(w.sequence(p), offset, limit)
			for _, pr := range probes {
				pr.w.setBounds(offset, limit)
				old := pr.w.rows(nil)
				var stats RunStats
				changes := pr.w.step(batch, None, nil, &stats)
				pr.mirror = splice(pr.mirror, &pr.w.delta)
				if !slices.Equal(pr.mirror, now) {
					t.Fatalf("%s: mirror differs", pr.name)
				}
				if !equalDeltas(&pr.w.delta, &probes[0].w.delta) {
					t.Fatalf("%s: delta differs from %s", pr.name, probes[0].name)
				}
				checkDifferences(t, w, changes, old, now)
			}
			w.forget(batch)
		}
	})
}
