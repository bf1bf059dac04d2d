package shell

import (
	"fmt"

	"github.com/google/btree"
)

// changedBit marks the position of a moved row whose value changed.
const changedBit = 1 << 31

// place is a row of a mirror.
type place struct {
	key  any
	id   uint32 // key id
	slot uint32
}

// listed is a row's place in an order. It knows the key itself: a query that has failed
// keeps its rows while the engine frees key ids.
type listed struct {
	key any
	id  uint32
}

// mirror is what a relation shows, as the engine says: by key, and in order.
type mirror struct {
	ordered bool
	byKey   *btree.BTreeG[place] // of relations without an order: the order as well
	order   []listed             // of ordered ones
}

func newMirror(ordered bool) *mirror {
	m := &mirror{ordered: ordered}
	m.clear()
	return m
}

func (m *mirror) clear() {
	m.byKey = btree.NewG(32, func(a, b place) bool { return keyLess(a.key, b.key) })
	m.order = nil
}

func (m *mirror) set(p place) {
	if p.slot == none {
		m.byKey.Delete(p)
		return
	}
	m.byKey.ReplaceOrInsert(p)
}

func (m *mirror) get(key any) (place, bool) { return m.byKey.Get(place{key: key}) }

// each visits the rows in order until visit returns false.
func (m *mirror) each(visit func(place) bool) {
	if !m.ordered {
		m.byKey.Ascend(visit)
		return
	}
	for _, l := range m.order {
		if p, ok := m.get(l.key); ok && !visit(p) {
			return
		}
	}
}

// layout applies positional changes to the order. It checks everything the
// layout claims about the order before and after.
func (m *mirror) layout(w []uint32, keyOf func(id uint32) any) error {
	if len(w) < 6 {
		return layoutError("is shorter than its head")
	}
	oldLen, newLen := int(w[0]), int(w[1])
	nLeave, nMove, nEnter, nUpdate := int(w[2]), int(w[3]), int(w[4]), int(w[5])
	leaves := w[6:]
	if len(leaves) != nLeave+2*nMove+3*nEnter+2*nUpdate || oldLen != len(m.order) || newLen != oldLen-nLeave+nEnter {
		return layoutError(fmt.Sprintf("of %d to %d rows does not fit an order of %d", oldLen, newLen, len(m.order)))
	}
	moves := leaves[nLeave:]
	enters := moves[2*nMove:]
	updates := enters[3*nEnter:]

	taken := make([]bool, oldLen)
	arrivals := make(map[uint32]listed, nMove+nEnter) // by position
	shows := func(l listed, slot uint32) bool {
		p, ok := m.get(l.key)
		return ok && p.slot == slot
	}
	take := func(at uint32) bool {
		if int(at) >= oldLen || taken[at] {
			return false
		}
		taken[at] = true
		return true
	}
	for _, at := range leaves[:nLeave] {
		if !take(at) {
			return layoutError("takes out a row twice")
		}
	}
	for i := range nMove {
		from, to := moves[2*i], moves[2*i+1]&^changedBit
		if !take(from) {
			return layoutError("takes out a row twice")
		}
		arrivals[to] = m.order[from]
	}
	for i := range nEnter {
		at, id, slot := enters[3*i], enters[3*i+1], enters[3*i+2]
		arrivals[at] = listed{keyOf(id), id}
		if !shows(arrivals[at], slot) {
			return layoutError("puts in another row than was installed")
		}
	}
	if len(arrivals) != nMove+nEnter {
		return layoutError("puts two rows into one place")
	}
	fresh := make([]listed, 0, newLen)
	for from := 0; len(fresh) < newLen; {
		if l, ok := arrivals[uint32(len(fresh))]; ok {
			fresh = append(fresh, l)
			continue
		}
		for from < oldLen && taken[from] {
			from++
		}
		if from == oldLen {
			return layoutError("leaves a gap")
		}
		fresh = append(fresh, m.order[from])
		from++
	}
	for i := range nUpdate {
		at, slot := updates[2*i], updates[2*i+1]
		if int(at) >= newLen || !shows(fresh[at], slot) {
			return layoutError("updates another row than was installed")
		}
	}
	m.order = fresh
	return nil
}

func layoutError(text string) error {
	return &Error{Code: CodeBadMessage, Path: "layout", Message: "a layout " + text}
}
