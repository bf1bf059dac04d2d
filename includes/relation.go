package includes

import (
	"slices"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// relation is a node of the graph with what is known of its rows.
type relation struct {
	node     d2.NodeID
	space    space
	parts                  // what the shell is told of its rows
	inner    *parts        // what it is asked about them by: live collections by the parts of their rows; nil: the same
	computed []*query.Expr // those of the values that are fields of the last select
	scope    *scope        // what references mean
	shape    query.Shape   // what a row looks like to those above
	window   d2.NodeID     // the window its rows are read from in order, or noNode
	root     *rootNode     // its rows are slots of this one, in the state its arrangements are in
	loop     bool          // made of rows of a recursion whose step is being compiled
	lead     *lead         // nil: its rows cannot be fetched by what they begin with
	loose    bool          // nobody refers to its rows yet; see own
	said     bool          // callbacks of this query say something of its rows: leaves
	equal    *equality     // a condition that they satisfy
	asked    d2.Keyer      // they are groups, to be looked up by this alone
}

// parts is what the shell knows rows by (docs/queries.md): the rows of collections
// they are made of, and values.
type parts struct {
	slots  [][]hop
	values []*query.Expr
}

// made is the parts by which the shell is asked about rows.
func (r *relation) made() parts {
	if r.inner != nil {
		return *r.inner
	}
	return r.parts
}

// compiler builds one query into the graph.
type compiler struct {
	engine *Engine
	holds  *holds
	live   *Live
	depth  int
	loops  []loop
	asks   *query.Plan // whose groups will be looked up
}

// maxDepth bounds how deep plans lie in each other.
const maxDepth = 64

// plan compiles a plan within the scope of those around it.
func (c *compiler) plan(p *query.Plan, outer *scope) (*relation, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return nil, &query.Error{Code: query.CodeUnsupported, Path: "from", Text: "queries lie too deep in each other"}
	}
	w := splitWhere(p)
	rel, err := c.from(p, w, outer)
	if err != nil {
		return nil, err
	}
	for i := range p.Joins {
		if rel, err = c.join(rel, p, i, w, outer); err != nil {
			return nil, err
		}
	}
	if err := c.restrict(rel, w); err != nil {
		return nil, err
	}
	if grouped(p) {
		rel, err = c.group(rel, p)
	} else {
		rel, err = c.project(rel, p)
	}
	if err != nil {
		return nil, err
	}
	if p.Distinct {
		if rel, err = c.distinct(rel, p); err != nil {
			return nil, err
		}
	}
	if p.Key != 0 {
		if rel, err = c.byKey(rel, p); err != nil {
			return nil, err
		}
	}
	if len(p.Order) > 0 {
		err = c.order(rel, p)
	}
	return rel, err
}

// conditions are the conjuncts of a plan's where, each with the aliases it
// refers to.
type conditions struct {
	list []condition
}

type condition struct {
	expr    *query.Expr
	aliases []string
	single  bool // it may be judged where its only alias is
	done    bool
}

func splitWhere(p *query.Plan) *conditions {
	w := &conditions{}
	for _, e := range query.Conjuncts(p.Where) {
		c := condition{expr: e, single: true}
		v := visitor{expr: func(e *query.Expr) {
			switch e.Op {
			case query.OpRef:
				if len(e.Path) > 0 && !slices.Contains(c.aliases, e.Path[0]) {
					c.aliases = append(c.aliases, e.Path[0])
				}
			case query.OpExists, query.OpPull, query.OpAgg:
				c.single = false
			}
		}}
		v.expression(e)
		c.single = c.single && len(c.aliases) == 1
		w.list = append(w.list, c)
	}
	return w
}

// of takes the conditions that concern one alias alone.
func (w *conditions) of(alias string) []*query.Expr {
	var out []*query.Expr
	for i := range w.list {
		if c := &w.list[i]; !c.done && c.single && c.aliases[0] == alias {
			c.done = true
			out = append(out, c.expr)
		}
	}
	return out
}

// missable tells whether the rows of a plan's source may be missing where those
// of others are: source 0 is from, source i the one of join i-1.
func missable(p *query.Plan, i int) bool {
	if i > 0 && (p.Joins[i-1].Type == query.JoinLeft || p.Joins[i-1].Type == query.JoinFull) {
		return true
	}
	for _, j := range p.Joins[i:] {
		if j.Type == query.JoinRight || j.Type == query.JoinFull {
			return true
		}
	}
	return false
}
