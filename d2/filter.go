package d2

// Filter is the selection σ(in): rows pass that satisfy a predicate, with their
// weights. Linear, without state; cost: one call of the predicate per visit,
// column at a time.
type Filter struct {
	pred  Predicate
	slots []uint32
	keep  []uint32
	fetch selection
}

// NewFilter returns the selection by pred.
func NewFilter(pred Predicate) *Filter { return &Filter{pred: pred} }

// Name implements [Operator].
func (*Filter) Name() string { return "filter" }

// Ports implements [Operator].
func (*Filter) Ports() int { return 1 }

// Bind implements [Binder].
func (f *Filter) Bind(at Place) error {
	if f.pred == nil {
		return ErrNoPredicate
	}
	f.fetch.bind(at, f.pred)
	return nil
}

// Apply implements [Operator].
func (f *Filter) Apply(v *Visit, out *Out) error {
	in := v.In(0)
	slots := f.slots[:0]
	for i := range in {
		slots = append(slots, in[i].Row)
	}
	keep, err := f.pred.Select(slots, f.keep[:0])
	f.slots, f.keep = slots, keep
	if cap(slots) > keepSlots {
		f.slots, f.keep = nil, nil
	}
	if err != nil {
		return err
	}
	at := 0
	for i := range in {
		if at < len(keep) && keep[at] == in[i].Row {
			at++
			out.diffs = append(out.diffs, in[i])
		}
	}
	if at != len(keep) {
		return ErrSelect
	}
	// A version that does not pass leaves its partner alone: still a replacement.
	out.tidy, out.keyed = true, v.Keyed(0)
	out.cutAt, out.cut = v.Cut(0)
	return nil
}

// Select runs the predicate over rows: those that pass are appended to keep, in
// order. It changes nothing.
func (f *Filter) Select(rows, keep []uint32) (out []uint32, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = keep, asError(v)
		}
	}()
	return f.pred.Select(rows, keep)
}
