package includes

import (
	"math"

	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// tally is what counts, sums and averages have in common: how many rows of each
// group have a value.
type tally struct {
	reader
	n []int64 // by group
}

func (t *tally) count(group uint32, by int32) {
	for int(group) >= len(t.n) {
		t.n = append(t.n, 0)
	}
	t.n[group] += int64(by)
}

func (t *tally) of64(group uint32) int64 {
	if int(group) >= len(t.n) {
		return 0
	}
	return t.n[group]
}

func drop(list []int64, group, last uint32) []int64 {
	if int(group) < len(list) {
		list[group] = 0
		if int(last) < len(list) {
			list[group] = list[last]
		}
	}
	if int(last) < len(list) {
		list = list[:last]
	}
	return list
}

// countOf counts the rows that have a value; it implements d2.Aggregate.
type countOf struct{ tally }

func (c *countOf) Add(group, row uint32, weight int32) error {
	if !c.of(row).Absent() {
		c.count(group, weight)
	}
	return nil
}

func (c *countOf) Result(g d2.GroupRef) (uint8, uint64, error) {
	return numberBits(float64(c.of64(g.ID)))
}

func (c *countOf) Drop(group, last uint32) { c.n = drop(c.n, group, last) }
func (c *countOf) Retained() int           { return 0 }
func (c *countOf) Bytes() int              { return 8 * cap(c.n) }
func (c *countOf) Clear()                  { c.n = nil }

func numberBits(v float64) (uint8, uint64, error) {
	c := value.Number(v)
	return c.Kind, math.Float64bits(c.Val), nil
}

// sumOf is the exact sum of the values there are, or with mean their average. A
// sum of bigints alone is one; anything else is a number. It implements
// d2.Aggregate.
type sumOf struct {
	tally
	mean  bool
	texts value.Texts
	sums  d2.ExactSums
	bigs  []int64 // by group: how many of the values are bigints
	limbs []uint32
	big   func(neg bool, limbs []uint32) (value.Cell, error)
}

func (s *sumOf) Add(group, row uint32, weight int32) error {
	c := s.of(row)
	if c.Absent() {
		return nil
	}
	s.count(group, weight)
	if c.Kind == value.KindBigInt {
		for int(group) >= len(s.bigs) {
			s.bigs = append(s.bigs, 0)
		}
		s.bigs[group] += int64(weight)
		s.sums.Add(group, s.parse(s.texts.Text(c.ID())), weight)
		return nil
	}
	s.sums.Add(group, d2.Number{Kind: d2.NumberFloat, Bits: math.Float64bits(s.number(c))}, weight)
	return nil
}

// number is JavaScript's conversion.
func (s *sumOf) number(c value.Cell) float64 {
	switch c.Kind {
	case value.KindBool, value.KindNumber, value.KindDate:
		return c.Val
	case value.KindString:
		return value.ToNumber(s.texts.Text(c.ID()))
	}
	return math.NaN()
}

// parse reads the decimal form of an integer.
func (s *sumOf) parse(text []byte) d2.Number {
	neg := len(text) > 0 && text[0] == '-'
	if neg {
		text = text[1:]
	}
	s.limbs = s.limbs[:0]
	for _, digit := range text {
		carry := uint64(digit - '0')
		for i, l := range s.limbs {
			carry += uint64(l) * 10
			s.limbs[i] = uint32(carry)
			carry >>= 32
		}
		if carry > 0 {
			s.limbs = append(s.limbs, uint32(carry))
		}
	}
	return d2.Number{Kind: d2.NumberBig, Neg: neg, Limbs: s.limbs}
}

func (s *sumOf) Result(g d2.GroupRef) (uint8, uint64, error) {
	n := s.of64(g.ID)
	switch {
	case s.mean && n == 0:
		return value.KindUndefined, 0, nil // read as null
	case s.mean:
		return numberBits(s.sums.Float(g.ID) / float64(n))
	case n > 0 && int(g.ID) < len(s.bigs) && s.bigs[g.ID] == n:
		if neg, limbs, ok := s.sums.Integer(g.ID); ok {
			c, err := s.big(neg, limbs)
			return c.Kind, math.Float64bits(c.Val), err
		}
	}
	return numberBits(s.sums.Float(g.ID))
}

func (s *sumOf) Drop(group, last uint32) {
	s.n = drop(s.n, group, last)
	s.bigs = drop(s.bigs, group, last)
	s.sums.Drop(group, last)
}

func (s *sumOf) Retained() int { return 0 }
func (s *sumOf) Bytes() int    { return 8*(cap(s.n)+cap(s.bigs)) + s.sums.Bytes() }

func (s *sumOf) Clear() {
	s.n, s.bigs = nil, nil
	s.sums.Clear()
}

// extremes gives the values of an expression their order; it implements
// d2.Values.
type extremes struct {
	reader
	texts value.Texts
}

func (e *extremes) Null(row uint32) bool { return e.of(row).Absent() }

func (e *extremes) Compare(a, b uint32) int {
	return compareTotal(e.of(a), e.of(b), e.texts)
}

func (e *extremes) Value(row uint32) (uint8, uint64) {
	c := e.of(row)
	return c.Kind, math.Float64bits(c.Val)
}

// compareTotal orders two values; only what is of one kind and the same is
// equal.
func compareTotal(a, b value.Cell, texts value.Texts) int {
	if a == b {
		return 0
	}
	c, err := value.Term{}.Compare(a, b, texts)
	switch {
	case err != nil:
		panic(d2.OrderFault{Err: err})
	case c != 0:
		return c
	case a.Kind != b.Kind:
		return int(a.Kind) - int(b.Kind)
	case a.Val < b.Val:
		return -1
	}
	return 1
}
