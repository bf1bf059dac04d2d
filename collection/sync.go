package collection

import (
	"slices"
	"strconv"

	"millrace.dev/millrace/d2"
)

// The operations of a sync transaction.
const (
	OpInsert = 0
	OpPut    = 1
	OpDelete = 2
	OpMerge  = 3 // the slot holds a patch
)

// Sync is one committed sync transaction.
type Sync struct {
	Tx        uint32 // the shell's number
	Truncate  bool
	Vouched   bool     // no insert meets a live key; not checked again
	Immediate bool     // never waits
	Ops       []uint32 // triples (operation, key id, slot)
	Touched   []uint32 // further key ids it says something about
	Content
}

// Content is what a message brings along with its operations.
type Content struct {
	NewKeys []uint32 // key ids that appear for the first time, when keys are carried
	Keys    Cells    // of NewKeys
	Columns []Cells  // per registered column, one cell per slot that holds a row
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

// Apply makes a transaction visible in the tables and arrangements and returns
// the net changes, at most one per key; they are valid until the next step. A row replaced
// by a deeply equal one of the same standing keeps its slot and does not
// change. Old slots stay readable until Retire. With parked the transaction
// waits for user transactions and nothing has changed. After an error nothing
// has happened.
func (r *Root) Apply(tx *Sync, out Effects) (changes []d2.Change, parked bool, err error) {
	if err := r.checkSync(tx); err != nil {
		return nil, false, err
	}
	waits := r.blocked(tx)
	err = r.checkKeys(&tx.Content, tx.Ops, 3, OpDelete)
	if err == nil && r.fills(tx) {
		return r.fillUp(tx)
	}
	if err == nil && !tx.Vouched && !tx.Truncate && !waits {
		err = r.checkFresh(tx.Ops)
	}
	if err == nil {
		r.wanted = slices.Grow(r.wanted, len(tx.Ops)/3*2)
		r.slots = slices.Grow(r.slots, len(tx.Ops)/3)
		for i := 0; i < len(tx.Ops); i += 3 {
			if op := tx.Ops[i]; op != OpDelete {
				r.want(tx.Ops[i+2], tx.Ops[i+1], op != OpMerge)
			}
		}
		err = r.claimWanted()
	}
	if err != nil {
		r.refuse(tx.Columns)
		return nil, false, err
	}
	if waits {
		r.take(&tx.Content, false)
		r.park(tx)
		return nil, true, nil
	}
	r.begin()
	if len(r.parked) > 0 && (tx.Truncate || tx.Immediate) {
		r.admitAll()
	}
	r.standConfirmed()
	r.take(&tx.Content, true)
	r.confirm(tx.Ops, tx.Truncate)
	return r.finish(out), false, nil
}

// fills tells whether a transaction is a load: it brings one row each for keys
// without any, and no local write or other transaction is about.
func (r *Root) fills(tx *Sync) bool {
	if len(tx.Ops) == 0 || tx.Truncate || len(r.over)+len(r.marks)+len(r.kept)+len(r.parked) > 0 {
		return false
	}
	r.epoch++
	for i := 0; i < len(tx.Ops); i += 3 {
		op, key := tx.Ops[i], tx.Ops[i+1]
		if op == OpDelete || op == OpMerge || r.slotOf[key] != none || r.touched[key] == r.epoch {
			return false
		}
		r.touched[key] = r.epoch
	}
	return true
}

// fillUp applies a load. It needs no entries, which would outweigh the rows: a
// memory of WebAssembly stays as large as it ever was.
func (r *Root) fillUp(tx *Sync) ([]d2.Change, bool, error) {
	if err := r.claim(tx.Ops[1:], 3); err != nil {
		r.refuse(tx.Columns)
		return nil, false, err
	}
	r.begin()
	r.changes = slices.Grow(r.changes[:0], len(tx.Ops)/3)
	for i := 0; i < len(tx.Ops); i += 3 {
		key, slot := tx.Ops[i+1], tx.Ops[i+2]
		if len(r.columns) > 0 {
			r.slots = append(r.slots, slot)
		}
		r.slotOf[key] = slot
		r.changes = append(r.changes, d2.Change{Key: key, Old: none, New: slot})
	}
	r.live += len(r.changes)
	r.take(&tx.Content, true)
	r.arrange()
	return r.changes, false, nil
}

// checkSync looks at everything a transaction says before any of it is believed.
func (r *Root) checkSync(tx *Sync) error {
	if len(tx.Ops)%3 != 0 {
		return bad("ops", len(tx.Ops), "not a list of triples")
	}
	n := len(tx.Ops) / 3
	maxKey, maxSlot := r.reach(n)
	rows := 0
	for i := range n {
		op, key, slot := tx.Ops[3*i], tx.Ops[3*i+1], tx.Ops[3*i+2]
		if op > OpMerge {
			return bad("ops", i, "operation "+strconv.Itoa(int(op))+" is none of insert 0, put 1, delete 2, merge 3")
		}
		if key >= maxKey {
			return bad("ops", i, "key id "+strconv.Itoa(int(key))+" leaves a gap; ids are dense")
		}
		if op == OpDelete {
			continue
		}
		if err := r.checkSlot(slot, maxSlot, i); err != nil {
			return err
		}
		if op != OpMerge {
			rows++
		}
	}
	for i, k := range tx.Touched {
		if k >= maxKey {
			return bad("touched", i, "key id leaves a gap; ids are dense")
		}
	}
	return r.checkContent(&tx.Content, rows, maxKey)
}

// checkFresh refuses an insert of a key whose confirmed row is there, unless
// the transaction deletes it first.
func (r *Root) checkFresh(ops []uint32) error {
	r.epoch++
	for i := 0; i < len(ops); i += 3 {
		key := ops[i+1]
		switch ops[i] {
		case OpDelete:
			r.touched[key] = r.epoch
		case OpInsert:
			if r.touched[key] != r.epoch && r.Confirmed(key) != none {
				return &SyncError{Duplicate: true, Path: strconv.Itoa(int(key)), Text: "the key is there already and the transaction does not delete it first"}
			}
		}
	}
	return nil
}

// confirm takes the operations of a transaction into the confirmed rows of the
// step. Kept layers have served their time.
func (r *Root) confirm(ops []uint32, truncate bool) {
	if local := len(r.marks) > 0 || len(r.over) > 0; local {
		for i := 0; i < len(ops); i += 3 {
			r.enter(ops[i+1]).local = r.touchedLocally(ops[i+1])
			if c := r.over[ops[i+1]]; c != nil && !truncate {
				r.answer(ops[i+1], c)
			}
		}
		defer r.unmark()
	}
	r.dropKept()
	if truncate {
		for key, slot := range r.slotOf {
			if slot != none {
				r.enter(uint32(key)).remove()
			}
		}
		for _, key := range r.coveredKeys() {
			r.enter(uint32(key)).remove()
		}
		// And what transactions that waited have just brought.
		for i := range r.entries {
			r.entries[i].remove()
		}
	}
	r.entries = slices.Grow(r.entries, len(ops)/3)
	r.spent = slices.Grow(r.spent, len(ops)/3)
	for i := 0; i < len(ops); i += 3 {
		e := r.enter(ops[i+1])
		switch ops[i] {
		case OpDelete:
			e.write(none)
		case OpMerge:
			r.merge(e, ops[i+2])
			r.spent = append(r.spent, ops[i+2])
		default:
			e.write(ops[i+2])
			r.spent = append(r.spent, ops[i+2])
		}
	}
}
