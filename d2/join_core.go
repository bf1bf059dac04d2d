package d2

import "errors"

// ErrArrangedElsewhere refuses a join in a cycle on an arrangement whose
// iterations are not those of the join.
var ErrArrangedElsewhere = errors.New("d2: in a cycle a join must not stand on an arrangement of another cycle, or behind a feedback edge; put an Arrange in between")

// What the joins share: the two arrangements they stand on, the rows they put
// out, and the product of one side's differences with the other side.

// sides are the arrangements a join reads.
type sides struct {
	left, right Arrangement
	cyclic      bool
}

// bind takes the arrangements from the operators that feed the two ports.
func (s *sides) bind(at Place) error {
	var both [2]Arrangement
	for port := range both {
		if port >= len(at.In) {
			return ErrNotArranged
		}
		arranged, ok := at.In[port].(Arranged)
		if !ok {
			return ErrNotArranged
		}
		both[port] = arranged.Arrangement()
	}
	if at.at != nil {
		for _, in := range at.at.ins {
			if in.feedback || at.Cyclic && in.from.comp != nil && in.from.comp != at.at.comp {
				return ErrArrangedElsewhere
			}
		}
	}
	s.left, s.right, s.cyclic = both[0], both[1], at.Cyclic
	return nil
}

// timed tells whether rows of an arrangement have entries at iterations that
// mean nothing to the reader: it belongs to a cycle and the reader does not.
func (s *sides) timed(a Arrangement) bool {
	trace, ok := a.(*Trace)
	return !s.cyclic && ok && trace.late > 0
}

// matched is where the matches of a join go: it makes their rows, accounts for
// them and emits them.
type matched struct {
	rows   Projection
	owner  owner // without a table nothing is accounted for
	unique bool  // different matches are different rows
	out    *Out
}

// JoinSpec tells what the output rows of a join are.
type JoinSpec struct {
	// Rows makes the row of a match; nil for pairs in a table of the join's own.
	Rows Projection
	// Table holds the rows that Rows makes, if they are interned: the join keeps
	// those in its output referred to. Not needed if Rows is a *Pairs.
	Table *Table
}

func (m *matched) init(spec JoinSpec) {
	m.rows, m.owner.table = spec.Rows, spec.Table
	if m.rows == nil {
		m.rows = NewPairs(nil, nil)
	}
	if pairs, ok := m.rows.(*Pairs); ok {
		m.owner.table, m.unique = pairs.table, true
	}
}

func (m *matched) put(iter int32, left, right uint32, weight int32) {
	row := m.rows.Project(left, right)
	if m.owner.table != nil {
		m.owner.add(row, iter, weight)
	}
	if m.owner.cyclic {
		m.out.EmitAt(iter, row, weight)
	} else {
		m.out.Emit(row, weight)
	}
}

// begin and end enclose a visit.
func (m *matched) begin(out *Out) { m.out = out }

func (m *matched) end(v *Visit) {
	m.out = nil
	if m.owner.table != nil {
		m.owner.sweepAfter(v)
	}
}

func (m *matched) clear() {
	if m.owner.table != nil {
		m.owner.clear()
	}
}

// product keeps left ⋈ right:
//
//	δ(left ⋈ right) = δa ⋈ b + a' ⋈ δb
//
// for a and b the two sides in either order, a' being the state of a after the
// batch and b that before it. Arrangements hold the state after the batch, so
// b is read as b' less δb; b is the side of the smaller batch, whose
// differences are marked for that. With a batch on one side only nothing is
// marked. A difference at iteration i that meets an entry at j is one at
// max(i, j). Cost: the batches and the matches they have.
type product struct {
	*sides
	*matched
	marks marks
}

// apply emits the matches of two batches at an iteration.
func (p *product) apply(iter int32, left, right []Diff) {
	switch {
	case len(right) == 0:
		p.meet(iter, left, p.left, p.right, false, false)
	case len(left) == 0:
		p.meet(iter, right, p.right, p.left, true, false)
	case len(left) >= len(right):
		p.marks.prepare(p.right, iter, right, p.timed(p.right))
		p.meet(iter, left, p.left, p.right, false, true)
		p.meet(iter, right, p.right, p.left, true, false)
	default:
		p.marks.prepare(p.left, iter, left, p.timed(p.left))
		p.meet(iter, right, p.right, p.left, true, true)
		p.meet(iter, left, p.left, p.right, false, false)
	}
	p.marks.trim()
}

// tidy tells whether every match was emitted once: one side met the other, in
// which each row has one entry, and no two matches have the same row.
func (p *product) tidy(left, right []Diff) bool {
	return p.unique && !p.cyclic && (len(left) == 0 || len(right) == 0) &&
		!p.timed(p.left) && !p.timed(p.right)
}

// meet emits batch ⋈ other, where from is the batch's side. Swapped tells that
// it is the right one; before, that other is to be read as it was before the
// marked batch.
func (p *product) meet(iter int32, batch []Diff, from, other Arrangement, swapped, before bool) {
	for _, d := range batch {
		class, bits, ok := from.Key(d.Row)
		if !ok {
			continue
		}
		for e := other.First(class, bits); e != None; e = other.Next(e) {
			row, at, weight := other.Entry(e)
			if before && at == iter {
				// The sum is a weight the row had, so it cannot overflow.
				weight -= p.marks.of(row)
			}
			p.match(max(iter, at), d, row, weight, swapped)
		}
		if !before {
			continue
		}
		if k := p.marks.keys.find(class, bits); k != None {
			for i := p.marks.keys.head[k]; i != None; i = p.marks.keys.next[i] {
				gone := p.marks.batch[i]
				p.match(iter, d, gone.Row, mulWeights(gone.Weight, -1), swapped)
			}
		}
	}
}

func (p *product) match(iter int32, d Diff, other uint32, weight int32, swapped bool) {
	if weight == 0 {
		return
	}
	weight = mulWeights(weight, d.Weight)
	if swapped {
		p.put(iter, other, d.Row, weight)
	} else {
		p.put(iter, d.Row, other, weight)
	}
}

// snapshot emits every match. The side with fewer entries is gone through.
func (p *product) snapshot(out *Out) {
	from, other, swapped := p.left, p.right, false
	if p.right.Len() < p.left.Len() {
		from, other, swapped = p.right, p.left, true
	}
	for e := from.Scan(0); e != None; e = from.Scan(e + 1) {
		row, _, weight := from.Entry(e)
		class, bits, ok := from.Key(row)
		if !ok {
			continue
		}
		for m := other.First(class, bits); m != None; m = other.Next(m) {
			match, _, by := other.Entry(m)
			if swapped {
				out.Emit(p.rows.Project(match, row), mulWeights(weight, by))
			} else {
				out.Emit(p.rows.Project(row, match), mulWeights(weight, by))
			}
		}
	}
}
