package d2

import (
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// SPLIT and FRESH for joins: after every run the accumulated output is the
// join of the two sides, however the run is cut into visits.
func TestJoins_EqualTheNestedLoop(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			b := newJoinBench(t, op(), false)
			left, right := multiset{}, multiset{}
			for range rapid.IntRange(1, 6).Draw(t, "runs") {
				for range rapid.IntRange(1, 3).Draw(t, "cuts") {
					dl, dr := drawBatch(t, "left"), drawBatch(t, "right")
					left.take(dl)
					right.take(dr)
					b.visit(t, 0, dl, dr)
				}
				now := want(keysOf{}, left, right)
				if got := b.upTo(0); !maps.Equal(got, now) {
					t.Fatalf("%v and %v join to %v, want %v", left, right, got, now)
				}
				b.endRun(t)
				b.checkSnapshot(t, now)
			}
			b.visit(t, 0, batchOf(left, -1), batchOf(right, -1))
			b.endRun(t)
			b.checkEmpty(t)
		})
	})
}

// In a cycle the output up to an iteration is the join of the two sides up to
// that iteration, for all iterations and after every run.
func TestJoins_EqualTheNestedLoopAtEveryIteration(t *testing.T) {
	const last = 4
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			b := newJoinBench(t, op(), true)
			var left, right [last + 1]multiset // differences by iteration
			for i := range left {
				left[i], right[i] = multiset{}, multiset{}
			}
			sum := func(side []multiset) multiset {
				m := multiset{}
				for _, part := range side {
					m.take(batchOf(part, 1))
				}
				return m
			}
			for range rapid.IntRange(1, 5).Draw(t, "runs") {
				for i := range int32(last + 1) {
					for range rapid.IntRange(0, 2).Draw(t, "cuts") {
						dl, dr := drawBatch(t, "left"), drawBatch(t, "right")
						left[i].take(dl)
						right[i].take(dr)
						b.visit(t, i, dl, dr)
					}
				}
				for i := range int32(last + 1) {
					now := want(keysOf{}, sum(left[:i+1]), sum(right[:i+1]))
					if got := b.upTo(i); !maps.Equal(got, now) {
						t.Fatalf("at %d %v and %v join to %v, want %v", i, left[:i+1], right[:i+1], got, now)
					}
				}
				b.endRun(t)
				b.checkSnapshot(t, want(keysOf{}, sum(left[:]), sum(right[:])))
			}
			for i := range int32(last + 1) {
				b.visit(t, i, batchOf(left[i], -1), batchOf(right[i], -1))
			}
			b.endRun(t)
			b.checkEmpty(t)
		})
	})
}

// A join below a cycle reads arrangements with iterations, which are nothing
// to it, and gets what left the cycle in one batch.
func TestJoins_ForgetTheIterationsOfACycleAbove(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			b := newJoinBench(t, op(), false)
			all := [2]multiset{{}, {}}
			for range rapid.IntRange(1, 5).Draw(t, "runs") {
				net := [2]multiset{{}, {}}
				for i := range int32(3) {
					for side, name := range []string{"left", "right"} {
						batch := drawBatch(t, name)
						b.arrange(t, i, side, batch)
						net[side].take(batch)
						all[side].take(batch)
					}
				}
				b.join(t, 0, batchOf(net[0], 1), batchOf(net[1], 1))
				now := want(keysOf{}, all[0], all[1])
				if got := b.upTo(0); !maps.Equal(got, now) {
					t.Fatalf("%v and %v join to %v, want %v", all[0], all[1], got, now)
				}
				b.endRun(t)
				b.checkSnapshot(t, now)
			}
		})
	})
}

// A join added later is filled from the ports it asks for, and goes on from
// there as if it had always stood.
func TestJoins_AreFilledByTheStagedPorts(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			cyclic := rapid.Bool().Draw(t, "in a cycle")
			b := newJoinBench(t, op(), cyclic)
			left, right := multiset{}, multiset{}
			left.take(drawBatch(t, "left"))
			right.take(drawBatch(t, "right"))
			var staged [2][]Diff
			for side, rows := range []multiset{left, right} {
				b.arrange(t, 0, side, batchOf(rows, 1))
				if b.op.(Stager).Stage(side) {
					staged[side] = batchOf(rows, 1)
				}
			}
			b.join(t, 0, staged[0], staged[1])
			dl, dr := drawBatch(t, "left"), drawBatch(t, "right")
			left.take(dl)
			right.take(dr)
			b.visit(t, 0, dl, dr)
			if got, now := b.upTo(0), want(keysOf{}, left, right); !maps.Equal(got, now) {
				t.Fatalf("%v and %v join to %v, want %v", left, right, got, now)
			}
		})
	})
}

// Indexes that somebody else keeps serve as well as arrangements.
func TestJoins_StandOnIndexesOfOthers(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			b := &joinBench{op: op(), out: map[int32]pairset{}}
			hashes := [2]*Hash{NewHash(), NewHash()}
			at := Place{In: []Operator{NewArranged(NewIndexed(hashes[0], keysOf{})), NewArranged(NewIndexed(hashes[1], keysOf{}))}}
			if err := b.op.(Binder).Bind(at); err != nil {
				t.Fatal(err)
			}
			sides := [2]multiset{{}, {}}
			for range rapid.IntRange(1, 6).Draw(t, "runs") {
				var batches [2][]Diff
				for side, hash := range hashes {
					toggled := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 15), 0, 6, rapid.ID).Draw(t, "toggled")
					for _, row := range toggled {
						class, bits, ok := keysOf{}.Key(row)
						if !ok {
							class, bits = 99, 0
						}
						w := int32(1)
						if sides[side][row] != 0 {
							w = -1
							hash.Remove(class, bits, row)
						} else {
							hash.Add(class, bits, row)
						}
						sides[side].add(row, w)
						batches[side] = append(batches[side], Diff{row, w})
					}
				}
				b.join(t, 0, batches[0], batches[1])
				now := want(keysOf{}, sides[0], sides[1])
				if got := b.upTo(0); !maps.Equal(got, now) {
					t.Fatalf("%v and %v join to %v, want %v", sides[0], sides[1], got, now)
				}
				b.endRun(t)
				b.checkSnapshot(t, now)
			}
		})
	})
}

// Both ports of a join may stand on one arrangement.
func TestJoins_OfACollectionWithItself(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		rapid.Check(t, func(t *rapid.T) {
			cyclic := rapid.Bool().Draw(t, "in a cycle")
			b := newJoinBench(t, op(), cyclic)
			if err := b.op.(Binder).Bind(Place{In: []Operator{b.arrs[0], b.arrs[0]}, Cyclic: cyclic}); err != nil {
				t.Fatal(err)
			}
			rows := multiset{}
			for range rapid.IntRange(1, 5).Draw(t, "runs") {
				batch := drawBatch(t, "rows")
				rows.take(batch)
				b.arrange(t, 0, 0, batch)
				b.join(t, 0, batch, batch)
				if got, now := b.upTo(0), want(keysOf{}, rows, rows); !maps.Equal(got, now) {
					t.Fatalf("%v joins with itself to %v, want %v", rows, got, now)
				}
				b.endRun(t)
			}
		})
	})
}

func TestJoins_RefuseAPortWithoutAnArrangement(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, _ naive) {
		arranged := NewArrange(keysOf{})
		for name, in := range map[string][]Operator{
			"no edge":            nil,
			"one side":           {arranged, nil},
			"several edges":      {nil, arranged},
			"not arranged":       {arranged, NewSemijoin()},
			"the other not":      {NewSemijoin(), arranged},
			"one port is absent": {arranged},
		} {
			if err := op().(Binder).Bind(Place{In: in}); !errors.Is(err, ErrNotArranged) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// nodes is a projection like that of a recursion over edges: the output row of
// a match is the right row's number alone, interned in a table.
type nodes struct{ table *Table }

func (n nodes) Project(_, right uint32) uint32 { return n.table.Intern1(uint64(right)) }

// A row two matches make is one row with the sum of their weights, and two
// joins may put their rows into one table.
func TestJoin_ProjectsIntoASharedTable(t *testing.T) {
	table := NewTable(1)
	spec := JoinSpec{Rows: nodes{table}, Table: table}
	a, b := newJoinBench(t, NewJoin(spec), false), newJoinBench(t, NewJoin(spec), false)
	visit := func(bench *joinBench, left, right []Diff) multiset {
		bench.arrange(t, 0, 0, left)
		bench.arrange(t, 0, 1, right)
		v, out := NewVisit(0, left, right), &Out{}
		if err := bench.op.Apply(v, out); err != nil {
			t.Fatal(err)
		}
		got := multiset{}
		for _, d := range out.diffs {
			got.add(uint32(table.Word(d.Row, 0)), d.Weight)
		}
		for _, s := range v.sweep {
			s.Sweep()
		}
		return got
	}
	rows, match := []Diff{{1, 1}, {2, 1}}, []Diff{{3, 1}}
	if got := visit(a, rows, match); !maps.Equal(got, multiset{3: 2}) {
		t.Errorf("the first join puts out %v", got)
	}
	if got := visit(b, rows, match); !maps.Equal(got, multiset{3: 2}) || table.Len() != 1 {
		t.Errorf("the second join puts out %v, of %d rows", got, table.Len())
	}
	visit(a, []Diff{{1, -1}}, nil)
	visit(b, nil, []Diff{{3, -1}})
	if row := table.Find([]uint64{3}); row == None || table.Refs(row) != 1 {
		t.Error("the row left with the join that no longer has it, and not with the other")
	}
	visit(a, []Diff{{2, -1}}, nil)
	if table.Len() != 0 || a.op.(Keeper).Retained() != 0 {
		t.Errorf("%d rows are left", table.Len())
	}
}

func TestJoins_ClearReturnsToTheFirstState(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, want naive) {
		for _, cyclic := range []bool{false, true} {
			b := newJoinBench(t, op(), cyclic)
			left, right := []Diff{{1, 1}, {2, 2}, {6, 1}, {8, 1}}, []Diff{{3, 1}, {7, 1}, {16, 1}}
			b.visit(t, 0, left, right)
			b.op.(Keeper).Clear()
			if b.op.(Keeper).Retained() != 0 {
				t.Errorf("%d rows are retained", b.op.(Keeper).Retained())
			}
			if j, ok := b.op.(interface{ Rows() Projection }); ok && j.Rows().(*Pairs).Table().Len() == 0 {
				t.Error("the rows lost their ids before a run was over")
			}
			b.out = map[int32]pairset{}
			var staged [2][]Diff
			for side, batch := range [][]Diff{left, right} {
				if b.op.(Stager).Stage(side) {
					staged[side] = batch
				}
			}
			b.join(t, 0, staged[0], staged[1])
			if got, now := b.upTo(0), want(keysOf{}, multiset{1: 1, 2: 2, 6: 1, 8: 1}, multiset{3: 1, 7: 1, 16: 1}); !maps.Equal(got, now) {
				t.Errorf("filled again it has %v, want %v", got, now)
			}
			b.endRun(t)
		}
	})
}

func TestJoin_AWeightThatIsTooLargeFailsTheVisit(t *testing.T) {
	b := newJoinBench(t, NewJoin(JoinSpec{}), false)
	defer func() {
		if recover() != ErrWeight {
			t.Error("the product of the weights was taken for one of 32 bits")
		}
	}()
	b.visit(t, 0, []Diff{{1, 1 << 20}}, []Diff{{2, 1 << 20}})
}
