package d2

import "slices"

// Want tells what a reader needs to hear of a group.
type Want uint8

// What a reader needs to hear of a group.
const (
	WantNothing Want = iota
	WantUpTo         // changes with a side at or before a bound, both sides of them
	WantAll
)

// GroupInterest is what a reader of grouped rows publishes upstream, so that
// changes it would drop need not be delivered. It holds from one run to the
// next and does not move within a run.
type GroupInterest interface {
	Wants(class uint8, bits uint64) (want Want, bound Slot)
}

// Wants implements [GroupInterest].
func (g *Grouped) Wants(class uint8, bits uint64) (Want, Slot) {
	id := g.table.find(class, bits)
	switch {
	case g.onDemand() && (id == None || g.table.flags[id]&groupShown == 0):
		return WantNothing, None
	case id == None || !g.prefix || g.table.hi[id] == None:
		return WantAll, None
	}
	return WantUpTo, g.table.hi[id]
}

// Activate demands a group. It shows with the next visit of the operator, for
// which the caller arranges (Graph.Touch), and costs one fetch if there is a
// source. It reports false if nothing is to be done. It must not be called
// during a run.
func (g *Grouped) Activate(class uint8, bits uint64) bool {
	return g.spec.Demand && g.demand(g.table.add(class, bits), true)
}

// Deactivate ends the demand for a group: with the next visit its rows leave
// the output, and the state if there is a source. Otherwise it is as
// [Grouped.Activate].
func (g *Grouped) Deactivate(class uint8, bits uint64) bool {
	id := g.table.find(class, bits)
	return id != None && g.demand(id, false)
}

func (g *Grouped) demand(id uint32, wanted bool) bool {
	if (g.table.flags[id]&groupWanted != 0) == wanted {
		return false
	}
	g.enqueue(id)
	g.table.flags[id] ^= groupWanted
	return true
}

// SetBounds chooses the bounds of all groups that have none of their own. They
// take effect with the next visit, which costs a look at every group. It
// reports false if that is not needed.
func (g *Grouped) SetBounds(offset, limit uint32) bool {
	g.offset, g.limit = offset, limit
	return g.boundsPending()
}

func (g *Grouped) boundsPending() bool { return g.offset != g.wasOffset || g.limit != g.wasLimit }

// SetGroupBounds gives one group bounds of its own, which it keeps, and which
// keep it in the state, until [Grouped.DropGroupBounds]. They take effect with
// the next visit.
func (g *Grouped) SetGroupBounds(class uint8, bits uint64, offset, limit uint32) {
	id := g.table.add(class, bits)
	g.enqueue(id)
	g.table.setOwn(id, groupedBounds{offset, limit})
}

// DropGroupBounds gives a group the bounds of all others again.
func (g *Grouped) DropGroupBounds(class uint8, bits uint64) {
	if id := g.table.find(class, bits); id != None && g.table.flags[id]&groupOwn != 0 {
		g.enqueue(id)
		g.table.flags[id] &^= groupOwn
	}
}

// enqueue notes how a group is shown before that changes.
func (g *Grouped) enqueue(id uint32) {
	if g.table.flags[id]&groupQueued != 0 {
		return
	}
	g.queue = append(g.queue, g.unqueued(id))
	g.table.flags[id] |= groupQueued
}

// unqueued tells how a group that is not queued was shown last.
func (g *Grouped) unqueued(id uint32) groupedWas {
	was := groupedWas{id: id, offset: g.wasOffset, limit: g.wasLimit, shown: true}
	if g.table.flags[id]&groupOwn != 0 {
		was.offset, was.limit = g.table.own[id].offset, g.table.own[id].limit
	}
	if g.spec.Demand {
		was.shown = g.table.flags[id]&groupShown != 0
	}
	return was
}

// now tells how a group is to be shown.
func (g *Grouped) now(id uint32) groupedWas {
	now := groupedWas{id: id, offset: g.offset, limit: g.limit, shown: true}
	if g.table.flags[id]&groupOwn != 0 {
		now.offset, now.limit = g.table.own[id].offset, g.table.own[id].limit
	}
	if g.spec.Demand {
		now.shown = g.table.flags[id]&groupWanted != 0
	}
	return now
}

// span returns the ranks [from, to) a group shows of rows held.
func (w *groupedWas) span(rows int) (from, to int) {
	if !w.shown {
		return 0, 0
	}
	return bounds(w.offset, w.limit, rows)
}

// need is the number of rows to be held, if there are as many: one at least, so
// that a group without rows held has none.
func (w *groupedWas) need() int {
	return int(max(1, min(uint64(w.offset)+uint64(w.limit), uint64(Unlimited))))
}

// Rows appends the rows of a group last reported to dst, in order.
func (g *Grouped) Rows(class uint8, bits uint64, dst []uint32) []uint32 {
	id := g.table.find(class, bits)
	if id == None || g.table.rows[id] == 0 {
		return dst
	}
	g.enter(id)
	was := g.unqueued(id)
	for _, q := range g.queue {
		if q.id == id {
			was = q
		}
	}
	from, to := was.span(g.rows)
	return g.differ.slice(from, to, dst)
}

// Snapshot implements [Snapshotter].
func (g *Grouped) Snapshot(out *Out) error {
	g.index = g.index[:0]
	for i, q := range g.queue {
		g.index = append(g.index, uint64(q.id)<<32|uint64(i))
	}
	slices.Sort(g.index)
	d := &g.differ
	for d.base = 0; d.base < d.held.Len(); {
		class, bits, _ := g.spec.Group.Key(d.held.At(d.base))
		id := g.table.find(class, bits)
		was := g.unqueued(id)
		if i, ok := lookup(g.index, id); ok {
			was = g.queue[i]
		}
		rows := int(g.table.rows[id])
		for from, to := was.span(rows); from < to; from++ {
			out.Emit(d.held.At(d.base+from), 1)
		}
		d.base += rows
	}
	out.Tidy()
	return nil
}
