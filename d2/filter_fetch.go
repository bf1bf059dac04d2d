package d2

// selection answers fetches for σ: it reads its input in the order asked for
// and passes on the rows a predicate keeps. Rows are judged in chunks as large
// as the share that passed so far lets expect are needed, a column at a time.
type selection struct {
	spot
	in     Fetchable
	pred   Predicate
	share  share
	frames pool[selectFrame]
}

// share estimates how many of the rows looked at pass.
type share struct{ q16 uint64 }

func (s *share) of() float64 {
	if s.q16 == 0 {
		return 1
	}
	return float64(s.q16) / (1 << 16)
}

func (s *share) saw(passed, of int) {
	if of == 0 {
		return
	}
	seen := uint64(passed) << 16 / uint64(of)
	if s.q16 == 0 {
		s.q16 = max(1, seen)
		return
	}
	s.q16 = max(1, (3*s.q16+seen)/4)
}

// want is how many rows to expect to look at for so many that pass.
func (s *share) want(rows int) int {
	if rows == 0 {
		return 0
	}
	return int(min(float64(rows)/s.of(), 1<<30))
}

const (
	fewestJudged = 16
	mostJudged   = 1024
)

type selectFrame struct {
	s     *selection
	r     *FetchReq
	yield func(uint32) bool
	req   FetchReq
	chunk []uint32
	keep  []uint32
	size  int // of the chunk being filled
	seen  int
	got   int
	cut   bool
	onRow func(uint32) bool
}

func (s *selection) bind(at Place, pred Predicate) {
	s.spot, s.pred = at.spot(), pred
	if !at.Cyclic {
		s.in, _ = at.In[0].(Fetchable)
	}
}

// Plan implements [Fetchable]: as the input does, if that is fetchable.
func (f *Filter) Plan(r *FetchReq) (Access, bool) { return f.fetch.plan(r) }

// Fetch implements [Fetchable].
func (f *Filter) Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd {
	return f.fetch.fetch(fc, r, yield)
}

// PassInterest implements [Passer].
func (f *Filter) PassInterest(port int, in Interest) (Interest, bool) { return in, true }

// pool is that of the graph, so that the first fetch of a query finds the frames
// of another's.
func (s *selection) pool() *pool[selectFrame] {
	if s.graph != nil {
		return &s.graph.selects
	}
	return &s.frames
}

func (s *selection) plan(r *FetchReq) (Access, bool) {
	if s.in == nil {
		return Access{}, false
	}
	a, ok := s.in.Plan(r)
	sel := s.share.of()
	a.Rows *= sel
	a.PerRow /= sel
	a.Sel *= sel
	return a, ok
}

func (s *selection) fetch(fc *FetchCtx, r *FetchReq, yield func(uint32) bool) FetchEnd {
	s.enter()
	frames := s.pool()
	f := frames.take()
	if f == nil {
		f = &selectFrame{}
		f.onRow = f.row
	}
	f.s, f.r, f.yield, f.req = s, r, yield, *r
	f.chunk, f.seen, f.got, f.cut = f.chunk[:0], 0, 0, false
	want := r.Limit
	if want == 0 {
		want = r.Want
	}
	f.size = fewestJudged
	if want == 0 {
		f.size = mostJudged
	} else if next := s.share.want(want); next > 0 {
		f.size = min(max(next, 1), mostJudged)
	}
	f.req.Limit, f.req.Want = 0, s.share.want(want)
	end := f.read(fc)
	if f.cut {
		end = LimitReached
	}
	s.share.saw(f.got, f.seen)
	f.s, f.r, f.yield, f.req = nil, nil, nil, FetchReq{}
	if cap(f.chunk) > keepSlots {
		f.chunk, f.keep = nil, nil
	}
	frames.give(f)
	return end
}

// read judges the rows of the input. Those of a store that is only to be read in
// order are judged where they lie.
func (f *selectFrame) read(fc *FetchCtx) FetchEnd {
	if store, ok := f.s.in.(*Store); ok && f.req.Order != nil && !f.req.keyed() {
		if rows := store.ordered(f.req.Order); rows != nil {
			store.enter()
			f.scan(fc, rows, store)
			return store.end()
		}
	}
	end := f.s.in.Fetch(fc, &f.req, f.onRow)
	if !f.cut {
		f.judge(f.chunk)
	}
	return end
}

func (f *selectFrame) scan(fc *FetchCtx, rows *Ordered, store *Store) {
	rank, to := store.span(rows, &f.req)
	for rank < to && !f.cut {
		block := rows.BlockAt(rank)
		block = block[:min(len(block), to-rank, f.size)]
		fc.Scanned += len(block)
		rank += len(block)
		f.judge(block)
	}
}

func (f *selectFrame) row(row uint32) bool {
	f.chunk = append(f.chunk, row)
	if len(f.chunk) < f.size {
		return true
	}
	f.judge(f.chunk)
	f.chunk = f.chunk[:0]
	return !f.cut
}

// judge passes on what a predicate keeps of a chunk and sets the size of the
// next one.
func (f *selectFrame) judge(chunk []uint32) {
	if len(chunk) == 0 {
		return
	}
	keep, err := f.s.pred.Select(chunk, f.keep[:0])
	f.keep = keep[:0]
	if err != nil {
		panic(SourceFault{err})
	}
	f.seen += len(chunk)
	for _, row := range keep {
		f.got++
		if !f.yield(row) || f.got == f.r.Limit {
			f.cut = true
			return
		}
	}
	if f.r.Limit == 0 || len(keep) == 0 {
		f.size = min(2*f.size, mostJudged)
		return
	}
	f.size = min(max(f.seen*(f.r.Limit-f.got)/f.got, fewestJudged), mostJudged)
}
