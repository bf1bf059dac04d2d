package d2

// meetsPerRead is how many changes can be compared with the frontier in the time
// one row is read and compared with the window before, roughly.
const meetsPerRead = 8

// step applies a consolidated batch and pending bounds, leaves the positional
// delta in w.delta and appends the same as differences to out. After cut, None
// if the batch is whole, rows that came or went by themselves may be missing.
// Cost: O(d log d + d log n) for d changes that concern rows held, or one read
// of the prefix where that is less; nothing but one or two comparisons for a
// change beyond the frontier, and not even these in a batch so large that the
// read costs less than comparing.
func (w *window) step(batch []Change, cut Slot, out []Change, stats *RunStats) []Change {
	from, to := bounds(w.wasOffset, w.wasLimit, w.held.Len())
	w.delta.reset(to-from, 0)
	if cut != None && !w.lowers(cut) {
		cut = None
	}
	switch {
	case w.refetchPays(len(batch) / meetsPerRead):
		w.stepByReading(batch, from, to, stats)
	case w.exhausted && w.held.Len() == 0:
		w.stepFromNothing(batch, cut, stats)
	case cut != None:
		w.stepCut(batch, cut, from, to, stats)
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
func (w *window) stepFromNothing(batch []Change, cut Slot, stats *RunStats) {
	s := &w.work
	s.slots = s.slots[:0]
	for _, c := range batch {
		if c.New != None {
			s.slots = append(s.slots, c.New)
		}
	}
	if len(s.slots) > 0 {
		w.held.LoadUnsorted(s.slots, nil)
		w.keepAll()
	}
	if cut != None {
		w.lower(cut, w.held.SeekAfter(cut))
		w.refill(stats)
	}
	from, to := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(to - from)
	for i, slot := range w.slice(from, to, s.slots[:0]) {
		w.delta.Enters = append(w.delta.Enters, Enter{uint32(i), w.keys.KeyOf(slot), slot})
	}
}

func (w *window) stepByRanks(batch []Change, pFrom, pTo int, stats *RunStats) {
	w.meet(batch)
	if w.refetchPays(len(w.work.rows)) {
		w.stepByReading(batch, pFrom, pTo, stats)
		return
	}
	w.settle(w.hold)
	w.place(w.hold)
	if w.refill(stats) {
		w.findReturned()
	}
	qFrom, qTo := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(qTo - qFrom)
	w.diffByRanks(pFrom, pTo, qFrom, qTo)
}

// stepCut applies a batch that may lack rows after cut. What is held up to
// there is exact. If that is not enough for the bounds, the rest is read anew,
// and rows that were held may have got others between them: then ranks before
// and after have nothing to do with each other, and the two windows are
// compared row by row.
func (w *window) stepCut(batch []Change, cut Slot, pFrom, pTo int, stats *RunStats) {
	s := &w.work
	s.slots = w.slice(pFrom, pTo, s.slots[:0])
	w.collect(batch, w.hold)
	w.place(w.hold)
	known := w.held.SeekAfter(cut)
	if known >= w.need() {
		qFrom, qTo := bounds(w.offset, w.limit, w.held.Len())
		w.delta.NewLen = uint32(qTo - qFrom)
		w.diffByRanks(pFrom, pTo, qFrom, qTo)
		w.lower(cut, known)
		return
	}
	w.lower(cut, known)
	w.refill(stats)
	qFrom, qTo := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(qTo - qFrom)
	w.diffByState(batch, qFrom, qTo)
}
