package d2

// timedRows is the state of a distinct operator in a cycle: for each row a list
// of entries, ascending by iteration, each with the difference of the row's
// multiplicity and that of its presence in the output at that iteration.
// Entries that say nothing are removed at once. Open addressing and intrusive
// lists; nothing in it is a pointer. An entry takes 18 bytes, a row a bucket.
type timedRows struct {
	buckets []uint32 // first entry of a row; None: empty
	used    int
	row     []uint32 // by entry
	iter    []int32
	weight  []int32
	next    []uint32
	out     []int8
	due     []bool // the row is to be looked at again at this iteration
	free    uint32
	n       int
}

func newTimedRows() timedRows { return timedRows{free: None} }

func (t *timedRows) bytes() int {
	return 4*cap(t.buckets) + 18*cap(t.row)
}

// bucket returns where a row is, or the empty bucket where it belongs.
func (t *timedRows) bucket(row uint32) int {
	mask := len(t.buckets) - 1
	b := int(mix(0, uint64(row))) & mask
	for t.buckets[b] != None && t.row[t.buckets[b]] != row {
		b = (b + 1) & mask
	}
	return b
}

// change adds by to the multiplicity of a row from an iteration on and brings
// its output up to date there: it returns the output's difference, and the next
// iteration at which the row has an entry that must be looked at again, -1 if
// there is none or it is due already.
func (t *timedRows) change(row uint32, iter, by int32) (out int32, later int32) {
	if 4*(t.used+1) > 3*len(t.buckets) {
		t.rehash(max(16, 2*len(t.buckets)))
	}
	b := t.bucket(row)
	in, shown := int32(0), int32(0)
	before, e := None, t.buckets[b]
	for e != None && t.iter[e] < iter {
		in, shown = addWeights(in, t.weight[e]), shown+int32(t.out[e])
		before, e = e, t.next[e]
	}
	at := None
	if e != None && t.iter[e] == iter {
		at, e = e, t.next[e]
		t.due[at] = false
		t.weight[at] = addWeights(t.weight[at], by)
		in, shown = addWeights(in, t.weight[at]), shown+int32(t.out[at])
	} else {
		in = addWeights(in, by)
	}
	if in > 0 {
		out = 1
	}
	out -= shown
	switch {
	case at == None && (by != 0 || out != 0):
		at = t.entry()
		t.row[at], t.iter[at], t.weight[at], t.out[at], t.due[at] = row, iter, by, int8(out), false
		t.next[at] = e
		if before != None {
			t.next[before] = at
		} else {
			if t.buckets[b] == None {
				t.used++
			}
			t.buckets[b] = at
		}
	case at != None:
		t.out[at] += int8(out)
		if t.weight[at] == 0 && t.out[at] == 0 {
			t.remove(b, before, at)
		}
	}
	if e == None || t.due[e] {
		return out, -1
	}
	t.due[e] = true
	return out, t.iter[e]
}

// remove takes out the entry after another of its row, None if it is the first.
func (t *timedRows) remove(b int, before, at uint32) {
	switch after := t.next[at]; {
	case before != None:
		t.next[before] = after
	case after != None:
		t.buckets[b] = after
	default:
		t.vacate(b)
		t.used--
	}
	t.iter[at] = -1
	t.next[at] = t.free
	t.free = at
	t.n--
}

func (t *timedRows) entry() uint32 {
	t.n++
	if e := t.free; e != None {
		t.free = t.next[e]
		return e
	}
	t.row, t.iter, t.weight = append(t.row, 0), append(t.iter, 0), append(t.weight, 0)
	t.next, t.out, t.due = append(t.next, 0), append(t.out, 0), append(t.due, false)
	return uint32(len(t.row) - 1)
}

// vacate empties a bucket and closes the gap in the probe sequences over it.
func (t *timedRows) vacate(gap int) {
	mask := len(t.buckets) - 1
	for b := (gap + 1) & mask; t.buckets[b] != None; b = (b + 1) & mask {
		home := int(mix(0, uint64(t.row[t.buckets[b]]))) & mask
		if (b-home)&mask >= (b-gap)&mask {
			t.buckets[gap] = t.buckets[b]
			gap = b
		}
	}
	t.buckets[gap] = None
}

func (t *timedRows) rehash(size int) {
	old := t.buckets
	t.buckets = make([]uint32, size)
	for b := range t.buckets {
		t.buckets[b] = None
	}
	for _, e := range old {
		if e != None {
			t.buckets[t.bucket(t.row[e])] = e
		}
	}
}

// trim copies the entries together once three quarters of them are unused.
func (t *timedRows) trim() {
	if len(t.row) <= fewRows || 4*t.n > len(t.row) {
		return
	}
	old := *t
	*t = newTimedRows()
	if old.n == 0 {
		return
	}
	size := 16
	for 3*size < 4*(old.used+1) {
		size *= 2
	}
	t.rehash(size)
	room := old.n + old.n/2
	t.row, t.iter, t.weight = make([]uint32, 0, room), make([]int32, 0, room), make([]int32, 0, room)
	t.next, t.out, t.due = make([]uint32, 0, room), make([]int8, 0, room), make([]bool, 0, room)
	for _, head := range old.buckets {
		last := None
		for e := head; e != None; e = old.next[e] {
			to := t.entry()
			t.row[to], t.iter[to], t.weight[to] = old.row[e], old.iter[e], old.weight[e]
			t.next[to], t.out[to], t.due[to] = None, old.out[e], old.due[e]
			if last == None {
				t.buckets[t.bucket(old.row[e])] = to
				t.used++
			} else {
				t.next[last] = to
			}
			last = to
		}
	}
}
