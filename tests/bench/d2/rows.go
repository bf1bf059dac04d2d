package main

import "millrace.dev/millrace/d2"

// rows is a table of row versions in columns. A version keeps its slot while it
// is current, during the run that replaces it, and while it is pinned.
//
// It is the order by (a, key), a as wide as the values of histories, and the keys
// of its rows; views of it are the keyers and columns operators ask for.
type rows struct {
	key, b, pins []uint32 // by slot
	a            []int64
	gone         []bool
	free         []uint32
	at           []uint32 // by key: the current slot, or None
	n            int
}

func newRows(keys int) *rows {
	t := &rows{at: make([]uint32, keys)}
	for k := range t.at {
		t.at[k] = d2.None
	}
	return t
}

// put makes a version of a row the current one.
func (t *rows) put(key uint32, a int64, b uint32) d2.Change {
	slot := uint32(len(t.key))
	if last := len(t.free) - 1; last >= 0 {
		slot = t.free[last]
		t.free = t.free[:last]
		t.key[slot], t.a[slot], t.b[slot], t.gone[slot] = key, a, b, false
	} else {
		t.key, t.a, t.b = append(t.key, key), append(t.a, a), append(t.b, b)
		t.pins, t.gone = append(t.pins, 0), append(t.gone, false)
	}
	c := d2.Change{Key: key, Old: t.at[key], New: slot}
	if c.Old == d2.None {
		t.n++
	}
	t.at[key] = slot
	return c
}

func (t *rows) del(key uint32) d2.Change {
	c := d2.Change{Key: key, Old: t.at[key], New: d2.None}
	t.at[key] = d2.None
	t.n--
	return c
}

// settle forgets the versions a run has replaced.
func (t *rows) settle(batch []d2.Change) {
	for _, c := range batch {
		if c.Old != d2.None {
			t.gone[c.Old] = true
			t.forget(c.Old)
		}
	}
}

func (t *rows) forget(slot uint32) {
	if t.gone[slot] && t.pins[slot] == 0 {
		t.free = append(t.free, slot)
	}
}

func (t *rows) Compare(x, y uint32) int {
	if t.a[x] != t.a[y] {
		if t.a[x] < t.a[y] {
			return -1
		}
		return 1
	}
	return int(t.key[x]) - int(t.key[y])
}

func (t *rows) OrderKey(slot uint32) (uint64, bool) {
	return uint64(t.a[slot]) ^ 1<<63, true
}

func (t *rows) KeyOf(slot uint32) uint32 { return t.key[slot] }
func (t *rows) Pin(slot uint32)          { t.pins[slot]++ }

func (t *rows) Unpin(slot uint32) {
	t.pins[slot]--
	t.forget(slot)
}

func (t *rows) Len() int { return t.n }

// Each makes the table the content of a store.
func (t *rows) Each(yield func(row uint32) bool) {
	for _, slot := range t.at {
		if slot != d2.None && !yield(slot) {
			return
		}
	}
}

// sorted returns the arrangement of all rows by (a, key).
// store is the node rows are pushed to, and read from in the order of an index;
// index may be nil.
func (t *rows) store(index *d2.Ordered) *d2.Store {
	s := d2.NewStore(t)
	if index != nil {
		s.AddOrder(t, index)
	}
	return s
}

func (t *rows) sorted() *d2.Ordered {
	slots := make([]uint32, 0, t.n)
	for _, slot := range t.at {
		if slot != d2.None {
			slots = append(slots, slot)
		}
	}
	index := d2.NewOrdered(t)
	index.LoadUnsorted(slots, nil)
	return index
}

// follow brings an arrangement of the table up to date with a change.
func follow(index *d2.Ordered, c d2.Change) {
	if c.Old != d2.None {
		index.Delete(c.Old)
	}
	if c.New != d2.None {
		index.Insert(c.New)
	}
}

// inserts returns the differences that bring in all rows.
func (t *rows) inserts() []d2.Diff {
	batch := make([]d2.Diff, 0, t.n)
	for _, slot := range t.at {
		if slot != d2.None {
			batch = append(batch, d2.Diff{Row: slot, Weight: 1})
		}
	}
	return batch
}

// byKey, byA and byB are the keys rows are joined or grouped by.
type (
	byKey struct{ *rows }
	byA   struct{ *rows }
	byB   struct{ *rows }
)

func (k byKey) Key(slot uint32) (uint8, uint64, bool) { return 0, uint64(k.key[slot]), true }
func (k byA) Key(slot uint32) (uint8, uint64, bool)   { return 0, uint64(k.a[slot]), true }
func (k byB) Key(slot uint32) (uint8, uint64, bool)   { return 0, uint64(k.b[slot]), true }

// columnB is b as numbers and as values with an order.
type columnB struct{ *rows }

func (columnB) Null(uint32) bool { return false }

func (c columnB) Number(slot uint32) d2.Number {
	return d2.Number{Kind: d2.NumberInt, Bits: uint64(c.b[slot])}
}

func (c columnB) Compare(x, y uint32) int { return int(c.b[x]) - int(c.b[y]) }

func (c columnB) Value(slot uint32) (uint8, uint64) { return 1, uint64(c.b[slot]) }

// hashed is an arrangement of a table by a key, kept as a collection keeps its
// indexes.
type hashed struct {
	by  d2.Keyer
	set *d2.Hash
}

func newHashed(t *rows, by d2.Keyer) hashed {
	h := hashed{by, d2.NewHash()}
	for _, slot := range t.at {
		if slot != d2.None {
			h.add(slot)
		}
	}
	return h
}

func (h hashed) add(slot uint32) {
	class, bits, _ := h.by.Key(slot)
	h.set.Add(class, bits, slot)
}

func (h hashed) remove(slot uint32) {
	class, bits, _ := h.by.Key(slot)
	h.set.Remove(class, bits, slot)
}

func (h hashed) follow(c d2.Change) {
	if c.Old != d2.None {
		h.remove(c.Old)
	}
	if c.New != d2.None {
		h.add(c.New)
	}
}

// dice are random numbers that every engine can make: 32 bits of a linear
// congruence, of which the upper are used.
type dice uint32

func (d *dice) below(n uint32) uint32 {
	*d = *d*1664525 + 1013904223
	return uint32(*d>>4) % n
}

// fold takes a number into a checksum of a row.
func fold(h, x uint32) uint32 {
	h = (h ^ x) * 0x9e3779b1
	return h ^ h>>15
}
