package d2

import "errors"

// Errors of grouped windows.
var (
	ErrNoGroup = errors.New("d2: grouped: windows per group need a keyer of the groups; set GroupedSpec.Group")
)

// GroupSource reads the rows of one group in the order of its window; see
// [Source] for what it promises.
type GroupSource interface {
	Fetch(class uint8, bits uint64, after Slot, want int, yield func(Slot) bool) (scanned int, end bool)
}

// GroupedSpec describes a window per group.
type GroupedSpec struct {
	Order Order // of the rows of a group
	Keys  Keys
	Group Keyer // a row of which it tells no key is in no group

	Offset, Limit uint32 // of every group without bounds of its own; Limit may be [Unlimited]

	// Source lets the operator pull the rows of a group in order. With a limit it
	// then holds only a prefix of each group, unless Retain is set.
	Source GroupSource
	Pins   Pins // needed where only prefixes are held
	Retain bool

	// Hold, if not nil, is told of every row that comes to be held and of every
	// one that no longer is; see [WindowSpec].
	Hold Pins

	// Demand confines the output to groups that are demanded (see
	// [Grouped.Activate]). With a source, rows of other groups are dropped unseen
	// and a group is read when it is demanded; without, everything is held.
	Demand bool

	// Equal tells which versions look the same; nil: every version looks different.
	Equal   Equal
	Cushion Cushion // of each group
}

// Grouped keeps, for every group of its input, the rows [offset, offset+limit)
// in order: Σ over groups g of window(input where group = g). It emits what
// enters and leaves these windows, and tells how the sequence of each changes.
//
// Invariant: the rows of a group lie together, in order, in one arrangement;
// they are exactly the rows of the input at or before the group's frontier, at
// least max(1, offset+limit) of them or all there are. A group is known exactly
// while rows of it are held, it is demanded, or it has bounds of its own;
// a group that is not known has no rows.
//
// State: 4 bytes and the slack of blocks per row, some 20 bytes per group and
// 30 where prefixes are held. It shrinks as rows leave, groups become empty, and
// demand ends. Cost: O(log n) comparisons to find a touched group, then as for
// a single window; nothing but a lookup and one or two comparisons for a change
// beyond a frontier; nothing for a group that is not touched.
type Grouped struct {
	spec   GroupedSpec
	prefix bool // holds prefixes; otherwise all rows of the groups it holds
	rule   groupedRule

	offset, limit       uint32
	wasOffset, wasLimit uint32 // of the windows reported last

	table  groupedTable
	queue  []groupedWas // groups about which more than rows has changed
	seek   groupedSeek
	differ differ
	rows   int // rows held of the group at work
	selQ16 uint64
	got    []uint32 // rows just fetched
	wanted int
	take   func(Slot) bool

	local   []Change // changes of one group each
	batch   []Change // those of the group at work
	index   []uint64 // group id and number of each change
	runs    []uint32 // where a group begins in index
	byGroup func(a, b uint32) int
	bulk    []uint32 // rows of all groups in order, while nothing is held yet
	loading bool

	pairs   pairs
	result  []Change
	movers  bool // some key may be in result twice
	deltas  GroupDeltas
	refetch refetchMode
	spare   int // rows beyond two cushions that do not call for a trim yet
}

// groupedWas is how a group was shown last.
type groupedWas struct {
	id            uint32
	offset, limit uint32
	shown         bool
}

// NewGrouped checks a spec and returns an operator without rows.
func NewGrouped(spec GroupedSpec) (*Grouped, error) {
	switch {
	case spec.Order == nil || spec.Keys == nil:
		return nil, ErrNoOrder
	case spec.Group == nil:
		return nil, ErrNoGroup
	}
	g := &Grouped{spec: spec, offset: spec.Offset, limit: spec.Limit, selQ16: 1 << 16, spare: 8}
	g.prefix = spec.Source != nil && !spec.Retain && spec.Limit != Unlimited
	if g.prefix && spec.Pins == nil {
		return nil, ErrNoPins
	}
	g.rule = newGroupedRule(spec.Cushion)
	g.wasOffset, g.wasLimit = g.offset, g.limit
	g.table = newGroupedTable(g.prefix)
	g.seek = groupedSeek{order: spec.Order, group: spec.Group}
	g.differ = differ{order: spec.Order, keys: spec.Keys, equal: spec.Equal, held: NewOrdered(&g.seek)}
	g.differ.work.init(spec.Order)
	g.take = func(slot Slot) bool {
		g.got = append(g.got, slot)
		return len(g.got) < g.wanted
	}
	g.byGroup = func(a, b uint32) int {
		i, j := uint32(g.index[a]>>32), uint32(g.index[b]>>32)
		if c := int(g.table.class[i]) - int(g.table.class[j]); c != 0 {
			return c
		}
		if g.table.bits[i] < g.table.bits[j] {
			return -1
		}
		return 1
	}
	return g, nil
}

// Name implements [Operator].
func (g *Grouped) Name() string { return "grouped window" }

// Ports implements [Operator].
func (g *Grouped) Ports() int { return 1 }

// Bind implements [Binder].
func (g *Grouped) Bind(at Place) error {
	if at.Cyclic {
		return ErrLimitInCycle
	}
	if p, ok := g.spec.Source.(*GroupPull); ok && !at.Above(p.from) {
		return ErrNotAbove
	}
	return nil
}

// Apply implements [Operator]. The input must come to at most one old and one
// new row per public key. What is emitted comes as replacements.
func (g *Grouped) Apply(v *Visit, out *Out) error {
	changes, err := g.pairs.of(v.In(0), v.Keyed(0), g.spec.Keys)
	if err != nil {
		return err
	}
	if p, ok := g.spec.Source.(*GroupPull); ok {
		p.fc.Visit = v
		defer func() { p.fc.Visit = nil }()
	}
	g.step(changes, v.Stats)
	sweepAfter(g.spec.Hold, v)
	for _, c := range g.result {
		if c.Old != None {
			out.Emit(c.Old, -1)
		}
		if c.New != None {
			out.Emit(c.New, 1)
		}
	}
	out.Keyed()
	g.pairs.trim()
	return nil
}

// Deltas lists how the last visit has changed the windows of the groups.
func (g *Grouped) Deltas() *GroupDeltas { return &g.deltas }

func (g *Grouped) releaseLarge() {
	g.deltas.reset()
	if cap(g.result) > keepChanges {
		g.result = nil
	}
}

// Stage implements [Stager]: groups that are read when they are demanded do not
// need the input as a batch.
func (g *Grouped) Stage(int) bool { return !g.onDemand() }

// onDemand tells whether rows of groups that are not demanded are dropped.
func (g *Grouped) onDemand() bool { return g.spec.Demand && g.spec.Source != nil }

// Groups returns the number of groups known.
func (g *Grouped) Groups() int { return g.table.used }

// Retained implements [Keeper].
func (g *Grouped) Retained() int { return g.differ.held.Len() }

// Bytes implements [Keeper].
func (g *Grouped) Bytes() int {
	return g.table.bytes() + g.differ.held.Bytes() + g.differ.work.bytes() + g.differ.delta.bytes() +
		g.deltas.bytes() + g.pairs.bytes() + 8*cap(g.index) + 4*(cap(g.got)+cap(g.runs)+cap(g.bulk)) +
		12*(cap(g.local)+cap(g.batch)+cap(g.result)) + 16*cap(g.queue)
}

// Clear implements [Keeper]. Which groups are demanded and all bounds remain;
// the groups are read again with the next visit.
func (g *Grouped) Clear() {
	if g.prefix {
		for id, flags := range g.table.flags {
			if flags != 0 && g.table.hi[id] != None {
				g.spec.Pins.Unpin(g.table.hi[id])
			}
		}
	}
	g.differ.held.unrefer(0, g.spec.Hold)
	if g.spec.Hold != nil {
		for _, slot := range g.bulk { // a load that failed half way
			g.spec.Hold.Unpin(slot)
		}
	}
	g.loading = false
	old := g.table
	g.table, g.queue = newGroupedTable(g.prefix), nil
	g.wasOffset, g.wasLimit = g.offset, g.limit
	g.differ.held.Clear()
	g.differ.delta = Delta{}
	g.deltas = GroupDeltas{}
	g.pairs = pairs{}
	g.got, g.bulk, g.result = nil, nil, nil
	g.releaseScratch()
	for id, flags := range old.flags {
		if flags&(groupWanted|groupOwn) == 0 {
			continue
		}
		to := g.table.add(old.class[id], old.bits[id])
		if flags&groupOwn != 0 {
			g.table.setOwn(to, old.own[id])
		}
		if flags&groupWanted != 0 {
			g.table.flags[to] |= groupWanted
			g.enqueue(to)
		}
	}
}

func (g *Grouped) releaseScratch() {
	g.local, g.batch, g.index, g.runs = nil, nil, nil, nil
	g.differ.work.release()
}
