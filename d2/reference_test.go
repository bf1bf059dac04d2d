package d2

import (
	"slices"

	"pgregory.net/rapid"
)

// plan is a graph as a test draws it: nodes in order of creation with the edges
// that end in them.
type plan struct{ nodes []planned }

type planned struct {
	kind string
	arg  int
	ins  []planEdge
}

type planEdge struct {
	from, port int
	feedback   bool
}

func (p *plan) add(kind string, arg int, ins ...int) int {
	n := planned{kind: kind, arg: arg}
	for port, from := range ins {
		n.ins = append(n.ins, planEdge{from, port, false})
	}
	p.nodes = append(p.nodes, n)
	return len(p.nodes) - 1
}

func (p *plan) feedback(from, to int) {
	p.nodes[to].ins = append(p.nodes[to].ins, planEdge{from, 0, true})
}

const energies = 12 // rows are below; no operator makes a row larger, feedback makes it smaller

// operator makes the operator of a node.
func (n planned) operator(eager bool) Operator {
	key := func(row uint32) uint32 { return row % 3 }
	var op *defined
	switch n.kind {
	case "input":
		return NewInput(nil)
	case "concat":
		return NewConcat()
	case "map":
		f := []func(uint32) uint32{
			func(x uint32) uint32 { return x / 2 },
			func(x uint32) uint32 { return x &^ 1 },
			func(x uint32) uint32 { return x },
		}[n.arg%3]
		op = newDefined(n.kind, 1, mapOf(f))
	case "filter":
		op = newDefined(n.kind, 1, filterOf(func(x uint32) bool { return int(x%3) != n.arg%3 }))
	case "falling": // what may be fed back: a row becomes the next smaller one
		less := mapOf(func(x uint32) uint32 { return x - 1 })
		op = newDefined(n.kind, 1, func(in []sack) sack {
			return less([]sack{filterOf(func(x uint32) bool { return x > 0 })(in)})
		})
	case "negate":
		op = newDefined(n.kind, 1, negationOf)
	case "union":
		op = newDefined(n.kind, 2, unionOf)
	case "distinct":
		op = newDefined(n.kind, 1, distinctOf)
	case "min":
		op = newDefined(n.kind, 1, minimumOf(key))
	case "join":
		op = newDefined(n.kind, 2, joinOf(func(a, b uint32) (uint32, bool) { return min(a, b), key(a) == key(b) }))
	case "linear":
		return linear{f: mapOf(func(x uint32) uint32 { return x / 2 }), visited: &[]sighting{}}
	default:
		panic(n.kind)
	}
	op.eager = eager
	return op
}

// reaches tells which nodes reach which, by at least one edge.
func (p *plan) reaches() [][]bool {
	n := len(p.nodes)
	r := make([][]bool, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	for to, node := range p.nodes {
		for _, e := range node.ins {
			r[e.from][to] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

// legal tells whether every feedback edge is inside a cycle, and every cycle has
// one.
func (p *plan) legal(r [][]bool) bool {
	straight := &plan{nodes: make([]planned, len(p.nodes))}
	for to, node := range p.nodes {
		for _, e := range node.ins {
			if e.feedback && !r[to][e.from] && e.from != to {
				return false
			}
			if !e.feedback {
				straight.nodes[to].ins = append(straight.nodes[to].ins, e)
			}
		}
	}
	for i, row := range straight.reaches() {
		if row[i] {
			return false
		}
	}
	return true
}

// workList runs a plan in the plainest way: it takes the smallest (iteration, place
// of creation) with something to do, applies, and forwards.
type workList struct {
	plan    *plan
	reach   [][]bool
	ops     []Operator
	work    map[refTask]*refWork
	total   []map[int32][]sack // by node, iteration, port: what came in this run
	put     []sack             // by node: what was put out in this run
	sum     []sack             // by node: what was put out in all runs
	most    int32
	heavy   bool // weights come near what a difference can hold
	limit   bool // an iteration beyond most was reached
	tooLong []bool
}

type refTask struct {
	iter int32
	node int
}

type refWork struct {
	in     []sack
	wanted bool
}

func newWorkList(p *plan, most int32) *workList {
	r := &workList{plan: p, reach: p.reaches(), work: map[refTask]*refWork{}, most: most}
	for i, n := range p.nodes {
		r.ops = append(r.ops, n.operator(i%2 == 0))
	}
	r.tooLong, r.sum = make([]bool, len(p.nodes)), sacks(len(p.nodes))
	r.forget()
	return r
}

func (r *workList) forget() {
	r.total, r.put = make([]map[int32][]sack, len(r.ops)), sacks(len(r.ops))
	for i := range r.total {
		r.total[i] = map[int32][]sack{}
	}
}

func (r *workList) inCycle(a, b int) bool {
	return a == b && r.reach[a][a] || r.reach[a][b] && r.reach[b][a]
}

func (r *workList) at(node int, iter int32) *refWork {
	task := refTask{iter, node}
	if r.work[task] == nil {
		r.work[task] = &refWork{in: sacks(r.ops[node].Ports())}
	}
	return r.work[task]
}

func sacks(n int) []sack {
	list := make([]sack, n)
	for i := range list {
		list[i] = sack{}
	}
	return list
}

func (r *workList) push(node, port int, iter int32, batch []Diff) {
	r.at(node, iter).in[port].addBatch(batch)
	if r.total[node][iter] == nil {
		r.total[node][iter] = sacks(r.ops[node].Ports())
	}
	r.total[node][iter][port].addBatch(batch)
	for _, weight := range r.total[node][iter][port] {
		r.heavy = r.heavy || weight > 1<<24 || weight < -1<<24
	}
}

func (r *workList) run() {
	for len(r.work) > 0 && !r.heavy {
		first := refTask{1 << 30, 0}
		for task := range r.work {
			if task.iter < first.iter || task.iter == first.iter && task.node < first.node {
				first = task
			}
		}
		work := r.work[first]
		delete(r.work, first)
		if first.iter > r.most {
			r.limit, r.tooLong[first.node] = true, true
			continue
		}
		for port, in := range work.in {
			if len(in) > 0 || work.wanted && port == 0 {
				cut := make([][]Diff, len(work.in))
				cut[port] = in.diffs()
				r.apply(first, cut)
			}
		}
	}
}

func (r *workList) apply(task refTask, in [][]Diff) {
	v, out := NewVisit(task.iter, in...), Out{}
	out.reset(task.iter)
	if err := r.ops[task.node].Apply(v, &out); err != nil {
		panic(err)
	}
	for _, iter := range v.again {
		r.at(task.node, iter).wanted = true
	}
	r.forward(task.node, task.iter, out.diffs)
	for _, d := range out.later {
		r.forward(task.node, d.iter, []Diff{d.Diff})
	}
}

func (r *workList) forward(node int, iter int32, batch []Diff) {
	r.put[node].addBatch(batch)
	r.sum[node].addBatch(batch)
	for to, n := range r.plan.nodes {
		for _, e := range n.ins {
			if e.from != node || len(batch) == 0 {
				continue
			}
			at := iter
			if !r.inCycle(node, to) {
				at = 0
			} else if e.feedback {
				at++
			}
			r.push(to, e.port, at, batch)
		}
	}
}

// dice draws numbers: one by one, so that histories shrink, or evenly from a
// seed, so that they are long and full.
type dice struct {
	t    *rapid.T
	even *chance
}

func newDice(t *rapid.T) dice {
	if rapid.Bool().Draw(t, "even") {
		return dice{t, newChance(t)}
	}
	return dice{t: t}
}

func (d dice) under(n int) int {
	if d.even != nil {
		return d.even.intn(n)
	}
	return rapid.IntRange(0, n-1).Draw(d.t, "n")
}

func (d dice) one(of ...string) string { return of[d.under(len(of))] }

func (d dice) from(list []int) int { return list[d.under(len(list))] }

// batch draws a batch that is not consolidated.
func (d dice) batch(most int) []Diff {
	out := make([]Diff, 0, most)
	for range d.under(most + 1) {
		out = append(out, Diff{uint32(d.under(energies)), []int32{1, 1, 1, -1, -1, 2}[d.under(6)]})
	}
	return out
}

// plan draws a graph of several inputs, straight parts and cycles.
func (d dice) plan() *plan {
	p := &plan{}
	all := []int{}
	for range 1 + d.under(2) {
		all = append(all, p.add("input", 0))
	}
	for range 1 + d.under(3) {
		if d.under(2) == 0 {
			for range d.under(5) {
				all = append(all, d.op(p, all, all))
			}
			continue
		}
		all = slices.Concat(all, d.loop(p, all))
	}
	for range 1 + d.under(2) {
		all = append(all, d.op(p, all, all))
	}
	return p
}

// op adds an operator with a first source out of one list and others of another.
func (d dice) op(p *plan, first, others []int) int {
	kind := d.one("map", "filter", "union", "negate", "distinct", "min", "join", "linear", "concat", "falling")
	a, b := d.from(first), d.from(others)
	switch kind {
	case "union":
		return p.add(kind, 0, a, b)
	case "join":
		// Of sets, lest weights grow beyond all bounds.
		return p.add(kind, 0, p.add("distinct", 0, a), p.add("distinct", 0, b))
	case "concat":
		n := p.add(kind, 0, a)
		for range d.under(3) {
			p.nodes[n].ins = append(p.nodes[n].ins, planEdge{d.from(others), 0, false})
		}
		return n
	}
	return p.add(kind, d.under(3), a)
}

// loop adds one or two variables and a body over them.
func (d dice) loop(p *plan, outside []int) []int {
	vars := []int{}
	for range 1 + d.under(2) {
		vars = append(vars, p.add("concat", 0, d.from(outside)))
	}
	body := slices.Clone(vars)
	for range 1 + d.under(4) {
		others := body
		if d.under(3) == 0 {
			others = outside
		}
		body = append(body, d.op(p, body, others))
	}
	for _, v := range vars {
		for range 1 + d.under(2) {
			end := p.add("falling", 0, d.from(body))
			p.feedback(end, v)
			body = append(body, end)
		}
	}
	return body
}
