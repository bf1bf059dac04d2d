package d2

import "slices"

// way is how a plan is run.
type way struct {
	name     string
	retained bool // hold everything, fetch nothing
	deaf     bool // have everything delivered
}

// built is a plan in a graph.
type stage struct {
	*term
	node  NodeID
	op    Fetchable
	pairs *Pairs // nil: rows of the shelf
	in    *stage
	other *stage
	win   *Window
	meter *meter
}

func (b *stage) base(row uint32) uint32 {
	for b.kind != "shelf" {
		if b.kind == "join" {
			row = b.pairs.Left(row)
		}
		b = b.in
	}
	return row
}

// item takes a row apart.
func (b *stage) item(row uint32) tuple {
	for b.kind != "shelf" && b.kind != "join" {
		b = b.in
	}
	if b.kind == "shelf" {
		return tuple{row}
	}
	right := tuple{None}
	if r := b.pairs.Right(row); r != None {
		right = b.other.item(r)
	}
	return slices.Concat(b.in.item(b.pairs.Left(row)), tuple{pairSeparator}, right)
}

func (b *stage) KeyOf(row Slot) Key { return b.shelf.KeyOf(b.base(row)) }

func (b *stage) Select(rows, keep []uint32) ([]uint32, error) {
	for _, row := range rows {
		if b.shelf.at(b.base(row), colX) == b.x {
			keep = append(keep, row)
		}
	}
	return keep, nil
}

// order and keyer put those of the driving table in terms of the rows here.
func (b *stage) order(desc bool) Order {
	switch b.kind {
	case "shelf":
		return shelfOrder{b.shelf, desc}
	case "join":
		return LeftOrder{b.pairs, b.in.order(desc)}
	}
	return b.in.order(desc)
}

func (b *stage) keyer(col int) Keyer {
	switch b.kind {
	case "shelf":
		return shelfKey{b.shelf, col}
	case "join":
		return LeftKeyer{b.pairs, b.in.keyer(col)}
	}
	return b.in.keyer(col)
}

// tiedOrder breaks ties by another key than the driving order.
type tiedOrder struct {
	b    *stage
	desc bool
}

func (o tiedOrder) Driving() Order             { return o.b.order(o.desc) }
func (o tiedOrder) CompareTerms(a, b Slot) int { return compareTerms(o.Driving(), a, b) }
func (o tiedOrder) Compare(a, b Slot) int {
	if c := o.CompareTerms(a, b); c != 0 {
		return c
	}
	return int(o.b.KeyOf(b)) - int(o.b.KeyOf(a))
}

func (b *stage) pins() Pins {
	switch b.kind {
	case "shelf":
		return b.shelf
	case "join":
		return b.pairs
	}
	return b.in.pins()
}

// holds is what keeps interned rows; nil where rows are the shelf's.
func (b *stage) holds() Pins {
	switch b.kind {
	case "shelf":
		return nil
	case "join":
		return b.pairs
	}
	return b.in.holds()
}

// meter counts what is delivered to a window. A deaf one asks for everything.
type meter struct {
	deaf  bool
	order Order
	rows  int
	cuts  int
}

func (*meter) Name() string { return "meter" }
func (*meter) Ports() int   { return 1 }
func (m *meter) Apply(v *Visit, out *Out) error {
	cut, ok := v.Cut(0)
	if ok {
		m.cuts++
	}
	for _, d := range v.In(0) {
		// Past a cut a row may be replaced that was never delivered.
		if d.Weight > 0 || !ok || m.order.Compare(d.Row, cut) <= 0 {
			m.rows++
		}
	}
	out.Pass(v, 0)
	return nil
}
func (m *meter) PassInterest(_ int, in Interest) (Interest, bool) { return in, !m.deaf }

type buildPlan struct {
	t      interface{ Fatal(...any) }
	g      *Graph
	stores map[*shelf]NodeID
	way    way
	meters []*meter
	all    []*stage
	known  map[*term]*stage
}

func (c *buildPlan) add(op Operator, ins ...NodeID) NodeID {
	id, err := c.g.Add(op, ins...)
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

func (c *buildPlan) build(p *term) *stage {
	if b := c.known[p]; b != nil {
		return b
	}
	b := &stage{term: p}
	if p.in != nil {
		b.in = c.build(p.in)
	}
	if p.other != nil {
		b.other = c.build(p.other)
	}
	switch p.kind {
	case "shelf":
		if _, ok := c.stores[p.shelf]; !ok {
			c.stores[p.shelf] = c.add(p.shelf.store)
		}
		b.node, b.op = c.stores[p.shelf], p.shelf.store
	case "filter":
		f := NewFilter(b)
		b.node, b.op = c.add(f, b.in.node), f
	case "exists":
		e, err := NewExists(ExistsSpec{b.in.keyer(p.on), b.other.keyer(p.to), p.negated, p.flip})
		if err != nil {
			c.t.Fatal(err)
		}
		b.node, b.op = c.add(e, b.in.node, b.other.node), e
	case "join":
		b.pairs = NewPairs(b.in.pins(), b.other.pins())
		j, err := NewJoinOne(JoinOneSpec{b.in.keyer(p.on), b.other.keyer(p.to), p.outer, b.pairs})
		if err != nil {
			c.t.Fatal(err)
		}
		b.node, b.op = c.add(j, b.in.node, b.other.node), j
	case "window":
		spec := WindowSpec{
			Order: b.in.order(p.desc), Keys: b, Offset: p.offset, Limit: p.limit, Pins: b.in.pins(), Hold: b.in.holds(),
			Cushion: Cushion{Fixed: true, Start: p.cushion},
		}
		if p.tied {
			spec.Order = tiedOrder{b.in, p.desc}
		}
		if pull, err := NewPull(b.in.op, spec.Order); err == nil && !c.way.retained {
			spec.Source = pull
		}
		w, err := NewWindow(spec)
		if err != nil {
			c.t.Fatal(err)
		}
		w.w.mode, w.w.spare = p.mode, 0
		b.meter = &meter{deaf: c.way.deaf, order: spec.Order}
		c.meters = append(c.meters, b.meter)
		b.node = c.add(w, c.add(b.meter, b.in.node))
		b.op, b.win = w, w
	}
	c.all = append(c.all, b)
	c.known[p] = b
	return b
}
