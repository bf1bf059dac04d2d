package d2

// Semijoin keeps the rows of port 0 whose key port 1 has as well, antijoin
// those whose key it has not: left · [key in right], and left less that. Rows
// keep their weight; how many rows of port 1 have the key makes no difference
// as long as their weights sum to more than 0. A row without a key passes an
// antijoin and never a semijoin.
//
// Both ports must stand on arranged operators. Outside cycles it has no state;
// in cycles it keeps the weights of the keys of port 1 by iteration. A visit
// costs the batches and the rows of keys that come or go on port 1.
type Semijoin struct {
	sides sides
	gate  gate
	anti  bool
	out   *Out
}

// NewSemijoin returns a semijoin.
func NewSemijoin() *Semijoin { return &Semijoin{} }

// NewAntijoin returns an antijoin.
func NewAntijoin() *Semijoin { return &Semijoin{anti: true} }

// Name returns "semijoin" or "antijoin".
func (s *Semijoin) Name() string {
	if s.anti {
		return "antijoin"
	}
	return "semijoin"
}

// Ports returns 2.
func (s *Semijoin) Ports() int { return 2 }

// Bind takes the two arrangements. It fails with [ErrNotArranged].
func (s *Semijoin) Bind(at Place) error {
	if err := s.sides.bind(at); err != nil {
		return err
	}
	s.gate.bind(s.sides.left, s.sides.right, s.anti, at.Cyclic, s)
	return nil
}

// Stage tells that a batch of the left side is enough outside cycles.
func (s *Semijoin) Stage(port int) bool { return port == 0 || s.sides.cyclic }

// Apply emits the rows that begin or cease to pass.
func (s *Semijoin) Apply(v *Visit, out *Out) error {
	left, right := v.In(0), v.In(1)
	s.out = out
	s.gate.apply(v.Iter, left, right)
	s.out = nil
	switch {
	case s.sides.cyclic:
	case len(right) == 0 && v.Keyed(0):
		out.Keyed()
	case len(right) == 0, len(left) == 0 && !s.sides.timed(s.sides.left):
		out.Tidy()
	}
	return nil
}

func (s *Semijoin) pass(iter int32, row uint32, weight int32) {
	if s.sides.cyclic {
		s.out.EmitAt(iter, row, weight)
	} else {
		s.out.Emit(row, weight)
	}
}

// Snapshot emits every row that passes.
func (s *Semijoin) Snapshot(out *Out) error {
	s.gate.snapshot(snapshotRows{out})
	return nil
}

// snapshotRows emits rows whatever their iteration.
type snapshotRows struct{ out *Out }

func (s snapshotRows) pass(_ int32, row uint32, weight int32) { s.out.Emit(row, weight) }

// Retained returns the number of entries kept.
func (s *Semijoin) Retained() int { return s.gate.retained() }

// Bytes returns the memory held.
func (s *Semijoin) Bytes() int { return s.gate.bytes() }

// Clear forgets everything.
func (s *Semijoin) Clear() { s.gate.clear() }
