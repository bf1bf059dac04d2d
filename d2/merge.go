package d2

import "errors"

// Errors of merges. State is unchanged after each of them.
var (
	ErrNoShards   = errors.New("d2: merge: needs at least one shard")
	ErrNoShard    = errors.New("d2: merge: no such shard; count from 0")
	ErrUnasked    = errors.New("d2: merge: a shard answered without having been asked; send each request once and each answer back")
	ErrShardOrder = errors.New("d2: merge: an answer is not in ascending order after the position asked for")
)

// MergeSpec describes a window over the union of shards: ordered inputs whose
// rows are comparable with one another and whose keys are unique in the union.
type MergeSpec struct {
	Order         Order
	Keys          Keys
	Offset, Limit uint32 // Limit may be [Unlimited]

	// Pins keeps frontiers readable, which may be the rows of any shard and are
	// pinned once per shard.
	Pins Pins

	// Hold, if not nil, is told of every row that comes to be held and of every
	// one that no longer is; see [WindowSpec].
	Hold Pins

	// Equal tells which versions look the same; nil: every version looks different.
	Equal   Equal
	Cushion Cushion
}

// merged is the state of a threshold merge. Each shard has a frontier; theta is
// the least of them. Invariant: rows of a shard at or before its frontier are
// held, so the rows held at or before theta, known in number, are exactly those
// of the union. Rows beyond a frontier come by a pull, or not at all; should one
// be held nevertheless, it does no harm.
type merged struct {
	differ
	pins   Pins
	hold   Pins
	shards []mergedShard
	heap   []uint32 // shards with more to read, least frontier first

	offset, limit       uint32
	wasOffset, wasLimit uint32 // of the rows reported last
	known               int
	cushion             cushionState
	spare               int // rows beyond all else that do not call for a trim yet
}

type mergedShard struct {
	hi   Slot // frontier; None: nothing has been read
	done bool // no row lies beyond those held
	shardTalk
}

func newMerged(spec *MergeSpec, shards int) (merged, error) {
	switch {
	case spec.Order == nil || spec.Keys == nil:
		return merged{}, ErrNoOrder
	case spec.Pins == nil:
		return merged{}, ErrNoPins
	case shards <= 0:
		return merged{}, ErrNoShards
	}
	m := merged{
		differ: differ{
			order: spec.Order, keys: spec.Keys, equal: spec.Equal,
			held: NewOrdered(spec.Order), exhausted: true,
		},
		pins: spec.Pins, hold: spec.Hold, shards: make([]mergedShard, shards), heap: make([]uint32, 0, shards),
		offset: spec.Offset, limit: spec.Limit, wasOffset: spec.Offset, wasLimit: spec.Limit,
	}
	for i := range m.shards {
		m.shards[i].hi = None
	}
	m.spare = 16
	m.cushion.init(spec.Cushion, m.need(), m.limit)
	m.rebuild()
	return m, nil
}

func (m *merged) need() int {
	return int(min(uint64(m.offset)+uint64(m.limit), uint64(Unlimited)))
}

func (m *merged) pending() bool { return m.offset != m.wasOffset || m.limit != m.wasLimit }

func (m *merged) setBounds(offset, limit uint32) {
	m.offset, m.limit = offset, limit
	m.cushion.bound(limit)
}

// reaches tells whether a row of a shard has to be held.
func (m *merged) reaches(shard uint32, slot Slot) bool {
	s := &m.shards[shard]
	return s.done || s.hi != None && m.order.Compare(slot, s.hi) <= 0
}

// heldRank returns the rank of a version, None if it is not held. A row beyond
// all that are held costs one comparison.
func (m *merged) heldRank(slot Slot) uint32 {
	n := m.held.Len()
	if slot == None || n == 0 || m.order.Compare(slot, m.held.At(n-1)) > 0 {
		return None
	}
	rank, _ := m.rankOf(slot)
	return rank
}

// absorb takes in one change, the new version being of the given shard.
func (m *merged) absorb(c Change, shard uint32) {
	if c.Old == c.New { // from one shard to another
		if m.heldRank(c.Old) != None {
			return
		}
		c.Old = None
	}
	rank := m.heldRank(c.Old)
	inPlace := rank != None && c.New != None && m.order.Compare(c.Old, c.New) == 0
	m.touch(c, rank, inPlace || c.New != None && m.reaches(shard, c.New), inPlace)
}

// put holds a row that was pulled, which may be held already, and returns its
// rank.
func (m *merged) put(slot Slot) int {
	rank, found := m.held.Rank(slot)
	if !found {
		m.held.putAt(rank, slot)
		if m.hold != nil {
			m.hold.Pin(slot)
		}
	}
	return rank
}

// setHi moves a frontier. The order of the heap is the caller's.
func (m *merged) setHi(shard uint32, slot Slot) {
	s := &m.shards[shard]
	if slot != None {
		m.pins.Pin(slot)
	}
	if s.hi != None {
		m.pins.Unpin(s.hi)
	}
	s.hi = slot
}

// measure counts the rows known, from theta.
func (m *merged) measure() {
	if len(m.heap) == 0 {
		m.known = m.held.Len()
		return
	}
	m.known = m.held.SeekAfter(m.shards[m.heap[0]].hi)
}

// most is the number of rows held that does not call for a trim yet.
func (m *merged) most() int {
	return m.need() + 3*m.cushion.rows + 2*len(m.shards) + m.spare
}

// trim lets go of rows far beyond need and draws back the frontiers that are
// beyond those kept, calling lowered, if there is one, for each.
func (m *merged) trim(most int, lowered func(shard uint32)) {
	keep := m.need() + m.cushion.rows
	if m.held.Len() <= most {
		return
	}
	m.held.unrefer(keep, m.hold)
	m.held.Truncate(keep)
	last := None
	if keep > 0 {
		last = m.held.At(keep - 1)
	}
	for i := range m.shards {
		s := &m.shards[i]
		if !s.done && (s.hi == None || last != None && m.order.Compare(s.hi, last) <= 0) {
			continue
		}
		s.done = false
		m.setHi(uint32(i), last)
		if lowered != nil {
			lowered(uint32(i))
		}
	}
	m.rebuild()
	m.measure()
}

// forget returns to the state in which nothing has been read.
func (m *merged) forget() {
	m.held.unrefer(0, m.hold)
	m.held.reset()
	for i := range m.shards {
		m.setHi(uint32(i), None)
		m.shards[i].done = false
	}
	m.rebuild()
	m.known = 0
}

// span returns the ranks [from, to) shown with bounds; rows that are not known
// to be next to one another are not shown.
func (m *merged) span(offset, limit uint32) (from, to int) { return bounds(offset, limit, m.known) }

// report ends a step: the delta is made, and the bounds are those reported.
func (m *merged) report(changes int) {
	m.delta.sort()
	m.cushion.onRun(changes, m.known-m.need())
	m.wasOffset, m.wasLimit = m.offset, m.limit
	if cap(m.work.rows) > keepChanges || cap(m.work.slots) > keepSlots {
		m.work.release()
	}
}

// rows appends the rows last reported.
func (m *merged) rows(dst []uint32) []uint32 {
	from, to := m.span(m.wasOffset, m.wasLimit)
	return m.slice(from, to, dst)
}

func (m *merged) release() {
	m.forget()
	m.held.Clear()
	m.wasOffset, m.wasLimit = m.offset, m.limit
	m.delta = Delta{}
	m.work.release()
}

func (m *merged) bytes() int {
	return m.held.Bytes() + m.work.bytes() + m.delta.bytes() + 4*cap(m.heap) + 16*cap(m.shards)
}
