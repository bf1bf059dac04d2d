package d2

import (
	"cmp"
	"errors"
)

// ErrNegative: a row, or a group, has been taken away more often than it was
// there. Its source reports deletions of what it has not inserted.
var ErrNegative = errors.New("d2: negative multiplicity: more copies of a row have left than were there; its source deletes what it has not inserted")

// groupRows is a counted ordered arrangement of the rows of all groups of an
// operator, by (group key, order of the caller, row). Both ends of a group are
// found, and a row is added or removed, in O(log n) comparisons; a group is
// read in its order without looking at any other. Rows must be readable while
// they are in it. Memory follows the rows: 4 to 12 bytes each, and 10 to 42
// more for one whose weight is above 1.
type groupRows struct {
	keys  Keyer
	order Order // within a group; nil: by row
	rows  *Ordered
	extra timedSums // weight less 1 of the rows for which that is not 0
	// groupEnd stands for the end of this group in comparisons.
	class uint8
	bits  uint64
	side  int // -1 before, 1 behind the group's rows
	diffs []Diff
}

const groupEnd = absent

func newGroupRows(keys Keyer, order Order) *groupRows {
	r := &groupRows{keys: keys, order: order}
	r.rows = NewOrdered(r)
	return r
}

// Compare implements [Order] for the arrangement.
func (r *groupRows) Compare(a, b Slot) int {
	if a == b {
		return 0
	}
	if b == groupEnd {
		return -r.compareEnd(a)
	}
	if a == groupEnd {
		return r.compareEnd(b)
	}
	classA, bitsA, _ := r.keys.Key(a)
	classB, bitsB, _ := r.keys.Key(b)
	if c := compareKeys(classA, bitsA, classB, bitsB); c != 0 {
		return c
	}
	if r.order != nil {
		if c := r.order.Compare(a, b); c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

// compareEnd compares groupEnd with a row.
func (r *groupRows) compareEnd(row uint32) int {
	class, bits, _ := r.keys.Key(row)
	if c := compareKeys(r.class, r.bits, class, bits); c != 0 {
		return c
	}
	return r.side
}

func compareKeys(classA uint8, bitsA uint64, classB uint8, bitsB uint64) int {
	if classA != classB {
		return int(classA) - int(classB)
	}
	return cmp.Compare(bitsA, bitsB)
}

// add gives a row weight more copies.
func (r *groupRows) add(row uint32, weight int32) error {
	pos, idx, found := r.rows.find(row)
	held := int64(0)
	if found {
		held = 1 + int64(r.copies(row))
	}
	after := held + int64(weight)
	switch {
	case after < 0:
		return ErrNegative
	case after > 1<<31-1:
		return ErrWeight
	case after == 0:
		if found {
			r.rows.deleteAt(pos, idx)
			r.adjust(row, int32(1-held))
		}
	case found:
		r.adjust(row, weight)
	default:
		r.rows.insertAt(pos, idx, row)
		r.adjust(row, weight-1)
	}
	return nil
}

// copies returns the weight of a row less 1.
func (r *groupRows) copies(row uint32) int32 { return r.extra.get(uint64(row)) }

func (r *groupRows) adjust(row uint32, by int32) {
	if by != 0 {
		r.extra.add(uint64(row), by)
	}
}

// end returns the first (side -1) or last row (side 1) of a group, or None.
func (r *groupRows) end(class uint8, bits uint64, side int) uint32 {
	r.class, r.bits, r.side = class, bits, side
	rank, _ := r.rows.Rank(groupEnd)
	if side > 0 {
		rank--
	}
	if rank < 0 || rank >= r.rows.Len() {
		return None
	}
	row := r.rows.At(rank)
	if c, b, _ := r.keys.Key(row); c != class || b != bits {
		return None
	}
	return row
}

// read returns the rows of a group in order, with their weights. They are
// valid until the next call.
func (r *groupRows) read(class uint8, bits uint64) []Diff {
	r.class, r.bits, r.side = class, bits, -1
	rank, _ := r.rows.Rank(groupEnd)
	r.diffs = r.diffs[:0]
	for {
		block := r.rows.BlockAt(rank)
		if len(block) == 0 {
			return r.diffs
		}
		for _, row := range block {
			if c, b, _ := r.keys.Key(row); c != class || b != bits {
				return r.diffs
			}
			r.diffs = append(r.diffs, Diff{row, 1 + r.copies(row)})
		}
		rank += len(block)
	}
}

func (r *groupRows) trim() {
	if cap(r.diffs) > keepChanges {
		r.diffs = nil
	}
}

func (r *groupRows) bytes() int {
	return r.rows.Bytes() + r.extra.bytes() + 8*cap(r.diffs)
}

func (r *groupRows) clear() {
	r.rows.Clear()
	r.extra = timedSums{}
	r.diffs = nil
}
