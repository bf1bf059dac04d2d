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
	known := map[*node][]Diff{}
	var pushes []push
	for _, n := range list {
		stager, _ := n.op.(Stager)
		for _, in := range n.ins {
			if in.from.mark == epoch || (stager != nil && !stager.Stage(int(in.port))) {
				continue
			}
			rows, err := g.snapshot(in.from, known)
			if err != nil {
				return err
			}
			pushes = append(pushes, push{n.id, int(in.port), false, rows})
		}
	}
	for _, n := range list {
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
	rows, err := g.snapshot(n, map[*node][]Diff{})
	return append([]Diff(nil), rows...), err
}

// Deriver is an operator that keeps account of what it emits but can compute
// its output from its whole input without doing so.
type Deriver interface {
	Derive(v *Visit, out *Out) error
}

func (g *Graph) snapshot(n *node, known map[*node][]Diff) (rows []Diff, err error) {
	if rows, ok := known[n]; ok {
		return rows, nil
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
		known[n] = rows
	}
	return rows, err
}

// derive applies an operator without state to the snapshots of its sources.
func (g *Graph) derive(n *node, apply func(*Visit, *Out) error, out *Out, known map[*node][]Diff) error {
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
