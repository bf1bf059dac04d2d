package d2

import "math/bits"

// dirtySet is the set of ranks with something to do: one bit each, and one bit
// per word of those. Ranks only grow during a run, so the search goes on from
// a cursor; a summary word skips 4,096 idle ranks at once.
type dirtySet struct {
	words   []uint64
	summary []uint64
	cursor  int // index of a summary word; nothing is set before it
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
	w := rank >> 6
	s.words[w] |= 1 << (rank & 63)
	s.summary[w>>6] |= 1 << (w & 63)
	if int(w>>6) < s.cursor {
		s.cursor = int(w >> 6)
	}
}

func (s *dirtySet) clear(rank uint32) {
	w := rank >> 6
	s.words[w] &^= 1 << (rank & 63)
	if s.words[w] == 0 {
		s.summary[w>>6] &^= 1 << (w & 63)
	}
}

func (s *dirtySet) has(rank uint32) bool {
	return s.words[rank>>6]&(1<<(rank&63)) != 0
}

// take removes and returns the smallest rank of the set.
func (s *dirtySet) take() (uint32, bool) {
	for ; s.cursor < len(s.summary); s.cursor++ {
		sum := s.summary[s.cursor]
		if sum == 0 {
			continue
		}
		w := s.cursor<<6 + bits.TrailingZeros64(sum)
		rank := uint32(w<<6 + bits.TrailingZeros64(s.words[w]))
		s.clear(rank)
		return rank, true
	}
	s.cursor = 0
	return 0, false
}

func (s *dirtySet) bytes() int { return 8 * (cap(s.words) + cap(s.summary)) }
