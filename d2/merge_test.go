package d2

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// numbers is a table in which every slot is its own key and value.
type numbers struct{}

func (numbers) Compare(a, b Slot) int { return int(a) - int(b) }
func (numbers) KeyOf(s Slot) Key      { return s }
func (numbers) Pin(Slot)              {}
func (numbers) Unpin(Slot)            {}

func (numbers) source(values []uint32) Source {
	rows := NewOrdered(numbers{})
	for _, v := range values {
		rows.Insert(v)
	}
	return NewScanSource(rows, nil)
}

func TestMerge_AcceptanceCells(t *testing.T) {
	text, err := os.ReadFile("testdata/merge-cells.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cells []struct {
			Name  string
			Setup struct {
				Shards     [][]uint32
				N, Cushion uint32
			}
			Steps []struct {
				Action string
				Expect struct {
					Keys           []uint32
					MaxFetchedRows int
				}
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, cell := range file.Cells {
		shards := []Source{}
		for _, rows := range cell.Setup.Shards {
			shards = append(shards, numbers{}.source(rows))
		}
		op, err := NewMerge(MergeSpec{
			Order: numbers{}, Keys: numbers{}, Pins: numbers{}, Limit: cell.Setup.N,
			Cushion: Cushion{Fixed: true, Start: cell.Setup.Cushion},
		}, shards...)
		if err != nil {
			t.Fatal(err)
		}
		g := NewGraph()
		node, err := g.Add(op)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range cell.Steps {
			if step.Action != "hydrate" {
				t.Fatalf("%s: no such action: %s", cell.Name, step.Action)
			}
			if err := g.Hydrate(node); err != nil {
				t.Fatal(err)
			}
			if got := op.Rows(nil); !slices.Equal(got, step.Expect.Keys) {
				t.Errorf("%s: %v, want %v", cell.Name, got, step.Expect.Keys)
			}
			if got := g.LastRun().RowsFetched; got > step.Expect.MaxFetchedRows {
				t.Errorf("%s: %d rows fetched, at most %d", cell.Name, got, step.Expect.MaxFetchedRows)
			}
		}
	}
}

// shardReader reads one group of a world as a shard.
type shardReader struct {
	groupReader
	shard int
}

func (r shardReader) Fetch(after Slot, want int, yield func(Slot) bool) (scanned int, end bool) {
	class, bits := classOf(r.shard)
	return r.groupReader.Fetch(class, bits, after, want, yield)
}

// union is all rows that are in some shard, in order.
func (w *groupWorld) union() []uint32 {
	return slices.DeleteFunc(w.sequence(xIs{w.world, -1}), func(s uint32) bool { return w.grp[s] < 0 })
}

type mergeProbe struct {
	name   string
	op     *Merge
	mirror []uint32
}

func newMergeProbes(t *rapid.T, c *chance, w *groupWorld, kind visible, offset, limit uint32) []*mergeProbe {
	probes := []*mergeProbe{}
	add := func(name string, mode refetchMode) {
		shards := []Source{}
		for shard := range w.groups {
			shards = append(shards, shardReader{groupReader{w, c.intn(2) == 0}, shard})
		}
		op, err := NewMerge(MergeSpec{
			Order: w, Keys: w, Pins: w, Offset: offset, Limit: limit,
			Equal: w.looks(kind), Cushion: someCushion(c), Hold: references{},
		}, shards...)
		if err != nil {
			t.Fatal(err)
		}
		op.refetch, op.m.spare = mode, c.intn(3)
		probes = append(probes, &mergeProbe{name: name, op: op})
	}
	add("merge", refetchNever)
	add("read again", refetchAlways)
	add("by cost", refetchByCost)
	add("mixed", refetchNever)
	return probes
}

// shardBatches writes changes as a batch per shard, and moves some rows to
// another shard without changing them.
func (w *groupWorld) shardBatches(c *chance, batch []Change) [][]Diff {
	ports := make([][]Diff, w.groups)
	add := func(s Slot, shard int, weight int32) {
		if s != None && shard >= 0 {
			ports[shard] = append(ports[shard], Diff{s, weight})
		}
	}
	for _, ch := range batch {
		if ch.Old != None {
			add(ch.Old, w.grp[ch.Old], -1)
		}
		if ch.New != None {
			add(ch.New, w.grp[ch.New], 1)
		}
	}
	for range c.intn(3) {
		s := w.current[c.intn(len(w.current))]
		to := c.intn(w.groups)
		if s == None || to == w.grp[s] || slices.ContainsFunc(batch, func(ch Change) bool { return ch.New == s }) {
			continue
		}
		if w.grp[s] >= 0 && slices.ContainsFunc(ports[w.grp[s]], func(d Diff) bool { return d.Row == s }) {
			continue
		}
		add(s, w.grp[s], -1)
		add(s, to, 1)
		w.grp[s] = to
	}
	return ports
}

// Law: the merge's window is that of the union, its delta the defined one, its
// known rows an exact prefix, and what it pulls is bounded.
func TestMerge_EqualsTheWindowOfTheUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		for range 6 {
			mergeHistory(t, c)
		}
	})
}

func mergeHistory(t *rapid.T, c *chance) {
	w := newGroupWorld([]int{4, 9, 14}[c.intn(3)], []int{1, 2, 3, 6}[c.intn(4)])
	values := []int{0, 1, 3, 20}[c.intn(4)]
	kind := visible(c.intn(3))
	offset, limit := someBounds(c)
	w.fill(c, values)
	probes := newMergeProbes(t, c, w, kind, offset, limit)
	old := []uint32{}
	for step := range 8 + c.intn(40) {
		if c.intn(6) == 0 {
			offset, limit = someBounds(c)
			for _, p := range probes {
				p.op.SetBounds(offset, limit)
			}
		}
		probes[3].op.refetch = refetchMode(1 + c.intn(2))
		batch := w.changes(c, []int{0, 1, 1, 2, 4, 12}[c.intn(6)], values)
		ports := w.shardBatches(c, batch)
		now := slice(w.union(), offset, limit)
		want := w.oracleDelta(old, now, kind)
		for _, p := range probes {
			stepMerge(t, c, w, p, ports, step == 0, old, now, &want)
			checkBudget(t, w.world, p.op.Delta(), batch, old, now)
		}
		w.forget(batch)
		old = now
	}
	for _, p := range probes {
		p.op.Clear()
		p.op.m.hold.(references).check(t, p.name, nil)
		if p.op.Retained() != 0 || p.op.pinned() != 0 {
			t.Fatalf("%s: %d rows left", p.name, p.op.Retained())
		}
	}
	if w.pinned() != 0 {
		t.Fatalf("%d pins left", w.pinned())
	}
}

func stepMerge(t *rapid.T, c *chance, w *groupWorld, p *mergeProbe, ports [][]Diff, hydrate bool, old, now []uint32, want *Delta) {
	v := NewVisit(0, ports...)
	if v.Hydrating = hydrate && c.intn(2) == 0; v.Hydrating {
		v = NewVisit(0, make([][]Diff, w.groups)...)
		v.Hydrating = true
	}
	var out Out
	if err := p.op.Apply(v, &out); err != nil {
		t.Fatal(err)
	}
	if d := p.op.Delta(); !equalDeltas(d, want) {
		t.Fatalf("%s: ports %v\n old %v\n now %v\n got  %+v\n want %+v", p.name, ports, old, now, *d, *want)
	}
	p.mirror = splice(p.mirror, p.op.Delta())
	if got := p.op.Rows(nil); !slices.Equal(p.mirror, now) || !slices.Equal(got, now) {
		t.Fatalf("%s: mirror %v, rows %v, want %v", p.name, p.mirror, got, now)
	}
	changes, err := (&pairs{}).of(out.Diffs(), true, w)
	if err != nil {
		t.Fatal(err)
	}
	checkDifferences(t, w.world, changes, old, now)
	checkMerged(t, w, &p.op.m, p.name, w.members, len(p.op.m.heap) == 0, p.op.m.most())
	// The target is offset+limit and the cushion of the moment.
	if most := p.op.target + w.groups - 1; v.Stats.RowsFetched > most {
		t.Fatalf("%s: %d rows pulled, at most %d", p.name, v.Stats.RowsFetched, most)
	}
}

// checkMerged compares what a merge holds with the contents of its shards.
func checkMerged(t *rapid.T, w *groupWorld, m *merged, name string, contents func(shard int) []uint32, mayBeShort bool, most int) {
	held := m.slice(0, m.held.Len(), nil)
	m.hold.(references).check(t, name, held)
	all, inReach := []uint32{}, []uint32{}
	for i := range m.shards {
		rows := contents(i)
		all = append(all, rows...)
		for _, s := range rows {
			if m.reaches(uint32(i), s) {
				inReach = append(inReach, s)
			}
		}
	}
	slices.SortFunc(all, w.Compare)
	if m.known > len(all) || m.known > len(held) || !slices.Equal(held[:m.known], all[:m.known]) {
		t.Fatalf("%s: knows %d of %v, union %v", name, m.known, held, all)
	}
	for _, s := range inReach {
		if !slices.Contains(held, s) {
			t.Fatalf("%s: %d is within reach, held %v", name, s, held)
		}
	}
	if !mayBeShort && m.known < m.need() {
		t.Fatalf("%s: knows %d, needs %d", name, m.known, m.need())
	}
	if len(held) > most {
		t.Fatalf("%s: holds %d rows, at most %d", name, len(held), most)
	}
	for i := 1; i < len(m.heap); i++ {
		if m.before(m.heap[i], m.heap[(i-1)/2]) {
			t.Fatalf("%s: the shards are out of order", name)
		}
	}
}

func TestMerge_ChecksItsSpec(t *testing.T) {
	n := numbers{}
	source := n.source(nil)
	for _, c := range []struct {
		spec   MergeSpec
		shards []Source
		want   error
	}{
		{MergeSpec{Keys: n, Pins: n}, []Source{source}, ErrNoOrder},
		{MergeSpec{Order: n, Pins: n}, []Source{source}, ErrNoOrder},
		{MergeSpec{Order: n, Keys: n}, []Source{source}, ErrNoPins},
		{MergeSpec{Order: n, Keys: n, Pins: n}, nil, ErrNoShards},
	} {
		if _, err := NewMerge(c.spec, c.shards...); err != c.want {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}
