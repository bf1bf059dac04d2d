package d2

// fail marks a node, its cycle, and everything they feed. Their batches are
// dropped, their outputs report once when the run has come to rest; every other
// node goes on.
func (g *Graph) fail(n *node, iter int32, batch int, cause error) {
	err := &NodeError{Node: n.id, Op: n.op.Name(), Iteration: iter, Batch: batch, Cause: cause}
	g.last.Failed = append(g.last.Failed, n.id)
	g.collectSweeps(&g.visit)
	for _, m := range g.downstream([]*node{n}) {
		if m.failed != nil {
			continue
		}
		m.failed = err
		m.out.reset(0)
		g.unstage(m)
		if m.sink != nil {
			m.announce = true
			g.flush = append(g.flush, m)
		}
	}
}

// poison gives the whole graph up: the scheduler itself has gone wrong, and
// nothing it holds can be trusted.
func (g *Graph) poison(cause error) {
	g.poisoned = &poisonError{cause}
	for _, n := range g.nodes {
		if n == nil || n.failed != nil {
			continue
		}
		n.failed = g.poisoned
		if n.sink != nil {
			n.announce = true
			g.flush = append(g.flush, n)
		}
	}
}

// poisonError is [ErrGraphPoisoned] with its cause.
type poisonError struct{ cause error }

// Error names the cause.
func (e *poisonError) Error() string { return ErrGraphPoisoned.Error() + ": " + e.cause.Error() }

// Is makes errors.Is find [ErrGraphPoisoned].
func (e *poisonError) Is(target error) bool { return target == ErrGraphPoisoned }

// Unwrap returns the cause.
func (e *poisonError) Unwrap() error { return e.cause }

// Failed returns the error that stopped a node, or nil. Nodes fed by a failed
// one carry its error.
func (g *Graph) Failed(id NodeID) error {
	if n := g.node(id); n != nil {
		return n.failed
	}
	return ErrNoNode
}

// Reset gives failed nodes and everything they feed another start: their state,
// which may be half changed, is cleared. They must be hydrated before they are
// right again: see [Graph.Hydrate]. It fails with [ErrUpstream] while something
// else that feeds them is failed; nodes that feed one and the same are reset
// together. A batch that was staged for them is forgotten.
func (g *Graph) Reset(ids ...NodeID) error {
	if err := g.closed(); err != nil {
		return err
	}
	nodes := make([]*node, 0, len(ids))
	for _, id := range ids {
		n := g.node(id)
		if n == nil {
			return ErrNoNode
		}
		nodes = append(nodes, n)
	}
	list := g.downstream(nodes)
	for _, m := range list {
		for _, in := range m.ins {
			if in.from.failed != nil && in.from.mark != g.epoch {
				return ErrUpstream
			}
		}
	}
	for _, m := range list {
		m.failed, m.announce = nil, false
		m.out.reset(0)
		g.unstage(m)
		if m.sink != nil {
			m.sink.fresh = false
		}
		if k, ok := m.op.(Keeper); ok {
			k.Clear()
		}
	}
	g.sweep()
	return nil
}
