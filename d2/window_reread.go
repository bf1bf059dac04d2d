package d2

import "slices"

// refetchPays tells whether reading the prefix again costs less than applying so
// many changes that concern it: the read scans need+cushion rows divided by the share that passes.
func (w *window) refetchPays(changes int) bool {
	if !w.prefix || w.mode == refetchNever {
		return false
	}
	want := w.need() + w.cushion.rows
	if want == 0 {
		return false
	}
	if w.mode == refetchAlways {
		return true
	}
	return uint64(changes)*w.selQ16 > uint64(want)<<16
}

// stepByReading forgets the batch, reads the prefix again and compares the two
// windows row by row. Cost: one fetch and O(N log N + d log N) without a
// comparison of rows, N being the length of the window.
func (w *window) stepByReading(batch []Change, pFrom, pTo int, stats *RunStats) {
	s := &w.work
	w.letGo(0)
	s.slots = w.slice(pFrom, pTo, s.slots[:0])
	w.held.reset()
	w.dropHi()
	w.exhausted = false
	w.fetch(w.need()+w.cushion.rows, stats)
	w.cushion.low = noLow
	stats.Refetches++
	qFrom, qTo := bounds(w.offset, w.limit, w.held.Len())
	w.delta.NewLen = uint32(qTo - qFrom)
	w.diffByState(batch, qFrom, qTo)
}

// diffByState compares the old window in s.slots with ranks [qFrom, qTo) of
// what is held. A slot in both is a row that did not change.
func (w *differ) diffByState(batch []Change, qFrom, qTo int) {
	s := &w.work
	p := s.slots
	s.slots = w.slice(qFrom, qTo, s.slots)
	q := s.slots[len(p):]
	s.index = s.index[:0]
	for i, slot := range p {
		s.index = append(s.index, uint64(slot)<<32|uint64(i))
	}
	slices.Sort(s.index)
	// New versions of rows the old window showed, with the change they came by.
	s.news64 = s.news64[:0]
	for i, c := range batch {
		if _, ok := lookup(s.index, c.Old); ok {
			s.news64 = append(s.news64, uint64(c.New)<<32|uint64(i))
		}
	}
	slices.Sort(s.news64)

	// olds marks rows of p: 0 leaves, 1 untouched, 2 kept but repositioned.
	s.olds = s.olds[:0]
	for range p {
		s.olds = append(s.olds, 0)
	}
	s.kept = s.kept[:0]
	untouched := uint32(0)
	for j, slot := range q {
		if at, ok := lookup(s.index, slot); ok {
			s.olds[at] = 1
			untouched++
			continue
		}
		ci, ok := lookup(s.news64, slot)
		if !ok {
			w.delta.Enters = append(w.delta.Enters, Enter{uint32(j), w.keys.KeyOf(slot), slot})
			continue
		}
		c := batch[ci]
		at, _ := lookup(s.index, c.Old)
		if w.order.Compare(c.Old, c.New) == 0 {
			s.olds[at] = 1
			untouched++
			w.update(Update{uint32(j), c.Key, c.Old, c.New})
			continue
		}
		s.olds[at] = 2
		s.kept = append(s.kept, keptRow{
			key: c.Key, old: c.Old, new: c.New, from: at, to: uint32(j), beforeQ: untouched,
		})
	}
	// Turn the marks into numbers of untouched rows before each row.
	untouched = 0
	for i, mark := range s.olds {
		s.olds[i] = untouched
		switch mark {
		case 0:
			w.delta.Leaves = append(w.delta.Leaves, Leave{uint32(i), w.keys.KeyOf(p[i]), p[i]})
		case 1:
			untouched++
		}
	}
	for i := range s.kept {
		s.kept[i].before = s.olds[s.kept[i].from]
	}
	w.reposition()
}

// lookup finds the low half of the entry with a given high half.
func lookup(index []uint64, high uint32) (uint32, bool) {
	i, _ := slices.BinarySearch(index, uint64(high)<<32)
	if i < len(index) && uint32(index[i]>>32) == high {
		return uint32(index[i]), true
	}
	return 0, false
}

// reset empties the arrangement but keeps the memory of a single block, for a
// reader that fills it again at once.
func (o *Ordered) reset() {
	if len(o.seq) != 1 {
		o.Clear()
		return
	}
	o.counts[0], o.n = 0, 0
	o.rebuild()
}
