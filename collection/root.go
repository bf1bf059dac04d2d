package collection

import (
	"slices"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

const none = d2.None

// Root is a collection fed by a source: the tables of keys and slots, the
// columns and arrangements over them, and the predicate index that says whom a
// change can matter to.
type Root struct {
	Base
	// Loose, if set, is called once when there is something to Finish.
	Loose func()
	// Released, if set, is called with every slot that is given up.
	Released func(slot uint32)

	shell Shell
	dict  *Dict

	slotOf []uint32 // by key id: the visible version, or none
	keyOf  []uint32 // by slot: its key, or none when the slot is free
	live   int

	keys      query.Column // by key id, once asked for
	hasKeys   bool
	deadKeys  []uint32
	deadMark  []bool // by key id: in deadKeys
	columns   []*Column
	nextIndex uint32
	orders    []*Ordering
	hashes    []*Hashing
	idle      []*resource // unused but warm, least recently used first
	pins      map[uint32]int
	zombies   []uint32 // slots that left while pinned
	freed     []uint32 // slots to be freed when the command ends
	noted     bool     // Loose was called since the last Finish
	routes    []*routedColumn
	sent      []*Target // scratch of Deliver

	// Local writes (docs/writes.md).
	sourceless     bool                // what is pending counts as confirmed
	session        uint32              // counts how often the root was cleared
	over           map[uint32]*covered // by key id
	kept           []uint32            // key ids with kept layers
	marks          map[uint32]struct{} // key ids written locally and not confirmed since
	standing       []Standing          // by slot, as far as any is not Remote
	local          []uint32            // slots that became Local, to be told
	sending        int                 // transactions being persisted that have written here
	sendingInserts int                 // their inserts
	inserted       uint32              // counts inserts, for the order of rows without a confirmed one
	parked         []*parked
	waitingKeys    map[uint32]int // by key id: parked transactions that mention it
	applied        []uint32       // numbers of transactions admitted

	// Of the step under way; leaving until it has been published.
	epoch   uint32
	touched []uint32 // by key id: epoch of its entry
	entryOf []uint32 // by key id: the entry
	entries []entry
	merges  []merge
	changes []d2.Change
	slots   []uint32 // rows of the message being taken
	wanted  []uint32 // pairs of slot and key id a message brings
	spent   []uint32 // slots that are free when nothing holds them after the step
	leaving []uint32 // slots that are free when nothing holds them after its publication
	patches []uint32 // scratch of fold
	pairs   []uint32 // scratch of tellBelow
	ask     composition
}

// NewRoot returns an empty collection.
// One that is sourceless shows local writes as confirmed.
func NewRoot(id uint32, name value.Cell, sourceless bool, shell Shell, dict *Dict) *Root {
	dict.Ref(name)
	r := &Root{Base: Base{ID: id, Name: name}, sourceless: sourceless, shell: shell, dict: dict}
	r.over, r.marks = map[uint32]*covered{}, map[uint32]struct{}{}
	return r
}

// Len returns the number of visible rows.
func (r *Root) Len() int { return r.live }

// SlotOf returns the visible version of a key id, or d2.None.
func (r *Root) SlotOf(key uint32) uint32 {
	if int(key) >= len(r.slotOf) {
		return none
	}
	return r.slotOf[key]
}

// KeyOf returns the key id of a slot; it implements d2.Keys.
func (r *Root) KeyOf(slot uint32) uint32 { return r.keyOf[slot] }

// Pairs appends the key id and the slot of each of slots.
func (r *Root) Pairs(slots, dst []uint32) []uint32 {
	dst = slices.Grow(dst, 2*len(slots))
	for _, s := range slots {
		dst = append(dst, r.keyOf[s], s)
	}
	return dst
}

// Slots appends the visible slots in no particular order.
func (r *Root) Slots(dst []uint32) []uint32 {
	for _, s := range r.slotOf {
		if s != none {
			dst = append(dst, s)
		}
	}
	return dst
}

// Each yields the slots of all rows, by key id; with Len it implements
// d2.StoreRows.
func (r *Root) Each(yield func(slot uint32) bool) {
	for _, s := range r.slotOf {
		if s != none && !yield(s) {
			return
		}
	}
}

// Pin keeps a slot's cells readable after its row has left; it implements
// d2.Pins.
func (r *Root) Pin(slot uint32) {
	if r.pins == nil {
		r.pins = map[uint32]int{}
	}
	r.pins[slot]++
}

// Unpin ends one Pin.
func (r *Root) Unpin(slot uint32) {
	if n := r.pins[slot] - 1; n > 0 {
		r.pins[slot] = n
		return
	}
	delete(r.pins, slot)
	for i, z := range r.zombies {
		if z == slot {
			r.zombies = append(r.zombies[:i], r.zombies[i+1:]...)
			r.release(slot)
			return
		}
	}
}

// release frees a slot nobody refers to.
func (r *Root) release(slot uint32) {
	for _, c := range r.columns {
		c.clear(r.dict, slot)
	}
	r.keyOf[slot] = none
	if int(slot) < len(r.standing) {
		r.standing[slot] = Remote
	}
	if r.Released != nil {
		r.Released(slot)
	}
	r.freed = append(r.freed, slot)
	if !r.noted && r.Loose != nil {
		r.noted = true
		r.Loose()
	}
}

// retire frees a slot whose row has left, now or when its last pin goes.
func (r *Root) retire(slot uint32) {
	if r.pins[slot] > 0 {
		if !slices.Contains(r.zombies, slot) {
			r.zombies = append(r.zombies, slot)
		}
		return
	}
	r.release(slot)
}

// loadKeys pulls the keys themselves, which order needs as its last term: all
// that the shell has told of and not been told to free.
func (r *Root) loadKeys() error {
	if r.hasKeys {
		return nil
	}
	ids := make([]uint32, 0, len(r.slotOf))
	for k, s := range r.slotOf {
		// Keys that are dead but not yet freed may come back, and are no new ones then.
		if s != none || r.deadMark[k] || r.waitingKeys[uint32(k)] > 0 {
			ids = append(ids, uint32(k))
		}
	}
	cells, err := r.shell.ReadKeys(r.ID, ids)
	if err != nil {
		return err
	}
	r.hasKeys = true
	r.growKeys(len(r.slotOf))
	for i, id := range ids {
		r.setKey(id, cells.At(i))
	}
	return nil
}

func (r *Root) growKeys(n int) {
	if more := n - len(r.slotOf); more > 0 {
		r.slotOf = slices.Grow(r.slotOf, more)
		for range more {
			r.slotOf = append(r.slotOf, none)
		}
		r.touched = append(r.touched, make([]uint32, more)...)
		r.entryOf = append(r.entryOf, make([]uint32, more)...)
		r.deadMark = append(r.deadMark, make([]bool, more)...)
	}
	if more := len(r.slotOf) - len(r.keys.Kinds); r.hasKeys && more > 0 {
		r.keys.Kinds = append(r.keys.Kinds, make([]uint8, more)...)
		r.keys.Vals = append(r.keys.Vals, make([]float64, more)...)
	}
}

func (r *Root) setKey(id uint32, c value.Cell) {
	if old := r.keys.At(id); IsText(old.Kind) {
		r.dict.Unref(old)
	}
	r.dict.Ref(c)
	r.keys.Kinds[id], r.keys.Vals[id] = c.Kind, c.Val
}

// compareKeys orders public keys: strings before numbers, strings by code unit.
// Two ids that a shell gave to one key are told apart by the id: whatever a
// message says, an arrangement never holds two rows that compare equal.
func (r *Root) compareKeys(a, b uint32) int {
	if a == b {
		return 0
	}
	ka, kb := r.keys.Kinds[a], r.keys.Kinds[b]
	order := 0
	switch {
	case ka == value.KindNumber && kb == value.KindNumber:
		va, vb := r.keys.Vals[a], r.keys.Vals[b]
		if va < vb {
			return -1
		}
		if va > vb {
			return 1
		}
	case ka == value.KindString && kb == value.KindString:
		order = value.CompareUTF16(r.dict.Text(uint32(r.keys.Vals[a])), r.dict.Text(uint32(r.keys.Vals[b])))
	case ka == value.KindString:
		return -1
	case kb == value.KindString:
		return 1
	default:
		// NaN, the only number that is not of the number kind, after all others.
		order = int(ka) - int(kb)
	}
	if order != 0 {
		return order
	}
	if a < b {
		return -1
	}
	return 1
}

// Finish ends a command: it tells the shell which slots and keys are free.
// Keys go in batches, when more are dead than alive, because removing an entry
// from a large hash map in the shell costs more than keeping it.
func (r *Root) Finish(out Effects) {
	r.noted = false
	if n := len(r.deadKeys); n > 256 && n > r.live {
		r.freeKeys(out)
	}
	if len(r.freed) > 0 {
		out.FreeSlots(r.ID, r.freed)
		r.freed = r.freed[:0]
	}
}

func (r *Root) freeKeys(out Effects) {
	held := map[uint32]bool{}
	for _, z := range r.zombies {
		held[r.keyOf[z]] = true
	}
	ids := make([]uint32, 0, len(r.deadKeys))
	keep := r.deadKeys[:0]
	for _, k := range r.deadKeys {
		switch {
		case r.slotOf[k] != none:
			r.deadMark[k] = false
		case held[k] || r.over[k] != nil || r.waitingKeys[k] > 0:
			keep = append(keep, k)
		default:
			r.deadMark[k] = false
			delete(r.marks, k)
			if r.hasKeys {
				r.setKey(k, value.Cell{})
			}
			ids = append(ids, k)
		}
	}
	r.deadKeys = keep
	if len(ids) > 0 {
		out.FreeKeys(r.ID, ids)
	}
}

// Clear empties the collection: rows, keys, columns, arrangements. Whatever
// still stands on it must have let go.
func (r *Root) Clear(out Effects) {
	for len(r.idle) > 0 {
		r.evict(r.idle[0], out)
	}
	if r.hasKeys {
		for id := range r.keys.Kinds {
			r.setKey(uint32(id), value.Cell{})
		}
	}
	*r = Root{
		Base: r.Base, Loose: r.Loose, Released: r.Released, noted: r.noted, shell: r.shell, dict: r.dict, nextIndex: r.nextIndex,
		sourceless: r.sourceless, session: r.session + 1, over: map[uint32]*covered{}, marks: map[uint32]struct{}{},
	}
	r.Forget()
}

// Drop ends the collection; it has been cleared or never was started.
func (r *Root) Drop() { r.dict.Unref(r.Name) }

// Held counts the columns and arrangements kept, warm ones included, and the
// bytes of all tables.
func (r *Root) Held() (columns, arrangements, bytes int) {
	bytes = 4*(cap(r.slotOf)+cap(r.keyOf)+cap(r.touched)+cap(r.entryOf)+cap(r.deadKeys)) + 9*cap(r.keys.Kinds) + cap(r.deadMark)
	for _, c := range r.columns {
		bytes += 9 * cap(c.Kinds)
	}
	for _, o := range r.orders {
		if o.Tree != nil {
			arrangements++
			bytes += o.Tree.Bytes()
		}
	}
	for _, h := range r.hashes {
		bytes += h.hash.Bytes()
	}
	return len(r.columns), arrangements + len(r.hashes), bytes
}
