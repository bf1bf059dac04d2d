package main

import "millrace.dev/millrace/d2"

// What it costs to fill a window for the first time.

// strategy is a way to keep a window.
type strategy uint8

const (
	windowed strategy = iota // hold a prefix, step by step
	reread                   // hold a prefix, read it again on every batch
	chosen                   // hold a prefix, by whichever is expected to cost less
	retained                 // hold everything, filled from the index
	pushed                   // hold everything, filled by pushing the rows
)

var strategyNames = [...]string{"windowed", "re-read", "chosen", "retained", "pushed"}

func hydrations() []workload {
	var list []workload
	for _, r := range []int{100_000, 1_000_000} {
		for _, every := range []int{1, 10, 100} {
			for _, limit := range []int{50, 1000} {
				for _, how := range []strategy{windowed, retained, pushed} {
					list = append(list, workload{
						Name:  "hydrate R=" + grouped(r) + " 1/" + grouped(every) + " N=" + grouped(limit) + " " + strategyNames[how],
						Group: "hydrate", Builds: true,
						build: func() *scene { return hydration(r, every, limit, how) },
					})
				}
			}
		}
	}
	return list
}

// marked passes the rows of a table that are marked.
type marked struct{ *rows }

func (m marked) Select(slots, keep []uint32) ([]uint32, error) {
	for _, s := range slots {
		if m.b[s] != 0 {
			keep = append(keep, s)
		}
	}
	return keep, nil
}

// hydration is a table with its index, a filter that one row in so many passes,
// and nothing else; a run adds a window to it, fills it and takes it off again.
func hydration(n, every, limit int, how strategy) *scene {
	t := spaced(n, 0, every)
	s := newScene(t.checksum)
	var index *d2.Ordered
	if how != pushed {
		index = t.sorted()
	}
	var above d2.Fetchable = t.store(index)
	at := must1(s.graph.Add(above))
	if every > 1 {
		above = d2.NewFilter(marked{t})
		at = must1(s.graph.Add(above, at))
	}
	spec := d2.WindowSpec{Order: t, Keys: t, Limit: uint32(limit)}
	if how != pushed {
		spec.Source, spec.Pins, spec.Retain = must1(d2.NewPull(above, t)), t, how == retained
	}
	var rows, bytes int
	s.held = func() (int, int) { return rows, bytes }
	s.run = func() {
		window := must1(d2.NewWindow(spec))
		node := must1(s.graph.Add(window, at))
		if how == pushed {
			must(s.graph.Hydrate(node))
		} else {
			must1(s.graph.LoadWindow(node, nil))
		}
		rows, bytes = window.Retained(), window.Bytes()
		must(s.graph.Release(node))
	}
	return s
}
