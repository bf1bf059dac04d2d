package d2

// GroupDeltas lists, for the groups whose window changed in a visit, how: in
// ascending order of group key, each once. It belongs to the operator and is
// valid until its next visit, or the run after a large one.
type GroupDeltas struct {
	groups  []groupedDelta
	leaves  []Leave
	moves   []Move
	enters  []Enter
	updates []Update
	rebinds []Update
}

// groupedDelta says where the lists of one group end.
type groupedDelta struct {
	bits                                    uint64
	oldLen, newLen                          uint32
	leaves, moves, enters, updates, rebinds uint32
	class                                   uint8
}

// Len returns the number of groups.
func (l *GroupDeltas) Len() int { return len(l.groups) }

// Group returns the key of the i-th group.
func (l *GroupDeltas) Group(i int) (class uint8, bits uint64) {
	return l.groups[i].class, l.groups[i].bits
}

// Delta returns the delta of the i-th group.
func (l *GroupDeltas) Delta(i int) Delta {
	var from groupedDelta
	if i > 0 {
		from = l.groups[i-1]
	}
	to := &l.groups[i]
	return Delta{
		OldLen: to.oldLen, NewLen: to.newLen,
		Leaves:  l.leaves[from.leaves:to.leaves:to.leaves],
		Moves:   l.moves[from.moves:to.moves:to.moves],
		Enters:  l.enters[from.enters:to.enters:to.enters],
		Updates: l.updates[from.updates:to.updates:to.updates],
		Rebinds: l.rebinds[from.rebinds:to.rebinds:to.rebinds],
	}
}

func (l *GroupDeltas) add(class uint8, bits uint64, d *Delta) {
	if d.Ops() == 0 && len(d.Rebinds) == 0 {
		return
	}
	l.leaves = append(l.leaves, d.Leaves...)
	l.moves = append(l.moves, d.Moves...)
	l.enters = append(l.enters, d.Enters...)
	l.updates = append(l.updates, d.Updates...)
	l.rebinds = append(l.rebinds, d.Rebinds...)
	l.groups = append(l.groups, groupedDelta{
		class: class, bits: bits, oldLen: d.OldLen, newLen: d.NewLen,
		leaves: uint32(len(l.leaves)), moves: uint32(len(l.moves)), enters: uint32(len(l.enters)),
		updates: uint32(len(l.updates)), rebinds: uint32(len(l.rebinds)),
	})
}

// reset empties the list and gives back what an unusually large run needed.
func (l *GroupDeltas) reset() {
	if cap(l.groups)+cap(l.leaves)+cap(l.moves)+cap(l.enters)+cap(l.updates)+cap(l.rebinds) > 6*keepChanges {
		*l = GroupDeltas{}
		return
	}
	l.groups, l.leaves, l.moves = l.groups[:0], l.leaves[:0], l.moves[:0]
	l.enters, l.updates, l.rebinds = l.enters[:0], l.updates[:0], l.rebinds[:0]
}

func (l *GroupDeltas) bytes() int {
	return 40*cap(l.groups) + 12*(cap(l.leaves)+cap(l.enters)) + 24*cap(l.moves) +
		16*(cap(l.updates)+cap(l.rebinds))
}
