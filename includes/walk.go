package includes

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

// visitor is called with the parts of a plan; each may be nil.
type visitor struct {
	from  func(*query.From)
	expr  func(*query.Expr)
	query func(*query.Plan)
}

// plan visits a plan, with all that lies in it.
func (v *visitor) plan(p *query.Plan) {
	if v.query != nil {
		v.query(p)
	}
	v.source(p.From)
	for _, j := range p.Joins {
		v.source(j.From)
		v.expression(j.Left)
		v.expression(j.Right)
	}
	v.list(p.Where)
	v.list(p.GroupBy)
	for _, e := range p.Select {
		v.expression(e.Expr)
	}
	v.expression(p.SelectFn)
	v.list(p.Having)
	for _, t := range p.Order {
		v.expression(t.Expr)
	}
}

func (v *visitor) source(f *query.From) {
	if v.from != nil {
		v.from(f)
	}
	for _, p := range []*query.Plan{f.Plan, f.Step} {
		if p != nil {
			v.plan(p)
		}
	}
	for _, m := range f.Members {
		v.source(m)
	}
	for _, b := range f.Branches {
		v.plan(b)
	}
}

func (v *visitor) list(list []*query.Expr) {
	for _, e := range list {
		v.expression(e)
	}
}

func (v *visitor) expression(e *query.Expr) {
	if e == nil {
		return
	}
	if v.expr != nil {
		v.expr(e)
	}
	v.list(e.Args)
	if e.Sub != nil {
		v.plan(e.Sub)
	}
}

// own visits an expression without the subqueries in it.
func (v *visitor) own(e *query.Expr) {
	v.expr(e)
	for _, a := range e.Args {
		v.own(a)
	}
}

// eachCollection calls visit with every collection a plan reads.
func eachCollection(p *query.Plan, visit func(id uint32)) {
	v := visitor{from: func(f *query.From) {
		if f.Kind == query.FromCollection {
			visit(f.Col)
		}
	}}
	v.plan(p)
}

// eachCell calls visit with every constant in a plan.
func eachCell(p *query.Plan, visit func(value.Cell)) {
	v := visitor{expr: func(e *query.Expr) {
		switch e.Op {
		case query.OpConst:
			visit(e.Cell)
		case query.OpList:
			for _, c := range e.List {
				visit(c)
			}
		}
	}}
	v.plan(p)
}

// selects tells whether anything in a plan shows its rows otherwise than as they
// are.
func selects(p *query.Plan) (found bool) {
	v := visitor{query: func(p *query.Plan) { found = found || p.HasSelect || p.SelectFn != nil }}
	v.plan(p)
	return found
}
