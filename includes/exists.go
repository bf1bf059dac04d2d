package includes

import (
	"slices"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// Subqueries as conditions (docs/queries.md). A subquery is compiled without what it
// says of rows around it; an equality with those is what both sides are put
// together by, the rest is judged on pairs of an outer and an inner row.

// correlated is a subquery with what it says of the rows around it.
type correlated struct {
	rel          *relation
	outer, inner *query.Expr   // are equal; nil: nothing has to be
	rest         []*query.Expr // conditions over rows of both
	never        bool          // it has no rows at all
}

// hasExists tells whether a condition has a subquery in it.
func hasExists(e *query.Expr) bool {
	if e.Op == query.OpExists {
		return true
	}
	return slices.ContainsFunc(e.Args, hasExists)
}

// judge confines a relation to rows that satisfy conditions of its scope, those with
// subqueries last.
func (c *compiler) judge(rel *relation, where []*query.Expr) error {
	var simple, others []*query.Expr
	for _, e := range where {
		if hasExists(e) {
			others = append(others, e)
		} else {
			simple = append(simple, e)
		}
	}
	if err := c.filter(rel, simple); err != nil {
		return err
	}
	for _, e := range others {
		if err := c.judgeOne(rel, e); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) judgeOne(rel *relation, e *query.Expr) error {
	negated := false
	for e.Op == query.OpCall && e.Fn == query.FnNot && len(e.Args) == 1 && hasExists(e) {
		negated, e = !negated, e.Args[0]
	}
	switch {
	case e.Op == query.OpExists:
		return c.exists(rel, e.Sub, e.Negated != negated)
	case negated:
		e = query.Call(query.FnNot, e)
	}
	return c.flagged(rel, e)
}

// exists keeps the rows for which a subquery has rows, or none if negated.
func (c *compiler) exists(rel *relation, sub *query.Plan, negated bool) error {
	s, err := c.correlate(rel, sub)
	if err != nil {
		return err
	}
	if s.rel.loop && negated {
		return notMonotone("where", "notExists")
	}
	if s.never {
		if !negated {
			return c.keep(rel, []*query.Expr{query.Const(value.Cell{Kind: value.KindBool})})
		}
		return nil
	}
	if len(s.rest) > 0 {
		return c.existsPairs(rel, s, negated)
	}
	if done, err := c.existsFetched(rel, s, negated); done || err != nil {
		return err
	}
	left, err := c.arrangedBy(rel, s.outer)
	if err != nil {
		return err
	}
	right, err := c.arrangedBy(s.rel, s.inner)
	if err != nil {
		return err
	}
	return c.semijoin(rel, s.rel, left, right, negated)
}

func (c *compiler) semijoin(rel, of *relation, left, right d2.NodeID, negated bool) (err error) {
	op, m := d2.NewSemijoin(), markOf("semijoin", left, right)
	if negated {
		op, m = d2.NewAntijoin(), markOf("antijoin", left, right)
	}
	rel.node, err = c.holds.addSame(m, op, left, right)
	rel.lead, rel.loop = nil, rel.loop || of.loop
	return err
}

// existsFetched looks for an inner row of each outer row, and for outer rows when
// inner ones come and go, if both can be done; then nothing is kept.
func (c *compiler) existsFetched(rel *relation, s *correlated, negated bool) (done bool, err error) {
	if rel.lead == nil || rel.loop || s.rel.loop || s.outer == nil || !isColumn(s.outer) {
		return false, nil
	}
	by, err := c.holds.offer(rel.lead.root, s.outer.Path)
	if err != nil {
		return false, err
	}
	spec := d2.ExistsSpec{ParentKey: rel.lead.keyer(by), Negated: negated}
	at := s.rel.node
	if in := s.rel.lead; in != nil && isColumn(s.inner) && at != in.root.input {
		of, err := c.holds.offer(in.root, s.inner.Path)
		if err != nil {
			return false, err
		}
		spec.ChildKey = in.keyer(of)
	} else if at, err = c.arranged(s.rel, s.inner); err != nil {
		return false, err
	}
	op, err := d2.NewExists(spec)
	if err != nil {
		return false, err
	}
	rel.node, err = c.holds.add(op, rel.node, at)
	return true, err
}

// existsPairs judges pairs of an outer and an inner row.
func (c *compiler) existsPairs(rel *relation, s *correlated, negated bool) error {
	some, err := c.somePair(rel, s)
	if err != nil {
		return err
	}
	left, err := c.holds.add(d2.NewArrange(sameRow), rel.node)
	if err != nil {
		return err
	}
	right, err := c.holds.add(d2.NewArrange(sameRow), some)
	if err != nil {
		return err
	}
	return c.semijoin(rel, s.rel, left, right, negated)
}

// somePair is a node of the outer rows, each once, that have an inner row with which
// they satisfy what is to be judged on both.
func (c *compiler) somePair(rel *relation, s *correlated) (d2.NodeID, error) {
	left, err := c.arrangedBy(rel, s.outer)
	if err != nil {
		return noNode, err
	}
	right, err := c.arrangedBy(s.rel, s.inner)
	if err != nil {
		return noNode, err
	}
	space := newPairSpace(c.engine, rel.space, s.rel.space)
	both := c.paired(space, rel, s.rel, query.JoinInner)
	// A name means what is nearest.
	outer := len(rel.scope.names)
	both.scope.names = append(slices.Clone(both.scope.names[outer:]), both.scope.names[:outer]...)
	if bare := s.rel.scope.bare; bare != nil {
		b := bare.Shift(uint32(len(rel.space.leaves())))
		both.scope.bare = &b
	}
	if both.node, err = c.holds.add(d2.NewJoin(d2.JoinSpec{Rows: space.pairs}), left, right); err != nil {
		return noNode, err
	}
	if err := c.judge(both, s.rest); err != nil {
		return noNode, err
	}
	at, err := c.holds.add(d2.NewMap(&firstRow{[]*d2.Pairs{space.pairs}}), both.node)
	if err != nil {
		return noNode, err
	}
	return c.holds.add(d2.NewDistinct(), at)
}

// flagged judges a condition in which subqueries stand beside others: every row is
// paired with itself if a subquery has rows for it, with none if not.
func (c *compiler) flagged(rel *relation, e *query.Expr) error {
	if err := c.own(rel); err != nil {
		return err
	}
	f := &flagging{c: c, rel: rel, all: *rel}
	where, err := f.rewrite(e)
	if err != nil {
		return err
	}
	f.all.root = nil
	if err := c.keep(&f.all, []*query.Expr{where}); err != nil {
		return err
	}
	rel.node, err = c.holds.add(d2.NewMap(&firstRow{f.tables}), f.all.node)
	rel.lead = nil
	return err
}

// flagging is a condition with subqueries in the making.
type flagging struct {
	c      *compiler
	rel    *relation   // what it is about
	all    relation    // its rows with flags; what is a leaf of rel is the same one here
	tables []*d2.Pairs // that the rows lie in, outermost first
}

func (f *flagging) rewrite(e *query.Expr) (*query.Expr, error) {
	switch {
	case !hasExists(e):
		return f.rel.scope.rewrite(e)
	case e.Op == query.OpExists:
		return f.flag(e)
	}
	out := *e
	out.Args = make([]*query.Expr, len(e.Args))
	for i, a := range e.Args {
		var err error
		if out.Args[i], err = f.rewrite(a); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// flag returns whether a subquery has rows, or has none if it is negated.
func (f *flagging) flag(e *query.Expr) (*query.Expr, error) {
	c, some := f.c, *f.rel
	if err := c.exists(&some, e.Sub, false); err != nil {
		return nil, err
	}
	if some.loop && !f.rel.loop {
		return nil, notMonotone("where", "exists beside other conditions")
	}
	left, err := c.holds.add(d2.NewArrange(&firstRow{f.tables}), f.all.node)
	if err != nil {
		return nil, err
	}
	right, err := c.holds.add(d2.NewArrange(sameRow), some.node)
	if err != nil {
		return nil, err
	}
	s := newFlagSpace(c.engine, f.all.space, f.rel.space)
	if f.all.node, err = c.holds.add(d2.NewOuterJoin(d2.LeftOuter, d2.JoinSpec{Rows: s.pairs}), left, right); err != nil {
		return nil, err
	}
	f.all.space = s
	f.tables = append([]*d2.Pairs{s.pairs}, f.tables...)
	flag := query.Call(query.FnIsUndefined, present(s, 1))
	if !e.Negated {
		flag = query.Call(query.FnNot, flag)
	}
	return flag, nil
}

// firstRow leads from a row of pairs in pairs to the leftmost one: as a row, and as
// the key of an arrangement. It implements d2.Mapper and d2.Keyer.
type firstRow struct{ tables []*d2.Pairs }

// sameRow arranges rows by themselves.
var sameRow = &firstRow{}

// Map implements d2.Mapper.
func (f *firstRow) Map(row uint32) uint32 {
	for _, t := range f.tables {
		row = t.Left(row)
	}
	return row
}

// Key implements d2.Keyer.
func (f *firstRow) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 0, uint64(f.Map(row)), true
}
