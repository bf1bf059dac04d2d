package d2

// existsFrame is the working state of one fetch.
type existsFrame struct {
	e       *Exists
	fc      *FetchCtx
	r       *FetchReq
	yield   func(uint32) bool
	req     FetchReq
	all     FetchReq
	keys    KeySet
	found   []bool // by number in keys
	got     int
	seen    int
	cut     bool
	onRow   func(uint32) bool
	onChild func(uint32) bool
}

func (e *Exists) frame() *existsFrame {
	f := e.frames.take()
	if f == nil {
		f = &existsFrame{e: e, all: Everything(nil)}
		f.onRow, f.onChild = f.row, f.child
	}
	f.got, f.seen, f.cut = 0, 0, false
	return f
}

func (e *Exists) done(f *existsFrame) {
	f.fc, f.r, f.yield, f.req = nil, nil, nil, FetchReq{}
	f.keys.Reset()
	f.found = drained(f.found)
	e.frames.give(f)
}

// Fetch implements [Fetchable]: parents in order, looking for a child of each
// once per key. An unkeyed request may be answered from the children instead,
// gathering the parents of their keys; a keyed one never is, because it would
// look at all children for the sake of a few parents, once per request.
func (e *Exists) Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd {
	e.enter()
	f := e.frame()
	f.fc, f.r, f.yield, f.req = fc, r, yield, *r
	var end FetchEnd
	if e.fromChildren(f) {
		e.child.in.Fetch(fc, &f.all, f.onChild)
		f.req.In = In{e.spec.ParentKey, &f.keys}
		end = e.parent.Fetch(fc, &f.req, yield)
		e.done(f)
		return end
	}
	want := r.Limit
	if want == 0 {
		want = r.Want
	}
	f.req.Limit, f.req.Want = 0, e.share.want(want)
	end = e.parent.Fetch(fc, &f.req, f.onRow)
	if f.cut {
		end = LimitReached
	}
	if !r.keyed() {
		e.share.saw(f.got, f.seen)
	}
	e.done(f)
	return end
}

func (f *existsFrame) child(row uint32) bool {
	if class, bits, ok := f.e.child.by.Key(row); ok {
		f.keys.Add(class, bits)
	}
	return true
}

func (f *existsFrame) row(row uint32) bool {
	f.seen++
	if !f.passes(row) {
		return true
	}
	f.got++
	f.cut = !f.yield(row) || f.got == f.r.Limit
	return !f.cut
}

func (f *existsFrame) passes(row uint32) bool {
	class, bits, ok := f.e.spec.ParentKey.Key(row)
	if !ok {
		return f.e.spec.Negated
	}
	i, fresh := f.keys.Add(class, bits)
	if fresh {
		f.found = append(f.found, f.e.passes(f.fc, class, bits))
	}
	return f.found[i]
}

// Plan implements [Fetchable].
func (e *Exists) Plan(r *FetchReq) (Access, bool) {
	a, ok := e.parent.Plan(r)
	if !ok {
		return a, false
	}
	probe, _ := e.child.plan()
	sel := e.share.of()
	a.PerRow = (a.PerRow + probe.cost(1)) / sel
	a.Rows *= sel
	a.Sel *= sel
	return a, true
}

// fromChildren decides which way to answer a request.
func (e *Exists) fromChildren(f *existsFrame) bool {
	r := f.r
	if r.keyed() || e.spec.Negated || e.child.in == nil || e.spec.Flip == FlipNever {
		return false
	}
	children, ok := e.child.in.Plan(&f.all)
	if !ok {
		return false
	}
	f.req.In = In{By: e.spec.ParentKey}
	gather, ok := e.parent.Plan(&f.req)
	f.req.In = In{}
	if !ok || e.spec.Flip == FlipAlways {
		return ok
	}
	want := r.Limit
	if want == 0 {
		want = r.Want
	}
	here, ok := e.Plan(r)
	return !ok || children.cost(0)+children.Rows*gather.cost(0) < here.cost(want)
}
