package main

import (
	"strings"

	"millrace.dev/millrace/d2"
	histories "millrace.dev/millrace/tests/workload"
)

// Where reading a window again costs less than stepping it: the time of push and
// run alone, the index being brought up to date outside of it.

// crossed are the histories it is measured with. Of both the next change may be
// passed over: the one after does not depend on it.
var crossed = []histories.Workload{histories.Uniform, histories.WorkQueue}

func crossovers() []workload {
	var list []workload
	for _, r := range []int{10_000, 100_000} {
		for _, limit := range []int{10, 50, 500} {
			for _, kind := range crossed {
				churn, _, _ := strings.Cut(kind.Name, ":")
				for _, size := range []int{1, 10, 100, 1000} {
					for _, how := range []strategy{windowed, reread, chosen, retained} {
						list = append(list, workload{
							Name: "crossover R=" + grouped(r) + " N=" + grouped(limit) + " " + churn +
								" B=" + grouped(size) + " " + strategyNames[how],
							Group: "crossover", Steps: true,
							build: func() *scene { return crossover(r, limit, kind, size, how) },
						})
					}
				}
			}
		}
	}
	return list
}

func crossover(n, limit int, kind histories.Workload, size int, how strategy) *scene {
	x := newArena(n, limit, kind, 5)
	t := x.t
	s := newScene(t.checksum)
	spec := d2.WindowSpec{Order: t, Keys: t, Limit: uint32(limit)}
	store := t.store(x.index)
	if how != retained {
		spec.Source, spec.Pins = must1(d2.NewPull(store, t)), t
	}
	window := must1(d2.NewWindow(spec))
	force(window, how)
	var in, shown d2.NodeID
	s.extend(func(b *d2.Builder) {
		in = b.Add(store)
		shown = b.Add(window, in)
		s.output(b, shown)
	})
	if how == retained {
		s.load(in, t)
	} else {
		must1(s.graph.LoadWindow(shown, nil))
	}
	s.held = func() (int, int) { return window.Retained(), window.Bytes() }

	batch := make([]d2.Change, 0, size)
	taken := newMarks(len(t.at))
	s.run = func() {
		batch = batch[:0]
		taken.clear()
		for len(batch) < size {
			// A batch has one change per key.
			if op := x.history.Next(x); taken.mark(op.Key) {
				batch = append(batch, x.play(op))
			}
		}
		began := wallNow()
		s.changes(in, batch)
		s.rest()
		s.step += wallNow() - began
		t.settle(batch)
	}
	return s
}

// marks is a set of numbers that is emptied at no cost.
type marks struct {
	at  []uint32
	now uint32
}

func newMarks(n int) *marks { return &marks{at: make([]uint32, n)} }

func (m *marks) clear() { m.now++ }

// mark adds a number, and tells whether it was not in.
func (m *marks) mark(i uint32) bool {
	fresh := m.at[i] != m.now
	m.at[i] = m.now
	return fresh
}
