package d2

import "slices"

// Merge is the operator of an ordered, limited union: the rows
// [offset, offset+limit) of Σ shards in one order, without holding the shards.
// Port i takes the changes of shard i. What it emits is the difference of those
// rows; [Merge.Delta] tells the same by position.
//
// Invariant: see merged. It is short of rows only if the shards are. State: the
// rows asked for, the cushion, and at most one row per shard beyond, until
// arrivals have made it 3 cushions and twice the shards more; one frontier per
// shard. Cost: O(log n) comparisons per change that concerns rows held, one or
// two for any other; a refill reads each row it gains once, from the shard that
// is behind, plus at most one per shard.
type Merge struct {
	m       merged
	sources []Source
	pairs   pairs
	diffs   []Diff
	from    []uint64 // row that comes and shard it is of, if there are several
	changes []Change
	selQ16  uint64 // rows returned per row scanned, in 1/65536
	refetch refetchMode

	// of the pull under way
	onPull func(Slot) bool
	target int // rows to be known
	pulled int
	want   int
	last   Slot
	stop   Slot // frontier of the next shard; None: at once
	alone  bool // there is no next shard
	halted bool // the source may have more
}

// NewMerge checks a spec and returns an operator without rows. A shard's source
// must be in the state after the run when the operator is visited.
func NewMerge(spec MergeSpec, shards ...Source) (*Merge, error) {
	m, err := newMerged(&spec, len(shards))
	if err != nil {
		return nil, err
	}
	o := &Merge{m: m, sources: shards, selQ16: 1 << 16}
	o.m.work.init(spec.Order)
	o.onPull = o.take
	return o, nil
}

// Name implements [Operator].
func (*Merge) Name() string { return "merge" }

// Ports implements [Operator].
func (o *Merge) Ports() int { return len(o.sources) }

// Bind implements [Binder].
func (o *Merge) Bind(at Place) error {
	if at.Cyclic {
		return ErrLimitInCycle
	}
	for _, s := range o.sources {
		if p, ok := s.(*Pull); ok && !at.Above(p.from) {
			return ErrNotAbove
		}
	}
	return nil
}

// Apply implements [Operator].
func (o *Merge) Apply(v *Visit, out *Out) error {
	m := &o.m
	if v.Hydrating {
		m.release()
	}
	changes, shard, err := o.gather(v)
	if err != nil {
		return err
	}
	if v.Hydrating {
		changes = nil // the shards are read with all of that in them
	}
	o.reading(v)
	o.step(changes, shard, v.Stats)
	o.reading(nil)
	sweepAfter(m.hold, v)
	for _, c := range o.changes {
		if c.Old != None {
			out.Emit(c.Old, -1)
		}
		if c.New != None {
			out.Emit(c.New, 1)
		}
	}
	out.Keyed()
	o.trimBuffers()
	return nil
}

// reading tells sources that read operators on whose behalf.
func (o *Merge) reading(v *Visit) {
	for _, s := range o.sources {
		if p, ok := s.(*Pull); ok {
			p.fc.Visit = v
		}
	}
}

// gather returns the changes of a visit and the shard they are of, None if of
// several; then o.from tells.
func (o *Merge) gather(v *Visit) (changes []Change, shard uint32, err error) {
	busy, shard := 0, None
	for p := range o.sources {
		if len(v.In(p)) > 0 {
			busy++
			shard = uint32(p)
		}
	}
	switch busy {
	case 0:
		return nil, None, nil
	case 1:
		changes, err = o.pairs.of(v.In(int(shard)), v.Keyed(int(shard)), o.m.keys)
		return changes, shard, err
	}
	o.diffs, o.from = o.diffs[:0], o.from[:0]
	for p := range o.sources {
		for _, d := range v.In(p) {
			o.diffs = append(o.diffs, d)
			if d.Weight > 0 {
				o.from = append(o.from, uint64(d.Row)<<32|uint64(p))
			}
		}
	}
	slices.Sort(o.from)
	changes, err = o.pairs.of(o.diffs, false, o.m.keys)
	return changes, None, err
}

// shardOf returns the shard a new version is of, as gathered.
func (o *Merge) shardOf(c Change, shard uint32) uint32 {
	if shard == None && c.New != None {
		shard, _ = lookup(o.from, c.New)
	}
	return shard
}

func (o *Merge) trimBuffers() {
	o.pairs.trim()
	if cap(o.diffs)+cap(o.from) > 2*keepDiffs {
		o.diffs, o.from = nil, nil
	}
	if cap(o.changes) > keepChanges {
		o.changes = nil
	}
}

// SetBounds moves the window. It shows with the next visit of the operator, for
// which the caller arranges (Graph.Touch); false if none is needed.
func (o *Merge) SetBounds(offset, limit uint32) bool {
	o.m.setBounds(offset, limit)
	return o.m.pending()
}

// Wants tells what is to be heard of a shard: changes with a side at or before
// the bound, both sides of them, or nothing, or everything. It holds from one
// run to the next.
func (o *Merge) Wants(shard int) (want Want, bound Slot) {
	switch s := &o.m.shards[shard]; {
	case s.done:
		return WantAll, None
	case s.hi == None:
		return WantNothing, None
	default:
		return WantUpTo, s.hi
	}
}

// PassInterest implements [Passer]: not the interest in what the merge emits,
// but its own in a shard.
func (o *Merge) PassInterest(port int, _ Interest) (in Interest, ok bool) {
	switch want, bound := o.Wants(port); want {
	case WantAll:
		return Everywhere, true
	case WantUpTo:
		return Interest{Order: o.m.order, Bound: bound}, true
	}
	// Nothing is held of the shard, so it does not matter where a batch is cut.
	return Interest{Order: o.m.order, Bound: None, Cap: 1}, true
}

// Delta implements [Positional].
func (o *Merge) Delta() *Delta { return &o.m.delta }

// Rows appends the rows last reported to dst, in order.
func (o *Merge) Rows(dst []uint32) []uint32 { return o.m.rows(dst) }

// Snapshot implements [Snapshotter].
func (o *Merge) Snapshot(out *Out) error {
	for _, row := range o.m.rows(nil) {
		out.Emit(row, 1)
	}
	return nil
}

// Stage implements [Stager]: the shards are read.
func (*Merge) Stage(int) bool { return false }

// Retained implements [Keeper].
func (o *Merge) Retained() int { return o.m.held.Len() }

// Bytes implements [Keeper].
func (o *Merge) Bytes() int {
	return o.m.bytes() + o.pairs.bytes() + 8*(cap(o.diffs)+cap(o.from)) + 12*cap(o.changes)
}

// Clear implements [Keeper].
func (o *Merge) Clear() {
	o.m.release()
	o.pairs = pairs{}
	o.diffs, o.from, o.changes = nil, nil, nil
}

func (o *Merge) releaseLarge() { o.m.delta = Delta{} }

func (o *Merge) pinned() int {
	n := 0
	for i := range o.m.shards {
		if o.m.shards[i].hi != None {
			n++
		}
	}
	return n
}
