package d2

import "slices"

// radixRows is the size from which sorting by key prefix pays.
const radixRows = 256

// Load replaces the contents by slots that are already in order. Blocks are
// left with some room, so that the next insertions do not split each.
func (o *Ordered) Load(sorted []uint32) {
	o.Clear()
	if len(sorted) == 0 {
		return
	}
	if len(sorted) <= blockRows*7/8 {
		o.stride = minStride
		for o.stride < len(sorted) {
			o.stride *= 2
		}
		o.slab = make([]uint32, o.stride)
		copy(o.slab, sorted)
		o.seq = []uint32{0}
		o.counts = []uint32{uint32(len(sorted))}
		o.n = len(sorted)
		o.rebuild()
		return
	}
	const fill = blockRows * 7 / 8
	blocks := (len(sorted) + fill - 1) / fill
	o.stride = blockRows
	o.slab = make([]uint32, blocks*blockRows)
	o.seq = make([]uint32, blocks)
	o.counts = make([]uint32, blocks)
	for b := range blocks {
		rows := sorted[b*fill : min((b+1)*fill, len(sorted))]
		copy(o.slab[b*blockRows:], rows)
		o.seq[b] = uint32(b)
		o.counts[b] = uint32(len(rows))
	}
	o.n = len(sorted)
	o.rebuild()
}

// LoadUnsorted replaces the contents by slots in any order; they are sorted in
// place. key gives a 64-bit prefix of the order (see [OrderKeyer]); with nil the
// order's own is used if it has one. Cost: one pass if the slots are in order
// already, else O(n) with prefixes and O(n log n) comparisons without.
func (o *Ordered) LoadUnsorted(slots []uint32, key func(Slot) (uint64, bool)) {
	if key == nil {
		if k, ok := o.order.(OrderKeyer); ok {
			key = k.OrderKey
		}
	}
	SortSlots(slots, o.order, key)
	o.Load(slots)
}

// SortSlots sorts slots in place by order, using 64-bit prefixes where key,
// which may be nil, gives them for all.
func SortSlots(slots []uint32, order Order, key func(Slot) (uint64, bool)) {
	sorted := true
	for i := 1; i < len(slots); i++ {
		if order.Compare(slots[i-1], slots[i]) > 0 {
			sorted = false
			break
		}
	}
	if sorted {
		return
	}
	if key != nil && len(slots) >= radixRows && sortByPrefix(slots, order, key) {
		return
	}
	slices.SortFunc(slots, order.Compare)
}

// sortByPrefix sorts by prefix, then each run of equal prefixes by comparison.
// It reports false, with slots untouched, if some slot has no prefix.
func sortByPrefix(slots []uint32, order Order, key func(Slot) (uint64, bool)) bool {
	n := len(slots)
	keys := make([]uint64, n)
	for i, s := range slots {
		k, ok := key(s)
		if !ok {
			return false
		}
		keys[i] = k
	}
	keys = radixSort(keys, slots)
	for i := 0; i < n; {
		j := i + 1
		for j < n && keys[j] == keys[i] {
			j++
		}
		if j-i > 1 {
			sortRun(slots[i:j], order)
		}
		i = j
	}
	return true
}

// sortRun sorts rows with equal prefixes, which often are in order: a stable
// radix keeps the order rows were given in, usually that of their keys.
func sortRun(run []uint32, order Order) {
	for i := 1; i < len(run); i++ {
		if order.Compare(run[i-1], run[i]) > 0 {
			slices.SortFunc(run, order.Compare)
			return
		}
	}
}

// radixSort sorts slots by keys, least digit first, skipping digits in which
// all keys agree. It is stable and returns the sorted keys.
func radixSort(keys []uint64, slots []uint32) []uint64 {
	n := len(keys)
	var hist [8][256]uint32
	for _, k := range keys {
		for d := range 8 {
			hist[d][byte(k>>(8*d))]++
		}
	}
	keys2, slots2 := make([]uint64, n), make([]uint32, n)
	from, fromSlots := keys, slots
	for d := range 8 {
		h := &hist[d]
		shift := 8 * d
		if int(h[byte(from[0]>>shift)]) == n {
			continue
		}
		sum := uint32(0)
		for b := range h {
			h[b], sum = sum, sum+h[b]
		}
		for i, k := range from {
			at := &h[byte(k>>shift)]
			keys2[*at], slots2[*at] = k, fromSlots[i]
			*at++
		}
		from, keys2 = keys2, from
		fromSlots, slots2 = slots2, fromSlots
	}
	if &fromSlots[0] != &slots[0] {
		copy(slots, fromSlots)
	}
	return from
}
