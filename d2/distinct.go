package d2

// Distinct makes a set of a multiset: out = { r : in(r) > 0 }, each with weight 1.
//
// Outside cycles it keeps the multiplicity of each row, 4 bytes where rows are
// dense, and a byte for every 16 ids up to the largest; one below 0 after a visit is [ErrNegative]. A difference costs O(1).
//
// Inside cycles it keeps differences of input and output by iteration, and its
// output at iteration i is that of the input's sum up to i, for every i. A row
// whose input changes at i is looked at again at each later iteration where it
// has a difference, one after the other. The sum up to an iteration is final
// when the operator is visited there, so nothing transient is seen; but it may
// be below 0, for the body of a recursion may subtract what the next iteration
// adds again. Such a row is absent at that iteration; it is no error.
type Distinct struct {
	cyclic bool
	counts rowCounts
	timed  timedRows
	todo   todo
}

// NewDistinct returns a distinct operator.
func NewDistinct() *Distinct { return &Distinct{timed: newTimedRows()} }

// Name returns "distinct".
func (d *Distinct) Name() string { return "distinct" }

// Ports returns 1.
func (d *Distinct) Ports() int { return 1 }

// Bind takes note of cycles.
func (d *Distinct) Bind(at Place) error {
	d.cyclic = at.Cyclic
	return nil
}

// Apply emits the rows that have come to be there, or have ceased to.
func (d *Distinct) Apply(v *Visit, out *Out) error {
	if d.cyclic {
		d.iterate(v, out)
		return nil
	}
	for _, in := range v.In(0) {
		before, after := d.counts.add(in.Row, in.Weight)
		switch {
		case after < 0:
			return ErrNegative
		case before <= 0 && after > 0:
			out.Emit(in.Row, 1)
		case before > 0 && after == 0:
			out.Emit(in.Row, -1)
		}
	}
	// Of a replacement both sides pass, or one alone: still a replacement.
	if v.Keyed(0) {
		out.Keyed()
	} else {
		out.Tidy()
	}
	return nil
}

func (d *Distinct) iterate(v *Visit, out *Out) {
	for _, in := range v.In(0) {
		d.change(v, out, in.Row, in.Weight)
	}
	for {
		_, row, ok := d.todo.take(v.Iter)
		if !ok {
			break
		}
		d.change(v, out, uint32(row), 0)
	}
	d.timed.trim()
	// A row looked at twice has come to its output the first time.
	out.Tidy()
}

func (d *Distinct) change(v *Visit, out *Out, row uint32, by int32) {
	diff, later := d.timed.change(row, v.Iter, by)
	out.Emit(row, diff)
	if later >= 0 && d.todo.add(later, 0, uint64(row)) {
		v.Again(later)
	}
}

// Snapshot emits every row of the output.
func (d *Distinct) Snapshot(out *Out) error {
	if !d.cyclic {
		d.counts.each(func(row uint32, count int32) { out.Emit(row, 1) })
		out.Tidy()
		return nil
	}
	for e, iter := range d.timed.iter {
		if iter >= 0 {
			out.Emit(d.timed.row[e], int32(d.timed.out[e]))
		}
	}
	return nil
}

// Retained returns the rows held; in a cycle a row counts once for each
// iteration at which it has a difference.
func (d *Distinct) Retained() int { return d.counts.n + d.timed.n }

// Bytes returns the memory held.
func (d *Distinct) Bytes() int { return d.counts.bytes() + d.timed.bytes() + d.todo.bytes() }

// Clear forgets all rows.
func (d *Distinct) Clear() {
	d.counts, d.timed, d.todo = rowCounts{}, newTimedRows(), todo{}
}
