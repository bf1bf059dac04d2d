package shell

import "fmt"

// The effects.
const (
	effError = 1 + iota
	effFreeTexts
	effFreeKeys
	effFreeSlots
	effInstall
	effLayout
	effRows
	effStatus
	effEmit
	effDropColumn
	effTruncated
	effStats
	effEmpty
	effRebind
	effBelow
	effLocal
	effParked
	effApplied
	effFound
)

// What an emit tells.
const (
	emitInstall = iota
	emitGiven
	emitContent
	emitEmpty
)

// take decodes the effects of a command and takes them in; what subscribers are
// to be told is queued. refusal is the command's Error effect.
func (db *DB) take(effects []byte) (refusal *Error, err error) {
	if len(effects) == 0 {
		return nil, nil
	}
	in := newReader(effects)
	for range in.array() {
		in.array()
		op := in.u32()
		if in.err == nil {
			err = db.takeOne(in, op, &refusal)
		}
		if err == nil {
			err = in.err
		}
		if err != nil {
			return nil, fmt.Errorf("millrace: effect %d: %w", op, err)
		}
	}
	for _, r := range db.touched {
		r.settle()
	}
	db.touched = db.touched[:0]
	return refusal, nil
}

func (db *DB) takeOne(in *reader, op uint32, refusal **Error) error {
	switch op {
	case effError:
		*refusal = &Error{Code: Code(in.u32()), Path: in.str(), Message: in.str()}
		return nil
	case effFreeTexts:
		db.texts.forget(in.blockU32())
		return nil
	case effStats:
		n, err := in.dec.DecodeMapLen()
		in.note(err)
		db.stats = make(map[string]int, max(n, 0))
		for range n {
			name := in.str()
			v, err := in.dec.DecodeInt()
			in.note(err)
			db.stats[name] = v
		}
		return nil
	}
	col := in.u32()
	r := db.relations[col]
	if r == nil {
		return fmt.Errorf("collection %d is none", col)
	}
	switch op {
	case effFreeKeys:
		r.root.freeKeys(in.blockU32())
	case effFreeSlots:
		r.root.freeSlots(in.blockU32())
	case effInstall:
		triples, computed := in.blockU32(), in.block()
		return r.takeInstall(triples, computed)
	case effRebind:
		return r.takeRebind(in.blockU32())
	case effLayout:
		return r.mirror.layout(in.blockU32(), r.root.keyByID)
	case effRows:
		pairs, computed := in.blockU32(), in.block()
		r.takeRows(pairs, computed)
	case effStatus:
		previous, next, message := Status(in.u32()), Status(in.u32()), in.str()
		r.takeStatus(previous, next, message)
	case effEmit:
		sub, what, triples := in.u32(), in.u32(), in.blockU32()
		r.takeEmit(sub, what, triples)
	case effDropColumn:
		r.root.dropColumn(in.u32())
	case effTruncated:
		r.truncated++
	case effEmpty:
		r.mirror.clear()
		r.rows, r.computed = map[uint32]any{}, map[uint32][]byte{}
		if r.source == nil {
			r.root.reset()
		}
	default:
		return r.takeStanding(in, op)
	}
	return nil
}

// sameAsVisible says that the confirmed version of a key is the visible one.
const sameAsVisible = none - 1

// takeStanding takes in what concerns local writes.
func (r *relation) takeStanding(in *reader, op uint32) error {
	switch op {
	case effBelow:
		pairs := in.blockU32()
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i+1] == sameAsVisible {
				delete(r.root.below, pairs[i])
			} else {
				r.root.below[pairs[i]] = pairs[i+1]
			}
		}
	case effLocal:
		for _, s := range in.blockU32() {
			r.root.slots[s].standing = localRow
		}
	case effParked:
		if t := r.db.open[in.u32()]; t != nil {
			t.parked = true
		}
	case effApplied:
		for _, number := range in.blockU32() {
			t := r.db.open[number]
			if t == nil || !t.parked {
				return fmt.Errorf("applies transaction %d, which does not wait", number)
			}
			t.parked = false
			delete(r.db.open, number)
		}
	case effFound:
		r.found = in.blockU32()
	default:
		return fmt.Errorf("is unknown")
	}
	return nil
}

// slotOf returns the slot a key id is shown under, or none.
func (r *relation) slotOf(id uint32) uint32 {
	if p, ok := r.mirror.get(r.root.keyByID(id)); ok {
		return p.slot
	}
	return none
}

func (r *relation) takeInstall(triples []uint32, computed []byte) error {
	fields := r.computedFields()
	for i := 0; i+2 < len(triples); i += 3 {
		id, before, after := triples[i], triples[i+1], triples[i+2]
		if have := r.slotOf(id); have != before {
			return fmt.Errorf("installs key id %d from slot %d, which is at %d", id, before, have)
		}
		if before != none {
			r.dying = append(r.dying, before)
		}
		if after != none {
			delete(r.rows, after)
			if fields > 0 {
				r.computed[after], computed = computed[:fields:fields], computed[fields:]
			}
		}
		r.mirror.set(place{r.root.keyByID(id), id, after})
	}
	r.install = triples
	r.db.touched = append(r.db.touched, r)
	return nil
}

func (r *relation) computedFields() int {
	if r.tmpl == nil {
		return 0
	}
	return r.tmpl.computed
}

func (r *relation) takeRebind(triples []uint32) error {
	for i := 0; i+2 < len(triples); i += 3 {
		id, before, after := triples[i], triples[i+1], triples[i+2]
		if have := r.slotOf(id); have != before {
			return fmt.Errorf("rebinds key id %d from slot %d, which is at %d", id, before, have)
		}
		r.mirror.set(place{r.root.keyByID(id), id, after})
		delete(r.rows, after)
		if r.tmpl != nil {
			if row, ok := r.rows[before]; ok {
				r.rows[after] = row
			}
			if c, ok := r.computed[before]; ok {
				r.computed[after] = c
			}
		}
		r.dying = append(r.dying, before)
	}
	r.db.touched = append(r.db.touched, r)
	return nil
}

func (r *relation) takeRows(pairs []uint32, computed []byte) {
	fields := r.computedFields()
	rows := r.rows
	r.mirror.clear()
	r.rows, r.computed = map[uint32]any{}, map[uint32][]byte{}
	for i := 0; i+1 < len(pairs); i += 2 {
		id, slot := pairs[i], pairs[i+1]
		r.mirror.set(place{r.root.keyByID(id), id, slot})
		if r.mirror.ordered {
			r.mirror.order = append(r.mirror.order, listed{r.root.keyByID(id), id})
		}
		if row, ok := rows[slot]; ok && r.status != Failed {
			r.rows[slot] = row // what was handed out stays the same object
		}
		if fields > 0 {
			r.computed[slot], computed = computed[:fields:fields], computed[fields:]
		}
	}
}

func (r *relation) takeStatus(previous, next Status, message string) {
	r.status, r.failure = next, message
	if next == Failed && r.source != nil {
		// It keeps what it shows, while the slots behind that may be freed.
		r.mirror.byKey.Ascend(func(p place) bool {
			r.rows[p.slot] = r.row(p.slot)
			return true
		})
	}
	for _, f := range r.onStatus {
		r.db.tell("a status listener of "+r.name, func() { f(previous, next) })
	}
}

// settle forgets the versions that have been told of and are gone.
func (r *relation) settle() {
	for _, slot := range r.dying {
		delete(r.rows, slot)
		delete(r.computed, slot)
	}
	r.dying, r.install = r.dying[:0], nil
}
