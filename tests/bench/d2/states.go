package main

import "millrace.dev/millrace/d2"

// Operators with state, each run replacing one row by another version of it.

const (
	joinRows    = 10_000
	joinFanOut  = 10
	reduceRows  = 10_000
	reduceGroup = 100
)

func states() []workload {
	list := []workload{
		{Name: "join, left row", Visits: 3, build: func() *scene { return joined(false) }},
		{Name: "join, right row of 10", Visits: 3, build: func() *scene { return joined(true) }},
		{Name: "reduce", Visits: 2, build: reduced},
	}
	for _, depth := range []int{2, 3} {
		list = append(list, workload{Name: title("exists, depth", depth), Cycle: 2, build: func() *scene { return chained(depth) }})
	}
	for i := range list {
		list[i].Group, list[i].Check = "state", 50
	}
	return list
}

// joined is the join of 10,000 rows with 10,000: ten left rows for each of the
// first thousand right ones. One row of a side gets another payload per run.
func joined(right bool) *scene {
	left, other := newRows(joinRows), newRows(joinRows)
	for k := range uint32(joinRows) {
		left.put(k, int64(k%(joinRows/joinFanOut)), k)
		other.put(k, 0, k)
	}
	join := d2.NewJoin(d2.JoinSpec{})
	pairs := join.Rows().(*d2.Pairs)
	s := newScene(func(row uint32) uint32 {
		l, r := pairs.Left(row), pairs.Right(row)
		return fold(left.checksum(l), other.checksum(r))
	})
	var lefts, others d2.NodeID
	s.extend(func(b *d2.Builder) {
		lefts, others = b.Add(d2.NewInput(nil)), b.Add(d2.NewInput(nil))
		byLeft := b.Add(d2.NewArrange(byA{left}), lefts)
		byRight := b.Add(d2.NewArrange(byKey{other}), others)
		s.output(b, b.Add(join, byLeft, byRight))
	})
	s.load(lefts, left)
	s.load(others, other)
	s.held = func() (int, int) { return join.Retained(), join.Bytes() + pairs.Table().Bytes() }

	table, to, below := left, lefts, uint32(joinRows)
	if right {
		table, to, below = other, others, joinRows/joinFanOut
	}
	pick := dice(1)
	batch := make([]d2.Change, 1)
	s.run = func() {
		key := pick.below(below)
		was := table.at[key]
		batch[0] = table.put(key, table.a[was], table.b[was]+1)
		s.changes(to, batch)
		s.rest()
		table.settle(batch)
	}
	return s
}

// reduced is count, sum, least and largest of a column over 10,000 rows in 100
// groups. One row gets another value per run.
func reduced() *scene {
	t := newRows(reduceRows)
	fill := dice(2)
	for k := range uint32(reduceRows) {
		t.put(k, int64(k%reduceGroup), fill.below(1_000_000))
	}
	column := columnB{t}
	extremes := d2.NewExtremes(column)
	group := d2.NewGroup(byA{t}, nil, d2.Count(), d2.Sum(column, nil), extremes.Min(), extremes.Max())
	s := newScene(func(row uint32) uint32 {
		_, key := group.Layout().Key(group.Home(), row)
		h := fold(0, uint32(key))
		for i := range 4 {
			_, bits := group.Layout().Result(group.Home(), row, i)
			h = fold(h, uint32(bits))
		}
		return h
	})
	var in d2.NodeID
	s.extend(func(b *d2.Builder) {
		in = b.Add(d2.NewInput(nil))
		s.output(b, b.Add(group, in))
	})
	s.load(in, t)
	s.held = func() (int, int) { return group.Retained(), group.Bytes() + group.Home().Bytes() }

	pick := dice(3)
	batch := make([]d2.Change, 1)
	s.run = func() {
		key := pick.below(reduceRows)
		batch[0] = t.put(key, int64(key%reduceGroup), pick.below(1_000_000))
		s.changes(in, batch)
		s.rest()
		t.settle(batch)
	}
	return s
}
