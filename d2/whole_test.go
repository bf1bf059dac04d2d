package d2_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"millrace.dev/millrace/d2"
	"pgregory.net/rapid"
)

// rel is a node of a plan: where it is in the graph, and what it should be.
type rel struct {
	held
	op   d2.Operator
	lens lens
	hold d2.Pins // of its rows
	set  bool
	size int // of the plan
	most int // roughly, rows
	want func() bag
	line func() []fact // of a window
	name string

	stamp int
	memo  bag
}

// held is a node that a query has to give back. Ids are given again, so a node
// is known by its number as well.
type held struct {
	node   d2.NodeID
	number int
}

// hold takes note of a node that was built, or of an arrangement that is shared.
func (w *whole) hold(node d2.NodeID) held {
	op := w.g.Operator(node)
	if _, ok := op.(*d2.Arrange); !ok || w.arranged[node] != op {
		w.count++
		w.numbers[node], w.arranged[node] = w.count, op
		w.q.fresh = append(w.q.fresh, node)
	}
	h := held{node, w.numbers[node]}
	w.q.held = append(w.q.held, h)
	return h
}

type query struct {
	rels    []*rel
	held    []held
	fresh   []d2.NodeID // of these, new
	outputs []held
	mirrors []*mirror
	tops    []*rel
	windows []moving
}

// moving is a window whose bounds can be changed.
type moving struct {
	held
	op            d2.Operator
	offset, limit *uint32
}

// whole is a graph, the tables above it, and the queries on it.
type whole struct {
	t       *rapid.T
	g       *d2.Graph
	b       *d2.Builder
	fuse    *fuse
	tables  []*table
	made    made
	homes   []*d2.Table // of everything that was ever built
	queries []*query
	shares  []held // of queries given back
	sources []*rel
	count   int
	numbers map[d2.NodeID]int
	// by node: the operator numbered
	arranged map[d2.NodeID]d2.Operator
	step     int
	echo     int
	echoed   bool
	q        *query
}

const wholeKeys = 5

func newWhole(t *rapid.T) *whole {
	w := &whole{t: t, g: d2.NewGraph(), fuse: &fuse{}, numbers: map[d2.NodeID]int{}, arranged: map[d2.NodeID]d2.Operator{}}
	w.made = made{d2.NewTable(3), w.fuse}
	w.homes = append(w.homes, w.made.rows)
	for i := range 3 {
		tab := newTable(i, wholeKeys, w.fuse)
		tab.input, _ = w.g.Add(d2.NewInput(contents{tab}))
		tab.stored, _ = w.g.Add(tab.store)
		w.tables = append(w.tables, tab)
		for _, node := range []d2.NodeID{tab.input, tab.stored} {
			w.sources = append(w.sources, &rel{
				held: held{node: node}, op: w.g.Operator(node), lens: tab, hold: tab, set: true, size: 1, most: wholeKeys,
				want: tab.bag, name: fmt.Sprintf("%c", 'A'+i),
			})
		}
	}
	return w
}

func (w *whole) int(most int, what string) int { return rapid.IntRange(0, most).Draw(w.t, what) }
func (w *whole) one(what string) bool          { return w.int(1, what) == 1 }

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

// calm has orders not fail any more: a window that holds references and fails
// half way does not know which.
func (w *whole) calm() { w.fuse.calm = true }

func (w *whole) bounds() (offset, limit uint32) {
	return uint32([]int{0, 0, 1, 2, 9}[w.int(4, "offset")]), uint32([]int{0, 1, 2, 3, 50}[w.int(4, "limit")])
}

// window is a window over all that reaches it.
func (w *whole) window(in *rel) *rel {
	w.calm()
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
	w.calm()
	if !in.set {
		in = w.distinct(in)
	}
	key := w.int(2, "group key")
	o := sorting{in.lens, w.fuse, w.int(2, "column"), w.one("desc")}
	offset, limit := w.bounds()
	op, err := d2.NewGrouped(d2.GroupedSpec{
		Order: o, Keys: ident{in.lens}, Group: column{in.lens, &fuse{}, key}, Offset: offset, Limit: limit, Hold: in.hold,
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
	w.calm()
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

// plan builds a relation of some depth.
func (w *whole) plan(depth int) *rel {
	if depth == 0 || w.int(9, "shallow") == 0 {
		if w.int(3, "shared") == 0 {
			if r := w.shared(); r != nil {
				return r
			}
		}
		return w.sources[w.int(len(w.sources)-1, "source")]
	}
	in := w.plan(depth - 1)
	switch kind := w.int(15, "operator"); kind {
	case 0, 1, 2, 3, 14, 15:
		other := w.plan(w.int(min(depth-1, 2), "depth"))
		switch {
		case kind < 2 && in.most*other.most < 300:
			return w.joined(in, other)
		case kind == 2 || kind > 13:
			return w.reached(in, other)
		default:
			return w.semijoined(in, other)
		}
	case 4:
		return w.grouped(in)
	case 5:
		return w.reduced(in)
	case 6:
		return w.distinct(in)
	case 7:
		return w.added(in, w.plan(w.int(min(depth-1, 2), "depth")))
	case 8:
		return w.less(in)
	case 9:
		return w.window(in)
	case 10:
		return w.perGroup(in)
	case 11:
		return w.spread(in)
	case 12:
		return w.remade(in)
	}
	return w.filtered(in)
}

// alive tells whether what stands at a node is what a query built there.
func (w *whole) alive(h held) bool {
	return w.g.Operator(h.node) != nil && w.numbers[h.node] == h.number
}

// shared is some relation of a query that is there, if it is sound.
func (w *whole) shared() *rel {
	if len(w.queries) == 0 {
		return nil
	}
	q := w.queries[w.int(len(w.queries)-1, "query")]
	if len(q.rels) == 0 {
		return nil
	}
	r := q.rels[w.int(len(q.rels)-1, "of it")]
	if !w.alive(r.held) || w.g.Failed(r.node) != nil || r.size > 5 || r.op.Name() == "negate" || r.op.Name() == "join one" {
		return nil
	}
	return r
}

// mount builds a query late and fills it.
func (w *whole) mount() {
	q := &query{}
	w.q = q
	var top *rel
	if w.int(3, "chain") == 0 {
		top = w.chain() // sources ask operators that are built in
	}
	err := w.g.Extend(func(b *d2.Builder) {
		w.b = b
		if top == nil {
			top = w.plan(w.int(5, "depth"))
			if w.one("windowed") {
				top = w.window(top)
			}
		}
		for range 1 + w.int(1, "outputs") {
			m := &mirror{w: w, lens: top.lens, echoes: w.int(4, "echoes") == 0}
			if top.set && w.one("keys") {
				m.keys = ident{top.lens}
			}
			op := d2.NewOutput(d2.OutputSpec{Sink: m, Keys: m.keys, Retain: w.one("retain"), Hold: top.hold})
			node := b.Add(op, top.node)
			q.outputs = append(q.outputs, w.hold(node))
			q.mirrors, q.tops = append(q.mirrors, m), append(q.tops, top)
		}
	})
	w.b = nil
	if err != nil {
		w.t.Fatal(err)
	}
	w.queries = append(w.queries, q)
	fresh := q.fresh
	w.stage()
	w.arm("mount")
	err = w.g.Hydrate(fresh...)
	switch {
	case err == nil:
	case errors.Is(err, d2.ErrFailed): // in the run of what was staged; nothing has been filled
		w.release(q)
	case !errors.Is(err, errFuse):
		w.t.Fatal(err)
	default: // the content of what stands above could not be told
		w.fuse.left = 0
		if err := w.g.Hydrate(fresh...); err != nil {
			w.t.Fatal(err)
		}
	}
	w.after()
}

// stage leaves a change to be run by what follows.
func (w *whole) stage() {
	if w.one("staged") {
		w.change(w.int(2, "table"), w.int(wholeKeys-1, "key"))
	}
}

func (w *whole) arm(what string) {
	w.fuse.left = 0
	if w.int(5, what+" fails") == 0 {
		w.fuse.left = 1 + w.int(60, "after")
	}
}

// change gives a key of a table another version and pushes it.
func (w *whole) change(at, pk int) {
	tab := w.tables[at]
	old := tab.current[pk]
	var c *[3]int
	switch {
	case old != d2.None && w.int(3, "delete") == 0:
	case old != d2.None && w.int(3, "alike") == 0:
		same := tab.facts[old].c
		c = &same
	default:
		c = &[3]int{}
		for i := range c {
			if c[i] = w.int(4, "value"); c[i] == 4 {
				c[i] = null
			}
		}
	}
	change := tab.set(pk, c)
	for _, node := range []d2.NodeID{tab.input, tab.stored} {
		var err error
		if w.int(3, "pieces") == 0 {
			if change.Old != d2.None {
				err = w.g.Push(node, 0, []d2.Diff{{Row: change.Old, Weight: -1}})
			}
			if change.New != d2.None && err == nil {
				err = w.g.Push(node, 0, []d2.Diff{{Row: change.New, Weight: 1}})
			}
		} else {
			err = w.g.PushChanges(node, []d2.Change{change})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// run changes some rows in one run; a key may change more than once.
func (w *whole) run() {
	for range 1 + w.int(5, "changes") {
		w.change(w.int(2, "table"), w.int(wholeKeys-1, "key"))
	}
	w.move()
	w.arm("run")
	before := w.g.Counters().Nodes
	echo := w.echo
	stats, err := w.g.Run()
	if err != nil {
		w.t.Fatal(err)
	}
	if most := before * (stats.MaxIteration + 2); echo == w.echo && stats.Visits > most {
		w.t.Fatalf("%d visits of %d nodes", stats.Visits, before)
	}
	w.after()
}

// move gives some window other bounds.
func (w *whole) move() {
	for _, q := range w.queries {
		for _, m := range q.windows {
			if !w.alive(m.held) || w.g.Failed(m.node) != nil || w.int(5, "move") > 0 {
				continue
			}
			*m.offset, *m.limit = w.bounds()
			switch op := m.op.(type) {
			case *d2.Window:
				if err := w.g.SetWindow(m.node, *m.offset, *m.limit); err != nil {
					w.t.Fatal(err)
				}
			case *d2.Merge:
				if op.SetBounds(*m.offset, *m.limit) {
					if err := w.g.Touch(m.node); err != nil {
						w.t.Fatal(err)
					}
				}
			}
		}
	}
}

// after closes a step: versions that have left are gone.
func (w *whole) after() {
	w.fuse.left = 0
	w.echo = w.int(2, "echo")
	for _, tab := range w.tables {
		tab.forget()
	}
	w.step++
	w.check()
}

func (w *whole) check() {
	for _, q := range w.queries {
		for i, m := range q.mirrors {
			if !w.alive(q.outputs[i]) {
				continue
			}
			err := w.g.Failed(q.outputs[i].node)
			if m.bad != "" {
				w.t.Fatalf("step %d, %s: %s", w.step, q.tops[i].name, m.bad)
			}
			if (err != nil) != (m.fails > 0) {
				w.t.Fatalf("%s: failed with %v, told %d times", q.tops[i].name, err, m.fails)
			}
			if err != nil {
				if !errors.Is(err, errFuse) {
					w.t.Fatalf("%s: %v", q.tops[i].name, err)
				}
				continue
			}
			got := bag{}
			for row, n := range m.rows {
				got.add(m.lens.see(row), n)
			}
			want := w.bag(q.tops[i])
			if !maps.Equal(got, want) {
				w.t.Fatalf("step %d, %s is\n%v, should be\n%v", w.step, q.tops[i].name, got, want)
			}
			if line := q.tops[i].line; line != nil {
				var got []fact
				for _, row := range m.seq {
					got = append(got, m.lens.see(row))
				}
				if want := line(); !slices.Equal(got, want) {
					w.t.Fatalf("step %d, %s shows\n%v, should show\n%v", w.step, q.tops[i].name, got, want)
				}
			}
		}
	}
}

// snapshot compares what a node tells when it is asked.
func (w *whole) snapshot() {
	if r := w.shared(); r != nil {
		diffs, err := w.g.Snapshot(r.node)
		if err != nil {
			w.t.Fatalf("snapshot of %s: %v", r.name, err)
		}
		got := bag{}
		for _, d := range diffs {
			got.add(r.lens.see(d.Row), int(d.Weight))
		}
		if want := w.bag(r); !maps.Equal(got, want) {
			w.t.Fatalf("snapshot of %s is\n%v, should be\n%v", r.name, got, want)
		}
	}
}

// settle resets and fills everything that has failed.
func (w *whole) settle() {
	var failed []d2.NodeID
	seen := map[d2.NodeID]bool{}
	w.shares = slices.DeleteFunc(w.shares, func(h held) bool { return !w.alive(h) })
	lists := [][]held{w.shares}
	for _, q := range w.queries {
		lists = append(lists, q.held)
	}
	for _, list := range lists {
		for _, h := range list {
			if w.alive(h) && w.g.Failed(h.node) != nil && !seen[h.node] {
				seen[h.node] = true
				failed = append(failed, h.node)
			}
		}
	}
	if len(failed) == 0 {
		return
	}
	w.stage()
	if err := w.g.Reset(failed...); err != nil {
		w.t.Fatal(err)
	}
	for _, q := range w.queries {
		for i, m := range q.mirrors {
			if seen[q.outputs[i].node] {
				m.fails = 0
			}
		}
	}
	if err := w.g.Hydrate(failed...); err != nil {
		w.t.Fatal(err)
	}
	w.after()
}

// drop gives a query back, or removes one of its nodes with all it feeds.
func (w *whole) drop() {
	if len(w.queries) == 0 {
		return
	}
	q := w.queries[w.int(len(w.queries)-1, "query")]
	if w.int(3, "by force") == 0 {
		if h := q.held[w.int(len(q.held)-1, "node")]; w.alive(h) {
			if err := w.g.Drop(h.node); err != nil {
				w.t.Fatal(err)
			}
		}
		return
	}
	w.release(q)
	w.check()
}

func (w *whole) release(q *query) {
	for _, h := range q.held {
		if w.alive(h) {
			if err := w.g.Release(h.node); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.shares = append(w.shares, q.held...)
	w.queries = slices.DeleteFunc(w.queries, func(p *query) bool { return p == q })
}

// end drops everything and looks for what is left.
func (w *whole) end() {
	for len(w.queries) > 0 {
		w.release(w.queries[w.int(len(w.queries)-1, "query")])
		w.check()
	}
	for _, tab := range w.tables {
		_ = w.g.Release(tab.input)
		_ = w.g.Release(tab.stored)
	}
	if c := w.g.Counters(); c.Nodes != 0 || c.Retained != 0 || c.Pinned != 0 || c.Failed != 0 {
		w.t.Fatalf("left at the end: %+v", c)
	}
	for i, home := range w.homes {
		if home.Len() != 0 {
			w.t.Fatalf("table %d holds %d rows at the end", i, home.Len())
		}
	}
	for _, tab := range w.tables {
		for row, n := range tab.pins {
			if n != 0 {
				w.t.Fatalf("table %d: version %d is pinned %d times at the end", tab.at, row, n)
			}
		}
	}
}

func TestWhole_EveryMirrorIsItsQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWhole(t)
		for range 3 {
			w.run()
		}
		for range 24 {
			switch w.int(9, "step") {
			case 0, 1, 2:
				if len(w.queries) < 6 {
					w.mount()
				}
			case 3:
				w.drop()
			case 4:
				w.settle()
			case 5:
				w.snapshot()
			default:
				w.run()
			}
		}
		w.settle()
		w.end()
	})
}
