package d2

import (
	"errors"
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// twin is a plan built as a graph, beside the reference.
type twin struct {
	t     *rapid.T
	d     dice
	p     *plan
	ref   *workList
	g     *Graph
	ids   []NodeID // of the nodes that are built
	ops   []Operator
	stock []*stock // by node: what inputs can tell
	sink  map[int]*collector
	// of failures
	wrong  []int // nodes that have gone wrong themselves, and were not reset yet
	failed []bool
}

// stock is what was pushed to an input.
type stock struct{ sack }

func (s stock) Each(yield func(row uint32, weight int32)) {
	for row, weight := range s.sack {
		yield(row, int32(weight))
	}
}

// collector is a sink that notes what it is told.
type collector struct {
	got      sack // in the last run
	told     sack // since the start, or the last fresh content
	received int
	fresh    bool
	fails    []error
	then     func()
}

func (c *collector) Receive(r *Result) {
	c.received++
	c.got, c.fresh = sackOf(r.Diffs), r.Fresh
	if r.Fresh {
		c.told = sack{}
	}
	c.told.addBatch(r.Diffs)
	if c.then != nil {
		c.then()
	}
}

func (c *collector) Fail(err error) { c.fails = append(c.fails, err) }

func newTwin(t *rapid.T) *twin {
	w := &twin{t: t, d: newDice(t), g: NewGraph(), sink: map[int]*collector{}}
	w.p = w.d.plan()
	w.ref = newWorkList(w.p, 40)
	w.g.MaxIterations = w.ref.most
	w.failed = make([]bool, len(w.p.nodes))
	return w
}

func retains(node int) bool { return node%2 == 0 }

// build builds the plan up to a node; what the definition calls illegal must be
// refused.
func (w *twin) build(upTo int) bool {
	first := len(w.ids)
	err := w.g.Extend(func(b *Builder) {
		for i := first; i < upTo; i++ {
			op := w.p.nodes[i].operator(i%2 == 1)
			w.stock = append(w.stock, &stock{sack{}})
			if _, ok := op.(*Input); ok {
				op = NewInput(w.stock[i])
			}
			w.ops, w.ids = append(w.ops, op), append(w.ids, b.Add(op))
		}
		for i := first; i < upTo; i++ {
			for _, e := range w.p.nodes[i].ins {
				if e.feedback {
					b.Feedback(w.ids[e.from], w.ids[i], e.port)
				} else {
					b.Connect(w.ids[e.from], w.ids[i], e.port)
				}
			}
		}
		for i := first; i < upTo; i++ {
			if w.d.under(3) == 0 || i == upTo-1 {
				w.sink[i] = &collector{told: sack{}}
				b.Add(NewOutput(OutputSpec{Sink: w.sink[i], Retain: retains(i)}), w.ids[i])
			}
		}
	})
	if w.p.legal(w.ref.reach) {
		if err != nil {
			w.t.Fatalf("%+v: %v", w.p, err)
		}
		return true
	}
	if !errors.Is(err, ErrCycleWithoutFeedback) && !errors.Is(err, ErrFeedbackOutsideCycle) {
		w.t.Fatalf("%+v: %v", w.p, err)
	}
	if c := w.g.Counters(); c.Nodes != 0 {
		w.t.Fatalf("%+v after a refused build", c)
	}
	return false
}

// push pushes a random batch to both, to an input or to any node.
func (w *twin) push(anywhere bool) {
	node := w.d.under(len(w.ids))
	if !anywhere || w.d.under(4) > 0 {
		if node %= 2; w.p.nodes[node].kind != "input" {
			node = 0
		}
	}
	port, batch := w.d.under(w.ops[node].Ports()), w.d.batch(5)
	if err := w.g.Push(w.ids[node], port, batch); err != nil {
		w.t.Fatal(err)
	}
	w.stock[node].addBatch(batch)
	w.ref.push(node, port, 0, batch)
}

// begin forgets what was seen of the last run.
func (w *twin) begin() {
	w.ref.forget()
	for _, s := range w.sink {
		s.got, s.received, s.fresh = sack{}, 0, false
	}
	for _, op := range w.ops {
		if n, ok := op.(*defined); ok {
			n.asked = map[int32]bool{}
		}
		visitsOf(op)
	}
}

// run runs both and compares everything; false if weights have become too large.
func (w *twin) run() bool {
	if w.ref.run(); w.ref.heavy {
		return false
	}
	stats, err := w.g.Run()
	if err != nil {
		w.t.Fatal(err)
	}
	before := slices.Clone(w.failed)
	w.noteFailures(stats.Failed)
	visits := 0
	for i, op := range w.ops {
		if err := w.g.Failed(w.ids[i]); (err != nil) != w.failed[i] {
			w.t.Fatalf("%+v\nnode %d: %v, want a failure: %v", w.p, i, err, w.failed[i])
		}
		if !w.failed[i] {
			w.compareState(i, op)
			visits += w.compareVisits(i, op)
		}
	}
	for i, s := range w.sink {
		visits += w.compareSink(i, s, before[i])
	}
	if len(stats.Failed) == 0 && stats.Visits != visits {
		w.t.Fatalf("%+v\n%d visits counted, %d seen", w.p, stats.Visits, visits)
	}
	return true
}

// noteFailures says what must have failed: what went wrong, its cycle, and
// everything they feed; and that the run must have listed what went wrong.
func (w *twin) noteFailures(listed []NodeID) {
	wrong := []int{}
	for i, op := range w.ops {
		n, ok := op.(*defined)
		slow := w.ref.tooLong[i] && !w.failed[i]
		if slow || ok && n.mishap != nil && n.mishap.lost {
			wrong = append(wrong, i)
		}
		if ok && n.mishap != nil && n.mishap.lost {
			n.mishap = nil
			if !slices.Contains(listed, w.ids[i]) {
				w.t.Fatalf("%+v\nnode %d went wrong, reported are %v", w.p, i, listed)
			}
		}
	}
	for _, i := range wrong {
		w.failed[i] = true
		for j := range w.failed {
			w.failed[j] = w.failed[j] || w.ref.reach[i][j]
		}
	}
	w.wrong = append(w.wrong, wrong...)
}

func (w *twin) compareState(i int, op Operator) {
	got, ok := op.(*defined)
	if !ok {
		return
	}
	want := w.ref.ops[i].(*defined)
	for port := range got.in {
		if !sameIters(got.in[port], want.in[port]) {
			w.t.Fatalf("%+v\nnode %d port %d has %v, want %v", w.p, i, port, got.in[port], want.in[port])
		}
	}
	if !sameIters(got.out, want.out) {
		w.t.Fatalf("%+v\nnode %d has put out %v, want %v", w.p, i, got.out, want.out)
	}
}

// compareVisits checks the rule: one visit for each iteration with input, and
// others only where the operator has asked for them.
func (w *twin) compareVisits(i int, op Operator) int {
	if _, ok := op.(*Concat); ok {
		return w.ref.busy(i)
	}
	got := visitsOf(op)
	at := map[int32]bool{}
	for _, v := range got {
		if at[v.iter] {
			w.t.Fatalf("%+v\nnode %d visited twice at iteration %d", w.p, i, v.iter)
		}
		at[v.iter] = true
		size := 0
		for _, b := range w.ref.total[i][v.iter] {
			size += len(b)
		}
		if size != v.size || size == 0 && !op.(*defined).asked[v.iter] {
			w.t.Fatalf("%+v\nnode %d visited at %d with %d differences, want %d", w.p, i, v.iter, v.size, size)
		}
	}
	for iter, ports := range w.ref.total[i] {
		for _, b := range ports {
			if len(b) > 0 && !at[iter] && w.p.nodes[i].kind != "input" {
				w.t.Fatalf("%+v\nnode %d not visited at iteration %d with %v", w.p, i, iter, b)
			}
		}
	}
	return len(got)
}

// compareSink checks that a sink got the batch of the run, in one call and only
// if there was something; or that it was told of a failure, once.
func (w *twin) compareSink(i int, s *collector, failedBefore bool) int {
	if w.failed[i] {
		if len(s.fails) != 1 || s.received != 0 {
			w.t.Fatalf("%+v\nsink of node %d: %v, received %d times, failed before: %v", w.p, i, s.fails, s.received, failedBefore)
		}
		return 0
	}
	want := w.ref.put[i]
	if !maps.Equal(s.got, want) || len(s.fails) != 0 || s.received > 1 || (s.received == 1) != (len(want) > 0) || s.fresh {
		w.t.Fatalf("%+v\nsink of node %d got %v in %d calls, want %v; %v", w.p, i, s.got, s.received, want, s.fails)
	}
	if !maps.Equal(s.told, w.ref.sum[i]) {
		w.t.Fatalf("%+v\nsink of node %d has %v, want %v", w.p, i, s.told, w.ref.sum[i])
	}
	return s.received
}

// visitsOf returns what an operator of the graph has seen since it was last asked.
func visitsOf(op Operator) []sighting {
	switch op := op.(type) {
	case *defined:
		defer func() { op.visit = nil }()
		return op.visit
	case linear:
		defer func() { *op.visited = nil }()
		return *op.visited
	}
	return nil
}

// busy counts the iterations of this run in which a node had input.
func (r *workList) busy(i int) int {
	n := 0
	for _, ports := range r.total[i] {
		size := 0
		for _, b := range ports {
			size += len(b)
		}
		n += min(size, 1)
	}
	return n
}

// dropAll drops everything and looks for leaks.
func (w *twin) dropAll() {
	for _, id := range w.ids {
		if w.g.Operator(id) != nil {
			if err := w.g.Drop(id); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	if c := w.g.Counters(); c != (Counters{}) {
		w.t.Fatalf("%+v after everything was dropped", c)
	}
}
