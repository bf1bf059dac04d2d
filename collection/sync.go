package collection

import (
	"slices"
	"strconv"

	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// The operations of a sync transaction.
const (
	OpInsert = 0
	OpPut    = 1
	OpDelete = 2
)

// keepEntries is how many entries of scratch are kept between transactions.
const keepEntries = 4096

// slack is how far beyond the known ids a message may reach at once: ids are
// dense, so a large gap is a mistake or an attack on memory.
const slack = 1 << 16

// Sync is one committed sync transaction.
type Sync struct {
	Truncate bool
	Vouched  bool     // no insert meets a live key; not checked again
	Ops      []uint32 // triples (operation, key id, slot)
	NewKeys  []uint32 // key ids that appear for the first time, when keys are carried
	Keys     Cells    // of NewKeys
	Columns  []Cells  // per registered column, one cell per operation with a slot
}

// SyncError is a transaction that cannot be applied; nothing of it was.
type SyncError struct {
	Duplicate bool   // an insert met a live key
	Path      string // where in the message
	Text      string
}

func (e *SyncError) Error() string { return e.Path + ": " + e.Text }

//go:noinline
func bad(where string, i int, text string) error {
	return &SyncError{Path: where + "[" + strconv.Itoa(i) + "]", Text: text}
}

// entry is what a transaction does to one key.
type entry struct {
	key, old, new uint32
	deleted       bool // at some point before the latest operation
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

// Apply makes a transaction visible in the tables and arrangements and returns
// the net changes, at most one per key in order of first mention; they are valid until
// the next Apply. A row replaced by a deeply equal one keeps its slot and does
// not change. Old slots stay readable until Retire. After an error nothing has
// happened.
func (r *Root) Apply(tx *Sync) ([]d2.Change, error) {
	if err := r.check(tx); err != nil {
		return nil, err
	}
	err := r.gather(tx)
	if err == nil {
		err = r.claim(tx)
	}
	if err != nil {
		r.refuse(tx)
		return nil, err
	}
	r.take(tx)
	r.settle()
	for _, o := range r.orders {
		if o.Tree != nil && o.Err == nil {
			o.Err = o.apply(r.changes)
		}
	}
	for _, h := range r.hashes {
		h.apply(r.changes)
	}
	return r.changes, nil
}

// check looks at everything a transaction says before any of it is believed.
func (r *Root) check(tx *Sync) error {
	if len(tx.Ops)%3 != 0 {
		return bad("ops", len(tx.Ops), "not a list of triples")
	}
	n := len(tx.Ops) / 3
	maxKey, maxSlot := uint32(len(r.slotOf)+n+slack), uint32(len(r.keyOf)+n+slack)
	rows := 0
	for i := range n {
		op, key, slot := tx.Ops[3*i], tx.Ops[3*i+1], tx.Ops[3*i+2]
		switch {
		case op > OpDelete:
			return bad("ops", i, "operation "+strconv.Itoa(int(op))+" is none of insert 0, put 1, delete 2")
		case key >= maxKey:
			return bad("ops", i, "key id "+strconv.Itoa(int(key))+" leaves a gap; ids are dense")
		case op == OpDelete:
			continue
		case slot >= maxSlot:
			return bad("ops", i, "slot "+strconv.Itoa(int(slot))+" leaves a gap; slots are dense")
		case int(slot) < len(r.keyOf) && r.keyOf[slot] != none:
			return bad("ops", i, "slot "+strconv.Itoa(int(slot))+" is in use")
		}
		rows++
	}
	limit := r.dict.Limit(len(tx.NewKeys) + rows*len(tx.Columns))
	if len(tx.NewKeys) != tx.Keys.N || !tx.Keys.Valid(limit) || !r.dict.KnowsAll(&tx.Keys) {
		return bad("newKeys", 0, "needs one valid cell per key id, and the texts")
	}
	for i, k := range tx.NewKeys {
		if k >= maxKey {
			return bad("newKeys", i, "key id leaves a gap; ids are dense")
		}
	}
	if len(tx.Columns) != r.Carried() {
		return bad("columns", len(tx.Columns), strconv.Itoa(r.Carried())+" columns are registered")
	}
	i := 0
	for _, c := range r.columns {
		if c.derived != nil {
			continue
		}
		cells := &tx.Columns[i]
		if cells.N != rows || !cells.Valid(limit) {
			return bad("columns", i, "needs one valid cell per operation with a slot")
		}
		if c.Text && !r.dict.KnowsAll(cells) {
			return bad("columns", i, "needs the bytes of its texts")
		}
		i++
	}
	return nil
}

// gather reduces the operations to one entry per key, in order of first
// mention.
func (r *Root) gather(tx *Sync) error {
	n := len(tx.Ops) / 3
	maxKey := len(r.slotOf)
	for i := range n {
		if k := int(tx.Ops[3*i+1]); k >= maxKey {
			maxKey = k + 1
		}
	}
	for _, k := range tx.NewKeys {
		if int(k) >= maxKey {
			maxKey = int(k) + 1
		}
	}
	r.growKeys(maxKey)
	if err := r.checkKeys(tx); err != nil {
		return err
	}
	r.epoch++
	r.entries = slices.Grow(r.entries[:0], n)
	if tx.Truncate {
		for key, slot := range r.slotOf {
			if slot != none {
				r.enter(uint32(key)).drop()
			}
		}
	}
	for i := range n {
		op, key, slot := tx.Ops[3*i], tx.Ops[3*i+1], tx.Ops[3*i+2]
		e := r.enter(key)
		if op == OpInsert && !tx.Vouched && e.old != none && !e.deleted {
			return &SyncError{Duplicate: true, Path: strconv.Itoa(int(key)), Text: "the key is there already and the transaction does not delete it first"}
		}
		if op == OpDelete {
			e.drop()
		} else {
			e.new = slot
		}
	}
	return nil
}

// checkKeys makes sure that, once keys are carried, every key that gets a row
// has its cell: without one it would have no place in any order.
func (r *Root) checkKeys(tx *Sync) error {
	if !r.hasKeys {
		return nil
	}
	r.epoch++
	for i, k := range tx.NewKeys {
		if had := r.keys.At(k); had.Kind != value.KindUndefined && !value.Same(had, tx.Keys.At(i)) {
			return bad("newKeys", i, "key id "+strconv.Itoa(int(k))+" stands for another key")
		}
		r.touched[k] = r.epoch
	}
	for i := 0; i < len(tx.Ops); i += 3 {
		key := tx.Ops[i+1]
		if tx.Ops[i] != OpDelete && r.keys.Kinds[key] == value.KindUndefined && r.touched[key] != r.epoch {
			return bad("newKeys", i/3, "the cell of key id "+strconv.Itoa(int(key))+" is missing")
		}
	}
	return nil
}

func (e *entry) drop() { e.new, e.deleted = none, true }

func (r *Root) enter(key uint32) *entry {
	if r.touched[key] != r.epoch {
		r.touched[key] = r.epoch
		r.entryOf[key] = uint32(len(r.entries))
		r.entries = append(r.entries, entry{key: key, old: r.slotOf[key], new: r.slotOf[key]})
	}
	return &r.entries[r.entryOf[key]]
}

// claim takes the slots of the transaction into the tables. From here on they
// are the engine's: each becomes visible or is freed.
func (r *Root) claim(tx *Sync) error {
	r.slots = r.slots[:0]
	top := len(r.keyOf)
	for i := 0; i < len(tx.Ops); i += 3 {
		if tx.Ops[i] != OpDelete {
			s := tx.Ops[i+2]
			r.slots = append(r.slots, s)
			top = max(top, int(s)+1)
		}
	}
	r.keyOf = slices.Grow(r.keyOf, top-len(r.keyOf))
	for len(r.keyOf) < top {
		r.keyOf = append(r.keyOf, none)
	}
	j := 0
	for i := 0; i < len(tx.Ops); i += 3 {
		if tx.Ops[i] == OpDelete {
			continue
		}
		if r.keyOf[r.slots[j]] != none {
			for _, s := range r.slots[:j] {
				r.keyOf[s] = none
			}
			return bad("ops", i/3, "slot "+strconv.Itoa(int(r.slots[j]))+" appears twice")
		}
		r.keyOf[r.slots[j]] = tx.Ops[i+1]
		j++
	}
	return nil
}

// take stores keys and cells.
func (r *Root) take(tx *Sync) {
	if r.hasKeys {
		for i, k := range tx.NewKeys {
			r.setKey(k, tx.Keys.At(i))
		}
	}
	carried := 0
	for _, c := range r.columns {
		c.grow(len(r.keyOf))
		if c.derived == nil {
			c.store(r.dict, r.slots, &tx.Columns[carried])
			carried++
		}
	}
	for _, c := range r.columns {
		if c.derived == nil || r.fill(c, r.slots) == nil {
			continue
		}
		// A value the expression cannot take orders as undefined, row by row; the
		// query that filters or selects by it fails when it evaluates the row.
		for i, s := range r.slots {
			if r.fill(c, r.slots[i:i+1]) != nil {
				c.set(r.dict, s, value.Cell{})
			}
		}
	}
}

// settle turns entries into visible state and net changes.
func (r *Root) settle() {
	r.changes = slices.Grow(r.changes[:0], len(r.entries))
	for i := range r.entries {
		e := &r.entries[i]
		if e.old == e.new {
			// Neither version is there: the key came with this transaction and did
			// not stay, or was deleted without ever having been there.
			r.bury(e.key)
			continue
		}
		if e.old != none && e.new != none && r.same(e.old, e.new) {
			r.release(e.new)
			continue
		}
		r.slotOf[e.key] = e.new
		switch {
		case e.old == none:
			r.live++
		case e.new == none:
			r.live--
			r.bury(e.key)
		}
		r.changes = append(r.changes, d2.Change{Key: e.key, Old: e.old, New: e.new})
	}
	// Versions that were superseded within the transaction never were visible.
	for _, s := range r.slots {
		if k := r.keyOf[s]; k != none && r.slotOf[k] != s {
			r.release(s)
		}
	}
}

// bury notes a key that is not visible: the shell may forget it in time.
func (r *Root) bury(key uint32) {
	if !r.deadMark[key] {
		r.deadMark[key] = true
		r.deadKeys = append(r.deadKeys, key)
	}
}

// same asks whether two versions of a row are deeply equal. One that cannot be
// compared counts as changed: to tell too much is harmless.
func (r *Root) same(a, b uint32) bool {
	equal, err := r.shell.Equal(r.ID, 0, a, b)
	return err == nil && equal
}

// refuse lets go of the texts a transaction brought that is not applied.
func (r *Root) refuse(tx *Sync) {
	for i := range tx.Columns {
		for j := range tx.Columns[i].N {
			r.dict.Touch(tx.Columns[i].At(j))
		}
	}
}

// Retire gives up the old versions of changes that have been published.
func (r *Root) Retire(changes []d2.Change) {
	for _, c := range changes {
		if c.Old != none {
			r.retire(c.Old)
		}
	}
	if cap(r.entries) > keepEntries {
		// A bulk load is rare; its scratch would outweigh the rows.
		r.entries, r.changes, r.slots = nil, nil, nil
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
