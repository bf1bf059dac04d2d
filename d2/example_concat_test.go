package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// What two lists hold together. A name that goes from one to the other in one
// run has not moved at all for who looks at both.
func ExampleConcat() {
	g := d2.NewGraph()
	first, _ := g.Add(d2.NewInput(nil))
	second, _ := g.Add(d2.NewInput(nil))
	var both d2.NodeID
	_ = g.Extend(func(b *d2.Builder) {
		both = b.Add(d2.NewConcat(), first)
		b.Connect(second, both, 0)
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: tellRows{"Ada", "Grace"}}), both)
	})
	_ = g.Push(first, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}})
	_ = g.Push(second, 0, []d2.Diff{{Row: 1, Weight: 1}})
	_, _ = g.Run()
	_ = g.Push(first, 0, []d2.Diff{{Row: 0, Weight: -1}})
	_ = g.Push(second, 0, []d2.Diff{{Row: 0, Weight: 1}})
	stats, _ := g.Run()
	fmt.Println(stats.Visits, "visits")
	// Output:
	// +1 Ada
	// +2 Grace
	// 0 visits
}
