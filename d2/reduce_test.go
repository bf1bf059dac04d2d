package d2

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// history is a multiset's differences by iteration.
type history map[int32]bag

func (h history) add(iter int32, diffs ...Diff) {
	for _, d := range diffs {
		if h[iter] == nil {
			h[iter] = bag{}
		}
		h[iter].add(d)
	}
}

// upTo is the multiset at an iteration.
func (h history) upTo(iter int32) bag {
	sum := bag{}
	for at, b := range h {
		for row, weight := range b {
			if at <= iter {
				sum.add(Diff{row, weight})
			}
		}
	}
	return sum
}

func (h history) latest() int32 {
	last := int32(0)
	for at, b := range h {
		if len(b) > 0 {
			last = max(last, at)
		}
	}
	return last
}

// iterate applies batches by iteration, and what the operators ask for, in the
// order of iterations. Each operator but the first stands on the one before.
func iterate(t interface{ Fatalf(string, ...any) }, in history, out history, ops ...Operator) (visits int) {
	due := map[int32]bool{}
	for iter := range in {
		due[iter] = true
	}
	var sweeps []Sweeper
	for len(due) > 0 {
		iter := int32(math.MaxInt32)
		for at := range due {
			iter = min(iter, at)
		}
		delete(due, iter)
		batch := in[iter].sorted()
		for _, op := range ops {
			v, o := NewVisit(iter, batch), &Out{iter: iter}
			if err := op.Apply(v, o); err != nil {
				t.Fatalf("%s at %d: %v", op.Name(), iter, err)
			}
			visits++
			for _, later := range v.again {
				if later <= iter {
					t.Fatalf("%s at %d asks for %d", op.Name(), iter, later)
				}
				due[later] = true
			}
			sweeps = append(sweeps, v.sweep...)
			seen := map[uint32]bool{}
			for _, d := range o.diffs {
				if seen[d.Row] && o.tidy {
					t.Fatalf("%s at %d: row %d comes twice", op.Name(), iter, d.Row)
				}
				seen[d.Row] = true
			}
			batch = o.diffs
		}
		out.add(iter, batch...)
	}
	for _, s := range sweeps {
		s.Sweep()
	}
	return visits
}

// Rows of these tests are numbers 0 to 35: key, value and a distinction.
type numbered struct{}

func (numbered) Key(row uint32) (uint8, uint64, bool) {
	return uint8(row % 2), uint64(row % 4), row%4 != 3
}

func (numbered) Compare(a, b uint32) int {
	if a/4%3 != b/4%3 {
		return int(a/4%3) - int(b/4%3)
	}
	return int(a) - int(b)
}

// byValue puts out a row for each value of a key, with the weight of its rows.
type byValue struct{ home *Table }

func (f byValue) Reduce(class uint8, bits uint64, rows []Diff, out *Bag) error {
	for _, d := range rows {
		out.Add(f.home.Intern2(bits, uint64(d.Row/4%3)), d.Weight)
	}
	return nil
}

// reduced is a reduction with its definition.
type reduced struct {
	name string
	home *Table
	f    Reduction
	text func(home *Table, row uint32) string
	// rows are those of a key with their weights, all above 0.
	want func(key uint64, rows bag) map[string]int32
}

func reductions() []reduced {
	one, two := NewTable(GroupLayout{}.Width()), NewTable(GroupLayout{1}.Width())
	three := NewTable(2)
	layoutText := func(l GroupLayout) func(*Table, uint32) string {
		return func(home *Table, row uint32) string {
			class, key := l.Key(home, row)
			text := fmt.Sprint(class, " ", key)
			if l.Results > 0 {
				class, n := l.Result(home, row, 0)
				text += fmt.Sprint(" ", class, " ", n)
			}
			return text
		}
	}
	rowText := func(_ *Table, row uint32) string { return fmt.Sprint(row) }
	return []reduced{
		{"least", nil, LeastRow(numbered{}), rowText, func(_ uint64, rows bag) map[string]int32 {
			all := rows.sorted()
			slices.SortFunc(all, func(a, b Diff) int { return numbered{}.Compare(a.Row, b.Row) })
			return map[string]int32{fmt.Sprint(all[0].Row): 1}
		}},
		{"lowest", nil, LeastRow(nil), rowText, func(_ uint64, rows bag) map[string]int32 {
			return map[string]int32{fmt.Sprint(rows.sorted()[0].Row): 1}
		}},
		{"key", one, EachKey(one), layoutText(GroupLayout{}), func(key uint64, rows bag) map[string]int32 {
			return map[string]int32{fmt.Sprint(key%2, " ", key): 1}
		}},
		{"count", two, RowCount(two), layoutText(GroupLayout{1}), func(key uint64, rows bag) map[string]int32 {
			n := int32(0)
			for _, weight := range rows {
				n += weight
			}
			return map[string]int32{fmt.Sprint(key%2, " ", key, " ", ResultInt, " ", n): 1}
		}},
		{"by value", three, byValue{three}, func(home *Table, row uint32) string {
			return fmt.Sprint(home.Word(row, 0), " has ", home.Word(row, 1))
		}, func(key uint64, rows bag) map[string]int32 {
			want := map[string]int32{}
			for row, weight := range rows {
				want[fmt.Sprint(key, " has ", row/4%3)] += weight
			}
			return want
		}},
	}
}

// wanted is the definition of a reduce: f of the rows of each key.
func (r reduced) wanted(in bag) map[string]int32 {
	byKey := map[uint64]bag{}
	for row, weight := range in {
		_, key, ok := numbered{}.Key(row)
		if !ok || weight <= 0 {
			continue
		}
		if byKey[key] == nil {
			byKey[key] = bag{}
		}
		byKey[key][row] = weight
	}
	want := map[string]int32{}
	for key, rows := range byKey {
		for text, weight := range r.want(key, rows) {
			want[text] += weight
		}
	}
	return want
}

func (r reduced) texts(out bag) map[string]int32 {
	got := map[string]int32{}
	for row, weight := range out {
		got[r.text(r.home, row)] += weight
	}
	return got
}

// genHistory draws a run's differences by iteration. Where the sums must not
// be negative it draws at iteration 0 alone.
func genHistory(t *rapid.T, so history, cyclic bool) history {
	run := history{}
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		iter, d := int32(0), Diff{Row: rapid.Uint32Range(0, 35).Draw(t, "row")}
		if cyclic {
			iter = rapid.Int32Range(0, 6).Draw(t, "iteration")
			d.Weight = rapid.SampledFrom([]int32{1, 1, -1, 2, -2}).Draw(t, "weight")
			// What is there is undone as often as not.
			if there := so[iter][d.Row]; there != 0 && rapid.Bool().Draw(t, "undo") {
				d.Weight = -there
			}
		} else {
			there := so[0][d.Row] + run[0][d.Row]
			d.Weight = rapid.Int32Range(-there, 2).Draw(t, "weight")
		}
		if d.Weight != 0 {
			run.add(iter, d)
		}
	}
	for iter, b := range run {
		so.add(iter, b.sorted()...)
	}
	return run
}

// TestReduce_IsItsDefinitionAtEveryIteration names law FRESH: at every iteration the
// output up to there is the function of the input up to there.
func TestReduce_IsItsDefinitionAtEveryIteration(t *testing.T) {
	for which := range reductions() {
		for _, cyclic := range []bool{false, true} {
			t.Run(fmt.Sprint(reductions()[which].name, " in a cycle: ", cyclic), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { checkReduce(t, which, cyclic) })
			})
		}
	}
}

func checkReduce(t *rapid.T, which int, cyclic bool) {
	r := reductions()[which]
	op := NewReduce(numbered{}, r.f, r.home)
	ops := []Operator{op}
	in := []Operator{nil}
	if rapid.Bool().Draw(t, "standing") {
		op = NewReduce(nil, r.f, r.home)
		in[0] = NewArrange(numbered{})
		ops = []Operator{in[0], op}
	}
	if err := op.Bind(Place{In: in, Cyclic: cyclic}); err != nil {
		t.Fatal(err)
	}
	input, output := history{}, history{}
	check := func() {
		for iter := range max(input.latest(), output.latest()) + 2 {
			want, got := r.wanted(input.upTo(iter)), r.texts(output.upTo(iter))
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Fatalf("at %d of %v: got %v, want %v", iter, input, got, want)
			}
		}
		snap := &Out{}
		if err := op.Snapshot(snap); err != nil {
			t.Fatal(err)
		}
		total := bag{}
		for _, d := range snap.diffs {
			total.add(d)
		}
		if want := output.upTo(math.MaxInt32); !slices.Equal(total.sorted(), want.sorted()) {
			t.Fatalf("the snapshot is %v, want %v", total, want)
		}
	}
	for range rapid.IntRange(1, 6).Draw(t, "runs") {
		run := genHistory(t, input, cyclic)
		iterate(t, run, output, ops...)
		check()
	}
	undo := history{}
	for iter, b := range input {
		for row, weight := range b {
			undo.add(iter, Diff{row, -weight})
		}
	}
	if rapid.Bool().Draw(t, "clear") {
		op.Clear()
		if r.home != nil {
			r.home.Sweep()
		}
	} else {
		iterate(t, undo, output, ops...)
	}
	if op.Retained() != 0 || op.Bytes() > 8000 || (r.home != nil && r.home.Len() != 0) {
		t.Fatalf("left: %d differences, %d bytes", op.Retained(), op.Bytes())
	}
}

// TestReduce_LooksOnlyWhereAKeyHasDifferences names law WORK.
func TestReduce_LooksOnlyWhereAKeyHasDifferences(t *testing.T) {
	op := NewReduce(numbered{}, LeastRow(numbered{}), nil)
	if err := op.Bind(Place{In: []Operator{nil}, Cyclic: true}); err != nil {
		t.Fatal(err)
	}
	out := history{}
	visits := iterate(t, history{5: {8: 1}, 90: {4: 1}, 7000: {0: 1}, 2: {1: 1}}, out, op)
	if visits != 4 {
		t.Errorf("%d visits for differences at 4 iterations", visits)
	}
	// A better row from the beginning: the three iterations of its key, no other.
	if visits := iterate(t, history{0: {0: 1}}, out, op); visits != 4 {
		t.Errorf("%d visits, want those at 0, 5, 90, 7000", visits)
	}
	if got := out.upTo(0); len(got) != 1 || got[0] != 1 || len(out.upTo(7000)) != 2 {
		t.Errorf("output at 0: %v, at last: %v", got, out.upTo(7000))
	}
	if visits := iterate(t, history{9000: {2: 1}}, out, op); visits != 1 {
		t.Errorf("%d visits, want one: nothing comes later", visits)
	}
}

type onlyRow struct{ row uint32 }

func (f onlyRow) Reduce(class uint8, bits uint64, rows []Diff, out *Bag) error {
	out.Add(f.row, int32(len(rows)))
	return nil
}

func TestReduce_RefusesWhatItCannotDo(t *testing.T) {
	apply := func(op *Reduce, batch ...Diff) error { return op.Apply(NewVisit(0, batch), &Out{}) }
	if err := apply(NewReduce(numbered{}, LeastRow(nil), nil), Diff{1, -1}); !errors.Is(err, ErrNegative) {
		t.Errorf("less than nothing: %v", err)
	}
	if err := apply(NewReduce(numbered{}, onlyRow{7}, nil), Diff{1, 1}, Diff{2, 1}); !errors.Is(err, ErrTwoKeys) {
		t.Errorf("one row for two keys: %v", err)
	}
	if err := apply(NewReduce(nil, LeastRow(nil), nil), Diff{1, 1}); !errors.Is(err, ErrNotArranged) {
		t.Errorf("neither keyer nor arrangement: %v", err)
	}
	if err := NewReduce(nil, LeastRow(nil), nil).Bind(Place{In: []Operator{NewConcat()}}); !errors.Is(err, ErrNotArranged) {
		t.Errorf("above what is not arranged: %v", err)
	}
	op := NewReduce(numbered{}, onlyRow{7}, nil)
	if err := errors.Join(apply(op, Diff{1, 1}), apply(op, Diff{5, 1}), apply(op, Diff{1, -1}, Diff{5, -1})); err != nil || op.Retained() != 0 {
		t.Errorf("a row of one key that changes its weight: %v, %d left", err, op.Retained())
	}
}

func TestReduce_AllocatesNothingAfterWarmUp(t *testing.T) {
	home := NewTable(GroupLayout{1}.Width())
	op := NewReduce(flatItems{}, RowCount(home), home)
	if err := op.Bind(Place{In: []Operator{nil}, Cyclic: true}); err != nil {
		t.Fatal(err)
	}
	v, out, at := NewVisit(0, nil), &Out{}, uint32(0)
	batch := make([]Diff, 3)
	visit := func(iter, weight int32) {
		for i := range batch {
			batch[i] = Diff{at + uint32(i)*5, weight}
		}
		v.ports[0].batch, v.Iter, out.iter = batch, iter, iter
		v.sweep, v.again, out.diffs = v.sweep[:0], v.again[:0], out.diffs[:0]
		if err := op.Apply(v, out); err != nil {
			t.Fatal(err)
		}
		for _, s := range v.sweep {
			s.Sweep()
		}
	}
	step := func() {
		visit(0, 1)
		visit(3, 1)
		visit(3, -1)
		visit(0, -1)
		at = (at + 7) % 500
	}
	for range 1000 {
		step()
	}
	if a := testing.AllocsPerRun(500, step); a != 0 {
		t.Errorf("%v allocations a step", a)
	}
}
