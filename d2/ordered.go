package d2

// blockRows is the most slots a block holds; splits leave two half-full ones.
const blockRows = 512

// Ordered is a counted ordered arrangement of slots: sorted blocks of at most
// 512 slots in one pointer-free slab, with a Fenwick tree over block counts.
// Lookups, insertions, deletions and ranks cost O(log n) comparisons and no
// allocation but growth; memory is given back as rows leave. Two slots that
// compare equal must not be in it at the same time.
type Ordered struct {
	order  Order
	slab   []uint32 // blocks of stride slots
	stride int      // blockRows, or less while there is only one block
	seq    []uint32 // block numbers in order
	counts []uint32 // rows per block, by position in seq
	tree   []uint32 // Fenwick tree over counts
	free   []uint32 // unused block numbers
	n      int
}

// NewOrdered returns an empty arrangement.
func NewOrdered(order Order) *Ordered {
	return &Ordered{order: order}
}

// Len returns the number of slots.
func (o *Ordered) Len() int { return o.n }

// Bytes returns the memory held.
func (o *Ordered) Bytes() int {
	return 4 * (cap(o.slab) + cap(o.seq) + cap(o.counts) + cap(o.tree) + cap(o.free))
}

// Reserve makes room for n slots in an arrangement that is empty, so that
// filling it does not grow it step by step.
func (o *Ordered) Reserve(n int) {
	if o.n > 0 || len(o.seq) > 0 {
		return
	}
	o.stride = minStride
	for o.stride < min(n, blockRows) {
		o.stride *= 2
	}
}

// Clear removes everything and releases memory.
func (o *Ordered) Clear() { *o = Ordered{order: o.order} }

// block returns the rows of the block at a position.
func (o *Ordered) block(pos int) []uint32 {
	at := int(o.seq[pos]) * o.stride
	return o.slab[at : at+int(o.counts[pos])]
}

// find returns where slot is or belongs: block position and index in it.
// A slot greater than all belongs behind the last row of the last block.
func (o *Ordered) find(slot Slot) (pos, idx int, found bool) {
	if o.n == 0 {
		return 0, 0, false
	}
	// The last block whose first row is not greater than slot.
	lo, hi := 0, len(o.seq)-1
	for lo < hi {
		mid := int(uint(lo+hi+1) >> 1)
		c := o.order.Compare(o.slab[int(o.seq[mid])*o.stride], slot)
		if c == 0 {
			return mid, 0, true
		}
		if c < 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	b := o.block(lo)
	i, j := 0, len(b)
	for i < j {
		mid := int(uint(i+j) >> 1)
		c := o.order.Compare(b[mid], slot)
		if c == 0 {
			return lo, mid, true
		}
		if c < 0 {
			i = mid + 1
		} else {
			j = mid
		}
	}
	return lo, i, false
}

// Rank returns the number of slots before slot, and whether an equal one is in.
func (o *Ordered) Rank(slot Slot) (rank int, found bool) {
	pos, idx, found := o.find(slot)
	return o.before(pos) + idx, found
}

// SeekAfter returns the rank of the first slot greater than slot; with None, 0.
func (o *Ordered) SeekAfter(slot Slot) int {
	if slot == None {
		return 0
	}
	rank, found := o.Rank(slot)
	if found {
		rank++
	}
	return rank
}

// At returns the slot at a rank, which must be within [0, Len()).
func (o *Ordered) At(rank int) Slot {
	pos, idx := o.locate(rank)
	return o.block(pos)[idx]
}

// Insert puts slot at its place and returns its rank.
func (o *Ordered) Insert(slot Slot) int {
	pos, idx, _ := o.find(slot)
	return o.insertAt(pos, idx, slot)
}

// Append puts slot behind all others; the caller knows that it belongs there.
func (o *Ordered) Append(slot Slot) {
	pos := len(o.seq) - 1
	if pos < 0 {
		o.insertAt(0, 0, slot)
		return
	}
	rows := int(o.counts[pos])
	if rows == o.stride {
		o.insertAt(pos, rows, slot)
		return
	}
	o.slab[int(o.seq[pos])*o.stride+rows] = slot
	o.counts[pos]++
	o.n++
	o.bump(pos, 1)
}

// Delete removes exactly slot. It reports false, and removes nothing, if that
// slot is not in, even when another version of its key is.
func (o *Ordered) Delete(slot Slot) (rank int, ok bool) {
	pos, idx, found := o.find(slot)
	rank = o.before(pos) + idx
	if !found || o.block(pos)[idx] != slot {
		return rank, false
	}
	o.deleteAt(pos, idx)
	return rank, true
}

// DeleteAt removes the slot at a rank, which must be within [0, Len()).
func (o *Ordered) DeleteAt(rank int) {
	o.deleteAt(o.locate(rank))
}

// Replace exchanges old for a version that compares equal to it, without
// moving anything. It reports false if old is not in.
func (o *Ordered) Replace(old, slot Slot) bool {
	pos, idx, found := o.find(old)
	if !found {
		return false
	}
	b := o.block(pos)
	if b[idx] != old {
		return false
	}
	b[idx] = slot
	return true
}

// ReplaceAt exchanges the slot at a rank for one that compares equal to it.
func (o *Ordered) ReplaceAt(rank int, slot Slot) {
	pos, idx := o.locate(rank)
	o.block(pos)[idx] = slot
}

// Truncate removes all slots from a rank on.
func (o *Ordered) Truncate(rank int) {
	if rank <= 0 {
		o.Clear()
		return
	}
	for o.n > rank {
		last := len(o.seq) - 1
		rows := int(o.counts[last])
		if o.n-rows >= rank {
			o.n -= rows
			o.free = append(o.free, o.seq[last])
			o.seq, o.counts = o.seq[:last], o.counts[:last]
			continue
		}
		o.counts[last] -= uint32(o.n - rank)
		o.n = rank
	}
	o.shrink()
	o.rebuild()
}

// Scan visits the slots from a rank on, block by block in order, until visit
// returns false. The blocks must not be kept or changed, nor the arrangement
// modified meanwhile.
func (o *Ordered) Scan(fromRank int, visit func(block []uint32) bool) {
	if fromRank < 0 {
		fromRank = 0
	}
	if fromRank >= o.n {
		return
	}
	pos, idx := o.locate(fromRank)
	for ; pos < len(o.seq); pos++ {
		if !visit(o.block(pos)[idx:]) {
			return
		}
		idx = 0
	}
}

// BlockAt returns the slots from a rank on as far as they lie together; empty
// past the end. It must not be kept across a modification.
func (o *Ordered) BlockAt(rank int) []uint32 {
	if rank < 0 || rank >= o.n {
		return nil
	}
	pos, idx := o.locate(rank)
	return o.block(pos)[idx:]
}
