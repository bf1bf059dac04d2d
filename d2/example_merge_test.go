package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// marks is a table in which a row is its own key and value.
type marks struct{}

func (marks) Compare(a, b d2.Slot) int  { return int(a) - int(b) }
func (marks) KeyOf(slot d2.Slot) d2.Key { return slot }
func (marks) Pin(d2.Slot)               {}
func (marks) Unpin(d2.Slot)             {}
func (marks) shard(rows ...uint32) *d2.Ordered {
	index := d2.NewOrdered(marks{})
	for _, row := range rows {
		index.Insert(row)
	}
	return index
}

// The first four rows of three shards, without holding the shards.
func ExampleMerge() {
	shards := []*d2.Ordered{
		marks{}.shard(1, 5, 9, 13),
		marks{}.shard(2, 6, 10, 14),
		marks{}.shard(100, 101),
	}
	sources := []d2.Source{}
	for _, rows := range shards {
		sources = append(sources, d2.NewScanSource(rows, nil))
	}
	op, err := d2.NewMerge(d2.MergeSpec{
		Order: marks{}, Keys: marks{}, Pins: marks{}, Limit: 4,
		Cushion: d2.Cushion{Fixed: true, Start: 1},
	}, sources...)
	if err != nil {
		fmt.Println(err)
		return
	}
	g := d2.NewGraph()
	merge, _ := g.Add(op)
	_ = g.Hydrate(merge)
	fmt.Println(op.Rows(nil), "after reading", g.LastRun().RowsFetched)

	// A row comes to the third shard before what has been read of it, and one of
	// the second, beyond that, is not told.
	shards[2].Insert(3)
	shards[1].Insert(12)
	_ = g.Push(merge, 2, []d2.Diff{{Row: 3, Weight: 1}})
	_ = g.Push(merge, 1, []d2.Diff{{Row: 12, Weight: 1}})
	stats, _ := g.Run()
	fmt.Println(op.Rows(nil), "after reading", stats.RowsFetched)

	// Output:
	// [1 2 5 6] after reading 7
	// [1 2 3 5] after reading 0
}

// The same over shards that answer later.
func ExampleShardMerge() {
	shards := []*d2.Ordered{marks{}.shard(1, 5, 9, 13), marks{}.shard(2, 6, 10, 14)}
	feeds := []*d2.ShardFeed{}
	for _, rows := range shards {
		feeds = append(feeds, d2.NewShardFeed(marks{}, d2.NewScanSource(rows, nil), marks{}))
	}
	m, err := d2.NewShardMerge(d2.MergeSpec{
		Order: marks{}, Keys: marks{}, Pins: marks{}, Limit: 3, Cushion: d2.Cushion{Fixed: true, Start: 1},
	}, len(feeds))
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Start()
	sent := append([]d2.ShardRequest(nil), m.Requests()...)
	for ; len(sent) > 0; sent = sent[1:] {
		r := sent[0]
		fmt.Printf("shard %d is asked for %d rows\n", r.Shard, r.Want)
		rows, end := feeds[r.Shard].Pull(r.After, r.Want, nil)
		_ = m.Answered(r.Shard, rows, end)
		sent = append(sent, m.Requests()...)
		fmt.Println(m.Rows(nil), m.Complete())
	}

	// Of two changes the shard sends the one that is within what it has answered.
	for _, change := range []d2.Change{{Key: 3, Old: d2.None, New: 3}, {Key: 50, Old: d2.None, New: 50}} {
		shards[1].Insert(change.New)
		if change, ok := feeds[1].Forward(change); ok {
			_ = m.Changed(1, []d2.Change{change})
			fmt.Println(m.Rows(nil), m.Complete())
		}
	}

	// Output:
	// shard 0 is asked for 2 rows
	// [] false
	// shard 1 is asked for 2 rows
	// [1 2 5] true
	// shard 0 is asked for 1 rows
	// [1 2 5] true
	// [1 2 3] true
}
