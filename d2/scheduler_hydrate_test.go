package d2

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// cuts lists where a plan can be cut so that nothing later feeds anything
// earlier.
func (p *plan) cuts() []int {
	at := []int{}
	for cut := 1; cut < len(p.nodes); cut++ {
		ok := true
		for _, n := range p.nodes[:cut] {
			for _, e := range n.ins {
				ok = ok && e.from < cut
			}
		}
		if ok {
			at = append(at, cut)
		}
	}
	return at
}

// Law: a graph that is extended and hydrated over content is, from then on, the
// graph that was there from the start.
func TestHydrate_EqualsHavingBeenThereFromTheStart(t *testing.T) {
	done, staged := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newTwin(t)
		if !w.p.legal(w.ref.reach) {
			return
		}
		run := func() bool {
			w.begin()
			for range 1 + w.d.under(3) {
				w.push(false)
			}
			if w.ref.run(); w.ref.heavy || w.ref.limit {
				return false
			}
			if _, err := w.g.Run(); err != nil {
				t.Fatal(err)
			}
			return true
		}
		cuts := w.p.cuts()
		w.build(w.d.from(cuts))
		for range w.d.under(4) {
			if !run() {
				return
			}
		}
		old := len(w.ids)
		if w.d.under(3) == 0 {
			staged++
			w.push(false)
		}
		w.build(len(w.p.nodes))
		if w.d.under(3) == 0 {
			staged++
			w.push(false)
		}
		if w.ref.run(); w.ref.heavy || w.ref.limit {
			return
		}
		// All new nodes, or those that read old ones; that comes to the same.
		roots := slices.Clone(w.ids[old:])
		if w.d.under(2) == 0 {
			roots = roots[:0]
			for i := old; i < len(w.ids); i++ {
				top := true
				for _, e := range w.p.nodes[i].ins {
					top = top && e.from < old
				}
				if top || w.p.nodes[i].kind == "concat" {
					roots = append(roots, w.ids[i])
				}
			}
		}
		rows, err := w.g.Snapshot(w.ids[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := w.g.Hydrate(roots...); err != nil {
			t.Fatalf("%+v from %d\n%v", w.p, old, err)
		}
		if again, _ := w.g.Snapshot(w.ids[0]); !slices.Equal(rows, again) {
			t.Fatal("a hydration changes what it reads")
		}
		for i, op := range w.ops {
			w.compareState(i, op)
		}
		for i, s := range w.sink {
			want := i < old || s.received == 1 && s.fresh
			if i >= old && retains(i) {
				want = !s.fresh && s.received == min(1, len(s.told))
			}
			if !want || !maps.Equal(s.told, w.ref.sum[i]) {
				t.Fatalf("%+v from %d\nsink of node %d was told %v in %d calls, fresh: %v, want %v",
					w.p, old, i, s.told, s.received, s.fresh, w.ref.sum[i])
			}
		}
		for range 1 + w.d.under(3) {
			w.begin()
			w.push(false)
			if w.run(); w.ref.heavy || w.ref.limit {
				return
			}
		}
		for i := range w.ids {
			rows, err := w.g.Snapshot(w.ids[i])
			if err != nil || !maps.Equal(sackOf(rows), w.ref.sum[i]) && w.p.nodes[i].kind != "input" {
				t.Fatalf("%+v\nnode %d tells %v (%v), want %v", w.p, i, rows, err, w.ref.sum[i])
			}
		}
		done++
	})
	t.Logf("%d hydrations, %d batches staged", done, staged)
}

// onlooker notes how it was visited. It needs nothing of port 1.
type onlooker struct{ saw []bool }

func (*onlooker) Name() string        { return "onlooker" }
func (*onlooker) Ports() int          { return 2 }
func (*onlooker) Stage(port int) bool { return port == 0 }
func (*onlooker) Retained() int       { return 0 }
func (*onlooker) Bytes() int          { return 0 }
func (w *onlooker) Clear()            {}

func (w *onlooker) Apply(v *Visit, out *Out) error {
	w.saw = append(w.saw, v.Hydrating)
	if v.Hydrating && len(v.In(1)) > 0 {
		return errTest
	}
	out.Pass(v, 0)
	return nil
}

func TestHydrate_StagesOnlyThePortsThatAreWanted(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(listed{1, 2}))
	w := &onlooker{}
	both, _ := g.Add(w, in, in)
	sink := &collector{told: sack{}}
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), both)
	if err := g.Hydrate(both); err != nil || !slices.Equal(w.saw, []bool{true}) || len(sink.told) != 2 {
		t.Errorf("%v, visited %v, told %v", err, w.saw, sink.told)
	}
}

// Shrunk: what a sink pushed during a hydration was run as one more hydration.
func TestHydrate_WhatASinkPushesMeanwhileIsAnOrdinaryRun(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(listed{1, 2}))
	w := &onlooker{}
	both, _ := g.Add(w, in, in)
	sink := &collector{told: sack{}}
	sink.then = func() {
		sink.then = nil
		_ = g.Push(in, 0, []Diff{{3, 1}})
	}
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), both)
	if err := g.Hydrate(both); err != nil || !slices.Equal(w.saw, []bool{true, false}) {
		t.Errorf("%v, visited %v", err, w.saw)
	}
	if !maps.Equal(sink.told, sack{1: 1, 2: 1, 3: 1}) {
		t.Errorf("%v", sink.told)
	}
}

func TestHydrate_OfAnInputTellsWhatItHas(t *testing.T) {
	g := NewGraph()
	sink := &collector{told: sack{}}
	in, _ := g.Add(NewInput(listed{1, 2}))
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), in)
	for range 2 {
		if err := g.Hydrate(in); err != nil || !maps.Equal(sink.told, sack{1: 1, 2: 1}) || !sink.fresh {
			t.Errorf("%v, %v", err, sink.told)
		}
	}
	// One that cannot tell is empty as long as nothing came in.
	mute, _ := g.Add(NewInput(nil))
	_, _ = g.Add(NewOutput(OutputSpec{Sink: &collector{told: sack{}}}), mute)
	_ = g.Push(mute, 0, []Diff{{1, 1}})
	if err := g.Hydrate(mute); err != nil {
		t.Error(err)
	}
	if err := g.Hydrate(mute); !errors.Is(err, ErrNoSnapshot) {
		t.Errorf("%v", err)
	}
}

func TestSnapshot_OfWhatCannotTell(t *testing.T) {
	g := NewGraph()
	var mute, keeper, x, y NodeID
	err := g.Extend(func(b *Builder) {
		mute = b.Add(adder{1}, b.Add(NewInput(nil)))
		keeper = b.Add(adder{1}, b.Add(&onlooker{}, b.Add(NewInput(listed{1}))))
		in := b.Add(NewInput(listed{5}))
		// No state on the way around: the sum over all iterations is nowhere.
		x = b.Iterate(in, func(x NodeID) NodeID { return b.Add(sieve{above: 1}, b.Add(adder{-1}, x)) })
		// With state on the way around there is.
		y = b.Iterate(in, func(y NodeID) NodeID {
			return b.Add(newDefined("distinct", 1, distinctOf), b.Add(sieve{above: 1}, b.Add(adder{-1}, y)))
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []NodeID{mute, keeper, x} {
		if _, err := g.Snapshot(id); !errors.Is(err, ErrNoSnapshot) {
			t.Errorf("node %d: %v", id, err)
		}
		before := shapeOf(g)
		out, _ := g.Add(NewOutput(OutputSpec{Sink: &collector{}}), id)
		if err := g.Hydrate(out); !errors.Is(err, ErrNoSnapshot) {
			t.Errorf("node %d: %v", id, err)
		}
		_ = g.Drop(out)
		if after := shapeOf(g); after[:len(before)/2] != before[:len(before)/2] {
			t.Errorf("%s\n%s", before, after)
		}
	}
	if err := g.Hydrate(y); err != nil {
		t.Error(err)
	}
	rows, err := g.Snapshot(y)
	if want := []Diff{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}; err != nil || !slices.Equal(rows, want) {
		t.Errorf("%v, %v", rows, err)
	}
	if stats := g.LastRun(); stats.Consolidated > 100 {
		t.Errorf("%+v", stats)
	}
}
