package d2

import "slices"

// Buffers above these sizes are given back after the run that needed them.
const (
	keepChanges = 1 << 12
	keepSlots   = 1 << 13
)

// gather returns the consolidated batch of a visit: what the source emitted,
// what was pushed, or both. The result is valid until the next gather, or
// until the source's next visit.
func (g *Graph) gather(n *node) ([]Change, error) {
	if n.linked && n.pushes == 0 {
		return g.nodes[n.in].out, nil
	}
	s := &g.scratch
	s.batch = s.batch[:0]
	if n.linked {
		s.batch = append(s.batch, g.nodes[n.in].out...)
	}
	s.batch = append(s.batch, n.pushed...)
	if n.pushes == 1 && !n.linked {
		s.batch = dropIdle(s.batch)
		return s.batch, nil
	}
	var err error
	s.batch, s.index, err = compose(s.batch, s.index)
	return s.batch, err
}

// dropIdle removes changes whose sides are equal.
func dropIdle(batch []Change) []Change {
	kept := batch[:0]
	for _, c := range batch {
		if c.Old != c.New {
			kept = append(kept, c)
		}
	}
	return kept
}

// compose sums a sequence of changes per key: a→b then b→c is a→c, and what
// ends where it began disappears. The order of first mention is kept. It
// reports [ErrUnlinked] if two changes of a key do not meet.
func compose(batch []Change, index []uint64) ([]Change, []uint64, error) {
	index = index[:0]
	for i, c := range batch {
		index = append(index, uint64(c.Key)<<32|uint64(i))
	}
	slices.Sort(index)
	for i := 0; i < len(index); {
		first := uint32(index[i])
		key := index[i] >> 32
		last := batch[first].New
		for i++; i < len(index) && index[i]>>32 == key; i++ {
			next := &batch[uint32(index[i])]
			if next.Old != last {
				return batch[:0], index, ErrUnlinked
			}
			last = next.New
			next.Old, next.New = None, None
		}
		batch[first].New = last
	}
	return dropIdle(batch), index, nil
}

func (s *scratch) trim() {
	if cap(s.batch) > keepChanges {
		s.batch = nil
	}
	if cap(s.index) > keepChanges {
		s.index = nil
	}
	if cap(s.slots) > keepSlots {
		s.slots = nil
	}
	if cap(s.keep) > keepSlots {
		s.keep = nil
	}
}

func (s *scratch) bytes() int {
	return 12*cap(s.batch) + 8*cap(s.index) + 4*(cap(s.slots)+cap(s.keep))
}
