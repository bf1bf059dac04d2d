package includes

import "millrace.dev/millrace/d2"

// pairSpace is the space of a join: a left and a right row, either perhaps none.
type pairSpace struct {
	interned
	pairs       *d2.Pairs
	left, right space
	flags       bool // the left row's key is the pair's
	all         []leaf
}

func newPairSpace(e *Engine, left, right space) *pairSpace {
	pairs := d2.NewPairs(left, right)
	s := &pairSpace{interned: newInterned(e, pairs.Table(), 1), pairs: pairs, left: left, right: right}
	s.all = behind(hop{table: s.table, kind: stepLeft}, left.leaves(), nil)
	s.all = behind(hop{table: s.table, kind: stepRight}, right.leaves(), s.all)
	s.all = append(s.all,
		leaf{walk: []hop{{table: s.table, kind: stepLeft}}, there: true},
		leaf{walk: []hop{{table: s.table, kind: stepRight}}, there: true})
	s.table.Made = func(row uint32) {
		l, r := pairs.Left(row), pairs.Right(row)
		word := ^uint64(0)
		if l != d2.None {
			left.ref(l)
			word = uint64(left.KeyOf(l))<<32 | word&0xffffffff
		}
		if r != d2.None {
			right.ref(r)
		}
		if r != d2.None && !s.flags {
			word = word&^0xffffffff | uint64(right.KeyOf(r))
		}
		s.made(row, word)
	}
	s.table.Freed = func(row uint32) {
		if l := pairs.Left(row); l != d2.None {
			left.unref(l)
		}
		if r := pairs.Right(row); r != d2.None {
			right.unref(r)
		}
		s.freed(row)
	}
	return s
}

// newFlagSpace returns the space of pairs that stand for their left row, the right
// one saying something of it: its key is that of the left row.
func newFlagSpace(e *Engine, left, right space) *pairSpace {
	s := newPairSpace(e, left, right)
	s.flags = true
	return s
}

// Pin implements d2.Pins.
func (s *pairSpace) Pin(row uint32) { s.pairs.Pin(row) }

// Unpin implements d2.Pins.
func (s *pairSpace) Unpin(row uint32) {
	s.pairs.Unpin(row)
	s.loosen()
}

func (s *pairSpace) leaves() []leaf { return s.all }

func (s *pairSpace) ready() error {
	if err := s.left.ready(); err != nil {
		return err
	}
	return s.right.ready()
}

// compareKeys orders pairs by their left, then by their right rows; a missing
// one comes last.
func (s *pairSpace) compareKeys(a, b uint32) int {
	if a == b {
		return 0
	}
	if c := comparePart(s.left, s.pairs.Left(a), s.pairs.Left(b)); c != 0 {
		return c
	}
	return comparePart(s.right, s.pairs.Right(a), s.pairs.Right(b))
}

func comparePart(s space, a, b uint32) int {
	switch {
	case a == b:
		return 0
	case a == d2.None:
		return 1
	case b == d2.None:
		return -1
	}
	return s.compareKeys(a, b)
}
