package d2

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDistinct_IsItsDefinitionAtEveryIteration names law FRESH: at every iteration the
// output up to there is the set of rows whose input up to there is above 0.
func TestDistinct_IsItsDefinitionAtEveryIteration(t *testing.T) {
	for _, cyclic := range []bool{false, true} {
		t.Run(fmt.Sprint("in a cycle: ", cyclic), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkDistinct(t, cyclic) })
		})
	}
}

func checkDistinct(t *rapid.T, cyclic bool) {
	op := NewDistinct()
	if err := op.Bind(Place{Cyclic: cyclic}); err != nil {
		t.Fatal(err)
	}
	input, output := history{}, history{}
	for range rapid.IntRange(1, 8).Draw(t, "runs") {
		run := genHistory(t, input, cyclic)
		if len(run) > 0 && !cyclic && rapid.Bool().Draw(t, "cut") {
			// SPLIT: in pieces, in any order.
			rows := run[0].sorted()
			for _, at := range rapid.Permutation(rows).Draw(t, "order") {
				iterate(t, history{0: {at.Row: at.Weight}}, output, op)
			}
		} else {
			iterate(t, run, output, op)
		}
		for iter := range max(input.latest(), output.latest()) + 2 {
			want := bag{}
			for row, weight := range input.upTo(iter) {
				if weight > 0 {
					want[row] = 1
				}
			}
			if got := output.upTo(iter); !slices.Equal(got.sorted(), want.sorted()) {
				t.Fatalf("at %d of %v: got %v, want %v", iter, input, got, want)
			}
		}
		snap, total := &Out{}, bag{}
		if err := op.Snapshot(snap); err != nil {
			t.Fatal(err)
		}
		for _, d := range snap.diffs {
			total.add(d)
		}
		if want := output.upTo(math.MaxInt32); !slices.Equal(total.sorted(), want.sorted()) {
			t.Fatalf("the snapshot is %v, want %v", total, want)
		}
	}
	undo := history{}
	for iter, b := range input {
		for row, weight := range b {
			undo.add(iter, Diff{row, -weight})
		}
	}
	if rapid.Bool().Draw(t, "clear") {
		op.Clear()
	} else {
		iterate(t, undo, output, op)
	}
	if op.Retained() != 0 || op.Bytes() > 3000 {
		t.Fatalf("left: %d rows, %d bytes", op.Retained(), op.Bytes())
	}
}

func TestDistinct_ALongChainIsLookedAtOnceAnIteration(t *testing.T) {
	op := NewDistinct()
	if err := op.Bind(Place{Cyclic: true}); err != nil {
		t.Fatal(err)
	}
	out, in := history{}, history{}
	const n = 300
	for i := range int32(n) {
		in.add(i, Diff{7, 1})
	}
	if visits := iterate(t, in, out, op); visits != n {
		t.Errorf("%d visits for %d iterations", visits, n)
	}
	// Changes at several iterations share the way to the end.
	undo := history{}
	for i := range int32(n / 3) {
		undo.add(3*i, Diff{7, -1})
	}
	if visits := iterate(t, undo, out, op); visits != n {
		t.Errorf("%d visits, want %d", visits, n)
	}
	if got := out.upTo(0); len(got) != 0 {
		t.Errorf("present at 0: %v", got)
	}
	if got := out.upTo(1); got[7] != 1 {
		t.Errorf("absent at 1: %v", got)
	}
	if op.todo.n != 0 || len(op.todo.due) != 0 || len(op.todo.next) > 2 {
		t.Errorf("%d are left to do; at most %d were", op.todo.n, len(op.todo.next))
	}
}

func TestDistinct_RefusesLessThanNothing(t *testing.T) {
	op := NewDistinct()
	if err := op.Apply(NewVisit(0, []Diff{{3, 1}, {4, -1}}), &Out{}); !errors.Is(err, ErrNegative) {
		t.Errorf("got %v", err)
	}
}

func TestDistinct_MemoryFollowsTheRows(t *testing.T) {
	for _, cyclic := range []bool{false, true} {
		op := NewDistinct()
		if err := op.Bind(Place{Cyclic: cyclic}); err != nil {
			t.Fatal(err)
		}
		apply := func(iter int32, rows []uint32, weight int32) (emitted int) {
			for _, row := range rows {
				v, out := NewVisit(iter, []Diff{{row, weight}}), &Out{iter: iter}
				if err := op.Apply(v, out); err != nil {
					t.Fatal(err)
				}
				emitted += len(out.diffs)
			}
			return emitted
		}
		const n = 20000
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(i)
		}
		if got := apply(0, rows, 1); got != n {
			t.Fatalf("%d rows are put out", got)
		}
		limit := 7 // dense counts
		if cyclic {
			limit = 70
		}
		if per := op.Bytes() / n; per > limit {
			t.Errorf("in a cycle %v: %d bytes a row", cyclic, per)
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		apply(0, rows[20:], -1)
		if op.Retained() != 20 || op.Bytes() > 50000 {
			t.Errorf("in a cycle %v: %d rows, %d bytes", cyclic, op.Retained(), op.Bytes())
		}
		snap := &Out{}
		if err := op.Snapshot(snap); err != nil || len(snap.diffs) != 20 {
			t.Errorf("the snapshot has %d rows, %v", len(snap.diffs), err)
		}
		if got := apply(0, rows[:20], -1); got != 20 || op.Retained() != 0 || op.Bytes() > 5000 {
			t.Errorf("in a cycle %v: %d leave, %d rows, %d bytes are left", cyclic, got, op.Retained(), op.Bytes())
		}
	}
}

func TestDistinct_AllocatesNothingAfterWarmUp(t *testing.T) {
	for _, cyclic := range []bool{false, true} {
		op := NewDistinct()
		if err := op.Bind(Place{Cyclic: cyclic}); err != nil {
			t.Fatal(err)
		}
		v, out, at := NewVisit(0, nil), &Out{}, uint32(0)
		batch := make([]Diff, 2)
		visit := func(iter, weight int32) {
			batch[0], batch[1] = Diff{at, weight}, Diff{at + 1000, weight}
			v.ports[0].batch, v.Iter, out.iter = batch, iter, iter
			v.again, out.diffs = v.again[:0], out.diffs[:0]
			if err := op.Apply(v, out); err != nil {
				t.Fatal(err)
			}
		}
		step := func() {
			visit(0, 1)
			visit(0, 1)
			visit(0, -1)
			visit(0, -1)
			at = (at + 7) % 2000
		}
		for range 3000 {
			step()
		}
		if a := testing.AllocsPerRun(500, step); a != 0 {
			t.Errorf("in a cycle %v: %v allocations a step", cyclic, a)
		}
	}
}
