package d2

import (
	"slices"
	"sort"
)

// lessThan counts the elements of an ascending list below a rank.
func lessThan(list []uint32, rank uint32) int {
	n, _ := slices.BinarySearch(list, rank)
	return n
}

// rankWithout returns the rank of the u-th row that is not in an ascending list of
// ranks.
func rankWithout(list []uint32, u int) int {
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if int(list[mid])-mid <= u {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return u + lo
}

// diffByRanks derives the delta from the touched rows. All other rows keep
// their relative order, so they are numbered by that alone; the old and the
// new window show one range of these numbers each.
func (w *differ) diffByRanks(pFrom, pTo, qFrom, qTo int) {
	s := &w.work
	p0, p1 := pFrom-lessThan(s.olds, uint32(pFrom)), pTo-lessThan(s.olds, uint32(pTo))
	q0, q1 := qFrom-lessThan(s.news, uint32(qFrom)), qTo-lessThan(s.news, uint32(qTo))
	w.leaveRange(p0, min(p1, q0), pFrom)
	w.leaveRange(max(p0, q1), p1, pFrom)
	w.enterRange(q0, min(q1, p0), qFrom)
	w.enterRange(max(q0, p1), q1, qFrom)

	k0, k1 := max(p0, q0), min(p1, q1)
	s.kept = s.kept[:0]
	for i := range s.rows {
		r := &s.rows[i]
		if r.inPlace {
			u := int(r.oldRank) - lessThan(s.olds, r.oldRank)
			if u >= k0 && u < k1 {
				w.update(Update{uint32(rankWithout(s.news, u) - qFrom), r.key, r.old, r.new})
			}
			continue
		}
		inP := r.oldRank != None && int(r.oldRank) >= pFrom && int(r.oldRank) < pTo
		inQ := r.newRank != None && int(r.newRank) >= qFrom && int(r.newRank) < qTo
		switch {
		case inP && inQ:
			s.kept = append(s.kept, keptRow{
				key: r.key, old: r.old, new: r.new,
				from: r.oldRank - uint32(pFrom), to: r.newRank - uint32(qFrom),
				before:  uint32(min(max(int(r.oldRank)-lessThan(s.olds, r.oldRank), k0), k1)),
				beforeQ: uint32(min(max(int(r.newRank)-lessThan(s.news, r.newRank), k0), k1)),
			})
		case inP:
			w.delta.Leaves = append(w.delta.Leaves, Leave{r.oldRank - uint32(pFrom), r.key, r.old})
		case inQ:
			w.delta.Enters = append(w.delta.Enters, Enter{r.newRank - uint32(qFrom), r.key, r.new})
		}
	}
	w.reposition()
}

// leaveRange reports untouched rows that crossed an edge outwards. They are
// still held; one replaced in place leaves with the version reported before.
func (w *differ) leaveRange(u, end, pFrom int) {
	s := &w.work
	for ; u < end; u++ {
		oldRank := rankWithout(s.olds, u)
		slot := w.held.At(w.base + rankWithout(s.news, u))
		if i, ok := s.replacedAt(uint32(oldRank)); ok {
			slot = s.rows[i].old
		}
		w.delta.Leaves = append(w.delta.Leaves, Leave{uint32(oldRank - pFrom), w.keys.KeyOf(slot), slot})
	}
}

func (w *differ) enterRange(u, end, qFrom int) {
	for ; u < end; u++ {
		rank := rankWithout(w.work.news, u)
		slot := w.held.At(w.base + rank)
		w.delta.Enters = append(w.delta.Enters, Enter{uint32(rank - qFrom), w.keys.KeyOf(slot), slot})
	}
}

// replacedAt finds the row replaced in place at an old rank.
func (s *stepState) replacedAt(oldRank uint32) (uint32, bool) {
	lo, hi := 0, len(s.inPlace)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.rows[s.inPlace[mid]].oldRank < oldRank {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.inPlace) && s.rows[s.inPlace[lo]].oldRank == oldRank {
		return s.inPlace[lo], true
	}
	return 0, false
}

// reposition splits the kept rows whose order key changed into those that stay
// and those that move.
func (w *differ) reposition() {
	s := &w.work
	if len(s.kept) > 1 {
		sort.Sort((*keptByTo)(&s.kept))
	}
	s.length, s.tails = stay(s.kept, s.length, s.tails)
	for i := range s.kept {
		r := &s.kept[i]
		if s.length[i] != 0 {
			w.update(Update{r.to, r.key, r.old, r.new})
			continue
		}
		changed := w.equal == nil || !w.equal.Same(r.old, r.new)
		w.delta.Moves = append(w.delta.Moves, Move{r.from, r.to, r.key, r.old, r.new, changed})
	}
}

func (w *differ) update(u Update) {
	if w.equal != nil && w.equal.Same(u.Old, u.New) {
		w.delta.Rebinds = append(w.delta.Rebinds, u)
		return
	}
	w.delta.Updates = append(w.delta.Updates, u)
}
