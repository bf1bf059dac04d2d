package d2

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

// trip is reachability over edges between any places: rows are from<<12 | to.
type trip struct {
	g             *Graph
	edges, starts NodeID
	reached       NodeID
	inEdges       *stock
	sink          *collector
}

type tripKey struct{ shift int }

func (k tripKey) Key(row uint32) (uint8, uint64, bool) { return 0, uint64(row >> k.shift), true }

func leg(from, to uint32) Diff { return Diff{from<<12 | to, 1} }

func without(d Diff) Diff { return Diff{d.Row, -d.Weight} }

// newTrip builds the recursion; without a set in the loop circles never rest.
func newTrip(t testing.TB, set bool) *trip {
	t.Helper()
	p := &trip{g: NewGraph(), inEdges: &stock{sack{}}, sink: &collector{told: sack{}}}
	err := p.g.Extend(func(b *Builder) {
		p.edges, p.starts = b.Add(NewInput(p.inEdges)), b.Add(NewInput(nil))
		roads := b.Add(NewArrange(tripKey{12}), p.edges)
		p.reached = b.Iterate(p.starts, func(x NodeID) NodeID {
			if set {
				x = b.Add(NewDistinct(), x)
			}
			there := b.Add(NewArrange(tripKey{0}), x)
			next := b.Add(NewJoin(JoinSpec{Rows: making(func(_, edge uint32) uint32 { return edge & 0xfff })}), there, roads)
			if set {
				return b.Add(NewDistinct(), next)
			}
			return next
		})
		b.Add(NewOutput(OutputSpec{Sink: p.sink}), b.Add(NewDistinct(), p.reached))
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *trip) run(t testing.TB, edges ...Diff) RunStats {
	t.Helper()
	p.inEdges.addBatch(edges)
	_ = p.g.Push(p.edges, 0, edges)
	stats, err := p.g.Run()
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func TestCycle_FactsThatOnlySupportEachOtherAreGone(t *testing.T) {
	p := newTrip(t, true)
	_ = p.g.Push(p.starts, 0, []Diff{{1, 1}})
	p.run(t, leg(1, 2), leg(2, 3), leg(3, 4), leg(4, 2), leg(4, 4))
	if !maps.Equal(p.sink.told, sack{1: 1, 2: 1, 3: 1, 4: 1}) {
		t.Fatalf("%v", p.sink.told)
	}
	// A second way into the circle carries it, and only that.
	p.run(t, leg(1, 3), without(leg(1, 2)))
	if !maps.Equal(p.sink.told, sack{1: 1, 2: 1, 3: 1, 4: 1}) {
		t.Fatalf("%v", p.sink.told)
	}
	p.run(t, without(leg(1, 3)))
	if !maps.Equal(p.sink.told, sack{1: 1}) {
		t.Fatalf("%v", p.sink.told)
	}
	p.run(t, leg(1, 4))
	_ = p.g.Push(p.starts, 0, []Diff{{1, -1}})
	if p.run(t); len(p.sink.told) != 0 {
		t.Fatalf("%v", p.sink.told)
	}
	// The edges are all that is held.
	if got := p.g.Counters().Retained; got != 5 {
		t.Errorf("%d rows held", got)
	}
}

func TestCycle_CostsWhatChangesNotWhatIsThere(t *testing.T) {
	p := newTrip(t, true)
	_ = p.g.Push(p.starts, 0, []Diff{{0, 1}})
	road := []Diff{}
	for i := range uint32(1000) {
		road = append(road, leg(i, i+1))
	}
	first := p.run(t, road...)
	if first.MaxIteration != 1000 || len(p.sink.told) != 1001 {
		t.Fatalf("%+v, %d places", first, len(p.sink.told))
	}
	// One more place at the end: the arranged edges, one way through the loop, and
	// half of it in the iteration where nothing follows. The output and its set.
	for range 3 {
		if stats := p.run(t, leg(1000, 1001)); stats.Visits != 9 || stats.MaxIteration != 1001 || stats.Changes > 12 {
			t.Errorf("%+v", stats)
		}
		if stats := p.run(t, without(leg(1000, 1001))); stats.Visits != 9 || stats.Changes > 12 {
			t.Errorf("%+v", stats)
		}
	}
	// A shortcut moves all that is behind it.
	if stats := p.run(t, leg(0, 500)); stats.Visits < 2*500 || stats.MaxIteration < 501 {
		t.Errorf("%+v", stats)
	}
	if stats := p.run(t, without(leg(0, 500))); stats.Visits < 2*500 || len(p.sink.told) != 1001 {
		t.Errorf("%+v", stats)
	}
}

func TestCycle_WithoutAnEndReachesItsLimit(t *testing.T) {
	p := newTrip(t, false)
	p.g.MaxIterations = 25
	beside := &collector{told: sack{}}
	_, _ = p.g.Add(NewOutput(OutputSpec{Sink: beside}), p.edges)
	_ = p.g.Push(p.starts, 0, []Diff{{1, 1}})
	p.run(t, leg(1, 2), leg(2, 3))
	stats := p.run(t, leg(3, 1))
	if len(stats.Failed) != 1 || len(p.sink.fails) != 1 || !errors.Is(p.sink.fails[0], ErrIterationLimit) {
		t.Fatalf("%+v, %v", stats, p.sink.fails)
	}
	if text := p.sink.fails[0].Error(); !strings.Contains(text, "in iteration 26") {
		t.Errorf("%q", text)
	}
	p.run(t, without(leg(3, 1)), leg(3, 4))
	if len(beside.fails) > 0 || !maps.Equal(beside.told, p.inEdges.sack) || len(p.sink.fails) != 1 {
		t.Errorf("%v, %v, %v", beside.fails, beside.told, p.sink.fails)
	}
	// The circle is gone, so the recursion can be had again.
	if err := errors.Join(p.g.Reset(p.reached), p.g.Drop(p.starts)); err != nil {
		t.Error(err)
	}
}

func TestCycle_ThatFailedIsFilledAnew(t *testing.T) {
	p := newTrip(t, true)
	content := &stock{sack{1: 1}}
	p.g.nodes[p.starts].op.(*Input).content = content
	p.g.MaxIterations = 3
	_ = p.g.Push(p.starts, 0, []Diff{{1, 1}})
	p.run(t, leg(1, 2), leg(2, 3))
	if stats := p.run(t, leg(3, 4), leg(4, 5)); len(stats.Failed) != 1 || len(p.sink.fails) != 1 {
		t.Fatalf("%+v", stats)
	}
	p.run(t, leg(4, 1)) // ignored by the cycle, not by the arranged edges
	p.g.MaxIterations = 100
	if err := errors.Join(p.g.Reset(p.reached), p.g.Hydrate(p.reached)); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(p.sink.told, sack{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}) || !p.sink.fresh {
		t.Errorf("%v", p.sink.told)
	}
	p.run(t, without(leg(2, 3)))
	if !maps.Equal(p.sink.told, sack{1: 1, 2: 1}) {
		t.Errorf("%v", p.sink.told)
	}
}

// late emits at an iteration that is over.
type late struct{}

func (late) Name() string { return "late" }
func (late) Ports() int   { return 1 }

func (late) Apply(v *Visit, out *Out) error {
	out.EmitAt(v.Iter-1, 7, 1)
	return nil
}

func TestCycle_WhatIsOverCannotBeChanged(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	var x NodeID
	err := g.Extend(func(b *Builder) {
		x = b.Iterate(in, func(x NodeID) NodeID { return b.Add(late{}, x) })
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = g.Push(in, 0, []Diff{{1, 1}})
	if _, err := g.Run(); err != nil || !errors.Is(g.Failed(x), ErrPast) {
		t.Errorf("%v, %v", g.Failed(x), err)
	}
}

// insistent asks for visits, a few after one another.
type insistent struct{ asked, at []int32 }

func (*insistent) Name() string { return "insistent" }
func (*insistent) Ports() int   { return 1 }

func (s *insistent) Apply(v *Visit, out *Out) error {
	s.at = append(s.at, v.Iter)
	if v.Iter == 0 {
		for _, iter := range s.asked {
			v.Again(iter)
		}
	}
	return nil
}

func TestCycle_VisitsThatAreAskedFor(t *testing.T) {
	g, op := NewGraph(), &insistent{asked: []int32{9, 3, 5, 3, 0, 9, -1}}
	in, _ := g.Add(NewInput(nil))
	err := g.Extend(func(b *Builder) {
		b.Iterate(in, func(x NodeID) NodeID { return b.Add(op, x) })
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		op.at = nil
		_ = g.Push(in, 0, []Diff{{1, 1}})
		stats, err := g.Run()
		if err != nil || stats.Visits != 5 || stats.MaxIteration != 9 || !equalIters(op.at, 0, 3, 5, 9) {
			t.Errorf("%+v, %v, visited at %v", stats, err, op.at)
		}
	}
}

func equalIters(got []int32, want ...int32) bool {
	for i, at := range got {
		if i >= len(want) || at != want[i] {
			return false
		}
	}
	return len(got) == len(want)
}

func TestCycle_BuffersOfABulkLoadAreReleasedByTheNextRun(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	err := g.Extend(func(b *Builder) {
		x := b.Iterate(in, func(x NodeID) NodeID {
			return b.Add(sieve{above: 1}, b.Add(NewMap(mapping(func(row uint32) uint32 { return row >> 16 })), x))
		})
		output(b, x)
	})
	if err != nil {
		t.Fatal(err)
	}
	batch := make([]Diff, 6*keepDiffs)
	for i := range batch {
		batch[i] = Diff{uint32(i+1) << 16, 1}
	}
	for range 2 {
		_ = g.Push(in, 0, batch)
		if stats, _ := g.Run(); stats.Visits != 3+3+1 {
			t.Fatalf("%+v", stats)
		}
		batch = []Diff{{1 << 16, 1}}
	}
	if c := g.Counters(); c.Bytes > 1<<14 {
		t.Errorf("%+v", c)
	}
}
