package collection

import (
	"slices"
	"strconv"

	"millrace.dev/millrace/collection/value"
)

// slack is how far beyond the known ids a message may reach at once: ids are
// dense, so a large gap is a mistake or an attack on memory.
const slack = 1 << 16

// reach returns the bounds of key ids and slots for a message of n operations.
func (r *Root) reach(n int) (maxKey, maxSlot uint32) {
	return uint32(len(r.slotOf) + n + slack), uint32(len(r.keyOf) + n + slack)
}

func (r *Root) checkSlot(slot, maxSlot uint32, i int) error {
	switch {
	case slot >= maxSlot:
		return bad("ops", i, "slot "+strconv.Itoa(int(slot))+" leaves a gap; slots are dense")
	case int(slot) < len(r.keyOf) && r.keyOf[slot] != none:
		return bad("ops", i, "slot "+strconv.Itoa(int(slot))+" is in use")
	}
	return nil
}

// Carried counts the columns a transaction must bring.
func (r *Root) Carried() int {
	n := 0
	for _, c := range r.columns {
		if c.derived == nil {
			n++
		}
	}
	return n
}

// checkContent checks new keys and columns for rows slots that hold rows.
func (r *Root) checkContent(c *Content, rows int, maxKey uint32) error {
	limit := r.dict.Limit(len(c.NewKeys) + rows*len(c.Columns))
	if len(c.NewKeys) != c.Keys.N || !c.Keys.Valid(limit) || !r.dict.KnowsAll(&c.Keys) {
		return bad("newKeys", 0, "needs one valid cell per key id, and the texts")
	}
	for i, k := range c.NewKeys {
		if k >= maxKey {
			return bad("newKeys", i, "key id leaves a gap; ids are dense")
		}
	}
	return r.checkColumns(c.Columns, rows, limit)
}

func (r *Root) checkColumns(columns []Cells, rows int, limit uint32) error {
	if len(columns) != r.Carried() {
		return bad("columns", len(columns), strconv.Itoa(r.Carried())+" columns are registered")
	}
	i := 0
	for _, c := range r.columns {
		if c.derived != nil {
			continue
		}
		cells := &columns[i]
		if cells.N != rows || !cells.Valid(limit) {
			return bad("columns", i, "needs one valid cell per slot that holds a row")
		}
		if c.Text && !r.dict.KnowsAll(cells) {
			return bad("columns", i, "needs the bytes of its texts")
		}
		i++
	}
	return nil
}

// checkKeys makes room for the keys of operations of the given width and makes
// sure that, once keys are carried, every key that gets a row has its cell:
// without one it would have no place in any order.
func (r *Root) checkKeys(c *Content, ops []uint32, width int, removal uint32) error {
	n := len(r.slotOf)
	for i := 1; i < len(ops); i += width {
		n = max(n, int(ops[i])+1)
	}
	for _, k := range c.NewKeys {
		n = max(n, int(k)+1)
	}
	r.growKeys(n)
	if !r.hasKeys {
		return nil
	}
	r.epoch++
	for i, k := range c.NewKeys {
		if had := r.keys.At(k); had.Kind != value.KindUndefined && !value.Same(had, c.Keys.At(i)) {
			return bad("newKeys", i, "key id "+strconv.Itoa(int(k))+" stands for another key")
		}
		r.touched[k] = r.epoch
	}
	for i := 0; i < len(ops); i += width {
		key := ops[i+1]
		if ops[i] != removal && r.keys.Kinds[key] == value.KindUndefined && r.touched[key] != r.epoch {
			return bad("newKeys", i/width, "the cell of key id "+strconv.Itoa(int(key))+" is missing")
		}
	}
	return nil
}

// want notes a slot that a message brings: of a row or of a patch.
func (r *Root) want(slot, key uint32, row bool) {
	if row {
		r.slots = append(r.slots, slot)
	}
	r.wanted = append(r.wanted, key, slot)
}

// claimWanted claims the slots that were noted.
func (r *Root) claimWanted() error {
	wanted := r.wanted
	r.wanted = wanted[:0]
	return r.claim(wanted, 2)
}

// claim takes slots into the tables; list has a key id and a slot every width
// words. From here on they are the engine's: each is used or is freed.
func (r *Root) claim(list []uint32, width int) error {
	top := len(r.keyOf)
	for i := 1; i < len(list); i += width {
		top = max(top, int(list[i])+1)
	}
	r.keyOf = slices.Grow(r.keyOf, top-len(r.keyOf))
	for len(r.keyOf) < top {
		r.keyOf = append(r.keyOf, none)
	}
	for i := 1; i < len(list); i += width {
		if r.keyOf[list[i]] != none {
			for j := 1; j < i; j += width {
				r.keyOf[list[j]] = none
			}
			return bad("ops", i/width, "slot "+strconv.Itoa(int(list[i]))+" appears twice")
		}
		r.keyOf[list[i]] = list[i-1]
	}
	return nil
}

// take stores the keys and cells of the rows just claimed. With standing, the
// rows have theirs, and virtual cells follow from it.
func (r *Root) take(content *Content, standing bool) {
	if r.hasKeys {
		for i, k := range content.NewKeys {
			r.setKey(k, content.Keys.At(i))
		}
	}
	r.takeColumns(r.slots, content.Columns, standing)
	r.slots = r.slots[:0]
}

func (r *Root) takeColumns(slots []uint32, columns []Cells, standing bool) {
	carried := 0
	for _, c := range r.columns {
		c.grow(len(r.keyOf))
		if c.derived == nil {
			c.store(r.dict, slots, &columns[carried])
			if c.virtual != 0 && standing {
				r.fillVirtual(c, slots)
			}
			carried++
		}
	}
	r.fillDerived(slots)
}

// fillDerived computes the derived columns of slots.
func (r *Root) fillDerived(slots []uint32) {
	for _, c := range r.columns {
		if c.derived == nil || r.fill(c, slots) == nil {
			continue
		}
		// A value the expression cannot take orders as undefined, row by row; the
		// query that filters or selects by it fails when it evaluates the row.
		for i, s := range slots {
			if r.fill(c, slots[i:i+1]) != nil {
				c.set(r.dict, s, value.Cell{})
			}
		}
	}
}

// refuse lets go of what a message brought that is not applied.
func (r *Root) refuse(columns []Cells) {
	r.slots, r.wanted = r.slots[:0], r.wanted[:0]
	for i := range columns {
		for j := range columns[i].N {
			r.dict.Touch(columns[i].At(j))
		}
	}
}

// store writes the cells of slots.
func (c *Column) store(d *Dict, slots []uint32, cells *Cells) {
	if cells.Kinds == nil && cells.Uniform == value.KindNumber && c.texts == 0 && cells.Vals != nil {
		for i, s := range slots {
			v := cells.Vals[i]
			if v != v {
				c.Kinds[s], c.Vals[s] = value.KindNaN, 0
				continue
			}
			c.Kinds[s], c.Vals[s] = value.KindNumber, v+0
		}
		return
	}
	for i, s := range slots {
		c.set(d, s, cells.At(i))
	}
}
