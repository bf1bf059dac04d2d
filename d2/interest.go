package d2

// Interest is what the reader of an output still needs to hear of. It is read
// from the state a window has before its visit, so it does not move during a
// run, and flows against the edges through operators that keep rows and order;
// an output with any other reader, or several, is needed whole.
//
// Removals at or before Bound, or all of them if there is none, are delivered,
// unless they are past a position at which the batch is cut. A change of a row's
// version is never cut in half.
type Interest struct {
	All   bool   // deliver everything; the other fields mean nothing
	Order Order  // of the window
	Bound uint32 // rows strictly after it need not be delivered; None: no bound
	Cap   int    // without a bound: additions, at least 1, per key, in order, after which to [Out.Cut]
}

// Everywhere is the interest of a reader that needs everything.
var Everywhere = Interest{All: true}

// Interested is an operator that may need less than everything.
type Interested interface {
	Interest() Interest
}

// Passer is an operator that passes an interest in its output on to a port,
// because every row of its output stems from one row there and lies in the same
// order. ok is false for a port to which nothing is passed on.
type Passer interface {
	PassInterest(port int, in Interest) (out Interest, ok bool)
}

// cut tells whether a batch of the visit is not whole.
func (v *Visit) cut(ports int) bool {
	for i := range ports {
		if v.ports[i].cut != None {
			return true
		}
	}
	return false
}

// Interest returns what the readers of the visited operator's output need to
// hear of. Cost: the operators on the way to the window.
func (v *Visit) Interest() Interest { return v.node.interest() }

func (n *node) interest() Interest {
	if n == nil || len(n.outs) != 1 {
		return Everywhere
	}
	e := &n.outs[0]
	to := e.to
	// What else comes in at the port does not know where this was cut.
	if to.comp != nil || to.ports[e.port].pushes > 0 {
		return Everywhere
	}
	for _, in := range to.ins {
		if in.port == e.port && in.from != n {
			return Everywhere
		}
	}
	switch op := to.op.(type) {
	case Interested:
		return op.Interest()
	case Passer:
		if in, ok := op.PassInterest(int(e.port), to.interest()); ok {
			return in
		}
	}
	return Everywhere
}

// interest is what a window needs to hear of, as long as it has not stepped.
func (w *window) interest() Interest {
	switch {
	case !w.prefix:
		return Everywhere
	case w.hasHi:
		return Interest{Order: w.order, Bound: w.hi}
	}
	// It holds its whole input, or nothing at all. Either way what it needs is a
	// start in order; a cap of 0 would leave no place to cut at.
	return Interest{Order: w.order, Bound: None, Cap: max(1, w.need()+w.cushion.rows)}
}
