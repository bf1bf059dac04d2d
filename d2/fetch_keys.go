package d2

// KeySet is a set of join keys, numbered in the order they were added: open
// addressing over parallel arrays.
type KeySet struct {
	class []uint8
	bits  []uint64
	index []uint32 // by bucket: number+1, 0 if empty
}

// Len returns the number of keys.
func (s *KeySet) Len() int { return len(s.bits) }

// At returns a key by number.
func (s *KeySet) At(i int) (class uint8, bits uint64) { return s.class[i], s.bits[i] }

func (s *KeySet) bucket(class uint8, bits uint64) int {
	mask := len(s.index) - 1
	b := int(mix(class, bits)) & mask
	for s.index[b] != 0 {
		if i := s.index[b] - 1; s.bits[i] == bits && s.class[i] == class {
			break
		}
		b = (b + 1) & mask
	}
	return b
}

// Find returns the number of a key, or -1.
func (s *KeySet) Find(class uint8, bits uint64) int {
	if len(s.bits) == 0 {
		return -1
	}
	return int(s.index[s.bucket(class, bits)]) - 1
}

// Has reports whether a key is in the set.
func (s *KeySet) Has(class uint8, bits uint64) bool { return s.Find(class, bits) >= 0 }

// Add puts a key into the set and returns its number, and whether it is new.
func (s *KeySet) Add(class uint8, bits uint64) (i int, fresh bool) {
	if 4*(len(s.bits)+1) > 3*len(s.index) {
		s.index = make([]uint32, max(8, 2*len(s.index)))
		for i, b := range s.bits {
			s.index[s.bucket(s.class[i], b)] = uint32(i + 1)
		}
	}
	b := s.bucket(class, bits)
	if n := s.index[b]; n != 0 {
		return int(n - 1), false
	}
	s.class, s.bits = append(s.class, class), append(s.bits, bits)
	s.index[b] = uint32(len(s.bits))
	return len(s.bits) - 1, true
}

// Reset empties the set. It keeps memory fit for as many keys as it had, unless
// that is much.
func (s *KeySet) Reset() {
	if len(s.index) > 64 && (len(s.index) > 16*len(s.bits) || len(s.index) > keepSlots) {
		*s = KeySet{}
		return
	}
	clear(s.index)
	s.class, s.bits = s.class[:0], s.bits[:0]
}

// Bytes returns the memory held.
func (s *KeySet) Bytes() int { return cap(s.class) + 8*cap(s.bits) + 4*cap(s.index) }
