package main

import (
	"millrace.dev/millrace/d2"
	histories "millrace.dev/millrace/tests/workload"
)

// refillRow is a line of the table of refills: what one distribution of changes
// costs a window with each of the cushions. All of it is counted, not timed.
type refillRow struct {
	Churn string       `json:"churn"`
	Limit int          `json:"limit"`
	Cells []refillCell `json:"cells"`
}

type refillCell struct {
	Refills float64 `json:"refills"` // per 1,000 changes
	Spare   float64 `json:"spare"`   // rows held beyond the limit, mean
}

const (
	refillRows    = 10_000
	refillChanges = 60_000
)

// refillCushions are the columns: nothing, a fifth of the limit, as much again,
// and what the controller makes of it.
func refillCushions(limit int) []d2.Cushion {
	return []d2.Cushion{
		{Fixed: true}, {Fixed: true, Start: uint32(limit / 5)}, {Fixed: true, Start: uint32(limit)}, {},
	}
}

func refillTable() []refillRow {
	var table []refillRow
	for _, limit := range []int{50, 500} {
		for _, kind := range histories.All() {
			row := refillRow{Churn: kind.Name, Limit: limit}
			for _, cushion := range refillCushions(limit) {
				row.Cells = append(row.Cells, countRefills(kind, limit, cushion))
			}
			table = append(table, row)
		}
	}
	return table
}

// countRefills runs a distribution one change per run.
func countRefills(kind histories.Workload, limit int, cushion d2.Cushion) refillCell {
	x := newArena(refillRows, limit, kind, 6)
	s := newScene(x.t.checksum)
	store := x.t.store(x.index)
	window := must1(d2.NewWindow(d2.WindowSpec{
		Order: x.t, Keys: x.t, Limit: uint32(limit), Cushion: cushion,
		Source: must1(d2.NewPull(store, x.t)), Pins: x.t,
	}))
	var in, shown d2.NodeID
	s.extend(func(b *d2.Builder) {
		in = b.Add(store)
		shown = b.Add(window, in)
		s.output(b, shown)
	})
	must1(s.graph.LoadWindow(shown, nil))
	batch := make([]d2.Change, 1)
	refills, spare := 0, 0
	for range refillChanges {
		batch[0] = x.next()
		s.changes(in, batch)
		s.rest()
		x.t.settle(batch)
		refills += s.graph.LastRun().Refills
		spare += window.Retained() - limit
	}
	return refillCell{
		Refills: float64(refills) * 1000 / refillChanges,
		Spare:   float64(spare) / refillChanges,
	}
}
