package includes

import (
	"strconv"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// from compiles the first source of a plan, with the conditions that may be
// judged there.
func (c *compiler) from(p *query.Plan, w *conditions, outer *scope) (*relation, error) {
	rel, err := c.source(p.From, outer)
	if err != nil || p.From.Alias == "" && p.From.Kind >= query.FromSources || missable(p, 0) {
		return rel, err
	}
	return rel, c.filter(rel, w.of(p.From.Alias))
}

// source compiles a source. The scope of the result names it.
func (c *compiler) source(f *query.From, outer *scope) (*relation, error) {
	switch f.Kind {
	case query.FromCollection:
		rel, err := c.collection(f.Col)
		if err == nil {
			rel.scope = &scope{names: []query.Field{{Name: f.Alias, Shape: rel.shape}}, outside: outer}
		}
		return rel, err
	case query.FromPlan:
		rel, err := c.plan(f.Plan, outer)
		if err == nil {
			rel.scope = &scope{names: []query.Field{{Name: f.Alias, Shape: rel.shape}}, outside: outer}
			rel.window = noNode
		}
		return rel, err
	case query.FromSources:
		return c.unionOfSources(f, outer)
	case query.FromResults:
		return c.unionOfResults(f, outer)
	case query.FromRecursion:
		return c.recursion(f, outer)
	}
	return c.self(f, outer)
}

// collection is the relation of the rows of a collection.
func (c *compiler) collection(id uint32) (*relation, error) {
	s, err := c.engine.source(id)
	if err != nil {
		return nil, err
	}
	rel := &relation{space: s.space(), parts: parts{slots: [][]hop{nil}}, shape: s.shape(), window: noNode}
	if s.live != nil {
		rel.inner = s.live.made()
		rel.node = s.live.output
		return rel, nil
	}
	if err := c.engine.enroot(s.root); err != nil {
		return nil, err
	}
	rel.node, rel.root, rel.lead = s.root.input, s.root, &lead{root: s.root}
	return rel, nil
}

// filter confines a relation to rows that satisfy conditions of its scope.
func (c *compiler) filter(rel *relation, where []*query.Expr) error {
	return c.filterBy(rel, where, rel.made())
}

// keep confines a relation to rows that satisfy conditions over its leaves. Of a
// root, changes are routed to the filter by an equality, if there is one.
func (c *compiler) keep(rel *relation, where []*query.Expr) error {
	if len(where) == 0 {
		return nil
	}
	prog, err := c.holds.compile(where, rel.space)
	if err != nil {
		return err
	}
	at := rel.node
	var route query.Route
	routed := false
	var m mark
	if r := rel.root; r != nil && at == r.input {
		if route, routed = query.RouteOf(where); routed {
			at = r.routed
		}
		m = markOf("filter", at).with(where...)
	} else if rel.lead == nil {
		m = markOf("filter", at).with(where...)
	}
	x := c.holds.same(m)
	had := x != nil
	if had {
		rel.node = x.node
	} else if rel.node, err = c.holds.add(d2.NewFilter(prog), at); err != nil {
		return err
	} else {
		x = c.holds.offers(m, rel.node, nil)
	}
	if !routed {
		return nil
	}
	lease := c.holds.lease(rel.root)
	col, err := lease.Column(route.Path, false)
	if err != nil {
		return err
	}
	by, err := lease.Hash(route.Path)
	if err != nil {
		return err
	}
	rel.equal = &equality{by, route.Cells}
	if !had {
		x.close = append(x.close, rel.root.Route(rel.node, col, route.Cells).Close)
	}
	return nil
}

// unionOfSources is the rows of several sources, each under its alias.
func (c *compiler) unionOfSources(f *query.From, outer *scope) (*relation, error) {
	members := make([]*relation, len(f.Members))
	for i, m := range f.Members {
		var err error
		if members[i], err = c.source(m, outer); err != nil {
			return nil, err
		}
	}
	rel, at, err := c.union(members)
	if err != nil {
		return nil, err
	}
	rel.scope = &scope{outside: outer}
	for i, m := range members {
		rel.scope.names = append(rel.scope.names, m.scope.shift(at[i]).within(present(rel.space, i)).names...)
	}
	return rel, nil
}

// unionOfResults is the results of several plans.
func (c *compiler) unionOfResults(f *query.From, outer *scope) (*relation, error) {
	if len(f.Branches) == 0 {
		return nil, &query.Error{Code: query.CodeUnsupported, Path: "from", Text: "a union needs at least one query"}
	}
	branches := make([]*relation, len(f.Branches))
	for i, b := range f.Branches {
		var err error
		if branches[i], err = c.plan(b, outer); err != nil {
			return nil, err
		}
	}
	rel, at, err := c.union(branches)
	if err != nil {
		return nil, err
	}
	rel.values = append([]*query.Expr{query.Leaf(0)}, rel.values...)
	if rel.inner != nil {
		rel.inner.values = append([]*query.Expr{query.Leaf(0)}, rel.inner.values...)
	}
	shape := query.ValueShape(query.Const(value.Cell{}))
	for i := len(branches) - 1; i >= 0; i-- {
		shape = query.Either(present(rel.space, i), branches[i].shape.Shift(at[i]), shape)
	}
	rel.shape = shape
	rel.scope = &scope{bare: &shape, outside: outer}
	return rel, nil
}

// present is whether a row of a union or a pair has its part i.
func present(s space, i int) *query.Expr {
	switch s := s.(type) {
	case *branchSpace:
		return query.Leaf(uint32(1 + i))
	case *pairSpace:
		return query.Leaf(uint32(len(s.all) - 2 + i))
	}
	panic("includes: a row of " + strconv.Itoa(len(s.leaves())) + " leaves has no parts")
}

// union puts relations together; at says where the leaves of each begin.
func (c *compiler) union(list []*relation) (rel *relation, at []uint32, err error) {
	spaces := make([]space, len(list))
	for i, r := range list {
		spaces[i] = r.space
	}
	nodes := make([]d2.NodeID, len(list))
	said := false
	for i, r := range list {
		nodes[i], said = r.node, said || r.said
	}
	m := markOf("union", nodes...)
	if said {
		m = nil
	}
	x := c.holds.same(m)
	s := newBranchSpace(c.engine, spaces)
	if x != nil {
		s = x.space.(*branchSpace)
	}
	rel = &relation{space: s, window: noNode, said: said}
	next := uint32(1 + len(list))
	var all parts
	for i, r := range list {
		if x == nil {
			nodes[i], err = c.holds.add(d2.NewOwned(d2.NewMap(branchMapper{s, uint32(i)}), s.table), r.node)
			if err != nil {
				return nil, nil, err
			}
		}
		at = append(at, next)
		to := hop{table: s.table, kind: stepBranch, tag: uint32(i)}
		add := func(p *parts, of parts) {
			p.slots = behindAll(to, of.slots, p.slots)
			for _, v := range of.values {
				p.values = append(p.values, query.Within(present(s, i), v.Shift(next)))
			}
		}
		add(&rel.parts, r.parts)
		add(&all, r.made())
		if r.inner != nil {
			rel.inner = &all
		}
		next += uint32(len(r.space.leaves()))
		rel.loop = rel.loop || r.loop
	}
	if x != nil {
		rel.node = x.node
		return rel, at, nil
	}
	if rel.node, err = c.holds.concat(nodes); err == nil {
		c.holds.offers(m, rel.node, s)
	}
	return rel, at, err
}
