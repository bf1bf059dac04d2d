package d2

// The two hash tables and the list of free entries of a Trace.

// bucket returns where a key is, or the empty bucket where it belongs.
func (t *Trace) bucket(class uint8, bits uint64) int {
	mask := len(t.head) - 1
	b := int(mix(class, bits)) & mask
	for t.head[b] != absent && (t.bits[b] != bits || t.class[b] != class) {
		b = (b + 1) & mask
	}
	return b
}

// vacate empties the bucket of a key and closes the gap in the probe sequences
// over it.
func (t *Trace) vacate(gap int) {
	mask := len(t.head) - 1
	for b := (gap + 1) & mask; t.head[b] != absent; b = (b + 1) & mask {
		home := int(mix(t.class[b], t.bits[b])) & mask
		if (b-home)&mask >= (b-gap)&mask {
			t.bits[gap], t.class[gap], t.head[gap], t.total[gap] = t.bits[b], t.class[b], t.head[b], t.total[b]
			gap = b
		}
	}
	t.head[gap] = absent
}

func entryHash(row uint32, iter int32) int {
	return int(mix(0, uint64(row)<<32|uint64(uint32(iter))))
}

// find returns where the entry of a row at an iteration is in the index, or
// the empty bucket where it belongs.
func (t *Trace) find(row uint32, iter int32) int {
	mask := len(t.index) - 1
	b := entryHash(row, iter) & mask
	for e := t.index[b]; e != None && (t.row[e] != row || t.iter[e] != iter); e = t.index[b] {
		b = (b + 1) & mask
	}
	return b
}

// unindex is vacate for the index of entries.
func (t *Trace) unindex(gap int) {
	mask := len(t.index) - 1
	for b := (gap + 1) & mask; t.index[b] != None; b = (b + 1) & mask {
		e := t.index[b]
		home := entryHash(t.row[e], t.iter[e]) & mask
		if (b-home)&mask >= (b-gap)&mask {
			t.index[gap] = e
			gap = b
		}
	}
	t.index[gap] = None
}

// entry returns a free entry.
func (t *Trace) entry() uint32 {
	if e := t.free; e != None {
		t.unlink(e)
		return e
	}
	t.row = append(t.row, 0)
	if room := cap(t.row); room > cap(t.iter) {
		// One growth for all, so that their capacities stay the same.
		t.iter = append(make([]int32, 0, room), t.iter...)
		t.weight = append(make([]int32, 0, room), t.weight...)
		t.next = append(make([]uint32, 0, room), t.next...)
		t.prev = append(make([]uint32, 0, room), t.prev...)
	}
	n := len(t.row)
	t.iter, t.weight, t.next, t.prev = t.iter[:n], t.weight[:n], t.next[:n], t.prev[:n]
	return uint32(n - 1)
}

// release puts an entry, whose weight is 0, first on the list of free ones.
func (t *Trace) release(e uint32) {
	t.next[e], t.prev[e] = t.free, None
	if t.free != None {
		t.prev[t.free] = e
	}
	t.free = e
}

func (t *Trace) unlink(e uint32) {
	before, after := t.prev[e], t.next[e]
	if before == None {
		t.free = after
	} else {
		t.next[before] = after
	}
	if after != None {
		t.prev[after] = before
	}
}

// reserve makes room for one more key and one more entry.
func (t *Trace) reserve() {
	if 4*(t.used+1) > 3*len(t.head) {
		t.rehashKeys(max(16, 2*len(t.head)))
	}
	if 4*(t.n+1) > 3*len(t.index) {
		t.rehashEntries(max(16, 2*len(t.index)))
	}
}

func (t *Trace) rehashKeys(size int) {
	old := *t
	t.bits, t.class = make([]uint64, size), make([]uint8, size)
	t.head, t.total = make([]uint32, size), make([]int, size)
	for b := range t.head {
		t.head[b] = absent
	}
	for b, head := range old.head {
		if head != absent {
			to := t.bucket(old.class[b], old.bits[b])
			t.bits[to], t.class[to], t.head[to], t.total[to] = old.bits[b], old.class[b], head, old.total[b]
		}
	}
}

func (t *Trace) rehashEntries(size int) {
	t.index = make([]uint32, size)
	for b := range t.index {
		t.index[b] = None
	}
	for e, weight := range t.weight {
		if weight != 0 {
			t.index[t.find(t.row[e], t.iter[e])] = uint32(e)
		}
	}
}

// shrink drops free entries at the end, each of which was paid for by freeing
// it, and halves arrays that are mostly unused.
func (t *Trace) shrink() {
	top := len(t.weight)
	for top > 0 && t.weight[top-1] == 0 {
		top--
		t.unlink(uint32(top))
	}
	t.row, t.iter, t.weight = t.row[:top], t.iter[:top], t.weight[:top]
	t.next, t.prev = t.next[:top], t.prev[:top]
	if cap(t.row) > fewRows && 4*top < cap(t.row) {
		room := top + top/2
		t.row = append(make([]uint32, 0, room), t.row...)
		t.iter = append(make([]int32, 0, room), t.iter...)
		t.weight = append(make([]int32, 0, room), t.weight...)
		t.next = append(make([]uint32, 0, room), t.next...)
		t.prev = append(make([]uint32, 0, room), t.prev...)
	}
	if size := len(t.head); size > 2*fewRows && 8*t.used < size {
		t.rehashKeys(size / 2)
	}
	if size := len(t.index); size > 2*fewRows && 8*t.n < size {
		t.rehashEntries(size / 2)
	}
}
