package shell

import (
	"errors"
	"fmt"
)

// The operations of a local write.
const (
	writeInsert   = 0
	writeDelete   = 2
	writePatch    = 3
	writeWithdraw = 4
	writeSilent   = 256
)

// Hold says what a local write holds back until the graph runs next.
type Hold uint8

// What can be held.
const (
	HoldNothing Hold = 0
	HoldGraph   Hold = 1 // live queries do not follow yet
	HoldAll     Hold = 3 // nor are the collection's subscribers told
)

// Outcome is how a transaction ends.
type Outcome uint32

// The outcomes. A direct write's changes stay until the next sync transaction
// of the collection, those of any other transaction go at once.
const (
	Rejected Outcome = iota
	AcceptedDirect
	Accepted
)

// Transaction is a set of local writes, over any number of collections, that
// show before a source has confirmed them. Its changes apply in the order of
// transactions, field by field.
type Transaction struct {
	db      *DB
	id      uint32
	Hold    Hold
	writes  map[written]*localWrite
	settled bool
}

type written struct {
	collection *Collection
	key        any
}

// localWrite is what a transaction does to one row.
type localWrite struct {
	op      uint32
	row     any            // of an insert
	changes map[string]any // of an update
}

// ErrSettled is returned by a transaction that has ended.
var ErrSettled = errors.New("millrace: the transaction has ended; make another")

// Transaction returns a new transaction without writes.
func (db *DB) Transaction() *Transaction {
	db.lastTx++
	return &Transaction{db: db, id: db.lastTx, writes: map[written]*localWrite{}}
}

// Insert adds a row. What key it has is not looked at: a visible row with the
// key is covered.
func (t *Transaction) Insert(c *Collection, row any) error {
	key, ok := keyOf(c.keyFunc(row))
	if !ok {
		return fmt.Errorf("millrace: collection %s: a key must be a string or a number", c.name)
	}
	return t.write(c, key, &localWrite{op: writeInsert, row: row})
}

// Update changes fields of the row with the key, which must be visible.
func (t *Transaction) Update(c *Collection, key any, changes map[string]any) error {
	k, ok := keyOf(key)
	if !ok || !c.Has(k) {
		return fmt.Errorf("millrace: collection %s has no row %v to update", c.name, key)
	}
	w := &localWrite{op: writePatch, changes: changes}
	if before := t.writes[written{c, k}]; before != nil {
		switch before.op {
		case writeInsert:
			row, err := c.patched(before.row, changes)
			if err != nil {
				return err
			}
			w = &localWrite{op: writeInsert, row: row}
		case writePatch:
			w.changes = map[string]any{}
			for name, v := range before.changes {
				w.changes[name] = v
			}
			for name, v := range changes {
				w.changes[name] = v
			}
		}
	}
	return t.write(c, k, w)
}

// Delete removes the row with the key. After an insert in the same transaction
// nothing is left to do.
func (t *Transaction) Delete(c *Collection, key any) error {
	k, ok := keyOf(key)
	if !ok {
		return fmt.Errorf("millrace: collection %s: %v is no key", c.name, key)
	}
	op := uint32(writeDelete)
	if before := t.writes[written{c, k}]; before != nil && before.op == writeInsert {
		op = writeWithdraw
	}
	return t.write(c, k, &localWrite{op: op})
}

// Announce notes a write that is not to be seen before it is confirmed.
func (t *Transaction) Announce(c *Collection, key any, insert bool) error {
	k, ok := keyOf(key)
	if !ok {
		return fmt.Errorf("millrace: collection %s: %v is no key", c.name, key)
	}
	op := uint32(writePatch | writeSilent)
	if insert {
		op = writeInsert | writeSilent
	}
	return t.write(c, k, &localWrite{op: op})
}

func (t *Transaction) write(c *Collection, key any, w *localWrite) error {
	switch {
	case t.settled:
		return ErrSettled
	case c.db != t.db:
		return fmt.Errorf("millrace: collection %s is of another database", c.name)
	case t.db.closed:
		return ErrClosed
	case t.db.pulling:
		return ErrNested
	}
	id, fresh := c.internKey(key)
	slot, shown := uint32(none), uint32(none)
	switch w.op {
	case writeInsert:
		slot = c.takeSlot(w.row, id)
		c.slots[slot].standing = pendingRow
	case writePatch:
		slot = c.takeSlot(patch{w.changes}, id)
		if row, err := c.patched(c.visible(key), w.changes); err == nil {
			shown = c.takeSlot(row, id)
			c.slots[shown].standing = pendingRow
		}
	}
	m, err := t.message(c, w.op, id, slot, shown, fresh)
	applied := false
	if err == nil {
		applied, err = t.db.exec(m)
	}
	if !applied {
		if fresh {
			c.freeKeys([]uint32{id})
		}
		for _, s := range []uint32{slot, shown} {
			if s != none {
				c.freeSlots([]uint32{s})
			}
		}
		return err
	}
	if w.op == writeWithdraw {
		delete(t.writes, written{c, key})
	} else {
		t.writes[written{c, key}] = w
	}
	return err
}

func (t *Transaction) message(c *Collection, op, id, slot, shown uint32, fresh bool) (*message, error) {
	m := command(opMutate, 7)
	m.u32(c.id)
	m.u32(t.id)
	m.uint(uint64(t.Hold))
	m.blockU32([]uint32{op, id, slot, shown})
	var keys, rows []uint32
	if fresh {
		keys = append(keys, id)
	}
	if op == writeInsert {
		rows = append(rows, slot)
	}
	if shown != none {
		rows = append(rows, shown)
	}
	return m, c.writeContent(m, keys, rows)
}

// Persist says that the writes are being sent: sync transactions wait for them
// from now on. What is held is told.
func (t *Transaction) Persist() error {
	if t.settled {
		return ErrSettled
	}
	return t.db.simple(opPersist, t.id)
}

// Settle ends the transaction.
func (t *Transaction) Settle(outcome Outcome) error {
	return t.db.Settle(Ending{t, outcome})
}

// Ending is a transaction with how it ends.
type Ending struct {
	Transaction *Transaction
	Outcome     Outcome
}

// Settle ends transactions in one step over all collections they wrote to.
func (db *DB) Settle(endings ...Ending) error {
	words := make([]uint32, 0, 2*len(endings))
	for _, e := range endings {
		if e.Transaction.settled {
			return ErrSettled
		}
		words = append(words, e.Transaction.id, uint32(e.Outcome))
	}
	m := command(opSettle, 2)
	m.blockU32(words)
	m.nil()
	applied, err := db.exec(m)
	if applied {
		for _, e := range endings {
			e.Transaction.settled = true
		}
	}
	return err
}

// Flush runs the graph for held writes and tells of them.
func (db *DB) Flush() error { return db.run(command(opFlush, 0)) }

// patch is what a slot holds that is no row but changes to one.
type patch struct{ changes map[string]any }

// patched lays changes over a row.
func (c *Collection) patched(row any, changes map[string]any) (any, error) {
	if c.patch != nil {
		return c.patch(row, changes), nil
	}
	m, ok := row.(map[string]any)
	if !ok && row != nil {
		return nil, fmt.Errorf("millrace: collection %s: rows of type %T need Config.Patch to be updated", c.name, row)
	}
	made := make(map[string]any, len(m)+len(changes))
	for name, v := range m {
		made[name] = v
	}
	for name, v := range changes {
		made[name] = v
	}
	return made, nil
}

// visible is the row shown under a key, or nil.
func (c *Collection) visible(key any) any {
	if p, ok := c.mirror.get(key); ok {
		return c.slots[p.slot].row
	}
	return nil
}

// Confirmed returns the row the source has confirmed, whatever local writes
// cover it.
func (c *Collection) Confirmed(key any) (row any, ok bool) {
	k, ok := keyOf(key)
	if !ok {
		return nil, false
	}
	if id, known := c.keyIDs[k]; known {
		if slot, covered := c.below[id]; covered {
			if slot == none {
				return nil, false
			}
			return c.slots[slot].row, true
		}
	}
	return c.Get(k)
}

// Standing tells whether a visible row is confirmed, and whether its last write
// was a local one.
func (c *Collection) Standing(key any) (synced, local bool) {
	k, _ := keyOf(key)
	p, ok := c.mirror.get(k)
	if !ok {
		return false, false
	}
	s := c.slots[p.slot].standing
	return s != pendingRow || c.sourceless, s != remoteRow || c.sourceless
}

// Knows reports whether the key has or had a row that something still refers
// to.
func (c *Collection) Knows(key any) bool {
	k, ok := keyOf(key)
	if !ok {
		return false
	}
	_, known := c.keyIDs[k]
	return known
}
