package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// Writers with their books, and those without: a writer stands alone until the
// first book comes, and again when the last one leaves.
func ExampleOuterJoin() {
	pairs := d2.NewPairs(nil, nil)
	l := newLibrary(d2.NewOuterJoin(d2.FullOuter, d2.JoinSpec{Rows: pairs}), pairs)
	l.run([]d2.Diff{{Row: 0, Weight: 1}}, []d2.Diff{{Row: 3, Weight: 1}})
	fmt.Println("the first book")
	l.run(nil, []d2.Diff{{Row: 1, Weight: 1}})
	fmt.Println("exchanged for another")
	l.run(nil, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: -1}})
	fmt.Println("taken away")
	l.run(nil, []d2.Diff{{Row: 0, Weight: -1}})
	// Output:
	// +1 Austen |
	// +1 | Beowulf
	// the first book
	// +1 Austen | Persuasion
	// -1 Austen |
	// exchanged for another
	// +1 Austen | Emma
	// -1 Austen | Persuasion
	// taken away
	// -1 Austen | Emma
	// +1 Austen |
}
