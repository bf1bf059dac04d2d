package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// restrict judges the conditions that are left.
func (c *compiler) restrict(rel *relation, w *conditions) error {
	var rest []*query.Expr
	for i := range w.list {
		if t := &w.list[i]; !t.done {
			t.done = true
			rest = append(rest, t.expr)
		}
	}
	return c.judge(rel, rest)
}

// project gives the rows of a relation without groups their shape, and confines
// them to those that having keeps.
func (c *compiler) project(rel *relation, p *query.Plan) (*relation, error) {
	out := *rel
	out.computed = nil
	var shape query.Shape
	var err error
	if p.SelectFn != nil {
		var leaf *query.Expr
		leaf, err = c.ask(&out, collection.CallFunction, p.SelectFn.Of, rel.made())
		shape = query.ValueShape(leaf)
	} else {
		shape, err = c.shape(rel.scope, p, &out)
	}
	if err != nil {
		return nil, err
	}
	s := *rel.scope
	s.selected = &shape
	out.shape, out.scope = shape, &s
	if len(out.computed) > 0 {
		out.values = append(slices.Clone(rel.values), out.computed...)
		if rel.inner != nil {
			all := *rel.inner
			all.values = append(slices.Clone(all.values), out.computed...)
			out.inner = &all
		}
	}
	if len(p.Having) == 0 {
		return &out, nil
	}
	both := parts{
		slots:  append(slices.Clone(rel.made().slots), out.made().slots...),
		values: append(slices.Clone(rel.made().values), out.made().values...),
	}
	having := make([]*query.Expr, len(p.Having))
	for i, e := range p.Having {
		if having[i] = e; e.Op == query.OpPull {
			having[i] = query.Call(query.FnCaseWhen, e, query.Const(value.Bool(true)), query.Const(value.Bool(false)))
		}
	}
	return &out, c.filterBy(&out, having, both)
}

// shape is what the results of a plan without groups look like.
func (c *compiler) shape(s *scope, p *query.Plan, out *relation) (query.Shape, error) {
	if !p.HasSelect {
		if s.bare != nil && len(s.names) == 0 {
			return *s.bare, nil
		}
		if len(s.names) == 1 && len(p.Joins) == 0 && p.From.Kind != query.FromSources {
			return s.names[0].Shape, nil
		}
		var entries []query.Entry
		for _, f := range s.names {
			entries = append(entries, query.Entry{Path: []string{f.Name}, Expr: query.Ref(f.Name)})
		}
		return query.Select(entries, c.live.Name, s.shapeOf)
	}
	return query.Select(p.Select, c.live.Name, func(e query.Entry) (query.Shape, error) {
		shape, err := s.shapeOf(e)
		if err == nil && e.Computed() {
			out.computed = append(out.computed, shape.Resolve(nil))
		}
		return shape, err
	})
}

// distinct makes rows of what the select shows, each once.
func (c *compiler) distinct(rel *relation, p *query.Plan) (*relation, error) {
	var values []reader
	var shapes []query.Shape
	m := markOf("distinct", rel.node)
	for i, e := range p.Select {
		shape, err := rel.scope.shapeOf(e)
		if err != nil {
			return nil, err
		}
		r, err := c.holds.reader(shape.Resolve(nil), rel.space)
		if err != nil {
			return nil, err
		}
		values, shapes = append(values, r), append(shapes, query.LeafShape(uint32(i)))
		m = m.with(shape.Resolve(nil))
	}
	x := c.holds.same(m)
	s := newCellSpace(c.engine, len(values))
	if x != nil {
		s = x.space.(*cellSpace)
	}
	out := &relation{space: s, window: noNode, loop: rel.loop}
	at := -1
	shape, err := query.Select(p.Select, c.live.Name, func(query.Entry) (query.Shape, error) {
		at++
		return shapes[at], nil
	})
	if err != nil {
		return nil, err
	}
	for i := range values {
		out.values = append(out.values, query.Leaf(uint32(i)))
	}
	out.shape = shape
	out.scope = &scope{selected: &shape, outside: rel.scope.outside}
	if x != nil {
		out.node = x.node
		return out, nil
	}
	made, err := c.holds.add(d2.NewOwned(d2.NewMap(newCellMapper(values, s)), s.table), rel.node)
	if err != nil {
		return nil, err
	}
	if out.node, err = c.holds.add(d2.NewDistinct(), made); err == nil {
		c.holds.offers(m, out.node, s)
	}
	return out, err
}

// terms is the order of a plan over a relation.
func (c *compiler) terms(rel *relation, p *query.Plan) ([]query.Term, error) {
	terms := make([]query.Term, len(p.Order))
	for i, t := range p.Order {
		e, err := rel.scope.rewrite(t.Expr)
		if err != nil {
			return nil, err
		}
		terms[i] = query.Term{Expr: e, Term: t.Term}
	}
	return terms, nil
}

// order puts a window over a relation.
func (c *compiler) order(rel *relation, p *query.Plan) error {
	if rel.loop {
		if p.Bounded {
			return notMonotone("limit", "a limit")
		}
		return nil // nobody sees the order in which rows are reached
	}
	terms, err := c.terms(rel, p)
	if err != nil {
		return err
	}
	spec := d2.WindowSpec{Keys: rel.space, Pins: rel.space, Offset: p.Offset, Limit: p.Limit}
	if c.depth == 1 {
		spec.Equal = c.live
	}
	if rel.loose {
		spec.Hold = references{rel.space}
	}
	pulled, err := c.pulled(rel, p, terms, &spec)
	if err != nil {
		return err
	}
	if !pulled {
		order, err := c.holds.order(terms, rel.space)
		if err != nil {
			return err
		}
		readers := make([]reader, len(order.terms))
		for i, t := range order.terms {
			readers[i] = t.reader
		}
		if rel.node, err = c.warmed(rel.node, readers...); err != nil {
			return err
		}
		spec.Order = order
	}
	window, err := d2.NewWindow(spec)
	if err != nil {
		return err
	}
	if rel.node, err = c.holds.add(window, rel.node); err == nil {
		rel.window = rel.node
	}
	rel.root, rel.lead, rel.loose = nil, nil, false
	return err
}

// CheckPlan looks for everything that can be wrong with a plan on its own.
func (e *Engine) CheckPlan(p *query.Plan) error {
	if q, _, ok := plain(p); ok {
		return e.CheckQuery(q)
	}
	return nil
}

// texts is what programs read texts from.
func (e *Engine) texts() value.Texts { return e.Dict }

// bigint returns a bigint given by its limbs, least first.
func (e *Engine) bigint(neg bool, limbs []uint32) (value.Cell, error) {
	cells := make([]collection.Cells, 1+len(limbs))
	cells[0] = collection.Cells{N: 1, Uniform: value.KindBool, Vals: []float64{0}}
	if neg {
		cells[0].Vals[0] = 1
	}
	for i, l := range limbs {
		cells[1+i] = collection.Cells{N: 1, Uniform: value.KindNumber, Vals: []float64{float64(l)}}
	}
	out, err := collection.ForeignOf(e.shell).Apply("bigint", 1, cells)
	if err != nil {
		return value.Cell{}, err
	}
	c := out.At(0)
	e.Dict.Touch(c)
	return c, nil
}
