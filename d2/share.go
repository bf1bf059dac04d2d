package d2

// Arrange returns a node that arranges the rows of a node by key: one that is
// there already, held once more, or a new one. Queries that join the same
// relation by the same key thus keep it once; it goes when the last of them
// does. Two keyers are the same if they compare equal, so keyers are best
// pointers. A shared arrangement is not empty: what stands on it is to be
// hydrated. Cost: one look at what the node feeds.
func (b *Builder) Arrange(in NodeID, keyer Keyer) NodeID {
	if b.err != nil {
		return -1
	}
	n := b.g.node(in)
	if n == nil {
		b.fail(ErrNoNode)
		return -1
	}
	for i := range n.outs {
		to := n.outs[i].to
		if a, ok := to.op.(*Arrange); ok && to.failed == nil && a.trace.keyer == keyer {
			to.owned++
			b.shared = append(b.shared, to)
			return to.id
		}
	}
	return b.Add(NewArrange(keyer), in)
}
