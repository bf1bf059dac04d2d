package d2

// side is an input that answers what rows a key has, by an arrangement if it
// keeps one by that key, else by fetch.
type side struct {
	by     Keyer
	in     Fetchable
	arr    Arrangement
	ask    FetchReq // for planning
	eq     [1]Eq
	frames pool[probeFrame]
}

type probeFrame struct {
	req   FetchReq
	eq    [1]Eq
	most  int
	n     int
	first uint32
	onRow func(uint32) bool
}

// bind finds out how an input can be looked up by key.
func (s *side) bind(op Operator, by Keyer) error {
	s.by, s.in, s.arr = by, nil, nil
	if a, ok := op.(Arranged); ok {
		if arr := a.Arrangement(); by == nil || by == Keyer(arr) || isBy(arr, by) {
			s.by, s.arr = arr, arr
			return nil
		}
	}
	f, ok := op.(Fetchable)
	if !ok || by == nil {
		return ErrNoFetch
	}
	s.in = f
	s.eq[0].By = by
	s.ask = Everything(nil)
	s.ask.Eq, s.ask.Limit = s.eq[:], 1
	if _, ok := s.plan(); !ok {
		return ErrNoFetch
	}
	return nil
}

// isBy tells whether an arrangement is known to be by a key.
func isBy(arr Arrangement, by Keyer) bool {
	switch a := arr.(type) {
	case *Trace:
		return a.keyer == by
	case *Indexed:
		return a.keyer == by
	}
	return false
}

// probe counts the rows of a key up to a number and returns one of them.
func (s *side) probe(fc *FetchCtx, class uint8, bits uint64, most int) (n int, first uint32) {
	if s.arr != nil {
		first = None
		for e := s.arr.First(class, bits); e != None && n < most; e = s.arr.Next(e) {
			if row, _, weight := s.arr.Entry(e); weight > 0 {
				n++
				first = row
			}
		}
		return n, first
	}
	f := s.frames.take()
	if f == nil {
		f = &probeFrame{req: Everything(nil)}
		f.req.Eq = f.eq[:]
		f.onRow = f.row
	}
	f.eq[0] = Eq{s.by, class, bits}
	f.req.Limit, f.most, f.n, f.first = most, most, 0, None
	s.in.Fetch(fc, &f.req, f.onRow)
	n, first = f.n, f.first
	s.frames.give(f)
	return n, first
}

func (f *probeFrame) row(row uint32) bool {
	f.n++
	f.first = row
	return f.n < f.most
}

// plan tells what a probe costs.
func (s *side) plan() (Access, bool) {
	if s.arr != nil {
		return Access{PerRow: 1, Rows: 1, Sel: 1}, true
	}
	return s.in.Plan(&s.ask)
}

// fanout reads the rows of an input that have a key, as far as the reader of
// the output needs to hear of them.
type fanout struct {
	in     Fetchable
	req    FetchReq
	eq     [1]Eq
	sent   int
	most   int // rows after which to stop; 0: none
	last   uint32
	cutAt  uint32 // position at which a fan-out of this visit was last cut, or None
	skip   []uint32
	bound  uint32
	each   func(row uint32)
	onRow  func(uint32) bool
	wasCut bool
}

// begin prepares for the fan-outs of a visit. each is called for every row but
// those in skip, which is ascending.
func (f *fanout) begin(in Fetchable, by Keyer, each func(uint32)) {
	if f.onRow == nil {
		f.onRow = f.row
	}
	f.in, f.each = in, each
	f.req = Everything(nil)
	f.eq[0] = Eq{By: by}
	f.req.Eq = f.eq[:]
	f.cutAt, f.skip = None, f.skip[:0]
}

// need takes over what the reader needs, and where the batch of the visit was
// cut.
func (f *fanout) need(i Interest, cut uint32) {
	f.bound, f.most = None, 0
	if i.All {
		return
	}
	f.req.Order, f.req.Upto, f.req.Want = i.Order, earlier(i.Order, i.Bound, cut), i.Cap
	if _, ok := f.in.Plan(&f.req); !ok {
		f.req.Order, f.req.Upto, f.req.Want = nil, None, 0
		return
	}
	f.bound, f.most = i.Bound, i.Cap
}

// crossing is what the rows of a fan-out do.
type crossing uint8

const (
	rowsEnter  crossing = iota // may be cut after some, and are not needed past a cut
	rowsLeave                  // are not needed past a cut
	rowsChange                 // have another version, which goes with the one before
)

// run reads the rows of one key.
func (f *fanout) run(fc *FetchCtx, class uint8, bits uint64, how crossing) {
	f.eq[0].Class, f.eq[0].Bits = class, bits
	most, req := f.most, f.req
	if how == rowsChange {
		f.req.Upto = f.bound
	}
	if how != rowsEnter || most == 0 {
		f.most = 0
		if f.req.Upto == None {
			f.req.Order, f.req.Want = nil, 0
		}
	}
	f.sent, f.last, f.wasCut = 0, None, false
	f.in.Fetch(fc, &f.req, f.onRow)
	f.most, f.req = most, req
	if f.wasCut {
		// Nothing past it matters any more.
		f.cutAt, f.req.Upto = f.last, f.last
	}
}

func (f *fanout) row(row uint32) bool {
	if len(f.skip) > 0 {
		if at := lessThan(f.skip, row); at < len(f.skip) && f.skip[at] == row {
			return true
		}
	}
	if f.most > 0 && f.sent == f.most {
		f.wasCut = true
		return false
	}
	f.sent++
	f.last = row
	f.each(row)
	return true
}

// end lets go of what a visit referred to.
func (f *fanout) end() {
	f.in, f.each = nil, nil
	f.req = FetchReq{}
	f.skip = drained(f.skip)
}

// earlier returns the earlier of two positions, None being after all.
func earlier(order Order, a, b uint32) uint32 {
	if a == None || b != None && order.Compare(b, a) < 0 {
		return b
	}
	return a
}
