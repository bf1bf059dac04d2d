package d2

// minStride is the room of the first block; it doubles until blockRows, so
// that a small window costs little more than its rows.
const minStride = 16

func (o *Ordered) insertAt(pos, idx int, slot Slot) int {
	if len(o.seq) == 0 {
		if o.stride == 0 {
			o.stride = minStride
		}
		o.seq = append(o.seq, o.newBlock())
		o.counts = append(o.counts, 0)
		o.rebuild()
	}
	if int(o.counts[pos]) == o.stride {
		switch {
		case o.stride < blockRows:
			o.restride(o.stride * 2)
		case pos == len(o.seq)-1 && idx == blockRows:
			// Ascending insertion fills blocks instead of leaving them half empty.
			o.addBlock(pos + 1)
			pos, idx = pos+1, 0
		default:
			o.split(pos)
			if half := int(o.counts[pos]); idx > half {
				pos, idx = pos+1, idx-half
			}
		}
	}
	at := int(o.seq[pos]) * o.stride
	rows := int(o.counts[pos])
	b := o.slab[at : at+rows+1]
	copy(b[idx+1:], b[idx:rows])
	b[idx] = slot
	o.counts[pos]++
	o.n++
	o.bump(pos, 1)
	return o.before(pos) + idx
}

func (o *Ordered) deleteAt(pos, idx int) {
	b := o.block(pos)
	copy(b[idx:], b[idx+1:])
	o.counts[pos]--
	o.n--
	rows := int(o.counts[pos])
	if rows > o.stride/4 || (rows > 0 && len(o.seq) == 1 && o.stride == minStride) {
		o.bump(pos, ^uint32(0))
		return
	}
	if o.n == 0 {
		o.Clear()
		return
	}
	if len(o.seq) == 1 {
		if rows <= o.stride/4 && o.stride > minStride {
			o.restride(o.stride / 2)
		}
		o.rebuild()
		return
	}
	// Join a thin block with a neighbour if together they leave room to grow.
	left := pos - 1
	if left < 0 {
		left = 0
	}
	if int(o.counts[left]+o.counts[left+1]) <= blockRows*3/4 {
		o.join(left)
		o.shrink()
		o.rebuild()
		return
	}
	if rows == 0 {
		o.removeBlock(pos)
		o.rebuild()
		return
	}
	o.bump(pos, ^uint32(0))
}

func (o *Ordered) newBlock() uint32 {
	if f := len(o.free); f > 0 {
		b := o.free[f-1]
		o.free = o.free[:f-1]
		return b
	}
	b := len(o.slab) / o.stride
	need := len(o.slab) + o.stride
	if need > cap(o.slab) {
		grown := make([]uint32, len(o.slab), max(need, cap(o.slab)+cap(o.slab)/2))
		copy(grown, o.slab)
		o.slab = grown
	}
	o.slab = o.slab[:need]
	return uint32(b)
}

func (o *Ordered) addBlock(pos int) {
	b := o.newBlock()
	o.seq = append(o.seq, 0)
	copy(o.seq[pos+1:], o.seq[pos:])
	o.seq[pos] = b
	o.counts = append(o.counts, 0)
	copy(o.counts[pos+1:], o.counts[pos:])
	o.counts[pos] = 0
	o.rebuild()
}

func (o *Ordered) removeBlock(pos int) {
	o.free = append(o.free, o.seq[pos])
	o.seq = append(o.seq[:pos], o.seq[pos+1:]...)
	o.counts = append(o.counts[:pos], o.counts[pos+1:]...)
}

func (o *Ordered) split(pos int) {
	o.addBlock(pos + 1)
	from := o.block(pos)
	half := len(from) / 2
	at := int(o.seq[pos+1]) * o.stride
	copy(o.slab[at:at+o.stride], from[half:])
	o.counts[pos+1] = uint32(len(from) - half)
	o.counts[pos] = uint32(half)
	o.rebuild()
}

// join moves the rows of the block after pos into that at pos.
func (o *Ordered) join(pos int) {
	right := o.block(pos + 1)
	at := int(o.seq[pos])*o.stride + int(o.counts[pos])
	copy(o.slab[at:at+len(right)], right)
	o.counts[pos] += uint32(len(right))
	o.removeBlock(pos + 1)
}

// restride gives the only block another size.
func (o *Ordered) restride(stride int) {
	rows := o.block(0)
	slab := make([]uint32, stride)
	copy(slab, rows)
	o.slab, o.stride = slab, stride
	o.seq[0] = 0
	o.free = nil
}

// shrink copies the blocks into a smaller slab once three quarters of it are
// unused, and small lists along with it.
func (o *Ordered) shrink() {
	used := len(o.seq)
	if used == 1 && o.stride == blockRows && int(o.counts[0]) <= blockRows/2 {
		stride := blockRows
		for stride > minStride && int(o.counts[0]) <= stride/2 {
			stride /= 2
		}
		o.restride(stride)
	} else if cap(o.slab) > 4*used*o.stride {
		slab := make([]uint32, used*o.stride, (used+used/4+1)*o.stride)
		for pos := range o.seq {
			copy(slab[pos*o.stride:], o.block(pos))
			o.seq[pos] = uint32(pos)
		}
		o.slab = slab
		o.free = nil
	} else {
		return
	}
	o.seq = append([]uint32(nil), o.seq...)
	o.counts = append([]uint32(nil), o.counts...)
	o.tree = nil
}
