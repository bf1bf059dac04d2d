package d2

import (
	"runtime/debug"
	"testing"
)

// Graphs are walked without recursion: 100,000 operators in a row, with a stack
// that a recursion of that depth would overflow.
func TestExtend_DeepGraphs(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const depth = 100_000
	t.Run("a chain built from its end", func(t *testing.T) {
		g, sink := NewGraph(), &collector{told: sack{}}
		var first, last NodeID
		err := g.Extend(func(b *Builder) {
			first, last = -1, b.Add(adder{1})
			below := last
			for range depth - 1 {
				first = b.Add(adder{1})
				b.Connect(first, below, 0)
				below = first
			}
			b.Add(NewOutput(OutputSpec{Sink: sink}), last)
		})
		if err != nil {
			t.Fatal(err)
		}
		if g.Rank(first) != 0 || g.Rank(last) != depth-1 {
			t.Errorf("ranks from %d to %d", g.Rank(first), g.Rank(last))
		}
		_ = g.Push(first, 0, []Diff{{1, 1}})
		if stats, err := g.Run(); err != nil || stats.Visits != depth+1 || sink.told[depth+1] != 1 {
			t.Errorf("%+v, %v, %v", stats, err, sink.told)
		}
		if rows, err := g.Snapshot(last); err != nil || len(rows) > 0 {
			t.Errorf("%v, %v", rows, err)
		}
		_ = g.Drop(first)
		if c := g.Counters(); c != (Counters{}) {
			t.Errorf("%+v", c)
		}
	})
	t.Run("content told through a chain", func(t *testing.T) {
		g, sink := NewGraph(), &collector{told: sack{}}
		var last NodeID
		err := g.Extend(func(b *Builder) {
			last = b.Add(NewInput(listed{7}))
			for range depth {
				last = b.Add(adder{1}, last)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		out, _ := g.Add(NewOutput(OutputSpec{Sink: sink}), last)
		if err := g.Hydrate(out); err != nil || sink.told[depth+7] != 1 {
			t.Errorf("%v, %v", sink.told, err)
		}
	})
	t.Run("a cycle", func(t *testing.T) {
		g, sink := NewGraph(), &collector{told: sack{}}
		var in, x NodeID
		err := g.Extend(func(b *Builder) {
			in = b.Add(NewInput(nil))
			x = b.Iterate(in, func(at NodeID) NodeID {
				for range depth - 1 {
					at = b.Add(adder{}, at)
				}
				return b.Add(sieve{above: 1}, b.Add(adder{-1}, at))
			})
			b.Add(NewOutput(OutputSpec{Sink: sink}), x)
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = g.Push(in, 0, []Diff{{2, 1}})
		if stats, err := g.Run(); err != nil || stats.Visits != 2*(depth+2)+1 || stats.MaxIteration != 1 || sink.told[1] != 1 {
			t.Errorf("%+v, %v, %v", stats, err, sink.told)
		}
		g.MaxIterations = 0
		_ = g.Push(in, 0, []Diff{{2, 1}})
		if stats, err := g.Run(); err != nil || len(stats.Failed) != 1 || len(sink.fails) != 1 {
			t.Errorf("%+v, %v", stats.Failed, err)
		}
		if err := g.Reset(x); err != nil || g.Counters().Failed != 0 {
			t.Errorf("%v", err)
		}
		_ = g.Drop(in)
		if c := g.Counters(); c != (Counters{}) {
			t.Errorf("%+v", c)
		}
	})
}

// listed are the rows of an input, each of weight 1.
type listed []uint32

func (l listed) Each(yield func(row uint32, weight int32)) {
	for _, row := range l {
		yield(row, 1)
	}
}
