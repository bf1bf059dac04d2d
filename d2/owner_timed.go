package d2

// timedSums is a map from 64 bits to a weight other than 0. Open addressing over
// two arrays without pointers; operations cost O(1) expected.
type timedSums struct {
	keys   []uint64
	weight []int32 // 0: empty bucket
	n      int
}

func (w *timedSums) bucket(key uint64) int {
	mask := len(w.keys) - 1
	b := int(mix(0, key)) & mask
	for w.weight[b] != 0 && w.keys[b] != key {
		b = (b + 1) & mask
	}
	return b
}

// get returns the weight of a key, 0 if it has none.
func (w *timedSums) get(key uint64) int32 {
	if w.n == 0 {
		return 0
	}
	return w.weight[w.bucket(key)]
}

// add changes the weight of a key and returns it before and after.
func (w *timedSums) add(key uint64, weight int32) (before, after int32) {
	if 4*(w.n+1) > 3*len(w.keys) {
		w.rehash(max(16, 2*len(w.keys)))
	}
	b := w.bucket(key)
	before = w.weight[b]
	after = addWeights(before, weight)
	switch {
	case before == after:
	case after == 0:
		w.vacate(b)
		w.n--
		if size := len(w.keys); size > 2*fewRows && 8*w.n < size {
			w.rehash(size / 2)
		}
	default:
		if before == 0 {
			w.keys[b] = key
			w.n++
		}
		w.weight[b] = after
	}
	return before, after
}

// vacate empties a bucket and closes the gap in the probe sequences over it.
func (w *timedSums) vacate(gap int) {
	mask := len(w.keys) - 1
	for b := (gap + 1) & mask; w.weight[b] != 0; b = (b + 1) & mask {
		home := int(mix(0, w.keys[b])) & mask
		if (b-home)&mask >= (b-gap)&mask {
			w.keys[gap], w.weight[gap] = w.keys[b], w.weight[b]
			gap = b
		}
	}
	w.weight[gap] = 0
}

func (w *timedSums) rehash(size int) {
	old := *w
	w.keys, w.weight = make([]uint64, size), make([]int32, size)
	for i, weight := range old.weight {
		if weight != 0 {
			b := w.bucket(old.keys[i])
			w.keys[b], w.weight[b] = old.keys[i], weight
		}
	}
}

func (w *timedSums) bytes() int { return 8*cap(w.keys) + 4*cap(w.weight) }
