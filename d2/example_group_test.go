package d2_test

import (
	"fmt"
	"math"

	"millrace.dev/millrace/d2"
)

// sales are versions of sales; a version's number is its row. A price below 0
// is not known.
type sales []struct {
	shop  uint64
	price float64
}

// Key groups sales by shop.
func (s sales) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, s[row].shop, true }

// Number is the price, if it is known.
func (s sales) Number(row uint32) d2.Number {
	if s.Null(row) {
		return d2.Number{}
	}
	return d2.Number{Kind: d2.NumberFloat, Bits: math.Float64bits(s[row].price)}
}

// Null, Compare and Value give the prices an order.
func (s sales) Null(row uint32) bool { return s[row].price < 0 }

func (s sales) Compare(a, b uint32) int {
	switch x, y := s[a].price, s[b].price; {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (s sales) Value(row uint32) (class uint8, bits uint64) {
	return d2.ResultFloat, math.Float64bits(s[row].price)
}

// tellGroups prints what comes out of a group operator.
type tellGroups struct{ group *d2.Group }

func (p tellGroups) Receive(r *d2.Result) {
	layout, home := p.group.Layout(), p.group.Home()
	for _, d := range r.Diffs {
		_, shop := layout.Key(home, d.Row)
		fmt.Printf("%+d shop %d:", d.Weight, shop)
		for i := range layout.Results {
			switch class, bits := layout.Result(home, d.Row, i); class {
			case d2.ResultNull:
				fmt.Print(" null")
			case d2.ResultInt:
				fmt.Print(" ", int64(bits))
			case d2.ResultFloat:
				fmt.Print(" ", math.Float64frombits(bits))
			}
		}
		fmt.Println()
	}
}

func (p tellGroups) Fail(err error) { fmt.Println(err) }

// The number of sales of each shop, the sum of their prices and the highest of
// them. A large sale that is cancelled leaves no trace in the sum; the second
// of two sales at the highest price leaves without anything to tell but the
// number and the sum.
func ExampleGroup() {
	table := sales{{1, 0.1}, {1, 0.2}, {1, 1e16}, {2, 5}, {2, 5}, {2, -1}}
	group := d2.NewGroup(table, nil, d2.Count(), d2.Sum(table, nil), d2.Max(table))

	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	node, _ := g.Add(group, in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: tellGroups{group}}), node)
	run := func(batch ...d2.Diff) {
		_ = g.Push(in, 0, batch)
		_, _ = g.Run()
		fmt.Println("--", group.Groups(), "groups")
	}
	run(d2.Diff{Row: 0, Weight: 1}, d2.Diff{Row: 1, Weight: 1}, d2.Diff{Row: 2, Weight: 1},
		d2.Diff{Row: 3, Weight: 1}, d2.Diff{Row: 4, Weight: 1}, d2.Diff{Row: 5, Weight: 1})
	run(d2.Diff{Row: 2, Weight: -1})
	run(d2.Diff{Row: 3, Weight: -1})
	run(d2.Diff{Row: 4, Weight: -1}) // of shop 2 only the sale without a price is left
	run(d2.Diff{Row: 5, Weight: -1})

	// Output:
	// +1 shop 1: 3 1e+16 1e+16
	// +1 shop 2: 3 10 5
	// -- 2 groups
	// -1 shop 1: 3 1e+16 1e+16
	// +1 shop 1: 2 0.30000000000000004 0.2
	// -- 2 groups
	// -1 shop 2: 3 10 5
	// +1 shop 2: 2 5 5
	// -- 2 groups
	// -1 shop 2: 2 5 5
	// +1 shop 2: 1 null null
	// -- 2 groups
	// -1 shop 2: 1 null null
	// -- 1 groups
}
