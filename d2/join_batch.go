package d2

// keySums collects the keys of a batch with the sum of the weights of each,
// and the positions of its entries. It is scratch: prepared for a batch, valid
// until the next, and its cost follows the batch.
type keySums struct {
	class []uint8 // by key, in order of first mention
	bits  []uint64
	sum   []int
	head  []uint32 // position of an entry with the key, or None
	next  []uint32 // by position
	index []uint32 // by bucket: key, or None
}

// buckets returns a table of at least 4/3 of n empty buckets in old's memory.
func buckets(old []uint32, n int) []uint32 {
	size := 8
	for 3*size < 4*n {
		size *= 2
	}
	if size > cap(old) {
		old = make([]uint32, size)
	}
	old = old[:size]
	for i := range old {
		old[i] = None
	}
	return old
}

// prepare empties the collection for a batch of n entries.
func (k *keySums) prepare(n int) {
	k.class, k.bits, k.sum = k.class[:0], k.bits[:0], k.sum[:0]
	k.head, k.next = k.head[:0], k.next[:0]
	k.index = buckets(k.index, n)
}

func (k *keySums) bucket(class uint8, bits uint64) int {
	mask := len(k.index) - 1
	b := int(mix(class, bits)) & mask
	for i := k.index[b]; i != None && (k.bits[i] != bits || k.class[i] != class); i = k.index[b] {
		b = (b + 1) & mask
	}
	return b
}

// find returns the index of a key, or None.
func (k *keySums) find(class uint8, bits uint64) uint32 {
	if len(k.bits) == 0 {
		return None
	}
	return k.index[k.bucket(class, bits)]
}

// add adds to the sum of a key and returns its index.
func (k *keySums) add(class uint8, bits uint64, weight int32) uint32 {
	b := k.bucket(class, bits)
	i := k.index[b]
	if i == None {
		i = uint32(len(k.bits))
		k.index[b] = i
		k.class, k.bits = append(k.class, class), append(k.bits, bits)
		k.sum, k.head = append(k.sum, 0), append(k.head, None)
	}
	k.sum[i] += int(weight)
	return i
}

// list puts a position of the batch on the list of a key.
func (k *keySums) list(key, position uint32) {
	for uint32(len(k.next)) <= position {
		k.next = append(k.next, None)
	}
	k.next[position], k.head[key] = k.head[key], position
}

// sumOf returns the sum of a key, 0 if the batch does not mention it.
func (k *keySums) sumOf(class uint8, bits uint64) int {
	if i := k.find(class, bits); i != None {
		return k.sum[i]
	}
	return 0
}

// trim gives back what a large batch needed.
func (k *keySums) trim() {
	if cap(k.index) > keepLoose {
		*k = keySums{}
	}
}

func (k *keySums) bytes() int {
	return cap(k.class) + 16*cap(k.bits) + 4*(cap(k.head)+cap(k.next)+cap(k.index))
}

// marks finds the differences of a batch by row, and by key those whose row is
// no longer in the arrangement, so that the state before the batch can be read
// from the state after it. It is scratch like keySums.
type marks struct {
	batch []Diff
	keys  keySums
	rows  []uint32 // by bucket: position, or None
}

func rowHash(row uint32) int { return int(mix(0, uint64(row))) }

// prepare takes a batch at an iteration that arrangement a includes. With all
// set every difference is found by key and none by row, for arrangements in
// which a row may have several entries that the batch cannot be told apart by.
func (m *marks) prepare(a Arrangement, iter int32, batch []Diff, all bool) {
	m.batch = batch
	m.keys.prepare(len(batch))
	m.rows = buckets(m.rows, len(batch))
	mask := len(m.rows) - 1
	for i, d := range batch {
		class, bits, ok := a.Key(d.Row)
		if !ok {
			continue
		}
		if all || a.Present(d.Row, iter) == 0 {
			m.keys.list(m.keys.add(class, bits, d.Weight), uint32(i))
			continue
		}
		b := rowHash(d.Row) & mask
		for m.rows[b] != None {
			b = (b + 1) & mask
		}
		m.rows[b] = uint32(i)
	}
}

// of returns the weight of the difference of a row that is still there.
func (m *marks) of(row uint32) int32 {
	mask := len(m.rows) - 1
	for b := rowHash(row) & mask; m.rows[b] != None; b = (b + 1) & mask {
		if d := m.batch[m.rows[b]]; d.Row == row {
			return d.Weight
		}
	}
	return 0
}

func (m *marks) trim() {
	m.batch = nil
	m.keys.trim()
	if cap(m.rows) > keepLoose {
		m.rows = nil
	}
}

func (m *marks) bytes() int { return m.keys.bytes() + 4*cap(m.rows) }
