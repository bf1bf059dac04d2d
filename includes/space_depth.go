package includes

import "millrace.dev/millrace/d2"

// depthSpace is the space of rows of another one, each with the least number of
// steps it takes to reach it. That is the last leaf. A row's key is that of
// the row within.
type depthSpace struct {
	interned
	of  space
	all []leaf
}

func newDepthSpace(e *Engine, of space) *depthSpace {
	s := &depthSpace{interned: newInterned(e, d2.NewTable(1), 1), of: of}
	s.all = behind(hop{table: s.table, kind: stepLeft}, of.leaves(), nil)
	s.all = append(s.all, leaf{cells: &cellSpace{depths: s.table}})
	s.table.Made = func(row uint32) {
		of.ref(s.within(row))
		s.made(row, uint64(of.KeyOf(s.within(row))))
	}
	s.table.Freed = func(row uint32) {
		of.unref(s.within(row))
		s.freed(row)
	}
	return s
}

func (s *depthSpace) within(row uint32) uint32 { return uint32(s.table.Word(row, 0) >> 32) }

// Pin implements d2.Pins.
func (s *depthSpace) Pin(row uint32) {
	s.table.Ref(row)
	s.of.Pin(s.within(row))
}

// Unpin implements d2.Pins.
func (s *depthSpace) Unpin(row uint32) {
	s.of.Unpin(s.within(row))
	s.unref(row)
}

func (s *depthSpace) leaves() []leaf { return s.all }
func (s *depthSpace) ready() error   { return s.of.ready() }

func (s *depthSpace) compareKeys(a, b uint32) int {
	if x, y := s.within(a), s.within(b); x != y {
		return s.of.compareKeys(x, y)
	}
	return 0
}

// stamp gives rows of a loop the number of the iteration at which they come: as a
// step only adds rows, that is the least number of steps to them. It implements
// d2.Operator.
type stamp struct{ space *depthSpace }

// Name implements d2.Operator.
func (stamp) Name() string { return "depth" }

// Ports implements d2.Operator.
func (stamp) Ports() int { return 1 }

// Apply implements d2.Operator.
func (s stamp) Apply(v *d2.Visit, out *d2.Out) error {
	for _, d := range v.In(0) {
		out.Emit(s.space.table.Intern1(uint64(d.Row)<<32|uint64(uint32(v.Iter))), d.Weight)
	}
	return nil
}

// until passes rows that are reached in less than that many steps. It implements
// d2.Operator.
type until uint32

// Name implements d2.Operator.
func (until) Name() string { return "until" }

// Ports implements d2.Operator.
func (until) Ports() int { return 1 }

// Apply implements d2.Operator.
func (u until) Apply(v *d2.Visit, out *d2.Out) error {
	if uint32(v.Iter) < uint32(u) {
		for _, d := range v.In(0) {
			out.Emit(d.Row, d.Weight)
		}
	}
	return nil
}
