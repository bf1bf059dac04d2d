package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// The names on a list that are not on another: the sum of the first and the
// second turned around.
func ExampleNegate() {
	g := d2.NewGraph()
	invited, _ := g.Add(d2.NewInput(nil))
	came, _ := g.Add(d2.NewInput(nil))
	_ = g.Extend(func(b *d2.Builder) {
		absent := b.Add(d2.NewConcat(), invited)
		b.Connect(b.Add(d2.NewNegate(), came), absent, 0)
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: tellRows{"Ada", "Grace", "Hedy"}}), absent)
	})
	_ = g.Push(invited, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}, {Row: 2, Weight: 1}})
	_ = g.Push(came, 0, []d2.Diff{{Row: 1, Weight: 1}})
	_, _ = g.Run()
	fmt.Println("then Hedy comes")
	_ = g.Push(came, 0, []d2.Diff{{Row: 2, Weight: 1}})
	_, _ = g.Run()
	// Output:
	// +1 Ada
	// +1 Hedy
	// then Hedy comes
	// -1 Hedy
}
