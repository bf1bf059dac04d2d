package d2

import (
	"slices"
	"testing"

	"millrace.dev/millrace/tests/workload"
)

// mergeBench is a merge in a graph over shards of size rows each; row k has the
// value 2k and lies in shard k modulo shards. The shards are indexes that a
// writer keeps.
type mergeBench struct {
	*groupWorld
	g      *Graph
	ins    []NodeID
	node   NodeID
	op     *Merge
	index  []*Ordered
	shards int
}

func newMergeBench(t testing.TB, shards, size int, spec MergeSpec) *mergeBench {
	w := newGroupWorld(shards*size, shards)
	b := &mergeBench{groupWorld: w, g: NewGraph(), shards: shards}
	spec.Order, spec.Keys, spec.Pins = w, w, w
	sources := []Source{}
	for range shards {
		b.index = append(b.index, NewOrdered(w))
		sources = append(sources, NewScanSource(b.index[len(b.index)-1], nil))
	}
	for k := range shards * size {
		b.index[k%shards].Insert(w.place(k, k%shards, 2*k, 0).New)
	}
	var err error
	if b.op, err = NewMerge(spec, sources...); err != nil {
		t.Fatal(err)
	}
	for range shards {
		in, _ := b.g.Add(NewInput(nil))
		b.ins = append(b.ins, in)
	}
	if b.node, err = b.g.Add(b.op, b.ins...); err != nil {
		t.Fatal(err)
	}
	if _, err := b.g.addOutput(b.node, &last{}, w); err != nil {
		t.Fatal(err)
	}
	if err := b.g.Hydrate(b.node); err != nil {
		t.Fatal(err)
	}
	w.compares = 0
	return b
}

// run brings changes of one shard to its index and the graph.
func (b *mergeBench) run(shard int, batch ...Change) RunStats {
	for _, c := range batch {
		if c.Old != None {
			b.index[shard].Delete(c.Old)
		}
		if c.New != None {
			b.index[shard].Insert(c.New)
		}
	}
	_ = b.g.PushChanges(b.ins[shard], batch)
	stats, _ := b.g.Run()
	return stats
}

func TestMerge_ReadsEachRowOnceAndOneMorePerShard(t *testing.T) {
	b := newMergeBench(t, 8, 500, MergeSpec{Limit: 50, Cushion: Cushion{Fixed: true, Start: 10}})
	if got := b.g.LastRun(); got.RowsFetched != 50+10+7 || got.RowsScanned != 50+10+7 {
		t.Errorf("%+v", got)
	}
	// The head of the union goes, ten rows and the eleventh.
	fetched := 0
	for k := range 11 {
		fetched += b.run(k%8, b.del(k)).RowsFetched
	}
	if fetched != 11 {
		t.Errorf("%d rows fetched for 11 that left", fetched)
	}
	if got := b.g.Counters(); got.Retained != b.op.Retained() || b.op.Retained() != 67 {
		t.Errorf("%+v", got)
	}
}

// counting counts the rows read from a source.
type counting struct {
	Source
	rows int
}

func (s *counting) Fetch(after Slot, want int, yield func(Slot) bool) (int, bool) {
	return s.Source.Fetch(after, want, func(slot Slot) bool {
		s.rows++
		return yield(slot)
	})
}

func TestMerge_ShardsThatDoNotMatterAreNotRead(t *testing.T) {
	shards := []*counting{}
	sources := []Source{}
	heads := NewOrdered(numbers{})
	for k := range uint32(500) {
		heads.Insert(k)
	}
	shards = append(shards, &counting{Source: NewScanSource(heads, nil)})
	for range 3 {
		shards = append(shards, &counting{Source: numbers{}.source([]uint32{9000 + uint32(len(shards)), 9100, 9200})})
	}
	for _, s := range shards {
		sources = append(sources, s)
	}
	op, err := NewMerge(MergeSpec{
		Order: numbers{}, Keys: numbers{}, Pins: numbers{}, Limit: 20, Cushion: Cushion{Fixed: true, Start: 5},
	}, sources...)
	if err != nil {
		t.Fatal(err)
	}
	batch := []Diff{}
	for k := range uint32(101) {
		if err := op.Apply(NewVisit(0, batch, nil, nil, nil), &Out{}); err != nil {
			t.Fatal(err)
		}
		heads.Delete(k)
		batch = []Diff{{k, -1}}
	}
	if got := op.Rows(nil); got[0] != 100 || len(got) != 20 {
		t.Errorf("%v", got)
	}
	for i, s := range shards[1:] {
		if s.rows != 1 {
			t.Errorf("%d rows read of shard %d", s.rows, i+1)
		}
	}
	// 25 at first, then six whenever six are gone.
	if got := shards[0].rows; got != 25+6*16 {
		t.Errorf("%d rows read of the first shard", got)
	}
}

func TestMerge_TrimsAndLowersFrontiers(t *testing.T) {
	b := newMergeBench(t, 3, 200, MergeSpec{Limit: 10, Cushion: Cushion{Fixed: true, Start: 2}})
	most := 10 + 3*2 + 2*3 + 16
	for k := 599; k > 500; k-- {
		b.run(k%3, b.place(k, k%3, -k, 0))
		if got := b.op.Retained(); got > most {
			t.Fatalf("%d rows held, at most %d", got, most)
		}
	}
	if got := b.g.Counters(); got.Pinned != 3 || b.pinned() != 3 {
		t.Errorf("%+v", got)
	}
	for shard := range 3 {
		if want, at := b.op.Wants(shard); want != WantUpTo || b.v[at] > -500 {
			t.Errorf("shard %d wants %v up to %d", shard, want, b.v[at])
		}
	}
	rows, _ := b.g.Snapshot(b.node)
	if len(rows) != 10 || len(b.op.Rows(nil)) != 10 {
		t.Errorf("%d rows", len(rows))
	}
	if err := b.g.Drop(b.node); err != nil {
		t.Fatal(err)
	}
	if b.pinned() != 0 || b.op.Retained() != 0 {
		t.Errorf("%d pins, %d rows left", b.pinned(), b.op.Retained())
	}
}

func TestMerge_ARunAllocatesNothing(t *testing.T) {
	b := newMergeBench(t, 4, 500, MergeSpec{Limit: 50})
	for _, c := range []struct {
		name  string
		there Change
		shard int
	}{
		{"within", b.place(8, 0, 31, 0), 0},
		{"out of the window and back", b.place(9, 1, 1501, 0), 1},
		{"beyond", b.place(1900, 0, 3801, 0), 0},
	} {
		batch := []Change{c.there}
		back := Change{c.there.Key, c.there.New, c.there.Old}
		if n := testing.AllocsPerRun(100, func() {
			b.run(c.shard, batch...)
			batch[0], back = back, batch[0]
		}); n > 0 {
			t.Errorf("%s: %v allocations per run", c.name, n)
		}
		if len(batch) == 1 && batch[0] == c.there {
			continue
		}
		b.run(c.shard, batch...)
	}
}

func TestMerge_AChangeBeyondTheFrontiersCostsTwoComparisons(t *testing.T) {
	b := newMergeBench(t, 4, 500, MergeSpec{Limit: 50})
	batch := []Change{b.place(1900, 0, 3801, 0)}
	b.compares = 0
	_ = b.g.PushChanges(b.ins[0], batch)
	stats, _ := b.g.Run()
	if stats.RowsFetched > 0 || b.compares > 2+7 {
		// Counting the rows known looks for theta among those held.
		t.Errorf("%d comparisons, %+v", b.compares, stats)
	}
}

func TestMerge_LargeBatchesAreReadAgain(t *testing.T) {
	b := newMergeBench(t, 4, 500, MergeSpec{Limit: 50})
	batch := []Change{}
	for k := 0; k < 1600; k += 4 {
		batch = append(batch, b.place(k, 0, 9000-k, 0))
	}
	if stats := b.run(0, batch...); stats.Refetches != 1 || stats.RowsFetched != 60+3 || stats.Refills != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestShardMerge_AsksInRoundsForMoreEachTime(t *testing.T) {
	// One shard owns the top: what the others are asked for is in vain.
	feeds := []*ShardFeed{}
	for shard := range uint32(16) {
		rows := []uint32{}
		for k := range uint32(200) {
			rows = append(rows, shard*1000+k)
		}
		feeds = append(feeds, NewShardFeed(numbers{}, numbers{}.source(rows), numbers{}))
	}
	spec := MergeSpec{Order: numbers{}, Keys: numbers{}, Pins: numbers{}, Limit: 50, Cushion: Cushion{Fixed: true, Start: 10}}
	m, err := NewShardMerge(spec, len(feeds))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[int][]int{}
	m.Start()
	for sent := slices.Clone(m.Requests()); len(sent) > 0; sent = sent[1:] {
		r := sent[0]
		if !r.Pull {
			feeds[r.Shard].Lower(r.After)
			continue
		}
		asked[r.Shard] = append(asked[r.Shard], r.Want)
		rows, end := feeds[r.Shard].Pull(r.After, r.Want, nil)
		if err := m.Answered(r.Shard, rows, end); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, m.Requests()...)
	}
	if got := m.Rows(nil); len(got) != 50 || got[49] != 49 || !m.Complete() {
		t.Errorf("%v", got)
	}
	// Its share of 60, twice that, and so on, but not more than is missing.
	if got := asked[0]; !slices.Equal(got, []int{4, 8, 16, 32}) {
		t.Errorf("asked the owner for %v", got)
	}
	if got := asked[15]; !slices.Equal(got, []int{4}) {
		t.Errorf("asked the last for %v", got)
	}
	if got := m.Stats(); got.Rounds != 4 || got.Pulls > 40 || got.Rows > 310 || got.Lowers != 15 {
		t.Errorf("%+v", got)
	}
	if got := m.Retained(); got != 60 || m.Bytes() == 0 {
		t.Errorf("%d rows in %d bytes", got, m.Bytes())
	}
}

// Law: under churn at the top of a sharded table, rows are fetched about once
// per row that leaves, and rounds are few.
func TestMerge_ChurnCostsWhatLeaves(t *testing.T) {
	const rows, shards, limit, changes = 4000, 16, 50, 1000
	for _, layout := range workload.Layouts() {
		b := newBoard(rows)
		spec := MergeSpec{
			Order: b, Keys: b, Pins: numbers{}, Limit: limit, Cushion: Cushion{Fixed: true, Start: limit / 5},
		}
		home := make([]int, rows) // by key
		parts := make([]*Ordered, shards)
		sources, feeds := []Source{}, []*ShardFeed{}
		for i := range parts {
			parts[i] = NewOrdered(b)
			sources = append(sources, NewScanSource(parts[i], nil))
			feeds = append(feeds, NewShardFeed(b, sources[i], numbers{}))
		}
		c := workload.NewChance(3)
		for k := range home {
			home[k] = layout.Shard(c, k, rows, shards)
			parts[home[k]].Insert(uint32(k))
		}
		near, err := NewMerge(spec, sources...)
		if err != nil {
			t.Fatal(err)
		}
		far, err := NewShardMerge(spec, shards)
		if err != nil {
			t.Fatal(err)
		}
		serve := func() {
			for sent := slices.Clone(far.Requests()); len(sent) > 0; sent = sent[1:] {
				r := sent[0]
				if !r.Pull {
					feeds[r.Shard].Lower(r.After)
					continue
				}
				got, end := feeds[r.Shard].Pull(r.After, r.Want, nil)
				if err := far.Answered(r.Shard, got, end); err != nil {
					t.Fatal(err)
				}
				sent = append(sent, far.Requests()...)
			}
		}
		far.Start()
		serve()
		v := NewVisit(0, make([][]Diff, shards)...)
		_ = near.Apply(v, &Out{})
		hydrated, before := v.Stats.RowsFetched, far.Stats()
		h := workload.Churn.Start(rows, limit, 5)
		for range changes {
			change := b.play(h.Next(b))
			shard := home[change.Key]
			parts[shard].Delete(change.Old)
			parts[shard].Insert(change.New)
			batch := make([][]Diff, shards)
			batch[shard] = []Diff{{change.Old, -1}, {change.New, 1}}
			v.ports = NewVisit(0, batch...).ports
			if err := near.Apply(v, &Out{}); err != nil {
				t.Fatal(err)
			}
			if c, ok := feeds[shard].Forward(change); ok {
				if err := far.Changed(shard, []Change{c}); err != nil {
					t.Fatal(err)
				}
				serve()
			}
			want := []uint32{}
			for rank := range limit {
				want = append(want, b.rows.At(rank))
			}
			if !slices.Equal(near.Rows(nil), want) || !slices.Equal(far.Rows(nil), want) {
				t.Fatalf("%s: %v and %v, want %v", layout.Name, near.Rows(nil), far.Rows(nil), want)
			}
		}
		got := far.Stats()
		t.Logf("%-24s in process %d rows, then %d; by messages %d rows in %d rounds, then %d in %d", layout.Name,
			hydrated, v.Stats.RowsFetched-hydrated, before.Rows, before.Rounds, got.Rows-before.Rows, got.Rounds-before.Rounds)
		if hydrated > limit+limit/5+shards-1 || before.Rounds > 5 || before.Rows > 320 {
			t.Errorf("%s: %d rows at first; %+v", layout.Name, hydrated, before)
		}
		if rows := v.Stats.RowsFetched - hydrated; rows > changes/2 {
			t.Errorf("%s: %d rows read in %d changes", layout.Name, rows, changes)
		}
		if rounds := got.Rounds - before.Rounds; rounds > changes/5 {
			t.Errorf("%s: %d rounds in %d changes", layout.Name, rounds, changes)
		}
	}
}
