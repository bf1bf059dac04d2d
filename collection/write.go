package collection

import (
	"strconv"

	"millrace.dev/millrace/d2"
)

// Write is what a user transaction does to keys of one root.
type Write struct {
	Ops []uint32 // quadruples (operation, key id, slot of the row or patch, slot of the row expected to show)
	Content
}

// Mutate puts the layers of a transaction in and returns the net changes, as
// Apply does. After an error nothing has happened.
func (r *Root) Mutate(t *Transaction, w *Write, out Effects) ([]d2.Change, error) {
	if t.persisting && t.in(r) != nil {
		return nil, bad("tx", int(t.ID), "is being persisted and takes no more writes")
	}
	if err := r.checkWrite(w); err != nil {
		return nil, err
	}
	err := r.checkKeys(&w.Content, w.Ops, 4, WriteWithdraw)
	if err == nil {
		err = r.checkOnce(w.Ops)
	}
	if err == nil {
		for i := 0; i < len(w.Ops); i += 4 {
			op, key, slot, shown := w.Ops[i], w.Ops[i+1], w.Ops[i+2], w.Ops[i+3]
			if slot != none {
				r.want(slot, key, op == WriteInsert)
			}
			if shown != none {
				r.want(shown, key, true)
			}
		}
		err = r.claimWanted()
	}
	if err != nil {
		r.refuse(w.Columns)
		return nil, err
	}
	for _, s := range r.slots {
		r.stand(s, Pending)
	}
	r.take(&w.Content, true)
	r.begin()
	account := t.enterRoot(r)
	if t.persisting && len(account.keys) == 0 {
		r.sending++
	}
	for i := 0; i < len(w.Ops); i += 4 {
		r.write(t, account, w.Ops[i], w.Ops[i+1], w.Ops[i+2], w.Ops[i+3])
	}
	return r.finish(out), nil
}

// write puts in, replaces or withdraws one layer.
func (r *Root) write(t *Transaction, account *writtenTo, op, key, slot, shown uint32) {
	e := r.enter(key)
	c := r.over[key]
	r.countInsert(t, account, c, op)
	if op == WriteWithdraw {
		if c == nil {
			return
		}
		if i := c.find(t); i >= 0 {
			r.leave(c.take(i).slot)
			if len(c.layers) == 0 {
				delete(r.marks, key)
			}
		}
		return
	}
	if c == nil {
		c = &covered{base: e.base, told: untold, shown: none}
		r.over[key] = c
	}
	if c.find(t) < 0 {
		account.keys = append(account.keys, key)
	}
	l := layer{tx: t, op: op, slot: slot}
	if op == WriteInsert {
		r.inserted++
		l.at = r.inserted
	}
	r.leave(c.put(l))
	r.marks[key] = struct{}{}
	if shown == none {
		return
	}
	if row, patches := c.fold(r.patches); len(patches) > 0 && patches[len(patches)-1] == slot {
		r.patches = patches
		c.shown = shown
		c.from = append(append(c.from[:0], row), patches...)
	} else {
		r.spent = append(r.spent, shown)
	}
}

// countInsert keeps count of the inserts of a transaction.
func (r *Root) countInsert(t *Transaction, account *writtenTo, c *covered, op uint32) {
	by := 0
	if c != nil {
		if i := c.find(t); i >= 0 && c.layers[i].op&^Silent == WriteInsert {
			by--
		}
	}
	if op&^Silent == WriteInsert {
		by++
	}
	account.inserts += by
	if t.persisting {
		r.sendingInserts += by
	}
}

// checkWrite looks at everything a message says before any of it is believed.
func (r *Root) checkWrite(w *Write) error {
	if len(w.Ops)%4 != 0 {
		return bad("ops", len(w.Ops), "not a list of quadruples")
	}
	n := len(w.Ops) / 4
	maxKey, maxSlot := r.reach(2 * n)
	rows := 0
	for i := range n {
		op, key, slot, shown := w.Ops[4*i], w.Ops[4*i+1], w.Ops[4*i+2], w.Ops[4*i+3]
		if key >= maxKey {
			return bad("ops", i, "key id "+strconv.Itoa(int(key))+" leaves a gap; ids are dense")
		}
		holds, shows := false, false
		switch op {
		case WriteInsert:
			holds = true
			rows++
		case WritePatch:
			holds, shows = true, shown != none
		case WriteDelete, WriteWithdraw, WriteInsert | Silent, WriteDelete | Silent, WritePatch | Silent:
		default:
			return bad("ops", i, "operation "+strconv.Itoa(int(op))+" is none of insert 0, delete 2, patch 3, withdraw 4, or the first three plus 256")
		}
		if holds != (slot != none) || shows != (shown != none) {
			return bad("ops", i, "has a slot where none belongs, or none where one does")
		}
		if holds {
			if err := r.checkSlot(slot, maxSlot, i); err != nil {
				return err
			}
		}
		if shows {
			if err := r.checkSlot(shown, maxSlot, i); err != nil {
				return err
			}
			rows++
		}
	}
	return r.checkContent(&w.Content, rows, maxKey)
}

// checkOnce refuses two writes to one key in one message.
func (r *Root) checkOnce(ops []uint32) error {
	r.epoch++
	for i := 0; i < len(ops); i += 4 {
		if key := ops[i+1]; r.touched[key] == r.epoch {
			return bad("ops", i/4, "key id "+strconv.Itoa(int(key))+" appears twice")
		} else {
			r.touched[key] = r.epoch
		}
	}
	return nil
}
