package d2

// keptRow is a row of both windows whose order key changed: a candidate to
// stay where it is, if its neighbours that did not change allow it.
type keptRow struct {
	key, old, new   uint32
	from, to        uint32 // positions in the old and new window
	before, beforeQ uint32 // kept untouched rows before it, old and new
}

// stay marks a longest set of rows that keep their order, from positions of
// rows listed by new position; of several such sets the one whose list of new
// positions is smallest. length and tails are scratch; the result is by row.
func stay(rows []keptRow, length, tails []uint32) (fixed, tailsOut []uint32) {
	length = length[:0]
	for range rows {
		length = append(length, 0)
	}
	tails = tails[:0]
	// From the right: length[i] is the longest ascending run of old positions
	// that begins at i; tails[k] is the greatest first position of a run of k+1.
	longest := uint32(0)
	for i := len(rows) - 1; i >= 0; i-- {
		r := &rows[i]
		if r.before != r.beforeQ {
			continue
		}
		lo, hi := 0, len(tails)
		for lo < hi {
			mid := int(uint(lo+hi) >> 1)
			if tails[mid] > r.from {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo == len(tails) {
			tails = append(tails, r.from)
		} else {
			tails[lo] = r.from
		}
		length[i] = uint32(lo + 1)
		longest = max(longest, length[i])
	}
	// From the left: the first row that begins a run of the wanted length.
	want, last := longest, int64(-1)
	for i := range rows {
		if want > 0 && length[i] == want && int64(rows[i].from) > last {
			last = int64(rows[i].from)
			want--
			length[i] = 1
		} else {
			length[i] = 0
		}
	}
	return length, tails
}
