package includes

import (
	"slices"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// correlate compiles a subquery that stands in a condition over rows of a relation.
func (c *compiler) correlate(rel *relation, sub *query.Plan) (*correlated, error) {
	own := sourceNames(sub)
	o := &outsider{rel: rel.scope, own: own}
	p := *sub
	p.Where = nil
	s := &correlated{}
	var inner *query.Expr
	for _, e := range query.Conjuncts(sub.Where) {
		if !o.concerned(e) {
			p.Where = append(p.Where, e)
			continue
		}
		if out, in := o.equality(e); in != nil && s.outer == nil {
			s.outer, inner = out, in
			continue
		}
		s.rest = append(s.rest, e)
	}
	if err := o.elsewhere(&p); err != nil {
		return nil, err
	}
	if s.outer == nil && len(s.rest) == 0 {
		var err error
		s.rel, err = c.plan(&p, nil)
		return s, err
	}
	s.never = p.Bounded && p.Limit == 0
	if p.Bounded && p.Offset > 0 {
		return nil, &query.Error{Code: query.CodeUnsupported, Path: "offset", Text: "a subquery that refers to rows around it cannot have an offset"}
	}
	// Whether there are rows does not depend on these.
	p.Bounded, p.Limit, p.Order, p.Distinct = false, query.Unlimited, nil, false
	groups := grouped(&p)
	if groups {
		if len(s.rest) > 0 {
			return nil, &query.Error{Code: query.CodeUnsupported, Path: "where", Text: "a subquery with groups can refer to rows around it by one equality, such as eq(inner.userId, outer.id), and not otherwise"}
		}
		// The rows of an outer row are those of one value: they are grouped by that as well.
		p.Grouped, p.GroupBy = true, append(slices.Clone(p.GroupBy), inner)
	}
	var err error
	if s.rel, err = c.plan(&p, nil); err != nil {
		return nil, err
	}
	if s.outer == nil {
		return s, nil
	}
	if s.outer, err = rel.scope.rewrite(s.outer); err != nil {
		return nil, err
	}
	if groups {
		s.inner = query.Leaf(uint32(len(p.GroupBy) - 1))
		return s, nil
	}
	s.inner, err = s.rel.scope.rewrite(inner)
	return s, err
}

// arrangedBy arranges a relation by the value of an expression, by nothing if there
// is none.
func (c *compiler) arrangedBy(rel *relation, by *query.Expr) (d2.NodeID, error) {
	if by != nil {
		return c.arranged(rel, by)
	}
	if err := c.own(rel); err != nil {
		return noNode, err
	}
	return c.holds.add(d2.NewArrange(&keyer{constant(value.Number(0))}), rel.node)
}

// sourceNames lists the aliases of a plan's own sources.
func sourceNames(p *query.Plan) []string {
	var list []string
	add := func(f *query.From) {
		if f.Kind == query.FromSources {
			for _, m := range f.Members {
				list = append(list, m.Alias)
			}
		} else if f.Alias != "" {
			list = append(list, f.Alias)
		}
	}
	add(p.From)
	for _, j := range p.Joins {
		add(j.From)
	}
	return list
}

// outsider tells what in a subquery refers to rows around it.
type outsider struct {
	rel *scope   // of the rows around
	own []string // names that mean something within
}

// outer tells whether a reference is one to rows around.
func (o *outsider) outer(e *query.Expr, own []string) bool {
	if len(e.Path) == 0 || e.Path[0] == selected || slices.Contains(own, e.Path[0]) {
		return false
	}
	return o.rel.has(e.Path[0]) || o.rel.bare != nil && len(own) > 0
}

// concerned tells whether an expression refers to rows around, itself or in a
// subquery.
func (o *outsider) concerned(e *query.Expr) bool { return o.refers(e, o.own, true) }

// refers tells whether an expression refers to rows around (outer), or to others.
func (o *outsider) refers(e *query.Expr, own []string, outer bool) bool {
	if e == nil {
		return false
	}
	if e.Op == query.OpRef && len(e.Path) > 0 && o.outer(e, own) == outer {
		return true
	}
	if e.Sub != nil && outer && o.plan(e.Sub, own) {
		return true
	}
	return slices.ContainsFunc(e.Args, func(a *query.Expr) bool { return o.refers(a, own, outer) })
}

// plan tells whether anything in a plan refers to rows around.
func (o *outsider) plan(p *query.Plan, own []string) bool {
	own = append(slices.Clone(own), sourceNames(p)...)
	for _, e := range p.Where {
		if o.refers(e, own, true) {
			return true
		}
	}
	return o.clauses(p, own) != ""
}

// clauses returns the clause, other than where, of a plan that refers to rows
// around.
func (o *outsider) clauses(p *query.Plan, own []string) string {
	any := func(list []*query.Expr) bool {
		return slices.ContainsFunc(list, func(e *query.Expr) bool { return o.refers(e, own, true) })
	}
	for _, j := range p.Joins {
		if any([]*query.Expr{j.Left, j.Right}) {
			return "join"
		}
	}
	for _, e := range p.Select {
		if o.refers(e.Expr, own, true) {
			return "select"
		}
	}
	for _, t := range p.Order {
		if o.refers(t.Expr, own, true) {
			return "orderBy"
		}
	}
	switch {
	case any(p.GroupBy):
		return "groupBy"
	case any(p.Having):
		return "having"
	}
	return ""
}

// elsewhere refuses references to rows around in other clauses than where. The
// select is not looked at where nobody sees it.
func (o *outsider) elsewhere(p *query.Plan) error {
	clause := o.clauses(p, o.own)
	if clause == "select" && !grouped(p) && !p.Distinct {
		p.HasSelect, p.Select, p.SelectFn = false, nil, nil
		clause = o.clauses(p, o.own)
	}
	if clause == "" {
		return nil
	}
	return &query.Error{Code: query.CodeUnsupported, Path: clause, Text: "a subquery can refer to rows around it in its where clause and in the subqueries there, not in " + clause}
}

// equality takes an equation of an inner and an outer expression apart.
func (o *outsider) equality(e *query.Expr) (outer, inner *query.Expr) {
	if e.Op != query.OpCall || e.Fn != query.FnEq || len(e.Args) != 2 || hasExists(e) {
		return nil, nil
	}
	a, b := e.Args[0], e.Args[1]
	if !o.concerned(a) {
		a, b = b, a
	}
	if !o.concerned(a) || o.refers(a, o.own, false) || o.concerned(b) || !o.refers(b, o.own, false) {
		return nil, nil
	}
	return a, b
}
