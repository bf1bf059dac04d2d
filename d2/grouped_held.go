package d2

// groupedSeek orders rows by group key and then as within a group, for finding
// a row of the group at work among the rows of all groups. The second row of a
// comparison is always of that group; None stands before all of its rows.
type groupedSeek struct {
	order Order
	group Keyer
	class uint8 // the group at work
	bits  uint64
}

// Compare implements [Order].
func (s *groupedSeek) Compare(a, b Slot) int {
	class, bits, _ := s.group.Key(a)
	switch {
	case class != s.class:
		return int(class) - int(s.class)
	case bits < s.bits:
		return -1
	case bits > s.bits, b == None:
		return 1
	}
	return s.order.Compare(a, b)
}

// enter makes a group the one at work.
func (g *Grouped) enter(id uint32) {
	d, t := &g.differ, &g.table
	g.seek.class, g.seek.bits = t.class[id], t.bits[id]
	g.rows = int(t.rows[id])
	d.base = 0
	if d.held.Len() > 0 {
		d.base, _ = d.held.Rank(None)
	}
	d.hi = None
	if g.prefix {
		d.hi = t.hi[id]
	}
	d.hasHi = d.hi != None
	d.exhausted = !d.hasHi
}

// append puts rows behind all others of the group at work.
func (g *Grouped) append(slots []uint32) {
	if hold := g.spec.Hold; hold != nil {
		for _, slot := range slots {
			hold.Pin(slot)
		}
	}
	if g.loading {
		g.bulk = append(g.bulk, slots...)
		g.rows += len(slots)
		return
	}
	for _, slot := range slots {
		g.differ.held.putAt(g.differ.base+g.rows, slot)
		g.rows++
	}
}

// cut removes the rows of the group at work from a rank on.
func (g *Grouped) cut(from int) {
	for ; g.rows > from; g.rows-- {
		at := g.differ.base + g.rows - 1
		if g.spec.Hold != nil {
			g.spec.Hold.Unpin(g.differ.held.At(at))
		}
		g.differ.held.DeleteAt(at)
	}
}

// setHi moves the frontier of the group at work; None: everything is held.
func (g *Grouped) setHi(id uint32, slot Slot) {
	d := &g.differ
	if slot != None {
		g.spec.Pins.Pin(slot)
	}
	if d.hasHi {
		g.spec.Pins.Unpin(d.hi)
	}
	d.hi, d.hasHi, d.exhausted = slot, slot != None, slot == None
	if g.prefix {
		g.table.hi[id] = slot
	}
}

// fetch reads the next rows of the group at work after those held into g.got
// and moves its frontier. A fetch shorter than asked proves that there are no
// more.
func (g *Grouped) fetch(id uint32, after Slot, want int, stats *RunStats) {
	g.got, g.wanted = g.got[:0], want
	scanned, end := g.spec.Source.Fetch(g.seek.class, g.seek.bits, after, want, g.take)
	stats.RowsFetched += len(g.got)
	stats.RowsScanned += scanned
	if scanned > 0 {
		g.selQ16 = max(1, (3*g.selQ16+uint64(len(g.got))<<16/uint64(scanned))/4)
	}
	if end || len(g.got) < want {
		g.setHi(id, None)
		return
	}
	g.setHi(id, g.got[len(g.got)-1])
}

// putAt puts a slot at a rank, where the caller knows it belongs.
func (o *Ordered) putAt(rank int, slot Slot) {
	if rank == 0 {
		o.insertAt(0, 0, slot)
		return
	}
	pos, idx := o.locate(rank - 1)
	o.insertAt(pos, idx+1, slot)
}
