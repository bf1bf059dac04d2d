package d2

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// recorder is a sink that builds a mirror: a sequence behind windows, a set
// behind anything else.
type recorder struct {
	t        interface{ Fatalf(string, ...any) }
	mirror   []uint32
	received int
	fails    []error
	boom     bool
}

func (r *recorder) Receive(res *Result) {
	changes, delta := res.Changes, res.Delta
	r.received++
	if r.boom {
		panic("sink")
	}
	if len(changes) == 0 || len(r.fails) > 0 {
		r.t.Fatalf("called with %d changes after %d failures", len(changes), len(r.fails))
	}
	if delta != nil {
		r.mirror = splice(r.mirror, delta)
		return
	}
	for _, c := range changes {
		if c.Old != None {
			i := slices.Index(r.mirror, c.Old)
			if i < 0 {
				r.t.Fatalf("-%d was never added", c.Old)
			}
			r.mirror = slices.Delete(r.mirror, i, i+1)
		}
		if c.New != None {
			r.mirror = append(r.mirror, c.New)
		}
	}
}

func (r *recorder) Fail(err error) { r.fails = append(r.fails, err) }

// descending turns the order of values, not that of keys.
type descending struct{ *world }

func (d descending) Compare(a, b Slot) int {
	if d.v[d.read(a)] != d.v[d.read(b)] {
		return d.v[b] - d.v[a]
	}
	return d.key[a] - d.key[b]
}

// faulty is a predicate that can be told to fail.
type faulty struct {
	xIs
	fault *int // 1: error, 2: panic, 3: not a subsequence
}

func (f faulty) Select(slots, keep []uint32) ([]uint32, error) {
	switch *f.fault {
	case 1:
		return keep, errTest
	case 2:
		panic(OrderFault{errTest})
	case 3:
		return append(keep, 1<<30), nil
	}
	return f.xIs.Select(slots, keep)
}

// kind is the operator of a shadow.
type kind int

const (
	isInput kind = iota
	isFilter
	isWindow
	isOutput
)

// shadow is what a test knows of a node: enough to recompute its rows.
type shadow struct {
	id            NodeID
	in            *shadow
	kind          kind
	pred          xIs
	fault         int
	order         Order
	offset, limit uint32
	sink          *recorder
	rows, was     []uint32 // after the last run, and before it
	moved, failed bool
}

func (s *shadow) recompute(w *world) []uint32 {
	switch s.kind {
	case isInput:
		return w.sequence(xIs{w, -1})
	case isFilter:
		rows := []uint32{}
		for _, r := range s.in.recompute(w) {
			if s.pred.pass(r) {
				rows = append(rows, r)
			}
		}
		return rows
	case isWindow:
		rows := slices.Clone(s.in.recompute(w))
		slices.SortFunc(rows, s.order.Compare)
		return slice(rows, s.offset, s.limit)
	}
	return s.in.recompute(w)
}

// ordered tells whether the rows of a node have a sequence.
func (s *shadow) ordered() bool {
	return s.kind == isWindow || s.kind == isOutput && s.in.ordered()
}

func sameRows(a, b []uint32, ordered bool) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	if !ordered {
		slices.Sort(a)
		slices.Sort(b)
	}
	return slices.Equal(a, b)
}

// garden is a random graph with its shadow.
type garden struct {
	t     *rapid.T
	c     *chance
	w     *world
	g     *Graph
	nodes []*shadow
}

func (d *garden) must(err error) {
	if err != nil {
		d.t.Fatalf("%v", err)
	}
}

// grow adds a node behind a random one and hydrates it.
func (d *garden) grow() {
	in := d.nodes[d.c.intn(len(d.nodes))]
	if in.failed {
		if _, err := d.g.addFilter(in.id, in.pred); err != ErrFailed {
			d.t.Fatalf("%v", err)
		}
		return
	}
	n := &shadow{in: in, kind: isFilter + kind(d.c.intn(3))}
	var err error
	switch n.kind {
	case isFilter:
		n.pred = xIs{d.w, d.c.intn(2)}
		n.id, err = d.g.addFilter(in.id, faulty{n.pred, &n.fault})
	case isWindow:
		n.order = d.w
		if d.c.intn(3) == 0 {
			n.order = descending{d.w}
		}
		n.offset, n.limit = someBounds(d.c)
		spec := WindowSpec{Order: n.order, Keys: d.w, Offset: n.offset, Limit: n.limit, Cushion: someCushion(d.c)}
		if n.order == d.w && (in.kind == isInput || in.kind == isFilter && in.in.kind == isInput) {
			p := in.pred
			if in.kind == isInput {
				p = xIs{d.w, -1}
			}
			spec.Source, spec.Pins = NewScanSource(d.w.rows, p), d.w
		}
		n.id, err = d.g.addWindow(in.id, spec)
	case isOutput:
		n.sink = &recorder{t: d.t}
		n.id, err = d.g.addOutput(in.id, n.sink, d.w)
	}
	d.must(err)
	d.nodes = append(d.nodes, n)
	d.hydrate(n)
}

func (d *garden) hydrate(n *shadow) {
	n.rows = n.recompute(d.w)
	switch n.kind {
	case isWindow:
		rows, err := d.g.LoadWindow(n.id, n.in.recompute(d.w))
		d.must(err)
		if !slices.Equal(rows, n.rows) {
			d.t.Fatalf("hydrated %v, want %v", rows, n.rows)
		}
	case isOutput:
		n.sink.mirror, n.sink.fails = slices.Clone(n.rows), nil
	}
}

func (d *garden) prune() {
	i := d.c.intn(len(d.nodes))
	if i == 0 {
		return
	}
	d.must(d.g.Drop(d.nodes[i].id))
	gone := map[*shadow]bool{d.nodes[i]: true}
	d.nodes = slices.DeleteFunc(d.nodes, func(n *shadow) bool {
		gone[n] = gone[n] || gone[n.in]
		return gone[n]
	})
}

func (d *garden) run() {
	batch := d.w.batch(d.c, []int{0, 1, 2, 9}[d.c.intn(4)], 3)
	if cut := d.c.intn(len(batch) + 1); d.c.intn(2) == 0 {
		d.must(d.g.PushChanges(d.nodes[0].id, batch[:cut]))
		d.must(d.g.PushChanges(d.nodes[0].id, batch[cut:]))
	} else {
		d.must(d.g.PushChanges(d.nodes[0].id, batch))
	}
	stats, err := d.g.Run()
	d.must(err)
	visits := 0
	for _, n := range d.nodes {
		if n.in != nil {
			n.failed = n.failed || n.in.failed
		}
		n.was, n.rows = n.rows, n.recompute(d.w)
		// A node takes part if its source's rows changed or its bounds did.
		if n.in != nil && !n.failed && (n.moved || !sameRows(n.in.was, n.in.rows, false)) {
			if n.fault != 0 {
				n.failed = true
			}
			visits++
		}
		n.moved = false
		if got := d.g.Failed(n.id); (got != nil) != n.failed {
			d.t.Fatalf("node %d failed: %v, want %v", n.id, got, n.failed)
		}
		if n.sink == nil {
			continue
		}
		if n.failed {
			var ne *NodeError
			if len(n.sink.fails) != 1 || !errors.As(n.sink.fails[0], &ne) {
				d.t.Fatalf("failures reported: %v", n.sink.fails)
			}
			continue
		}
		if len(n.sink.fails) != 0 || !sameRows(n.sink.mirror, n.rows, n.ordered()) {
			d.t.Fatalf("node %d has %v, want %v (%v)", n.id, n.sink.mirror, n.rows, n.sink.fails)
		}
	}
	if stats.Visits != visits {
		d.t.Fatalf("%d visits, want %d", stats.Visits, visits)
	}
	d.w.forget(batch)
}

// repair resets failed nodes below healthy ones.
func (d *garden) repair() {
	for _, n := range d.nodes {
		if !n.failed {
			continue
		}
		if n.in.failed {
			if err := d.g.Reset(n.id); err != ErrUpstream {
				d.t.Fatalf("%v", err)
			}
			continue
		}
		n.fault = 0
		d.must(d.g.Reset(n.id))
		below := map[*shadow]bool{n: true}
		for _, m := range d.nodes {
			if below[m] || below[m.in] {
				below[m] = true
				m.failed, m.moved = false, false
				d.hydrate(m)
			}
		}
	}
}

// Laws: every output equals recomputation; exactly the affected operators are
// visited; failures stay where they are; nothing is left after dropping all.
func TestGraph_RandomGraphsEqualRecomputation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		d := &garden{t: t, c: c, w: newWorld(9), g: NewGraph()}
		d.w.fill(c, 3)
		id, err := d.g.addInput()
		d.must(err)
		d.nodes = []*shadow{{id: id, kind: isInput, rows: d.w.sequence(xIs{d.w, -1})}}
		for range 3 + c.intn(6) {
			d.grow()
		}
		for range 10 + c.intn(40) {
			n := d.nodes[c.intn(len(d.nodes))]
			switch c.intn(12) {
			case 0, 1:
				d.grow()
			case 2:
				d.prune()
			case 3:
				if n.kind == isFilter && !n.failed {
					n.fault = 1 + c.intn(3)
				}
			case 4:
				d.repair()
			case 5, 6:
				if n.kind == isWindow && !n.failed {
					offset, limit := someBounds(c)
					n.moved = offset != n.offset || limit != n.limit
					n.offset, n.limit = offset, limit
					d.must(d.g.SetWindow(n.id, offset, limit))
					d.run()
				}
			default:
				d.run()
			}
		}
		for len(d.nodes) > 1 {
			d.prune()
		}
		d.must(d.g.Drop(id))
		if got := d.g.Counters(); got != (Counters{Bytes: got.Bytes}) || got.Bytes > 64 {
			t.Fatalf("after dropping everything: %+v", got)
		}
		if d.w.pinned() != 0 {
			t.Fatalf("%d pins left", d.w.pinned())
		}
	})
}
