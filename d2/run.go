package d2

// Push stages a batch at a port of a node for the next run, past whatever feeds
// that port. Batches of one run are added up. From inside a run (a sink or a
// user's function) the batch is staged for another run, which follows at once.
// A failed node ignores it. batch is copied.
func (g *Graph) Push(id NodeID, port int, batch []Diff) error {
	return g.push(id, port, batch, false)
}

// PushChanges stages changes of keyed rows, at most one per key, at port 0.
func (g *Graph) PushChanges(id NodeID, changes []Change) error {
	n, err := g.target(id, 0)
	if n == nil {
		return err
	}
	s := &g.scratch
	buf := s.pushed[:0]
	for _, c := range changes {
		if c.Old == c.New {
			continue
		}
		if c.Old != None {
			buf = append(buf, Diff{c.Old, -1})
		}
		if c.New != None {
			buf = append(buf, Diff{c.New, 1})
		}
	}
	s.pushed = buf[:0]
	return g.push(id, 0, buf, true)
}

// target returns the node of a push, or nil where there is nothing to do.
func (g *Graph) target(id NodeID, port int) (*node, error) {
	switch {
	case g.poisoned != nil:
		return nil, g.poisoned
	case g.building:
		return nil, ErrBuilding
	}
	n := g.node(id)
	switch {
	case n == nil:
		return nil, ErrNoNode
	case port < 0 || port >= len(n.ports):
		return nil, ErrNoPort
	case n.failed != nil:
		return nil, nil
	}
	return n, nil
}

func (g *Graph) push(id NodeID, at int, batch []Diff, keyed bool) error {
	n, err := g.target(id, at)
	if n == nil || len(batch) == 0 {
		return err
	}
	if n.fixed && len(n.outs) == 0 {
		n.op.(entry).passBy()
		return nil
	}
	if g.running {
		g.staged = append(g.staged, push{id, at, keyed, append([]Diff(nil), batch...)})
		return nil
	}
	p := &n.ports[at]
	p.staged = append(p.staged, batch...)
	p.keyed = keyed && p.pushes == 0
	p.pushes++
	g.wake(n)
	g.waiting = true
	return nil
}

// Touch has a node visited in the next run even if nothing reaches it.
func (g *Graph) Touch(id NodeID) error {
	if err := g.closed(); err != nil {
		return err
	}
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	if n.failed == nil {
		n.touched = true
		g.wake(n)
		g.waiting = true
	}
	return nil
}

// wake marks a node as having something to do.
func (g *Graph) wake(n *node) {
	if c := n.comp; c != nil && !n.queued {
		n.queued = true
		c.entered = append(c.entered, n)
	}
	g.dirty.set(n.rank)
}

// Run propagates everything staged until nothing is left, then calls the sinks,
// and starts over with what they pushed. It returns the counts of all of that.
// Failures of operators are reported to the outputs they reach; the error is
// ErrRunning, or [ErrGraphPoisoned] once the scheduler itself has failed. The
// cost is that of the visited operators.
func (g *Graph) Run() (RunStats, error) {
	if err := g.closed(); err != nil {
		return RunStats{}, err
	}
	g.last.reset()
	g.visit.Stats = &g.last
	for {
		g.running = true
		if len(g.large) > 0 {
			g.guard((*Graph).releaseLarge)
		}
		for !g.drain() {
		}
		for !g.deliver() {
		}
		if len(g.swept) > 0 && !g.resume {
			g.guard((*Graph).sweep)
			for !g.deliver() {
			}
		}
		g.scratch.trim()
		g.running, g.waiting, g.visit.Hydrating = false, false, false
		if g.poisoned != nil {
			return g.last, g.poisoned
		}
		if len(g.staged) == 0 {
			break
		}
		g.replay()
	}
	g.total.add(&g.last)
	return g.last, nil
}

// guard runs a step that belongs to no operator: a panic poisons the graph.
func (g *Graph) guard(step func(*Graph)) {
	defer func() {
		if v := recover(); v != nil {
			g.poison(asError(v))
		}
	}()
	step(g)
}

// replay stages what was pushed during the run.
func (g *Graph) replay() {
	staged := g.staged
	g.staged = nil
	for _, p := range staged {
		// The node may have failed or gone since.
		_ = g.push(p.to, p.port, p.batch, p.keyed)
	}
}

// drain visits in order of rank until nothing is left. It reports false after
// an operator has panicked, which is a failure of that operator alone.
func (g *Graph) drain() (done bool) {
	defer func() {
		if done {
			return
		}
		cause := asError(recover())
		n := g.blamed(cause)
		if n == nil {
			done = true
			return
		}
		g.fail(n, g.visit.Iter, g.size, cause)
	}()
	for {
		rank, ok := g.dirty.take()
		if !ok {
			return true
		}
		n := g.byRank[rank]
		switch {
		case n.failed != nil:
			g.unstage(n)
		case n.asleep:
			g.postpone(n)
		case n.comp != nil:
			n.comp.run(g, n.comp)
		default:
			g.visitNode(n)
		}
	}
}

// blamed returns the node whose operator or sink has panicked. If neither was at
// work the scheduler itself has: the graph is poisoned, and there is none.
func (g *Graph) blamed(cause error) *node {
	if !g.busy {
		g.poison(cause)
		return nil
	}
	g.busy = false
	return g.visit.node
}

// visitNode runs one operator outside cycles on its consolidated batches, and
// goes on with what it feeds as long as that is one operator of one port and
// nothing else is left to do.
func (g *Graph) visitNode(n *node) {
	v := &g.visit
	size, err := g.gather(n, v)
	for {
		touched := n.touched
		n.touched = false
		n.out.reset(0)
		if size == 0 && !touched && err == nil && !v.cut(len(n.ports)) {
			return
		}
		v.Iter, v.node = 0, n
		g.size = size
		if !n.fixed {
			g.last.Visits++
			g.last.Changes += size
		}
		n.work.visits++
		n.work.changes += size
		scanned, refills := g.last.RowsScanned, g.last.Refills
		if err == nil {
			g.busy = true
			err = n.op.Apply(v, &n.out)
			g.busy = false
		}
		n.work.scanned += g.last.RowsScanned - scanned
		n.work.refills += g.last.Refills - refills
		if err != nil {
			g.fail(n, 0, size, err)
			return
		}
		if len(v.sweep) > 0 {
			g.collectSweeps(v)
		}
		o := &n.out
		if n.sink != nil && (len(o.diffs) > 0 || n.sink.fresh) {
			g.flush = append(g.flush, n)
		}
		size = len(o.diffs)
		if len(n.outs) != 1 || g.dirty.n > 0 || size == 0 || o.cut || !o.tidy && size > 1 || cap(o.diffs) > keepDiffs {
			break
		}
		to := n.outs[0].to
		if to.comp != nil || len(to.ports) != 1 || to.failed != nil || to.asleep {
			break
		}
		a := &v.ports[0]
		a.batch, a.cut, a.keyed, a.lasting = o.diffs, None, o.keyed, true
		n = to
	}
	// Where a batch was cut matters even if nothing of it is left.
	if len(n.out.diffs) > 0 || n.out.cut {
		g.link(n)
	}
}

// link announces a node's result to everything it feeds.
func (g *Graph) link(n *node) {
	if cap(n.out.diffs) > keepDiffs {
		g.large = append(g.large, n)
	}
	for i := range n.outs {
		e := &n.outs[i]
		p := &e.to.ports[e.port]
		p.from = append(p.from, n)
		if e.to.comp != nil {
			g.wake(e.to)
		} else {
			g.dirty.set(e.to.rank)
		}
	}
}

func (g *Graph) collectSweeps(v *Visit) {
	g.swept = append(g.swept, v.sweep...)
	v.sweep = v.sweep[:0]
}

func (g *Graph) sweep() {
	for _, s := range g.swept {
		s.Sweep()
	}
	g.swept = g.swept[:0]
}

// unstage forgets what was waiting, keeping small buffers for the next run.
func (g *Graph) unstage(n *node) {
	for i := range n.ports {
		n.ports[i].reset()
	}
	n.touched = false
	if n.comp != nil && n.comp.nodes[0] == n { // once for all of them
		n.comp.abandon()
	}
}

func (p *port) reset() {
	p.from = p.from[:0]
	p.pushes, p.keyed = 0, false
	if cap(p.staged) > keepDiffs {
		p.staged = nil
	}
	p.staged = p.staged[:0]
}

// releaseLarge drops the results of bulk loads, which readers could use until
// now, so that idle nodes do not hold them.
func (g *Graph) releaseLarge() {
	for _, n := range g.large {
		n.out = Out{}
		if r, ok := n.op.(releaser); ok {
			r.releaseLarge()
		}
	}
	g.large = g.large[:0]
}

// releaser is an operator with results of its own, valid until the next run.
type releaser interface{ releaseLarge() }

// deliver calls the sinks. It reports false after one has panicked, which fails
// its own output and what that feeds; those are added to the end of the list.
func (g *Graph) deliver() (done bool) {
	defer func() {
		if done {
			return
		}
		cause := asError(recover())
		n := g.blamed(cause)
		if n == nil {
			done = true
			return
		}
		if n.failed == nil {
			g.fail(n, 0, len(n.out.diffs), cause)
			n.announce = false
		}
	}()
	for g.told < len(g.flush) {
		n := g.flush[g.told]
		g.told++
		g.visit.node, g.busy = n, true
		switch {
		case n.announce:
			n.announce = false
			n.sink.sink.Fail(n.failed)
		case n.failed == nil: // else its batch was queued, then the run went wrong above it
			n.sink.send()
		}
		g.busy = false
	}
	g.flush, g.told = g.flush[:0], 0
	return true
}

// LastRun returns the counts of the most recent run. Failed is valid until the
// next.
func (g *Graph) LastRun() RunStats { return g.last }

// Totals returns the counts of all runs so far, without the list of failures.
func (g *Graph) Totals() RunStats { return g.total }
