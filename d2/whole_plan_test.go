package d2_test

import (
	"fmt"
	"maps"

	"millrace.dev/millrace/d2"
)

// The operators a plan may have, each with its definition.

// bag is what a relation should be now; each is computed once per step.
func (w *whole) bag(r *rel) bag {
	if r.stamp != w.step || r.memo == nil {
		r.memo, r.stamp = r.want(), w.step
	}
	return r.memo
}

// extend builds in the extension under way, or in one of its own.
func (w *whole) extend(build func(b *d2.Builder)) {
	if w.b != nil {
		build(w.b)
	} else if err := w.g.Extend(build); err != nil {
		w.t.Fatal(err)
	}
}

// build adds a node.
func (w *whole) build(r rel, op d2.Operator, ins ...*rel) *rel {
	nodes := make([]d2.NodeID, len(ins))
	r.size = 1
	for i, in := range ins {
		nodes[i] = in.node
		r.size = max(r.size, 1+in.size)
	}
	w.extend(func(b *d2.Builder) { r.node, r.op = b.Add(op, nodes...), op })
	if r.lens == nil {
		r.lens, r.hold = ins[0].lens, ins[0].hold
	}
	if r.most == 0 {
		r.most = ins[0].most
	}
	r.name = op.Name() + "("
	for _, in := range ins {
		r.name += in.name + " "
	}
	r.name += ")"
	r.held = w.hold(r.node)
	w.q.rels = append(w.q.rels, &r)
	return &r
}

// arrange shares an arrangement.
func (w *whole) arrange(r *rel, col int) *rel {
	var node d2.NodeID
	w.extend(func(b *d2.Builder) { node = b.Arrange(r.node, column{r.lens, w.fuse, col}) })
	a := *r
	a.held, a.op = w.hold(node), w.g.Operator(node)
	return &a
}

func (w *whole) remade(in *rel) *rel {
	f := remake{in.lens, w.made, w.int(3, "turn")}
	return w.build(rel{lens: w.made, hold: w.made.rows, want: func() bag {
		out := bag{}
		for x, n := range w.bag(in) {
			out.add(fact{"m", -1, f.columns(x.c)}, n)
		}
		return out
	}}, d2.NewOwned(d2.NewMap(f), w.made.rows), in)
}

func (w *whole) spread(in *rel) *rel {
	f := spread{in.lens, w.made}
	return w.build(rel{lens: w.made, hold: w.made.rows, most: 3 * in.most, want: func() bag {
		out := bag{}
		for x, n := range w.bag(in) {
			f.columns(x.c, func(c [3]int, weight int32) { out.add(fact{"m", -1, c}, n*int(weight)) })
		}
		return out
	}}, d2.NewOwned(d2.NewFlatMap(f), w.made.rows), in)
}

func (w *whole) filtered(in *rel) *rel {
	p := test{in.lens, w.fuse, w.int(2, "column"), w.int(4, "test")}
	return w.build(rel{set: in.set, want: func() bag {
		out := bag{}
		for x, n := range w.bag(in) {
			if p.holds(x) {
				out[x] = n
			}
		}
		return out
	}}, d2.NewFilter(p), in)
}

func (w *whole) joined(left, right *rel) *rel {
	i, j := w.int(1, "left key"), w.int(1, "right key")
	kind := w.int(3, "outer")
	pairs := d2.NewPairs(left.hold, right.hold)
	w.homes = append(w.homes, pairs.Table())
	spec := d2.JoinSpec{Rows: pairs}
	var op d2.Operator = d2.NewJoin(spec)
	if kind > 0 {
		op = d2.NewOuterJoin(d2.Outer(kind), spec)
	}
	want := func() bag {
		out := bag{}
		seen := bag{}
		for l, n := range w.bag(left) {
			alone := true
			for r, m := range w.bag(right) {
				if l.c[i] != null && l.c[i] == r.c[j] {
					alone = false
					seen[r] = 1
					out.add(couple(&l, &r, false), n*m)
				}
			}
			if alone && kind&1 != 0 {
				out.add(couple(&l, nil, false), n)
			}
		}
		for r, m := range w.bag(right) {
			if seen[r] == 0 && kind&2 != 0 {
				out.add(couple(nil, &r, false), m)
			}
		}
		return out
	}
	return w.build(rel{
		lens: coupled{pairs, left.lens, right.lens, false}, hold: pairs, set: left.set && right.set,
		most: left.most + right.most + left.most*right.most/2, want: want,
	}, op, w.arrange(left, i), w.arrange(right, j))
}

func (w *whole) semijoined(left, right *rel) *rel {
	i, j := w.int(1, "left key"), w.int(1, "right key")
	op, anti := d2.NewSemijoin(), w.one("anti")
	if anti {
		op = d2.NewAntijoin()
	}
	return w.build(rel{set: left.set, want: func() bag { return semi(w.bag(left), w.bag(right), i, j, anti) }},
		op, w.arrange(left, i), w.arrange(right, j))
}

func semi(left, right bag, i, j int, anti bool) bag {
	out := bag{}
	for l, n := range left {
		found := false
		for r := range right {
			found = found || l.c[i] != null && l.c[i] == r.c[j]
		}
		if found != anti {
			out[l] = n
		}
	}
	return out
}

func (w *whole) grouped(in *rel) *rel {
	key, col := w.int(2, "group key"), w.int(2, "folded")
	m := measure{in.lens, w.fuse, col}
	layout := d2.GroupLayout{Results: 5}
	var home *d2.Table
	sums, ends := d2.NewSums(m, nil), d2.NewExtremes(m)
	op := d2.NewGroup(column{in.lens, w.fuse, key}, home, d2.Count(), sums.Sum(), sums.Avg(), ends.Min(), ends.Max())
	w.homes = append(w.homes, op.Home())
	return w.build(rel{
		lens: folded{op.Home(), layout}, hold: op.Home(), set: true,
		want: func() bag { return foldAll(w.bag(in), key, col) },
	}, op, in)
}

func (w *whole) distinct(in *rel) *rel {
	return w.build(rel{set: true, want: func() bag {
		out := bag{}
		for x := range w.bag(in) {
			out[x] = 1
		}
		return out
	}}, d2.NewDistinct(), in)
}

func (w *whole) added(a, b *rel) *rel {
	a, b = w.remade(a), w.remade(b)
	sum := w.build(rel{most: a.most + b.most, want: func() bag {
		out := maps.Clone(w.bag(a))
		for x, n := range w.bag(b) {
			out.add(x, n)
		}
		return out
	}}, d2.NewConcat(), a)
	w.b.Connect(b.node, sum.node, 0)
	return sum
}

func (w *whole) less(a *rel) *rel {
	part := w.filtered(a)
	minus := w.build(rel{want: func() bag {
		out := bag{}
		for x, n := range w.bag(part) {
			out[x] = -n
		}
		return out
	}}, d2.NewNegate(), part)
	diff := w.build(rel{set: a.set, want: func() bag {
		out := maps.Clone(w.bag(a))
		for x, n := range w.bag(part) {
			out.add(x, -n)
		}
		return out
	}}, d2.NewConcat(), a)
	w.b.Connect(minus.node, diff.node, 0)
	return diff
}

func (w *whole) reduced(in *rel) *rel {
	key := w.int(2, "key")
	keyer := column{in.lens, w.fuse, key}
	if w.one("least") {
		o := sorting{in.lens, w.fuse, w.int(2, "column"), w.one("desc")}
		return w.build(rel{set: true, want: func() bag {
			out, done := bag{}, map[int]bool{}
			for _, x := range o.list(w.bag(in)) {
				if k := x.c[key]; k != null && !done[k] {
					out[x], done[k] = 1, true
				}
			}
			return out
		}}, d2.NewReduce(keyer, d2.LeastRow(o), nil), in)
	}
	layout := d2.GroupLayout{Results: 1}
	home := d2.NewTable(layout.Width())
	w.homes = append(w.homes, home)
	return w.build(rel{lens: folded{home, layout}, hold: home, set: true, want: func() bag {
		out, counts := bag{}, map[int]int{}
		for x, n := range w.bag(in) {
			counts[x.c[key]] += n
		}
		for k, n := range counts {
			if k != null {
				out[fact{fmt.Sprintf("g int %d", n), -1, [3]int{k, n % 5, null}}] = 1
			}
		}
		return out
	}}, d2.NewReduce(keyer, d2.RowCount(home), home), in)
}

// reached are the places that edges lead to from the places of a relation.
func (w *whole) reached(from, edges *rel) *rel {
	base := w.build(rel{lens: w.made, hold: w.made.rows, want: func() bag {
		out := bag{}
		for f, n := range w.bag(from) {
			if f.c[0] != null {
				out.add(fact{"m", -1, place(f.c[0])}, n)
			}
		}
		return out
	}},
		d2.NewOwned(d2.NewFlatMap(start{from.lens, w.made}), w.made.rows), from)
	by := w.arrange(edges, 0)
	x := w.b.Iterate(base.node, func(x d2.NodeID) d2.NodeID {
		d := w.b.Add(d2.NewDistinct(), x)
		sorted := w.b.Arrange(d, column{w.made, w.fuse, 0})
		j := w.b.Add(d2.NewJoin(d2.JoinSpec{Rows: next{edges.lens, w.made}, Table: w.made.rows}), sorted, by.node)
		for _, n := range []d2.NodeID{x, d, sorted, j} {
			w.hold(n)
		}
		return j
	})
	return w.build(rel{lens: w.made, hold: w.made.rows, set: true, most: 8, want: func() bag {
		out, todo := bag{}, []int{}
		visit := func(v int) {
			if f := (fact{"m", -1, place(v)}); out[f] == 0 {
				out[f] = 1
				todo = append(todo, v)
			}
		}
		for f := range w.bag(from) {
			if f.c[0] != null {
				visit(f.c[0])
			}
		}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			for e := range w.bag(edges) {
				if at != null && e.c[0] == at {
					visit(e.c[1])
				}
			}
		}
		return out
	}}, d2.NewDistinct(), &rel{held: held{node: x}, size: max(from.size, edges.size), name: base.name})
}

func (w *whole) bounds() (offset, limit uint32) {
	return uint32([]int{0, 0, 1, 2, 9}[w.int(4, "offset")]), uint32([]int{0, 1, 2, 3, 50}[w.int(4, "limit")])
}

// window is a window over all that reaches it.
func (w *whole) window(in *rel) *rel {
	if !in.set {
		in = w.distinct(in)
	}
	o := sorting{in.lens, w.fuse, w.int(2, "column"), w.one("desc")}
	offset, limit := w.bounds()
	op, err := d2.NewWindow(d2.WindowSpec{Order: o, Keys: ident{in.lens}, Offset: offset, Limit: limit, Hold: in.hold})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.windowed(rel{}, op, o, offset, limit, in)
}

func (w *whole) windowed(r rel, op d2.Operator, o sorting, offset, limit uint32, in ...*rel) *rel {
	from, to := &offset, &limit
	r.set = true
	r.line = func() []fact {
		all := bag{}
		for _, in := range in {
			maps.Copy(all, w.bag(in))
		}
		return cutOut(o.list(all), *from, *to)
	}
	line := r.line
	r.want = func() bag {
		out := bag{}
		for _, x := range line() {
			out[x] = 1
		}
		return out
	}
	out := w.build(r, op, in...)
	w.q.windows = append(w.q.windows, moving{out.held, op, from, to})
	return out
}

// perGroup is a window for each value of a column.
func (w *whole) perGroup(in *rel) *rel {
	if !in.set {
		in = w.distinct(in)
	}
	key := w.int(2, "group key")
	o := sorting{in.lens, w.fuse, w.int(2, "column"), w.one("desc")}
	offset, limit := w.bounds()
	op, err := d2.NewGrouped(d2.GroupedSpec{
		Order: o, Keys: ident{in.lens}, Group: column{in.lens, w.fuse, key}, Offset: offset, Limit: limit, Hold: in.hold,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.build(rel{set: true, want: func() bag {
		groups, out := map[int]bag{}, bag{}
		for x := range w.bag(in) {
			k := x.c[key]
			if groups[k] == nil {
				groups[k] = bag{}
			}
			groups[k][x] = 1
		}
		for k, rows := range groups {
			if k != null {
				for _, x := range cutOut(o.list(rows), offset, limit) {
					out[x] = 1
				}
			}
		}
		return out
	}}, op, in)
}

// chain reads a table through operators that keep nothing, under a window or a
// merge of two of them.
func (w *whole) chain() *rel {
	at := w.int(2, "driving table")
	tab := w.tables[at]
	in := w.sources[2*at+1]
	col := w.int(1, "order")
	o := sorting{tab, w.fuse, col, col == 1}
	offset, limit := w.bounds()
	cushion := d2.Cushion{Fixed: true, Start: uint32(w.int(2, "cushion"))}
	pull := func(from *rel, order d2.Order) d2.Source {
		p, err := d2.NewPull(from.op.(d2.Fetchable), order)
		if err != nil {
			w.t.Fatal(err)
		}
		return p
	}
	if w.int(3, "merge") == 0 {
		col := w.int(1, "shard by")
		var shards []*rel
		for kind := range 2 {
			p := test{tab, w.fuse, col, kind}
			shards = append(shards, w.build(rel{set: true, want: func() bag {
				out := bag{}
				for x := range w.bag(in) {
					if p.holds(x) {
						out[x] = 1
					}
				}
				return out
			}}, d2.NewFilter(p), in))
		}
		op, err := d2.NewMerge(d2.MergeSpec{
			Order: o, Keys: ident{tab}, Offset: offset, Limit: limit, Pins: tab, Cushion: cushion,
		}, pull(shards[0], o), pull(shards[1], o))
		if err != nil {
			w.t.Fatal(err)
		}
		return w.windowed(rel{}, op, o, offset, limit, shards...)
	}
	for range w.int(2, "links") {
		if w.one("filter") {
			in = w.filtered(in)
			continue
		}
		other := w.sources[2*w.int(2, "child")+1]
		from := in
		i, j, anti := w.int(1, "parent key"), w.int(1, "child key"), w.one("anti")
		spec := d2.ExistsSpec{ParentKey: column{tab, w.fuse, i}, Negated: anti, Flip: d2.Flip(w.int(2, "flip"))}
		child := other
		if w.one("arranged") {
			child = w.arrange(other, j)
		} else {
			spec.ChildKey = column{other.lens, w.fuse, j}
		}
		op, err := d2.NewExists(spec)
		if err != nil {
			w.t.Fatal(err)
		}
		in = w.build(rel{set: true, want: func() bag { return semi(w.bag(from), w.bag(other), i, j, anti) }}, op, in, child)
	}
	var order d2.Order = o
	spec := d2.WindowSpec{Order: order, Keys: ident{tab}, Offset: offset, Limit: limit, Pins: tab, Cushion: cushion, Retain: w.int(4, "retain") == 0}
	if w.one("one right row") {
		in, order = w.joinedOne(in, tab, o)
		spec.Order, spec.Keys, spec.Pins, spec.Hold = order, ident{in.lens}, in.hold, in.hold
	}
	spec.Source = pull(in, order)
	op, err := d2.NewWindow(spec)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.windowed(rel{}, op, o, offset, limit, in)
}

// joinedOne pairs rows of a chain with the least row of their key in a table.
func (w *whole) joinedOne(in *rel, tab *table, o sorting) (*rel, d2.Order) {
	other := w.sources[2*w.int(2, "right table")]
	key := w.int(1, "key")
	least := sorting{other.lens, w.fuse, 2, false}
	ones := w.build(rel{set: true, want: func() bag {
		out, done := bag{}, map[int]bool{}
		for _, x := range least.list(w.bag(other)) {
			if k := x.c[key]; k != null && !done[k] {
				out[x], done[k] = 1, true
			}
		}
		return out
	}}, d2.NewReduce(column{other.lens, w.fuse, key}, d2.LeastRow(least), nil), other)
	pairs := d2.NewPairs(tab, ones.hold)
	w.homes = append(w.homes, pairs.Table())
	outer, i := w.one("outer"), w.int(1, "left key")
	op, err := d2.NewJoinOne(d2.JoinOneSpec{LeftKey: column{tab, w.fuse, i}, Outer: outer, Pairs: pairs})
	if err != nil {
		w.t.Fatal(err)
	}
	left := in
	out := w.build(rel{lens: coupled{pairs, tab, ones.lens, true}, hold: pairs, set: true, want: func() bag {
		out := bag{}
		for l := range w.bag(left) {
			alone := true
			for r := range w.bag(ones) {
				if l.c[i] != null && l.c[i] == r.c[key] {
					out[couple(&l, &r, true)] = 1
					alone = false
				}
			}
			if alone && outer {
				out[couple(&l, nil, true)] = 1
			}
		}
		return out
	}}, op, in, w.arrange(ones, key))
	return out, d2.LeftOrder{Pairs: pairs, Order: o}
}
