package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// ledger is a relation outside the graph: numbers, each once.
type ledger struct{ numbers []uint32 }

// Each tells what is in.
func (l *ledger) Each(yield func(row uint32, weight int32)) {
	for _, n := range l.numbers {
		yield(n, 1)
	}
}

// remainder passes the numbers that leave a remainder.
type remainder struct{ by, is uint32 }

func (r remainder) Select(rows, keep []uint32) ([]uint32, error) {
	for _, row := range rows {
		if row%r.by == r.is {
			keep = append(keep, row)
		}
	}
	return keep, nil
}

type tell string

func (t tell) Receive(r *d2.Result) {
	fmt.Print(string(t), ":")
	for _, d := range r.Diffs {
		fmt.Printf(" %+d×%d", d.Weight, d.Row)
	}
	if r.Fresh {
		fmt.Print(", the whole")
	}
	fmt.Println()
}

func (t tell) Fail(err error) { fmt.Println(err) }

// A second query is built over a graph that runs. It shares what it can with the
// first, is filled once, and goes without a trace.
func ExampleGraph_Extend() {
	book := &ledger{}
	g := d2.NewGraph()
	var in, even d2.NodeID
	_ = g.Extend(func(b *d2.Builder) {
		in = b.Add(d2.NewInput(book))
		even = b.Add(d2.NewFilter(remainder{2, 0}), in)
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: tell("even")}), even)
	})
	enter := func(n uint32) {
		book.numbers = append(book.numbers, n)
		_ = g.Push(in, 0, []d2.Diff{{Row: n, Weight: 1}})
		_, _ = g.Run()
	}
	enter(6)
	enter(7)

	var six d2.NodeID
	err := g.Extend(func(b *d2.Builder) {
		six = b.Add(d2.NewFilter(remainder{3, 0}), even)
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: tell("of six")}), six)
	})
	if err == nil {
		err = g.Hydrate(six)
	}
	fmt.Println(err)
	enter(12)

	// A build with a mistake in it changes nothing.
	err = g.Extend(func(b *d2.Builder) {
		b.Connect(b.Add(d2.NewConcat(), six), b.Add(d2.NewConcat()), 1)
	})
	fmt.Println(err)
	_ = g.Drop(six)
	fmt.Println(g.Counters().Nodes, "nodes")
	// Output:
	// even: +1×6
	// of six: +1×6, the whole
	// <nil>
	// even: +1×12
	// of six: +1×12
	// d2: the operator has no such port
	// 3 nodes
}
