package collection

import "slices"

// Layers: what the local writes of transactions do to keys (docs/writes.md).
//
// A covered key has a confirmed row that may be hidden, and layers over it:
// first the kept ones of transactions that are done, then those of transactions
// under way in their order. Folding them over the confirmed row gives the
// visible one.

// untold is no slot: the shell has not heard of the confirmed version yet.
const untold = none - 2

// same is what the shell is told when the visible version is the confirmed one.
const same = none - 1

// layer is what one transaction does to one key.
type layer struct {
	tx   *Transaction // nil: kept
	op   uint32       // WriteInsert, WriteDelete, WritePatch, or any of them silent
	slot uint32       // the row or the patch, or none
	at   uint32       // counts the inserts of the root, for the order of rows without a confirmed one
	// A sync transaction has said something about the key since.
	answered bool
}

// covered is the state of a key under layers.
type covered struct {
	base   uint32 // the confirmed version, or none
	told   uint32 // what the shell knows of it
	kept   int    // so many layers at the bottom are kept
	layers []layer
	shown  uint32   // the composed row, or none
	from   []uint32 // what it was composed from: a row, then patches
}

// fold returns the row that the visible version starts from, or none, and the
// patches that are laid over it, in dst.
func (c *covered) fold(dst []uint32) (row uint32, patches []uint32) {
	row, patches = c.base, dst[:0]
	for i := range c.layers {
		l := &c.layers[i]
		switch l.op {
		case WriteInsert:
			row, patches = l.slot, patches[:0]
		case WriteDelete:
			row, patches = none, patches[:0]
		case WritePatch:
			// A patch over nothing is nothing: the row it was made for is gone, or has
			// never come to be.
			if row != none {
				patches = append(patches, l.slot)
			}
		}
	}
	return row, patches
}

// put sets what a transaction does to the key and returns the slot that the
// former layer held, or none.
func (c *covered) put(l layer) (former uint32) {
	i := c.kept
	for i < len(c.layers) && c.layers[i].tx.ID < l.tx.ID {
		i++
	}
	if i < len(c.layers) && c.layers[i].tx == l.tx {
		former = c.layers[i].slot
		if c.layers[i].op == WriteInsert && l.op == WriteInsert {
			l.at = c.layers[i].at
		}
		c.layers[i] = l
		return former
	}
	c.layers = append(c.layers, layer{})
	copy(c.layers[i+1:], c.layers[i:])
	c.layers[i] = l
	return none
}

// find returns the index of a transaction's layer, or -1.
func (c *covered) find(tx *Transaction) int {
	for i := c.kept; i < len(c.layers); i++ {
		if c.layers[i].tx == tx {
			return i
		}
	}
	return -1
}

// take removes layer i and returns it.
func (c *covered) take(i int) layer {
	l := c.layers[i]
	copy(c.layers[i:], c.layers[i+1:])
	c.layers[len(c.layers)-1] = layer{}
	c.layers = c.layers[:len(c.layers)-1]
	return l
}

// busy tells whether a transaction that is being persisted has written the key.
func (c *covered) busy() bool {
	for i := c.kept; i < len(c.layers); i++ {
		if c.layers[i].tx.persisting {
			return true
		}
	}
	return false
}

// active tells whether a transaction under way has written the key.
func (c *covered) active() bool { return len(c.layers) > c.kept }

// holds tells whether a slot is part of what the key is made of.
func (r *Root) holds(key, slot uint32) bool {
	if r.slotOf[key] == slot {
		return true
	}
	c := r.over[key]
	if c == nil {
		return false
	}
	if c.base == slot {
		return true
	}
	for i := range c.layers {
		if c.layers[i].slot == slot {
			return true
		}
	}
	return false
}

// Confirmed returns the confirmed version of a key id, or d2.None.
func (r *Root) Confirmed(key uint32) uint32 {
	if c := r.over[key]; c != nil {
		return c.base
	}
	return r.SlotOf(key)
}

// coveredKeys lists the covered keys, ascending.
func (r *Root) coveredKeys() []uint64 {
	keys := make([]uint64, 0, len(r.over))
	for key := range r.over {
		keys = append(keys, uint64(key))
	}
	slices.Sort(keys)
	return keys
}

// every appends all slots that hold rows which are or may become visible:
// visible ones, those under local writes and of inserts.
func (r *Root) every(dst []uint32) []uint32 {
	dst = r.Slots(dst)
	if len(r.over) == 0 {
		return dst
	}
	for _, key := range r.coveredKeys() {
		c, seen := r.over[uint32(key)], r.slotOf[key]
		if c.base != none && c.base != seen {
			dst = append(dst, c.base)
		}
		for i := range c.layers {
			if l := &c.layers[i]; l.op == WriteInsert && l.slot != seen {
				dst = append(dst, l.slot)
			}
		}
	}
	return dst
}

// PendingRows returns the slots of visible rows whose key has no confirmed row,
// in the order in which they were inserted.
func (r *Root) PendingRows(dst []uint32) []uint32 {
	var rows []uint64
	for key, c := range r.over {
		if c.base != none || r.slotOf[key] == none {
			continue
		}
		var at uint32
		for i := range c.layers {
			if c.layers[i].op == WriteInsert {
				at = c.layers[i].at
			}
		}
		rows = append(rows, uint64(at)<<32|uint64(r.slotOf[key]))
	}
	slices.Sort(rows)
	for _, row := range rows {
		dst = append(dst, uint32(row))
	}
	return dst
}

// Layers counts the layers over all keys.
func (r *Root) Layers() int {
	n := 0
	for _, c := range r.over {
		n += len(c.layers)
	}
	return n
}
