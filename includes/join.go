package includes

import (
	"slices"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// join compiles join i of a plan over what stands before it.
func (c *compiler) join(left *relation, p *query.Plan, i int, w *conditions, outer *scope) (*relation, error) {
	j := &p.Joins[i]
	if c.asks = nil; c.asksGroups(left, j) {
		c.asks = j.From.Plan
	}
	right, err := c.source(j.From, outer)
	if err != nil {
		return nil, err
	}
	if right.scope.bare != nil || len(right.scope.names) != 1 {
		return nil, &query.Error{Code: query.CodeJoinCondition, Path: "join", Text: "a join takes one source with one alias"}
	}
	on, with, err := c.sides(left.scope, right.scope, j)
	if err != nil {
		return nil, err
	}
	if !missable(p, i+1) {
		if err := c.filter(right, w.of(j.From.Alias)); err != nil {
			return nil, err
		}
	}
	return c.pair(left, right, on, with, j.Type)
}

// sides returns the two sides of a join's condition over the leaves of the two
// relations, in whichever order they were written.
func (c *compiler) sides(left, right *scope, j *query.Join) (on, with *query.Expr, err error) {
	alias := j.From.Alias
	a, b := aliases(j.Left), aliases(j.Right)
	fault := func(text string) error {
		return &query.Error{Code: query.CodeJoinCondition, Path: "join", Text: "Invalid join condition: " + text}
	}
	known := func(list []string) bool {
		return !slices.ContainsFunc(list, func(name string) bool { return name == alias || left.bare == nil && !left.has(name) })
	}
	joined := func(list []string) bool { return len(list) == 1 && list[0] == alias }
	l, r := j.Left, j.Right
	switch {
	case len(a) == 0 || len(b) == 0:
		return nil, nil, fault("expressions must reference source aliases")
	case len(a) == 1 && len(b) == 1 && a[0] == b[0]:
		return nil, nil, fault("both expressions refer to the same source \"" + a[0] + "\"")
	case joined(b) && known(a):
	case joined(a) && known(b):
		l, r = r, l
	case !joined(a) && !joined(b):
		return nil, nil, fault("right expression does not refer to the joined source \"" + alias + "\"")
	default:
		return nil, nil, fault("left expression does not refer to an available source")
	}
	if on, err = left.rewrite(l); err == nil {
		with, err = right.rewrite(r)
	}
	return on, with, err
}

// aliases lists what an expression refers to, each once.
func aliases(e *query.Expr) []string {
	var list []string
	v := visitor{expr: func(e *query.Expr) {
		if e.Op == query.OpRef && len(e.Path) > 0 && !slices.Contains(list, e.Path[0]) {
			list = append(list, e.Path[0])
		}
	}}
	v.expression(e)
	return list
}

// pair joins two relations where on, over the left leaves, equals with, over the
// right ones.
func (c *compiler) pair(left, right *relation, on, with *query.Expr, how query.JoinType) (*relation, error) {
	if rel, err := c.lookup(left, right, on, with, how); rel != nil || err != nil {
		return rel, err
	}
	a, err := c.arranged(left, on)
	if err != nil {
		return nil, err
	}
	b, err := c.arranged(right, with)
	if err != nil {
		return nil, err
	}
	if left.loop && how >= query.JoinRight || right.loop && (how == query.JoinLeft || how == query.JoinFull) {
		return nil, notMonotone("join", "a join that keeps rows without a match")
	}
	m := markOf([]string{"inner", "left", "right", "full"}[how], a, b)
	if left.said || right.said {
		m = nil
	}
	if x := c.holds.same(m); x != nil {
		rel := c.paired(x.space.(*pairSpace), left, right, how)
		rel.node = x.node
		return rel, nil
	}
	s := newPairSpace(c.engine, left.space, right.space)
	spec := d2.JoinSpec{Rows: s.pairs}
	var op d2.Operator
	switch how {
	case query.JoinInner:
		op = d2.NewJoin(spec)
	case query.JoinLeft:
		op = d2.NewOuterJoin(d2.LeftOuter, spec)
	case query.JoinRight:
		op = d2.NewOuterJoin(d2.RightOuter, spec)
	default:
		op = d2.NewOuterJoin(d2.FullOuter, spec)
	}
	rel := c.paired(s, left, right, how)
	if rel.node, err = c.holds.add(op, a, b); err == nil {
		c.holds.offers(m, rel.node, s)
	}
	return rel, err
}

// paired is the relation of pairs of rows of two others; its node is to come.
func (c *compiler) paired(s *pairSpace, left, right *relation, how query.JoinType) *relation {
	rel := &relation{space: s, window: noNode, said: left.said || right.said, equal: left.equal, loop: left.loop || right.loop}
	by := uint32(len(left.space.leaves()))
	l, r := left.scope, right.scope.shift(by)
	if how == query.JoinRight || how == query.JoinFull {
		l = l.within(present(s, 0))
	}
	if how == query.JoinLeft || how == query.JoinFull {
		r = r.within(present(s, 1))
	}
	rel.parts = pairedParts(s, left.parts, right.parts, how)
	if left.inner != nil || right.inner != nil {
		all := pairedParts(s, left.made(), right.made(), how)
		rel.inner = &all
	}
	rel.scope = &scope{names: append(slices.Clone(l.names), r.names...), bare: l.bare, outside: l.outside}
	return rel
}

// pairedParts is the parts of pairs of rows with the parts l and r.
func pairedParts(s *pairSpace, l, r parts, how query.JoinType) (out parts) {
	left, right := l.values, make([]*query.Expr, len(r.values))
	for i, v := range r.values {
		right[i] = v.Shift(uint32(len(s.left.leaves())))
	}
	if how == query.JoinRight || how == query.JoinFull {
		left = within(present(s, 0), left)
	}
	if how == query.JoinLeft || how == query.JoinFull {
		right = within(present(s, 1), right)
	}
	out.values = append(slices.Clone(left), right...)
	out.slots = behindAll(hop{table: s.table, kind: stepLeft}, l.slots, nil)
	out.slots = behindAll(hop{table: s.table, kind: stepRight}, r.slots, out.slots)
	return out
}

// behindAll appends walks as they are from rows one step above.
func behindAll(step hop, walks, dst [][]hop) [][]hop {
	for _, w := range walks {
		dst = append(dst, append([]hop{step}, w...))
	}
	return dst
}

func within(present *query.Expr, list []*query.Expr) []*query.Expr {
	out := make([]*query.Expr, len(list))
	for i, e := range list {
		out[i] = query.Within(present, e)
	}
	return out
}

// arranged returns a node that arranges a relation by the value of an
// expression: the collection's own arrangement, if it has one.
func (c *compiler) arranged(rel *relation, by *query.Expr) (d2.NodeID, error) {
	if r := rel.root; r != nil && rel.node == r.input && isColumn(by) {
		return c.holds.standing(r, by.Path)
	}
	if err := c.own(rel); err != nil {
		return noNode, err
	}
	value, err := c.holds.reader(by, rel.space)
	if err != nil {
		return noNode, err
	}
	return c.holds.addSame(markOf("arrange", rel.node).with(by), d2.NewArrange(&keyer{value}), rel.node)
}
