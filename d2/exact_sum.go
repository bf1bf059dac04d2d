package d2

import "math"

// NumberKind tells what a [Number] is.
type NumberKind uint8

// The kinds of a Number.
const (
	NumberNull  NumberKind = iota // no number: left out of sums and averages
	NumberFloat                   // Bits are those of a float64
	NumberInt                     // Bits are an int64
	NumberBig                     // an integer of any size: Neg and Limbs
)

// Number is a number as a column gives it.
type Number struct {
	Kind  NumberKind
	Neg   bool     // of a NumberBig: below zero
	Bits  uint64   // of a NumberFloat or NumberInt
	Limbs []uint32 // of a NumberBig: its magnitude, least limb first; read before the next call
}

// ExactSums is a set of sums without rounding, numbered 0, 1, 2…: each the sum
// of weight×number over whatever was added, in any order and with deletions as
// negative weights, so that a sum kept up to date is bit for bit the sum of
// what is left.
//
// A sum is a fixed-point number in base 2³² reaching from the smallest float64
// up to any size. Only the limbs between its lowest and its highest non-zero
// one are stored, in one slab for all sums. Limbs are signed and wider than
// their base, so that adding touches only the limbs under a number; carries are
// settled when a sum is read. NaN and the infinities are counted apart.
// Adding costs O(limbs of the number), reading O(limbs of the sum); no
// allocation but growth. Memory follows the sums in use.
type ExactSums struct {
	sums    []exactSum
	slab    []int64
	free    [32]uint32 // by log2 of room: first free block + 1, linked by first limb
	live    int        // limbs in blocks in use
	special []int64    // three counts a sum (NaN, +∞, -∞); nil until one was added
	specs   int        // sums in special with a count that is not 0
	scratch []uint32
}

// exactSum is Σ slab[at+i] × 2^(32×(lo+i)+exactUnit) for i < n.
type exactSum struct {
	floats int64 // weight of the float64s added
	at     uint32
	n      uint32
	lo     int32
	adds   uint32 // since carries were settled
	room   uint8  // log2 of the block, 0: none
}

const (
	exactUnit  = -1088 // exponent of limb 0; below that of the smallest float64
	exactOne   = 34    // the limb of units
	exactAdds  = 1 << 28
	limbMask   = 1<<32 - 1
	exactAtOne = exactOne * 32
)

// Len returns the number of sums; those past the largest ever used are 0.
func (s *ExactSums) Len() int { return len(s.sums) }

// Bytes returns the memory held.
func (s *ExactSums) Bytes() int {
	return 32*cap(s.sums) + 8*(cap(s.slab)+cap(s.special)) + 4*cap(s.scratch)
}

// Clear forgets all sums and releases memory.
func (s *ExactSums) Clear() { *s = ExactSums{} }

// Add adds weight×x to a sum. A null adds nothing.
func (s *ExactSums) Add(id uint32, x Number, weight int32) {
	for int(id) >= len(s.sums) {
		s.sums = append(s.sums, exactSum{})
		if s.special != nil {
			s.special = append(s.special, 0, 0, 0)
		}
	}
	if weight == 0 {
		return
	}
	times, neg := uint64(weight), weight < 0
	if neg {
		times = uint64(-int64(weight))
	}
	switch x.Kind {
	case NumberFloat:
		s.sums[id].floats += int64(weight)
		s.addFloat(id, x.Bits, times, neg, weight)
	case NumberInt:
		v := x.Bits
		if int64(v) < 0 {
			v, neg = -v, !neg
		}
		s.addProduct(id, exactAtOne, v, times, neg)
	case NumberBig:
		for i, limb := range x.Limbs {
			s.addProduct(id, exactAtOne+32*i, uint64(limb), times, neg != x.Neg)
		}
	}
}

func (s *ExactSums) addFloat(id uint32, bits, times uint64, neg bool, weight int32) {
	if bits>>63 != 0 {
		neg = !neg
	}
	exp := int(bits>>52) & 0x7ff
	frac := bits & (1<<52 - 1)
	switch exp {
	case 0x7ff:
		kind := 0
		if frac == 0 {
			kind = 1 + int(bits>>63)
		}
		s.addSpecial(id, kind, weight)
		return
	case 0:
		exp = 1
	default:
		frac |= 1 << 52
	}
	// The value is frac × 2^(exp-1075).
	s.addProduct(id, exp-1075-exactUnit, frac, times, neg)
}

func (s *ExactSums) addSpecial(id uint32, kind int, weight int32) {
	if s.special == nil {
		s.special = make([]int64, 3*len(s.sums))
	}
	c := s.special[3*id : 3*id+3]
	before := c[0]|c[1]|c[2] != 0
	c[kind] += int64(weight)
	s.marked(before, c[0]|c[1]|c[2] != 0)
}

// marked follows a sum's counts becoming all zero, or not so any more.
func (s *ExactSums) marked(before, after bool) {
	if before == after {
		return
	}
	if after {
		s.specs++
	} else if s.specs--; s.specs == 0 {
		s.special = nil
	}
}

// Float returns a sum rounded once to the nearest float64, ties to even: NaN if
// a NaN or infinities of both signs are in it, +0 if it is zero.
func (s *ExactSums) Float(id uint32) float64 {
	if int(id) >= len(s.sums) {
		return 0
	}
	if s.special != nil {
		c := s.special[3*id : 3*id+3]
		switch {
		case c[0] != 0 || (c[1] != 0 && c[2] != 0):
			return math.NaN()
		case c[1] != 0:
			return math.Inf(1)
		case c[2] != 0:
			return math.Inf(-1)
		}
	}
	neg, limbs, lo := s.magnitude(id)
	return roundLimbs(neg, limbs, lo)
}

// Integer returns a sum as sign and magnitude, least limb first and the highest
// not 0; none for zero. The limbs are valid until the next call. It reports
// false if float64s are in the sum, or if it is no integer.
func (s *ExactSums) Integer(id uint32) (neg bool, limbs []uint32, ok bool) {
	if int(id) >= len(s.sums) {
		return false, nil, true
	}
	if s.sums[id].floats != 0 || (s.special != nil && s.special[3*id]|s.special[3*id+1]|s.special[3*id+2] != 0) {
		return false, nil, false
	}
	neg, limbs, lo := s.magnitude(id)
	if len(limbs) == 0 {
		return false, nil, true
	}
	if lo < exactOne {
		return false, nil, false
	}
	if up := lo - exactOne; up > 0 {
		for range up {
			s.scratch = append(s.scratch, 0)
		}
		copy(s.scratch[up:], s.scratch[:len(limbs)])
		clear(s.scratch[:up])
		limbs = s.scratch
	}
	return neg, limbs, true
}

// Int64 returns the integer of sign and magnitude, if it is an int64.
func Int64(neg bool, limbs []uint32) (int64, bool) {
	if len(limbs) > 2 {
		return 0, false
	}
	m := uint64(0)
	for i, limb := range limbs {
		m |= uint64(limb) << (32 * i)
	}
	switch {
	case neg && m <= 1<<63:
		return int64(-m), true
	case !neg && m < 1<<63:
		return int64(m), true
	}
	return 0, false
}
