package d2_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"millrace.dev/millrace/d2"
	"pgregory.net/rapid"
)

// rel is a node of a plan: where it is in the graph, and what it should be.
type rel struct {
	held
	op   d2.Operator
	lens lens
	hold d2.Pins // of its rows
	set  bool
	size int // of the plan
	most int // roughly, rows
	want func() bag
	line func() []fact // of a window
	name string

	stamp int
	memo  bag
}

// held is a node that a query has to give back. Ids are given again, so a node
// is known by its number as well.
type held struct {
	node   d2.NodeID
	number int
}

// hold takes note of a node that was built, or of an arrangement that is shared.
func (w *whole) hold(node d2.NodeID) held {
	op := w.g.Operator(node)
	if _, ok := op.(*d2.Arrange); !ok || w.arranged[node] != op {
		w.count++
		w.numbers[node], w.arranged[node] = w.count, op
		w.q.fresh = append(w.q.fresh, node)
	}
	h := held{node, w.numbers[node]}
	w.q.held = append(w.q.held, h)
	return h
}

type query struct {
	rels    []*rel
	held    []held
	fresh   []d2.NodeID // of these, new
	outputs []held
	mirrors []*mirror
	tops    []*rel
	windows []moving
}

// moving is a window whose bounds can be changed.
type moving struct {
	held
	op            d2.Operator
	offset, limit *uint32
}

// whole is a graph, the tables above it, and the queries on it.
type whole struct {
	t       *rapid.T
	g       *d2.Graph
	b       *d2.Builder
	fuse    *fuse
	tables  []*table
	made    made
	homes   []*d2.Table // of everything that was ever built
	queries []*query
	shares  []held // of queries given back
	sources []*rel
	count   int
	numbers map[d2.NodeID]int
	// by node: the operator numbered
	arranged map[d2.NodeID]d2.Operator
	step     int
	echo     int
	q        *query
}

const wholeKeys = 5

func newWhole(t *rapid.T) *whole {
	w := &whole{t: t, g: d2.NewGraph(), fuse: &fuse{}, numbers: map[d2.NodeID]int{}, arranged: map[d2.NodeID]d2.Operator{}}
	w.made = made{d2.NewTable(3), w.fuse}
	w.homes = append(w.homes, w.made.rows)
	for i := range 3 {
		tab := newTable(i, wholeKeys, w.fuse)
		tab.input, _ = w.g.Add(d2.NewInput(contents{tab}))
		tab.stored, _ = w.g.Add(tab.store)
		w.tables = append(w.tables, tab)
		for _, node := range []d2.NodeID{tab.input, tab.stored} {
			w.sources = append(w.sources, &rel{
				held: held{node: node}, op: w.g.Operator(node), lens: tab, hold: tab, set: true, size: 1, most: wholeKeys,
				want: tab.bag, name: fmt.Sprintf("%c", 'A'+i),
			})
		}
	}
	return w
}

func (w *whole) int(most int, what string) int { return rapid.IntRange(0, most).Draw(w.t, what) }
func (w *whole) one(what string) bool          { return w.int(1, what) == 1 }

// plan builds a relation of some depth.
func (w *whole) plan(depth int) *rel {
	if depth == 0 || w.int(9, "shallow") == 0 {
		if w.int(3, "shared") == 0 {
			if r := w.shared(); r != nil {
				return r
			}
		}
		return w.sources[w.int(len(w.sources)-1, "source")]
	}
	in := w.plan(depth - 1)
	switch kind := w.int(15, "operator"); kind {
	case 0, 1, 2, 3, 14, 15:
		other := w.plan(w.int(min(depth-1, 2), "depth"))
		switch {
		case kind < 2 && in.most*other.most < 300:
			return w.joined(in, other)
		case kind == 2 || kind > 13:
			return w.reached(in, other)
		default:
			return w.semijoined(in, other)
		}
	case 4:
		return w.grouped(in)
	case 5:
		return w.reduced(in)
	case 6:
		return w.distinct(in)
	case 7:
		return w.added(in, w.plan(w.int(min(depth-1, 2), "depth")))
	case 8:
		return w.less(in)
	case 9:
		return w.window(in)
	case 10:
		return w.perGroup(in)
	case 11:
		return w.spread(in)
	case 12:
		return w.remade(in)
	}
	return w.filtered(in)
}

// alive tells whether what stands at a node is what a query built there.
func (w *whole) alive(h held) bool {
	return w.g.Operator(h.node) != nil && w.numbers[h.node] == h.number
}

// shared is some relation of a query that is there, if it is sound.
func (w *whole) shared() *rel {
	if len(w.queries) == 0 {
		return nil
	}
	q := w.queries[w.int(len(w.queries)-1, "query")]
	if len(q.rels) == 0 {
		return nil
	}
	r := q.rels[w.int(len(q.rels)-1, "of it")]
	if !w.alive(r.held) || w.g.Failed(r.node) != nil || r.size > 5 || r.op.Name() == "negate" || r.op.Name() == "join one" {
		return nil
	}
	return r
}

// mount builds a query late and fills it.
func (w *whole) mount() {
	q := &query{}
	w.q = q
	var top *rel
	if w.int(3, "chain") == 0 {
		top = w.chain() // sources ask operators that are built in
	}
	err := w.g.Extend(func(b *d2.Builder) {
		w.b = b
		if top == nil {
			top = w.plan(w.int(5, "depth"))
			if w.one("windowed") {
				top = w.window(top)
			}
		}
		for range 1 + w.int(1, "outputs") {
			m := &mirror{w: w, lens: top.lens, echoes: w.int(4, "echoes") == 0}
			if top.set && w.one("keys") {
				m.keys = ident{top.lens}
			}
			op := d2.NewOutput(d2.OutputSpec{Sink: m, Keys: m.keys, Retain: w.one("retain"), Hold: top.hold})
			node := b.Add(op, top.node)
			q.outputs = append(q.outputs, w.hold(node))
			q.mirrors, q.tops = append(q.mirrors, m), append(q.tops, top)
		}
	})
	w.b = nil
	if err != nil {
		w.t.Fatal(err)
	}
	w.queries = append(w.queries, q)
	fresh := q.fresh
	w.stage()
	w.arm("mount")
	err = w.g.Hydrate(fresh...)
	switch {
	case err == nil:
	case errors.Is(err, d2.ErrFailed): // in the run of what was staged; nothing has been filled
		w.release(q)
	case !errors.Is(err, errFuse):
		w.t.Fatal(err)
	default: // the content of what stands above could not be told
		w.fuse.left = 0
		if err := w.g.Hydrate(fresh...); err != nil {
			w.t.Fatal(err)
		}
	}
	w.after()
}

// stage leaves a change to be run by what follows.
func (w *whole) stage() {
	if w.one("staged") {
		w.change(w.int(2, "table"), w.int(wholeKeys-1, "key"))
	}
}

func (w *whole) arm(what string) {
	w.fuse.left = 0
	if w.int(5, what+" fails") == 0 {
		w.fuse.left = 1 + w.int(60, "after")
	}
}

// change gives a key of a table another version and pushes it.
func (w *whole) change(at, pk int) {
	tab := w.tables[at]
	old := tab.current[pk]
	var c *[3]int
	switch {
	case old != d2.None && w.int(3, "delete") == 0:
	case old != d2.None && w.int(3, "alike") == 0:
		same := tab.facts[old].c
		c = &same
	default:
		c = &[3]int{}
		for i := range c {
			if c[i] = w.int(4, "value"); c[i] == 4 {
				c[i] = null
			}
		}
	}
	change := tab.set(pk, c)
	for _, node := range []d2.NodeID{tab.input, tab.stored} {
		var err error
		if w.int(3, "pieces") == 0 {
			if change.Old != d2.None {
				err = w.g.Push(node, 0, []d2.Diff{{Row: change.Old, Weight: -1}})
			}
			if change.New != d2.None && err == nil {
				err = w.g.Push(node, 0, []d2.Diff{{Row: change.New, Weight: 1}})
			}
		} else {
			err = w.g.PushChanges(node, []d2.Change{change})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// run changes some rows in one run; a key may change more than once.
func (w *whole) run() {
	for range 1 + w.int(5, "changes") {
		w.change(w.int(2, "table"), w.int(wholeKeys-1, "key"))
	}
	w.move()
	w.arm("run")
	before := w.g.Counters().Nodes
	echo := w.echo
	stats, err := w.g.Run()
	if err != nil {
		w.t.Fatal(err)
	}
	if most := before * (stats.MaxIteration + 2); echo == w.echo && stats.Visits > most {
		w.t.Fatalf("%d visits of %d nodes", stats.Visits, before)
	}
	w.after()
}

// move gives some window other bounds.
func (w *whole) move() {
	for _, q := range w.queries {
		for _, m := range q.windows {
			if !w.alive(m.held) || w.g.Failed(m.node) != nil || w.int(5, "move") > 0 {
				continue
			}
			*m.offset, *m.limit = w.bounds()
			switch op := m.op.(type) {
			case *d2.Window:
				if err := w.g.SetWindow(m.node, *m.offset, *m.limit); err != nil {
					w.t.Fatal(err)
				}
			case *d2.Merge:
				if op.SetBounds(*m.offset, *m.limit) {
					if err := w.g.Touch(m.node); err != nil {
						w.t.Fatal(err)
					}
				}
			}
		}
	}
}

// after closes a step: versions that have left are gone.
func (w *whole) after() {
	w.fuse.left = 0
	w.echo = w.int(2, "echo")
	for _, tab := range w.tables {
		tab.forget()
	}
	w.step++
	w.check()
}

func (w *whole) check() {
	for _, q := range w.queries {
		for i, m := range q.mirrors {
			if !w.alive(q.outputs[i]) {
				continue
			}
			err := w.g.Failed(q.outputs[i].node)
			if m.bad != "" {
				w.t.Fatalf("step %d, %s: %s", w.step, q.tops[i].name, m.bad)
			}
			if (err != nil) != (m.fails > 0) {
				w.t.Fatalf("%s: failed with %v, told %d times", q.tops[i].name, err, m.fails)
			}
			if err != nil {
				if !errors.Is(err, errFuse) {
					w.t.Fatalf("%s: %v", q.tops[i].name, err)
				}
				continue
			}
			got := bag{}
			for row, n := range m.rows {
				got.add(m.lens.see(row), n)
			}
			want := w.bag(q.tops[i])
			if !maps.Equal(got, want) {
				w.t.Fatalf("step %d, %s is\n%v, should be\n%v", w.step, q.tops[i].name, got, want)
			}
			if line := q.tops[i].line; line != nil {
				var got []fact
				for _, row := range m.seq {
					got = append(got, m.lens.see(row))
				}
				if want := line(); !slices.Equal(got, want) {
					w.t.Fatalf("step %d, %s shows\n%v, should show\n%v", w.step, q.tops[i].name, got, want)
				}
			}
		}
	}
}

// snapshot compares what a node tells when it is asked.
func (w *whole) snapshot() {
	if r := w.shared(); r != nil {
		diffs, err := w.g.Snapshot(r.node)
		if err != nil {
			w.t.Fatalf("snapshot of %s: %v", r.name, err)
		}
		got := bag{}
		for _, d := range diffs {
			got.add(r.lens.see(d.Row), int(d.Weight))
		}
		if want := w.bag(r); !maps.Equal(got, want) {
			w.t.Fatalf("snapshot of %s is\n%v, should be\n%v", r.name, got, want)
		}
	}
}

// settle resets and fills everything that has failed.
func (w *whole) settle() {
	var failed []d2.NodeID
	seen := map[d2.NodeID]bool{}
	w.shares = slices.DeleteFunc(w.shares, func(h held) bool { return !w.alive(h) })
	lists := [][]held{w.shares}
	for _, q := range w.queries {
		lists = append(lists, q.held)
	}
	for _, list := range lists {
		for _, h := range list {
			if w.alive(h) && w.g.Failed(h.node) != nil && !seen[h.node] {
				seen[h.node] = true
				failed = append(failed, h.node)
			}
		}
	}
	if len(failed) == 0 {
		return
	}
	w.stage()
	if err := w.g.Reset(failed...); err != nil {
		w.t.Fatal(err)
	}
	for _, q := range w.queries {
		for i, m := range q.mirrors {
			if seen[q.outputs[i].node] {
				m.fails = 0
			}
		}
	}
	if err := w.g.Hydrate(failed...); err != nil {
		w.t.Fatal(err)
	}
	w.after()
}

// drop gives a query back, or removes one of its nodes with all it feeds.
func (w *whole) drop() {
	if len(w.queries) == 0 {
		return
	}
	q := w.queries[w.int(len(w.queries)-1, "query")]
	if w.int(3, "by force") == 0 {
		if h := q.held[w.int(len(q.held)-1, "node")]; w.alive(h) {
			if err := w.g.Drop(h.node); err != nil {
				w.t.Fatal(err)
			}
		}
		return
	}
	w.release(q)
	w.check()
}

func (w *whole) release(q *query) {
	for _, h := range q.held {
		if w.alive(h) {
			if err := w.g.Release(h.node); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.shares = append(w.shares, q.held...)
	w.queries = slices.DeleteFunc(w.queries, func(p *query) bool { return p == q })
}

// end drops everything and looks for what is left.
func (w *whole) end() {
	for len(w.queries) > 0 {
		w.release(w.queries[w.int(len(w.queries)-1, "query")])
		w.check()
	}
	for _, tab := range w.tables {
		_ = w.g.Release(tab.input)
		_ = w.g.Release(tab.stored)
	}
	if c := w.g.Counters(); c.Nodes != 0 || c.Retained != 0 || c.Pinned != 0 || c.Failed != 0 {
		w.t.Fatalf("left at the end: %+v", c)
	}
	for i, home := range w.homes {
		if home.Len() != 0 {
			w.t.Fatalf("table %d holds %d rows at the end", i, home.Len())
		}
	}
	for _, tab := range w.tables {
		for row, n := range tab.pins {
			if n != 0 {
				w.t.Fatalf("table %d: version %d is pinned %d times at the end", tab.at, row, n)
			}
		}
	}
}

func TestWhole_EveryMirrorIsItsQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWhole(t)
		for range 3 {
			w.run()
		}
		for range 24 {
			switch w.int(9, "step") {
			case 0, 1, 2:
				if len(w.queries) < 6 {
					w.mount()
				}
			case 3:
				w.drop()
			case 4:
				w.settle()
			case 5:
				w.snapshot()
			default:
				w.run()
			}
		}
		w.settle()
		w.end()
	})
}
