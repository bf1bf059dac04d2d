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

// step applies a consolidated batch and pending bounds, leaves the positional
// delta in w.delta and appends the same as differences to out.
// Cost: O(d log d + d log n) for d changes that concern rows held, or one read
// of the prefix when the batch is larger than that; nothing but one or two
// comparisons for a change beyond the frontier.
func (w *window) step(batch []Change, out []Change, stats *RunStats) []Change {
	from, to := bounds(w.wasOffset, w.wasLimit, w.held.Len())
	w.delta.reset(to-from, 0)
	switch {
	case w.refetchPays(len(batch)):
		w.stepByReading(batch, from, to, stats)
	case w.exhausted && w.held.Len() == 0:
		w.stepFromNothing(batch)
	default:
		w.stepByRanks(batch, from, to, stats)
	}
	w.delta.sort()
	w.cushion.onRun(len(batch), w.held.Len()-w.need())
	w.wasOffset, w.wasLimit = w.offset, w.limit
	w.trim()
	if cap(w.work.rows) > keepChanges || cap(w.work.slots) > keepSlots {
		w.work.release()
	}
	return w.delta.appendChanges(out)
}

// stepFromNothing bulk loads the first rows of an input known to be empty.
func (w *window) stepFromNothing(batch []Change) {
	s := &w.work
	s.slots = s.slots[:0]
	for _, c := range batch {
		if c.New != None {
			s.slots = append(s.slots, c.New)
		}
	}
	if len(s.slots) > 0 {
		w.held.LoadUnsorted(s.slots, nil)
	}
	from, to := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(to - from)
	for i, slot := range w.slice(from, to, s.slots[:0]) {
		w.delta.Enters = append(w.delta.Enters, Enter{uint32(i), w.keys.KeyOf(slot), slot})
	}
}

func (w *window) stepByRanks(batch []Change, pFrom, pTo int, stats *RunStats) {
	s := &w.work
	w.collect(batch)
	for i := len(s.olds) - 1; i >= 0; i-- {
		w.held.DeleteAt(int(s.olds[i]))
	}
	if len(s.inserts) > 1 {
		slices.SortFunc(s.inserts, s.byNew)
	}
	// Ascending insertion: no later one moves the rank of an earlier one.
	s.news = s.news[:0]
	for _, i := range s.inserts {
		r := &s.rows[i]
		r.newRank = uint32(w.held.Insert(r.new))
		s.news = append(s.news, r.newRank)
	}
	if w.refill(stats) {
		w.findReturned()
	}
	qFrom, qTo := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(qTo - qFrom)
	w.diffByRanks(pFrom, pTo, qFrom, qTo)
}

// collect finds the changes that concern rows held and where the old versions
// stand, and replaces in place what keeps its order key.
func (w *window) collect(batch []Change) {
	s := &w.work
	s.rows, s.olds, s.inserts, s.inPlace = s.rows[:0], s.olds[:0], s.inserts[:0], s.inPlace[:0]
	for _, c := range batch {
		t := touched{key: c.Key, old: c.Old, new: c.New, oldRank: None, newRank: None}
		if c.Old != None && w.covered(c.Old) {
			// The row may never have been here: a removal of what is not held is dropped.
			if rank, ok := w.held.Rank(c.Old); ok && w.held.At(rank) == c.Old {
				t.oldRank = uint32(rank)
			}
		}
		if t.oldRank != None && c.New != None && w.order.Compare(c.Old, c.New) == 0 {
			t.inPlace = true
		} else {
			t.covered = c.New != None && w.covered(c.New)
		}
		if t.oldRank == None && !t.covered {
			continue
		}
		i := uint32(len(s.rows))
		s.rows = append(s.rows, t)
		switch {
		case t.inPlace:
			s.inPlace = append(s.inPlace, i)
			continue
		case t.oldRank != None:
			s.olds = append(s.olds, t.oldRank)
		}
		if t.covered {
			s.inserts = append(s.inserts, i)
		}
	}
	sortRanks(s.olds)
	if len(s.inPlace) > 1 {
		slices.SortFunc(s.inPlace, s.byOld)
	}
	for _, i := range s.inPlace {
		w.held.ReplaceAt(int(s.rows[i].oldRank), s.rows[i].new)
	}
}

// findReturned looks for rows that left the prefix in this step and came back
// with the refill: they have moved or been updated, not left and entered.
func (w *window) findReturned() {
	s := &w.work
	for i := range s.rows {
		r := &s.rows[i]
		if r.inPlace || r.covered || r.new == None || !w.covered(r.new) {
			continue
		}
		if rank, ok := w.held.Rank(r.new); ok && w.held.At(rank) == r.new {
			r.newRank = uint32(rank)
			s.news = append(s.news, r.newRank)
		}
	}
	sortRanks(s.news)
}
