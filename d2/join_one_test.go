package d2

import (
	"errors"
	"fmt"
	"testing"
)

// joined is a window over parents joined with the child they name, and the
// steps to change both.
type joined struct {
	g             *Graph
	parents       *shelf
	children      *shelf
	source, below NodeID
	pairs         *Pairs
	join          *JoinOne
	node          NodeID
	out           *last
	failed        error
	window        NodeID
}

func (j *joined) KeyOf(pair Slot) Key { return j.parents.KeyOf(j.pairs.Left(pair)) }

func (j *joined) Receive(r *Result) { j.out.Receive(r) }
func (j *joined) Fail(err error)    { j.failed = err }

func newJoined(t testing.TB, n, groups int, limit uint32, outer bool) *joined {
	j := &joined{parents: newShelf("p", n), children: newShelf("c", groups), g: NewGraph(), out: &last{}}
	order := shelfOrder{j.parents, false}
	j.parents.arrange(order)
	j.parents.index(colG)
	j.children.index(colG)
	for id := range n {
		j.parents.put(id, 10*id, 0, id%groups, 0)
	}
	for id := range groups {
		j.children.put(id, 0, 0, id, 0)
	}
	j.pairs = NewPairs(j.parents, j.children)
	j.source, _ = j.g.Add(j.parents.store)
	j.below, _ = j.g.Add(j.children.store)
	j.join, _ = NewJoinOne(JoinOneSpec{shelfKey{j.parents, colG}, shelfKey{j.children, colG}, outer, j.pairs})
	var err error
	if j.node, err = j.g.Add(j.join, j.source, j.below); err != nil {
		t.Fatal(err)
	}
	lifted := LeftOrder{j.pairs, order}
	pull, err := NewPull(j.join, lifted)
	if err != nil {
		t.Fatal(err)
	}
	j.window, err = j.g.addWindow(j.node, WindowSpec{
		Order: lifted, Keys: j, Pins: j.pairs, Hold: j.pairs, Limit: limit, Source: pull, Cushion: Cushion{Fixed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	sink, _ := j.g.addOutput(j.window, j, j)
	if err := j.g.Hydrate(j.node, j.window, sink); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *joined) change(child ...Change) RunStats {
	j.out.delta = Delta{}
	_ = j.g.PushChanges(j.below, child)
	stats, _ := j.g.Run()
	j.children.forget(child)
	return stats
}

func TestJoinOne_TellsAWindowWhatItShows(t *testing.T) {
	j := newJoined(t, 10000, 2, 10, false)
	if got := j.g.Totals().RowsScanned; got != 10+2 {
		t.Errorf("hydrated by looking at %d rows", got)
	}
	for _, c := range []struct {
		name  string
		step  func() Change
		delta string
	}{
		{"the child has another version", func() Change { return j.children.put(1, 0, 1, 1, 0) }, "[] [] [] [[1 1] [3 3] [5 5] [7 7] [9 9]]"},
		{"it leaves", func() Change { return j.children.del(1) }, "[[1 1] [3 3] [5 5] [7 7] [9 9]] [] [[5 10] [6 12] [7 14] [8 16] [9 18]] []"},
		{"it comes again", func() Change { return j.children.put(1, 0, 0, 1, 0) }, "[[5 10] [6 12] [7 14] [8 16] [9 18]] [] [[1 1] [3 3] [5 5] [7 7] [9 9]] []"},
	} {
		stats := j.change(c.step())
		if got := told(&j.out.delta); got != c.delta {
			t.Errorf("%s: %s, want %s", c.name, got, c.delta)
		}
		if stats.RowsScanned > 60 || stats.Changes > 60 {
			t.Errorf("%s: %+v", c.name, stats)
		}
		// What nobody shows any more is not kept.
		if n := j.pairs.Table().Len(); n > 30 {
			t.Errorf("%s: %d pairs are left", c.name, n)
		}
	}
	// A window that is made smaller lets go of pairs without any batch.
	_ = j.g.SetWindow(j.window, 0, 1)
	_, _ = j.g.Run()
	if n := j.pairs.Table().Len(); n != 1 {
		t.Errorf("%d pairs are left in a window of one", n)
	}
	_ = j.g.Drop(j.node)
	if j.parents.pinned()+j.children.pinned() != 0 {
		t.Error("pins are left")
	}
}

func TestJoinOne_KeepsRowsWithoutAMatchWhenOuter(t *testing.T) {
	j := newJoined(t, 100, 2, 4, true)
	j.change(j.children.del(0))
	if got := told(&j.out.delta); got != "[] [] [] [[0 0] [2 2]]" {
		t.Error(got)
	}
	j.change(j.children.put(0, 0, 0, 0, 0))
	if got := told(&j.out.delta); got != "[] [] [] [[0 0] [2 2]]" {
		t.Error(got)
	}
}

func TestJoinOne_RefusesASecondRowOfAKey(t *testing.T) {
	for name, second := range map[string]func(c *shelf) []Change{
		"one is there":      func(c *shelf) []Change { return []Change{c.put(1, 0, 0, 0, 0)} },
		"both come at once": func(c *shelf) []Change { return []Change{c.put(0, 0, 0, 1, 0), c.del(1), c.put(2, 0, 0, 1, 0)} },
	} {
		j := newJoined(t, 10, 3, 4, false)
		j.change(second(j.children)...)
		if !errors.Is(j.failed, ErrNotUnique) {
			t.Errorf("%s: %v", name, j.failed)
		}
	}
	j := newJoined(t, 10, 3, 4, false)
	j.change(j.children.put(0, 0, 0, 1, 0), j.children.put(1, 0, 0, 0, 0))
	if j.failed != nil || len(j.out.delta.Updates) != 3 {
		t.Errorf("two rows may exchange their keys: %v, %+v", j.failed, j.out.delta)
	}
}

func TestJoinOne_ARunAllocatesNothing(t *testing.T) {
	j := newJoined(t, 200, 10, 10, false)
	rows := [2]uint32{j.children.current[1]}
	j.change(j.children.put(1, 0, 0, 1, 0))
	j.children.gone[rows[0]] = false
	rows[1] = j.children.current[1]
	hash := j.children.hashes[shelfKey{j.children, colG}]
	if n := allocations(func(i int) {
		old, now := rows[(i+1)%2], rows[i%2]
		hash.Remove(1, 1, old)
		hash.Add(1, 1, now)
		_ = j.g.PushChanges(j.below, []Change{{1, old, now}})
		_, _ = j.g.Run()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(j.out.delta.Updates) != 1 {
		t.Errorf("%+v", j.out.delta)
	}
}

// A row that stays beyond where a batch is cut, while what it is joined with is
// replaced, is updated: it must not be lost and found.
func TestJoinOne_AReplacedPairIsToldPastACut(t *testing.T) {
	parents, gate, right := newShelf("p", 6), newShelf("g", 3), newShelf("r", 1)
	order := shelfOrder{parents, false}
	parents.arrange(order)
	for id := range 5 {
		x := 0
		if id == 0 {
			x = 1
		}
		parents.put(id, id, x, 2, 0)
	}
	parents.put(5, 5, 1, 1, 0)
	gate.put(1, 0, 0, 0, 0)
	right.put(0, 0, 0, 0, 0)

	p := &term{kind: "shelf", shelf: parents}
	p = &term{kind: "exists", shelf: parents, in: p, other: &term{kind: "shelf", shelf: gate}, on: colG, to: colID, flip: FlipNever}
	p = &term{kind: "filter", shelf: parents, in: p, x: 1}
	p = &term{kind: "join", shelf: parents, in: p, other: &term{kind: "shelf", shelf: right}, on: colH, to: colID}
	for _, mode := range []refetchMode{refetchNever, refetchAlways} {
		w := &term{kind: "window", shelf: parents, in: p, limit: 2, mode: mode}
		c := &buildPlan{t: t, g: NewGraph(), stores: map[*shelf]NodeID{}, known: map[*term]*stage{}}
		b := c.build(w)
		out := &last{}
		sink := c.add(NewOutput(OutputSpec{Sink: out, Keys: b}), b.node)
		nodes := []NodeID{sink}
		for _, s := range c.all {
			if s.kind != "shelf" {
				nodes = append(nodes, s.node)
			}
			if s.meter != nil {
				nodes = append(nodes, c.g.nodes[s.node].ins[0].from.id)
			}
		}
		if err := c.g.Hydrate(nodes...); err != nil {
			t.Fatal(err)
		}
		opened, replaced := gate.put(2, 0, 0, 0, 0), right.put(0, 0, 1, 0, 0)
		_ = c.g.PushChanges(c.stores[gate], []Change{opened})
		_ = c.g.PushChanges(c.stores[right], []Change{replaced})
		_, _ = c.g.Run()
		if c.meters[0].cuts != 1 {
			t.Errorf("the batch was not cut")
		}
		if got := fmt.Sprint(told(&out.delta)); got != "[] [] [[0 0]] [[1 5]]" {
			t.Error(got)
		}
		gate.del(2)
		right.forget([]Change{replaced})
		_ = c.g.Drop(c.stores[parents])
	}
}
