package d2

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
	w.collect(batch)
	w.place()
	if w.refill(stats) {
		w.findReturned()
	}
	qFrom, qTo := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(qTo - qFrom)
	w.diffByRanks(pFrom, pTo, qFrom, qTo)
}
