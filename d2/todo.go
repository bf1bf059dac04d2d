package d2

// todo is a set of keys by iteration: what an operator in a cycle has to look
// at again when it gets there. Keys of one iteration form a list in a slab.
// Nothing in it is a pointer, and it is empty when a cycle has come to rest.
type todo struct {
	due   []todoDue // ascending
	class []uint8   // by item
	bits  []uint64
	next  []uint32
	free  uint32 // first free item + 1
	n     int
}

type todoDue struct {
	iter int32
	head uint32 // item + 1
}

func (t *todo) bytes() int {
	return 8*cap(t.due) + cap(t.class) + 8*cap(t.bits) + 4*cap(t.next)
}

// add puts a key on the list of an iteration and tells whether it is the first.
func (t *todo) add(iter int32, class uint8, bits uint64) (first bool) {
	item := t.free
	if item > 0 {
		t.free = t.next[item-1]
	} else {
		t.class, t.bits, t.next = append(t.class, 0), append(t.bits, 0), append(t.next, 0)
		item = uint32(len(t.next))
	}
	t.n++
	t.class[item-1], t.bits[item-1] = class, bits
	at := len(t.due)
	for at > 0 && t.due[at-1].iter >= iter {
		at--
	}
	if at < len(t.due) && t.due[at].iter == iter {
		t.next[item-1] = t.due[at].head
		t.due[at].head = item
		return false
	}
	t.due = append(t.due, todoDue{})
	copy(t.due[at+1:], t.due[at:])
	t.due[at] = todoDue{iter, item}
	t.next[item-1] = 0
	return true
}

// take removes a key from the list of an iteration; ok is false if none is left.
func (t *todo) take(iter int32) (class uint8, bits uint64, ok bool) {
	if len(t.due) == 0 || t.due[0].iter != iter {
		return 0, 0, false
	}
	item := t.due[0].head
	class, bits = t.class[item-1], t.bits[item-1]
	next := t.next[item-1]
	t.next[item-1] = t.free
	t.free = item
	t.n--
	if next == 0 {
		t.due = append(t.due[:0], t.due[1:]...)
	} else {
		t.due[0].head = next
	}
	if t.n == 0 && cap(t.next) > keepSlots {
		*t = todo{}
	}
	return class, bits, true
}
