package includes

import "millrace.dev/millrace/collection/query"

// plain returns a plan over one collection that makes no rows of its own as a
// query over that collection's rows, and which it is. Its rows go by the ids its source has
// given them.
func plain(p *query.Plan) (q *query.Query, src uint32, ok bool) {
	if p.From.Kind != query.FromCollection || len(p.Joins) > 0 || p.Grouped || len(p.Having) > 0 || p.Distinct || p.Key != 0 || p.SelectFn != nil {
		return nil, 0, false
	}
	s := stripper{alias: p.From.Alias, ok: true}
	q = &query.Query{HasSelect: p.HasSelect, Offset: p.Offset, Limit: p.Limit, Bounded: p.Bounded}
	for _, w := range p.Where {
		q.Where = append(q.Where, s.strip(w))
	}
	for _, e := range p.Select {
		if e.Expr != nil {
			e.Expr = s.strip(e.Expr)
		}
		q.Select = append(q.Select, e)
	}
	for _, t := range p.Order {
		q.Order = append(q.Order, query.Term{Expr: s.strip(t.Expr), Term: t.Term})
	}
	return q, p.From.Col, s.ok
}

// byIDs tells whether the rows of a plan go by the ids they have in its one source.
func byIDs(p *query.Plan) bool {
	return p.From.Kind == query.FromCollection && len(p.Joins) == 0 && !grouped(p) && !p.Distinct && p.Key == 0
}

// stripper takes the alias off references; ok tells whether that was all there
// was to do.
type stripper struct {
	alias string
	ok    bool
}

func (s *stripper) strip(e *query.Expr) *query.Expr {
	switch e.Op {
	case query.OpExists, query.OpAgg, query.OpPull:
		s.ok = false
		return e
	case query.OpRef:
		if len(e.Path) == 0 || e.Path[0] != s.alias {
			s.ok = false
			return e
		}
		out := *e
		out.Path = e.Path[1:]
		return &out
	case query.OpCall:
		out := *e
		out.Args = make([]*query.Expr, len(e.Args))
		for i, a := range e.Args {
			out.Args[i] = s.strip(a)
		}
		return &out
	}
	return e
}
