package d2

// ShardMerge is a threshold merge over shards that answer later: the rows
// [offset, offset+limit) of the union of ordered shards, kept from the messages
// they send. It is a state machine without waiting: each call takes in one
// command or message and leaves what is to be sent in [ShardMerge.Requests].
//
// Each shard sends its changes and its answers on one channel in order, and
// receives requests in the order they were made; [ShardFeed] is that side. Then
// the rows known are, after every message, exactly those of the union of the
// shards' contents when each sent its last message taken in. A key must not be
// in two shards, not even in passing. After an error the state is unchanged;
// after the loss of a channel, Clear and Start anew.
//
// State and cost are those of [Merge], but for pulls: shards that matter are
// asked in rounds, each for its share of what is missing at first, then for
// twice as much as before.
type ShardMerge struct {
	m        merged
	requests []ShardRequest
	changes  []Change
	filling  bool
	started  bool
	stats    MergeStats
}

// shardTalk is what is under way with a shard.
type shardTalk struct {
	asked  bool
	stale  bool   // lowered since it was asked: the answer counts for nothing
	streak uint32 // rows asked for last in this refill
}

// ShardRequest is a message to a shard. A pull asks for Want rows strictly after
// a position (None: from the start); what the shard then sends reaches up to the
// last row of its answer. Otherwise the request tells the shard that nothing
// after the position needs to be sent any more (None: nothing at all). The
// position is readable until the next call.
type ShardRequest struct {
	Shard int
	Pull  bool
	After Slot
	Want  int
}

// MergeStats counts the messages of a [ShardMerge].
type MergeStats struct {
	Rounds int // sets of pulls that were sent together
	Pulls  int
	Rows   int // in answers
	Lowers int
}

// NewShardMerge checks a spec and returns a machine that has asked for nothing.
func NewShardMerge(spec MergeSpec, shards int) (*ShardMerge, error) {
	m, err := newMerged(&spec, shards)
	if err != nil {
		return nil, err
	}
	s := &ShardMerge{m: m}
	s.m.work.init(spec.Order)
	return s, nil
}

// Start makes the first requests, once all shards are connected.
func (s *ShardMerge) Start() {
	s.started = true
	s.step(None, nil, nil)
}

// SetBounds moves the window.
func (s *ShardMerge) SetBounds(offset, limit uint32) {
	s.m.setBounds(offset, limit)
	s.step(None, nil, nil)
}

// Changed takes in changes of a shard, at most one per key.
func (s *ShardMerge) Changed(shard int, changes []Change) error {
	if shard < 0 || shard >= len(s.m.shards) {
		return ErrNoShard
	}
	s.step(uint32(shard), changes, nil)
	return nil
}

// Answered takes in the answer to a pull: rows in order, and whether the shard
// has none after them. An answer of fewer rows than asked for is not an end.
func (s *ShardMerge) Answered(shard int, rows []uint32, end bool) error {
	if shard < 0 || shard >= len(s.m.shards) {
		return ErrNoShard
	}
	t := &s.m.shards[shard]
	if !t.asked {
		return ErrUnasked
	}
	if !t.stale {
		last := t.hi
		for _, row := range rows {
			if last != None && s.m.order.Compare(last, row) >= 0 {
				return ErrShardOrder
			}
			last = row
		}
	}
	stale := t.stale
	t.asked, t.stale = false, false
	s.stats.Rows += len(rows)
	if stale {
		s.step(None, nil, nil)
		return nil
	}
	if end {
		t.done = true
		s.m.setHi(uint32(shard), None)
	} else if len(rows) > 0 {
		s.m.setHi(uint32(shard), rows[len(rows)-1])
	}
	s.m.rebuild()
	s.step(None, nil, rows)
	return nil
}

// step takes in changes or pulled rows, makes the delta and plans requests.
func (s *ShardMerge) step(shard uint32, changes []Change, rows []uint32) {
	m := &s.m
	s.requests = s.requests[:0]
	pFrom, pTo := m.span(m.wasOffset, m.wasLimit)
	m.delta.reset(pTo-pFrom, 0)
	m.begin()
	for _, c := range changes {
		m.absorb(c, shard)
	}
	m.settle(m.hold)
	m.place(m.hold)
	// These lie behind the old theta, so behind the old window.
	for _, row := range rows {
		m.put(row)
	}
	m.measure()
	qFrom, qTo := m.span(m.offset, m.limit)
	m.delta.NewLen = uint32(qTo - qFrom)
	m.diffByRanks(pFrom, pTo, qFrom, qTo)
	pending := m.pending()
	m.report(len(changes))
	s.changes = m.delta.appendChanges(s.changes[:0])
	if s.started {
		s.plan(pending)
	}
	// Rows that shards were asked for in vain are not worth asking for again, as
	// long as they do not pile up because another shard does not answer.
	most := m.most()
	if s.filling {
		most *= 4
	}
	m.trim(most, s.lowered)
}

func (s *ShardMerge) lowered(shard uint32) {
	t := &s.m.shards[shard]
	t.stale = t.asked
	s.requests = append(s.requests, ShardRequest{Shard: int(shard), After: t.hi})
	s.stats.Lowers++
}

// plan asks the shards that matter for rows, once all they were asked for
// before has come.
func (s *ShardMerge) plan(moved bool) {
	m := &s.m
	if !s.filling && m.known < m.need() && len(m.heap) > 0 {
		s.filling = true
		if !moved {
			m.cushion.onRefill()
		}
	}
	target := m.need() + m.cushion.rows
	if !s.filling || m.known >= target || len(m.heap) == 0 {
		s.filling = false
		for i := range m.shards {
			m.shards[i].streak = 0
		}
		return
	}
	// A shard whose frontier is at or beyond the last row wanted cannot have rows
	// before that.
	cut := None
	if m.held.Len() >= target {
		cut = m.held.At(target - 1)
	}
	matters := func(shard uint32) bool {
		hi := m.shards[shard].hi
		return hi == None || cut == None || m.order.Compare(hi, cut) < 0
	}
	for _, shard := range m.heap {
		if m.shards[shard].asked && matters(shard) {
			return
		}
	}
	missing := target - m.known
	asked := false
	for i := range m.shards {
		t := &m.shards[i]
		if t.done || !matters(uint32(i)) {
			continue
		}
		want := (missing + len(m.heap) - 1) / len(m.heap)
		if t.streak > 0 {
			want = min(2*int(t.streak), missing)
		}
		t.asked, t.streak = true, uint32(want)
		s.requests = append(s.requests, ShardRequest{Shard: i, Pull: true, After: t.hi, Want: want})
		s.stats.Pulls++
		asked = true
	}
	if asked {
		s.stats.Rounds++
	}
}

// Requests lists what is to be sent, in order; valid until the next call.
func (s *ShardMerge) Requests() []ShardRequest { return s.requests }

// Delta tells how the last call has changed the window; valid until the next.
func (s *ShardMerge) Delta() *Delta { return &s.m.delta }

// Changes tells the same as differences.
func (s *ShardMerge) Changes() []Change { return s.changes }

// Rows appends the rows of the window to dst, in order: all it asks for if it
// is complete, otherwise those that are known to be its first.
func (s *ShardMerge) Rows(dst []uint32) []uint32 { return s.m.rows(dst) }

// Complete tells whether the window has all the rows it asks for, or the shards
// have no more.
func (s *ShardMerge) Complete() bool { return s.m.known >= s.m.need() || len(s.m.heap) == 0 }

// Stats returns the messages so far.
func (s *ShardMerge) Stats() MergeStats { return s.stats }

// Retained returns the number of rows held.
func (s *ShardMerge) Retained() int { return s.m.held.Len() }

// Bytes returns the memory held.
func (s *ShardMerge) Bytes() int {
	return s.m.bytes() + 32*cap(s.requests) + 12*cap(s.changes)
}

// Clear returns to the first state, releasing memory and pins. Answers that are
// still under way must not be passed on.
func (s *ShardMerge) Clear() {
	s.m.release()
	for i := range s.m.shards {
		s.m.shards[i].shardTalk = shardTalk{}
	}
	s.requests, s.changes = nil, nil
	s.filling, s.started = false, false
}
