package d2

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The world of the join tests: multisets of rows on two sides, differences of
// them by iteration, and joins computed by looking at every pair of rows.

type multiset map[uint32]int32

func (m multiset) add(row uint32, weight int32) {
	if m[row] += weight; m[row] == 0 {
		delete(m, row)
	}
}

type pair struct{ left, right uint32 }

type pairset map[pair]int32

func (p pairset) add(left, right uint32, weight int32) {
	at := pair{left, right}
	if p[at] += weight; p[at] == 0 {
		delete(p, at)
	}
}

// naive is what a join of two multisets is, by its definition.
type naive func(keys Keyer, left, right multiset) pairset

func keysMatch(keys Keyer, a, b uint32) bool {
	ac, ab, aok := keys.Key(a)
	bc, bb, bok := keys.Key(b)
	return aok && bok && ac == bc && ab == bb
}

func hasMatch(keys Keyer, row uint32, other multiset) bool {
	sum := int32(0)
	for o, w := range other {
		if keysMatch(keys, row, o) {
			sum += w
		}
	}
	return sum > 0
}

func naiveInner(keys Keyer, left, right multiset) pairset {
	out := pairset{}
	for l, lw := range left {
		for r, rw := range right {
			if keysMatch(keys, l, r) {
				out.add(l, r, lw*rw)
			}
		}
	}
	return out
}

func naiveLeft(keys Keyer, left, right multiset) pairset {
	out := naiveInner(keys, left, right)
	for l, w := range left {
		if !hasMatch(keys, l, right) {
			out.add(l, None, w)
		}
	}
	return out
}

func naiveRight(keys Keyer, left, right multiset) pairset {
	out := naiveInner(keys, left, right)
	for r, w := range right {
		if !hasMatch(keys, r, left) {
			out.add(None, r, w)
		}
	}
	return out
}

func naiveFull(keys Keyer, left, right multiset) pairset {
	out := naiveLeft(keys, left, right)
	for p, w := range naiveRight(keys, left, right) {
		if p.left == None {
			out[p] = w
		}
	}
	return out
}

func naiveSemi(keys Keyer, left, right multiset) pairset {
	out := pairset{}
	for l, w := range left {
		if hasMatch(keys, l, right) {
			out.add(l, None, w)
		}
	}
	return out
}

func naiveAnti(keys Keyer, left, right multiset) pairset {
	out := pairset{}
	for l, w := range left {
		if !hasMatch(keys, l, right) {
			out.add(l, None, w)
		}
	}
	return out
}

// joinKinds are the operators under test with their definitions.
var joinKinds = []struct {
	name string
	make func() Operator
	want naive
}{
	{"inner", func() Operator { return NewJoin(JoinSpec{}) }, naiveInner},
	{"left", func() Operator { return NewOuterJoin(LeftOuter, JoinSpec{}) }, naiveLeft},
	{"right", func() Operator { return NewOuterJoin(RightOuter, JoinSpec{}) }, naiveRight},
	{"full", func() Operator { return NewOuterJoin(FullOuter, JoinSpec{}) }, naiveFull},
	{"semi", func() Operator { return NewSemijoin() }, naiveSemi},
	{"anti", func() Operator { return NewAntijoin() }, naiveAnti},
}

func eachJoin(t *testing.T, test func(t *testing.T, op func() Operator, want naive)) {
	for _, kind := range joinKinds {
		t.Run(kind.name, func(t *testing.T) { test(t, kind.make, kind.want) })
	}
}

// keysOf gives rows few keys, some of them none, and two classes.
type keysOf struct{}

func (keysOf) Key(row uint32) (class uint8, bits uint64, ok bool) {
	switch row % 8 {
	case 0:
		return 0, 0, false
	case 1, 2, 3:
		return 1, 5, true
	case 4, 5:
		return 2, 5, true
	}
	return 1, uint64(row % 8), true
}

// joinBench is a join with the arranged operators under it.
type joinBench struct {
	op     Operator
	arrs   [2]*Arrange
	cyclic bool
	swept  []Sweeper
	out    map[int32]pairset // by iteration
}

func newJoinBench(t rapid.TB, op Operator, cyclic bool) *joinBench {
	b := &joinBench{op: op, cyclic: cyclic, out: map[int32]pairset{}}
	b.arrs = [2]*Arrange{NewArrange(keysOf{}), NewArrange(keysOf{})}
	at := Place{In: []Operator{b.arrs[0], b.arrs[1]}, Cyclic: cyclic}
	if err := op.(Binder).Bind(at); err != nil {
		t.Fatalf("bind: %v", err)
	}
	return b
}

func (b *joinBench) read(row uint32) pair {
	if j, ok := b.op.(interface{ Rows() Projection }); ok {
		p := j.Rows().(*Pairs)
		return pair{p.Left(row), p.Right(row)}
	}
	return pair{row, None}
}

// arrange takes a batch into the arrangement of a side.
func (b *joinBench) arrange(t rapid.TB, iter int32, side int, batch []Diff) {
	v := NewVisit(iter, batch)
	if err := b.arrs[side].Apply(v, &Out{iter: iter}); err != nil {
		t.Fatalf("arrange: %v", err)
	}
}

// visit applies both batches to the arrangements and then to the join, and
// adds what the join emits to out.
func (b *joinBench) visit(t rapid.TB, iter int32, left, right []Diff) {
	b.arrange(t, iter, 0, left)
	b.arrange(t, iter, 1, right)
	b.join(t, iter, left, right)
}

func (b *joinBench) join(t rapid.TB, iter int32, left, right []Diff) {
	v := NewVisit(iter, left, right)
	out := &Out{iter: iter}
	if err := b.op.Apply(v, out); err != nil {
		t.Fatalf("apply: %v", err)
	}
	b.swept = append(b.swept, v.sweep...)
	seen := map[uint32]bool{}
	for _, d := range out.diffs {
		if out.tidy && seen[d.Row] {
			t.Fatalf("row %d comes twice in an output declared tidy", d.Row)
		}
		seen[d.Row] = true
		b.take(iter, d)
	}
	for _, d := range out.later {
		if !b.cyclic || d.iter <= iter {
			t.Fatalf("a difference at %d is emitted at %d", d.iter, iter)
		}
		b.take(d.iter, d.Diff)
	}
}

func (b *joinBench) take(iter int32, d Diff) {
	if b.out[iter] == nil {
		b.out[iter] = pairset{}
	}
	p := b.read(d.Row)
	b.out[iter].add(p.left, p.right, d.Weight)
}

// upTo is the output at an iteration: the sum of the differences up to it.
func (b *joinBench) upTo(iter int32) pairset {
	sum := pairset{}
	for i, set := range b.out {
		if i <= iter {
			for p, w := range set {
				sum.add(p.left, p.right, w)
			}
		}
	}
	return sum
}

// endRun sweeps and then checks that exactly the rows of the output are held.
func (b *joinBench) endRun(t rapid.TB) {
	for _, s := range b.swept {
		s.Sweep()
	}
	b.swept = b.swept[:0]
	j, ok := b.op.(interface{ Rows() Projection })
	if !ok {
		return
	}
	held := map[pair]bool{}
	for _, set := range b.out {
		for p := range set {
			held[p] = true
		}
	}
	table := j.Rows().(*Pairs).Table()
	if table.Len() != len(held) {
		t.Fatalf("%d rows are interned, the output has %d", table.Len(), len(held))
	}
	for p := range held {
		if row := table.Find([]uint64{uint64(p.left)<<32 | uint64(p.right)}); row == None || table.Refs(row) != 1 {
			t.Fatalf("%v is not held once", p)
		}
	}
}

func (b *joinBench) checkSnapshot(t rapid.TB, want pairset) {
	out := &Out{}
	if err := b.op.(Snapshotter).Snapshot(out); err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	got := pairset{}
	for _, d := range out.diffs {
		p := b.read(d.Row)
		got.add(p.left, p.right, d.Weight)
	}
	if !maps.Equal(got, want) {
		t.Fatalf("the snapshot is %v, want %v", got, want)
	}
	if j, ok := b.op.(interface{ Rows() Projection }); ok {
		// In cycles a snapshot may intern rows that sum to nothing. They are
		// loose and go with the next visit's, which need not come here.
		j.Rows().(*Pairs).Table().Sweep()
	}
}

// checkEmpty holds after every row has left.
func (b *joinBench) checkEmpty(t rapid.TB) {
	if k := b.op.(Keeper); k.Retained() != 0 || k.Bytes() > 8192 {
		t.Fatalf("%d rows and %d bytes are retained", k.Retained(), k.Bytes())
	}
	for _, a := range b.arrs {
		if a.Retained() != 0 {
			t.Fatalf("%d rows are arranged", a.Retained())
		}
	}
	if j, ok := b.op.(*Join); ok && slices.ContainsFunc(j.matched.owner.sums, func(w int32) bool { return w != 0 }) {
		t.Fatal("the join accounts for rows that have left")
	}
}

// drawBatch draws a consolidated batch of a side: rows come and go, change for
// others, and may for a while be there less than not at all.
func drawBatch(t *rapid.T, label string) []Diff {
	changed := rapid.MapOfN(rapid.Uint32Range(0, 15), rapid.SampledFrom([]int32{1, 1, 1, -1, -1, 2, -3}), 0, 6).Draw(t, label)
	var batch []Diff
	for row, w := range changed {
		batch = append(batch, Diff{row, w})
	}
	slices.SortFunc(batch, func(a, b Diff) int { return int(a.Row) - int(b.Row) })
	return batch
}

func batchOf(m multiset, sign int32) []Diff {
	var batch []Diff
	for row, w := range m {
		batch = append(batch, Diff{row, sign * w})
	}
	slices.SortFunc(batch, func(a, b Diff) int { return int(a.Row) - int(b.Row) })
	return batch
}

func (m multiset) take(batch []Diff) {
	for _, d := range batch {
		m.add(d.Row, d.Weight)
	}
}
