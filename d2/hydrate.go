package d2

// Hydrate fills nodes that were built in or reset while what feeds them already
// had content, with everything they feed: the present output of settled nodes
// enters as one batch, and sinks receive the first content. All nodes that are
// new must be given, or be fed by those given. What was staged before runs
// first. An operator whose output cannot be told is [ErrNoSnapshot]; nothing
// has happened then. Cost: that of the content once, less where an operator
// reads arrangements (see [Stager]).
func (g *Graph) Hydrate(ids ...NodeID) error {
	if err := g.closed(); err != nil {
		return err
	}
	if g.waiting {
		if _, err := g.Run(); err != nil {
			return err
		}
	}
	var roots []*node
	for _, id := range ids {
		n := g.node(id)
		switch {
		case n == nil:
			return ErrNoNode
		case n.failed != nil:
			return ErrFailed
		}
		roots = append(roots, n)
	}
	list := g.downstream(roots)
	epoch := g.epoch
	var known []snapshot
	var pushes []push
	wantInputs(list)
	for _, n := range list {
		for i := range n.ins {
			in := &n.ins[i]
			if in.from.mark == epoch || !n.wants(in.port) {
				continue
			}
			rows, err := g.snapshot(in.from, &known)
			if err != nil {
				return err
			}
			pushes = append(pushes, push{n.id, int(in.port), false, rows})
		}
	}
	for _, n := range list {
		if _, ok := n.op.(Stager); !ok && n.sink == nil {
			continue
		}
		n.touched = true
		g.wake(n)
		if n.sink != nil {
			n.sink.fresh = true
		}
	}
	for _, p := range pushes {
		_ = g.push(p.to, p.port, p.batch, false)
	}
	g.hydrating, g.visit.Hydrating = true, true
	_, err := g.Run()
	g.hydrating, g.visit.Hydrating = false, false
	return err
}

// Snapshot returns the present output of a node, consolidated. Operators
// without state are computed from what feeds them. Cost: that of the content.
func (g *Graph) Snapshot(id NodeID) ([]Diff, error) {
	if err := g.closed(); err != nil {
		return nil, err
	}
	n := g.node(id)
	switch {
	case n == nil:
		return nil, ErrNoNode
	case n.failed != nil:
		return nil, ErrFailed
	}
	rows, err := g.snapshot(n, &[]snapshot{})
	return append([]Diff(nil), rows...), err
}

// wantInputs finds out which new nodes need what feeds them: sinks, operators
// with state, and operators without if something they feed does. The answer is
// left in low.
func wantInputs(list []*node) {
	var byRank minHeap
	for i, n := range list {
		byRank.push(uint64(^n.rank)<<32 | uint64(i))
	}
	for len(byRank) > 0 {
		n := list[uint32(byRank.pop())]
		_, keeps := n.op.(Keeper)
		want := keeps || n.sink != nil || n.comp != nil
		for i := range n.outs {
			e := &n.outs[i]
			want = want || e.to.comp != nil || e.to.wants(e.port)
		}
		n.low = 0
		if want {
			n.low = 1
		}
	}
}

// wants tells whether a port needs the content behind it as a batch.
func (n *node) wants(port int32) bool {
	if s, ok := n.op.(Stager); ok {
		return s.Stage(int(port))
	}
	return n.low == 1
}

// snapshot is the output of a node.
type snapshot struct {
	of   *node
	rows []Diff
}

// Deriver is an operator that keeps account of what it emits but can compute
// its output from its whole input without doing so.
type Deriver interface {
	Derive(v *Visit, out *Out) error
}

func (g *Graph) snapshot(n *node, known *[]snapshot) (rows []Diff, err error) {
	for _, s := range *known {
		if s.of == n {
			return s.rows, nil
		}
	}
	defer func() {
		if v := recover(); v != nil {
			err = &NodeError{Node: n.id, Op: n.op.Name(), Cause: asError(v)}
		}
	}()
	var out Out
	switch op := n.op.(type) {
	case Snapshotter:
		err = op.Snapshot(&out)
	case Deriver:
		err = g.derive(n, op.Derive, &out, known)
	case Keeper:
		err = ErrNoSnapshot
	default:
		err = g.derive(n, op.Apply, &out, known)
	}
	if err != nil {
		if _, named := err.(*NodeError); !named {
			err = &NodeError{Node: n.id, Op: n.op.Name(), Cause: err}
		}
		return nil, err
	}
	if rows, err = g.consolidate(out.diffs); err == nil {
		*known = append(*known, snapshot{n, rows})
	}
	return rows, err
}

// derive applies an operator without state to the snapshots of its sources.
func (g *Graph) derive(n *node, apply func(*Visit, *Out) error, out *Out, known *[]snapshot) error {
	if n.comp != nil {
		return ErrNoSnapshot
	}
	in := make([][]Diff, len(n.ports))
	for _, e := range n.ins {
		rows, err := g.snapshot(e.from, known)
		if err != nil {
			return err
		}
		in[e.port] = append(in[e.port], rows...)
	}
	for i := range in {
		var err error
		if in[i], err = g.consolidate(in[i]); err != nil {
			return err
		}
	}
	return apply(NewVisit(0, in...), out)
}
