package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// flights are connections between towns; a flight's number is its row.
type flights []struct{ from, to, hours uint64 }

// Key arranges flights by where they start.
func (f flights) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, f[row].from, true }

// journeys are rows of a town and the hours it takes to get there.
type journeys struct {
	table   *d2.Table
	flights flights
}

// Key arranges journeys by where they end.
func (j journeys) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 0, j.table.Word(row, 0), true
}

// Compare orders journeys by the hours they take.
func (j journeys) Compare(a, b uint32) int {
	return int(j.table.Word(a, 1)) - int(j.table.Word(b, 1))
}

// Project makes the journey that a flight prolongs another to.
func (j journeys) Project(journey, flight uint32) uint32 {
	return j.table.Intern2(j.flights[flight].to, j.table.Word(journey, 1)+j.flights[flight].hours)
}

func (j journeys) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		fmt.Printf("%+d town %d in %d hours\n", d.Weight, j.table.Word(d.Row, 0), j.table.Word(d.Row, 1))
	}
}

func (j journeys) Fail(err error) { fmt.Println(err) }

// The quickest journey to each town: the least of all journeys to it, each of
// which prolongs a quickest one by a flight. Towns 2 and 3 can be reached from
// one another, which keeps neither once there is no way to them from outside.
func ExampleReduce() {
	table := flights{{0, 1, 2}, {0, 2, 9}, {1, 2, 3}, {2, 3, 1}, {3, 2, 1}}
	j := journeys{d2.NewTable(2), table}

	g := d2.NewGraph()
	var start, air, quickest d2.NodeID
	_ = g.Extend(func(b *d2.Builder) {
		start, air = b.Add(d2.NewInput(nil)), b.Add(d2.NewInput(nil))
		departures := b.Add(d2.NewArrange(table), air)
		b.Iterate(start, func(all d2.NodeID) d2.NodeID {
			quickest = b.Add(d2.NewReduce(j, d2.LeastRow(j), nil), all)
			arrived := b.Add(d2.NewArrange(j), quickest)
			return b.Add(d2.NewJoin(d2.JoinSpec{Rows: j, Table: j.table}), arrived, departures)
		})
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: j}), quickest)
	})
	home := j.table.Intern2(0, 0)
	j.table.Ref(home)
	_ = g.Push(start, 0, []d2.Diff{{Row: home, Weight: 1}})
	for row := range table {
		_ = g.Push(air, 0, []d2.Diff{{Row: uint32(row), Weight: 1}})
	}
	_, _ = g.Run()
	for _, row := range []uint32{2, 1} {
		fmt.Printf("no more flights from %d to %d\n", table[row].from, table[row].to)
		_ = g.Push(air, 0, []d2.Diff{{Row: row, Weight: -1}})
		_, _ = g.Run()
	}
	// Unordered output:
	// +1 town 0 in 0 hours
	// +1 town 1 in 2 hours
	// +1 town 2 in 5 hours
	// +1 town 3 in 6 hours
	// no more flights from 1 to 2
	// -1 town 2 in 5 hours
	// -1 town 3 in 6 hours
	// +1 town 2 in 9 hours
	// +1 town 3 in 10 hours
	// no more flights from 0 to 2
	// -1 town 2 in 9 hours
	// -1 town 3 in 10 hours
}
