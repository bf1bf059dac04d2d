package main

import "millrace.dev/millrace/d2"

// The first fifty of a million rows, one row coming in or going per run.

const (
	topRows  = 1_000_000
	topLimit = 50
	// gap is the room between the values of neighbours.
	gap = 1 << 10
	// floor is the least of them.
	floor = 1 << 30
)

func tops() []workload {
	var list []workload
	for _, retain := range []bool{false, true} {
		name := "top 50 of 1,000,000"
		if retain {
			name += " retained"
		}
		for _, near := range []bool{true, false} {
			place := ", anywhere"
			if near {
				place = ", near the top"
			}
			list = append(list, workload{
				Name: name + place, Cycle: 2, Check: 101,
				build: func() *scene { return top(topRows, topLimit, retain, near) },
			})
		}
	}
	list = append(list, workload{
		Name: "top 50 of 1,000,000, hydrate", Builds: true,
		build: func() *scene { return hydration(topRows, 1, topLimit, windowed) },
	})
	for i := range list {
		list[i].Group = "top"
	}
	return list
}

// spaced is a table of n rows whose order is that of their keys, with a share
// of one in every so many marked in b. Further keys are left unused.
func spaced(n, spare, every int) *rows {
	t := newRows(n + spare)
	for k := range uint32(n) {
		mark := uint32(0)
		if k%uint32(every) == 0 {
			mark = 1
		}
		t.put(k, int64(floor+k*gap), mark)
	}
	return t
}

// top is a window over a table and the index of it, which every run brings up to
// date first; or, retained, a window that holds every row and needs no index.
func top(n, limit int, retain, near bool) *scene {
	t := spaced(n, 1, 1)
	s := newScene(t.checksum)
	var index *d2.Ordered
	spec := d2.WindowSpec{Order: t, Keys: t, Limit: uint32(limit)}
	if !retain {
		index = t.sorted()
	}
	store := t.store(index)
	if !retain {
		spec.Source, spec.Pins = must1(d2.NewPull(store, t)), t
	}
	window := must1(d2.NewWindow(spec))
	var in, shown d2.NodeID
	s.extend(func(b *d2.Builder) {
		in = b.Add(store)
		shown = b.Add(window, in)
		s.output(b, shown)
	})
	if retain {
		s.load(in, t)
	} else {
		must1(s.graph.LoadWindow(shown, nil))
	}
	s.held = func() (int, int) { return window.Retained(), window.Bytes() }

	within := uint32(n)
	if near {
		within = uint32(limit)
	}
	pick := dice(4)
	extra := uint32(n)
	batch := make([]d2.Change, 1)
	s.run = func() {
		if t.at[extra] == d2.None {
			batch[0] = t.put(extra, int64(floor+pick.below(within)*gap+1), 1)
		} else {
			batch[0] = t.del(extra)
		}
		if index != nil {
			follow(index, batch[0])
		}
		s.changes(in, batch)
		s.rest()
		t.settle(batch)
	}
	return s
}
