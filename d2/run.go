package d2

// scratch holds the buffers visits share; nothing in it outlives a visit.
type scratch struct {
	batch []Change
	index []uint64
	slots []uint32
	keep  []uint32
}

// Push stages a batch at an input for the next run. Batches pushed before one
// run are composed per key in the order given. A failed input ignores it.
func (g *Graph) Push(input NodeID, batch []Change) error {
	if n := g.node(input); n != nil && n.kind != KindInput {
		return ErrNotInput
	}
	return g.PushTo(input, batch)
}

// PushTo stages a batch at any node, past the node's source: a source that
// knows which filters a change can matter to delivers to those alone. The same
// change must not also reach the node through its source in that run.
func (g *Graph) PushTo(id NodeID, batch []Change) error {
	if g.running {
		return ErrRunning
	}
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	if n.failed != nil || len(batch) == 0 {
		return nil
	}
	n.pushed = append(n.pushed, batch...)
	n.pushes++
	g.dirty.set(n.rank)
	return nil
}

// SetWindow moves a window; the next run emits the difference, together with
// that of any batch that reaches it.
func (g *Graph) SetWindow(id NodeID, offset, limit uint32) error {
	n, err := g.window(id)
	if err != nil {
		return err
	}
	n.win.setBounds(offset, limit)
	g.dirty.set(n.rank)
	return nil
}

func (g *Graph) window(id NodeID) (*node, error) {
	if g.running {
		return nil, ErrRunning
	}
	n := g.node(id)
	switch {
	case n == nil:
		return nil, ErrNoNode
	case n.win == nil:
		return nil, ErrNotWindow
	case n.failed != nil:
		return nil, ErrFailed
	}
	return n, nil
}

// Run propagates everything staged until nothing is left, then calls the sinks
// in creation order. Failures of operators are reported to the outputs they
// reach, never here; the error is ErrRunning or nil. The cost is that of the
// visited operators.
func (g *Graph) Run() (RunStats, error) {
	if g.running {
		return RunStats{}, ErrRunning
	}
	g.running = true
	g.last = RunStats{}
	g.releaseLarge()
	for {
		rank, ok := g.dirty.take()
		if !ok {
			break
		}
		n := g.nodes[g.byRank[rank]]
		if n.failed != nil {
			n.unstage()
			continue
		}
		g.visit(n)
	}
	// A sink that panics may add outputs it feeds to the end of the list.
	for i := 0; i < len(g.flush); i++ {
		g.deliver(g.nodes[g.flush[i]])
	}
	g.flush = g.flush[:0]
	g.scratch.trim()
	g.running = false
	g.total.add(g.last)
	return g.last, nil
}

// visit runs one operator on its consolidated batch. Whatever goes wrong in it
// becomes a failure of this node.
func (g *Graph) visit(n *node) {
	size := 0
	defer func() {
		if v := recover(); v != nil {
			g.fail(n, size, asError(v))
		}
	}()
	batch, err := g.gather(n)
	n.unstage()
	size = len(batch)
	if err != nil {
		g.fail(n, size, err)
		return
	}
	if size == 0 && !(n.win != nil && n.win.pending()) {
		return
	}
	if n.kind != KindInput {
		g.last.Visits++
		g.last.Changes += size
	}
	switch n.kind {
	case KindInput, KindOutput:
		n.out = append(n.out[:0], batch...)
	case KindFilter:
		err = g.filter(n, batch)
	case KindWindow:
		n.out = n.win.step(batch, n.out[:0], &g.last)
	}
	if err != nil {
		g.fail(n, size, err)
		return
	}
	if len(n.out) == 0 {
		return
	}
	if cap(n.out) > keepChanges {
		g.large = append(g.large, n.id)
	}
	if n.kind == KindOutput {
		g.flush = append(g.flush, n.id)
	}
	for _, id := range n.outs {
		to := g.nodes[id]
		to.linked = true
		g.dirty.set(to.rank)
	}
}

// unstage forgets what was waiting, keeping small buffers for the next run.
func (n *node) unstage() {
	n.pushes, n.linked = 0, false
	if cap(n.pushed) > keepChanges {
		n.pushed = nil
	}
	n.pushed = n.pushed[:0]
}

// releaseLarge drops the results of bulk loads, which readers could use until
// now, so that idle nodes do not hold them.
func (g *Graph) releaseLarge() {
	for _, id := range g.large {
		if n := g.node(id); n != nil {
			n.out = nil
			if n.win != nil {
				n.win.delta = Delta{}
			}
		}
	}
	g.large = g.large[:0]
}

// deliver calls one sink. A sink that panics fails its own output and what
// that feeds.
func (g *Graph) deliver(n *node) {
	defer func() {
		if v := recover(); v != nil && n.failed == nil {
			g.fail(n, len(n.out), asError(v))
			n.announce = false
		}
	}()
	if n.announce {
		n.announce = false
		n.sink.Fail(n.failed)
		return
	}
	if n.failed != nil { // its batch was queued, then the run went wrong above it
		return
	}
	var delta *Delta
	if n.winSrc != nil {
		delta = &n.winSrc.win.delta
	}
	n.sink.Receive(n.out, delta)
}

// LastRun returns the counts of the most recent run.
func (g *Graph) LastRun() RunStats { return g.last }

// Totals returns the counts of all runs so far.
func (g *Graph) Totals() RunStats { return g.total }
