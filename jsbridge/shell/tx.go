package shell

import (
	"errors"
	"fmt"
)

// The operations of a transaction.
const (
	txInsert = iota
	txPut
	txDelete
	txMerge
)

// Tx collects the writes of one sync transaction. Nothing is visible before
// Commit, and then everything at once.
type Tx struct {
	collection *Collection
	number     uint32
	truncate   bool
	// Immediate transactions do not wait for local writes that are being sent.
	Immediate bool
	parked    bool
	writes    []write
	done      bool
	err       error // first bad key
}

type write struct {
	op  int
	key any
	row any
}

// ErrTxDone is returned by a transaction that was committed.
var ErrTxDone = errors.New("millrace: the transaction has been committed; begin another")

// Begin starts a transaction. Several may be open; each is applied as a whole when it
// is committed.
func (c *Collection) Begin() *Tx {
	c.db.lastTx++
	return &Tx{collection: c, number: c.db.lastTx}
}

// Waits reports whether the transaction was committed and waits for local
// writes to settle.
func (t *Tx) Waits() bool { return t.parked }

// Insert adds a row. Commit refuses the transaction with ErrDuplicateKey if the
// key is there already and the transaction does not delete it first.
func (t *Tx) Insert(row any) *Tx { return t.write(txInsert, row) }

// Update replaces the row with the same key, or adds it.
func (t *Tx) Update(row any) *Tx { return t.write(txPut, row) }

func (t *Tx) write(op int, row any) *Tx {
	raw := t.collection.keyFunc(row)
	key, ok := keyOf(raw)
	if !ok && t.err == nil {
		t.err = fmt.Errorf("millrace: collection %s: a key must be a string or a number, not %v (%T)", t.collection.name, raw, raw)
	}
	t.writes = append(t.writes, write{op, key, row})
	return t
}

// Change changes fields of the confirmed row with the key by the time the
// transaction is applied; without one the changes are the row.
func (t *Tx) Change(key any, changes map[string]any) *Tx {
	if k, ok := keyOf(key); ok {
		t.writes = append(t.writes, write{txMerge, k, patch{changes}})
	}
	return t
}

// Delete removes the row with the key; one that is not there is no error.
func (t *Tx) Delete(key any) *Tx {
	k, ok := keyOf(key)
	if ok {
		t.writes = append(t.writes, write{txDelete, k, nil})
	}
	return t
}

// Truncate removes all rows, and the transaction's writes so far.
func (t *Tx) Truncate() *Tx {
	t.truncate, t.writes = true, nil
	return t
}

// Commit applies the transaction. After an error that is an *Error of code
// DuplicateKey, BadMessage or StatusTransition nothing of it was applied; a
// *PanicError is of a subscriber, and it was.
func (t *Tx) Commit() error {
	switch {
	case t.done:
		return ErrTxDone
	case t.err != nil:
		return t.err
	case t.collection.db.closed:
		return ErrClosed
	case t.collection.db.pulling:
		return ErrNested
	}
	t.done = true
	c := t.collection
	if c.status == Idle || c.status == CleanedUp {
		return &Error{Code: CodeStatusTransition, Path: c.name, Message: "the collection is not started"}
	}
	ops, keys, slots, rows := t.place()
	m, err := t.message(ops, keys, rows)
	applied := false
	if err == nil {
		c.db.open[t.number] = t
		if applied, err = c.db.exec(m); !t.parked {
			delete(c.db.open, t.number)
		}
	}
	if !applied {
		// The engine knows nothing of the ids.
		c.freeKeys(keys)
		c.freeSlots(slots)
	}
	return err
}

// place gives the writes key ids and slots.
func (t *Tx) place() (ops, newKeys, slots, rows []uint32) {
	c := t.collection
	for _, w := range t.writes {
		if w.op == txDelete {
			if id, ok := c.keyIDs[w.key]; ok {
				ops = append(ops, txDelete, id, none)
			}
			continue
		}
		id, fresh := c.internKey(w.key)
		if fresh {
			newKeys = append(newKeys, id)
		}
		s := c.takeSlot(w.row, id)
		slots = append(slots, s)
		if w.op != txMerge {
			rows = append(rows, s)
		}
		ops = append(ops, uint32(w.op), id, s)
	}
	return ops, newKeys, slots, rows
}

// message reads the registered columns of the rows into the command.
func (t *Tx) message(ops, newKeys, slots []uint32) (*message, error) {
	c := t.collection
	m := command(opSync, 8)
	m.u32(c.id)
	m.u32(t.number)
	var flags uint64
	if t.truncate {
		flags = 1
	}
	if t.Immediate {
		flags |= 4
	}
	m.uint(flags)
	m.blockU32(ops)
	m.nil()
	if err := c.writeContent(m, newKeys, slots); err != nil {
		return nil, err
	}
	return m, nil
}
