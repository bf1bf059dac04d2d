package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

const noNode = d2.NodeID(-1)

// source is what a query reads: a root or a live collection.
type source struct {
	root *rootNode // of a plain live collection the one at the bottom; of others nil
	live *Live     // nil: the root itself
}

// Live is a live collection: a query kept up to date. It implements d2.Sink and
// d2.Equal.
type Live struct {
	collection.Base
	engine  *Engine
	plan    *query.Plan
	sources []source // each once
	space   space    // of its rows
	built   *built   // nil: a plain query over a root, which the fields below are of

	src   source
	query *query.Query
	shape query.Shape
	tmpl  uint32 // whose select shows the rows; 0: they are the root's own
	deps  []*Live

	size     int
	lease    *collection.Lease
	conj     []*query.Expr // own conditions, over the root
	prog     *query.Program
	computed []*query.Program
	judged   []*query.Program // computed fields of the rows, at whatever depth: the shell compares the others
	target   *collection.Target
	hash     *collection.Hashing
	route    query.Route
	filter   d2.NodeID
	window   d2.NodeID
	output   d2.NodeID
	pulls    bool // the window reads its rows from an arrangement

	// of the run being published
	changes []d2.Change
	delta   *d2.Delta
	visible []d2.Change
	spare   []d2.Change // room for visible
	rebound []d2.Change
	leaving []uint32 // rows kept until it is published
	failure error
	broken  bool // failed for good: until it is cleaned up
}

func (s source) status() collection.Status {
	if s.live != nil {
		return s.live.Status
	}
	return s.root.Status
}

// space is that of the rows of a source.
func (s source) space() space {
	if s.live != nil {
		return s.live.space
	}
	return s.root
}

func (s source) shape() query.Shape {
	if s.live != nil {
		return s.live.shape
	}
	return query.Shape{}
}

func (s source) tmpl() uint32 {
	if s.live != nil {
		return s.live.tmpl
	}
	return 0
}

// made is what the shell is asked about a live collection's rows by, nil if that
// is their ids alone.
func (l *Live) made() *parts {
	if l.built != nil {
		all := l.built.rel.made()
		return &all
	}
	if len(l.query.Select) == 0 {
		return nil
	}
	out := parts{slots: [][]hop{nil}}
	if under := l.src.live; under != nil {
		if p := under.made(); p != nil {
			out = *p
		}
	}
	shape := l.src.shape()
	for _, s := range l.query.Select {
		if s.Computed() {
			out.values = append(slices.Clone(out.values), shape.Rewrite(s.Expr))
		}
	}
	if len(out.values) == 0 {
		return nil
	}
	return &out
}

// deps returns the list of lives directly over s.
func (s source) deps() *[]*Live {
	if s.live != nil {
		return &s.live.deps
	}
	return &s.root.deps
}

// Receive implements d2.Sink.
func (l *Live) Receive(r *d2.Result) {
	if l.broken {
		return
	}
	changes, delta := r.Changes, r.Delta
	if l.window == noNode {
		// The positions are the source's; without an order of its own this query has none.
		delta = nil
	}
	l.changes, l.delta = changes, delta
	if l.built != nil {
		// What has left is looked at once more when it is published.
		for _, c := range changes {
			if c.Old != d2.None {
				l.space.ref(c.Old)
				l.leaving = append(l.leaving, c.Old)
			}
		}
	}
	l.engine.due = append(l.engine.due, l)
}

// Fail implements d2.Sink.
func (l *Live) Fail(err error) {
	l.failure = plainly(err)
	l.engine.due = append(l.engine.due, l)
}

// Same implements d2.Equal: do two versions look the same through the query's
// select? Whole rows never do here: the root has dropped equal ones.
func (l *Live) Same(a, b uint32) bool {
	if l.built != nil {
		return l.built.looks.same(a, b)
	}
	if l.tmpl == 0 {
		return false
	}
	slots := [2]uint32{a, b}
	for _, p := range l.judged {
		var of [2]value.Cell
		if p.Cells(slots[:], func(i int, c value.Cell) { of[i] = c }) != nil || !value.Same(of[0], of[1]) {
			return false
		}
	}
	equal, err := l.engine.shell.Equal(l.src.root.ID, l.tmpl, a, b)
	return err == nil && equal
}

// compile binds the query to its source and adds its nodes. On an error
// everything is as before.
func (l *Live) compile() (err error) {
	if l.built != nil {
		return l.built.compile()
	}
	e, root := l.engine, l.src.root
	l.space = root
	l.filter, l.window, l.output, l.pulls = noNode, noNode, noNode, false
	under := l.src.shape()
	l.shape = under.Under(l.query, l.Name)
	l.tmpl = l.src.tmpl()
	if l.query.HasSelect {
		l.tmpl = l.ID
	}
	l.lease = root.NewLease().During(e.out)
	defer func() {
		if err != nil {
			l.detach()
		}
	}()
	l.conj = nil
	for _, w := range query.Conjuncts(l.query.Where) {
		l.conj = append(l.conj, under.Rewrite(w))
	}
	if l.prog, err = query.Compile(l.conj, l.lease, e.Dict); err != nil {
		return err
	}
	l.computed = nil
	for _, s := range l.query.Select {
		if s.Computed() {
			p, err := query.Compile([]*query.Expr{under.Rewrite(s.Expr)}, l.lease, e.Dict)
			if err != nil {
				return err
			}
			l.computed = append(l.computed, p)
		}
	}
	l.judged = nil
	for _, c := range l.shape.Computed() {
		p, err := query.Compile([]*query.Expr{c}, l.lease, e.Dict)
		if err != nil {
			return err
		}
		l.judged = append(l.judged, p)
	}
	at, err := l.addFilter()
	if err != nil {
		return err
	}
	if len(l.query.Order) > 0 {
		if at, err = l.addWindow(at, under); err != nil {
			return err
		}
	}
	l.output, err = e.graph.Add(d2.NewOutput(d2.OutputSpec{Sink: l, Keys: root}), at)
	return err
}

// addFilter adds the node of the where clause, if there is one, behind the
// source or behind the root's predicate index.
func (l *Live) addFilter() (d2.NodeID, error) {
	e, root := l.engine, l.src.root
	at := root.input
	if l.src.live != nil {
		at = l.src.live.output
	}
	if len(l.conj) == 0 {
		return at, nil
	}
	var routed bool
	if l.src.live == nil {
		if l.route, routed = query.RouteOf(l.conj); routed {
			at = root.routed
		}
	}
	var err error
	if l.filter, err = e.graph.Add(d2.NewFilter(l.prog), at); err != nil {
		return noNode, err
	}
	if routed {
		col, err := l.lease.Column(l.route.Path, false)
		if err != nil {
			return noNode, err
		}
		if l.hash, err = l.lease.Hash(l.route.Path); err != nil {
			return noNode, err
		}
		l.target = root.Route(l.filter, col, l.route.Cells)
	}
	return l.filter, nil
}

// addWindow adds the node of the order, offset and limit. It reads its rows in
// order from the root's arrangement when there is a limit and that reads less
// than gathering all candidates would.
func (l *Live) addWindow(at d2.NodeID, under query.Shape) (d2.NodeID, error) {
	e, root := l.engine, l.src.root
	terms := make([]query.Term, len(l.query.Order))
	for i, t := range l.query.Order {
		terms[i] = query.Term{Expr: under.Rewrite(t.Expr), Term: t.Term}
	}
	spec := d2.WindowSpec{Keys: root, Pins: root, Equal: l, Offset: l.query.Offset, Limit: l.query.Limit}
	from, fetchable := e.graph.Operator(at).(d2.Fetchable)
	tree := fetchable && l.unlimited() && l.query.Limit != query.Unlimited && !l.fewCandidates()
	order, err := l.lease.Order(terms, tree)
	if err != nil {
		return noNode, err
	}
	spec.Order = order
	if tree {
		if spec.Source, err = d2.NewPull(from, order); err != nil {
			return noNode, err
		}
		l.pulls = true
	}
	window, err := d2.NewWindow(spec)
	if err != nil {
		return noNode, err
	}
	l.window, err = e.graph.Add(window, at)
	return l.window, err
}

// unlimited tells whether what the query stands on is all rows of the root that
// satisfy some conditions: not if there is a window below, which is limited or
// may be at any time.
func (l *Live) unlimited() bool {
	for s := l.src.live; s != nil; s = s.src.live {
		if s.window != noNode {
			return false
		}
	}
	return true
}

// fewCandidates tells whether an equality leaves so few rows that sorting them
// is cheaper than reading in order past the others: with M candidates among R
// rows, reading in order passes need*R/M rows.
func (l *Live) fewCandidates() bool {
	if l.target == nil {
		return false
	}
	m, r := l.hash.Count(l.route.Cells), l.src.root.Len()
	need := float64(l.query.Offset) + float64(l.query.Limit)
	return float64(m)*float64(m) < need*float64(r)
}

// detach takes the query out of the graph and gives back what it holds.
func (l *Live) detach() {
	e := l.engine
	e.unbind(&l.Base)
	if l.built != nil {
		l.built.release()
		l.window, l.output, l.size = noNode, noNode, 0
		return
	}
	if l.target != nil {
		l.target.Close()
		l.target = nil
	}
	for _, n := range []d2.NodeID{l.filter, l.window, l.output} {
		if n != noNode {
			// The first one there is takes the others along.
			_ = e.graph.Drop(n)
			break
		}
	}
	l.filter, l.window, l.output = noNode, noNode, noNode
	if l.lease != nil {
		l.lease.During(e.out).Release()
		l.lease = nil
	}
	l.prog, l.computed, l.judged, l.hash = nil, nil, nil, nil
	l.size = 0
}
