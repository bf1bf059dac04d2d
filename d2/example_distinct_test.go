package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// tellRows prints rows by name.
type tellRows []string

func (p tellRows) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		fmt.Printf("%+d %s\n", d.Weight, p[d.Row])
	}
}

func (p tellRows) Fail(err error) { fmt.Println(err) }

// A tag is there as long as something bears it.
func ExampleDistinct() {
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	tags, _ := g.Add(d2.NewDistinct(), in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: tellRows{"red", "green"}}), tags)
	for _, d := range []d2.Diff{{Row: 0, Weight: 1}, {Row: 0, Weight: 2}, {Row: 1, Weight: 1}, {Row: 0, Weight: -2}, {Row: 0, Weight: -1}} {
		_ = g.Push(in, 0, []d2.Diff{d})
		stats, _ := g.Run()
		fmt.Println(stats.Visits, "visits")
	}
	// Output:
	// +1 red
	// 2 visits
	// 1 visits
	// +1 green
	// 2 visits
	// 1 visits
	// -1 red
	// 2 visits
}
