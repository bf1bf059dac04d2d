package main

import "millrace.dev/millrace/d2"

// Shapes of graphs over rows that are bare numbers: what a visit costs when the
// operator does next to nothing.

// above passes the rows greater than a bound.
type above uint32

func (p above) Select(slots, keep []uint32) ([]uint32, error) {
	for _, s := range slots {
		if s > uint32(p) {
			keep = append(keep, s)
		}
	}
	return keep, nil
}

// parity passes the rows whose last bit is as wanted.
type parity uint32

func (p parity) Select(slots, keep []uint32) ([]uint32, error) {
	for _, s := range slots {
		if s&1 == uint32(p) {
			keep = append(keep, s)
		}
	}
	return keep, nil
}

func flows() []workload {
	var list []workload
	for _, l := range []int{10, 100, 1000} {
		list = append(list, workload{Name: title("chain", l), Visits: l + 1, build: func() *scene { return chain(l) }})
	}
	list = append(list, workload{Name: "loop 20", Visits: 92, build: func() *scene { return loops(20, 0) }})
	for _, b := range []int{10, 1000, 10000} {
		list = append(list, workload{Name: title("wide", b), Visits: 5, Cycle: b, build: func() *scene { return wide(b) }})
	}
	list = append(list,
		workload{Name: "loop 20 beside 1,000 idle", Visits: 92, build: func() *scene { return loops(20, 1000) }},
		workload{Name: "diamonds 30", Visits: 92, build: func() *scene { return diamonds(30) }},
	)
	for i := range list {
		list[i].Group, list[i].Check = "flow", 50
	}
	return list
}

// chain is a row of maps and a sink; one run is one more copy of the row 3.
func chain(length int) *scene {
	s := newScene(one)
	var in d2.NodeID
	s.extend(func(b *d2.Builder) {
		in = b.Add(d2.NewInput(nil))
		n := in
		for range length {
			n = b.Add(d2.NewMap(plus(1)), n)
		}
		s.output(b, n)
	})
	batch := []d2.Diff{{Row: 3, Weight: 1}}
	s.run = func() {
		s.push(in, batch)
		s.rest()
	}
	return s
}

// loops is a cycle of a union, maps, a filter and a last map that counts down,
// with a sink behind the maps, and idle ones beside it. The row 3 goes round
// three times and ends there.
func loops(length, idle int) *scene {
	s := newScene(one)
	var in d2.NodeID
	s.extend(func(b *d2.Builder) {
		for i := range 1 + idle {
			base := b.Add(d2.NewInput(nil))
			if i == idle/2 {
				in = base
			}
			b.Iterate(base, func(x d2.NodeID) d2.NodeID {
				for range length {
					x = b.Add(d2.NewMap(plus(0)), x)
				}
				s.output(b, x)
				x = b.Add(d2.NewFilter(above(0)), x)
				return b.Add(d2.NewMap(minus(1)), x)
			})
		}
	})
	batch := []d2.Diff{{Row: 3, Weight: 1}}
	s.run = func() {
		s.push(in, batch)
		s.rest()
	}
	return s
}

// wide is many branches of a filter and two maps that end in one union and one
// sink; each run reaches one branch, the next run the next.
func wide(branches int) *scene {
	s := newScene(one)
	in := make([]d2.NodeID, branches)
	s.extend(func(b *d2.Builder) {
		for i := range in {
			in[i] = b.Add(d2.NewInput(nil))
		}
		ends := make([]d2.NodeID, branches)
		for i := range ends {
			n := b.Add(d2.NewFilter(above(0)), in[i])
			n = b.Add(d2.NewMap(plus(1)), n)
			ends[i] = b.Add(d2.NewMap(double{}), n)
		}
		union := b.Add(d2.NewConcat())
		for _, n := range ends {
			b.Connect(n, union, 0)
		}
		s.output(b, union)
	})
	batch := []d2.Diff{{Row: 3, Weight: 1}}
	next := 0
	s.run = func() {
		s.push(in[next], batch)
		if next++; next == branches {
			next = 0
		}
		s.rest()
	}
	return s
}

// diamonds is a map and a sink, and between them a fork into even and odd that
// ends in a union, over and over. A run that followed each way by itself would
// make 2^count visits.
func diamonds(count int) *scene {
	s := newScene(one)
	var in d2.NodeID
	s.extend(func(b *d2.Builder) {
		in = b.Add(d2.NewInput(nil))
		n := b.Add(d2.NewMap(plus(0)), in)
		for range count {
			even, odd := b.Add(d2.NewFilter(parity(0)), n), b.Add(d2.NewFilter(parity(1)), n)
			n = b.Add(d2.NewConcat(), even)
			b.Connect(odd, n, 0)
		}
		s.output(b, n)
	})
	batch := []d2.Diff{{Row: 3, Weight: 1}, {Row: 4, Weight: 1}}
	s.run = func() {
		s.push(in, batch)
		s.rest()
	}
	return s
}
