package includes

import (
	"strconv"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// grouped tells whether a plan makes groups: it says so, or its select has an
// aggregate.
func grouped(p *query.Plan) bool {
	if p.Grouped {
		return true
	}
	for _, e := range p.Select {
		if aggregates(e.Expr) {
			return true
		}
	}
	return false
}

func aggregates(e *query.Expr) bool {
	if e == nil {
		return false
	}
	if e.Op == query.OpAgg {
		return true
	}
	for _, a := range e.Args {
		if aggregates(a) {
			return true
		}
	}
	return false
}

// grouping is the group clause of a plan in the making.
type grouping struct {
	c      *compiler
	rel    *relation // what is grouped
	keys   []string  // the identities of the group expressions
	aggs   []string  // those of the aggregates, by result
	chosen []string  // those that the select shows
	ops    []d2.Aggregate
	all    bool // there are no group expressions: other references name nothing
	where  string
	adds   bool // an aggregate that is not there yet may be added
	pulls  bool // an aggregate asks a callback
}

// group folds a relation by the group expressions of a plan.
func (c *compiler) group(rel *relation, p *query.Plan) (*relation, error) {
	if rel.loop {
		return nil, notMonotone("groupBy", "a group")
	}
	asks := c.asks == p && rel.lead != nil && len(rel.lead.pairs) == 0
	if err := c.own(rel); err != nil {
		return nil, err
	}
	g := &grouping{c: c, rel: rel, all: len(p.GroupBy) == 0, adds: true}
	keys, err := rel.scope.rewriteAll(p.GroupBy)
	if err != nil {
		return nil, err
	}
	values := make([]reader, len(keys))
	for i, k := range keys {
		g.keys = append(g.keys, k.ID())
		if values[i], err = c.holds.reader(k, rel.space); err != nil {
			return nil, err
		}
	}
	inner := &scope{special: g.special, outside: rel.scope.outside}
	out := &relation{window: noNode}
	for i := range keys {
		out.values = append(out.values, query.Leaf(uint32(i)))
	}
	var shape query.Shape
	if p.HasSelect {
		shape, err = query.Select(p.Select, c.live.Name, func(e query.Entry) (query.Shape, error) {
			return g.entry(e, inner, out)
		})
	} else {
		var fields []query.Field
		for i := range keys {
			fields = append(fields, query.Field{Name: "__key_" + strconv.Itoa(i), Shape: query.LeafShape(uint32(i))})
		}
		shape = query.Record(fields)
	}
	if err != nil {
		return nil, err
	}
	g.adds = false
	m := markOf("group", rel.node).with(keys...)
	for _, id := range g.aggs {
		m = m.named(id)
	}
	if g.pulls || asks && isColumn(keys[0]) {
		m = nil
	}
	x := c.holds.same(m)
	s := newGroupSpace(c.engine, len(keys), len(g.ops))
	if x != nil {
		s = x.space.(*cellSpace)
	}
	out.space, out.shape = s, shape
	out.scope = &scope{selected: &shape, special: g.special, outside: rel.scope.outside}
	if x != nil {
		out.node = x.node
	} else if op := d2.NewGroup(newGroupKeyer(values, s), s.table, g.ops...); asks && isColumn(keys[0]) {
		out.node, out.asked, err = c.askedGroup(op, s, rel, keys[0])
	} else if out.node, err = c.holds.add(op, rel.node); err == nil {
		c.holds.offers(m, out.node, s)
	}
	if err != nil {
		return nil, err
	}
	g.where = "having"
	return out, c.filter(out, p.Having)
}

// entry compiles a field of the select; every one is a value of the rows.
func (g *grouping) entry(e query.Entry, inner *scope, out *relation) (query.Shape, error) {
	g.where = "select"
	if e.Spread {
		return query.Shape{}, &query.Error{Code: query.CodeGroup, Path: "select", Text: "Non-aggregate expression '" + name(e) + "' in SELECT must also appear in GROUP BY clause"}
	}
	x, err := inner.rewrite(e.Expr)
	if err != nil && g.all && !aggregates(e.Expr) {
		x, err = query.Const(value.Cell{}), nil // of no group's rows in particular
	}
	if err == nil && !g.all && !aggregates(e.Expr) && (x.Op != query.OpRef || int(x.Leaf) >= len(g.keys)) {
		err = errNotGrouped // made of what is grouped by, but not that
	}
	if err == errNotGrouped {
		err = &query.Error{Code: query.CodeGroup, Path: "select", Text: "Non-aggregate expression '" + name(e) + "' in SELECT must also appear in GROUP BY clause"}
	}
	if err != nil {
		return query.Shape{}, err
	}
	if e.Expr.Op == query.OpAgg {
		g.chosen = append(g.chosen, g.aggs[int(x.Leaf)-len(g.keys)])
	}
	out.values = append(out.values, x)
	return query.ValueShape(x), nil
}

func name(e query.Entry) string {
	text := ""
	for i, p := range e.Path {
		if i > 0 {
			text += "."
		}
		text += p
	}
	return text
}

var errNotGrouped = &query.Error{Code: query.CodeGroup, Path: "select", Text: "an expression is neither grouped by nor an aggregate"}

// special is what expressions over groups mean: group expressions and aggregates
// are values of the rows, other references are none.
func (g *grouping) special(e *query.Expr) (*query.Expr, bool, error) {
	switch e.Op {
	case query.OpAgg:
		x, err := g.aggregate(e)
		return x, true, err
	case query.OpRef:
		if len(e.Path) > 0 && e.Path[0] == selected {
			return nil, false, nil
		}
	case query.OpCall:
		if aggregates(e) {
			return nil, false, nil
		}
	default:
		return nil, false, nil
	}
	over, err := g.rel.scope.rewrite(e)
	if err != nil {
		if e.Op == query.OpCall {
			return nil, false, nil // perhaps of what was selected
		}
		return nil, true, err
	}
	id := over.ID()
	for i, k := range g.keys {
		if k == id {
			return query.Leaf(uint32(i)), true, nil
		}
	}
	if e.Op == query.OpCall {
		return nil, false, nil
	}
	if g.where == "having" {
		return query.Const(value.Cell{}), true, nil
	}
	return nil, true, errNotGrouped
}

// aggregate returns the value of an aggregate.
func (g *grouping) aggregate(e *query.Expr) (*query.Expr, error) {
	of, err := g.rel.scope.rewrite(e.Args[0])
	if err != nil {
		return nil, err
	}
	id := e.Name + " " + of.ID()
	g.pulls = g.pulls || of.Pulls()
	for i, a := range g.aggs {
		if a != id {
			continue
		}
		if g.where == "having" && !contains(g.chosen, id) {
			break
		}
		return query.Leaf(uint32(len(g.keys) + i)), nil
	}
	if !g.adds {
		return nil, &query.Error{Code: query.CodeGroup, Path: "having", Text: "Aggregate function in HAVING clause must also be in SELECT clause: " + e.Name}
	}
	r, err := g.c.holds.reader(of, g.rel.space)
	if err != nil {
		return nil, err
	}
	op, err := g.c.fold(e.Name, r)
	if err != nil {
		return nil, err
	}
	g.aggs, g.ops = append(g.aggs, id), append(g.ops, op)
	return query.Leaf(uint32(len(g.keys) + len(g.ops) - 1)), nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// fold returns the aggregate of a name over the values of an expression.
func (c *compiler) fold(name string, r reader) (d2.Aggregate, error) {
	switch name {
	case "count":
		return &countOf{tally{reader: r}}, nil
	case "sum", "avg":
		return &sumOf{tally: tally{reader: r}, mean: name == "avg", texts: c.engine.Dict, big: c.engine.bigint}, nil
	case "min":
		return d2.Min(&extremes{r, c.engine.Dict}), nil
	case "max":
		return d2.Max(&extremes{r, c.engine.Dict}), nil
	}
	return nil, &query.Error{Code: query.CodeAggregate, Path: "select", Text: "Unsupported aggregate function: " + name}
}
