package d2

// The hash table and the list of free rows of a Table.

func hashWords(words []uint64) uint64 {
	var h uint64
	for _, w := range words {
		h = mix(0, w+h*0x9e3779b97f4a7c15)
	}
	return h
}

func (t *Table) row(row uint32) []uint64 {
	at := int(row) * t.width
	return t.words[at : at+t.width]
}

// bucket returns where a row is, or the empty bucket where it belongs.
func (t *Table) bucket(words []uint64) int {
	mask := len(t.index) - 1
	b := int(hashWords(words)) & mask
search:
	for ; t.index[b] != None; b = (b + 1) & mask {
		for i, w := range t.row(t.index[b]) {
			if w != words[i] {
				continue search
			}
		}
		break
	}
	return b
}

func (t *Table) rehash(size int) {
	old := t.index
	t.index = make([]uint32, size)
	for b := range t.index {
		t.index[b] = None
	}
	mask := size - 1
	for _, row := range old {
		if row == None {
			continue
		}
		b := int(hashWords(t.row(row))) & mask
		for t.index[b] != None {
			b = (b + 1) & mask
		}
		t.index[b] = row
	}
}

// release takes a row out of the hash table, closing the gap in the probe
// sequences that lead over it, and puts its id first on the list of free ones.
func (t *Table) release(row uint32) {
	if t.Freed != nil {
		t.Freed(row)
	}
	mask := len(t.index) - 1
	gap := t.bucket(t.row(row))
	for b := (gap + 1) & mask; t.index[b] != None; b = (b + 1) & mask {
		home := int(hashWords(t.row(t.index[b]))) & mask
		if (b-home)&mask >= (b-gap)&mask {
			t.index[gap] = t.index[b]
			gap = b
		}
	}
	t.index[gap] = None
	t.n--
	t.refs[row] = rowFree
	t.setLinks(row, None, t.free)
	if t.free != None {
		_, next := t.links(t.free)
		t.setLinks(t.free, row, next)
	}
	t.free = row
}

func (t *Table) links(row uint32) (before, after uint32) {
	w := t.words[int(row)*t.width]
	return uint32(w >> 32), uint32(w)
}

func (t *Table) setLinks(row, before, after uint32) {
	t.words[int(row)*t.width] = uint64(before)<<32 | uint64(after)
}

// unlink takes a row out of the list of free ones.
func (t *Table) unlink(row uint32) {
	before, after := t.links(row)
	if before == None {
		t.free = after
	} else {
		first, _ := t.links(before)
		t.setLinks(before, first, after)
	}
	if after != None {
		_, last := t.links(after)
		t.setLinks(after, before, last)
	}
}

// trim drops free rows at the end, each of which was paid for by freeing it,
// and moves what is left to smaller arrays once three quarters are unused.
func (t *Table) trim() {
	top := len(t.refs)
	for top > 0 && t.refs[top-1] == rowFree {
		top--
		t.unlink(uint32(top))
	}
	t.refs, t.words = t.refs[:top], t.words[:top*t.width]
	if cap(t.refs) > fewRows && 4*top < cap(t.refs) {
		room := top + top/2
		t.refs = append(make([]uint32, 0, room), t.refs...)
		t.words = append(make([]uint64, 0, room*t.width), t.words...)
	}
	if size := len(t.index); size > 2*fewRows && 8*t.n < size {
		for size > 2*fewRows && 4*t.n < size {
			size /= 2
		}
		t.rehash(size)
	}
	if cap(t.loose) > keepLoose {
		t.loose = nil
	}
}
