package d2

import "slices"

// touched is a change that concerns the rows held. Ranks are None where the
// row is not held.
type touched struct {
	key, old, new    uint32
	oldRank, newRank uint32
	inPlace          bool // same order key: replaced where it stands, counts as untouched
	covered          bool // the new version belongs into held
}

// stepState is the scratch of a window; nothing in it outlives a step.
type stepState struct {
	rows    []touched
	olds    []uint32 // ascending ranks of removed rows in the old order
	news    []uint32 // ascending ranks of placed rows in the new order
	inserts []uint32 // indices into rows, by new order
	inPlace []uint32 // indices into rows, by old rank
	kept    []keptRow
	length  []uint32
	tails   []uint32
	slots   []uint32
	index   []uint64
	news64  []uint64
	byNew   func(a, b uint32) int
	byOld   func(a, b uint32) int
}

func (s *stepState) init(order Order) {
	s.byNew = func(a, b uint32) int { return order.Compare(s.rows[a].new, s.rows[b].new) }
	s.byOld = func(a, b uint32) int { return int(s.rows[a].oldRank) - int(s.rows[b].oldRank) }
}

func (s *stepState) release() { *s = stepState{byNew: s.byNew, byOld: s.byOld} }

func (s *stepState) bytes() int {
	return 24*cap(s.rows) + 28*cap(s.kept) + 8*(cap(s.index)+cap(s.news64)) +
		4*(cap(s.olds)+cap(s.news)+cap(s.inserts)+cap(s.inPlace)+cap(s.length)+cap(s.tails)+cap(s.slots))
}

// differ is the working state of one window: where its rows are held, how far
// they are known, the change under way and the delta that comes of it. Ranks
// count from base, where the rows of the window begin among those held, so that
// several windows may lie one behind the other in one arrangement and be worked
// on in turn.
type differ struct {
	order Order
	keys  Keys
	equal Equal

	held      *Ordered
	base      int
	hi        Slot // coverage: every row at or before it is held
	hasHi     bool
	exhausted bool // every row there is is held

	delta Delta
	work  stepState
}

// bounds returns the ranks [from, to) that a window shows of rows held.
func bounds(offset, limit uint32, rows int) (from, to int) {
	n := uint64(rows)
	from = int(min(uint64(offset), n))
	if limit == Unlimited {
		return from, rows
	}
	return from, int(min(uint64(offset)+uint64(limit), n))
}

// covered tells whether a row with this order key would have to be held.
func (w *differ) covered(slot Slot) bool {
	return w.exhausted || (w.hasHi && w.order.Compare(slot, w.hi) <= 0)
}

// rankOf returns the rank at which exactly this version is held.
func (w *differ) rankOf(slot Slot) (uint32, bool) {
	rank, ok := w.held.Rank(slot)
	if !ok || w.held.At(rank) != slot {
		return None, false
	}
	return uint32(rank - w.base), true
}

// slice appends the rows of ranks [from, to) to dst.
func (w *differ) slice(from, to int, dst []uint32) []uint32 {
	for from < to {
		block := w.held.BlockAt(w.base + from)
		block = block[:min(len(block), to-from)]
		dst = append(dst, block...)
		from += len(block)
	}
	return dst
}

// collect finds the changes that concern rows held and where the old versions
// stand, and replaces in place what keeps its order key.
func (w *differ) collect(batch []Change, hold Pins) {
	w.meet(batch)
	w.settle(hold)
}

// meet finds the changes that concern rows held and where the old versions
// stand. Nothing that is held changes.
func (w *differ) meet(batch []Change) {
	w.begin()
	for _, c := range batch {
		oldRank := None
		if c.Old != None && w.covered(c.Old) {
			// The row may never have been here: a removal of what is not held is dropped.
			oldRank, _ = w.rankOf(c.Old)
		}
		inPlace := oldRank != None && c.New != None && w.order.Compare(c.Old, c.New) == 0
		w.touch(c, oldRank, inPlace || c.New != None && w.covered(c.New), inPlace)
	}
}

// begin forgets the changes collected before.
func (w *differ) begin() {
	s := &w.work
	s.rows, s.olds, s.inserts, s.inPlace = s.rows[:0], s.olds[:0], s.inserts[:0], s.inPlace[:0]
}

// touch takes in one change, given the rank at which the old version is held,
// if it is, and whether the new one belongs into held. inPlace tells that they
// have the same order key and both hold.
func (w *differ) touch(c Change, oldRank uint32, covered, inPlace bool) {
	if oldRank == None && !covered {
		return
	}
	s := &w.work
	i := uint32(len(s.rows))
	s.rows = append(s.rows, touched{
		key: c.Key, old: c.Old, new: c.New, oldRank: oldRank, newRank: None,
		inPlace: inPlace, covered: covered && !inPlace,
	})
	if inPlace {
		s.inPlace = append(s.inPlace, i)
		return
	}
	if oldRank != None {
		s.olds = append(s.olds, oldRank)
	}
	if covered {
		s.inserts = append(s.inserts, i)
	}
}

// settle sorts what was collected and replaces what stays in place. hold, which
// may be nil, refers to exactly the rows held, whatever goes wrong on the way.
func (w *differ) settle(hold Pins) {
	s := &w.work
	sortRanks(s.olds)
	if len(s.inPlace) > 1 {
		slices.SortFunc(s.inPlace, s.byOld)
	}
	for _, i := range s.inPlace {
		w.held.ReplaceAt(w.base+int(s.rows[i].oldRank), s.rows[i].new)
		if hold != nil {
			hold.Pin(s.rows[i].new)
			hold.Unpin(s.rows[i].old)
		}
	}
}

// place takes out the old versions of what was collected and puts in the new
// ones that are covered, and with them what hold refers to.
func (w *differ) place(hold Pins) {
	s := &w.work
	for i := len(s.olds) - 1; i >= 0; i-- {
		rank := w.base + int(s.olds[i])
		if hold != nil {
			hold.Unpin(w.held.At(rank))
		}
		w.held.DeleteAt(rank)
	}
	if len(s.inserts) > 1 {
		slices.SortFunc(s.inserts, s.byNew)
	}
	// Ascending insertion: no later one moves the rank of an earlier one.
	s.news = s.news[:0]
	for _, i := range s.inserts {
		r := &s.rows[i]
		r.newRank = uint32(w.held.Insert(r.new) - w.base)
		if hold != nil {
			hold.Pin(r.new)
		}
		s.news = append(s.news, r.newRank)
	}
}

// unrefer gives up the references to the rows held from a rank of the
// arrangement on; hold may be nil.
func (o *Ordered) unrefer(from int, hold Pins) {
	if hold == nil {
		return
	}
	for from < o.n {
		block := o.BlockAt(from)
		for _, slot := range block {
			hold.Unpin(slot)
		}
		from += len(block)
	}
}

// sweepAfter has what holds references look for rows without any once the run
// is over.
func sweepAfter(hold Pins, v *Visit) {
	if h, ok := hold.(interface{ SweepAfter(*Visit) }); ok {
		h.SweepAfter(v)
	}
}

// findReturned looks for rows that left the prefix in this step and came back
// with the refill: they have moved or been updated, not left and entered.
func (w *differ) findReturned() {
	s := &w.work
	for i := range s.rows {
		r := &s.rows[i]
		if r.inPlace || r.covered || r.new == None || !w.covered(r.new) {
			continue
		}
		if rank, ok := w.rankOf(r.new); ok {
			r.newRank = rank
			s.news = append(s.news, r.newRank)
		}
	}
	sortRanks(s.news)
}

// rerank finds where the new versions stand after rows have been put in among
// them.
func (w *differ) rerank() {
	s := &w.work
	s.news = s.news[:0]
	for i := range s.rows {
		r := &s.rows[i]
		if r.inPlace || r.new == None {
			continue
		}
		var ok bool
		if r.newRank, ok = w.rankOf(r.new); ok {
			s.news = append(s.news, r.newRank)
		}
	}
	sortRanks(s.news)
}
