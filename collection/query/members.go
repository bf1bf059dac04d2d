package query

import "millrace.dev/millrace/collection/value"

// fewMembers is the length up to which a list is scanned rather than hashed.
const fewMembers = 16

// identity is the same for cells that are the Same, and for no others.
type identity struct {
	class uint8
	val   float64
}

func identityOf(c value.Cell) identity { return identity{value.Class(c.Kind), c.Val} }

// members is a list of constants to be searched.
type members struct {
	cells []value.Cell
	set   map[identity]struct{}
}

// membersOf drops nulls, which equal nothing, and repetitions. O(n).
func membersOf(list []value.Cell) members {
	m := members{cells: make([]value.Cell, 0, len(list))}
	if len(list) > fewMembers {
		m.set = make(map[identity]struct{}, len(list))
	}
	for _, c := range list {
		if c.Kind <= value.KindNull || m.has(c) {
			continue
		}
		m.cells = append(m.cells, c)
		if m.set != nil {
			m.set[identityOf(c)] = struct{}{}
		}
	}
	return m
}

// has tells whether a member equals c, which is neither null nor undefined.
func (m *members) has(c value.Cell) bool {
	if m.set != nil {
		_, found := m.set[identityOf(c)]
		return found
	}
	for _, o := range m.cells {
		if value.Same(o, c) {
			return true
		}
	}
	return false
}
