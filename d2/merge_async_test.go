package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// letter is what a shard has sent: changes or an answer, with the shard's whole
// content at that moment.
type letter struct {
	changes []Change
	rows    []uint32
	end     bool
	answer  bool
	content []uint32
}

// remote is a shard with its two channels.
type remote struct {
	feed *ShardFeed
	down []ShardRequest
	up   []letter
	cut  []uint32 // its content when it sent the last letter taken in
}

// network is a merge of remote shards whose messages are on their way.
type network struct {
	w       *groupWorld
	m       *ShardMerge
	remotes []*remote
	mirror  []uint32
	kind    visible
}

func newNetwork(t *rapid.T, c *chance, w *groupWorld, kind visible, offset, limit uint32) *network {
	m, err := NewShardMerge(MergeSpec{
		Order: w, Keys: w, Pins: w, Offset: offset, Limit: limit, Equal: w.looks(kind), Cushion: someCushion(c), Hold: references{},
	}, w.groups)
	if err != nil {
		t.Fatal(err)
	}
	m.m.spare = c.intn(3)
	n := &network{w: w, m: m, kind: kind}
	for shard := range w.groups {
		n.remotes = append(n.remotes, &remote{
			feed: NewShardFeed(w, shardReader{groupReader{w, c.intn(2) == 0}, shard}, w),
		})
	}
	return n
}

// send puts what the machine asks for on its way.
func (n *network) send() {
	for _, r := range n.m.Requests() {
		n.remotes[r.Shard].down = append(n.remotes[r.Shard].down, r)
	}
}

// write applies a change at its shard and puts what is to be sent on its way.
func (n *network) write(c Change, shard int) {
	r := n.remotes[shard]
	if c, ok := r.feed.Forward(c); ok {
		r.up = append(r.up, letter{changes: []Change{c}, content: n.w.members(shard)})
	}
}

// serve lets a shard take in its next request.
func (n *network) serve(shard int) {
	r := n.remotes[shard]
	q := r.down[0]
	r.down = r.down[1:]
	if !q.Pull {
		r.feed.Lower(q.After)
		return
	}
	rows, end := r.feed.Pull(q.After, q.Want, nil)
	r.up = append(r.up, letter{answer: true, rows: rows, end: end, content: n.w.members(shard)})
}

// deliver lets the machine take in a shard's next letter, and checks it.
func (n *network) deliver(t *rapid.T, shard int) {
	r := n.remotes[shard]
	l := r.up[0]
	r.up = r.up[1:]
	r.cut = l.content
	var err error
	if l.answer {
		err = n.m.Answered(shard, l.rows, l.end)
	} else {
		err = n.m.Changed(shard, l.changes)
	}
	if err != nil {
		t.Fatal(err)
	}
	n.check(t)
	n.send()
}

// check: the window is exact for the cut, as far as it is known, and the delta
// is the defined one.
func (n *network) check(t *rapid.T) {
	cut := []uint32{}
	for _, r := range n.remotes {
		cut = append(cut, r.cut...)
	}
	slices.SortFunc(cut, n.w.Compare)
	m := &n.m.m
	checkMerged(t, n.w, m, "shards", func(shard int) []uint32 { return n.remotes[shard].cut }, true, 4*m.most())
	from, to := bounds(m.offset, m.limit, m.known)
	now := cut[from:to]
	want := n.w.oracleDelta(n.mirror, now, n.kind)
	if d := n.m.Delta(); !equalDeltas(d, &want) {
		t.Fatalf("old %v\n now %v\n got  %+v\n want %+v", n.mirror, now, *d, want)
	}
	checkDifferences(t, n.w.world, n.m.Changes(), n.mirror, now)
	n.mirror = splice(n.mirror, n.m.Delta())
	if !slices.Equal(n.mirror, now) || !slices.Equal(n.m.Rows(nil), now) {
		t.Fatalf("mirror %v, rows %v, want %v", n.mirror, n.m.Rows(nil), now)
	}
}

// idle tells whether nothing is on its way.
func (n *network) idle() bool {
	for _, r := range n.remotes {
		if len(r.down)+len(r.up) > 0 {
			return false
		}
	}
	return true
}

// Law: whatever the delays, the window is exact after every message, and
// complete once all have arrived.
func TestShardMerge_IsExactAfterEveryMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		for range 12 {
			networkHistory(t, c)
		}
	})
}

func networkHistory(t *rapid.T, c *chance) {
	w := newGroupWorld([]int{4, 9, 14}[c.intn(3)], 1+c.intn(4))
	values := []int{0, 1, 3, 20}[c.intn(4)]
	for k := range w.current {
		if c.intn(5) > 0 {
			w.place(k, k%w.groups, c.intn(values+1), c.intn(2))
		}
	}
	offset, limit := someBounds(c)
	n := newNetwork(t, c, w, visible(c.intn(3)), offset, limit)
	n.m.Start()
	n.check(t)
	n.send()
	slow := c.intn(w.groups) // this one's messages take longer
	for range 60 + c.intn(60) {
		shard := c.intn(w.groups)
		if shard == slow && c.intn(4) > 0 {
			continue
		}
		r := n.remotes[shard]
		switch op := c.intn(8); {
		case op == 0 && c.intn(3) == 0:
			offset, limit = someBounds(c)
			n.m.SetBounds(offset, limit)
			n.check(t)
			n.send()
		case op < 4:
			k := c.intn(len(w.current))
			if c.intn(3) == 0 && w.current[k] != None {
				n.write(w.del(k), k%w.groups)
			} else {
				n.write(w.place(k, k%w.groups, c.intn(values+1), c.intn(2)), k%w.groups)
			}
		case op < 6 && len(r.down) > 0:
			n.serve(shard)
		case len(r.up) > 0:
			n.deliver(t, shard)
		}
	}
	n.drain(t, c)
	if now := slice(w.union(), offset, limit); !n.m.Complete() || !slices.Equal(n.mirror, now) {
		t.Fatalf("%v after everything has arrived, want %v", n.mirror, now)
	}
	n.m.Clear()
	n.m.m.hold.(references).check(t, "shards", nil)
	for _, r := range n.remotes {
		r.feed.Lower(None)
	}
	if w.pinned() != 0 || n.m.Retained() != 0 {
		t.Fatalf("%d pins, %d rows left", w.pinned(), n.m.Retained())
	}
}

func (n *network) drain(t *rapid.T, c *chance) {
	for turns := 0; !n.idle(); turns++ {
		if turns > 10000 {
			t.Fatal("the machine goes on asking")
		}
		shard := c.intn(n.w.groups)
		r := n.remotes[shard]
		switch {
		case len(r.down) > 0 && (len(r.up) == 0 || c.intn(2) == 0):
			n.serve(shard)
		case len(r.up) > 0:
			n.deliver(t, shard)
		}
	}
}

func TestShardMerge_RefusesWhatDoesNotFit(t *testing.T) {
	n := numbers{}
	m, err := NewShardMerge(MergeSpec{Order: n, Keys: n, Pins: n, Limit: 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	m.Start()
	for _, c := range []struct {
		err, want error
	}{
		{m.Changed(2, nil), ErrNoShard},
		{m.Answered(-1, nil, true), ErrNoShard},
		{m.Answered(0, []uint32{5, 3}, false), ErrShardOrder},
		{m.Answered(0, []uint32{3, 5}, true), nil},
		{m.Answered(0, []uint32{7}, true), ErrUnasked},
		{m.Answered(1, []uint32{4}, true), nil},
	} {
		if c.err != c.want {
			t.Errorf("%v, want %v", c.err, c.want)
		}
	}
	if got := m.Rows(nil); !slices.Equal(got, []uint32{3, 4}) {
		t.Errorf("%v", got)
	}
}

func TestShardFeed_ForwardsWhatIsWithinItsBound(t *testing.T) {
	f := NewShardFeed(numbers{}, numbers{}.source([]uint32{1, 3, 5}), numbers{})
	forward := func(c, want Change) {
		t.Helper()
		if got, ok := f.Forward(c); ok != (want.Old != want.New) || ok && got != want {
			t.Errorf("%v becomes %v, want %v", c, got, want)
		}
	}
	nothing := Change{}
	forward(Change{2, 2, None}, nothing)
	if rows, end := f.Pull(None, 2, nil); !slices.Equal(rows, []uint32{1, 3}) || end {
		t.Errorf("%v, %v", rows, end)
	}
	forward(Change{2, None, 2}, Change{2, None, 2})
	forward(Change{2, 2, 4}, Change{2, 2, None})
	forward(Change{2, 4, 3}, Change{2, None, 3})
	forward(Change{2, None, 4}, nothing)
	f.Lower(4) // further than it reaches: no change
	forward(Change{2, None, 4}, nothing)
	if rows, end := f.Pull(3, 2, nil); !slices.Equal(rows, []uint32{5}) || !end {
		t.Errorf("%v, %v", rows, end)
	}
	forward(Change{9, None, 9}, Change{9, None, 9})
	f.Lower(2)
	forward(Change{9, None, 9}, nothing)
	forward(Change{2, 2, 9}, Change{2, 2, None})
	f.Lower(1)
	forward(Change{2, 2, 9}, nothing)
	f.Lower(None)
	forward(Change{1, 1, 9}, nothing)
}
