package d2

// LeftOrder is the order of pairs by their left rows.
type LeftOrder struct {
	Pairs *Pairs
	Order Order
}

// Compare implements [Order].
func (o LeftOrder) Compare(a, b uint32) int {
	return o.Order.Compare(o.Pairs.Left(a), o.Pairs.Left(b))
}

// CompareTerms implements [TermOrder].
func (o LeftOrder) CompareTerms(a, b uint32) int {
	return compareTerms(o.Order, o.Pairs.Left(a), o.Pairs.Left(b))
}

// LeftKeyer is a key of pairs that their left rows have.
type LeftKeyer struct {
	Pairs *Pairs
	By    Keyer
}

// Key implements [Keyer].
func (k LeftKeyer) Key(pair uint32) (class uint8, bits uint64, ok bool) {
	return k.By.Key(k.Pairs.Left(pair))
}

// joinFrame is the working state of one fetch.
type joinFrame struct {
	j     *JoinOne
	fc    *FetchCtx
	r     *FetchReq
	yield func(uint32) bool
	req   FetchReq
	eq    []Eq
	keys  KeySet
	found []uint32 // by number in keys
	got   int
	cut   bool
	onRow func(uint32) bool
}

func (j *JoinOne) frame() *joinFrame {
	f := j.frames.take()
	if f == nil {
		f = &joinFrame{j: j}
		f.onRow = f.row
	}
	f.got, f.cut = 0, false
	return f
}

func (j *JoinOne) done(f *joinFrame) {
	f.fc, f.r, f.yield, f.req = nil, nil, nil, FetchReq{}
	f.keys.Reset()
	f.found = drained(f.found)
	j.frames.give(f)
}

// leftOrder returns the order of left rows that an order of pairs is.
func (j *JoinOne) leftOrder(order Order) (Order, bool) {
	if order == nil {
		return nil, true
	}
	o, ok := order.(LeftOrder)
	return o.Order, ok && o.Pairs == j.spec.Pairs
}

func (j *JoinOne) leftKeyer(by Keyer) (Keyer, bool) {
	k, ok := by.(LeftKeyer)
	return k.By, ok && k.Pairs == j.spec.Pairs
}

// toLeft puts a request in terms of left rows; false if it is about others.
func (f *joinFrame) toLeft(r *FetchReq) bool {
	f.req = *r
	f.eq = append(f.eq[:0], r.Eq...)
	f.req.Eq = f.eq
	ok := true
	for i := range f.eq {
		if f.eq[i].By, ok = f.j.leftKeyer(r.Eq[i].By); !ok {
			return false
		}
	}
	if r.In.By != nil {
		if f.req.In.By, ok = f.j.leftKeyer(r.In.By); !ok {
			return false
		}
	}
	if f.req.Order, ok = f.j.leftOrder(r.Order); !ok {
		return false
	}
	if r.After != None {
		f.req.After = f.j.spec.Pairs.Left(r.After)
	}
	if r.Upto != None {
		f.req.Upto = f.j.spec.Pairs.Left(r.Upto)
	}
	return true
}

// Plan implements [Fetchable].
func (j *JoinOne) Plan(r *FetchReq) (Access, bool) {
	f := j.frame()
	defer j.done(f)
	if !f.toLeft(r) {
		return Access{}, false
	}
	a, ok := j.left.Plan(&f.req)
	if !ok {
		return a, false
	}
	probe, _ := j.right.plan()
	a.PerRow += probe.cost(1)
	return a, true
}

// Fetch implements [Fetchable]: left rows in order, and one probe per key.
func (j *JoinOne) Fetch(fc *FetchCtx, r *FetchReq, yield func(pair uint32) bool) FetchEnd {
	j.enter()
	f := j.frame()
	f.fc, f.r, f.yield = fc, r, yield
	if !f.toLeft(r) {
		panic(SourceFault{ErrNoFetch})
	}
	if !j.spec.Outer {
		f.req.Limit, f.req.Want = 0, max(r.Limit, r.Want)
	}
	end := j.left.Fetch(fc, &f.req, f.onRow)
	if f.cut {
		end = LimitReached
	}
	j.done(f)
	if fc.Visit != nil {
		j.spec.Pairs.SweepAfter(fc.Visit)
	}
	return end
}

func (f *joinFrame) row(left uint32) bool {
	right := None
	if class, bits, ok := f.j.spec.LeftKey.Key(left); ok {
		i, fresh := f.keys.Add(class, bits)
		if fresh {
			f.found = append(f.found, f.j.match(f.fc, class, bits))
		}
		right = f.found[i]
	}
	if right == None && !f.j.spec.Outer {
		return true
	}
	f.got++
	f.cut = !f.yield(f.j.spec.Pairs.Pair(left, right)) || f.got == f.r.Limit
	return !f.cut
}
