package d2

import (
	"maps"
	"slices"
	"testing"
)

// hook is an operator with code of a user's in it.
type hook struct{ do func() }

func (hook) Name() string { return "hook" }
func (hook) Ports() int   { return 1 }

func (h hook) Apply(v *Visit, out *Out) error {
	h.do()
	out.Pass(v, 0)
	return nil
}

func TestPush_FromASinkIsAnotherRun(t *testing.T) {
	g, calls := NewGraph(), []sack{}
	in, _ := g.Add(NewInput(nil))
	sink := &collector{told: sack{}}
	batch := []Diff{{5, 1}}
	sink.then = func() {
		calls = append(calls, sink.got)
		if d := batch[0]; d.Row > 0 {
			batch[0] = Diff{d.Row - 1, 1}
			if err := g.Push(in, 0, batch); err != nil {
				t.Error(err)
			}
		}
	}
	down, _ := g.Add(adder{0}, in)
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), down)
	_ = g.Push(in, 0, batch)
	stats, err := g.Run()
	if err != nil || stats.Visits != 6*2 || len(calls) != 6 {
		t.Errorf("%+v, %v, %v", stats, err, calls)
	}
	for i, got := range calls {
		if !maps.Equal(got, sack{uint32(5 - i): 1}) {
			t.Errorf("call %d: %v", i, got)
		}
	}
	if total := g.Totals(); total.Visits != 12 || total.Changes != 12 {
		t.Errorf("%+v", total)
	}
	if stats, _ := g.Run(); stats.Visits != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestPush_FromAnOperatorIsAnotherRun(t *testing.T) {
	for name, loop := range map[string]bool{"straight": false, "in a cycle": true} {
		g, batches := NewGraph(), []sack{}
		var in NodeID
		left := 2
		h := hook{func() {
			if left--; left >= 0 {
				_ = g.Push(in, 0, []Diff{{7, 1}, {8, -1}})
			}
		}}
		sink := &collector{told: sack{}}
		sink.then = func() { batches = append(batches, sink.got) }
		err := g.Extend(func(b *Builder) {
			in = b.Add(NewInput(nil))
			var at NodeID
			if loop {
				at = b.Iterate(in, func(x NodeID) NodeID { return b.Add(sieve{above: 100}, b.Add(h, x)) })
			} else {
				at = b.Add(h, in)
			}
			b.Add(NewOutput(OutputSpec{Sink: sink}), at)
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = g.Push(in, 0, []Diff{{1, 1}})
		if _, err := g.Run(); err != nil {
			t.Fatal(err)
		}
		more := sack{7: 1, 8: -1}
		want := []sack{{1: 1}, more, more}
		if !slices.EqualFunc(batches, want, func(a, b sack) bool { return maps.Equal(a, b) }) {
			t.Errorf("%s: %v, want %v", name, batches, want)
		}
	}
}

func TestPush_WhileRunningToWhatFailsInTheRunIsForgotten(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	var bad NodeID
	first, _ := g.Add(hook{func() { _ = g.Push(bad, 0, []Diff{{9, 1}}) }}, in)
	n := newDefined("bad", 1, distinctOf)
	n.mishap = &mishap{}
	bad, _ = g.Add(n, first)
	sink := &collector{told: sack{}}
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), bad)
	_ = g.Push(in, 0, []Diff{{1, 1}})
	stats, err := g.Run()
	if err != nil || !slices.Equal(stats.Failed, []NodeID{bad}) || len(n.visit) != 1 || len(sink.fails) != 1 {
		t.Errorf("%+v, %v, visited %d times, %v", stats, err, len(n.visit), sink.fails)
	}
	if err := g.Push(bad, 0, []Diff{{9, 1}}); err != nil {
		t.Error(err)
	}
	if stats, err := g.Run(); err != nil || stats.Visits != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// failing is a sink that pushes when it is told of a failure.
type failing struct {
	g   *Graph
	to  NodeID
	err error
}

func (f *failing) Receive(*Result) {}
func (f *failing) Fail(error)      { f.err = f.g.Push(f.to, 0, []Diff{{2, 1}}) }

func TestPush_FromASinkThatIsToldOfAFailure(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	n := newDefined("bad", 1, distinctOf)
	n.mishap = &mishap{panic: true}
	bad, _ := g.Add(n, in)
	_, _ = g.Add(NewOutput(OutputSpec{Sink: &failing{g: g, to: in}}), bad)
	good := &collector{told: sack{}}
	_, _ = g.Add(NewOutput(OutputSpec{Sink: good}), in)
	_ = g.Push(in, 0, []Diff{{1, 1}})
	if _, err := g.Run(); err != nil || good.received != 2 || !maps.Equal(good.told, sack{1: 1, 2: 1}) {
		t.Errorf("%v, told %v in %d calls", err, good.told, good.received)
	}
}

func TestPush_KeepsNothingOfTheBatchItWasGiven(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	sink := &collector{told: sack{}}
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), in)
	batch := []Diff{{1, 1}, {2, 1}}
	for range 2 {
		_ = g.Push(in, 0, batch)
		batch[0], batch[1] = Diff{8, 8}, Diff{9, 9}
		sink.then = func() {
			sink.then = nil
			_ = g.Push(in, 0, batch)
			batch[0], batch[1] = Diff{6, 6}, Diff{7, 7}
		}
		if _, err := g.Run(); err != nil {
			t.Fatal(err)
		}
		batch[0], batch[1] = Diff{1, 1}, Diff{2, 1}
	}
	if !maps.Equal(sink.told, sack{1: 2, 2: 2, 8: 16, 9: 18}) {
		t.Errorf("%v", sink.told)
	}
}

func TestPush_ToWhatIsNotThere(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	for i, c := range []struct{ got, want error }{
		{g.Push(9, 0, nil), ErrNoNode},
		{g.Push(-1, 0, nil), ErrNoNode},
		{g.Push(in, 1, nil), ErrNoPort},
		{g.Push(in, -1, nil), ErrNoPort},
		{g.Push(in, 0, nil), nil},
		{g.Touch(4), ErrNoNode},
		{g.Hold(4), ErrNoNode},
		{g.Release(4), ErrNoNode},
		{g.Reset(in, 4), ErrNoNode},
		{g.Hydrate(in, 4), ErrNoNode},
		{g.Failed(4), ErrNoNode},
	} {
		if c.got != c.want {
			t.Errorf("call %d: %v, want %v", i, c.got, c.want)
		}
	}
}
