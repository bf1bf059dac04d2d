package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// library is a graph of writers and books that prints what an operator over
// both, arranged by writer, puts out.
type library struct {
	writers writers
	books   books
	graph   *d2.Graph
	inputs  [2]d2.NodeID
	pairs   *d2.Pairs // nil if the rows are writers
}

// newLibrary builds op over writers and books. The projection of a join has to
// be the library's pairs.
func newLibrary(op d2.Operator, pairs *d2.Pairs) *library {
	l := &library{
		writers: writers{{1, "Austen"}, {2, "Joyce"}, {1, "Jane Austen"}},
		books:   books{{"Emma", 1}, {"Persuasion", 1}, {"Ulysses", 2}, {"Beowulf", 0}},
		graph:   d2.NewGraph(),
		pairs:   pairs,
	}
	if err := l.graph.Extend(func(b *d2.Builder) {
		l.inputs = [2]d2.NodeID{b.Add(d2.NewInput(nil)), b.Add(d2.NewInput(nil))}
		node := b.Add(op,
			b.Add(d2.NewArrange(l.writers), l.inputs[0]),
			b.Add(d2.NewArrange(l.books), l.inputs[1]))
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: l}), node)
	}); err != nil {
		fmt.Println(err)
	}
	return l
}

func (l *library) run(writers, books []d2.Diff) {
	l.graph.Push(l.inputs[0], 0, writers)
	l.graph.Push(l.inputs[1], 0, books)
	l.graph.Run()
}

// Receive prints a batch.
func (l *library) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		writer, book := d.Row, d2.None
		if l.pairs != nil {
			writer, book = l.pairs.Left(d.Row), l.pairs.Right(d.Row)
		}
		fmt.Printf("%+d", d.Weight)
		if writer != d2.None {
			fmt.Print(" ", l.writers[writer].name)
		}
		if l.pairs != nil {
			fmt.Print(" |")
		}
		if book != d2.None {
			fmt.Print(" ", l.books[book].title)
		}
		fmt.Println()
	}
}

func (l *library) Fail(err error) { fmt.Println(err) }

// Writers with their books. A book nobody is known to have written matches no
// writer; when a writer gets another name, the matches are replaced.
func ExampleJoin() {
	pairs := d2.NewPairs(nil, nil)
	l := newLibrary(d2.NewJoin(d2.JoinSpec{Rows: pairs}), pairs)
	l.run([]d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}}, []d2.Diff{{Row: 0, Weight: 1}, {Row: 3, Weight: 1}})
	fmt.Println("a new name")
	l.run([]d2.Diff{{Row: 0, Weight: -1}, {Row: 2, Weight: 1}}, nil)
	fmt.Println(pairs.Table().Len(), "pair is interned")
	// Output:
	// +1 Austen | Emma
	// a new name
	// -1 Austen | Emma
	// +1 Jane Austen | Emma
	// 1 pair is interned
}
