package d2

import (
	"testing"
)

// adder moves every row by a constant, modulo 2³².
type adder struct{ by int32 }

func (adder) Name() string { return "map" }
func (adder) Ports() int   { return 1 }

func (a adder) Apply(v *Visit, out *Out) error {
	for _, d := range v.In(0) {
		out.Emit(d.Row+uint32(a.by), d.Weight)
	}
	return nil
}

// sieve keeps rows of one remainder, all but one, or those above.
type sieve struct{ of, is, not, above uint32 }

func (sieve) Name() string { return "filter" }
func (sieve) Ports() int   { return 1 }

func (s sieve) Apply(v *Visit, out *Out) error {
	for _, d := range v.In(0) {
		if s.of > 0 && d.Row%s.of != s.is || d.Row < s.above || s.not > 0 && d.Row == s.not {
			continue
		}
		out.Emit(d.Row, d.Weight)
	}
	return nil
}

type deaf struct{}

func (deaf) Receive(*Result) {}
func (deaf) Fail(error)      {}

// builtFrom returns a graph with its entries.
func builtFrom(t testing.TB, build func(b *Builder) []NodeID) (*Graph, []NodeID) {
	t.Helper()
	g := NewGraph()
	var ins []NodeID
	if err := g.Extend(func(b *Builder) { ins = build(b) }); err != nil {
		t.Fatal(err)
	}
	return g, ins
}

func output(b *Builder, in NodeID) NodeID { return b.Add(NewOutput(OutputSpec{Sink: deaf{}}), in) }

func chainOf(length int) func(*Builder) []NodeID {
	return func(b *Builder) []NodeID {
		in := b.Add(NewInput(nil))
		at := in
		for range length {
			at = b.Add(adder{1}, at)
		}
		output(b, at)
		return []NodeID{in}
	}
}

// ring is a loop of so many maps in which a row falls by 1 each time round.
func ring(b *Builder, length int) (in, body NodeID) {
	in = b.Add(NewInput(nil))
	variable := b.Add(NewConcat(), in)
	body = variable
	for range length {
		body = b.Add(adder{}, body)
	}
	above := b.Add(sieve{above: 1}, body)
	b.Feedback(b.Add(adder{-1}, above), variable, 0)
	return in, body
}

func loopsOf(count, length int) func(*Builder) []NodeID {
	return func(b *Builder) []NodeID {
		ins := []NodeID{}
		for range count {
			in, body := ring(b, length)
			output(b, body)
			ins = append(ins, in)
		}
		return ins
	}
}

// knotted loops are one component: what one of them makes reaches the next, but
// for a filter that nothing passes.
func knottedOf(count, length int) func(*Builder) []NodeID {
	return func(b *Builder) []NodeID {
		ins, bodies := []NodeID{}, []NodeID{}
		for range count {
			in, body := ring(b, length)
			output(b, body)
			ins, bodies = append(ins, in), append(bodies, body)
		}
		for i := range bodies {
			never := b.Add(sieve{above: 1 << 30}, bodies[i])
			b.Feedback(never, bodies[(i+1)%count]-NodeID(length), 0)
		}
		return ins
	}
}

func wideOf(branches int) func(*Builder) []NodeID {
	return func(b *Builder) []NodeID {
		all := b.Add(NewConcat())
		ins := []NodeID{}
		for range branches {
			in := b.Add(NewInput(nil))
			b.Connect(b.Add(adder{1}, b.Add(adder{1}, b.Add(sieve{above: 1}, in))), all, 0)
			ins = append(ins, in)
		}
		output(b, all)
		return ins
	}
}

func diamondsOf(count int) func(*Builder) []NodeID {
	return func(b *Builder) []NodeID {
		in := b.Add(NewInput(nil))
		at := b.Add(adder{}, in)
		for range count {
			even, odd := b.Add(sieve{of: 2, is: 0}, at), b.Add(sieve{of: 2, is: 1}, at)
			at = b.Add(NewConcat(), even)
			b.Connect(odd, at, 0)
		}
		output(b, at)
		return []NodeID{in}
	}
}

func TestScheduler_VisitsOnlyWhatHasSomethingToDo(t *testing.T) {
	three := []Diff{{3, 1}}
	for _, c := range []struct {
		name  string
		build func(*Builder) []NodeID
		batch []Diff
		want  int
	}{
		{"a chain of 10", chainOf(10), three, 11},
		{"a chain of 100", chainOf(100), three, 101},
		{"a chain of 1,000", chainOf(1000), three, 1001},
		{"a loop of 20, three times round", loopsOf(1, 20), three, 92},
		{"a loop beside 1,000 others", loopsOf(1001, 20), three, 92},
		{"a loop knotted with itself", knottedOf(1, 20), three, 92 + 4},
		{"a loop knotted with 1,000 others", knottedOf(1001, 20), three, 92 + 4},
		{"one of 10 branches", wideOf(10), three, 5},
		{"one of 1,000 branches", wideOf(1000), three, 5},
		{"one of 10,000 branches", wideOf(10000), three, 5},
		{"30 diamonds behind a map", diamondsOf(30), []Diff{{2, 1}, {3, 1}}, 92},
		{"a cancelled batch", chainOf(10), []Diff{{3, 1}, {3, -1}}, 0},
		{"a cancelled batch before a loop", loopsOf(3, 20), []Diff{{3, 1}, {4, 1}, {3, -1}, {4, -1}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, ins := builtFrom(t, c.build)
			back := make([]Diff, len(c.batch))
			for i, d := range c.batch {
				back[i] = Diff{d.Row, -d.Weight}
			}
			at := 0
			step := func() {
				in := ins[at%len(ins)]
				at += 7
				for _, batch := range [][]Diff{c.batch, back} {
					_ = g.Push(in, 0, batch)
					stats, err := g.Run()
					if err != nil || stats.Visits != c.want {
						t.Fatalf("%+v %v, want %d visits", stats, err, c.want)
					}
				}
			}
			for range len(ins) {
				step()
			}
			if n := testing.AllocsPerRun(20, step); n > 0 {
				t.Errorf("%v allocations in two runs", n)
			}
		})
	}
}

func TestScheduler_FeedbackThatCancelsEndsTheIteration(t *testing.T) {
	g, ins := builtFrom(t, func(b *Builder) []NodeID {
		in := b.Add(NewInput(nil))
		x := b.Add(NewConcat(), in)
		up := b.Add(adder{1}, x)
		down := b.Add(negative{}, up)
		b.Feedback(up, x, 0)
		b.Feedback(down, x, 0)
		return []NodeID{in}
	})
	_ = g.Push(ins[0], 0, []Diff{{1, 1}, {2, 5}})
	if stats, err := g.Run(); err != nil || stats.Visits != 3 || stats.MaxIteration != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// negative turns weights around.
type negative struct{}

func (negative) Name() string { return "negate" }
func (negative) Ports() int   { return 1 }

func (negative) Apply(v *Visit, out *Out) error {
	for _, d := range v.In(0) {
		out.Emit(d.Row, -d.Weight)
	}
	return nil
}

func TestScheduler_ATouchedNodeIsVisitedWithoutInput(t *testing.T) {
	g, ins := builtFrom(t, loopsOf(1, 2))
	for id := range NodeID(g.Counters().Nodes) {
		want := 1
		if id == ins[0] {
			want = 0
		}
		if err := g.Touch(id); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{want, 0} {
			if stats, err := g.Run(); err != nil || stats.Visits != want {
				t.Errorf("node %d: %+v, %v", id, stats, err)
			}
		}
	}
}

// Every operator is visited after all that can reach it, whatever the order of
// creation; a source that is read twice by one port counts twice.
func TestScheduler_AddsUpTwoEdgesFromOneNodeIntoOnePort(t *testing.T) {
	g, sink := NewGraph(), &collector{told: sack{}}
	in, _ := g.Add(NewInput(nil))
	twice, _ := g.Add(NewConcat(), in)
	err := g.Extend(func(b *Builder) {
		twice = b.Add(NewConcat())
		b.Connect(in, twice, 0)
		b.Connect(in, twice, 0)
		b.Add(NewOutput(OutputSpec{Sink: sink}), twice)
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = g.Push(in, 0, []Diff{{4, 1}})
	if _, err := g.Run(); err != nil || sink.told[4] != 2 {
		t.Errorf("%v, %v", sink.told, err)
	}
}

func BenchmarkScheduler(b *testing.B) {
	for _, c := range []struct {
		name  string
		build func(*Builder) []NodeID
	}{
		{"chain 10", chainOf(10)},
		{"chain 1000", chainOf(1000)},
		{"loop 20", loopsOf(1, 20)},
		{"loop 20 of 1001", loopsOf(1001, 20)},
		{"loop 20 knotted with 1000", knottedOf(1001, 20)},
		{"wide 10", wideOf(10)},
		{"wide 10000", wideOf(10000)},
		{"diamonds 30", diamondsOf(30)},
	} {
		b.Run(c.name, func(b *testing.B) {
			g, ins := builtFrom(b, c.build)
			at, visits := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				at += 7
				_ = g.Push(ins[at/2%len(ins)], 0, []Diff{{3, int32(1 - at%2*2)}})
				stats, _ := g.Run()
				visits += stats.Visits
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(visits), "ns/visit")
		})
	}
}
