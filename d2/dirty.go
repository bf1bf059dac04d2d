package d2

import "math/bits"

// dirtySet is the set of ranks with something to do: one bit each, and one bit
// per word of those, which may be stale: it is cleared when its word is found
// empty. Ranks only grow during a run, so the search goes on where it stopped;
// a summary word skips 4,096 idle ranks at once.
type dirtySet struct {
	words   []uint64
	summary []uint64
	n       int
	at      int // the word being read; nothing is set before it
}

func (s *dirtySet) grow(ranks int) {
	for len(s.words)*64 < ranks {
		s.words = append(s.words, 0)
	}
	for len(s.summary)*64 < len(s.words) {
		s.summary = append(s.summary, 0)
	}
}

func (s *dirtySet) set(rank uint32) {
	w := int(rank >> 6)
	x, bit := s.words[w], uint64(1)<<(rank&63)
	if x&bit == 0 {
		s.n++
	}
	s.words[w] = x | bit
	s.summary[w>>6] |= 1 << (w & 63)
	if w < s.at {
		s.at = w
	}
}

func (s *dirtySet) clear(rank uint32) {
	if s.has(rank) {
		s.n--
	}
	s.words[rank>>6] &^= 1 << (rank & 63)
}

func (s *dirtySet) has(rank uint32) bool { return s.words[rank>>6]&(1<<(rank&63)) != 0 }

// take removes and returns the smallest rank of the set.
func (s *dirtySet) take() (uint32, bool) {
	if s.at < len(s.words) {
		if x := s.words[s.at]; x != 0 {
			s.words[s.at] = x & (x - 1)
			s.n--
			return uint32(s.at<<6 + bits.TrailingZeros64(x)), true
		}
	}
	return s.next()
}

// next is take where the current word is empty.
func (s *dirtySet) next() (uint32, bool) {
	for i := s.at >> 6; i < len(s.summary); i++ {
		for s.summary[i] != 0 {
			w := i<<6 + bits.TrailingZeros64(s.summary[i])
			if x := s.words[w]; x != 0 {
				s.at = w
				s.words[w] = x & (x - 1)
				s.n--
				return uint32(w<<6 + bits.TrailingZeros64(x)), true
			}
			s.summary[i] &= s.summary[i] - 1
		}
	}
	s.at = 0
	return 0, false
}

func (s *dirtySet) bytes() int { return 8 * (cap(s.words) + cap(s.summary)) }
