package d2

// step applies a batch and pending bounds, leaving the positional delta in
// m.delta and the differences in o.changes.
func (o *Merge) step(changes []Change, shard uint32, stats *RunStats) {
	m := &o.m
	pFrom, pTo := m.span(m.wasOffset, m.wasLimit)
	m.delta.reset(pTo-pFrom, 0)
	if o.rereadPays(len(changes)) {
		o.stepByReading(changes, pFrom, pTo, stats)
	} else {
		m.begin()
		for _, c := range changes {
			m.absorb(c, o.shardOf(c, shard))
		}
		m.settle(m.hold)
		m.place(m.hold)
		m.measure()
		if o.refill(stats) {
			m.rerank()
		}
		qFrom, qTo := m.span(m.offset, m.limit)
		m.delta.NewLen = uint32(qTo - qFrom)
		// What was pulled lies behind the old theta, so behind the old window: its
		// rows keep their numbers among those untouched.
		m.diffByRanks(pFrom, pTo, qFrom, qTo)
	}
	m.report(len(changes))
	m.trim(m.most(), nil)
	o.changes = m.delta.appendChanges(o.changes[:0])
}

func (o *Merge) refill(stats *RunStats) bool {
	m := &o.m
	need := m.need()
	if m.known >= need || len(m.heap) == 0 {
		return false
	}
	if !m.pending() {
		m.cushion.onRefill()
	}
	o.pull(need+m.cushion.rows, stats)
	stats.Refills++
	return true
}

// pull reads rows, always from the shard that is furthest behind, until so many
// are known.
func (o *Merge) pull(target int, stats *RunStats) {
	m := &o.m
	o.target = target
	// A source reads ahead as far as it is asked to: one row, then twice as many
	// while the shard remains the one furthest behind.
	last, want := None, 1
	for m.known < target && len(m.heap) > 0 {
		shard := m.heap[0]
		if want *= 2; shard != last {
			want = 1
		}
		last = shard
		next := m.second()
		o.alone, o.stop = next == None, None
		if !o.alone {
			o.stop = m.shards[next].hi
		}
		o.pulled, o.want, o.last, o.halted = 0, min(want, target-m.known), None, false
		scanned, end := o.sources[shard].Fetch(m.shards[shard].hi, o.want, o.onPull)
		stats.RowsFetched += o.pulled
		stats.RowsScanned += scanned
		if scanned > 0 {
			o.selQ16 = max(1, (3*o.selQ16+uint64(o.pulled)<<16/uint64(scanned))/4)
		}
		if end || o.pulled < o.want && !o.halted {
			m.shards[shard].done = true
			m.setHi(shard, None)
		} else {
			m.setHi(shard, o.last)
		}
		m.advanced()
		m.measure()
	}
}

// take is the yield of a pull. It goes on while its shard stays the one furthest
// behind and not enough rows are known.
func (o *Merge) take(slot Slot) bool {
	rank := o.m.put(slot)
	o.pulled++
	o.last = slot
	o.halted = o.pulled == o.want || rank+1 >= o.target ||
		!o.alone && (o.stop == None || o.m.order.Compare(slot, o.stop) > 0)
	return !o.halted
}

// rereadPays tells whether reading the shards again costs less than applying a
// batch; see the same of a window.
func (o *Merge) rereadPays(changes int) bool {
	want := o.m.need() + o.m.cushion.rows
	if o.refetch == refetchNever || want == 0 || o.m.limit == Unlimited {
		return false
	}
	return o.refetch == refetchAlways || uint64(changes)*o.selQ16 > uint64(want+len(o.sources))<<16
}

func (o *Merge) stepByReading(changes []Change, pFrom, pTo int, stats *RunStats) {
	m := &o.m
	m.work.slots = m.slice(pFrom, pTo, m.work.slots[:0])
	m.forget()
	o.pull(m.need()+m.cushion.rows, stats)
	m.cushion.low = noLow
	stats.Refetches++
	qFrom, qTo := m.span(m.offset, m.limit)
	m.delta.NewLen = uint32(qTo - qFrom)
	m.diffByState(changes, qFrom, qTo)
}
