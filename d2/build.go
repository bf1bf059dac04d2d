package d2

// Builder adds nodes and edges to a graph. Its methods note the first error,
// after which they do nothing; Extend returns it. It is of no use afterwards.
type Builder struct {
	g      *Graph
	added  []*node
	shared []*node // held once more by this build
	edges  []built
	grown  []*node // existing nodes an edge of the build ends in
	back   bool    // an edge ends in a node that existed before
	mixed  bool    // the order of creation is not one of visits
	inLoop bool
	done   bool
	err    error
	before numbering
	anew   func(*Graph, *Builder) error // numbers what does not come in an order of visits
}

// built is an edge of the build, the last one of both its ends.
type built struct {
	from, to *node
	feedback bool
}

// Extend lets build add nodes and edges, then numbers what is new: ranks of
// existing nodes do not change unless an edge ends in one. On an error, or a
// panic in build, the graph is as before. New nodes start empty; see
// [Graph.Hydrate], which what an edge leads back into needs as well. Cost:
// O(what is new), or O(graph) where ranks change.
func (g *Graph) Extend(build func(b *Builder)) error {
	if err := g.closed(); err != nil {
		return err
	}
	g.compact()
	b := &Builder{g: g, anew: (*Graph).numberByComponents}
	defer b.end()
	g.building = true
	build(b)
	return b.finish()
}

// finish numbers and binds what was built.
func (b *Builder) finish() error {
	g := b.g
	if b.err == nil {
		b.err = g.number(b)
	}
	g.building = false
	if b.err == nil {
		b.err = b.bind()
	}
	b.done = b.err == nil
	return b.err
}

// end closes the builder; what was not finished is taken back.
func (b *Builder) end() {
	b.g.building = false
	if !b.done {
		b.takeBack()
	}
	b.fail(ErrBuilt)
}

// takeBack removes what was built, in the opposite order.
func (b *Builder) takeBack() {
	b.before.restore(b.g)
	for _, n := range b.shared {
		n.owned--
	}
	for i := len(b.edges) - 1; i >= 0; i-- {
		f, t := b.edges[i].from, b.edges[i].to
		f.outs[len(f.outs)-1] = edge{}
		f.outs = f.outs[:len(f.outs)-1]
		t.ins[len(t.ins)-1] = inEdge{}
		t.ins = t.ins[:len(t.ins)-1]
	}
	for i := len(b.added) - 1; i >= 0; i-- {
		b.added[i].rank = noRank
		b.g.erase(b.added[i])
	}
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Add adds an operator with an edge from each of ins to the port of the same
// position. Ports left out, and further edges, are [Builder.Connect]'s.
func (b *Builder) Add(op Operator, ins ...NodeID) NodeID {
	g := b.g
	if b.err != nil {
		return -1
	}
	if op == nil {
		b.fail(ErrNoOperator)
		return -1
	}
	n := &node{op: op, owned: 1}
	n.ins = n.oneIn[:0]
	if ports := op.Ports(); ports == 1 {
		n.ports = n.onePort[:]
	} else {
		n.ports = make([]port, ports)
	}
	_, n.fixed = op.(entry)
	n.sink, _ = op.(*Output)
	if f := len(g.free); f > 0 {
		n.id = g.free[f-1]
		g.free = g.free[:f-1]
		g.nodes[n.id] = n
	} else {
		n.id = NodeID(len(g.nodes))
		g.nodes = append(g.nodes, n)
	}
	n.rank, n.local = noRank, int32(len(b.added))
	g.live++
	b.added = append(b.added, n)
	for i, in := range ins {
		b.Connect(in, n.id, i)
	}
	return n.id
}

// Connect adds an edge from a node's output to a port. Any number of edges may
// end in one port: their batches are added up.
func (b *Builder) Connect(from, to NodeID, port int) { b.connect(from, to, port, false) }

// Feedback adds an edge that closes a cycle: what passes it belongs to the next
// iteration.
func (b *Builder) Feedback(from, to NodeID, port int) { b.connect(from, to, port, true) }

func (b *Builder) connect(from, to NodeID, port int, feedback bool) {
	if b.err != nil {
		return
	}
	f, t := b.g.node(from), b.g.node(to)
	switch {
	case f == nil || t == nil:
		b.fail(ErrNoNode)
		return
	case f.failed != nil || t.failed != nil:
		b.fail(ErrFailed)
		return
	case port < 0 || port >= len(t.ports):
		b.fail(ErrNoPort)
		return
	}
	switch {
	case t.rank != noRank:
		b.back = true
		b.grown = append(b.grown, t)
	case feedback || (f.rank == noRank && f.local >= t.local):
		b.mixed = true
	}
	f.outs = append(f.outs, edge{t, int32(port), int32(len(t.ins)), feedback})
	t.ins = append(t.ins, inEdge{f, int32(port), int32(len(f.outs) - 1), feedback})
	b.edges = append(b.edges, built{f, t, feedback})
}

// Iterate builds a recursive relation: the least x with x = base + body(x), by
// iterations. body gets the variable and returns the node that computes what
// follows from it; base enters at iteration 0. The result is the variable
// itself. The body should end in [Distinct] or another reduction, without which
// cyclic data never comes to rest. A loop inside body is refused with
// [ErrNestedLoop]; for mutual recursion use Concat and [Builder.Feedback].
func (b *Builder) Iterate(base NodeID, body func(variable NodeID) NodeID) NodeID {
	if b.inLoop {
		b.fail(ErrNestedLoop)
		return -1
	}
	b.inLoop = true
	x := b.Add(NewConcat(), base)
	b.Feedback(body(x), x, 0)
	b.inLoop = false
	return x
}

// bind tells new operators their places, sources first. Operators that exist
// were told theirs; what would change it is refused.
func (b *Builder) bind() error {
	for _, n := range b.added {
		if err := b.g.bindNode(n); err != nil {
			return &NodeError{Node: n.id, Op: n.op.Name(), Cause: err}
		}
	}
	if !b.back {
		return nil
	}
	for i, n := range b.before.nodes {
		was := &b.before.places[i]
		if was.rank == noRank || (was.comp == nil) == (n.comp == nil) {
			continue
		}
		if _, ok := n.op.(Binder); ok {
			return &NodeError{Node: n.id, Op: n.op.Name(), Cause: drawnIn(n.op)}
		}
	}
	for _, n := range b.grown {
		if _, ok := n.op.(Binder); ok {
			return &NodeError{Node: n.id, Op: n.op.Name(), Cause: ErrBound}
		}
	}
	return nil
}

// drawnIn tells why an existing operator cannot become part of a cycle.
func drawnIn(op Operator) error {
	switch op.(type) {
	case *Window, *Output:
		return ErrLimitInCycle
	}
	return ErrBound
}

func (g *Graph) bindNode(n *node) error {
	for i := range n.ins {
		if n.ins[i].from.lends() && !n.borrows() {
			return ErrLent
		}
	}
	binder, ok := n.op.(Binder)
	if !ok {
		return nil
	}
	for len(g.scratch.in) < len(n.ports) {
		g.scratch.in = append(g.scratch.in, nil)
	}
	in := g.scratch.in[:len(n.ports)]
	clear(in)
	at := Place{Node: n.id, In: in, Cyclic: n.comp != nil, at: n, graph: g}
	var seen uint64 // ports an edge ends in
	for _, in := range n.ins {
		at.In[in.port] = in.from.op
		if bit := uint64(1) << (in.port & 63); seen&bit != 0 {
			at.In[in.port] = nil
		} else {
			seen |= bit
		}
	}
	return binder.Bind(at)
}

// Above tells whether an operator stands above this place: everything that
// reaches it is visited before. Cost: one look at every ancestor.
func (p Place) Above(op Operator) bool {
	if p.at == nil {
		return false
	}
	g := p.graph
	g.epoch++
	p.at.mark = g.epoch
	list := []*node{p.at}
	for i := 0; i < len(list); i++ {
		for _, in := range list[i].ins {
			if in.from.rank >= p.at.rank || in.from.mark == g.epoch {
				continue
			}
			if in.from.op == op {
				return true
			}
			in.from.mark = g.epoch
			list = append(list, in.from)
		}
	}
	return false
}
