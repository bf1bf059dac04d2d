package d2

// absent marks a slot that is in no list; None ends one.
const absent = None - 1

// Hash is a hash arrangement: from a value, given as a class and 64 bits, to
// the list of slots that have it, in order of addition. Open addressing over
// parallel arrays and intrusive lists addressed by slot: nothing in it is a
// pointer. A slot can be in one list at a time. Operations cost O(1) expected;
// memory follows the number of values and the largest slot in use.
type Hash struct {
	bits  []uint64 // by bucket
	class []uint8
	head  []uint32 // absent: empty bucket
	tail  []uint32
	count []uint32
	next  []uint32 // by slot
	prev  []uint32
	used  int
	n     int
}

// NewHash returns an empty arrangement.
func NewHash() *Hash { return &Hash{} }

// Len returns the number of slots, Values that of distinct values.
func (h *Hash) Len() int { return h.n }

// Values returns the number of distinct values.
func (h *Hash) Values() int { return h.used }

// Bytes returns the memory held.
func (h *Hash) Bytes() int {
	return 8*cap(h.bits) + cap(h.class) + 4*(cap(h.head)+cap(h.tail)+cap(h.count)+cap(h.next)+cap(h.prev))
}

func mix(class uint8, bits uint64) uint64 {
	x := bits ^ uint64(class)*0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// bucket returns where a value is, or the empty bucket where it belongs.
func (h *Hash) bucket(class uint8, bits uint64) int {
	mask := len(h.head) - 1
	b := int(mix(class, bits)) & mask
	for h.head[b] != absent && (h.bits[b] != bits || h.class[b] != class) {
		b = (b + 1) & mask
	}
	return b
}

// Add appends slot to the list of a value. It reports false if the slot is in
// a list already; nothing changes then.
func (h *Hash) Add(class uint8, bits uint64, slot Slot) bool {
	if h.Has(slot) {
		return false
	}
	if 4*(h.used+1) > 3*len(h.head) {
		h.rehash(max(8, 2*len(h.head)))
	}
	for int(slot) >= len(h.next) {
		h.next = append(h.next, None)
		h.prev = append(h.prev, absent)
	}
	b := h.bucket(class, bits)
	if h.head[b] == absent {
		h.bits[b], h.class[b] = bits, class
		h.head[b], h.tail[b], h.count[b] = slot, slot, 1
		h.prev[slot] = None
		h.used++
	} else {
		last := h.tail[b]
		h.next[last], h.prev[slot] = slot, last
		h.tail[b] = slot
		h.count[b]++
	}
	h.next[slot] = None
	h.n++
	return true
}

// Has reports whether slot is in a list.
func (h *Hash) Has(slot Slot) bool {
	return int(slot) < len(h.prev) && h.prev[slot] != absent
}

// Remove takes slot out of the list of the value it was added with. It reports
// false if the slot is in no list or the value has none; a wrong value is not
// always noticed and then spoils two counts.
func (h *Hash) Remove(class uint8, bits uint64, slot Slot) bool {
	if !h.Has(slot) {
		return false
	}
	b := h.bucket(class, bits)
	if h.head[b] == absent {
		return false
	}
	before, after := h.prev[slot], h.next[slot]
	// An end of the list must be the end of this list, or the value is wrong.
	if (before == None && h.head[b] != slot) || (after == None && h.tail[b] != slot) {
		return false
	}
	if before == None {
		h.head[b] = after
	} else {
		h.next[before] = after
	}
	if after == None {
		h.tail[b] = before
	} else {
		h.prev[after] = before
	}
	h.prev[slot], h.next[slot] = absent, None
	h.n--
	h.count[b]--
	if h.count[b] == 0 {
		h.vacate(b)
		h.used--
		h.shrink()
	}
	return true
}

// vacate empties a bucket and closes the gap in the probe sequences over it.
func (h *Hash) vacate(gap int) {
	mask := len(h.head) - 1
	for b := (gap + 1) & mask; h.head[b] != absent; b = (b + 1) & mask {
		home := int(mix(h.class[b], h.bits[b])) & mask
		if (b-home)&mask >= (b-gap)&mask {
			h.move(gap, b)
			gap = b
		}
	}
	h.head[gap] = absent
}

func (h *Hash) move(to, from int) {
	h.bits[to], h.class[to] = h.bits[from], h.class[from]
	h.head[to], h.tail[to], h.count[to] = h.head[from], h.tail[from], h.count[from]
}

// First returns the first slot of a value, or None.
func (h *Hash) First(class uint8, bits uint64) Slot {
	if h.used == 0 {
		return None
	}
	b := h.bucket(class, bits)
	if h.head[b] == absent {
		return None
	}
	return h.head[b]
}

// Next returns the slot after slot in its list, or None.
func (h *Hash) Next(slot Slot) Slot { return h.next[slot] }

// Count returns the number of slots of a value.
func (h *Hash) Count(class uint8, bits uint64) int {
	if h.used == 0 {
		return 0
	}
	b := h.bucket(class, bits)
	if h.head[b] == absent {
		return 0
	}
	return int(h.count[b])
}

func (h *Hash) rehash(size int) {
	old := *h
	h.bits, h.class = make([]uint64, size), make([]uint8, size)
	h.head, h.tail, h.count = make([]uint32, size), make([]uint32, size), make([]uint32, size)
	for b := range h.head {
		h.head[b] = absent
	}
	for b, head := range old.head {
		if head == absent {
			continue
		}
		to := h.bucket(old.class[b], old.bits[b])
		h.bits[to], h.class[to] = old.bits[b], old.class[b]
		h.head[to], h.tail[to], h.count[to] = head, old.tail[b], old.count[b]
	}
}

// shrink halves a table that is less than an eighth full and drops list ends
// of slots that are no longer in use.
func (h *Hash) shrink() {
	if h.n == 0 {
		*h = Hash{}
		return
	}
	if len(h.head) <= 8 || 8*h.used > len(h.head) {
		return
	}
	h.rehash(len(h.head) / 2)
	top := len(h.prev)
	for h.prev[top-1] == absent {
		top--
	}
	if 2*top < cap(h.prev) {
		h.next = append(make([]uint32, 0, top+top/4), h.next[:top]...)
		h.prev = append(make([]uint32, 0, top+top/4), h.prev[:top]...)
	}
}
