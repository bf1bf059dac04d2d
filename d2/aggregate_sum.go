package d2

import (
	"errors"
	"math"
)

// Errors of sums.
var (
	// ErrBigSum: a sum of integers has left 64 bits and nobody takes it.
	ErrBigSum = errors.New("d2: a sum of integers exceeds 64 bits; give Sums a Bigs to hold it")
	// ErrShared: aggregates over shared state are in two groups.
	ErrShared = errors.New("d2: aggregates that share state belong to one group operator; make another set for the second")
)

// Numbers tells the number of a row.
type Numbers interface {
	Number(row uint32) Number
}

// Bigs interns integers that do not fit 64 bits.
type Bigs interface {
	// Intern returns the identity of an integer, the same for equal ones as long
	// as a reference to it is held, and adds one. The limbs, least first, are the
	// magnitude; they are read during the call.
	Intern(neg bool, limbs []uint32) uint64
	// Release takes a reference back.
	Release(bits uint64)
}

// Sums is the state of sums and averages over one column, for any number of
// aggregates of one group operator. Sums are exact (see [ExactSums]): each is
// the sum of the group's numbers rounded once, in whatever order they came and
// whatever has left meanwhile. Nulls are left out. State is some 60 bytes a
// group for numbers of like size.
type Sums struct {
	numbers Numbers
	bigs    Bigs
	sums    ExactSums
	n       tally
	group   *Group
	first   *sumView
}

// NewSums returns sums over a column. bigs may be nil if no sum of integers
// needs more than 64 bits.
func NewSums(numbers Numbers, bigs Bigs) *Sums { return &Sums{numbers: numbers, bigs: bigs} }

type sumKind uint8

const (
	sumTotal sumKind = iota
	sumMean
	sumCount
)

// sumView is one aggregate over shared state; the one bound first keeps it.
type sumView struct {
	*Sums
	kind sumKind
}

// Sum is the sum of the numbers of a group by weight: null if it has none; an
// integer if all are; else a float64, never -0.
func (s *Sums) Sum() Aggregate {
	if s.bigs != nil {
		return &releasingSum{sumView{s, sumTotal}}
	}
	return &sumView{s, sumTotal}
}

// Avg is the exact sum, rounded to a float64, divided by the number of numbers:
// null if there are none.
func (s *Sums) Avg() Aggregate { return &sumView{s, sumMean} }

// Count is the number of numbers by weight.
func (s *Sums) Count() Aggregate { return &sumView{s, sumCount} }

// Sum returns a sum over a column; see [Sums] for several over one column.
func Sum(numbers Numbers, bigs Bigs) Aggregate { return NewSums(numbers, bigs).Sum() }

// Avg returns an average over a column.
func Avg(numbers Numbers) Aggregate { return NewSums(numbers, nil).Avg() }

func (a *sumView) bindGroup(g *Group) error {
	if a.first == nil {
		a.first, a.group = a, g
	} else if a.group != g || a.first == a {
		return ErrShared
	}
	return nil
}

func (a *sumView) Add(group, row uint32, weight int32) error {
	if a.first != a {
		return nil
	}
	x := a.numbers.Number(row)
	if x.Kind != NumberNull {
		a.n.add(group, weight)
		a.sums.Add(group, x, weight)
	}
	return nil
}

func (a *sumView) Result(g GroupRef) (class uint8, bits uint64, err error) {
	n := a.n.get(g.ID)
	switch {
	case a.kind == sumCount:
		return ResultInt, uint64(n), nil
	case n == 0:
		return ResultNull, 0, nil
	case a.kind == sumMean:
		return ResultFloat, floatBits(a.sums.Float(g.ID) / float64(n)), nil
	}
	neg, limbs, ok := a.sums.Integer(g.ID)
	if !ok {
		return ResultFloat, floatBits(a.sums.Float(g.ID)), nil
	}
	if v, ok := Int64(neg, limbs); ok {
		return ResultInt, uint64(v), nil
	}
	if a.bigs == nil {
		return 0, 0, ErrBigSum
	}
	return ResultBig, a.bigs.Intern(neg, limbs), nil
}

// floatBits returns the bits of a number, the same for every NaN.
func floatBits(v float64) uint64 {
	if v != v {
		v = math.NaN()
	}
	return math.Float64bits(v)
}

func (a *sumView) Drop(group, last uint32) {
	if a.first == a {
		a.n.drop(group, last)
		a.sums.Drop(group, last)
	}
}

func (a *sumView) Retained() int { return 0 }

func (a *sumView) Bytes() int {
	if a.first != a {
		return 0
	}
	return 8*cap(a.n) + a.sums.Bytes()
}

func (a *sumView) Clear() {
	if a.first == a {
		a.n = nil
		a.sums.Clear()
	}
}

// releasingSum is a sum whose results may be references to big integers.
type releasingSum struct{ sumView }

// Release implements [Releaser].
func (a *releasingSum) Release(class uint8, bits uint64) {
	if class == ResultBig {
		a.bigs.Release(bits)
	}
}
