package d2

import "errors"

// ErrOuter is the panic value of [NewOuterJoin] without a side to keep.
var ErrOuter = errors.New("d2: an outer join keeps the left, the right or both sides")

// Outer tells which sides of an outer join keep rows without a match.
type Outer uint8

// The sides an outer join may keep.
const (
	LeftOuter  Outer = 1
	RightOuter Outer = 2
	FullOuter        = LeftOuter | RightOuter
)

// OuterJoin is the inner join and, for each side that is kept, the antijoin of
// that side with the other, its rows paired with None:
//
//	left ⋈ right + (left ▷ right) × {None} + {None} × (right ▷ left)
//
// A row without a key has no match and stays. When the first match of a key
// arrives, or the last one leaves, the pairs with None of the rows of that key
// go or come in the same visit; a key is matched while the weights it has on
// the other side sum to more than 0. State and cost are those of [Join] and
// [Semijoin]. It may stand in a cycle.
type OuterJoin struct {
	kind     Outer
	sides    sides
	matched  matched
	product  product
	lone     gate // left rows without a match
	loneOver gate // right rows without a match
}

// NewOuterJoin returns an outer join. Its projection is given None for the
// missing side.
func NewOuterJoin(kind Outer, spec JoinSpec) *OuterJoin {
	if kind == 0 || kind > FullOuter {
		panic(ErrOuter)
	}
	j := &OuterJoin{kind: kind}
	j.matched.init(spec)
	j.product.sides, j.product.matched = &j.sides, &j.matched
	return j
}

// Name returns the kind of the join.
func (j *OuterJoin) Name() string {
	switch j.kind {
	case LeftOuter:
		return "left join"
	case RightOuter:
		return "right join"
	}
	return "full join"
}

// Ports returns 2.
func (j *OuterJoin) Ports() int { return 2 }

// Rows returns what makes the output rows; a *Pairs unless the spec had another.
func (j *OuterJoin) Rows() Projection { return j.matched.rows }

// Bind takes the two arrangements. It fails with [ErrNotArranged].
func (j *OuterJoin) Bind(at Place) error {
	if err := j.sides.bind(at); err != nil {
		return err
	}
	j.matched.owner.cyclic = at.Cyclic
	if j.kind&LeftOuter != 0 {
		j.lone.bind(j.sides.left, j.sides.right, true, at.Cyclic, padRight{&j.matched})
	}
	if j.kind&RightOuter != 0 {
		j.loneOver.bind(j.sides.right, j.sides.left, true, at.Cyclic, padLeft{&j.matched})
	}
	return nil
}

// Stage tells that a batch of each side that is kept is enough outside cycles.
func (j *OuterJoin) Stage(port int) bool {
	return j.sides.cyclic || j.kind&(LeftOuter<<port) != 0
}

// Apply emits the matches that come and go, and the rows that are left alone
// or no longer alone.
func (j *OuterJoin) Apply(v *Visit, out *Out) error {
	left, right := v.In(0), v.In(1)
	j.matched.begin(out)
	j.product.apply(v.Iter, left, right)
	if j.kind&LeftOuter != 0 {
		j.lone.apply(v.Iter, left, right)
	}
	if j.kind&RightOuter != 0 {
		j.loneOver.apply(v.Iter, right, left)
	}
	j.matched.end(v)
	if j.product.tidy(left, right) {
		out.Tidy()
	}
	return nil
}

// padRight pairs left rows with None, padLeft right ones.
type (
	padRight struct{ *matched }
	padLeft  struct{ *matched }
)

func (p padRight) pass(iter int32, row uint32, weight int32) { p.put(iter, row, None, weight) }
func (p padLeft) pass(iter int32, row uint32, weight int32)  { p.put(iter, None, row, weight) }

// Snapshot emits every match and every row without one.
func (j *OuterJoin) Snapshot(out *Out) error {
	j.product.snapshot(out)
	if j.kind&LeftOuter != 0 {
		j.lone.snapshot(snapshotPairs{j.matched.rows, out, false})
	}
	if j.kind&RightOuter != 0 {
		j.loneOver.snapshot(snapshotPairs{j.matched.rows, out, true})
	}
	return nil
}

// snapshotPairs emits rows paired with None, without accounting for them.
type snapshotPairs struct {
	rows  Projection
	out   *Out
	right bool
}

func (s snapshotPairs) pass(_ int32, row uint32, weight int32) {
	if s.right {
		s.out.Emit(s.rows.Project(None, row), weight)
	} else {
		s.out.Emit(s.rows.Project(row, None), weight)
	}
}

// Retained returns the number of rows accounted for.
func (j *OuterJoin) Retained() int {
	return j.matched.owner.held + j.lone.retained() + j.loneOver.retained()
}

// Bytes returns the memory held, that of the rows' table not included.
func (j *OuterJoin) Bytes() int {
	return j.matched.owner.bytes() + j.product.marks.bytes() + j.lone.bytes() + j.loneOver.bytes()
}

// Clear gives back the references to the rows put out.
func (j *OuterJoin) Clear() {
	j.matched.clear()
	j.product.marks = marks{}
	j.lone.clear()
	j.loneOver.clear()
}
