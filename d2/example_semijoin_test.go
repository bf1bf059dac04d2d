package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// Writers of whom there is a book, and those of whom there is none. A second
// book changes nothing.
func ExampleSemijoin() {
	for _, op := range []*d2.Semijoin{d2.NewSemijoin(), d2.NewAntijoin()} {
		fmt.Println(op.Name())
		l := newLibrary(op, nil)
		l.run([]d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}}, []d2.Diff{{Row: 0, Weight: 1}})
		l.run(nil, []d2.Diff{{Row: 1, Weight: 1}})
		fmt.Println("Joyce gets a book, Austen loses both")
		l.run(nil, []d2.Diff{{Row: 2, Weight: 1}, {Row: 0, Weight: -1}, {Row: 1, Weight: -1}})
	}
	// Output:
	// semijoin
	// +1 Austen
	// Joyce gets a book, Austen loses both
	// -1 Austen
	// +1 Joyce
	// antijoin
	// +1 Joyce
	// Joyce gets a book, Austen loses both
	// +1 Austen
	// -1 Joyce
}
