package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/d2"
)

// Sync applies a sync transaction to a root and brings every live collection
// over it up to date.
func (e *Engine) Sync(col uint32, tx *collection.Sync) error {
	r := e.roots[col]
	switch {
	case r == nil:
		return refuse(CodeUnknownCollection, col, "no such root collection")
	case r.Status == collection.CleanedUp:
		return refuse(CodeStatusTransition, col, "is cleaned up; start it first")
	}
	changes, parked, err := r.Apply(tx, e.out)
	if err != nil {
		return err
	}
	if parked {
		e.out.Parked(col, tx.Tx)
		return nil
	}
	if tx.Truncate {
		e.out.Truncated(col)
	}
	e.publish(step{root: r, changes: changes, applied: r.Applied()})
	return nil
}

// push gives the graph a root's changes.
func (e *Engine) push(r *rootNode, changes []d2.Change) {
	if len(r.deps) > 0 {
		_ = e.graph.PushChanges(r.input, changes)
	}
	for _, t := range r.Deliver(changes) {
		_ = e.graph.PushChanges(t.Node, t.Batch)
		t.Batch = t.Batch[:0]
	}
}

// SetWindow moves the window of an ordered query.
func (e *Engine) SetWindow(col, offset, limit uint32) error {
	l := e.lives[col]
	switch {
	case l == nil:
		return refuse(CodeUnknownCollection, col, "no such live collection")
	case l.window == noNode:
		return refuse(CodeStatusTransition, col, "has no order, or is not running")
	}
	if err := e.graph.SetWindow(l.window, offset, limit); err != nil {
		return refuse(CodeStatusTransition, col, err.Error())
	}
	e.publish()
	return nil
}

// publish runs the graph for the steps and for what is held, and publishes:
// installs of all collections, statuses of those that failed, then batches.
// At most one step a root.
func (e *Engine) publish(steps ...step) {
	held := e.held
	e.held = nil
	run := len(held) > 0 || len(steps) == 0
	for i := range steps {
		s := &steps[i]
		if len(s.changes) > 0 {
			run = true
			e.push(s.root, s.changes)
		}
	}
	e.due = e.due[:0]
	if run {
		_, _ = e.graph.Run()
	}
	for i := range steps {
		if s := &steps[i]; len(s.changes) > 0 {
			e.out.Install(s.root.ID, s.changes, nil)
		}
	}
	for _, l := range e.due {
		l.prepare()
	}
	for _, l := range e.due {
		if l.failure != nil && !l.broken {
			l.broken = true
			if l.Status != collection.Failed {
				l.Go(collection.Failed, l.failure.Error(), e.out)
			}
		}
	}
	for _, l := range e.due {
		if l.failure != nil {
			e.follow(l.deps, nil)
		}
	}
	e.tell(held, steps)
	for _, l := range e.due {
		if l.failure == nil {
			l.Emit(l.visible, l.delta != nil && len(l.delta.Moves) > 0, e.out)
		}
		l.settle()
	}
	for i := range steps {
		if s := &steps[i]; len(s.applied) > 0 {
			e.out.Applied(s.root.ID, s.applied)
		}
	}
	for _, h := range held {
		h.root.Retire()
	}
	for i := range steps {
		steps[i].root.Retire()
	}
	e.sweep()
}

// settle ends a publication.
func (l *Live) settle() {
	for _, row := range l.leaving {
		l.space.unref(row)
	}
	l.leaving = l.leaving[:0]
	l.changes, l.delta, l.visible, l.rebound = nil, nil, nil, nil
}

// tell tells the roots' subscribers of what was held and of the steps: of both
// together where both concern a root.
func (e *Engine) tell(held []*holding, steps []step) {
	for _, h := range held {
		for i := range steps {
			if s := &steps[i]; s.root == h.root && len(h.net) > 0 {
				for _, c := range s.changes {
					h.add(c)
				}
				s.changes = nil
			}
		}
		if net := h.take(); len(net) > 0 {
			h.root.EmitThese(net, e.out)
		}
	}
	for i := range steps {
		if s := &steps[i]; len(s.changes) > 0 {
			s.root.Emit(s.changes, false, e.out)
		}
	}
}

// failed stops a query whose computed fields cannot be shown, and everything
// over it, as a failure inside the graph would have: they keep what they last
// published. Queries over it come later in the list of what is due.
func (l *Live) failed(err error) {
	if l.failure == nil {
		l.failure = err
	}
	for _, d := range l.deps {
		if d.failure == nil {
			d.failure = err
			l.engine.due = append(l.engine.due, d)
		}
		d.failed(err)
	}
}

// prepare sorts a run's result into what readers see and what only exchanges
// slots, and installs it.
func (l *Live) prepare() {
	if l.failure != nil {
		return
	}
	out := l.engine.out
	l.visible, l.rebound = nil, nil
	if l.delta != nil {
		l.readDelta()
	} else {
		l.readChanges()
	}
	var shown, moved *collection.Parts
	if l.tells() {
		var err error
		if shown, err = l.showNew(l.visible); err == nil && l.built != nil && !l.built.plain {
			moved, err = l.showNew(l.rebound)
		}
		if err != nil {
			l.failed(err)
			return
		}
	}
	// With a layout the install stands even when it is empty: order-only moves
	// come as an empty batch.
	if len(l.visible) > 0 || l.delta != nil {
		out.Install(l.ID, l.visible, shown)
	}
	if len(l.rebound) > 0 {
		out.Rebind(l.ID, l.rebound, moved)
	}
	if l.delta != nil {
		out.Layout(l.ID, l.delta)
	}
}

// showNew tells the parts of the rows that changes bring.
func (l *Live) showNew(changes []d2.Change) (*collection.Parts, error) {
	slots := l.engine.slots[:0]
	for _, c := range changes {
		if c.New != d2.None {
			slots = append(slots, c.New)
		}
	}
	l.engine.slots = slots
	return l.show(slots)
}

// tells tells whether rows are installed with parts.
func (l *Live) tells() bool {
	if l.built != nil {
		return !l.built.plain || len(l.built.parts) > 0
	}
	return len(l.computed) > 0
}

func (l *Live) readDelta() {
	d := l.delta
	visible := slices.Grow(l.spare[:0], d.Ops())
	for _, x := range d.Leaves {
		visible = append(visible, d2.Change{Key: x.Key, Old: x.Old, New: d2.None})
	}
	for _, x := range d.Moves {
		c := d2.Change{Key: x.Key, Old: x.Old, New: x.New}
		if x.Changed {
			visible = append(visible, c)
		} else if x.Old != x.New {
			l.rebound = append(l.rebound, c)
		}
	}
	for _, x := range d.Enters {
		visible = append(visible, d2.Change{Key: x.Key, Old: d2.None, New: x.New})
	}
	for _, x := range d.Updates {
		visible = append(visible, d2.Change{Key: x.Key, Old: x.Old, New: x.New})
	}
	for _, x := range d.Rebinds {
		l.rebound = append(l.rebound, d2.Change{Key: x.Key, Old: x.Old, New: x.New})
	}
	l.visible = visible
	if l.spare = visible[:0]; cap(visible) > 256 {
		l.spare = nil
	}
	l.size = int(d.NewLen)
}

// readChanges takes the result of an unordered query. Its output stands on the
// changes of its source, window or not.
func (l *Live) readChanges() {
	l.visible = l.changes
	for i, c := range l.changes {
		switch {
		case c.Old == d2.None:
			l.size++
		case c.New == d2.None:
			l.size--
		case l.Same(c.Old, c.New):
			if len(l.rebound) == 0 {
				l.visible = append([]d2.Change(nil), l.changes[:i]...)
			}
			l.rebound = append(l.rebound, c)
			continue
		}
		if len(l.rebound) > 0 {
			l.visible = append(l.visible, c)
		}
	}
}

// ReadOrder sends the whole content of a collection in order. One that failed
// keeps what it last published, and nothing is sent: the rows may be gone here.
func (e *Engine) ReadOrder(col uint32) error {
	if l := e.lives[col]; l != nil {
		if l.broken {
			return nil
		}
		slots, err := l.content(e.slots[:0])
		if err != nil {
			return err
		}
		e.slots = slots
		shown, err := l.show(slots)
		if err != nil {
			return err
		}
		e.out.Rows(col, e.pair(l.space, slots), shown)
		return nil
	}
	r := e.roots[col]
	if r == nil {
		return refuse(CodeUnknownCollection, col, "no such collection")
	}
	slots, err := e.rootContent(r)
	if err != nil {
		return err
	}
	e.out.Rows(col, e.pair(r, slots), nil)
	return nil
}

func (e *Engine) rootContent(r *rootNode) ([]uint32, error) {
	if r.Len() == 0 {
		return nil, nil
	}
	order, err := r.byKey(e)
	if err != nil {
		return nil, err
	}
	e.slots = e.slots[:0]
	order.Tree.Scan(0, func(block []uint32) bool {
		e.slots = append(e.slots, block...)
		return true
	})
	// Rows that no source has confirmed come last, as they were inserted.
	if last := r.PendingRows(nil); len(last) > 0 {
		kept := e.slots[:0]
		for _, s := range e.slots {
			if r.Confirmed(r.KeyOf(s)) != d2.None {
				kept = append(kept, s)
			}
		}
		e.slots = append(kept, last...)
	}
	return e.slots, nil
}

func (e *Engine) base(col uint32) *collection.Base {
	if l := e.lives[col]; l != nil {
		return &l.Base
	}
	if r := e.roots[col]; r != nil {
		return &r.Base
	}
	return nil
}

// Stats are the counters of a session. All but the totals are zero once
// everything has been cleaned up.
type Stats struct {
	Roots, Lives, Rows, Columns, Arrangements int
	Nodes, Retained, Pinned                   int
	Texts, Bytes                              int
	Layers, Parked                            int
	Visits, Scanned, Refills                  int // totals since the start
}

// Stats counts. Cost: one look at every collection and node.
func (e *Engine) Stats() Stats {
	g, t := e.graph.Counters(), e.graph.Totals()
	s := Stats{
		Roots: len(e.roots), Lives: len(e.lives),
		Nodes: g.Nodes, Retained: g.Retained, Pinned: g.Pinned,
		Texts: e.Dict.Live(), Bytes: g.Bytes + e.Dict.Bytes(),
		Visits: t.Visits, Scanned: t.RowsScanned, Refills: t.Refills,
	}
	for _, r := range e.order {
		s.Rows += r.Len()
		s.Layers += r.Layers()
		s.Parked += r.Parked()
		c, a, b := r.Held()
		s.Columns += c
		s.Arrangements += a
		s.Bytes += b
	}
	return s
}
