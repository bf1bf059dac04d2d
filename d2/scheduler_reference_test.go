package d2

import (
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// twin is a plan built as a graph, beside the work list.
type twin struct {
	t    *rapid.T
	d    dice
	p    *plan
	ref  *workList
	g    *Graph
	ids  []NodeID
	ops  []Operator
	sink map[int]*collector
}

// collector is a sink that notes the batches of the last run.
type collector struct {
	got      sack
	told     sack // everything since the start, or the last fresh content
	received int
	fails    []error
	then     func()
}

func (c *collector) Receive(r *Result) {
	c.received++
	c.got = sackOf(r.Diffs)
	if r.Fresh {
		c.told = sack{}
	}
	c.told.addBatch(r.Diffs)
	if c.then != nil {
		c.then()
	}
}

func (c *collector) Fail(err error) { c.fails = append(c.fails, err) }

// build builds the plan; what the work list calls illegal must be refused.
func (w *twin) build() bool {
	w.g = NewGraph()
	w.g.MaxIterations = w.ref.most
	w.sink = map[int]*collector{}
	outs := []int{}
	err := w.g.Extend(func(b *Builder) {
		for i, n := range w.p.nodes {
			op := n.operator(i%2 == 1)
			w.ops = append(w.ops, op)
			w.ids = append(w.ids, b.Add(op))
		}
		for i, n := range w.p.nodes {
			for _, e := range n.ins {
				if e.feedback {
					b.Feedback(w.ids[e.from], w.ids[i], e.port)
				} else {
					b.Connect(w.ids[e.from], w.ids[i], e.port)
				}
			}
		}
		for i := range w.p.nodes {
			if w.d.under(3) == 0 || i == len(w.p.nodes)-1 {
				w.sink[i] = &collector{told: sack{}}
				b.Add(NewOutput(OutputSpec{Sink: w.sink[i], Retain: i%2 == 0}), w.ids[i])
				outs = append(outs, i)
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

// step pushes, runs both and compares everything.
func (w *twin) step() {
	w.ref.forget()
	for range 1 + w.d.under(3) {
		node := w.d.under(len(w.p.nodes))
		if w.d.under(4) > 0 {
			node = 0
		}
		port := w.d.under(w.ops[node].Ports())
		batch := w.d.batch(5)
		if err := w.g.Push(w.ids[node], port, batch); err != nil {
			w.t.Fatal(err)
		}
		w.ref.push(node, port, 0, batch)
	}
	for _, s := range w.sink {
		s.got, s.received = sack{}, 0
	}
	for _, op := range w.ops {
		if n, ok := op.(*defined); ok {
			n.asked = map[int32]bool{}
		}
	}
	if w.ref.run(); w.ref.heavy {
		return
	}
	stats, err := w.g.Run()
	if err != nil {
		w.t.Fatal(err)
	}
	visits := 0
	for i, op := range w.ops {
		failed := w.mayFail(i)
		if err := w.g.Failed(w.ids[i]); (err != nil) != failed {
			w.t.Fatalf("node %d: %v, want a failure: %v", i, err, failed)
		} else if failed {
			if !errors.Is(err, ErrIterationLimit) {
				w.t.Fatal(err)
			}
			continue
		}
		w.compareState(i, op)
		visits += w.compareVisits(i, op)
	}
	for i, s := range w.sink {
		if w.mayFail(i) {
			if len(s.fails) != 1 || s.received != 0 {
				w.t.Fatalf("sink of node %d: %v, received %d times", i, s.fails, s.received)
			}
			continue
		}
		want := w.ref.leaves(i)
		if !maps.Equal(s.got, want) || len(s.fails) != 0 || s.received > 1 || (s.received == 1) != (len(want) > 0) {
			w.t.Fatalf("%+v\nsink of node %d got %v in %d calls, want %v; %v", w.p, i, s.got, s.received, want, s.fails)
		}
		visits += s.received
	}
	if !w.ref.limit && stats.Visits != visits {
		w.t.Fatalf("%+v\n%d visits counted, %d sighting", w.p, stats.Visits, visits)
	}
}

// mayFail tells whether a node is, or is fed by, a cycle without end.
func (w *twin) mayFail(i int) bool {
	for j, long := range w.ref.tooLong {
		if long && (i == j || w.ref.reach[j][i]) {
			return true
		}
	}
	return false
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

// leaves returns what a node has put out in this run, over all iterations.
func (r *workList) leaves(i int) sack { return r.put[i] }

// Law: a run leaves every operator in the state, and tells every sink the batch,
// that a work list in the order of (iteration, place) comes to; each operator is
// visited once per iteration in which it has input, and not otherwise.
func TestScheduler_EqualsTheWorkListOverRandomGraphs(t *testing.T) {
	limits, legal, cycles := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := &twin{t: t, d: dice{t}}
		w.p = w.d.plan()
		w.ref = newWorkList(w.p, 40)
		if !w.build() {
			return
		}
		legal++
		for range 1 + w.d.under(5) {
			if w.step(); w.ref.heavy {
				return
			}
		}
		if w.ref.limit {
			limits++
		}
		for i := range w.p.nodes {
			if w.ref.reach[i][i] {
				cycles++
				break
			}
		}
		for _, id := range w.ids {
			if w.g.Operator(id) != nil {
				if err := w.g.Drop(id); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c := w.g.Counters(); c.Nodes != 0 || c.Retained != 0 || c.Bytes > 1<<14 {
			t.Fatalf("%+v after everything was dropped", c)
		}
	})
	t.Logf("%d legal graphs, %d with cycles, %d without an end", legal, cycles, limits)
}
