package d2

import "errors"

// ErrKeyChanged is the panic value of a [Trace] whose keyer gives a row another
// key than the one it was added with.
var ErrKeyChanged = errors.New("d2: the key of a row changed while the row was arranged; a changed row must be a row of its own")

// Trace is a hash arrangement of weighted rows: from a key to the entries of
// the rows that have it, an entry being the weight of a row at one iteration.
// The collection at iteration i is the sum of the entries up to i. Entries of
// weight 0 are dropped at once, keys without entries as well.
//
// Open addressing and intrusive lists over parallel arrays; nothing in it is a
// pointer. Adding costs O(1) expected however many rows a key has; memory
// follows the numbers of keys and entries.
type Trace struct {
	keyer Keyer
	// by bucket of a key
	bits  []uint64
	class []uint8
	head  []uint32 // first entry; absent: empty bucket
	total []int
	used  int
	// by entry; the links of a free entry belong to the list of free ones
	row    []uint32
	iter   []int32
	weight []int32 // 0: free
	next   []uint32
	prev   []uint32
	n      int
	late   int    // entries at an iteration other than 0
	free   uint32 // first free entry, or None
	nulls  uint32 // first entry of a row without a key, or None
	index  []uint32
}

// NewTrace returns an empty arrangement of rows by the key that keyer tells.
func NewTrace(keyer Keyer) *Trace {
	return &Trace{keyer: keyer, free: None, nulls: None}
}

// Key returns the key of a row.
func (t *Trace) Key(row uint32) (class uint8, bits uint64, ok bool) { return t.keyer.Key(row) }

// Len returns the number of entries, Keys that of distinct keys.
func (t *Trace) Len() int { return t.n }

// Keys returns the number of distinct keys.
func (t *Trace) Keys() int { return t.used }

// Bytes returns the memory held.
func (t *Trace) Bytes() int {
	return 16*cap(t.bits) + cap(t.class) + 4*cap(t.head) + 20*cap(t.row) + 4*cap(t.index)
}

// Clear forgets everything.
func (t *Trace) Clear() { *t = *NewTrace(t.keyer) }

// Add changes the weight of a row at an iteration.
func (t *Trace) Add(row uint32, iter, weight int32) {
	if weight == 0 {
		return
	}
	class, bits, ok := t.keyer.Key(row)
	t.reserve()
	at := t.find(row, iter)
	e := t.index[at]
	b, first := -1, t.nulls
	if ok {
		b = t.bucket(class, bits)
		first = t.head[b]
	}
	if e != None {
		if first == absent || first == None {
			panic(ErrKeyChanged)
		}
		if t.weight[e] = addWeights(t.weight[e], weight); ok {
			t.total[b] += int(weight)
		}
		if t.weight[e] == 0 {
			t.unindex(at)
			t.remove(e, b)
		}
		return
	}
	if first == absent {
		t.bits[b], t.class[b], t.total[b] = bits, class, 0
		t.used++
		first = None
	}
	e = t.entry()
	t.row[e], t.iter[e], t.weight[e] = row, iter, weight
	t.next[e], t.prev[e] = first, None
	if first != None {
		t.prev[first] = e
	}
	if ok {
		t.head[b] = e
		t.total[b] += int(weight)
	} else {
		t.nulls = e
	}
	t.index[at] = e
	t.n++
	if iter != 0 {
		t.late++
	}
}

// remove takes an entry out of the list of its key, which is in bucket b; -1
// stands for the list of rows without one.
func (t *Trace) remove(e uint32, b int) {
	before, after := t.prev[e], t.next[e]
	if after != None {
		t.prev[after] = before
	}
	switch {
	case before != None:
		t.next[before] = after
	case b < 0:
		t.nulls = after
	case after != None:
		t.head[b] = after
	default:
		t.vacate(b)
		t.used--
	}
	t.n--
	if t.iter[e] != 0 {
		t.late--
	}
	t.release(e)
	t.shrink()
}

// First returns the first entry of a key, or None.
func (t *Trace) First(class uint8, bits uint64) uint32 {
	if t.used == 0 {
		return None
	}
	if e := t.head[t.bucket(class, bits)]; e != absent {
		return e
	}
	return None
}

// Next returns the entry after another of the same key, or None.
func (t *Trace) Next(entry uint32) uint32 { return t.next[entry] }

// Entry returns an entry.
func (t *Trace) Entry(entry uint32) (row uint32, iter, weight int32) {
	return t.row[entry], t.iter[entry], t.weight[entry]
}

// Scan returns the first entry from a cursor on, or None.
func (t *Trace) Scan(from uint32) uint32 {
	for ; int(from) < len(t.weight); from++ {
		if t.weight[from] != 0 {
			return from
		}
	}
	return None
}

// Weight returns the sum of the weights of a key over all iterations.
func (t *Trace) Weight(class uint8, bits uint64) int {
	if t.used == 0 {
		return 0
	}
	b := t.bucket(class, bits)
	if t.head[b] == absent {
		return 0
	}
	return t.total[b]
}

// Present returns the weight of a row at an iteration.
func (t *Trace) Present(row uint32, iter int32) int32 {
	if t.n == 0 {
		return 0
	}
	if e := t.index[t.find(row, iter)]; e != None {
		return t.weight[e]
	}
	return 0
}
