package d2

import (
	"slices"
	"sort"
)

// storeFrame is the working state of one fetch.
type storeFrame struct {
	fc    *FetchCtx
	r     *FetchReq
	yield func(uint32) bool
	got   int
	cut   bool // yield declined, or the limit was met
	rows  []uint32
	order Order
	add   func(row uint32) bool
	pass  func(row uint32) bool
	cmp   func(a, b uint32) int
}

func (s *Store) frame() *storeFrame {
	f := s.frames.take()
	if f == nil {
		f = &storeFrame{}
		f.add, f.pass = f.gather, f.offer
		f.cmp = func(a, b uint32) int { return f.order.Compare(a, b) }
	}
	f.got, f.cut = 0, false
	return f
}

func (s *Store) done(f *storeFrame) {
	f.fc, f.r, f.yield, f.order = nil, nil, nil, nil
	f.rows = drained(f.rows)
	s.frames.give(f)
}

// fits tells whether a row answers the request, order aside.
func (f *storeFrame) fits(row uint32) bool {
	f.fc.Scanned++
	return f.r.holds(row) && (f.r.Order == nil || f.r.starts(row) && !f.r.ends(row))
}

func (f *storeFrame) gather(row uint32) bool {
	if f.fits(row) {
		f.rows = append(f.rows, row)
	}
	return true
}

func (f *storeFrame) offer(row uint32) bool { return !f.fits(row) || f.emit(row) }

// emit yields a row and tells whether to go on.
func (f *storeFrame) emit(row uint32) bool {
	f.got++
	f.cut = !f.yield(row) || f.got == f.r.Limit
	return !f.cut
}

// Fetch implements [Fetchable].
func (s *Store) Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd {
	s.enter()
	p, ok := s.path(r, true)
	if !ok {
		panic(SourceFault{ErrNoFetch})
	}
	f := s.frame()
	f.fc, f.r, f.yield, f.order = fc, r, yield, r.Order
	switch {
	case p.byOrder != nil:
		f.scan(&p)
	case p.sort:
		s.each(&p, r, f.add)
		slices.SortFunc(f.rows, f.cmp)
		f.emitAll()
	default:
		s.each(&p, r, f.pass)
	}
	cut := f.cut
	s.done(f)
	if cut {
		return LimitReached
	}
	return s.end()
}

// end tells how a fetch ends that has read everything.
func (s *Store) end() FetchEnd {
	if s.partial {
		return EndOfLocal
	}
	return EndOfInput
}

func (f *storeFrame) emitAll() {
	for _, row := range f.rows {
		if !f.emit(row) {
			return
		}
	}
}

// scan reads ranks of an ordered arrangement; only keys remain to be checked.
func (f *storeFrame) scan(p *storePath) {
	for rank := p.from; rank < p.to; {
		block := p.byOrder.BlockAt(rank)
		block = block[:min(len(block), p.to-rank)]
		for _, row := range block {
			f.fc.Scanned++
			if f.r.holds(row) && !f.emit(row) {
				return
			}
		}
		rank += len(block)
	}
}

// each visits the rows of a path that is not in order until visit declines.
func (s *Store) each(p *storePath, r *FetchReq, visit func(uint32) bool) {
	switch {
	case p.byEq != nil:
		rowsOf(p.byEq, r.Eq[p.eq].Class, r.Eq[p.eq].Bits, visit)
	case p.byIn != nil:
		for i := range r.In.Keys.Len() {
			class, key := r.In.Keys.At(i)
			if !rowsOf(p.byIn, class, key, visit) {
				return
			}
		}
	default:
		s.rows.Each(visit)
	}
}

func rowsOf(h *Hash, class uint8, key uint64, visit func(uint32) bool) bool {
	for row := h.First(class, key); row != None; row = h.Next(row) {
		if !visit(row) {
			return false
		}
	}
	return true
}

// span returns the ranks between the positions of a request.
func (s *Store) span(rows *Ordered, r *FetchReq) (from, to int) {
	from, to = rows.SeekAfter(r.After), rows.Len()
	if r.Ties && r.After != None {
		from = sort.Search(rows.Len(), func(i int) bool { return compareTerms(r.Order, rows.At(i), r.After) >= 0 })
	}
	if r.Upto != None {
		to = rows.SeekAfter(r.Upto)
	}
	return from, to
}
