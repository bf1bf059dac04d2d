package d2

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Joins in a graph: placement, hydration, and recursion.

type (
	// edgeFrom is the key of an edge, row = 8·from + to: where it comes from.
	edgeFrom struct{}
	// nodeOf is the key of a row of a table of nodes: the node.
	nodeOf struct{ table *Table }
	// follow makes the node an edge leads to of a node and that edge.
	follow struct{ table *Table }
	// seeds makes a node of a start, which is its number, and any match.
	seeds struct{ table *Table }
)

func (edgeFrom) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, uint64(row / 8), true }

func (n nodeOf) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 0, n.table.Word(row, 0), true
}

func (f follow) Project(_, edge uint32) uint32 { return f.table.Intern1(uint64(edge % 8)) }

func (s seeds) Project(start, _ uint32) uint32 { return s.table.Intern1(uint64(start)) }

type anyKey struct{}

func (anyKey) Key(uint32) (class uint8, bits uint64, ok bool) { return 0, 0, true }

// atMostOnce is distinct by iteration, written to be read: it keeps the whole
// input and the whole output by iteration, and looks again at every iteration.
type atMostOnce struct{ in, out map[int32]multiset }

func newAtMostOnce() *atMostOnce {
	return &atMostOnce{map[int32]multiset{}, map[int32]multiset{}}
}

func (*atMostOnce) Name() string { return "at most once" }
func (*atMostOnce) Ports() int   { return 1 }

func (a *atMostOnce) Apply(v *Visit, out *Out) error {
	if a.in[v.Iter] == nil {
		a.in[v.Iter] = multiset{}
	}
	a.in[v.Iter].take(v.In(0))
	rows := map[uint32]bool{}
	for _, m := range a.in {
		for row := range m {
			rows[row] = true
		}
	}
	for _, m := range a.out {
		for row := range m {
			rows[row] = true
		}
	}
	iters := map[int32]bool{v.Iter: true}
	for i := range a.in {
		iters[i] = true
	}
	for i := range a.out {
		iters[i] = true
	}
	for _, i := range slices.Sorted(maps.Keys(iters)) {
		if i < v.Iter {
			continue
		}
		for _, row := range slices.Sorted(maps.Keys(rows)) {
			var in, is int32
			for j, m := range a.in {
				if j <= i {
					in += m[row]
				}
			}
			for j, m := range a.out {
				if j <= i {
					is += m[row]
				}
			}
			want := int32(0)
			if in > 0 {
				want = 1
			}
			if want != is {
				if a.out[i] == nil {
					a.out[i] = multiset{}
				}
				a.out[i].add(row, want-is)
				out.EmitAt(i, row, want-is)
			}
		}
	}
	return nil
}

// received accumulates what an output gets.
type received struct {
	t    rapid.TB
	rows multiset
}

func (r *received) Receive(res *Result) { r.rows.take(res.Diffs) }
func (r *received) Fail(err error)      { r.t.Errorf("the output failed: %v", err) }

// Reachability by a join in a cycle equals the search of the graph, after any
// history of edges and starts; in particular nodes that only lead to each other
// are not kept when what led to them leaves.
func TestJoin_RecursionEqualsASearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewGraph()
		table := NewTable(1)
		edges, starts := multiset{}, multiset{}
		var edgeIn, startIn, one NodeID
		sink := &received{t, multiset{}}
		join := NewJoin(JoinSpec{Rows: follow{table}, Table: table})
		seed := NewJoin(JoinSpec{Rows: seeds{table}, Table: table})
		err := g.Extend(func(b *Builder) {
			edgeIn, startIn, one = b.Add(NewInput(nil)), b.Add(NewInput(nil)), b.Add(NewInput(nil))
			leads := b.Add(NewArrange(edgeFrom{}), edgeIn)
			base := b.Add(seed, b.Add(NewArrange(anyKey{}), startIn), b.Add(NewArrange(anyKey{}), one))
			all := b.Add(NewConcat(), base)
			reached := b.Add(newAtMostOnce(), all)
			by := b.Add(NewArrange(nodeOf{table}), reached)
			b.Feedback(b.Add(join, by, leads), all, 0)
			b.Add(NewOutput(OutputSpec{Sink: sink}), reached)
		})
		if err != nil {
			t.Fatal(err)
		}
		push := func(to NodeID, batch []Diff) {
			if err := g.Push(to, 0, batch); err != nil {
				t.Fatal(err)
			}
		}
		toggle := func(set multiset, row uint32) Diff {
			w := int32(1)
			if set[row] != 0 {
				w = -1
			}
			set.add(row, w)
			return Diff{row, w}
		}
		run := func() {
			if _, err := g.Run(); err != nil {
				t.Fatal(err)
			}
		}
		push(one, []Diff{{0, 1}})
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			var de, ds []Diff
			for _, row := range rapid.SliceOfNDistinct(rapid.Uint32Range(0, 63), 0, 5, rapid.ID).Draw(t, "edges") {
				de = append(de, toggle(edges, row))
			}
			for _, row := range rapid.SliceOfNDistinct(rapid.Uint32Range(0, 7), 0, 1, rapid.ID).Draw(t, "starts") {
				ds = append(ds, toggle(starts, row))
			}
			push(edgeIn, de)
			push(startIn, ds)
			run()
			want := map[uint64]bool{}
			var visit func(uint32)
			visit = func(node uint32) {
				if !want[uint64(node)] {
					want[uint64(node)] = true
					for edge := range edges {
						if edge/8 == node {
							visit(edge % 8)
						}
					}
				}
			}
			for start := range starts {
				visit(start)
			}
			got := map[uint64]bool{}
			for row, w := range sink.rows {
				if w != 1 {
					t.Fatalf("node %d is reached %d times", table.Word(row, 0), w)
				}
				got[table.Word(row, 0)] = true
			}
			if !maps.Equal(got, want) {
				t.Fatalf("%v reach %v over %v, want %v", starts, got, edges, want)
			}
		}
		push(edgeIn, batchOf(edges, -1))
		push(startIn, batchOf(starts, -1))
		run()
		if table.Len() != 0 || join.Retained() != 0 || seed.Retained() != 0 {
			t.Fatalf("%d rows are left, %d and %d accounted for", table.Len(), join.Retained(), seed.Retained())
		}
	})
}

// Joins built over content receive it once, and the arrangements they share
// with others are not filled twice.
func TestJoins_HydrateOverSharedArrangements(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			g := NewGraph()
			sides := [2]multiset{{}, {}}
			var ins, arrs [2]NodeID
			for side := range sides {
				var err error
				if ins[side], err = g.Add(NewInput(allRows{sides[side]})); err != nil {
					t.Fatal(err)
				}
				if arrs[side], err = g.Add(NewArrange(keysOf{}), ins[side]); err != nil {
					t.Fatal(err)
				}
			}
			change := func() {
				for side := range sides {
					batch := drawBatch(t, "batch")
					sides[side].take(batch)
					if err := g.Push(ins[side], 0, batch); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := g.Run(); err != nil {
					t.Fatal(err)
				}
			}
			change()
			for range 2 {
				join := op()
				sink := &received{t, multiset{}}
				node, err := g.Add(join, arrs[0], arrs[1])
				if err != nil {
					t.Fatal(err)
				}
				if _, err = g.Add(NewOutput(OutputSpec{Sink: sink}), node); err != nil {
					t.Fatal(err)
				}
				if err := g.Hydrate(node); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					got, b := pairset{}, joinBench{op: join}
					for row, w := range sink.rows {
						p := b.read(row)
						got.add(p.left, p.right, w)
					}
					if now := want(keysOf{}, sides[0], sides[1]); !maps.Equal(got, now) {
						t.Fatalf("%v and %v join to %v, want %v", sides[0], sides[1], got, now)
					}
					change()
				}
			}
		})
	})
}

type allRows struct{ rows multiset }

func (c allRows) Each(yield func(row uint32, weight int32)) {
	for _, d := range batchOf(c.rows, 1) {
		yield(d.Row, d.Weight)
	}
}

func TestJoin_RefusesAnArrangementWithOtherIterations(t *testing.T) {
	for name, build := range map[string]func(*Builder, NodeID){
		"behind a feedback edge": func(b *Builder, base NodeID) {
			all := b.Add(NewConcat(), base)
			by := b.Add(NewArrange(anyKey{}), all)
			join := b.Add(NewSemijoin())
			b.Feedback(by, join, 0)
			b.Connect(by, join, 1)
			b.Feedback(join, all, 0)
		},
		"of another cycle": func(b *Builder, base NodeID) {
			first := b.Add(NewConcat(), base)
			by := b.Add(NewArrange(anyKey{}), first)
			b.Feedback(by, first, 0)
			second := b.Add(NewConcat(), base)
			join := b.Add(NewSemijoin(), b.Add(NewArrange(anyKey{}), second), by)
			b.Feedback(join, second, 0)
		},
	} {
		g := NewGraph()
		err := g.Extend(func(b *Builder) { build(b, b.Add(NewInput(nil))) })
		if !errors.Is(err, ErrArrangedElsewhere) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
