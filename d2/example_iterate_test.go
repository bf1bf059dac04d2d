package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// roads lead from one town to another; a row is the index of a road. A row of
// what is reached is a town.
type roads [][2]uint32

func (r roads) Key(road uint32) (class uint8, bits uint64, ok bool) {
	return 0, uint64(r[road][0]), true
}

// Project makes the row of a town that is reached and a road that leads on: the
// next town.
func (r roads) Project(_, road uint32) uint32 { return r[road][1] }

type town struct{}

func (town) Key(town uint32) (class uint8, bits uint64, ok bool) { return 0, uint64(town), true }

func (town) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		fmt.Printf("%+d town %d\n", d.Weight, d.Row)
	}
}

func (town) Fail(err error) { fmt.Println(err) }

// The towns that can be reached from a town: those it starts with, and those a
// road leads to from one that is reached. Towns 3 and 4 have roads to each other;
// when the road to them is closed, that does not keep them.
func ExampleBuilder_Iterate() {
	network := roads{{1, 2}, {2, 3}, {3, 4}, {4, 3}}
	g := d2.NewGraph()
	var starts, open d2.NodeID
	err := g.Extend(func(b *d2.Builder) {
		starts, open = b.Add(d2.NewInput(nil)), b.Add(d2.NewInput(nil))
		byStart := b.Add(d2.NewArrange(network), open)
		reached := b.Iterate(starts, func(x d2.NodeID) d2.NodeID {
			once := b.Add(d2.NewDistinct(), x)
			next := b.Add(d2.NewJoin(d2.JoinSpec{Rows: network}), b.Add(d2.NewArrange(town{}), once), byStart)
			return b.Add(d2.NewDistinct(), next)
		})
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: town{}}), b.Add(d2.NewDistinct(), reached))
	})
	if err != nil {
		fmt.Println(err)
	}

	_ = g.Push(starts, 0, []d2.Diff{{Row: 1, Weight: 1}})
	_ = g.Push(open, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}, {Row: 2, Weight: 1}, {Row: 3, Weight: 1}})
	stats, _ := g.Run()
	fmt.Println("at rest after iteration", stats.MaxIteration)

	_ = g.Push(open, 0, []d2.Diff{{Row: 1, Weight: -1}})
	_, _ = g.Run()
	fmt.Println("the road from 2 to 3 is closed")
	// Output:
	// +1 town 1
	// +1 town 2
	// +1 town 3
	// +1 town 4
	// at rest after iteration 3
	// -1 town 3
	// -1 town 4
	// the road from 2 to 3 is closed
}
