package d2_test

import (
	"fmt"
	"strings"

	"millrace.dev/millrace/d2"
)

// decades maps years to decades, interned in a table.
type decades struct{ table *d2.Table }

func (m decades) Map(year uint32) uint32 { return m.table.Intern1(uint64(year) / 10 * 10) }

func (m decades) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		fmt.Printf("%+d of the %ds\n", d.Weight, m.table.Word(d.Row, 0))
	}
}

func (m decades) Fail(err error) { fmt.Println(err) }

// Years mapped to decades: rows that become equal are added up, and the table
// forgets a decade that nothing is of any more.
func ExampleMap() {
	m := decades{d2.NewTable(1)}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	node, _ := g.Add(d2.NewOwned(d2.NewMap(m), m.table), in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: m}), node)

	_ = g.Push(in, 0, []d2.Diff{{Row: 1984, Weight: 1}, {Row: 1989, Weight: 1}, {Row: 1991, Weight: 1}})
	_, _ = g.Run()
	fmt.Println(m.table.Len(), "rows")
	_ = g.Push(in, 0, []d2.Diff{{Row: 1984, Weight: -1}, {Row: 1985, Weight: 1}, {Row: 1991, Weight: -1}})
	_, _ = g.Run()
	fmt.Println(m.table.Len(), "rows")
	// Output:
	// +2 of the 1980s
	// +1 of the 1990s
	// 2 rows
	// -1 of the 1990s
	// 1 rows
}

// words makes the words of lines, numbered as they are first met.
type words struct {
	lines []string
	names *[]string
}

func (w words) Each(line uint32, yield func(row uint32, weight int32)) {
	for _, word := range strings.Fields(w.lines[line]) {
		at := 0
		for at < len(*w.names) && (*w.names)[at] != word {
			at++
		}
		if at == len(*w.names) {
			*w.names = append(*w.names, word)
		}
		yield(uint32(at), 1)
	}
}

func (w words) Receive(r *d2.Result) { tellRows(*w.names).Receive(r) }

func (w words) Fail(err error) { fmt.Println(err) }

// The words of lines, each as often as it is there.
func ExampleFlatMap() {
	w := words{[]string{"to be or not to be", "not to worry"}, &[]string{}}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	node, _ := g.Add(d2.NewFlatMap(w), in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: w}), node)
	_ = g.Push(in, 0, []d2.Diff{{Row: 0, Weight: 1}})
	_, _ = g.Run()
	fmt.Println("another line")
	_ = g.Push(in, 0, []d2.Diff{{Row: 0, Weight: -1}, {Row: 1, Weight: 1}})
	_, _ = g.Run()
	// Output:
	// +2 to
	// +2 be
	// +1 or
	// +1 not
	// another line
	// -1 to
	// -2 be
	// -1 or
	// +1 worry
}
