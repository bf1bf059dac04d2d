package collection

import (
	"slices"

	"millrace.dev/millrace/d2"
)

// keepEntries is how many entries of scratch are kept between steps.
const keepEntries = 4096

// A step is what happens to a root between two publications: entries say which
// keys it concerns and what becomes of their confirmed rows, layers are put in
// and taken away, and at the end the net changes between visible versions are
// worked out.

// entry is what a step does to one key.
type entry struct {
	key     uint32
	old     uint32 // visible before
	base    uint32 // confirmed, as far as the step has come
	was     uint32 // confirmed before
	new     uint32 // visible after
	first   int32  // of the merges to be laid over base, or -1
	last    int32
	written bool // the confirmed row was written
	local   bool // and that confirms a local write
}

// merge is a patch to be laid over a confirmed row.
type merge struct {
	slot uint32
	next int32 // of the same entry, or -1
}

func (e *entry) write(slot uint32) { e.base, e.written, e.first, e.last = slot, true, -1, -1 }

// remove takes the confirmed row away, if there is one.
func (e *entry) remove() {
	if e.base != none || e.first >= 0 {
		e.write(none)
	}
}

// merge adds a patch to what is laid over the confirmed row of an entry.
func (r *Root) merge(e *entry, slot uint32) {
	at := int32(len(r.merges))
	r.merges = append(r.merges, merge{slot, -1})
	if e.first < 0 {
		e.first = at
	} else {
		r.merges[e.last].next = at
	}
	e.last, e.written = at, true
}

// begin starts a step.
func (r *Root) begin() {
	r.epoch++
	r.entries = r.entries[:0]
	r.spent = r.spent[:0]
	r.merges = r.merges[:0]
}

// Begin starts a step that Finish ends: Leave and Admit go in between.
func (r *Root) Begin() { r.begin() }

// Conclude ends a step that Begin started and returns the net changes, as Apply
// does.
func (r *Root) Conclude(out Effects) []d2.Change { return r.finish(out) }

// enter returns the entry of a key. It is valid until the next call.
func (r *Root) enter(key uint32) *entry {
	if r.touched[key] != r.epoch {
		r.touched[key] = r.epoch
		r.entryOf[key] = uint32(len(r.entries))
		seen := r.slotOf[key]
		base := seen
		if len(r.over) > 0 {
			base = r.Confirmed(key)
		}
		r.entries = append(r.entries, entry{key: key, old: seen, base: base, was: base, new: base, first: -1, last: -1})
	}
	return &r.entries[r.entryOf[key]]
}

// leave notes a slot that a layer gave up. It is freed when the step has been
// published, unless something else holds it.
func (r *Root) leave(slot uint32) {
	if slot != none {
		r.leaving = append(r.leaving, slot)
	}
}

// finish works out what is visible, brings tables and arrangements up to date
// and returns the net changes.
func (r *Root) finish(out Effects) []d2.Change {
	if len(r.merges) > 0 {
		r.composeConfirmed()
	}
	if len(r.over) > 0 {
		r.cover(out)
	} else {
		for i := range r.entries {
			r.entries[i].new = r.entries[i].base
		}
	}
	r.settle()
	if len(r.local) > 0 {
		r.tellLocal(out)
	}
	r.arrange()
	return r.changes
}

// arrange brings the arrangements up to date with the net changes.
func (r *Root) arrange() {
	for _, o := range r.orders {
		if o.Tree != nil && o.Err == nil {
			o.Err = o.apply(r.changes)
		}
	}
	for _, h := range r.hashes {
		h.apply(r.changes)
	}
}

// composeConfirmed has the shell lay patches over confirmed rows. Where it
// cannot, the rows stay as they are.
func (r *Root) composeConfirmed() {
	ask := &r.ask
	ask.reset()
	for i := range r.entries {
		e := &r.entries[i]
		if e.first < 0 {
			continue
		}
		r.patches = r.patches[:0]
		for m := e.first; m >= 0; m = r.merges[m].next {
			r.patches = append(r.patches, r.merges[m].slot)
		}
		ask.add(e.key, e.base, false, r.patches)
	}
	if ask.n == 0 {
		return
	}
	rows := r.compose(ask)
	j := 0
	for i := range r.entries {
		e := &r.entries[i]
		if e.first < 0 {
			continue
		}
		if rows != nil {
			if e.base != e.was && e.base != none {
				r.spent = append(r.spent, e.base)
			}
			e.base = rows[j]
			r.spent = append(r.spent, rows[j])
		}
		j++
	}
}

// cover works out what layers make of the confirmed rows of the step.
func (r *Root) cover(out Effects) {
	ask := &r.ask
	ask.reset()
	for i := range r.entries {
		e := &r.entries[i]
		c := r.over[e.key]
		e.new = e.base
		if c == nil {
			continue
		}
		c.base = e.base
		row, patches := c.fold(r.patches)
		r.patches = patches
		switch {
		case row == none || len(patches) == 0:
			c.shown, c.from = none, nil
			e.new = row
		case c.shown != none && len(c.from) == len(patches)+1 && c.from[0] == row && slices.Equal(c.from[1:], patches):
			e.new = c.shown
		default:
			c.shown = none
			c.from = append(append(c.from[:0], row), patches...)
			ask.add(e.key, row, true, patches)
		}
	}
	if ask.n > 0 {
		r.uncovered(r.compose(ask))
	}
	r.tellBelow(out)
}

// uncovered gives the entries that asked for one their composed row. Where the
// shell could not build them the keys show what is below: the failure is
// reported, and everything else goes on.
func (r *Root) uncovered(rows []uint32) {
	j := 0
	for i := range r.entries {
		e := &r.entries[i]
		c := r.over[e.key]
		if c == nil || c.shown != none || len(c.from) == 0 {
			continue
		}
		if rows == nil {
			e.new, c.from = c.from[0], nil
			continue
		}
		c.shown, e.new = rows[j], rows[j]
		j++
	}
}

// tellBelow tells the shell the confirmed versions of covered keys, as far as
// it does not know them, and uncovers keys without layers.
func (r *Root) tellBelow(out Effects) {
	r.pairs = r.pairs[:0]
	for i := range r.entries {
		e := &r.entries[i]
		c := r.over[e.key]
		if c == nil {
			continue
		}
		if len(c.layers) == 0 {
			delete(r.over, e.key)
			if c.told != untold {
				r.pairs = append(r.pairs, e.key, same)
			}
			continue
		}
		if c.told != c.base {
			c.told = c.base
			r.pairs = append(r.pairs, e.key, c.base)
		}
	}
	if len(r.pairs) > 0 {
		out.Below(r.ID, r.pairs)
	}
}

// unmark ends the marks of keys whose write was confirmed, unless more writes
// are under way.
func (r *Root) unmark() {
	for i := range r.entries {
		e := &r.entries[i]
		if !e.written {
			continue
		}
		if c := r.over[e.key]; c == nil || !c.active() {
			delete(r.marks, e.key)
		}
	}
}

// tellLocal tells the shell which confirmed rows stand as local.
func (r *Root) tellLocal(out Effects) {
	kept := r.local[:0]
	for _, s := range r.local {
		if r.keyOf[s] != none && r.standingOf(s) == Local {
			kept = append(kept, s)
		}
	}
	if len(kept) > 0 {
		out.Local(r.ID, kept)
	}
	r.local = kept[:0]
}

// settle turns entries into visible state and net changes.
func (r *Root) settle() {
	r.changes = slices.Grow(r.changes[:0], len(r.entries))
	for i := range r.entries {
		e := &r.entries[i]
		if e.was != e.base && e.was != e.old && e.was != none {
			r.leaving = append(r.leaving, e.was)
		}
		if e.old == e.new {
			// Neither version is there: the key came with this step and did not stay, or
			// was deleted without ever having been there.
			if e.new == none {
				r.bury(e.key)
			}
			continue
		}
		if e.old != none && e.new != none && r.same(e.old, e.new) {
			r.stay(e)
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
		if e.old != none {
			r.leaving = append(r.leaving, e.old)
		}
		r.changes = append(r.changes, d2.Change{Key: e.key, Old: e.old, New: e.new})
	}
	// Versions that were superseded within the step never were visible.
	for _, s := range r.spent {
		if k := r.keyOf[s]; k != none && !r.holds(k, s) {
			r.release(s)
		}
	}
}

// stay keeps the old version of a key visible, which equals the new one.
func (r *Root) stay(e *entry) {
	c := r.over[e.key]
	if c == nil {
		// The confirmed version is the visible one.
		if r.keyOf[e.new] != none {
			r.release(e.new)
		}
		return
	}
	if c.shown == e.new {
		c.shown = e.old
		r.release(e.new)
	}
}

// bury notes a key that is not visible: the shell may forget it in time.
func (r *Root) bury(key uint32) {
	if !r.deadMark[key] {
		r.deadMark[key] = true
		r.deadKeys = append(r.deadKeys, key)
	}
}

// same asks whether two versions of a row are of one standing and deeply equal. One that cannot be
// compared counts as changed: to tell too much is harmless.
func (r *Root) same(a, b uint32) bool {
	if r.standingOf(a) != r.standingOf(b) {
		return false
	}
	equal, err := r.shell.Equal(r.ID, 0, a, b)
	return err == nil && equal
}

// Retire gives up the old versions of changes that have been published, and
// whatever layers have given up.
func (r *Root) Retire() {
	for _, s := range r.leaving {
		if k := r.keyOf[s]; k != none && !r.holds(k, s) {
			r.retire(s)
		}
	}
	r.leaving = r.leaving[:0]
	if max(cap(r.entries), cap(r.changes)) > keepEntries {
		// A bulk load is rare; its scratch would outweigh the rows.
		r.entries, r.changes, r.slots, r.wanted, r.spent, r.leaving, r.merges = nil, nil, nil, nil, nil, nil, nil
	}
}

// composition is a request for rows made of a base and patches.
type composition struct {
	n     int
	words []uint32
	keys  []uint32
	rows  []bool // pending, by row
}

func (c *composition) reset() { c.n, c.words, c.keys, c.rows = 0, c.words[:0], c.keys[:0], c.rows[:0] }

func (c *composition) add(key, base uint32, pending bool, patches []uint32) {
	var flags uint32
	if pending {
		flags = 1
	}
	c.words = append(c.words, key, base, flags, uint32(len(patches)))
	c.words = append(c.words, patches...)
	c.keys = append(c.keys, key)
	c.rows = append(c.rows, pending)
	c.n++
}

// compose has the shell build rows and takes them in. It returns their slots,
// or nil if the shell could not.
func (r *Root) compose(ask *composition) []uint32 {
	_, maxSlot := r.reach(ask.n)
	slots, columns, err := r.shell.Compose(r.ID, ask.words, ask.n, r.Carried())
	if err != nil {
		return nil
	}
	limit := r.dict.Limit(ask.n * len(columns))
	err = r.checkColumns(columns, ask.n, limit)
	for i, s := range slots {
		if err == nil {
			err = r.checkSlot(s, maxSlot, i)
		}
	}
	if err == nil {
		for i, s := range slots {
			r.want(s, ask.keys[i], true)
		}
		err = r.claimWanted()
	}
	if err != nil {
		r.refuse(columns)
		return nil
	}
	for i, s := range slots {
		switch {
		case ask.rows[i]:
			r.stand(s, Pending)
		case r.enter(ask.keys[i]).local:
			r.stand(s, Local)
		}
	}
	rows := append([]uint32(nil), r.slots...)
	r.takeColumns(rows, columns, true)
	r.slots = r.slots[:0]
	return rows
}
