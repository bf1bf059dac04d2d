package d2

import (
	"testing"

	"pgregory.net/rapid"
)

// groupBench is a grouped window in a graph over groups of size rows, the i-th
// of a group with the value 2i.
func groupBench(t testing.TB, groups, size int, spec GroupedSpec) (*groupWorld, *Graph, NodeID, *Grouped) {
	w := newGroupWorld(groups*size, groups)
	index := &membersIndex{w: w}
	batch := make([]Change, 0, groups*size)
	for k := range groups * size {
		batch = append(batch, w.place(k, k%groups, 2*(k/groups), 0))
	}
	index.fill()
	if spec.Source != nil {
		spec.Source, spec.Pins = index, w
	}
	spec.Order, spec.Keys, spec.Group = w, w, w
	op, err := NewGrouped(spec)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGraph()
	in, _ := g.addInput()
	node, err := g.Add(op, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.addOutput(node, &last{}, w); err != nil {
		t.Fatal(err)
	}
	if err := g.PushChanges(in, batch); err != nil {
		t.Fatal(err)
	}
	_, _ = g.Run()
	_, _ = g.Run() // gives back what the load needed
	return w, g, in, op
}

// membersIndex reads the groups of a bench as an index by group would. It is made
// once: changes do not reach it.
type membersIndex struct {
	w    *groupWorld
	rows []*Ordered
}

// fromIndex stands in a spec for the index of the bench.
var fromIndex = &membersIndex{}

func (x *membersIndex) fill() {
	x.rows = nil
	for range x.w.groups {
		x.rows = append(x.rows, NewOrdered(x.w))
	}
	for _, s := range x.w.current {
		if s != None {
			x.rows[x.w.grp[s]].Insert(s)
		}
	}
	x.w.compares = 0
}

func (x *membersIndex) Fetch(class uint8, bits uint64, after Slot, want int, yield func(Slot) bool) (int, bool) {
	x.w.fetches++
	return NewScanSource(x.rows[2*int(bits)+int(class)], nil).Fetch(after, want, yield)
}

func TestGrouped_SmallGroupsTakeFewBytes(t *testing.T) {
	const groups, size = 20000, 3
	for _, c := range []struct {
		name string
		spec GroupedSpec
		most int // bytes per group, its rows included
	}{
		{"retained", GroupedSpec{Limit: 2}, 48},
		{"prefix", GroupedSpec{Limit: 2, Source: fromIndex}, 64},
	} {
		_, _, _, op := groupBench(t, groups, size, c.spec)
		if op.Groups() != groups || op.Retained() != groups*size {
			t.Errorf("%s: %d groups, %d rows", c.name, op.Groups(), op.Retained())
		}
		if per := op.Bytes() / groups; per > c.most {
			t.Errorf("%s: %d bytes per group of %d rows", c.name, per, size)
		} else {
			t.Logf("%s: %d bytes per group of %d rows", c.name, per, size)
		}
	}
}

func TestGrouped_HoldsAPrefixOfLargeGroups(t *testing.T) {
	w, _, _, op := groupBench(t, 100, 200, GroupedSpec{Limit: 3, Source: fromIndex})
	if got := op.Retained(); got != 100*(3+8) {
		t.Errorf("%d rows held", got)
	}
	if want, bound := op.Wants(classOf(7)); want != WantUpTo || w.v[bound] != 20 {
		t.Errorf("wants %v up to %d", want, w.v[bound])
	}
}

func TestGrouped_EmptyGroupsAreForgotten(t *testing.T) {
	for _, spec := range []GroupedSpec{{Limit: 2}, {Limit: 2, Source: fromIndex}} {
		w, g, in, op := groupBench(t, 300, 30, spec)
		full := op.Bytes()
		if spec.Source != nil && w.pinned() != 300 {
			t.Errorf("%d frontiers pinned", w.pinned())
		}
		for len(w.rows.BlockAt(0)) > 0 {
			batch := []Change{}
			for range min(500, w.rows.Len()) {
				batch = append(batch, w.del(w.key[w.rows.At(0)]))
			}
			if index, ok := op.spec.Source.(*membersIndex); ok {
				index.fill()
			}
			_ = g.PushChanges(in, batch)
			_, _ = g.Run()
		}
		if op.Groups() != 0 || op.Retained() != 0 || w.pinned() != 0 {
			t.Errorf("%d groups, %d rows, %d pins left", op.Groups(), op.Retained(), w.pinned())
		}
		if got := op.table.bytes() + op.differ.held.Bytes(); got != 0 {
			t.Errorf("%d bytes left of %d", got, full)
		}
		op.Clear()
		if op.Bytes() != 0 {
			t.Errorf("%d bytes left of %d", op.Bytes(), full)
		}
	}
}

func TestGrouped_TheTableShrinksWithTheGroups(t *testing.T) {
	w, g, in, op := groupBench(t, 10000, 1, GroupedSpec{Limit: 2})
	for _, part := range [][2]int{{0, 5000}, {5000, 9900}} {
		batch := []Change{}
		for k := part[0]; k < part[1]; k++ {
			batch = append(batch, w.del(k))
		}
		_ = g.PushChanges(in, batch)
		_, _ = g.Run()
	}
	_, _ = g.Run()
	if got := op.table.bytes() + op.differ.held.Bytes(); op.Groups() != 100 || got > 100*100 {
		t.Errorf("%d bytes for %d groups", got, op.Groups())
	}
	for group := 9900; group < 10000; group++ {
		class, bits := classOf(group)
		if len(op.Rows(class, bits, nil)) != 1 {
			t.Fatalf("group %d is lost", group)
		}
	}
}

// there lists changes of every sort with their way back: within a window, into
// another group, into a group that did not exist, and the last row of a group.
func (w *groupWorld) there(groups int) []Change {
	return []Change{
		w.place(0, 0, 3, 1),
		w.place(1, 2, 1, 1),
		w.place(groups+3, groups+1, 1, 1),
		w.place(4, 4, 1, 0),
	}
}

func TestGrouped_ARunAllocatesNothing(t *testing.T) {
	for _, spec := range []GroupedSpec{{Limit: 3}, {Limit: Unlimited}, {Limit: 3, Source: fromIndex}} {
		w, g, in, _ := groupBench(t, 50, 20, spec)
		batch := w.there(50)
		back := []Change{}
		for _, c := range batch {
			back = append(back, Change{c.Key, c.New, c.Old})
		}
		if n := testing.AllocsPerRun(100, func() {
			_ = g.PushChanges(in, batch)
			_, _ = g.Run()
			batch, back = back, batch
		}); n > 0 {
			t.Errorf("limit %d, prefix %v: %v allocations per run", spec.Limit, spec.Source != nil, n)
		}
	}
}

func TestGrouped_ARunCostsWhatItTouches(t *testing.T) {
	cost := func(groups int) int {
		w, g, in, _ := groupBench(t, groups, 5, GroupedSpec{Limit: 3})
		batch := w.there(groups)
		w.compares = 0
		_ = g.PushChanges(in, batch)
		_, _ = g.Run()
		return w.compares
	}
	// Finding a group compares keys of groups; rows are compared within it.
	if few, many := cost(10), cost(4000); many > few+10 || many > 60 {
		t.Errorf("%d comparisons among 10 groups, %d among 4000", few, many)
	}
}

func TestGrouped_AChangeBeyondTheFrontierReadsNothing(t *testing.T) {
	w, g, in, op := groupBench(t, 10, 200, GroupedSpec{Limit: 3, Source: fromIndex})
	batch := []Change{w.place(1990, 0, 9999, 0)}
	w.compares = 0
	_ = g.PushChanges(in, batch)
	stats, _ := g.Run()
	if w.compares != 2 || stats.RowsFetched > 0 || op.Deltas().Len() > 0 {
		t.Errorf("%d comparisons, %+v", w.compares, stats)
	}
}

func TestGrouped_GroupsNotDemandedAreDroppedUnseen(t *testing.T) {
	w, g, in, op := groupBench(t, 10, 200, GroupedSpec{
		Limit: 3, Demand: true, Source: fromIndex,
	})
	if op.Retained() != 0 || op.Groups() != 0 || w.compares > 0 {
		t.Errorf("%d rows, %d groups, %d comparisons", op.Retained(), op.Groups(), w.compares)
	}
	class, bits := classOf(3)
	if !op.Activate(class, bits) || op.Activate(class, bits) {
		t.Error("activated twice")
	}
	_ = g.Touch(in + 1)
	stats, _ := g.Run()
	if stats.RowsScanned != 11 || op.Retained() != 11 || w.fetches != 1 {
		t.Errorf("%+v, %d held", stats, op.Retained())
	}
	if op.Deltas().Len() != 1 || op.Deltas().Delta(0).NewLen != 3 {
		t.Errorf("%+v", op.Deltas())
	}
	op.Deactivate(class, bits)
	_ = g.Touch(in + 1)
	_, _ = g.Run()
	if op.Groups() != 0 || op.Retained() != 0 {
		t.Errorf("%d groups, %d rows left", op.Groups(), op.Retained())
	}
}

func TestGrouped_AResetReadsTheDemandedGroupsAgain(t *testing.T) {
	_, g, in, op := groupBench(t, 10, 20, GroupedSpec{Limit: 3, Demand: true, Source: fromIndex})
	class, bits := classOf(3)
	op.Activate(class, bits)
	op.SetGroupBounds(class, bits, 1, 2)
	_ = g.Touch(in + 1)
	_, _ = g.Run()
	before := op.Rows(class, bits, nil)
	op.Clear()
	if err := g.Hydrate(in + 1); err != nil {
		t.Fatal(err)
	}
	after := op.Rows(class, bits, nil)
	if len(before) != 2 || len(after) != 2 || before[0] != after[0] {
		t.Errorf("%v, was %v", after, before)
	}
}

func TestGrouped_LargeBatchesIntoAGroupAreReadAgain(t *testing.T) {
	w, g, in, op := groupBench(t, 4, 500, GroupedSpec{Limit: 5, Source: fromIndex})
	batch := []Change{}
	for k := range 300 {
		batch = append(batch, w.place(4*k, 0, 5000-k, 0))
	}
	op.spec.Source.(*membersIndex).fill()
	_ = g.PushChanges(in, batch)
	stats, _ := g.Run()
	if stats.Refetches != 1 || stats.RowsScanned != 13 || stats.Refills != 0 {
		t.Errorf("%+v", stats)
	}
}

// Law: the small controller is the large one.
func TestGroupedCushion_ActsAsTheOneOfAWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		set := Cushion{
			Start: uint32(c.intn(40)), Target: uint32(c.intn(60)), Min: uint32(c.intn(6)),
			Max: uint32(c.intn(100)), Fixed: c.intn(8) == 0,
		}
		limit := uint32(c.intn(30))
		need := int(limit) + c.intn(20)
		var one cushionState
		one.init(set, need, limit)
		rule := newGroupedRule(set)
		small, flags := rule.first(need, limit), uint8(0)
		for range 200 {
			switch c.intn(6) {
			case 0:
				limit = uint32(c.intn(30))
				one.bound(limit)
				rule.bound(&small, limit)
			case 1, 2:
				one.onRefill()
				flags = rule.onRefill(&small, limit, flags)
			default:
				changes, slack := c.intn(1+max(1, 2*int(set.Target))), c.intn(60)-5
				one.onRun(changes, slack)
				flags = rule.onRun(&small, changes, slack, flags)
			}
			if int(small.rows) != one.rows {
				t.Fatalf("%d rows, want %d", small.rows, one.rows)
			}
		}
	})
}
