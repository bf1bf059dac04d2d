package main

import (
	"millrace.dev/millrace/d2"
	histories "millrace.dev/millrace/tests/workload"
)

// mergeRow is a line of the table of sharded windows. All of it is counted.
type mergeRow struct {
	Shards int    `json:"shards"`
	Layout string `json:"layout"`
	Limit  int    `json:"limit"`
	// Worst is what filling costs if each shard keeps a window and a cushion.
	Worst  int       `json:"worst"`
	Single mergeCell `json:"single"` // the operator: one row at a time
	Gallop mergeCell `json:"gallop"` // the machine for shards that answer later
}

type mergeCell struct {
	Fetched int     `json:"fetched"` // rows, by the first filling
	Rounds  int     `json:"rounds"`  // of requests, by the first filling
	Held    int     `json:"held"`    // rows, after all changes
	Rows    float64 `json:"rows"`    // fetched per 1,000 changes
	Pulls   float64 `json:"pulls"`   // refills, or rounds of requests, per 1,000 changes
}

const (
	mergeRows    = 100_000
	mergeChanges = 40_000
)

func mergeTable() []mergeRow {
	var table []mergeRow
	for _, shards := range []int{4, 16, 64} {
		for _, l := range histories.Layouts() {
			for _, limit := range []int{50, 500} {
				row := mergeRow{Shards: shards, Layout: l.Name, Limit: limit}
				first := newSharded(shards, l, limit)
				for _, shard := range first.shards {
					row.Worst += min(shard.Len(), limit+limit/5)
				}
				row.Single = first.byOperator()
				row.Gallop = newSharded(shards, l, limit).byMessages()
				table = append(table, row)
			}
		}
	}
	return table
}

// sharded is a table whose rows are in shards, each with its index.
type sharded struct {
	*arena
	home   []int // by key: the shard it stays in
	shards []*d2.Ordered
	spec   d2.MergeSpec
}

func newSharded(shards int, l histories.Layout, limit int) *sharded {
	x := &sharded{arena: newArena(mergeRows, limit, histories.Churn, 8)}
	x.home = make([]int, mergeRows)
	chance := histories.NewChance(7)
	members := make([][]uint32, shards)
	for rank := range x.index.Len() {
		slot, home := x.index.At(rank), l.Shard(chance, rank, mergeRows, shards)
		x.home[x.t.key[slot]] = home
		members[home] = append(members[home], slot)
	}
	for _, slots := range members {
		shard := d2.NewOrdered(x.t)
		shard.Load(slots)
		x.shards = append(x.shards, shard)
	}
	x.spec = d2.MergeSpec{
		Order: x.t, Keys: x.t, Pins: x.t, Limit: uint32(limit),
		Cushion: d2.Cushion{Fixed: true, Start: uint32(limit / 5)},
	}
	return x
}

// stores returns the nodes of the shards, and how they are read.
func (x *sharded) stores() (stores []*d2.Store, sources []d2.Source) {
	for _, index := range x.shards {
		store := d2.NewStore(part{index})
		store.AddOrder(x.t, index)
		stores, sources = append(stores, store), append(sources, must1(d2.NewPull(store, x.t)))
	}
	return stores, sources
}

// part is the rows of a shard.
type part struct{ *d2.Ordered }

func (p part) Each(yield func(row uint32) bool) {
	for rank := range p.Len() {
		if !yield(p.At(rank)) {
			return
		}
	}
}

// byOperator merges the shards in a graph.
func (x *sharded) byOperator() mergeCell {
	s := newScene(x.t.checksum)
	stores, sources := x.stores()
	merge := must1(d2.NewMerge(x.spec, sources...))
	in := make([]d2.NodeID, len(x.shards))
	var node d2.NodeID
	s.extend(func(b *d2.Builder) {
		for i := range in {
			in[i] = b.Add(stores[i])
		}
		node = b.Add(merge, in...)
		s.output(b, node)
	})
	must(s.graph.Touch(node))
	s.rest()
	cell := mergeCell{Fetched: s.graph.LastRun().RowsFetched}
	rows, refills := 0, 0
	batch := make([]d2.Change, 1)
	for range mergeChanges {
		c := x.next()
		shard := x.home[c.Key]
		follow(x.shards[shard], c)
		batch[0] = c
		s.changes(in[shard], batch)
		s.rest()
		x.t.settle(batch)
		rows += s.graph.LastRun().RowsFetched
		refills += s.graph.LastRun().Refills
	}
	cell.Held = merge.Retained()
	cell.Rows = float64(rows) * 1000 / mergeChanges
	cell.Pulls = float64(refills) * 1000 / mergeChanges
	return cell
}

// byMessages merges the shards by requests and answers, each of which arrives at
// once.
func (x *sharded) byMessages() mergeCell {
	m := must1(d2.NewShardMerge(x.spec, len(x.shards)))
	feeds := make([]*d2.ShardFeed, len(x.shards))
	_, sources := x.stores()
	for i, source := range sources {
		feeds[i] = d2.NewShardFeed(x.t, source, x.t)
	}
	var queue []d2.ShardRequest
	serve := func() {
		queue = append(queue[:0], m.Requests()...)
		for i := 0; i < len(queue); i++ {
			r := queue[i]
			if !r.Pull {
				feeds[r.Shard].Lower(r.After)
				continue
			}
			rows, end := feeds[r.Shard].Pull(r.After, r.Want, nil)
			must(m.Answered(r.Shard, rows, end))
			queue = append(queue, m.Requests()...)
		}
	}
	m.Start()
	serve()
	stats := m.Stats()
	cell := mergeCell{Fetched: stats.Rows, Rounds: stats.Rounds}
	for range mergeChanges {
		c := x.next()
		shard := x.home[c.Key]
		follow(x.shards[shard], c)
		if told, ok := feeds[shard].Forward(c); ok {
			must(m.Changed(shard, []d2.Change{told}))
			serve()
		}
		x.t.settle([]d2.Change{c})
	}
	now := m.Stats()
	cell.Held = m.Retained()
	cell.Rows = float64(now.Rows-stats.Rows) * 1000 / mergeChanges
	cell.Pulls = float64(now.Rounds-stats.Rounds) * 1000 / mergeChanges
	return cell
}
