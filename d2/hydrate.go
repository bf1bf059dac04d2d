package d2

// Hydrate fills nodes that were built in or reset while what feeds them already
// had content, with everything they feed: the present output of settled nodes
// enters as one batch, and sinks receive the first content. State they had is
// cleared first. All nodes that are new must be given, or be fed by those given.
// What was staged before runs first, past those nodes. An operator whose output
// cannot be told is [ErrNoSnapshot], a node that fails meanwhile [ErrFailed];
// nothing has been filled then, and what was staged has passed: hydrate again, or
// drop them. Cost: that of the content once, less where an operator reads
// arrangements (see [Stager]).
func (g *Graph) Hydrate(ids ...NodeID) error {
	if err := g.closed(); err != nil {
		return err
	}
	roots, err := g.healthy(ids)
	if err != nil {
		return err
	}
	if g.waiting {
		if err := g.runPast(g.downstream(roots)); err != nil {
			return err
		}
		if _, err := g.healthy(ids); err != nil {
			return err
		}
	}
	list := g.downstream(roots)
	pushes, err := g.contents(list)
	if err != nil {
		return err
	}
	for _, n := range list {
		if k, ok := n.op.(Keeper); ok && n.failed == nil {
			k.Clear()
		}
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
	g.visit.Hydrating = true
	_, err = g.Run()
	return err
}

// healthy returns the nodes of ids, which must not be failed.
func (g *Graph) healthy(ids []NodeID) ([]*node, error) {
	list := make([]*node, 0, len(ids))
	for _, id := range ids {
		n := g.node(id)
		switch {
		case n == nil:
			return nil, ErrNoNode
		case n.failed != nil:
			return nil, ErrFailed
		}
		list = append(list, n)
	}
	return list, nil
}

// runPast runs what is staged, but for nodes that are about to be hydrated: what
// reaches them now is part of the content they will get. Rows without references
// live on until they have got it, so that they find those they had by the same
// ids.
func (g *Graph) runPast(list []*node) error {
	for _, n := range list {
		n.asleep = true
	}
	g.resume = true
	_, err := g.Run()
	g.resume = false
	for _, n := range list {
		n.asleep = false
		told := false
		if in, ok := n.op.(entry); ok {
			told, _ = in.knows()
		}
		for i := range n.ports {
			p := &n.ports[i]
			p.from = p.from[:0]
			if told {
				p.reset() // the content has it
			}
			if p.pushes > 0 {
				g.wake(n)
				g.waiting = true
			}
		}
		if n.touched && n.failed == nil {
			g.wake(n)
			g.waiting = true
		}
	}
	return err
}

// postpone leaves a node that is about to be hydrated what was pushed to it.
func (g *Graph) postpone(n *node) {
	nodes := []*node{n}
	if n.comp != nil {
		nodes = n.comp.nodes
	}
	for _, m := range nodes {
		for i := range m.ports {
			m.ports[i].from = m.ports[i].from[:0]
		}
	}
}

// contents returns what the nodes of a list, marked with g.epoch, are to be
// filled with: the output of settled nodes they want, and what inputs tell.
func (g *Graph) contents(list []*node) (pushes []push, err error) {
	s := snapshots{g: g}
	defer s.done()
	wantInputs(list)
	epoch := g.epoch
	for _, n := range list {
		if in, ok := n.op.(entry); ok && len(n.ins) == 0 && n.failed == nil && n.wants(0) {
			if content, empty := in.knows(); !content && empty {
				continue // there was nothing yet
			}
			rows, err := s.of(n)
			if err != nil {
				return nil, err
			}
			pushes = append(pushes, push{n.id, 0, false, rows})
		}
		for i := range n.ins {
			in := &n.ins[i]
			if in.from.mark == epoch || in.from.failed != nil || !n.wants(in.port) {
				continue
			}
			rows, err := s.of(in.from)
			if err != nil {
				return nil, err
			}
			pushes = append(pushes, push{n.id, int(in.port), false, rows})
		}
	}
	return pushes, nil
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
