package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
)

// looks tells whether two rows of a relation look the same.
type looks struct {
	live  *Live
	holds *holds
	slots [][]hop
	made  []reader
	seen  []bool // by value: it can be seen in a row
	shows bool   // rows are not shown as they are
	calls bool   // a callback makes the rows, of whatever it is given
}

// at has it tell about the rows of a relation, which are those of the live
// collection.
func (k *looks) at(h *holds, rel *relation) (err error) {
	made := rel.made()
	k.holds, k.slots, k.seen = h, made.slots, seen(rel.shape, made.values)
	if at, ok := rel.shape.Resolve(nil).Standing(); ok {
		k.calls = rel.space.leaves()[at].say != nil
	}
	k.shows = k.calls || selects(k.live.plan) || slices.ContainsFunc(k.live.sources, func(s source) bool { return s.live != nil })
	k.made, err = h.shownBy(made.values, rel.space)
	return err
}

// seen tells which values can be seen in rows of a shape.
func seen(shape query.Shape, values []*query.Expr) []bool {
	out := make([]bool, len(values))
	contents, known := shape.Contents()
	shown := map[uint32]bool{}
	for _, e := range contents {
		e.EachRef(func(e *query.Expr) { shown[e.Leaf] = true })
	}
	for i, v := range values {
		out[i] = !known
		v.EachRef(func(e *query.Expr) { out[i] = out[i] || shown[e.Leaf] })
	}
	return out
}

// same tells whether two rows look the same: their values do, and the shell says it
// of what the select shows of their slots.
func (k *looks) same(x, y uint32) bool {
	moved := false
	for _, w := range k.slots {
		moved = moved || walk(w, x) != walk(w, y)
	}
	if moved && !k.shows {
		return false // the roots have dropped equal ones
	}
	parts, err := k.holds.shown([]uint32{x, y}, k.slots, k.made)
	if err != nil {
		return false
	}
	for i := range parts.Cells {
		switch {
		case parts.Cells[i].At(0) == parts.Cells[i].At(1):
		case k.calls:
			moved = true
		case k.seen[i]:
			return false
		}
	}
	if !moved {
		return true
	}
	same, err := collection.ForeignOf(k.live.engine.shell).SameRows(k.live.ID, parts.Slots, parts.Cells)
	return err == nil && same
}
