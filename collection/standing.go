package collection

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

// Standing says how far a row version is confirmed. It belongs to the slot for
// as long as the slot lives, so that a change of it is a change of version.
type Standing uint8

// The standings. Rows of a root without a source stand as Remote throughout;
// the shell shows them as local.
const (
	Remote  Standing = iota // confirmed by the source
	Local                   // confirmed after a local write to the key
	Pending                 // made by local writes that are not confirmed
)

// The columns the engine fills itself where a row has no value of its own.
const (
	virtualSynced = 1 + iota
	virtualOrigin
)

func virtualOf(path []string) uint8 {
	if len(path) == 1 {
		switch path[0] {
		case "$synced":
			return virtualSynced
		case "$origin":
			return virtualOrigin
		}
	}
	return 0
}

// standingOf returns the standing of a slot.
func (r *Root) standingOf(slot uint32) Standing {
	if int(slot) < len(r.standing) {
		return r.standing[slot]
	}
	return Remote
}

// stand sets the standing of a slot. Most collections never have another than
// Remote, so the table begins with the first other one.
func (r *Root) stand(slot uint32, s Standing) {
	if r.sourceless || r.standingOf(slot) == s {
		return
	}
	for len(r.standing) < len(r.keyOf) {
		r.standing = append(r.standing, Remote)
	}
	r.standing[slot] = s
	if s == Local {
		r.local = append(r.local, slot)
	}
}

// standConfirmed gives the rows just claimed by a sync transaction their
// standing.
func (r *Root) standConfirmed() {
	if len(r.marks) == 0 && len(r.over) == 0 {
		return
	}
	for _, s := range r.slots {
		if r.touchedLocally(r.keyOf[s]) {
			r.stand(s, Local)
		}
	}
}

// touchedLocally tells whether a confirmation of key now is one of a local write.
func (r *Root) touchedLocally(key uint32) bool {
	if _, marked := r.marks[key]; marked {
		return true
	}
	c := r.over[key]
	return c != nil && len(c.layers) > 0
}

// restand gives the rows of a transaction that has waited the standing they
// have by now. Their virtual cells have been left open until then.
func (r *Root) restand(slots []uint32) {
	for _, s := range slots {
		to := Remote
		if r.touchedLocally(r.keyOf[s]) {
			to = Local
		}
		r.stand(s, to)
	}
	any := false
	for _, c := range r.columns {
		if c.virtual != 0 {
			r.fillVirtual(c, slots)
			any = true
		}
	}
	if any {
		r.fillDerived(slots)
	}
}

// fillVirtual supplies the cells of a virtual column that the rows lack.
func (r *Root) fillVirtual(c *Column, slots []uint32) {
	for _, s := range slots {
		if c.Kinds[s] > value.KindNull {
			continue
		}
		c.set(r.dict, s, r.virtualCell(c.virtual, s))
	}
}

func (r *Root) virtualCell(virtual uint8, slot uint32) value.Cell {
	s := r.standingOf(slot)
	if virtual == virtualSynced {
		cell := value.Cell{Kind: value.KindBool}
		if s != Pending {
			cell.Val = 1
		}
		return cell
	}
	cell := value.Cell{Kind: value.KindString, Val: query.TextRemote}
	if s != Remote || r.sourceless {
		cell.Val = query.TextLocal
	}
	return cell
}
