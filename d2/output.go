package d2

// Result is what an output has received in one run. All slices are valid until
// the graph's next run.
type Result struct {
	Diffs   []Diff   // consolidated
	Changes []Change // the same per key, if the output has keys
	Delta   *Delta   // the positional delta, if it stands on a window; from nothing (OldLen 0) after a hydration
	Fresh   bool     // this is the whole content, whatever was told before
}

// Sink takes what reaches an output. Receive is called at most once per run,
// after the run has come to rest. Fail is called once when the output can no
// longer be kept, unless that is because Receive itself has panicked; nothing
// follows until a reset. A sink may push; what it pushes is another run.
type Sink interface {
	Receive(r *Result)
	Fail(err error)
}

// OutputSpec describes an output.
type OutputSpec struct {
	Sink Sink
	Keys Keys // with keys, results are told as changes
	// Retain keeps the content that was told, so that a hydration after a failure
	// tells the difference and not the whole.
	Retain bool

	// Hold, if not nil, is told of every row that Retain keeps and of every one
	// that it no longer does. Without, a version or an interned row that left
	// while the output was failed cannot be read when a hydration takes it back,
	// and its id may be that of another row by then.
	Hold Pins
}

// Output hands what reaches it to a sink when the run is at rest, all of it or
// nothing. It passes its input on unchanged and may feed further nodes. State:
// none, or with Retain the weight of every row.
type Output struct {
	sink    Sink
	keys    Keys
	above   Positional
	in      Fetchable
	window  *Window // whose changes are told as they are
	pairs   pairs
	result  Result
	content *rowCounts // nil: not retained
	hold    Pins
	told    []Diff
	fresh   bool // being hydrated
}

// NewOutput returns an output.
func NewOutput(spec OutputSpec) *Output {
	o := &Output{sink: spec.Sink, keys: spec.Keys}
	if spec.Retain {
		o.content, o.hold = &rowCounts{}, spec.Hold
	}
	return o
}

// Positional is an operator whose output is a sequence: Delta tells how its last
// visit has changed it. What an output tells after a hydration is put together
// from the rows of a [Window] or a [Merge]; of any other operator it is what
// Delta says then.
type Positional interface {
	Delta() *Delta
}

// Name implements [Operator].
func (*Output) Name() string { return "output" }

// Ports implements [Operator].
func (*Output) Ports() int { return 1 }

// Bind implements [Binder].
func (o *Output) Bind(at Place) error {
	if o.sink == nil {
		return ErrNoSink
	}
	if at.Cyclic {
		return ErrLimitInCycle
	}
	o.above, _ = at.In[0].(Positional)
	o.in, _ = at.In[0].(Fetchable)
	if w, ok := at.In[0].(*Window); ok && o.keys == w.w.keys && o.content == nil {
		o.window = w
	}
	return nil
}

// Apply implements [Operator].
func (o *Output) Apply(v *Visit, out *Out) error {
	out.Pass(v, 0)
	if o.hold != nil {
		v.Sweep(o)
	}
	o.result = Result{Diffs: out.diffs, Fresh: o.fresh && o.content == nil}
	keyed := v.Keyed(0)
	if o.content != nil {
		if o.fresh {
			o.result.Diffs, keyed = o.missing(v.In(0)), false
		}
		for _, d := range o.result.Diffs {
			addWeights(o.content.get(d.Row), d.Weight) // or it fails here, before anything is told
		}
	}
	if o.window != nil && v.ports[0].lasting && !o.fresh {
		o.result.Changes = o.window.changes
	} else if o.keys != nil {
		changes, err := o.pairs.of(o.result.Diffs, keyed, o.keys)
		if err != nil {
			return err
		}
		o.result.Changes = changes
	}
	return nil
}

// Plan implements [Fetchable]: as what the output stands on does.
func (o *Output) Plan(r *FetchReq) (Access, bool) {
	if o.in == nil {
		return Access{}, false
	}
	return o.in.Plan(r)
}

// Fetch implements [Fetchable].
func (o *Output) Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd {
	return o.in.Fetch(fc, r, yield)
}

// Derive implements [Deriver].
func (*Output) Derive(v *Visit, out *Out) error {
	out.Pass(v, 0)
	return nil
}

// missing returns what has to be told after a hydration with the whole of a
// content: how it differs from what was told.
func (o *Output) missing(whole []Diff) []Diff {
	o.told = o.told[:0]
	var now rowCounts
	tell := func(row uint32, by int64) {
		if by != int64(int32(by)) {
			panic(ErrWeight)
		}
		if by != 0 {
			o.told = append(o.told, Diff{row, int32(by)})
		}
	}
	for _, d := range whole {
		now.add(d.Row, d.Weight)
		tell(d.Row, int64(d.Weight)-int64(o.content.get(d.Row)))
	}
	o.content.each(func(row uint32, weight int32) {
		if now.get(row) == 0 {
			tell(row, -int64(weight))
		}
	})
	return o.told
}

// Retained returns the number of rows kept for the sink.
func (o *Output) Retained() int {
	if o.content == nil {
		return 0
	}
	return o.content.n
}

// Bytes returns the memory held.
func (o *Output) Bytes() int {
	n := o.pairs.bytes() + 8*cap(o.told)
	if o.content != nil {
		n += o.content.bytes()
	}
	return n
}

// send calls the sink, if there is something to tell. The content follows once
// the sink has taken it.
func (o *Output) send() {
	fresh := o.fresh
	o.fresh = false
	if o.content != nil && len(o.result.Diffs) == 0 {
		return
	}
	if o.result.Delta = o.Delta(); fresh && o.result.Delta != nil {
		o.result.Delta = o.fromNothing()
	}
	o.sink.Receive(&o.result)
	if o.content == nil {
		return
	}
	for _, d := range o.result.Diffs {
		before, after := o.content.add(d.Row, d.Weight)
		switch {
		case o.hold == nil:
		case before == 0:
			o.hold.Pin(d.Row)
		case after == 0:
			o.hold.Unpin(d.Row)
		}
	}
	if cap(o.told) > keepDiffs {
		o.told = nil
	}
}

// Delta implements [Positional]: that of the window the output stands on.
func (o *Output) Delta() *Delta {
	if o.above == nil {
		return nil
	}
	return o.above.Delta()
}

// sequential is an operator that can tell the rows it shows, in order.
type sequential interface {
	sequence() (rows []uint32, keys Keys)
}

func (o *Window) sequence() (rows []uint32, keys Keys) { return o.w.rows(nil), o.w.keys }

func (o *Merge) sequence() (rows []uint32, keys Keys) { return o.m.rows(nil), o.m.keys }

// fromNothing is the delta from no rows to those of the window above, whose last
// visit may have been in another run.
func (o *Output) fromNothing() *Delta {
	above := o.above
	for {
		out, ok := above.(*Output)
		if !ok {
			break
		}
		above = out.above
	}
	s, ok := above.(sequential)
	if !ok {
		return o.result.Delta
	}
	rows, keys := s.sequence()
	d := &Delta{NewLen: uint32(len(rows)), Enters: make([]Enter, len(rows))}
	for i, row := range rows {
		d.Enters[i] = Enter{uint32(i), keys.KeyOf(row), row}
	}
	return d
}

// Sweep frees what was held until the sink had been told that it has left.
func (o *Output) Sweep() {
	if s, ok := o.hold.(Sweeper); ok {
		s.Sweep()
	}
}

// release gives back what is held, for good.
func (o *Output) release() {
	if o.hold != nil {
		o.content.each(func(row uint32, _ int32) { o.hold.Unpin(row) })
		o.content = &rowCounts{}
		o.Sweep()
	}
}

func (o *Output) releaseLarge() {
	o.pairs.trim()
	o.result = Result{}
}
