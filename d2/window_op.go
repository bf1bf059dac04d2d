package d2

// Window is the operator of an ordered, limited result: the rows
// [offset, offset+limit) of its input in a total order. What it emits is the
// difference of those rows; [Window.Delta] tells the same by position. Its input
// must be a set with at most one row per key. It must be visited once per run,
// which no cycle grants. State: see [WindowSpec]; cost: see window.step.
type Window struct {
	spot
	w       *window
	pairs   pairs
	changes []Change
}

// NewWindow returns a window, empty until it is run, hydrated or loaded.
func NewWindow(spec WindowSpec) (*Window, error) {
	w, err := newWindow(spec)
	if err != nil {
		return nil, err
	}
	return &Window{w: w}, nil
}

// Name implements [Operator].
func (*Window) Name() string { return "window" }

// Ports implements [Operator].
func (*Window) Ports() int { return 1 }

// Bind implements [Binder].
func (o *Window) Bind(at Place) error {
	if at.Cyclic {
		return ErrLimitInCycle
	}
	o.spot = at.spot()
	if p, ok := o.w.source.(*Pull); ok && !at.Above(p.from) {
		return ErrNotAbove
	}
	return nil
}

// Interest implements [Interested].
func (o *Window) Interest() Interest { return o.w.interest() }

// Plan implements [Fetchable].
func (o *Window) Plan(r *FetchReq) (Access, bool) { return o.w.planMembers(r) }

// Fetch implements [Fetchable]: from the rows it shows, and nothing else.
func (o *Window) Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd {
	o.enter()
	return o.w.fetchMembers(fc, r, yield)
}

// Apply implements [Operator].
func (o *Window) Apply(v *Visit, out *Out) error {
	if v.Hydrating && o.w.source != nil {
		o.w.begin(v)
		defer o.w.end(v)
		o.w.delta = Delta{}
		for i, row := range o.w.hydrate(nil, v.Stats) {
			out.Emit(row, 1)
			o.w.delta.Enters = append(o.w.delta.Enters, Enter{uint32(i), o.w.keys.KeyOf(row), row})
		}
		o.w.delta.NewLen = uint32(len(out.diffs))
		out.Keyed()
		return nil
	}
	changes, err := o.pairs.of(v.In(0), v.Keyed(0), o.w.keys)
	if err != nil {
		return err
	}
	cut, _ := v.Cut(0)
	if len(changes) == 0 && cut == None && !o.w.pending() {
		o.w.delta.reset(0, 0)
		return nil
	}
	o.w.begin(v)
	o.changes = o.w.step(changes, cut, o.changes[:0], v.Stats)
	o.w.end(v)
	for _, c := range o.changes {
		if c.Old != None {
			out.Emit(c.Old, -1)
		}
		if c.New != None {
			out.Emit(c.New, 1)
		}
	}
	o.pairs.trim()
	out.Keyed()
	return nil
}

// Delta implements [Positional]. It is valid until the next visit, or the run
// after a large one.
func (o *Window) Delta() *Delta { return &o.w.delta }

// Snapshot implements [Snapshotter].
func (o *Window) Snapshot(out *Out) error {
	for _, row := range o.w.rows(nil) {
		out.Emit(row, 1)
	}
	return nil
}

// Stage implements [Stager]: a window that can read its rows itself does.
func (o *Window) Stage(int) bool { return o.w.source == nil }

// Retained implements [Keeper]: the rows held, the cushion included.
func (o *Window) Retained() int { return o.w.held.Len() }

// Bytes implements [Keeper].
func (o *Window) Bytes() int { return o.w.bytes() + o.pairs.bytes() + 12*cap(o.changes) }

// Clear implements [Keeper].
func (o *Window) Clear() {
	o.w.release()
	o.pairs, o.changes = pairs{}, nil
}

func (o *Window) releaseLarge() {
	o.w.delta, o.changes = Delta{}, nil
	o.pairs.trim()
}

func (o *Window) pinned() int {
	if o.w.hasHi {
		return 1
	}
	return 0
}

// window returns the window of a node that can be used.
func (g *Graph) window(id NodeID) (*Window, error) {
	if err := g.closed(); err != nil {
		return nil, err
	}
	n := g.node(id)
	if n == nil {
		return nil, ErrNoNode
	}
	w, ok := n.op.(*Window)
	switch {
	case !ok:
		return nil, ErrNotWindow
	case n.failed != nil:
		return nil, ErrFailed
	}
	return w, nil
}

// SetWindow moves a window; the next run emits the difference, together with
// that of any batch that reaches it.
func (g *Graph) SetWindow(id NodeID, offset, limit uint32) error {
	w, err := g.window(id)
	if err != nil {
		return err
	}
	w.w.setBounds(offset, limit)
	if !w.w.pending() {
		g.nodes[id].touched = false
		return nil
	}
	return g.Touch(id)
}

// LoadWindow fills a window without emitting anything and returns its rows in
// order: the first contents of a query, which the caller installs and passes on
// to what the window feeds. rows are the rows of the input in any order; with
// nil they are fetched from the window's source. Earlier state is replaced.
// After an error the node and everything it feeds count as failed; sinks are
// not called. What it reads counts in [Graph.Totals]. Cost: one fetch of the
// prefix, or a bulk load.
func (g *Graph) LoadWindow(id NodeID, rows []uint32) (members []uint32, err error) {
	w, err := g.window(id)
	if err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			n := g.node(id)
			g.fail(n, 0, len(rows), asError(v))
			for _, m := range g.flush {
				m.announce = false
			}
			g.flush = g.flush[:0]
			members, err = nil, n.failed
		}
	}()
	var work RunStats
	members = w.w.hydrate(rows, &work)
	g.total.add(&work)
	n := g.node(id)
	n.work.scanned += work.RowsScanned
	n.work.refills += work.Refills
	return members, nil
}

// Rows appends the rows of a window to dst, in order.
func (g *Graph) Rows(id NodeID, dst []uint32) ([]uint32, error) {
	w, err := g.window(id)
	if err != nil {
		return dst, err
	}
	return w.w.rows(dst), nil
}

// Bounds returns a window's offset and limit, those last set included.
func (g *Graph) Bounds(id NodeID) (offset, limit uint32, err error) {
	w, err := g.window(id)
	if err != nil {
		return 0, 0, err
	}
	return w.w.offset, w.w.limit, nil
}
