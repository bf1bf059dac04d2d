package d2

import "slices"

// memberFrame is the working state of one fetch from a window.
type memberFrame struct {
	rows  []uint32
	order Order
	cmp   func(a, b uint32) int
}

// planMembers tells what it costs to answer from the rows a window shows.
func (w *window) planMembers(r *FetchReq) (Access, bool) {
	from, to := bounds(w.offset, w.limit, w.held.Len())
	rows := float64(max(1, to-from))
	a := Access{Rows: rows, PerRow: 1, Sel: 1}
	if r.keyed() {
		a.Rows = max(1, rows/10)
		a.PerRow, a.Sel = rows/a.Rows, a.Rows/rows
	}
	if r.Order != nil && r.Order != w.order {
		a.Seek = rows
	}
	return a, true
}

// fetchMembers answers a request from the rows the window shows and nothing
// else. It can do so in any order, for they are few: cost O(limit log limit) in
// another order than its own.
func (w *window) fetchMembers(fc *FetchCtx, r *FetchReq, yield func(uint32) bool) FetchEnd {
	from, to := bounds(w.wasOffset, w.wasLimit, w.held.Len())
	f := w.frames.take()
	if f == nil {
		f = &memberFrame{}
		f.cmp = func(a, b uint32) int { return f.order.Compare(a, b) }
	}
	f.order = r.Order
	f.rows = w.slice(from, to, f.rows[:0])
	if r.Order != nil && r.Order != w.order {
		slices.SortFunc(f.rows, f.cmp)
	}
	got, cut := 0, false
	for _, row := range f.rows {
		fc.Scanned++
		if r.Order != nil {
			if !r.starts(row) {
				continue
			}
			if r.ends(row) {
				break
			}
		}
		if !r.holds(row) {
			continue
		}
		got++
		if cut = !yield(row) || got == r.Limit; cut {
			break
		}
	}
	f.order, f.rows = nil, drained(f.rows)
	w.frames.give(f)
	if cut {
		return LimitReached
	}
	return EndOfInput
}
