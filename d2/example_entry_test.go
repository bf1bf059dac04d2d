package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// long passes names of more than three letters.
type long []string

func (l long) Select(rows, keep []uint32) ([]uint32, error) {
	for _, row := range rows {
		if len(l[row]) > 3 {
			keep = append(keep, row)
		}
	}
	return keep, nil
}

// Names of more than three letters.
func ExampleFilter() {
	names := []string{"Ada", "Grace", "Barbara"}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	kept, _ := g.Add(d2.NewFilter(long(names)), in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: tellRows(names)}), kept)
	_ = g.Push(in, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}, {Row: 2, Weight: 1}})
	_, _ = g.Run()
	// Output:
	// +1 Grace
	// +1 Barbara
}

// all is a relation kept outside the graph.
type all []uint32

func (a all) Each(yield func(row uint32, weight int32)) {
	for _, row := range a {
		yield(row, 1)
	}
}

// A query that comes late gets what is there from the contents of the input.
func ExampleInput() {
	names := []string{"Ada", "Grace"}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(all{0, 1}))
	out, _ := g.Add(d2.NewOutput(d2.OutputSpec{Sink: tellRows(names)}), in)
	fmt.Println(g.Hydrate(out))
	// Output:
	// +1 Ada
	// +1 Grace
	// <nil>
}

// Consolidate adds up what came for a row: here two batches that cancel, and
// nothing passes it.
func ExampleConsolidate() {
	names := []string{"Ada", "Grace"}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	sum, _ := g.Add(d2.NewConsolidate(), in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: tellRows(names)}), sum)
	_ = g.Push(in, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 2}})
	_ = g.Push(in, 0, []d2.Diff{{Row: 0, Weight: -1}})
	_, _ = g.Run()
	// Output:
	// +2 Grace
}

// shelved is a store's rows, with an index by year that its owner keeps.
type shelved struct {
	year  []int
	index *d2.Ordered
}

func (s *shelved) Len() int { return len(s.year) }

func (s *shelved) Each(yield func(row uint32) bool) {
	for row := range s.year {
		if !yield(uint32(row)) {
			return
		}
	}
}

func (s *shelved) Compare(a, b uint32) int {
	if s.year[a] != s.year[b] {
		return s.year[a] - s.year[b]
	}
	return int(a) - int(b)
}

// The two oldest books, read in order from an index: the others are not looked at.
func ExampleStore() {
	books := &shelved{year: []int{1851, 1605, 1925, 1719}}
	books.index = d2.NewOrdered(books)
	for row := range books.year {
		books.index.Insert(uint32(row))
	}
	store := d2.NewStore(books)
	store.AddOrder(books, books.index)

	request := d2.Everything(books)
	request.Limit = 2
	var fetch d2.FetchCtx
	store.Fetch(&fetch, &request, func(row uint32) bool {
		fmt.Println(books.year[row])
		return true
	})
	fmt.Println(fetch.Scanned, "rows looked at")
	// Output:
	// 1605
	// 1719
	// 2 rows looked at
}

// initials interns the first letter of a name.
type initials struct {
	names []string
	table *d2.Table
}

func (i initials) Map(row uint32) uint32 { return i.table.Intern1(uint64(i.names[row][0])) }

// Rows that a mapper interns live as long as they are part of the output.
func ExampleOwned() {
	first := initials{[]string{"Ada", "Alan"}, d2.NewTable(1)}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	_, _ = g.Add(d2.NewOwned(d2.NewMap(first), first.table), in)
	for _, batch := range [][]d2.Diff{
		{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}}, {{Row: 0, Weight: -1}}, {{Row: 1, Weight: -1}},
	} {
		_ = g.Push(in, 0, batch)
		_, _ = g.Run()
		fmt.Println(first.table.Len(), "letters")
	}
	// Output:
	// 1 letters
	// 1 letters
	// 0 letters
}
