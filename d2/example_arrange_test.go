package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// writers are versions of writers; a version's number is its row.
type writers []struct {
	id   uint64
	name string
}

// Key arranges writers by id.
func (w writers) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, w[row].id, true }

// books are versions of books; writer is 0 if nobody knows who wrote it.
type books []struct {
	title  string
	writer uint64
}

// Key arranges books by writer.
func (b books) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 0, b[row].writer, b[row].writer != 0
}

// Books arranged by writer: the arrangement is brought up to date by the run
// and can be searched after it.
func ExampleArrange() {
	table := books{{"Emma", 1}, {"Persuasion", 1}, {"Ulysses", 2}, {"Beowulf", 0}}
	arrange := d2.NewArrange(table)

	g := d2.NewGraph()
	input, _ := g.Add(d2.NewInput(nil))
	g.Add(arrange, input)
	g.Push(input, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}, {Row: 2, Weight: 1}, {Row: 3, Weight: 1}})
	g.Run()
	g.Push(input, 0, []d2.Diff{{Row: 0, Weight: -1}})
	g.Run()

	by := arrange.Arrangement()
	for e := by.First(0, 1); e != d2.None; e = by.Next(e) {
		row, _, weight := by.Entry(e)
		fmt.Println(table[row].title, weight)
	}
	fmt.Println(by.Len(), "rows,", by.Weight(0, 2), "by writer 2")
	// Output:
	// Persuasion 1
	// 3 rows, 1 by writer 2
}
