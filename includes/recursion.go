package includes

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// A recursion (docs/queries.md) is the least relation x with x = base ∪ step(x).
// Its rows are what base selects: they are made of whole rows of collections and
// of values, and two that are made of the same are one.

// loop is a recursion whose step is being compiled.
type loop struct {
	rel *relation // the rows reached before
}

// recursion compiles a recursion.
func (c *compiler) recursion(f *query.From, outer *scope) (*relation, error) {
	base, err := c.plan(f.Plan, nil)
	if err != nil {
		return nil, err
	}
	ct, err := c.contents(base)
	if err != nil {
		return nil, err
	}
	from, err := c.made(ct, base, ct.of)
	if err != nil {
		return nil, err
	}
	out := &relation{space: ct.space, parts: parts{ct.slots, ct.values}, shape: ct.shape, window: noNode}
	err = c.holds.together(func() error { return c.step(f, ct, from, out) })
	if err != nil {
		return nil, err
	}
	out.loop = len(c.loops) > 0
	if f.DepthField != "" {
		// What is told of the rows of a loop is the sum of all iterations; here it is kept.
		if out.node, err = c.holds.add(d2.NewDistinct(), out.node); err != nil {
			return nil, err
		}
	}
	out.scope = &scope{names: []query.Field{{Name: f.Alias, Shape: out.shape}}, outside: outer}
	return out, nil
}

// step closes the loop; from is the rows it begins with.
func (c *compiler) step(f *query.From, ct *contents, from d2.NodeID, out *relation) (err error) {
	h := c.holds
	x, err := h.add(d2.NewConcat(), from)
	if err != nil {
		return err
	}
	if out.node, err = h.add(d2.NewDistinct(), x); err != nil {
		return err
	}
	self := *out
	if f.DepthField != "" {
		s := newDepthSpace(c.engine, ct.space)
		if out.node, err = h.add(d2.NewOwned(stamp{s}, s.table), out.node); err != nil {
			return err
		}
		out.space = s
		out.slots, self.slots = nil, nil
		for _, w := range ct.slots {
			out.slots = append(out.slots, append([]hop{{table: s.table, kind: stepLeft}}, w...))
		}
		self = *out
		depth := query.Leaf(uint32(len(ct.space.leaves())))
		out.values = append(append([]*query.Expr(nil), out.values...), depth)
		out.shape = query.Record([]query.Field{{Shape: out.shape}, {Name: f.DepthField, Shape: query.ValueShape(depth)}})
	}
	if f.MaxDepth != query.Unlimited {
		if self.node, err = h.add(until(f.MaxDepth), self.node); err != nil {
			return err
		}
	}
	self.loop = true
	c.loops = append(c.loops, loop{&self})
	defer func() { c.loops = c.loops[:len(c.loops)-1] }()
	next, err := c.plan(f.Step, nil)
	if err != nil {
		return err
	}
	list, at, ok := ct.shape0.Align(next.shape)
	if !ok {
		return recursionError("the step must select what the base selects" + atPath(at))
	}
	to, err := c.made(ct, next, list)
	if err != nil {
		return err
	}
	h.build.Feedback(to, x, 0)
	return nil
}

// self is the rows reached before, as a source of the step.
func (c *compiler) self(f *query.From, outer *scope) (*relation, error) {
	at := len(c.loops) - 1 - int(f.Up)
	if f.Kind != query.FromSelf || at < 0 || f.Up >= maxDepth {
		return nil, &query.Error{Code: query.CodeUnsupported, Path: "from", Text: "a recursion refers to itself outside its step"}
	}
	rel := *c.loops[at].rel
	rel.scope = &scope{names: []query.Field{{Name: f.Alias, Shape: rel.shape}}, outside: outer}
	return &rel, nil
}

// notMonotone refuses what may take rows back in a step because of rows reached
// before: without that a recursion has one result, whatever the order of steps.
func notMonotone(clause, what string) error {
	return &query.Error{Code: query.CodeUnsupported, Path: clause, Text: what + " over the rows a recursion has reached before may take rows back that were reached by them; do it in the query over the recursion"}
}

func recursionError(text string) error {
	return &query.Error{Code: query.CodeUnsupported, Path: "recursive", Text: text}
}

func atPath(path []string) string {
	if len(path) == 0 {
		return ""
	}
	text := ", at "
	for i, p := range path {
		if i > 0 {
			text += "."
		}
		text += p
	}
	return text
}

// contents is what the rows of a recursion are made of.
type contents struct {
	of     []*query.Expr // in authoring order, over the base
	roots  []*rootNode   // of whole rows, by their order
	rows   []bool        // by content: a whole row
	space  space
	cells  *cellSpace   // of the values, nil if there are none
	tables []*pairSpace // outermost first: what puts rows and values together
	slots  [][]hop
	values []*query.Expr
	shape  query.Shape // over the space
	shape0 query.Shape // of the base
}

// contents finds what a base's rows are made of and gives them a space.
func (c *compiler) contents(base *relation) (*contents, error) {
	ct := &contents{shape0: base.shape}
	var ok bool
	if ct.of, ok = base.shape.Contents(); !ok {
		return nil, recursionError("the base must say which fields its rows have: give it a select")
	}
	for _, e := range ct.of {
		r := wholeRow(e, base.space)
		ct.rows = append(ct.rows, r != nil)
		if r != nil {
			ct.roots = append(ct.roots, r)
		}
	}
	if n := len(ct.of) - len(ct.roots); n > 0 || len(ct.roots) == 0 {
		ct.cells = newCellSpace(c.engine, n)
		ct.space = ct.cells
	}
	for i := len(ct.roots) - 1; i >= 0; i-- {
		if ct.space == nil {
			ct.space = ct.roots[i]
			continue
		}
		s := newPairSpace(c.engine, ct.roots[i], ct.space)
		ct.tables = append([]*pairSpace{s}, ct.tables...)
		ct.space = s
	}
	at := make([]*query.Expr, len(ct.of))
	slot, val := 0, len(ct.roots)
	var down []hop
	for i, row := range ct.rows {
		if !row {
			at[i] = query.Leaf(uint32(val))
			ct.values = append(ct.values, at[i])
			val++
			continue
		}
		at[i] = query.Leaf(uint32(slot))
		walk := append([]hop(nil), down...)
		if slot < len(ct.tables) {
			walk = append(walk, hop{table: ct.tables[slot].table, kind: stepLeft})
			down = append(down, hop{table: ct.tables[slot].table, kind: stepRight})
		}
		ct.slots = append(ct.slots, walk)
		slot++
	}
	ct.shape = base.shape.Recast(at)
	return ct, nil
}

// wholeRow is the root whose rows an expression is as a whole, or nil.
func wholeRow(e *query.Expr, s space) *rootNode {
	if at, ok := e.Standing(); ok {
		if l := s.leaves()[at]; !l.there {
			return l.root
		}
	}
	return nil
}

// made adds a node that makes rows of a recursion of those of a relation, whose
// contents are the expressions of.
func (c *compiler) made(ct *contents, rel *relation, of []*query.Expr) (d2.NodeID, error) {
	if err := c.own(rel); err != nil {
		return noNode, err
	}
	m := &contentsMapper{contents: ct, cells: make([]value.Cell, 0, len(of))}
	at := 0
	for i, e := range of {
		if !ct.rows[i] {
			if wholeRow(e, rel.space) != nil {
				return noNode, recursionError("the step selects a whole row where the base selects a value")
			}
			r, err := c.holds.reader(e, rel.space)
			if err != nil {
				return noNode, err
			}
			m.values = append(m.values, r)
			continue
		}
		r := wholeRow(e, rel.space)
		if r != ct.roots[at] {
			return noNode, recursionError("where the base selects the whole row of a collection the step must select one of the same collection: select the fields one by one in both")
		}
		leaf, _ := e.Standing()
		m.slots = append(m.slots, rel.space.leaves()[leaf].walk)
		at++
	}
	if ct.cells != nil {
		m.words = make([]uint64, ct.cells.layout.Width())
	}
	var op d2.Operator = d2.NewFlatMap(m)
	switch {
	case len(ct.tables) > 0:
		op = d2.NewOwned(op, ct.tables[0].table)
	case ct.cells != nil:
		op = d2.NewOwned(op, ct.cells.table)
	}
	return c.holds.add(op, rel.node)
}

// contentsMapper makes rows of contents; it implements d2.Expander. A row that is
// nothing but a whole row which is missing is none.
type contentsMapper struct {
	*contents
	slots  [][]hop
	values []reader
	cells  []value.Cell
	words  []uint64
}

// Each implements d2.Expander.
func (m *contentsMapper) Each(row uint32, yield func(row uint32, weight int32)) {
	out := d2.None
	if m.contents.cells != nil {
		m.cells = m.cells[:0]
		for _, v := range m.values {
			m.cells = append(m.cells, v.of(row))
		}
		out = m.contents.cells.row(m.cells, m.words)
	}
	for i := len(m.slots) - 1; i >= 0; i-- {
		slot := walk(m.slots[i], row)
		if i >= len(m.tables) {
			out = slot
			continue
		}
		out = m.tables[i].pairs.Pair(slot, out)
	}
	if out != d2.None {
		yield(out, 1)
	}
}

// enrootAll makes the nodes of the roots a plan reads, which cannot be made while
// a recursion is built.
func (c *compiler) enrootAll(p *query.Plan) (err error) {
	eachCollection(p, func(id uint32) {
		s, fault := c.engine.source(id)
		if fault == nil && s.root != nil {
			fault = c.engine.enroot(s.root)
		}
		if err == nil {
			err = fault
		}
	})
	return err
}
