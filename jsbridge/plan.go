package jsbridge

import "millrace.dev/millrace/collection/query"

// overCollection is the plan of a query over one collection.
func overCollection(col uint32, q *query.Query) *query.Plan {
	p := &query.Plan{
		From: &query.From{Kind: query.FromCollection, Col: col}, HasSelect: q.HasSelect,
		Offset: q.Offset, Limit: q.Limit, Bounded: q.Bounded,
	}
	for _, w := range q.Where {
		p.Where = append(p.Where, overAlias(w))
	}
	for _, e := range q.Select {
		if e.Expr == nil {
			e.Expr = query.Ref()
		}
		e.Expr = overAlias(e.Expr)
		p.Select = append(p.Select, e)
	}
	for _, t := range q.Order {
		p.Order = append(p.Order, query.Term{Expr: overAlias(t.Expr), Term: t.Term})
	}
	return p
}

// overAlias puts the alias of the only source, which is empty, before every
// reference.
func overAlias(e *query.Expr) *query.Expr {
	out := *e
	if e.Op == query.OpRef {
		out.Path = append([]string{""}, e.Path...)
	}
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, overAlias(a))
	}
	return &out
}
