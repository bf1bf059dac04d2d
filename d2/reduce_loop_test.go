package d2

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// roads are the edges of a graph: slots with two ends and a length.
type roads struct{ from, to, length []uint64 }

func (r *roads) Key(slot uint32) (uint8, uint64, bool) { return 0, r.from[slot], true }

// travel makes rows of a place, and the way to it if their table is wide enough.
type travel struct {
	*roads
	home *Table
}

func (t travel) Key(row uint32) (uint8, uint64, bool) { return 0, t.home.Word(row, 0), true }

func (t travel) Project(left, road uint32) uint32 {
	if t.home.Width() == 1 {
		return t.home.Intern1(t.to[road])
	}
	return t.home.Intern2(t.to[road], t.home.Word(left, 1)+t.length[road])
}

func (t travel) Compare(a, b uint32) int { return int(t.home.Word(a, 1)) - int(t.home.Word(b, 1)) }

// checkLoop runs a recursion over random roads that come and go, against a
// computation from scratch: x = starts ∪ step(x ⋈ roads), reduced by op.
func checkLoop(t *rapid.T, width int, newOp func(travel) Operator, want func(r *roads, present, starts bag) []uint64, word func(travel, uint32) uint64) {
	const places = 6
	r := &roads{}
	tr := travel{r, NewTable(width)}
	g := NewGraph()
	var starts, edges, reduced NodeID
	op := newOp(tr)
	if err := g.Extend(func(b *Builder) {
		starts, edges = b.Add(NewInput(nil)), b.Add(NewInput(nil))
		byFrom := b.Add(NewArrange(r), edges)
		b.Iterate(starts, func(x NodeID) NodeID {
			reduced = b.Add(op, x)
			at := b.Add(NewArrange(tr), reduced)
			return b.Add(NewJoin(JoinSpec{Rows: tr, Table: tr.home}), at, byFrom)
		})
	}); err != nil {
		t.Fatal(err)
	}
	present, begun := bag{}, bag{}
	check := func() {
		if _, err := g.Run(); err != nil {
			t.Fatal(err)
		}
		if failed := g.LastRun().Failed; len(failed) > 0 {
			t.Fatal(failed)
		}
		rows, err := g.Snapshot(reduced)
		if err != nil {
			t.Fatal(err)
		}
		got := [places]uint64{}
		for _, d := range rows {
			place := tr.home.Word(d.Row, 0)
			if d.Weight != 1 || got[place] != 0 {
				t.Fatalf("place %d comes with weight %d, or twice, in %v", place, d.Weight, rows)
			}
			got[place] = word(tr, d.Row) + 1
		}
		if w := want(r, present, begun); fmt.Sprint(got[:]) != fmt.Sprint(w) {
			t.Fatalf("got %v, want %v", got, w)
		}
	}
	push := func(to NodeID, d Diff) {
		if err := g.Push(to, 0, []Diff{d}); err != nil {
			t.Fatal(err)
		}
	}
	start := func(place uint64, weight int32) {
		words := [2]uint64{place, 0}
		row := tr.home.Intern(words[:width])
		if begun.add(Diff{uint32(place), weight}); weight > 0 {
			tr.home.Ref(row)
		} else {
			tr.home.Unref(row)
		}
		push(starts, Diff{row, weight})
	}
	for range rapid.IntRange(1, 10).Draw(t, "runs") {
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			held := present.sorted()
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case kind == 0:
				place := rapid.Uint64Range(0, places-1).Draw(t, "start")
				if begun[uint32(place)] > 0 {
					start(place, -1)
				} else {
					start(place, 1)
				}
			case kind < 3 && len(held) > 0:
				d := rapid.SampledFrom(held).Draw(t, "road")
				d.Weight = -1
				present.add(d)
				push(edges, d)
			default:
				r.from = append(r.from, rapid.Uint64Range(0, places-1).Draw(t, "from"))
				r.to = append(r.to, rapid.Uint64Range(0, places-1).Draw(t, "to"))
				r.length = append(r.length, rapid.Uint64Range(1, 4).Draw(t, "length"))
				d := Diff{uint32(len(r.from) - 1), rapid.Int32Range(1, 2).Draw(t, "copies")}
				present.add(d)
				push(edges, d)
			}
		}
		check()
	}
	for _, d := range present.sorted() {
		d.Weight = -d.Weight
		push(edges, d)
	}
	for _, d := range begun.sorted() {
		start(uint64(d.Row), -d.Weight)
	}
	clear(present)
	check()
	tr.home.Sweep() // of starts that came and went in one batch
	if n := op.(Keeper).Retained(); n != 0 || tr.home.Len() != 0 {
		t.Fatalf("%d differences and %d rows are left of nothing", n, tr.home.Len())
	}
}

// TestDistinct_ReachesWhatCanBeReached names law FRESH for recursion: places that
// only support each other around a circle are gone with their outside support.
func TestDistinct_ReachesWhatCanBeReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkLoop(t, 1, func(travel) Operator { return NewDistinct() }, func(r *roads, present, starts bag) []uint64 {
			seen := make([]uint64, 6)
			var visit func(place uint64)
			visit = func(place uint64) {
				if seen[place] != 0 {
					return
				}
				seen[place] = 1
				for slot := range present {
					if r.from[slot] == place {
						visit(r.to[slot])
					}
				}
			}
			for place := range starts {
				visit(uint64(place))
			}
			return seen
		}, func(travel, uint32) uint64 { return 0 })
	})
}

// TestReduce_FindsShortestWays: the least of what comes of the least.
func TestReduce_FindsShortestWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkLoop(t, 2, func(tr travel) Operator { return NewReduce(tr, LeastRow(tr), nil) }, func(r *roads, present, starts bag) []uint64 {
			best := make([]uint64, 6) // 1 more than the way; 0 is none
			for place := range starts {
				best[place] = 1
			}
			for changed := true; changed; {
				changed = false
				for slot := range present {
					if from := best[r.from[slot]]; from != 0 {
						if way, to := from+r.length[slot], &best[r.to[slot]]; *to == 0 || way < *to {
							*to, changed = way, true
						}
					}
				}
			}
			return best
		}, func(tr travel, row uint32) uint64 { return tr.home.Word(row, 1) })
	})
}
