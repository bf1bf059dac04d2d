package d2

import (
	"math"
	"testing"
)

// TestGroup_ReadsNoRowTwice names law WORK: the least and the largest row of a
// large group leave one after the other, and no group is read again.
func TestGroup_ReadsNoRowTwice(t *testing.T) {
	x := newItems()
	floats := numColumn{x, 0}
	ends, sums := NewExtremes(floats), NewSums(floats, nil)
	g := NewGroup(x, nil, Count(), sums.Sum(), sums.Avg(), ends.Min(), ends.Max())
	const n = 1 << 12
	var batch []Diff
	for i := range n {
		batch = append(batch, Diff{x.add(item{key: 1, num: float64(i * 7919 % n)}), 1})
	}
	apply := func(batch []Diff) int {
		x.reads = 0
		v := NewVisit(0, batch)
		if err := g.Apply(v, &Out{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range v.sweep {
			s.Sweep()
		}
		if v.Stats.RowsScanned != 0 {
			t.Errorf("%d rows are read again", v.Stats.RowsScanned)
		}
		return x.reads
	}
	apply(batch)
	for i := range n - 1 {
		// The present least and largest are the batch's rows with the right value.
		value := i / 2
		if i%2 == 1 {
			value = n - 1 - i/2
		}
		row := None
		for _, d := range batch {
			if int(x.rows[d.Row].num) == value {
				row = d.Row
			}
		}
		if reads := apply([]Diff{{row, -1}}); reads > 200 {
			t.Fatalf("%d reads of columns when one row of %d leaves", reads, n-i)
		}
	}
	class, bits := g.Layout().Result(g.Home(), g.groups.out[0], 3)
	if class != 9 || math.Float64frombits(bits) != n/2-1 && math.Float64frombits(bits) != n/2 {
		t.Errorf("the last one is %v", math.Float64frombits(bits))
	}
}

func TestGroup_WholeGroupsAreCounted(t *testing.T) {
	x := newItems()
	g := NewGroup(x, nil, Whole(listFold{x}, nil))
	var batch []Diff
	for i := range 10 {
		batch = append(batch, Diff{x.add(item{key: 1 + i%2}), 1})
	}
	v := NewVisit(0, batch)
	if err := g.Apply(v, &Out{}); err != nil || v.Stats.RowsScanned != 10 {
		t.Fatalf("%d rows scanned, %v", v.Stats.RowsScanned, err)
	}
	v = NewVisit(0, []Diff{{batch[0].Row, 1}})
	if err := g.Apply(v, &Out{}); err != nil || v.Stats.RowsScanned != 5 {
		t.Fatalf("%d rows scanned for a change in one group of 5, %v", v.Stats.RowsScanned, err)
	}
}

// flatItems are rows by formula, so that reading them allocates nothing.
type flatItems struct{}

func (flatItems) Key(row uint32) (uint8, uint64, bool) { return 1, uint64(row % 64), true }
func (flatItems) Null(row uint32) bool                 { return row%7 == 0 }
func (flatItems) Compare(a, b uint32) int              { return int(a/64%10) - int(b/64%10) }
func (flatItems) Value(row uint32) (uint8, uint64)     { return 9, uint64(row / 64 % 10) }
func (f flatItems) Number(row uint32) Number {
	if f.Null(row) {
		return Number{}
	}
	return Number{Kind: NumberFloat, Bits: math.Float64bits(float64(row) * 0.01)}
}

func TestGroup_AllocatesNothingAfterWarmUp(t *testing.T) {
	f := flatItems{}
	sums, ends := NewSums(f, nil), NewExtremes(f)
	g := NewGroup(f, nil, Count(), CountOf(f), sums.Sum(), sums.Avg(), ends.Min(), ends.Max())
	out := &Out{}
	v := NewVisit(0, nil)
	var batch [4]Diff
	run := func(first uint32, weight int32) {
		for i := range batch {
			batch[i] = Diff{first + uint32(i)*17, weight}
		}
		v.ports[0].batch = batch[:]
		v.sweep, out.diffs = v.sweep[:0], out.diffs[:0]
		if err := g.Apply(v, out); err != nil {
			t.Fatal(err)
		}
		for _, s := range v.sweep {
			s.Sweep()
		}
	}
	for i := range uint32(1000) {
		run(i*64, 1)
	}
	at := uint32(0)
	step := func() {
		run(at*64, -1)
		run(at*64, 1)
		at = (at + 37) % 1000
	}
	for range 200 {
		step()
	}
	if a := testing.AllocsPerRun(500, step); a != 0 {
		t.Errorf("%v allocations a step", a)
	}
}

func TestGroupLayout_HoldsManyResults(t *testing.T) {
	aggs := make([]Aggregate, 20)
	for i := range aggs {
		aggs[i] = Count()
	}
	x := newItems()
	g := NewGroup(x, nil, aggs...)
	row := x.add(item{key: 7})
	out := &Out{}
	if err := g.Apply(NewVisit(0, []Diff{{row, 3}}), out); err != nil {
		t.Fatal(err)
	}
	got := out.Diffs()[0].Row
	if class, bits, ok := (GroupKeys{g.Home(), g.Layout()}).Key(got); class != 1 || bits != 3 || !ok {
		t.Errorf("key %d %d", class, bits)
	}
	for i := range aggs {
		if class, bits := g.Layout().Result(g.Home(), got, i); class != ResultInt || bits != 3 {
			t.Errorf("result %d: %d %d", i, class, bits)
		}
	}
	if w := g.Home().Width(); w != 3+21 {
		t.Errorf("width %d", w)
	}
}

// TestGroup_ManyComeAndGo names law SPACE: numbers of groups that have left are
// taken by others, and memory follows.
func TestGroup_ManyComeAndGo(t *testing.T) {
	x := newItems()
	floats := numColumn{x, 0}
	sums, ends := NewSums(floats, nil), NewExtremes(floats)
	g := NewGroup(x, nil, Count(), CountOf(floats), sums.Avg(), ends.Max())
	apply := func(batch []Diff) {
		v := NewVisit(0, batch)
		if err := g.Apply(v, &Out{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range v.sweep {
			s.Sweep()
		}
	}
	const n = 5000
	var batch []Diff
	for i := range n {
		batch = append(batch, Diff{x.add(item{key: i + 1, num: float64(i)}), 2})
	}
	for i := 0; i < n; i += 50 {
		apply(batch[i : i+50])
	}
	for i := range batch {
		batch[i].Weight = -2
	}
	for i := 0; i < n; i++ {
		// Every other group first, then the rest from behind.
		at := 2 * i
		if at >= n {
			at = 2*(n-1-i) + 1
		}
		apply(batch[at : at+1])
		delete(x.rows, batch[at].Row)
		if left := n - 1 - i; g.Groups() != left || g.Retained() != 2*left {
			t.Fatalf("%d groups, %d rows after %d have left", g.Groups(), g.Retained(), i+1)
		}
		if i%500 != 0 {
			continue
		}
		snap := &Out{}
		if err := g.Snapshot(snap); err != nil {
			t.Fatal(err)
		}
		for _, d := range snap.Diffs() {
			class, key := g.Layout().Key(g.Home(), d.Row)
			want := float64(int(key)*2+int(class)) - 1
			for i, expected := range []uint64{2, 2, math.Float64bits(want), math.Float64bits(want)} {
				if _, bits := g.Layout().Result(g.Home(), d.Row, i); bits != expected {
					t.Fatalf("result %d of the group of %v is %x", i, want, bits)
				}
			}
		}
	}
	if g.Bytes() > 6000 || g.Home().Len() != 0 || g.Home().Bytes() > 8000 {
		t.Errorf("%d bytes, %d rows in a table of %d bytes are left", g.Bytes(), g.Home().Len(), g.Home().Bytes())
	}
}
