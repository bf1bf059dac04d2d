package d2

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// groupWorld is a table of row versions with a group each; -1 is none.
type groupWorld struct {
	*world
	groups  int
	grp     []int
	fetches int
}

func newGroupWorld(keys, groups int) *groupWorld {
	return &groupWorld{world: newWorld(keys), groups: groups}
}

// classOf spreads groups over classes, so that equal bits may differ.
func classOf(group int) (class uint8, bits uint64) { return uint8(group % 2), uint64(group / 2) }

func (w *groupWorld) Key(row uint32) (class uint8, bits uint64, ok bool) {
	w.read(row)
	if w.grp[row] < 0 {
		return 0, 0, false
	}
	class, bits = classOf(w.grp[row])
	return class, bits, true
}

func (w *groupWorld) place(key, group, v, x int) Change {
	w.grp = append(w.grp, group)
	return w.put(key, v, x)
}

// members are the rows of a group in order, by definition.
func (w *groupWorld) members(group int) []uint32 {
	return slices.DeleteFunc(w.sequence(xIs{w.world, -1}), func(s uint32) bool { return w.grp[s] != group })
}

// fill gives most keys a row.
func (w *groupWorld) fill(c *chance, values int) {
	for k := range w.current {
		if c.intn(5) > 0 {
			w.place(k, c.intn(w.groups+1)-1, c.intn(values+1), c.intn(2))
		}
	}
}

// changes makes a batch, biased to moves between groups, ties and drains.
func (w *groupWorld) changes(c *chance, most, values int) []Change {
	batch := []Change{}
	style := []string{"mixed", "mixed", "drain", "fill", "regroup", "rekey"}[c.intn(6)]
	picked := make([]bool, len(w.current))
	for range c.intn(most + 1) {
		k := c.intn(len(w.current))
		if picked[k] {
			continue
		}
		picked[k] = true
		old := w.current[k]
		group, v, x := c.intn(w.groups+1)-1, c.intn(values+1), c.intn(2)
		if old != None && style != "mixed" && style != "regroup" || c.intn(3) == 0 && old != None {
			group = w.grp[old]
		}
		switch {
		case old == None && (style == "drain" || style == "regroup"):
		case old != None && (style == "drain" || style == "mixed" && c.intn(4) == 0):
			batch = append(batch, w.del(k))
		case old != None && c.intn(4) == 0: // payload only
			batch = append(batch, w.place(k, group, w.v[old], x))
		default:
			batch = append(batch, w.place(k, group, v, x))
		}
	}
	return batch
}

// groupReader reads groups of a world by definition; every other row it looks
// at is in vain.
type groupReader struct {
	w   *groupWorld
	shy bool // never says that it has come to the end
}

func (r groupReader) Fetch(class uint8, bits uint64, after Slot, want int, yield func(Slot) bool) (scanned int, end bool) {
	r.w.fetches++
	rows := r.w.members(2*int(bits) + int(class))
	rows = slices.DeleteFunc(rows, func(s uint32) bool { return after != None && r.w.Compare(s, after) <= 0 })
	for i, s := range rows {
		if i == want {
			return 2 * i, false
		}
		if !yield(s) {
			return 2*i + 2, !r.shy && i == len(rows)-1
		}
	}
	return 2 * len(rows), !r.shy
}

// references counts those an operator has to rows.
type references map[uint32]int

func (r references) Pin(slot Slot)   { r[slot]++ }
func (r references) Unpin(slot Slot) { r[slot]-- }

func (r references) check(t *rapid.T, name string, held []uint32) {
	for slot, n := range r {
		if want := slices.Contains(held, slot); n != 0 != want || n < 0 || n > 1 {
			t.Fatalf("%s: %d references to row %d, held %v", name, n, slot, held)
		}
		if n == 0 {
			delete(r, slot)
		}
	}
	if len(r) != len(held) {
		t.Fatalf("%s: references to %d of %d rows", name, len(r), len(held))
	}
}

// groupProbe is one grouped window under test with the mirrors its deltas made.
type groupProbe struct {
	name    string
	g       *Grouped
	mirrors map[int][]uint32
}

func newGroupProbes(t *rapid.T, c *chance, w *groupWorld, kind visible, demand bool, offset, limit uint32) []*groupProbe {
	probes := []*groupProbe{}
	add := func(name string, source, retain bool, mode refetchMode) {
		spec := GroupedSpec{
			Order: w, Keys: w, Group: w, Offset: offset, Limit: limit, Retain: retain,
			Demand: demand, Equal: w.looks(kind), Cushion: someCushion(c), Hold: references{},
		}
		if source {
			spec.Source, spec.Pins = groupReader{w, c.intn(2) == 0}, w
		}
		g, err := NewGrouped(spec)
		if err != nil {
			t.Fatal(err)
		}
		g.refetch, g.spare = mode, c.intn(3)
		probes = append(probes, &groupProbe{name, g, map[int][]uint32{}})
	}
	add("retained", false, true, refetchByCost)
	add("retained from a source", true, true, refetchByCost)
	add("prefix", true, false, refetchNever)
	add("read again", true, false, refetchAlways)
	add("by cost", true, false, refetchByCost)
	add("mixed", true, false, refetchNever)
	return probes
}

// groupModel says what every group should show.
type groupModel struct {
	w             *groupWorld
	demand        bool
	active        map[int]bool
	offset, limit uint32
	own           map[int][2]uint32
}

func (m *groupModel) window(group int) []uint32 {
	if m.demand && !m.active[group] {
		return []uint32{}
	}
	b, ok := m.own[group]
	if !ok {
		b = [2]uint32{m.offset, m.limit}
	}
	return slice(m.w.members(group), b[0], b[1])
}

func (m *groupModel) windows() [][]uint32 {
	out := [][]uint32{}
	for group := range m.w.groups {
		out = append(out, m.window(group))
	}
	return out
}

// diffsOf writes changes as differences, paired or shuffled.
func diffsOf(c *chance, batch []Change, keyed bool) []Diff {
	diffs := []Diff{}
	for _, ch := range batch {
		if ch.Old != None {
			diffs = append(diffs, Diff{ch.Old, -1})
		}
		if ch.New != None {
			diffs = append(diffs, Diff{ch.New, 1})
		}
	}
	for i := range diffs {
		if j := c.intn(i + 1); !keyed {
			diffs[i], diffs[j] = diffs[j], diffs[i]
		}
	}
	return diffs
}

// Laws: oracle, mirror, prefix, budget, strategy, for every group at once.
func TestGrouped_EveryStrategyEmitsTheDefinedDeltas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		for range 6 {
			groupedHistory(t, c)
		}
	})
}

func groupedHistory(t *rapid.T, c *chance) {
	w := newGroupWorld([]int{4, 8, 14}[c.intn(3)], []int{1, 2, 3, 5}[c.intn(4)])
	values := []int{0, 1, 3, 20}[c.intn(4)]
	kind := visible(c.intn(3))
	m := &groupModel{w: w, demand: c.intn(2) == 0, active: map[int]bool{}, own: map[int][2]uint32{}}
	m.offset, m.limit = someBounds(c)
	probes := newGroupProbes(t, c, w, kind, m.demand, m.offset, m.limit)
	old := m.windows()
	batch := []Change{}
	if c.intn(2) == 0 { // the first contents arrive as a batch
		w.fill(c, values)
		for _, s := range w.sequence(xIs{w.world, -1}) {
			batch = append(batch, Change{uint32(w.key[s]), None, s})
		}
	}
	old = stepGroups(t, c, m, kind, probes, batch, old)
	for range 8 + c.intn(30) {
		adjustGroups(c, m, probes)
		checkUntouched(t, m, probes, old)
		batch := w.changes(c, []int{0, 1, 2, 4, 14}[c.intn(5)], values)
		old = stepGroups(t, c, m, kind, probes, batch, old)
		w.forget(batch)
	}
	for _, p := range probes {
		p.g.Clear()
		p.g.spec.Hold.(references).check(t, p.name, nil)
		if p.g.Retained() != 0 || len(p.g.queue) == 0 && len(m.own) == 0 && p.g.Bytes() != 0 {
			t.Fatalf("%s: %d rows, %d bytes left", p.name, p.g.Retained(), p.g.Bytes())
		}
	}
	if w.pinned() != 0 {
		t.Fatalf("%d pins left", w.pinned())
	}
}

// adjustGroups changes demand and bounds.
func adjustGroups(c *chance, m *groupModel, probes []*groupProbe) {
	for c.intn(3) == 0 {
		group := c.intn(m.w.groups)
		class, bits := classOf(group)
		offset, limit := someBounds(c)
		op := c.intn(6)
		for _, p := range probes {
			switch {
			case op == 5: // whatever was demanded is not, and the other way round
				for other := range m.w.groups {
					class, bits := classOf(other)
					if m.demand && !p.g.Deactivate(class, bits) {
						p.g.Activate(class, bits)
					}
				}
			case op == 0:
				p.g.SetBounds(offset, limit)
			case op == 1:
				p.g.SetGroupBounds(class, bits, offset, limit)
			case op == 2:
				p.g.DropGroupBounds(class, bits)
			case m.demand && op == 3:
				p.g.Deactivate(class, bits)
			case m.demand:
				p.g.Activate(class, bits)
			}
		}
		switch op {
		case 0:
			m.offset, m.limit = offset, limit
		case 1:
			m.own[group] = [2]uint32{offset, limit}
		case 2:
			delete(m.own, group)
		case 5:
			for other := range m.w.groups {
				m.active[other] = m.demand && !m.active[other]
			}
		default:
			m.active[group] = m.demand && op == 4
		}
	}
	probes[len(probes)-1].g.refetch = refetchMode(1 + c.intn(2))
}

// checkUntouched: what has been asked for shows with the next visit, not before.
func checkUntouched(t *rapid.T, m *groupModel, probes []*groupProbe, old [][]uint32) {
	for _, p := range probes {
		checkOutput(t, m, p, nil, slices.Concat(old...), slices.Concat(old...))
		for group := range old {
			class, bits := classOf(group)
			if got := p.g.Rows(class, bits, nil); len(got)+len(old[group]) > 0 && !slices.Equal(got, old[group]) {
				t.Fatalf("%s: group %d shows %v, want %v", p.name, group, got, old[group])
			}
		}
	}
}

func stepGroups(t *rapid.T, c *chance, m *groupModel, kind visible, probes []*groupProbe, batch []Change, old [][]uint32) [][]uint32 {
	now := m.windows()
	keyed := c.intn(2) == 0
	diffs := diffsOf(c, batch, keyed)
	for _, p := range probes {
		var out Out
		v := NewVisit(0, diffs)
		v.ports[0].keyed = keyed
		if err := p.g.Apply(v, &out); err != nil {
			t.Fatal(err)
		}
		got := map[int]Delta{}
		last := -1
		for i := range p.g.Deltas().Len() {
			class, bits := p.g.Deltas().Group(i)
			if place := int(class)<<32 | int(bits); place <= last {
				t.Fatalf("%s: groups out of order", p.name)
			} else {
				last = place
			}
			got[2*int(bits)+int(class)] = p.g.Deltas().Delta(i)
		}
		for group := range now {
			want := m.w.oracleDelta(old[group], now[group], kind)
			d, listed := got[group]
			if listed != (want.Ops()+len(want.Rebinds) > 0) || listed && !equalDeltas(&d, &want) {
				t.Fatalf("%s: group %d, batch %v\n old %v\n now %v\n got  %+v\n want %+v",
					p.name, group, batch, old[group], now[group], d, want)
			}
			p.mirrors[group] = splice(p.mirrors[group], &d)
			if !slices.Equal(p.mirrors[group], now[group]) {
				t.Fatalf("%s: mirror %v, want %v", p.name, p.mirrors[group], now[group])
			}
			checkBudget(t, m.w.world, &d, batch, old[group], now[group])
			checkGroup(t, m, p, group)
		}
		checkOutput(t, m, p, out.Diffs(), slices.Concat(old...), slices.Concat(now...))
	}
	return now
}

// checkGroup looks at what an operator holds of a group.
func checkGroup(t *rapid.T, m *groupModel, p *groupProbe, group int) {
	class, bits := classOf(group)
	rows := m.w.members(group)
	id := p.g.table.find(class, bits)
	_, own := m.own[group]
	holds := !p.g.onDemand() || m.active[group]
	if known := own || m.active[group] || holds && len(rows) > 0; (id != None) != known {
		t.Fatalf("%s: group %d with %d rows known: %v", p.name, group, len(rows), id != None)
	}
	if got := p.g.Rows(class, bits, nil); len(got)+len(p.mirrors[group]) > 0 && !slices.Equal(got, p.mirrors[group]) {
		t.Fatalf("%s: group %d shows %v, want %v", p.name, group, got, p.mirrors[group])
	}
	want, bound := p.g.Wants(class, bits)
	if !holds && want != WantNothing || holds && want == WantNothing {
		t.Fatalf("%s: group %d wants %v", p.name, group, want)
	}
	if id == None {
		return
	}
	p.g.enter(id)
	held := p.g.differ.slice(0, p.g.rows, nil)
	if !holds {
		rows = nil
	}
	if len(held) > len(rows) || !slices.Equal(held, rows[:len(held)]) {
		t.Fatalf("%s: group %d holds %v, no prefix of %v", p.name, group, held, rows)
	}
	now := p.g.now(id)
	if all := p.g.differ.exhausted; all && len(held) != len(rows) || !all && (len(held) < now.need() || want != WantUpTo || bound != p.g.differ.hi) {
		t.Fatalf("%s: group %d holds %d of %d, needs %d", p.name, group, len(held), len(rows), now.need())
	}
}

// checkOutput adds what was emitted to the old windows as a multiset.
func checkOutput(t *rapid.T, m *groupModel, p *groupProbe, diffs []Diff, old, now []uint32) {
	weight := map[uint32]int32{}
	for _, s := range old {
		weight[s]++
	}
	seen := map[int]bool{}
	for i, d := range diffs {
		key := m.w.key[d.Row]
		if paired := i > 0 && d.Weight > 0 && diffs[i-1].Weight < 0 && m.w.key[diffs[i-1].Row] == key; seen[key] && !paired {
			t.Fatalf("%s: %v is not in replacements", p.name, diffs)
		}
		seen[key] = true
		weight[d.Row] += d.Weight
	}
	for _, s := range now {
		weight[s]--
	}
	for s, n := range weight {
		if n != 0 {
			t.Fatalf("%s: %v leaves %d of row %d", p.name, diffs, n, s)
		}
	}
	d := &p.g.differ
	d.base = 0
	p.g.spec.Hold.(references).check(t, p.name, d.slice(0, d.held.Len(), nil))
	var snap Out
	if err := p.g.Snapshot(&snap); err != nil {
		t.Fatal(err)
	}
	shown := []uint32{}
	for _, d := range snap.Diffs() {
		shown = append(shown, d.Row)
	}
	slices.Sort(shown)
	slices.Sort(now)
	if !slices.Equal(shown, now) {
		t.Fatalf("%s: snapshot %v, want %v", p.name, shown, now)
	}
}

// Laws: mirror and strategy, over arrangements of many blocks.
func TestGrouped_LargeGroupsAgreeAcrossStrategies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		if c.intn(10) > 0 {
			return // one history in ten is enough
		}
		w := newGroupWorld(1500, 3)
		w.fill(c, 1000)
		m := &groupModel{w: w, offset: uint32(c.intn(200)), limit: uint32(c.intn(400))}
		probes := newGroupProbes(t, c, w, seesVersions, false, m.offset, m.limit)
		batch := []Change{}
		for _, s := range w.current {
			if s != None {
				batch = append(batch, Change{uint32(w.key[s]), None, s})
			}
		}
		for range 4 {
			now := m.windows()
			for _, p := range probes {
				if err := p.g.Apply(NewVisit(0, diffsOf(c, batch, false)), &Out{}); err != nil {
					t.Fatal(err)
				}
				for i := range p.g.Deltas().Len() {
					class, bits := p.g.Deltas().Group(i)
					d, same := p.g.Deltas().Delta(i), probes[0].g.Deltas().Delta(i)
					if !equalDeltas(&d, &same) {
						t.Fatalf("%s: delta differs from %s", p.name, probes[0].name)
					}
					group := 2*int(bits) + int(class)
					p.mirrors[group] = splice(p.mirrors[group], &d)
				}
				for group := range now {
					if !slices.Equal(p.mirrors[group], now[group]) {
						t.Fatalf("%s: mirror differs", p.name)
					}
				}
			}
			w.forget(batch)
			batch = w.changes(c, []int{1, 30, 1500}[c.intn(3)], 1000)
			m.limit = uint32(c.intn(400))
			for _, p := range probes {
				p.g.SetBounds(m.offset, m.limit)
			}
		}
	})
}

func TestGrouped_RefusesKeysWithMoreThanOneRow(t *testing.T) {
	w := newGroupWorld(2, 1)
	a, b := w.place(0, 0, 1, 0), w.place(0, 0, 2, 0)
	g, err := NewGrouped(GroupedSpec{Order: w, Keys: w, Group: w, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		diffs []Diff
		want  error
	}{
		{[]Diff{{a.New, 1}, {b.New, 1}}, ErrDuplicateKey},
		{[]Diff{{a.New, -1}, {b.New, -1}}, ErrDuplicateKey},
		{[]Diff{{a.New, 2}}, ErrMultiplicity},
	} {
		if err := g.Apply(NewVisit(0, c.diffs), &Out{}); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.diffs, err)
		}
	}
}

func TestGrouped_ChecksItsSpec(t *testing.T) {
	w := newGroupWorld(1, 1)
	for _, c := range []struct {
		spec GroupedSpec
		want error
	}{
		{GroupedSpec{Keys: w, Group: w}, ErrNoOrder},
		{GroupedSpec{Order: w, Group: w}, ErrNoOrder},
		{GroupedSpec{Order: w, Keys: w}, ErrNoGroup},
		{GroupedSpec{Order: w, Keys: w, Group: w, Source: groupReader{w: w}}, ErrNoPins},
	} {
		if _, err := NewGrouped(c.spec); err != c.want {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}
