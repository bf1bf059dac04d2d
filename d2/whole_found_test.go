package d2_test

import (
	"slices"
	"testing"

	"millrace.dev/millrace/d2"
)

// What histories of whole plans have found, shrunk.

// story is a table, its input, and a table of rows made of its columns.
type story struct {
	t     *testing.T
	g     *d2.Graph
	fuse  *fuse
	tab   *table
	made  made
	input d2.NodeID
}

func newStory(t *testing.T) *story {
	s := &story{t: t, g: d2.NewGraph(), fuse: &fuse{}}
	s.tab, s.made = newTable(0, 4, &fuse{}), made{d2.NewTable(3), s.fuse}
	s.input = s.add(d2.NewInput(contents{s.tab}))
	return s
}

func (s *story) add(op d2.Operator, ins ...d2.NodeID) d2.NodeID {
	s.t.Helper()
	node, err := s.g.Add(op, ins...)
	s.must(err)
	return node
}

func (s *story) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// put runs with a key of the table at other values.
func (s *story) put(pk int, c ...int) {
	s.t.Helper()
	var columns *[3]int
	if c != nil {
		columns = &[3]int{c[0], c[1], c[2]}
	}
	s.must(s.g.PushChanges(s.input, []d2.Change{s.tab.set(pk, columns)}))
	_, err := s.g.Run()
	s.must(err)
	s.tab.forget()
}

func (s *story) mirror(l lens) *mirror { return &mirror{lens: l} }

func (s *story) remade(in d2.NodeID) d2.NodeID {
	return s.add(d2.NewOwned(d2.NewMap(remake{s.tab, s.made, 0}), s.made.rows), in)
}

func TestGraph_DroppingFreesInternedRows(t *testing.T) {
	build := map[string]func(s *story) (d2.NodeID, *d2.Table){
		"map": func(s *story) (d2.NodeID, *d2.Table) { return s.remade(s.input), s.made.rows },
		"join": func(s *story) (d2.NodeID, *d2.Table) {
			pairs := d2.NewPairs(s.tab, s.tab)
			side := s.add(d2.NewArrange(column{s.tab, s.fuse, 0}), s.input)
			return s.add(d2.NewJoin(d2.JoinSpec{Rows: pairs}), side, side), pairs.Table()
		},
		"full join": func(s *story) (d2.NodeID, *d2.Table) {
			pairs := d2.NewPairs(s.tab, s.tab)
			left := s.add(d2.NewArrange(column{s.tab, s.fuse, 0}), s.input)
			right := s.add(d2.NewArrange(column{s.tab, s.fuse, 1}), s.input)
			return s.add(d2.NewOuterJoin(d2.FullOuter, d2.JoinSpec{Rows: pairs}), left, right), pairs.Table()
		},
		"group": func(s *story) (d2.NodeID, *d2.Table) {
			op := d2.NewCount(column{s.tab, s.fuse, 0}, nil)
			return s.add(op, s.input), op.Home()
		},
		"reduce": func(s *story) (d2.NodeID, *d2.Table) {
			home := d2.NewTable(3)
			return s.add(d2.NewReduce(column{s.tab, s.fuse, 0}, d2.RowCount(home), home), s.input), home
		},
	}
	for name, build := range build {
		for how, leave := range map[string]func(*d2.Graph, d2.NodeID) error{
			"drop": (*d2.Graph).Drop, "release": (*d2.Graph).Release,
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				s := newStory(t)
				node, rows := build(s)
				s.put(0, 1, 2, 3)
				if rows.Len() == 0 {
					t.Fatal("nothing was made")
				}
				s.must(leave(s.g, node))
				if rows.Len() != 0 {
					t.Fatalf("%d rows are left", rows.Len())
				}
			})
		}
	}
}

func TestOutput_ALateOneIsToldTheWholeWindowInOrder(t *testing.T) {
	s := newStory(t)
	order := sorting{s.tab, s.fuse, 0, false}
	op, err := d2.NewWindow(d2.WindowSpec{Order: order, Keys: ident{s.tab}, Limit: 2})
	s.must(err)
	window := s.add(op, s.input)
	s.put(0, 5, 0, 0)
	s.put(1, 3, 0, 0)
	s.put(2, 9, 0, 0)
	for _, retain := range []bool{false, true} {
		m := s.mirror(s.tab)
		out := s.add(d2.NewOutput(d2.OutputSpec{Sink: m, Keys: ident{s.tab}, Retain: retain}), window)
		s.must(s.g.Hydrate(out))
		if m.bad != "" || !slices.Equal(m.seq, []uint32{1, 0}) {
			t.Errorf("a late output was told %v: %s", m.seq, m.bad)
		}
		behind := s.mirror(s.tab)
		s.must(s.g.Hydrate(s.add(d2.NewOutput(d2.OutputSpec{Sink: behind}), out)))
		if behind.bad != "" || !slices.Equal(behind.seq, []uint32{1, 0}) {
			t.Errorf("an output on an output was told %v: %s", behind.seq, behind.bad)
		}
	}
}

// A row leaves in the run in which what is below fails, and its id is another's
// when that is filled again.
func TestOutput_HeldRowsAreTakenBackAsTheyWereTold(t *testing.T) {
	s := newStory(t)
	made := s.remade(s.input)
	filter := s.add(d2.NewFilter(test{s.made, s.fuse, 0, 2}), made)
	m := s.mirror(s.made)
	out := s.add(d2.NewOutput(d2.OutputSpec{Sink: m, Retain: true, Hold: s.made.rows}), filter)
	s.put(0, 1, 1, 1)
	s.fuse.left = 3 // map, map, filter
	s.put(0, 2, 2, 2)
	if s.g.Failed(filter) == nil || s.g.Failed(made) != nil || m.fails != 1 {
		t.Fatalf("failed: %v, %v", s.g.Failed(filter), s.g.Failed(made))
	}
	s.put(0)
	s.put(0, 3, 3, 3) // by the id of the first
	s.must(s.g.Reset(filter))
	m.fails = 0
	s.must(s.g.Hydrate(filter))
	if m.bad != "" {
		t.Fatal(m.bad)
	}
	for row, n := range m.rows {
		if f := s.made.see(row); f.c != [3]int{3, 3, 3} || n != 1 {
			t.Fatalf("told %v %d times", f, n)
		}
	}
	if len(m.rows) != 1 || s.made.rows.Len() != 1 {
		t.Fatalf("%d rows told, %d held", len(m.rows), s.made.rows.Len())
	}
	s.must(s.g.Drop(out))
	s.must(s.g.Drop(made))
	if n := s.made.rows.Len(); n != 0 {
		t.Fatalf("%d rows are left", n)
	}
}

// A window refers to the rows it holds and no others, wherever in a step its
// order or its keys give up.
func TestWindow_AFailedStepLeavesNoReferenceBehind(t *testing.T) {
	build := map[string]func(s *story) d2.Operator{
		"window": func(s *story) d2.Operator {
			op, err := d2.NewWindow(d2.WindowSpec{
				Order: sorting{s.tab, s.fuse, 0, false}, Keys: ident{s.tab}, Limit: 2, Hold: s.tab,
			})
			s.must(err)
			return op
		},
		"grouped": func(s *story) d2.Operator {
			op, err := d2.NewGrouped(d2.GroupedSpec{
				Order: sorting{s.tab, s.fuse, 0, false}, Keys: ident{s.tab}, Group: column{s.tab, s.fuse, 1}, Limit: 2, Hold: s.tab,
			})
			s.must(err)
			return op
		},
	}
	for name, build := range build {
		for filled := range 2 {
			for after := 1; after < 40; after++ {
				s := newStory(t)
				node := s.add(build(s), s.input)
				for pk := range 4 * filled {
					s.put(pk, pk%3, pk%2, 0)
				}
				s.fuse.left = after
				var batch []d2.Change
				for pk := range 4 {
					batch = append(batch, s.tab.set(pk, &[3]int{3 - pk, pk % 2, 1}))
				}
				s.must(s.g.PushChanges(s.input, batch))
				_, err := s.g.Run()
				s.must(err)
				s.fuse.left = 0
				s.must(s.g.Drop(node))
				for slot, pins := range s.tab.pins {
					if pins != 0 {
						t.Fatalf("%s, filled %d times, failed at step %d: version %d is referred to %d times", name, filled, after, slot, pins)
					}
				}
			}
		}
	}
}
