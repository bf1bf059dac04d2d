package d2

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// standing is an operator that answers nothing.
type standing struct{}

func (standing) Name() string             { return "standing" }
func (standing) Ports() int               { return 1 }
func (standing) Apply(*Visit, *Out) error { return nil }

func TestExists_RefusesWhatItCannotRead(t *testing.T) {
	a, b := newShelf("a", 1), newShelf("b", 1)
	key := shelfKey{a, colG}
	if _, err := NewExists(ExistsSpec{}); !errors.Is(err, ErrNoKey) {
		t.Errorf("without a key: %v", err)
	}
	for _, c := range []struct {
		name string
		spec ExistsSpec
		at   Place
		want error
	}{
		{"in a cycle", ExistsSpec{ParentKey: key}, Place{Cyclic: true}, ErrFetchInCycle},
		{"parents cannot be fetched", ExistsSpec{ParentKey: key}, Place{In: []Operator{standing{}, b.store}}, ErrNoFetch},
		{"parents come from several nodes", ExistsSpec{ParentKey: key}, Place{In: []Operator{nil, b.store}}, ErrNoFetch},
		{"children cannot be looked up", ExistsSpec{ParentKey: key, ChildKey: key}, Place{In: []Operator{a.store, standing{}}}, ErrNoFetch},
		{"children have no key", ExistsSpec{ParentKey: key}, Place{In: []Operator{a.store, b.store}}, ErrNoFetch},
		{"children are arranged", ExistsSpec{ParentKey: key}, Place{In: []Operator{a.store, NewArrange(key)}}, nil},
	} {
		e, err := NewExists(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Bind(c.at); !errors.Is(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Over an arrangement existence is a matter of weights: rows of any number of
// copies, arriving and leaving in one batch, null keys among them.
func TestExists_FollowsTheWeightsOfAnArrangement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		parents, children := newShelf("p", 8), newShelf("c", 8)
		for _, s := range []*shelf{parents, children} {
			for id := range s.current {
				s.put(id, 0, 0, ch.intn(4)-1, 0)
			}
		}
		children.put(0, 0, 0, absentValue, 0)
		weights := make([]int32, len(children.gone))
		g := NewGraph()
		source, _ := g.Add(parents.store)
		in, _ := g.Add(NewInput(nil))
		arranged, _ := g.Add(NewArrange(shelfKey{children, colG}), in)
		negated := ch.intn(2) == 0
		e, _ := NewExists(ExistsSpec{ParentKey: shelfKey{parents, colG}, Negated: negated})
		node, err := g.Add(e, source, arranged)
		if err != nil {
			t.Fatal(err)
		}
		sum := &summing{rows: map[uint32]int32{}}
		_, _ = g.Add(NewOutput(OutputSpec{Sink: sink(sum.receive)}), node)
		for i, row := range parents.current {
			_ = g.PushChanges(source, []Change{{uint32(i), None, row}})
		}
		for range 20 {
			var batch []Diff
			for range 1 + ch.intn(4) {
				row := uint32(ch.intn(len(weights)))
				by := int32(ch.intn(5)) - 2
				by = max(by, -weights[row])
				weights[row] += by
				batch = append(batch, Diff{row, by})
			}
			_ = g.Push(in, 0, batch)
			var changes []Change
			if ch.intn(2) == 0 {
				changes = append(changes, parents.put(ch.intn(8), 0, 0, ch.intn(4)-1, 0))
				_ = g.PushChanges(source, changes)
			}
			_, _ = g.Run()
			for _, row := range parents.current {
				found := false
				for child, weight := range weights {
					found = found || weight > 0 && parents.at(row, colG) != absentValue &&
						parents.at(row, colG) == children.at(uint32(child), colG)
				}
				if got := sum.rows[row] == 1; got != (found != negated) {
					t.Fatalf("row %d: told %d, found %v, negated %v", row, sum.rows[row], found, negated)
				}
			}
			for _, c := range changes {
				if sum.rows[c.Old] != 0 {
					t.Fatalf("row %d has gone and is still told", c.Old)
				}
			}
			parents.forget(changes)
		}
	})
}

// sink and summing add up what is told.
type sink func(r *Result)

func (s sink) Receive(r *Result) { s(r) }
func (s sink) Fail(err error)    { panic(err) }

type summing struct{ rows map[uint32]int32 }

func (s *summing) receive(r *Result) {
	for _, d := range r.Diffs {
		s.rows[d.Row] += d.Weight
	}
}

// wide is a graph of n parents in few groups, each with one child, and a window
// over those that have it.
func wide(t testing.TB, n, groups int, limit uint32) (g *Graph, parents, children *shelf, source, below NodeID, out *last) {
	parents, children = newShelf("p", n), newShelf("c", groups)
	order := shelfOrder{parents, false}
	parents.arrange(order)
	parents.index(colG)
	children.index(colID)
	for id := range n {
		parents.put(id, 10*id, 0, id%groups, 0)
	}
	for id := range groups {
		children.put(id, 0, 0, 0, 0)
	}
	g = NewGraph()
	source, _ = g.Add(parents.store)
	below, _ = g.Add(children.store)
	e, _ := NewExists(ExistsSpec{ParentKey: shelfKey{parents, colG}, ChildKey: shelfKey{children, colID}})
	node, err := g.Add(e, source, below)
	if err != nil {
		t.Fatal(err)
	}
	pull, err := NewPull(e, order)
	if err != nil {
		t.Fatal(err)
	}
	win, _ := g.addWindow(node, WindowSpec{
		Order: order, Keys: parents, Pins: parents, Limit: limit, Source: pull, Cushion: Cushion{Fixed: true},
	})
	out = &last{}
	sink, _ := g.addOutput(win, out, parents)
	if err := g.Hydrate(node, win, sink); err != nil {
		t.Fatal(err)
	}
	return g, parents, children, source, below, out
}

func TestExists_ReadsOnlyWhatTheWindowNeedsToHear(t *testing.T) {
	g, _, children, _, below, out := wide(t, 10000, 2, 10)
	if got := g.Totals().RowsScanned; got != 10+2 {
		t.Errorf("hydrated by looking at %d rows", got)
	}
	// Every second of the ten rows loses its child: five of 5,000 are told, read in
	// order up to the frontier.
	batch := []Change{children.del(1)}
	_ = g.PushChanges(below, batch)
	stats, _ := g.Run()
	if len(out.delta.Leaves) != 5 || len(out.delta.Enters) != 5 {
		t.Errorf("%+v", out.delta)
	}
	if stats.RowsScanned > 40 || stats.Changes > 40 {
		t.Errorf("%+v", stats)
	}
	children.forget(batch)
	// Back again: the rows that come are told up to the frontier only.
	_ = g.PushChanges(below, []Change{children.put(1, 0, 0, 0, 0)})
	stats, _ = g.Run()
	if len(out.delta.Enters) != 5 || stats.RowsScanned > 40 || stats.Refills != 0 {
		t.Errorf("%+v, %+v", out.delta, stats)
	}
}

func TestExists_AShortWindowHearsTheFirstRowsAndWhereTheyEnd(t *testing.T) {
	g, _, children, _, below, out := wide(t, 10000, 1, 10)
	batch := []Change{children.del(0)}
	_ = g.PushChanges(below, batch)
	_, _ = g.Run()
	children.forget(batch)
	if out.delta.NewLen != 0 {
		t.Fatalf("%+v", out.delta)
	}
	_ = g.PushChanges(below, []Change{children.put(0, 0, 0, 0, 0)})
	stats, _ := g.Run()
	if len(out.delta.Enters) != 10 || stats.Changes > 40 || stats.RowsScanned > 20 || stats.Refills != 0 {
		t.Errorf("%d rows enter, %+v", len(out.delta.Enters), stats)
	}
}

func TestExists_LooksForEachKeyOnce(t *testing.T) {
	g, parents, _, source, _, _ := wide(t, 100, 2, 10)
	var batch []Change
	for id := range 8 {
		batch = append(batch, parents.put(50+id, 5000+id, 0, id%2, 0))
	}
	_ = g.PushChanges(source, batch)
	if stats, _ := g.Run(); stats.RowsScanned != 2 {
		t.Errorf("%d rows scanned for two keys", stats.RowsScanned)
	}
}

// cost of a run, once everything has the size it needs.
func allocations(run func(i int)) float64 {
	for i := range 8 {
		run(i)
	}
	i := 8
	return testing.AllocsPerRun(50, func() {
		run(i)
		i++
	})
}

func TestExists_ARunAllocatesNothing(t *testing.T) {
	g, _, children, _, below, _ := wide(t, 200, 10, 10)
	// The versions are made beforehand: what is measured is the graph.
	rows := [2]uint32{children.current[1]}
	children.put(1, 0, 0, 0, 0)
	rows[1] = children.current[1]
	if n := allocations(func(i int) {
		_ = g.PushChanges(below, []Change{{1, rows[(i+1)%2], rows[i%2]}})
		_, _ = g.Run()
	}); n != 0 {
		t.Errorf("%v allocations where nothing turns", n)
	}
	hash := children.hashes[shelfKey{children, colID}]
	gone := false
	if n := allocations(func(int) {
		gone = !gone
		c := Change{1, rows[1], None}
		if gone {
			hash.Remove(1, 1, rows[1])
		} else {
			hash.Add(1, 1, rows[1])
			c.Old, c.New = c.New, c.Old
		}
		_ = g.PushChanges(below, []Change{c})
		_, _ = g.Run()
	}); n != 0 {
		t.Errorf("%v allocations where a tenth of the rows comes and goes", n)
	}
}

func TestExists_FlipsWhereChildrenAreFew(t *testing.T) {
	parents, children := newShelf("p", 5000), newShelf("c", 2)
	order := shelfOrder{parents, false}
	parents.arrange(order)
	parents.index(colID)
	for id := range 5000 {
		parents.put(id, id, 0, 0, 0)
	}
	children.index(colG)
	children.put(0, 0, 0, 4000, 0)
	children.put(1, 0, 0, 3000, 0)
	e, _ := NewExists(ExistsSpec{ParentKey: shelfKey{parents, colID}, ChildKey: shelfKey{children, colG}})
	if err := e.Bind(Place{In: []Operator{parents.store, children.store}}); err != nil {
		t.Fatal(err)
	}
	ask := func() (keys []Key, scanned int) {
		r, fc := Everything(order), FetchCtx{}
		r.Limit = 10
		e.Fetch(&fc, &r, func(row uint32) bool {
			keys = append(keys, parents.KeyOf(row))
			return true
		})
		return keys, fc.Scanned
	}
	// Nothing is known at first of how many parents pass; then it is.
	for range 6 {
		ask()
	}
	if keys, scanned := ask(); scanned > 8 || !slices.Equal(keys, []Key{3000, 4000}) {
		t.Errorf("%v by looking at %d rows", keys, scanned)
	}
}
