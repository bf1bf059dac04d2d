package d2

// Leave is a row that was in the old window and is not in the new one. At is
// its position in the old window, Old the version that was last reported.
type Leave struct{ At, Key, Old uint32 }

// Enter is a row of the new window that was not in the old one. At is its
// position in the new window.
type Enter struct{ At, Key, New uint32 }

// Move is a row of both windows that must be repositioned relative to the rows
// that stay. From counts in the old window, To in the new one. Changed tells
// whether its visible value differs.
type Move struct {
	From, To, Key, Old, New uint32
	Changed                 bool
}

// Update is a row that stays where it is among its neighbours and has another
// version. At counts in the new window.
type Update struct{ At, Key, Old, New uint32 }

// Delta takes a window from its old to its new sequence of rows. Leaves are
// ascending by At in old coordinates; Moves by To, Enters and Updates by At in
// new coordinates. Remove every Leave.At and Move.From from the old sequence,
// then put Enters and Moves at their new positions in ascending order, then
// replace the updated rows: the result is the new sequence.
//
// Rebinds are rows that stay and look the same but have another slot. They are
// no operation for a reader; whoever keeps slots must exchange them.
type Delta struct {
	OldLen, NewLen uint32
	Leaves         []Leave
	Moves          []Move
	Enters         []Enter
	Updates        []Update
	Rebinds        []Update
}

// Ops counts the operations a reader sees; at most the sum of both window
// lengths less the rows common to both.
func (d *Delta) Ops() int {
	return len(d.Leaves) + len(d.Moves) + len(d.Enters) + len(d.Updates)
}

func (d *Delta) reset(oldLen, newLen int) {
	d.OldLen, d.NewLen = uint32(oldLen), uint32(newLen)
	d.Leaves = d.Leaves[:0]
	d.Moves = d.Moves[:0]
	d.Enters = d.Enters[:0]
	d.Updates = d.Updates[:0]
	d.Rebinds = d.Rebinds[:0]
}

// appendChanges writes the same delta as differences: everything whose version
// changed, so that no consumer is left with a slot that has gone.
func (d *Delta) appendChanges(out []Change) []Change {
	for _, l := range d.Leaves {
		out = append(out, Change{l.Key, l.Old, None})
	}
	for _, m := range d.Moves {
		if m.Old != m.New {
			out = append(out, Change{m.Key, m.Old, m.New})
		}
	}
	for _, e := range d.Enters {
		out = append(out, Change{e.Key, None, e.New})
	}
	for _, u := range d.Updates {
		out = append(out, Change{u.Key, u.Old, u.New})
	}
	for _, u := range d.Rebinds {
		out = append(out, Change{u.Key, u.Old, u.New})
	}
	return out
}

// bytes returns the memory of the lists.
func (d *Delta) bytes() int {
	return 12*(cap(d.Leaves)+cap(d.Enters)) + 24*cap(d.Moves) + 16*(cap(d.Updates)+cap(d.Rebinds))
}
