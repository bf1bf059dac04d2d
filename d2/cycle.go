package d2

// pending is what a node of a cycle has to do in one iteration.
type pending struct {
	iter   int32
	wanted bool // visit even without input
	ports  [][]Diff
}

// cycle runs one component to rest, in the order of (iteration, local place):
// when a node is visited at an iteration nothing can be added to it there any
// more, so one visit per node and iteration is enough. What leaves the cycle is
// added up over all iterations and announced when the cycle is at rest.
func (g *Graph) cycle(c *component) {
	for _, n := range c.entered {
		n.queued = false
		if !g.enter(n) {
			return
		}
	}
	c.entered = c.entered[:0]
	for len(c.heap) > 0 {
		top := (*minHeap)(&c.heap).pop()
		n, iter := c.nodes[uint32(top)], int32(top>>32)
		if iter > g.MaxIterations {
			g.fail(n, iter, 0, ErrIterationLimit)
			return
		}
		if !g.visitCyclic(n, iter) {
			return
		}
	}
	g.leave(c)
}

// leave announces what left a cycle to what the cycle feeds.
func (g *Graph) leave(c *component) {
	for _, n := range c.active {
		n.active = false
		n.out.reset(0)
		n.out.diffs = append(n.out.diffs, n.total...)
		n.total = n.total[:0]
		if cap(n.total) > keepDiffs {
			n.total = nil
		}
		if cap(n.out.diffs) > keepDiffs || cap(n.out.later) > keepDiffs {
			g.large = append(g.large, n)
		}
		if len(n.out.diffs) == 0 {
			continue
		}
		for i := range n.outs {
			e := &n.outs[i]
			if e.to.comp != c {
				e.to.ports[e.port].from = append(e.to.ports[e.port].from, n)
				g.wake(e.to)
			}
		}
	}
	c.active = c.active[:0]
}

// enter takes what reached a node from outside its cycle to iteration 0.
func (g *Graph) enter(n *node) bool {
	size, err := g.gather(n, &g.visit)
	if err != nil {
		g.fail(n, 0, size, err)
		return false
	}
	if size > 0 {
		p := g.pendingAt(n, 0)
		for i := range n.ports {
			p.ports[i] = append(p.ports[i], g.visit.ports[i].batch...)
		}
	}
	if n.touched {
		n.touched = false
		g.pendingAt(n, 0).wanted = true
	}
	return true
}

// pendingAt returns what a node has to do at an iteration, made if need be.
func (g *Graph) pendingAt(n *node, iter int32) *pending {
	// Iterations come in ascending order but for those an operator asks for.
	at := len(n.pend)
	for at > 0 && n.pend[at-1].iter >= iter {
		at--
	}
	if at < len(n.pend) && n.pend[at].iter == iter {
		return &n.pend[at]
	}
	p := pending{iter: iter}
	if len(n.pend) < cap(n.pend) {
		p.ports = n.pend[:len(n.pend)+1][len(n.pend)].ports
	}
	if p.ports == nil {
		p.ports = make([][]Diff, len(n.ports))
	}
	n.pend = append(n.pend, p)
	copy(n.pend[at+1:], n.pend[at:])
	n.pend[at] = p
	(*minHeap)(&n.comp.heap).push(uint64(iter)<<32 | uint64(n.local))
	return &n.pend[at]
}

// visitCyclic visits a node at an iteration; false if that has failed.
func (g *Graph) visitCyclic(n *node, iter int32) bool {
	v := &g.visit
	g.widen(len(n.ports))
	p := n.pend[0]
	size := 0
	var err error
	for i := range n.ports {
		batch, e := g.consolidate(p.ports[i])
		if e != nil && err == nil {
			err = e
		}
		v.ports[i] = arrival{batch: batch, cut: None}
		size += len(batch)
	}
	v.again = v.again[:0]
	v.Iter, v.node = iter, n
	g.size = size
	n.out.reset(iter)
	if size > 0 || p.wanted || err != nil {
		g.last.Visits++
		g.last.Changes += size
		g.last.MaxIteration = max(g.last.MaxIteration, int(iter))
		n.work.visits++
		n.work.changes += size
		scanned := g.last.RowsScanned
		if !n.active {
			n.active = true
			n.comp.active = append(n.comp.active, n)
		}
		if err == nil {
			g.busy = true
			err = n.op.Apply(v, &n.out)
			g.busy = false
		}
		n.work.scanned += g.last.RowsScanned - scanned
		for i := range n.out.later {
			if n.out.later[i].iter < iter && err == nil {
				err = ErrPast
			}
		}
	}
	// The place at the front is kept for its buffers.
	for i := range p.ports {
		p.ports[i] = p.ports[i][:0]
		if cap(p.ports[i]) > keepDiffs {
			p.ports[i] = nil
		}
	}
	last := len(n.pend) - 1
	copy(n.pend, n.pend[1:])
	n.pend[last] = p
	n.pend = n.pend[:last]
	if err != nil {
		g.fail(n, iter, size, err)
		return false
	}
	if len(v.sweep) > 0 {
		g.collectSweeps(v)
	}
	for _, later := range v.again {
		if later > iter {
			g.pendingAt(n, later).wanted = true
		}
	}
	g.spread(n, iter)
	return true
}

// spread hands what a visit emitted to the nodes of the cycle, and keeps for
// later what leaves it.
func (g *Graph) spread(n *node, iter int32) {
	o := &n.out
	if len(o.diffs)+len(o.later) == 0 {
		return
	}
	leaves := false
	for i := range n.outs {
		e := &n.outs[i]
		if e.to.comp != n.comp {
			leaves = true
			continue
		}
		by := int32(0)
		if e.feedback {
			by = 1
		}
		if len(o.diffs) > 0 {
			p := g.pendingAt(e.to, iter+by)
			p.ports[e.port] = append(p.ports[e.port], o.diffs...)
		}
		for _, d := range o.later {
			p := g.pendingAt(e.to, d.iter+by)
			p.ports[e.port] = append(p.ports[e.port], d.Diff)
		}
	}
	if leaves {
		n.total = append(n.total, o.diffs...)
		for _, d := range o.later {
			n.total = append(n.total, d.Diff)
		}
	}
}

// abandon forgets everything a failed cycle had to do.
func (c *component) abandon() {
	for _, n := range c.nodes {
		n.queued, n.touched, n.active = false, false, false
		for i := range n.ports {
			n.ports[i].reset()
		}
		n.pend, n.total = nil, nil
	}
	c.entered, c.active, c.heap = c.entered[:0], c.active[:0], c.heap[:0]
}
