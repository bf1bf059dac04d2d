package d2

import (
	"errors"
	"slices"
	"testing"
)

// bagContents are the rows of a relation outside the graph.
type bagContents struct{ bag }

func (c bagContents) Each(yield func(row uint32, weight int32)) {
	for _, d := range c.sorted() {
		yield(d.Row, d.Weight)
	}
}

var errMoody = errors.New("not now")

// moody is a fold that fails, or panics, when told to.
type moody struct{ fail, panics *bool }

func (m moody) Fold(rows []Diff) (uint8, uint64, error) {
	if *m.panics {
		panic(errMoody)
	}
	if *m.fail {
		return 0, 0, errMoody
	}
	return ResultInt, uint64(len(rows)), nil
}

// TestGroup_ComesBackAfterAFailure names law CONTAIN: the failure of a user's
// function stops its group operator alone; a reset and a hydration make it right
// again, and nothing that was referred to is lost.
func TestGroup_ComesBackAfterAFailure(t *testing.T) {
	x, bigs, present := newItems(), newBigTable(), bagContents{bag{}}
	fail, panics := false, false
	newGroup := func() *Group {
		return NewGroup(x, nil, Count(), Sum(numColumn{x, 2}, bigs), Whole(moody{&fail, &panics}, nil))
	}
	group := newGroup()
	g := NewGraph()
	in, _ := g.Add(NewInput(present))
	node, err := g.Add(group, in)
	if err != nil {
		t.Fatal(err)
	}
	distinct, _ := g.Add(NewDistinct(), in)
	run := func(batch ...Diff) []NodeID {
		for _, d := range batch {
			present.add(d)
		}
		if err := g.Push(in, 0, batch); err != nil {
			t.Fatal(err)
		}
		stats, err := g.Run()
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(stats.Failed)
	}
	var rows []uint32
	for i := range 20 {
		rows = append(rows, x.add(item{key: 1 + i%3, huge: int64(i) * 4}))
		if failed := run(Diff{rows[i], 1}); len(failed) > 0 {
			t.Fatal(g.Failed(node))
		}
	}
	check := func(node NodeID, op *Group) {
		t.Helper()
		fresh, want := newGroup(), &Out{}
		if err := fresh.Apply(NewVisit(0, present.sorted()), want); err != nil {
			t.Fatal(err)
		}
		got, err := g.Snapshot(node)
		if err != nil {
			t.Fatal(err)
		}
		texts := func(op *Group, diffs []Diff) (all []string) {
			rig := groupRig{group: op, bigs: bigs}
			for _, d := range diffs {
				all = append(all, rig.describe(d.Row))
			}
			slices.Sort(all)
			return all
		}
		if got, want := texts(op, got), texts(fresh, want.Diffs()); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		fresh.Clear()
		refs := 0
		for _, n := range bigs.refs {
			refs += n
		}
		if refs != 3 {
			t.Fatalf("%d references to big integers, want one a group", refs)
		}
	}
	check(node, group)
	for _, how := range []*bool{&fail, &panics} {
		*how = true
		if failed := run(Diff{rows[0], 1}, Diff{rows[1], 2}); !slices.Equal(failed, []NodeID{node}) || !errors.Is(g.Failed(node), errMoody) {
			t.Fatalf("failed: %v, %v", failed, g.Failed(node))
		}
		*how = false
		run(Diff{rows[2], 1})
		if err := errors.Join(g.Reset(node), g.Hydrate(node)); err != nil {
			t.Fatal(err)
		}
		check(node, group)
		run(Diff{rows[0], -1}, Diff{rows[1], -2}, Diff{rows[2], -1})
		check(node, group)
	}
	if rows, err := g.Snapshot(distinct); err != nil || len(rows) != 20 {
		t.Fatalf("another operator over the same input has %d rows, %v", len(rows), err)
	}
	if err := g.Drop(in); err != nil {
		t.Fatal(err)
	}
	if len(bigs.refs) != 0 || group.Retained() != 0 {
		t.Fatalf("%d integers, %d rows are left", len(bigs.refs), group.Retained())
	}
}

// TestLateOperators_GetTheWholeContent names law FRESH: operators built over
// inputs with content equal those that saw it come.
func TestLateOperators_GetTheWholeContent(t *testing.T) {
	present := bagContents{bag{}}
	g := NewGraph()
	in, _ := g.Add(NewInput(present))
	counted, home := NewTable(GroupLayout{1}.Width()), NewTable(1)
	build := func() (nodes []NodeID) {
		if err := g.Extend(func(b *Builder) {
			arranged := b.Add(NewArrange(numbered{}), in)
			nodes = []NodeID{
				arranged,
				b.Add(NewReduce(nil, LeastRow(numbered{}), nil), arranged),
				b.Add(NewReduce(numbered{}, RowCount(counted), counted), in),
				b.Add(NewDistinct(), in),
				b.Add(NewCount(numbered{}, counted), in),
				b.Add(NewOwned(NewMap(interned{home, thirds{}}), home), in),
			}
			nodes = append(nodes, b.Add(NewDistinct(), nodes[5]))
		}); err != nil {
			t.Fatal(err)
		}
		return nodes
	}
	early := build()
	for row := range uint32(30) {
		d := Diff{row, int32(row%3) + 1}
		present.add(d)
		_ = g.Push(in, 0, []Diff{d})
		_, _ = g.Run()
	}
	late := build()
	if err := g.Hydrate(late...); err != nil {
		t.Fatal(err)
	}
	compare := func() {
		t.Helper()
		for i := range early {
			want, err := g.Snapshot(early[i])
			got, err2 := g.Snapshot(late[i])
			if err != nil || err2 != nil || !slices.Equal(got, want) {
				t.Fatalf("%s %d: got %v, want %v; %v, %v", g.Operator(late[i]).Name(), i, got, want, err, err2)
			}
		}
	}
	compare()
	for row := range uint32(30) {
		d := Diff{row, -int32(row%3) - 1}
		present.add(d)
		_ = g.Push(in, 0, []Diff{d})
		_, _ = g.Run()
		compare()
	}
	if counted.Len() != 0 || home.Len() != 0 {
		t.Errorf("%d and %d rows are left", counted.Len(), home.Len())
	}
}
