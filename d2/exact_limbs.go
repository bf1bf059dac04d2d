package d2

import (
	"math"
	"math/bits"
)

// addProduct adds ±(v × times) × 2^(pos+exactUnit), times being below 2³².
func (s *ExactSums) addProduct(id uint32, pos int, v, times uint64, neg bool) {
	hi, lo := bits.Mul64(v, times)
	if hi|lo == 0 {
		return
	}
	shift := uint(pos & 31)
	var piece [4]uint64
	piece[3] = hi >> (64 - shift) >> 32
	hi = hi<<shift | lo>>(64-shift)
	lo <<= shift
	piece[0], piece[1] = lo&limbMask, lo>>32
	piece[3] |= hi >> 32
	piece[2] = hi & limbMask
	first, last := 0, 3
	for piece[first] == 0 {
		first++
	}
	for piece[last] == 0 {
		last--
	}
	limb := int32(pos >> 5)
	limbs := s.reach(id, limb+int32(first), limb+int32(last))
	for i := range limbs {
		d := int64(piece[first+i])
		if neg {
			d = -d
		}
		limbs[i] += d
	}
}

// reach makes a sum cover the limbs from one to another and returns these.
func (s *ExactSums) reach(id uint32, from, to int32) []int64 {
	e := &s.sums[id]
	if e.adds++; e.adds >= exactAdds {
		s.settle(id)
	}
	lo, end := from, to+1
	if e.n > 0 {
		lo, end = min(lo, e.lo), max(end, e.lo+int32(e.n))
	}
	if n := uint32(end - lo); n != e.n {
		if e.room == 0 || n > 1<<e.room {
			s.resize(id, n)
		}
		b := s.slab[e.at : e.at+n]
		if e.n == 0 {
			clear(b)
		} else {
			down := uint32(e.lo - lo)
			copy(b[down:], b[:e.n])
			clear(b[:down])
			clear(b[down+e.n:])
		}
		e.lo, e.n = lo, n
	}
	at := e.at + uint32(from-e.lo)
	return s.slab[at : at+uint32(to-from)+1]
}

// settle carries what exceeds a limb into the next: all limbs but the highest
// are in [0, 2³²), that has the sign, and no limb at either end is superfluous.
func (s *ExactSums) settle(id uint32) {
	e := &s.sums[id]
	e.adds = 0
	if e.n == 0 {
		return
	}
	b := s.slab[e.at : e.at+e.n]
	carry := int64(0)
	for i := range b {
		v := b[i] + carry
		b[i], carry = v&limbMask, v>>32
	}
	for carry != 0 && carry != -1 {
		s.push(id, carry&limbMask)
		carry >>= 32
	}
	if carry == -1 {
		// The sign goes into the highest limb, unless that is 0 and may be given up.
		if s.slab[e.at+e.n-1] == 0 {
			s.push(id, -1)
		} else {
			s.slab[e.at+e.n-1] -= 1 << 32
		}
		b = s.slab[e.at : e.at+e.n]
		for e.n > 1 && b[e.n-1] == -1 && b[e.n-2] != 0 {
			e.n--
			b[e.n-1] -= 1 << 32
		}
	}
	b = s.slab[e.at : e.at+e.n]
	for e.n > 0 && b[e.n-1] == 0 {
		e.n--
	}
	zeros := uint32(0)
	for zeros < e.n && b[zeros] == 0 {
		zeros++
	}
	if zeros > 0 {
		copy(b, b[zeros:e.n])
		e.n -= zeros
		e.lo += int32(zeros)
	}
	if e.n == 0 || (e.room > 1 && e.n <= 1<<e.room/4) {
		s.resize(id, e.n)
	}
}

// push adds a limb on top.
func (s *ExactSums) push(id uint32, limb int64) {
	e := &s.sums[id]
	if e.n == 1<<e.room {
		s.resize(id, e.n+1)
	}
	s.slab[e.at+e.n] = limb
	e.n++
}

// resize moves a sum into a block with room for n limbs; with 0 it has none.
func (s *ExactSums) resize(id, n uint32) {
	e := &s.sums[id]
	at, room := uint32(0), uint8(0)
	if n > 0 {
		room = max(1, uint8(bits.Len32(n-1)))
		at = s.block(room)
		copy(s.slab[at:at+1<<room], s.slab[e.at:e.at+e.n])
	}
	if e.room > 0 {
		s.slab[e.at] = int64(s.free[e.room])
		s.free[e.room] = e.at + 1
		s.live -= 1 << e.room
	}
	e.at, e.room = at, room
	if len(s.slab) > 64 && 4*s.live < len(s.slab) {
		s.compact()
	}
}

func (s *ExactSums) block(room uint8) uint32 {
	s.live += 1 << room
	if f := s.free[room]; f > 0 {
		s.free[room] = uint32(s.slab[f-1])
		return f - 1
	}
	at := len(s.slab)
	need := at + 1<<room
	if need > cap(s.slab) {
		grown := make([]int64, at, max(need, 16, at+at/2))
		copy(grown, s.slab)
		s.slab = grown
	}
	s.slab = s.slab[:need]
	return uint32(at)
}

// compact copies the blocks in use into a slab of their size.
func (s *ExactSums) compact() {
	slab := make([]int64, 0, s.live+s.live/4)
	for id := range s.sums {
		if e := &s.sums[id]; e.room > 0 {
			at := uint32(len(slab))
			slab = append(slab, s.slab[e.at:e.at+1<<e.room]...)
			e.at = at
		}
	}
	s.slab = slab
	clear(s.free[:])
}

// Drop forgets a sum; the last one, if it is another, takes its number.
func (s *ExactSums) Drop(id, last uint32) {
	if int(id) >= len(s.sums) {
		return
	}
	s.resize(id, 0)
	s.sums[id] = exactSum{}
	if s.special != nil {
		c := s.special[3*id : 3*id+3]
		before := c[0]|c[1]|c[2] != 0
		clear(c)
		s.marked(before, false)
	}
	if int(last) >= len(s.sums) {
		return
	}
	if id != last {
		s.sums[id] = s.sums[last]
		s.sums[last] = exactSum{}
		if s.special != nil {
			copy(s.special[3*id:3*id+3], s.special[3*last:])
		}
	}
	s.truncate(int(last))
}

// truncate shortens the set to n sums, those behind being empty.
func (s *ExactSums) truncate(n int) {
	s.sums = s.sums[:n]
	if s.special != nil {
		s.special = s.special[:3*n]
	}
	switch {
	case n == 0:
		s.sums, s.special, s.scratch = nil, nil, nil
	case cap(s.sums) > 16 && 4*n < cap(s.sums):
		s.sums = append(make([]exactSum, 0, n+n/4), s.sums...)
		if s.special != nil {
			s.special = append(make([]int64, 0, 3*(n+n/4)), s.special...)
		}
	}
	if s.live == 0 {
		s.slab = nil
		clear(s.free[:])
	}
}

// magnitude settles a sum and returns it as sign and limbs from lo on, the
// lowest and the highest not 0. The limbs are valid until the next call.
func (s *ExactSums) magnitude(id uint32) (neg bool, limbs []uint32, lo int) {
	s.settle(id)
	e := &s.sums[id]
	s.scratch = s.scratch[:0]
	if e.n == 0 {
		return false, nil, 0
	}
	b := s.slab[e.at : e.at+e.n]
	neg = b[e.n-1] < 0
	carry := int64(0)
	for _, d := range b {
		if neg {
			d = -d
		}
		d += carry
		s.scratch = append(s.scratch, uint32(d))
		carry = d >> 32
	}
	if carry != 0 {
		s.scratch = append(s.scratch, uint32(carry))
	}
	n := len(s.scratch)
	for n > 0 && s.scratch[n-1] == 0 {
		n--
	}
	s.scratch = s.scratch[:n]
	return neg, s.scratch, int(e.lo)
}

// roundLimbs rounds ±Σ limbs[i] × 2^(32×(lo+i)+exactUnit) to the nearest
// float64, ties to even. The highest limb is not 0.
func roundLimbs(neg bool, limbs []uint32, lo int) float64 {
	n := len(limbs)
	if n == 0 {
		return 0
	}
	at := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return uint64(limbs[i])
	}
	// The highest 64 bits, with a highest bit of 1, and whether there is more.
	shift := uint(bits.LeadingZeros32(limbs[n-1]))
	top := at(n-1)<<32 | at(n-2)
	top = top<<shift | at(n-3)<<shift>>32
	more := uint32(at(n-3)<<shift) != 0
	for i := n - 4; i >= 0 && !more; i-- {
		more = limbs[i] != 0
	}
	exp := 32*(lo+n) - int(shift) - 64 + exactUnit // of the lowest bit of top
	drop := 11
	if exp+drop < -1074 {
		// A subnormal: sums are multiples of 2^-1074, so what is dropped is 0.
		drop = -1074 - exp
	}
	mant := uint64(0)
	if drop < 64 {
		mant = top >> drop
		rest := top << (64 - drop)
		if rest > 1<<63 || (rest == 1<<63 && (more || mant&1 == 1)) {
			mant++
		}
	}
	exp += drop
	if mant == 1<<53 {
		mant, exp = mant>>1, exp+1
	}
	out := mant
	switch {
	case exp+52 > 1023:
		out = 0x7ff << 52
	case mant >= 1<<52:
		out = mant&(1<<52-1) | uint64(exp+1075)<<52
	}
	if neg {
		out |= 1 << 63
	}
	return math.Float64frombits(out)
}
