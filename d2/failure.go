package d2

// fail marks a node and everything it feeds. Their batches are dropped, their
// outputs report once when the run has come to rest.
func (g *Graph) fail(n *node, batch int, cause error) {
	err := &NodeError{Node: n.id, Kind: n.kind, Batch: batch, Cause: cause}
	g.last.Failed++
	for _, m := range g.subtree(n) {
		if m.failed != nil {
			continue
		}
		m.failed = err
		m.out = m.out[:0]
		if m.kind == KindOutput {
			m.announce = true
			g.flush = append(g.flush, m.id)
		}
	}
}

// Failed returns the error that stopped a node, or nil. Nodes fed by a failed
// one carry its error.
func (g *Graph) Failed(id NodeID) error {
	if n := g.node(id); n != nil {
		return n.failed
	}
	return ErrNoNode
}

// Reset gives a failed node and everything it feeds another start: windows
// among them are emptied, for their state may be half changed, and must be
// hydrated again. It fails with [ErrUpstream] while the node's source is failed.
func (g *Graph) Reset(id NodeID) error {
	if g.running {
		return ErrRunning
	}
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	if n.in >= 0 && g.nodes[n.in].failed != nil {
		return ErrUpstream
	}
	for _, m := range g.subtree(n) {
		m.failed = nil
		m.out = m.out[:0]
		m.unstage()
		if m.win != nil {
			m.win.release()
		}
	}
	return nil
}
