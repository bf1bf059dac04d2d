package d2

// setBounds chooses other bounds; they take effect, and are reported, with the
// next step. Cost: nothing now, then the rows that cross an edge.
func (w *window) setBounds(offset, limit uint32) {
	w.offset, w.limit = offset, limit
	w.cushion.bound(limit)
}

// pending tells whether the bounds differ from those last reported.
func (w *window) pending() bool {
	return w.offset != w.wasOffset || w.limit != w.wasLimit
}

// need is the number of rows the bounds ask for, from the start of the input.
func (w *window) need() int {
	return int(min(uint64(w.offset)+uint64(w.limit), uint64(Unlimited)))
}

func (w *window) setHi(slot Slot) {
	w.pins.Pin(slot)
	w.dropHi()
	w.hi, w.hasHi = slot, true
}

func (w *window) dropHi() {
	if w.hasHi {
		w.pins.Unpin(w.hi)
		w.hasHi = false
	}
}

// begin and end frame the fetches of a visit.
func (w *window) begin(v *Visit) {
	if p, ok := w.source.(*Pull); ok {
		p.fc.Visit = v
	}
}

func (w *window) end(v *Visit) {
	w.begin(nil)
	sweepAfter(w.hold, v)
}

// take is the yield of every fetch.
func (w *window) take(slot Slot) bool {
	w.held.Append(slot)
	if w.hold != nil {
		w.hold.Pin(slot)
	}
	w.fetched++
	return w.fetched < w.wanted
}

// fetch appends the next rows after the frontier and advances it. A fetch
// shorter than asked proves that there are no more.
func (w *window) fetch(want int, stats *RunStats) {
	after := None
	if w.hasHi {
		after = w.hi
	}
	w.fetched, w.wanted = 0, want
	scanned, end := w.source.Fetch(after, want, w.onFetch)
	stats.RowsFetched += w.fetched
	stats.RowsScanned += scanned
	if scanned > 0 {
		w.selQ16 = max(1, (3*w.selQ16+uint64(w.fetched)<<16/uint64(scanned))/4)
	}
	if end || w.fetched < want {
		w.exhausted = true
		w.dropHi()
		return
	}
	w.setHi(w.held.At(w.held.Len() - 1))
}

// refill restores the invariant that a window holds what its bounds need.
func (w *window) refill(stats *RunStats) bool {
	need := w.need()
	if w.exhausted || w.held.Len() >= need {
		return false
	}
	if !w.pending() {
		w.cushion.onRefill()
	}
	w.fetch(need+w.cushion.rows-w.held.Len(), stats)
	stats.Refills++
	return true
}

// trim lets go of rows far beyond need and draws the frontier back.
func (w *window) trim() {
	if !w.prefix {
		return
	}
	keep := w.need() + w.cushion.rows
	if w.held.Len() <= keep+w.cushion.rows+w.spare {
		return
	}
	if keep == 0 {
		w.truncate(0)
		w.exhausted = false
		w.dropHi()
		return
	}
	w.lower(w.held.At(keep-1), keep)
}

// lower draws the frontier back to a position, at or before which some rows of
// those held are.
func (w *window) lower(hi Slot, rows int) {
	w.truncate(rows)
	w.exhausted = false
	w.setHi(hi)
}

// lowers tells whether a position is before the frontier. Where nothing is
// covered there is none to compare with.
func (w *window) lowers(at Slot) bool {
	return w.exhausted || w.hasHi && w.order.Compare(at, w.hi) < 0
}

// truncate lets go of the rows from a rank on.
func (w *window) truncate(rank int) {
	w.letGo(rank)
	w.held.Truncate(rank)
}

// letGo gives up the references to the rows from a rank on.
func (w *window) letGo(rank int) { w.held.unrefer(rank, w.hold) }

// keepAll refers to every row held.
func (w *window) keepAll() {
	if w.hold == nil {
		return
	}
	for rank := 0; rank < w.held.Len(); {
		block := w.held.BlockAt(rank)
		for _, slot := range block {
			w.hold.Pin(slot)
		}
		rank += len(block)
	}
}

// hydrate replaces the contents and returns the window's rows in order. rows
// are the input in any order; with nil, or where only a prefix is held, they
// are read from the source.
func (w *window) hydrate(rows []uint32, stats *RunStats) []uint32 {
	w.release()
	switch {
	case w.prefix:
		if want := w.need() + w.cushion.rows; want > 0 {
			w.held.Reserve(want)
			w.fetch(want, stats)
		}
	case rows == nil && w.source != nil:
		w.fetch(int(Unlimited), stats)
	default:
		w.held.LoadUnsorted(append([]uint32(nil), rows...), nil)
		w.keepAll()
	}
	return w.rows(nil)
}

// rows appends the rows last reported to dst, in order.
func (w *window) rows(dst []uint32) []uint32 {
	from, to := bounds(w.wasOffset, w.wasLimit, w.held.Len())
	return w.slice(from, to, dst)
}

// release empties the window and gives up its frontier; it may be hydrated
// again.
func (w *window) release() {
	w.dropHi()
	w.letGo(0)
	w.held.Clear()
	w.exhausted = !w.prefix
	w.wasOffset, w.wasLimit = w.offset, w.limit
	w.delta = Delta{}
	w.work.release()
}

// bytes returns the memory held.
func (w *window) bytes() int {
	d := &w.delta
	return w.held.Bytes() + w.work.bytes() +
		12*(cap(d.Leaves)+cap(d.Enters)) + 24*cap(d.Moves) + 16*(cap(d.Updates)+cap(d.Rebinds))
}
