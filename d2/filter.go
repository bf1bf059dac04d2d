package d2

// filter applies σ to a batch: both versions of every change are judged in one
// call of the predicate, column at a time.
func (g *Graph) filter(n *node, batch []Change) error {
	s := &g.scratch
	s.slots = s.slots[:0]
	for _, c := range batch {
		if c.Old != None {
			s.slots = append(s.slots, c.Old)
		}
		if c.New != None {
			s.slots = append(s.slots, c.New)
		}
	}
	keep, err := n.pred.Select(s.slots, s.keep[:0])
	s.keep = keep[:0]
	if err != nil {
		return err
	}
	n.out = n.out[:0]
	at := 0
	passes := func(slot uint32) bool {
		if slot == None || at == len(keep) || keep[at] != slot {
			return false
		}
		at++
		return true
	}
	for _, c := range batch {
		if !passes(c.Old) {
			c.Old = None
		}
		if !passes(c.New) {
			c.New = None
		}
		if c.Old != c.New {
			n.out = append(n.out, c)
		}
	}
	if at != len(keep) {
		n.out = n.out[:0]
		return ErrSelect
	}
	return nil
}

// Select runs a filter's predicate over rows, to hydrate what stands behind
// it: the slots that pass are appended to keep, in order. It changes nothing.
func (g *Graph) Select(id NodeID, slots, keep []uint32) (out []uint32, err error) {
	n := g.node(id)
	switch {
	case g.running:
		return keep, ErrRunning
	case n == nil:
		return keep, ErrNoNode
	case n.pred == nil:
		return keep, ErrNotFilter
	}
	defer func() {
		if v := recover(); v != nil {
			out, err = keep, asError(v)
		}
	}()
	return n.pred.Select(slots, keep)
}
