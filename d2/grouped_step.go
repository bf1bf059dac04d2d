package d2

import "slices"

// Marks in the index of a run for what is not a change of rows.
const (
	groupedQueueMark = uint64(1) << 31
	groupedTouchMark = uint64(1)<<32 - 1
)

// step applies changes, demand and bounds, and leaves the differences in
// g.result and the positional deltas in g.deltas. Groups are worked on in
// ascending order of their keys.
func (g *Grouped) step(changes []Change, stats *RunStats) {
	g.deltas.reset()
	g.result = g.result[:0]
	g.gather(changes)
	g.loading = g.differ.held.Len() == 0
	for _, run := range g.runs {
		g.stepGroup(int(run), stats)
	}
	if g.loading {
		g.differ.held.Load(g.bulk)
		g.bulk, g.loading = nil, false
	}
	g.wasOffset, g.wasLimit = g.offset, g.limit
	g.queue = g.queue[:0]
	g.table.compact()
	if g.movers {
		g.result, g.index = joinMovers(g.result, g.index)
	}
	if cap(g.local)+cap(g.batch)+cap(g.index) > 3*keepChanges || cap(g.differ.work.rows) > keepChanges {
		g.releaseScratch()
	}
	if cap(g.got) > keepSlots {
		g.got = nil
	}
}

// gather splits changes into those of single groups and lists what concerns
// each group: runs of g.index, beginning where g.runs says.
func (g *Grouped) gather(changes []Change) {
	g.local, g.index, g.runs = g.local[:0], g.index[:0], g.runs[:0]
	// A key may leave a group that is no longer demanded and enter one that is now.
	g.movers = g.onDemand() && len(g.queue) > 0
	for _, c := range changes {
		old, now := g.groupOf(c.Old, false), g.groupOf(c.New, true)
		if old == now {
			g.note(old, c)
			continue
		}
		g.movers = g.movers || c.Old != None && c.New != None
		g.note(old, Change{c.Key, c.Old, None})
		g.note(now, Change{c.Key, None, c.New})
	}
	for i, q := range g.queue {
		g.index = append(g.index, uint64(q.id)<<32|groupedQueueMark|uint64(i))
	}
	if g.boundsPending() {
		for id, flags := range g.table.flags {
			if flags != 0 {
				g.index = append(g.index, uint64(id)<<32|groupedTouchMark)
			}
		}
	}
	slices.Sort(g.index)
	last := None
	for i, entry := range g.index {
		if id := uint32(entry >> 32); id != last {
			g.runs = append(g.runs, uint32(i))
			last = id
		}
	}
	slices.SortFunc(g.runs, g.byGroup)
}

// groupOf returns the id of the group a row counts in, None if in none. A new
// row makes its group if there is none.
func (g *Grouped) groupOf(row Slot, isNew bool) uint32 {
	if row == None {
		return None
	}
	class, bits, ok := g.spec.Group.Key(row)
	if !ok {
		return None
	}
	id := g.table.find(class, bits)
	const both = groupWanted | groupShown
	switch {
	case g.onDemand():
		// A group about to show is read, with this change in it; one about to
		// vanish leaves as it was reported.
		if id == None || g.table.flags[id]&both != both {
			return None
		}
	case id == None && isNew:
		return g.table.add(class, bits)
	}
	return id
}

func (g *Grouped) note(id uint32, c Change) {
	if id == None {
		return
	}
	g.index = append(g.index, uint64(id)<<32|uint64(len(g.local)))
	g.local = append(g.local, c)
}

// stepGroup does for one group what a step does for a window.
func (g *Grouped) stepGroup(run int, stats *RunStats) {
	t, d := &g.table, &g.differ
	id := uint32(g.index[run] >> 32)
	was := g.unqueued(id)
	g.batch = g.batch[:0]
	for ; run < len(g.index) && uint32(g.index[run]>>32) == id; run++ {
		switch at := uint64(uint32(g.index[run])); {
		case at == groupedTouchMark:
		case at&groupedQueueMark != 0:
			was = g.queue[at&^groupedQueueMark]
		default:
			g.batch = append(g.batch, g.local[at])
		}
	}
	now := g.now(id)
	g.enter(id)
	if g.prefix {
		if t.flags[id]&groupFilled == 0 && g.rows == 0 {
			t.cushion[id] = g.rule.first(now.need(), now.limit)
		} else if was.limit != now.limit {
			g.rule.bound(&t.cushion[id], now.limit)
		}
	}
	pFrom, pTo := was.span(g.rows)
	d.delta.reset(pTo-pFrom, 0)
	switch {
	case g.onDemand() && !now.shown:
		g.leave(id, pFrom, pTo)
	case g.onDemand() && !was.shown:
		g.fetch(id, None, g.fill(id, &now), stats)
		g.stepFresh(&now)
	case g.rows == 0 && d.exhausted:
		g.collectFresh()
		g.stepFresh(&now)
	case g.rereadPays(id, &now):
		g.stepByReading(id, &now, pFrom, pTo, stats)
	default:
		g.stepByRanks(id, &was, &now, pFrom, pTo, stats)
	}
	g.finish(id, &now)
}

// finish records what a step of a group has led to.
func (g *Grouped) finish(id uint32, now *groupedWas) {
	t, d := &g.table, &g.differ
	d.delta.sort()
	if g.prefix {
		t.flags[id] = g.rule.onRun(&t.cushion[id], len(g.batch), g.rows-now.need(), t.flags[id])
		g.trim(id, now)
	}
	t.rows[id] = uint32(g.rows)
	t.flags[id] &^= groupQueued | groupShown
	if now.shown {
		t.flags[id] |= groupShown
	}
	g.deltas.add(t.class[id], t.bits[id], &d.delta)
	g.result = d.delta.appendChanges(g.result)
	if g.rows == 0 && d.exhausted && t.flags[id]&(groupWanted|groupOwn) == 0 {
		t.drop(id)
	}
}

// leave takes a group out that is no longer demanded.
func (g *Grouped) leave(id uint32, pFrom, pTo int) {
	d := &g.differ
	d.work.slots = d.slice(pFrom, pTo, d.work.slots[:0])
	for i, slot := range d.work.slots {
		d.delta.Leaves = append(d.delta.Leaves, Leave{uint32(i), d.keys.KeyOf(slot), slot})
	}
	g.cut(0)
	g.setHi(id, None)
}

// collectFresh puts the first rows of a group in order.
func (g *Grouped) collectFresh() {
	g.got = g.got[:0]
	for _, c := range g.batch {
		if c.New != None {
			g.got = append(g.got, c.New)
		}
	}
	if len(g.got) > 1 {
		SortSlots(g.got, g.differ.order, nil)
	}
}

// stepFresh lets the rows in g.got, in order, be the first of a group.
func (g *Grouped) stepFresh(now *groupedWas) {
	d := &g.differ
	from, to := now.span(len(g.got))
	d.delta.NewLen = uint32(to - from)
	for i, slot := range g.got[from:to] {
		d.delta.Enters = append(d.delta.Enters, Enter{uint32(i), d.keys.KeyOf(slot), slot})
	}
	g.append(g.got)
}

func (g *Grouped) stepByRanks(id uint32, was, now *groupedWas, pFrom, pTo int, stats *RunStats) {
	d := &g.differ
	d.collect(g.batch, g.spec.Hold)
	d.place(g.spec.Hold)
	g.rows += len(d.work.inserts) - len(d.work.olds)
	if !d.exhausted && g.rows < now.need() {
		if was.offset == now.offset && was.limit == now.limit {
			g.table.flags[id] = g.rule.onRefill(&g.table.cushion[id], now.limit, g.table.flags[id])
		}
		g.fetch(id, d.hi, g.fill(id, now)-g.rows, stats)
		g.append(g.got)
		stats.Refills++
		d.findReturned()
	}
	qFrom, qTo := now.span(g.rows)
	d.delta.NewLen = uint32(qTo - qFrom)
	d.diffByRanks(pFrom, pTo, qFrom, qTo)
}

// fill is the number of rows a fetch fills a group up to.
func (g *Grouped) fill(id uint32, now *groupedWas) int {
	if !g.prefix {
		return int(Unlimited)
	}
	return now.need() + int(g.table.cushion[id].rows)
}

// rereadPays tells whether reading a group again costs less than applying its
// changes; see the same of a window.
func (g *Grouped) rereadPays(id uint32, now *groupedWas) bool {
	if !g.prefix || g.refetch == refetchNever {
		return false
	}
	return g.refetch == refetchAlways || uint64(len(g.batch))*g.selQ16 > uint64(g.fill(id, now))<<16
}

func (g *Grouped) stepByReading(id uint32, now *groupedWas, pFrom, pTo int, stats *RunStats) {
	d := &g.differ
	d.work.slots = d.slice(pFrom, pTo, d.work.slots[:0])
	g.cut(0)
	g.fetch(id, None, g.fill(id, now), stats)
	g.append(g.got)
	g.table.cushion[id].low = noSlack
	stats.Refetches++
	qFrom, qTo := now.span(g.rows)
	d.delta.NewLen = uint32(qTo - qFrom)
	d.diffByState(g.batch, qFrom, qTo)
}

// trim lets go of rows far beyond need and draws the frontier back.
func (g *Grouped) trim(id uint32, now *groupedWas) {
	keep := g.fill(id, now)
	if g.rows <= keep+int(g.table.cushion[id].rows)+g.spare {
		return
	}
	if g.loading {
		kept := len(g.bulk) - (g.rows - keep)
		if g.spec.Hold != nil {
			for _, slot := range g.bulk[kept:] {
				g.spec.Hold.Unpin(slot)
			}
		}
		g.bulk = g.bulk[:kept]
		g.rows = keep
		g.setHi(id, g.bulk[len(g.bulk)-1])
		return
	}
	g.cut(keep)
	g.setHi(id, g.differ.held.At(g.differ.base+keep-1))
}

// joinMovers makes one change of the two of a key that left one group and
// entered another.
func joinMovers(batch []Change, index []uint64) ([]Change, []uint64) {
	index = index[:0]
	for i, c := range batch {
		index = append(index, uint64(c.Key)<<32|uint64(i))
	}
	slices.Sort(index)
	for i := 1; i < len(index); i++ {
		if index[i]>>32 != index[i-1]>>32 {
			continue
		}
		a, b := &batch[uint32(index[i-1])], &batch[uint32(index[i])]
		if a.Old == None {
			a.Old = b.Old
		} else {
			a.New = b.New
		}
		b.Old, b.New = None, None
	}
	kept := batch[:0]
	for _, c := range batch {
		if c.Old != c.New {
			kept = append(kept, c)
		}
	}
	return kept, index
}
