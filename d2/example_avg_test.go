package d2_test

import (
	"fmt"
	"math"

	"millrace.dev/millrace/d2"
)

// grades are graded pieces of work: whose, and how well; below 0: not graded yet.
type grades struct {
	pupil []uint64
	mark  []float64
}

func (m *grades) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, m.pupil[row], true }

func (m *grades) Number(row uint32) d2.Number {
	if m.mark[row] < 0 {
		return d2.Number{Kind: d2.NumberNull}
	}
	return d2.Number{Kind: d2.NumberFloat, Bits: math.Float64bits(m.mark[row])}
}

// The average mark of a pupil leaves out what is not graded.
func ExampleNewAvg() {
	work := &grades{pupil: []uint64{7, 7, 7, 7}, mark: []float64{2, 5, -1, 3}}
	average := d2.NewAvg(work, nil, work)
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	node, _ := g.Add(average, in)
	for _, batch := range [][]d2.Diff{
		{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}, {Row: 2, Weight: 1}, {Row: 3, Weight: 2}}, {{Row: 1, Weight: -1}},
	} {
		_ = g.Push(in, 0, batch)
		_, _ = g.Run()
		rows, _ := g.Snapshot(node)
		_, bits := average.Layout().Result(average.Home(), rows[0].Row, 0)
		fmt.Printf("%.2f\n", math.Float64frombits(bits))
	}
	// Output:
	// 3.25
	// 2.67
}
