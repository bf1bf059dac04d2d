package d2

// groupedTable is the set of groups of a grouped window: what is kept of each,
// in arrays by group id, and open addressing from a group key to its id. Nothing
// in it is a pointer. A retained group takes 14 bytes and a bucket, one of which
// a prefix is held 24; ids are given out again, and both halves of the table
// shrink with the number of groups.
type groupedTable struct {
	buckets []uint32 // group ids; None: empty
	class   []uint8
	bits    []uint64
	rows    []uint32 // rows held; of an id not in use, the next such id
	flags   []uint8
	hi      []uint32 // frontier of each prefix, None: everything is held
	cushion []groupedCushion
	own     []groupedBounds // nil until a group has bounds of its own
	free    uint32
	used    int
	prefix  bool // whether hi and cushion are kept
}

type groupedBounds struct{ offset, limit uint32 }

const (
	groupLive   uint8 = 1 << iota // the id is in use
	groupWanted                   // demanded
	groupShown                    // its rows were last reported
	groupQueued                   // something about it changed besides its rows
	groupOwn                      // has bounds of its own
	groupFilled                   // has been refilled
	groupCalm                     // no refill for at least two targets
)

func newGroupedTable(prefix bool) groupedTable {
	return groupedTable{free: None, prefix: prefix}
}

func (t *groupedTable) bytes() int {
	return 4*(cap(t.buckets)+cap(t.rows)+cap(t.hi)) + cap(t.class) + cap(t.flags) +
		8*(cap(t.bits)+cap(t.own)) + 6*cap(t.cushion)
}

// bucket returns where a group is, or the empty bucket where it belongs.
func (t *groupedTable) bucket(class uint8, bits uint64) int {
	mask := len(t.buckets) - 1
	b := int(mix(class, bits)) & mask
	for {
		id := t.buckets[b]
		if id == None || (t.bits[id] == bits && t.class[id] == class) {
			return b
		}
		b = (b + 1) & mask
	}
}

// find returns the id of a group, or None.
func (t *groupedTable) find(class uint8, bits uint64) uint32 {
	if t.used == 0 {
		return None
	}
	return t.buckets[t.bucket(class, bits)]
}

// add returns the id of a group, which it makes if there is none: without rows,
// and known to have none.
func (t *groupedTable) add(class uint8, bits uint64) uint32 {
	if 4*(t.used+1) > 3*len(t.buckets) {
		t.rehash(max(8, 2*len(t.buckets)))
	}
	b := t.bucket(class, bits)
	if id := t.buckets[b]; id != None {
		return id
	}
	id := t.free
	if id != None {
		t.free = t.rows[id]
	} else {
		id = uint32(len(t.class))
		t.class, t.bits = append(t.class, 0), append(t.bits, 0)
		t.rows, t.flags = append(t.rows, 0), append(t.flags, 0)
		if t.prefix {
			t.hi, t.cushion = append(t.hi, None), append(t.cushion, groupedCushion{})
		}
		if t.own != nil {
			t.own = append(t.own, groupedBounds{})
		}
	}
	t.class[id], t.bits[id], t.rows[id], t.flags[id] = class, bits, 0, groupLive
	if t.prefix {
		t.hi[id], t.cushion[id] = None, groupedCushion{low: noSlack}
	}
	t.buckets[b] = id
	t.used++
	return id
}

// drop forgets a group.
func (t *groupedTable) drop(id uint32) {
	mask := len(t.buckets) - 1
	gap := t.bucket(t.class[id], t.bits[id])
	for b := (gap + 1) & mask; t.buckets[b] != None; b = (b + 1) & mask {
		other := t.buckets[b]
		home := int(mix(t.class[other], t.bits[other])) & mask
		if (b-home)&mask >= (b-gap)&mask {
			t.buckets[gap] = other
			gap = b
		}
	}
	t.buckets[gap] = None
	t.flags[id] = 0
	t.rows[id], t.free = t.free, id
	t.used--
}

func (t *groupedTable) rehash(size int) {
	t.buckets = make([]uint32, size)
	for b := range t.buckets {
		t.buckets[b] = None
	}
	for id, flags := range t.flags {
		if flags != 0 {
			t.buckets[t.bucket(t.class[id], t.bits[id])] = uint32(id)
		}
	}
}

// compact renumbers the groups once three quarters of the ids are out of use.
// No id may be known elsewhere.
func (t *groupedTable) compact() {
	if t.used == 0 {
		*t = newGroupedTable(t.prefix)
		return
	}
	if len(t.class) < 64 || 4*t.used > len(t.class) {
		return
	}
	old := *t
	*t = newGroupedTable(t.prefix)
	t.reserve(old.used + old.used/4)
	if old.own != nil {
		t.own = make([]groupedBounds, 0, cap(t.rows))
	}
	for id, flags := range old.flags {
		if flags == 0 {
			continue
		}
		to := t.add(old.class[id], old.bits[id])
		t.rows[to], t.flags[to] = old.rows[id], flags
		if t.prefix {
			t.hi[to], t.cushion[to] = old.hi[id], old.cushion[id]
		}
		if old.own != nil {
			t.own[to] = old.own[id]
		}
	}
}

func (t *groupedTable) reserve(n int) {
	t.class, t.bits = make([]uint8, 0, n), make([]uint64, 0, n)
	t.rows, t.flags = make([]uint32, 0, n), make([]uint8, 0, n)
	if t.prefix {
		t.hi, t.cushion = make([]uint32, 0, n), make([]groupedCushion, 0, n)
	}
}

// setOwn gives a group bounds of its own.
func (t *groupedTable) setOwn(id uint32, b groupedBounds) {
	if t.own == nil {
		t.own = make([]groupedBounds, len(t.rows), cap(t.rows))
	}
	t.own[id] = b
	t.flags[id] |= groupOwn
}
