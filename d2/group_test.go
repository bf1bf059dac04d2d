package d2

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// item is the content of a row in the tests of groups.
type item struct {
	key  int // 0: no key
	null bool
	num  float64
	whol int64 // an integer column
	huge int64 // an integer column in multiples of 2^70
}

// items are rows with columns. A row that has left cannot be read any more.
type items struct {
	rows  map[uint32]item
	next  uint32
	reads int
}

func newItems() *items { return &items{rows: map[uint32]item{}} }

func (x *items) add(it item) uint32 {
	x.next++
	x.rows[x.next] = it
	return x.next
}

func (x *items) get(row uint32) item {
	x.reads++
	it, ok := x.rows[row]
	if !ok {
		panic(fmt.Errorf("row %d is read after it has gone", row))
	}
	return it
}

func (x *items) Key(row uint32) (uint8, uint64, bool) {
	it := x.get(row)
	return uint8(it.key % 2), uint64(it.key / 2), it.key != 0
}

type numColumn struct {
	*items
	kind int
}

func (c numColumn) Null(row uint32) bool { return c.get(row).null }

func (c numColumn) Number(row uint32) Number {
	it := c.get(row)
	switch {
	case it.null:
		return Number{}
	case c.kind == 0:
		return Number{Kind: NumberFloat, Bits: math.Float64bits(it.num)}
	case c.kind == 1:
		return Number{Kind: NumberInt, Bits: uint64(it.whol)}
	}
	return hugeNumber(it.huge)
}

func hugeNumber(times int64) Number {
	n := Number{Kind: NumberBig, Neg: times < 0, Limbs: make([]uint32, 6)}
	v := new(big.Int).Lsh(new(big.Int).Abs(big.NewInt(times)), 70)
	for i := range n.Limbs {
		n.Limbs[i] = uint32(new(big.Int).Rsh(v, uint(32*i)).Uint64())
	}
	return n
}

func (c numColumn) Compare(a, b uint32) int {
	x, y := c.get(a).num, c.get(b).num
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (c numColumn) Value(row uint32) (uint8, uint64) {
	return 9, math.Float64bits(c.get(row).num + 0) // -0 is 0
}

// bigTable interns big integers by text.
type bigTable struct {
	byText map[string]uint64
	text   map[uint64]string
	refs   map[uint64]int
	next   uint64
}

func newBigTable() *bigTable {
	return &bigTable{map[string]uint64{}, map[uint64]string{}, map[uint64]int{}, 0}
}

func (t *bigTable) Intern(neg bool, limbs []uint32) uint64 {
	v := new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		v.Or(v.Lsh(v, 32), big.NewInt(int64(limbs[i])))
	}
	if neg {
		v.Neg(v)
	}
	text := v.String()
	id, ok := t.byText[text]
	if !ok {
		t.next++
		id = t.next
		t.byText[text], t.text[id] = id, text
	}
	t.refs[id]++
	return id
}

func (t *bigTable) Release(bits uint64) {
	t.refs[bits]--
	if t.refs[bits] == 0 {
		delete(t.refs, bits)
		delete(t.byText, t.text[bits])
		delete(t.text, bits)
	} else if t.refs[bits] < 0 {
		panic(errors.New("a big integer is released too often"))
	}
}

// listFold gives a digest of rows, weights and their order.
type listFold struct{ *items }

func (f listFold) Fold(rows []Diff) (uint8, uint64, error) {
	h := uint64(1)
	last := math.Inf(-1)
	for _, d := range rows {
		if num := f.get(d.Row).num; num < last {
			return 0, 0, errors.New("rows are out of order")
		} else {
			last = num
		}
		h += uint64(d.Row) * uint64(d.Weight)
	}
	return 7, h, nil
}

type byNum struct{ numColumn }

// bag is an accumulated multiset of rows.
type bag map[uint32]int32

func (b bag) add(d Diff) {
	if b[d.Row] += d.Weight; b[d.Row] == 0 {
		delete(b, d.Row)
	}
}

func (b bag) sorted() []Diff {
	var all []Diff
	for row, weight := range b {
		all = append(all, Diff{row, weight})
	}
	slices.SortFunc(all, func(a, b Diff) int { return int(a.Row) - int(b.Row) })
	return all
}

// groupRig is a group operator with everything and what it has put out.
type groupRig struct {
	group *Group
	bigs  *bigTable
	out   bag
}

func newGroupRig(x *items) *groupRig {
	floats, ints, huges := numColumn{x, 0}, numColumn{x, 1}, numColumn{x, 2}
	r := &groupRig{bigs: newBigTable(), out: bag{}}
	sums, ends := NewSums(floats, nil), NewExtremes(floats)
	r.group = NewGroup(x, nil, Count(), CountOf(floats), sums.Sum(), sums.Avg(), sums.Count(),
		ends.Min(), ends.Max(), Sum(ints, r.bigs), Sum(huges, r.bigs), Whole(listFold{x}, byNum{floats}))
	return r
}

// visit applies a batch, checks the shape of what comes out and returns it. Sweeps are due.
func (r *groupRig) visit(t interface{ Fatalf(string, ...any) }, batch []Diff, sweeps *[]Sweeper) []Diff {
	v, out := NewVisit(0, batch), &Out{}
	if err := r.group.Apply(v, out); err != nil {
		t.Fatalf("apply: %v", err)
	}
	*sweeps = append(*sweeps, v.sweep...)
	seen := map[uint32]bool{}
	diffs := out.Diffs()
	keyOf := func(d Diff) string {
		class, bits := r.group.Layout().Key(r.group.Home(), d.Row)
		return fmt.Sprint(class, bits)
	}
	keys := map[string]bool{}
	for i, d := range diffs {
		if seen[d.Row] || (d.Weight != 1 && d.Weight != -1) {
			t.Fatalf("row %d comes twice, or with weight %d, in %v", d.Row, d.Weight, diffs)
		}
		seen[d.Row] = true
		if k := keyOf(d); keys[k] && !(d.Weight == 1 && diffs[i-1].Weight == -1 && keyOf(diffs[i-1]) == k) {
			t.Fatalf("entries of key %s are no replacement in %v", k, diffs)
		} else {
			keys[k] = true
		}
		r.out.add(d)
	}
	return diffs
}

// describe gives a row of a group in words.
func (r *groupRig) describe(row uint32) string {
	l, home := r.group.Layout(), r.group.Home()
	class, bits := l.Key(home, row)
	text := fmt.Sprintf("key %d:", int(bits)*2+int(class))
	for i := range l.Results {
		class, bits := l.Result(home, row, i)
		switch {
		case class == ResultNull:
			text += " null"
		case class == ResultFloat, class == 9:
			text += fmt.Sprintf(" %x", bits)
		case class == ResultInt:
			text += fmt.Sprintf(" %d", int64(bits))
		case class == ResultBig:
			text += " " + r.bigs.text[bits] + "n"
		default:
			text += fmt.Sprintf(" <%d>", bits)
		}
	}
	return text
}

func (r *groupRig) rows() []string {
	var all []string
	for _, d := range r.out.sorted() {
		for range d.Weight {
			all = append(all, r.describe(d.Row))
		}
	}
	slices.Sort(all)
	return all
}

// naiveGroups is the definition.
func naiveGroups(x *items, present bag) []string {
	byKey := map[int][]Diff{}
	for _, d := range present.sorted() {
		if it := x.rows[d.Row]; it.key != 0 {
			byKey[it.key] = append(byKey[it.key], d)
		}
	}
	var all []string
	for key, rows := range byKey {
		var count, values int64
		sum := new(big.Float).SetPrec(4096)
		ints, huges := new(big.Int), new(big.Int)
		least, most := math.Inf(1), math.Inf(-1)
		digest := uint64(1)
		for _, d := range rows {
			it, w := x.rows[d.Row], int64(d.Weight)
			count += w
			digest += uint64(d.Row) * uint64(d.Weight)
			if it.null {
				continue
			}
			values += w
			for range w {
				sum.Add(sum, big.NewFloat(it.num))
				ints.Add(ints, big.NewInt(it.whol))
				huges.Add(huges, new(big.Int).Lsh(big.NewInt(it.huge), 70))
			}
			least, most = min(least, it.num+0), max(most, it.num+0)
		}
		text := fmt.Sprintf("key %d: %d %d", key, count, values)
		if values == 0 {
			text += fmt.Sprintf(" null null 0 null null null null <%d>", digest)
		} else {
			f, _ := sum.Float64()
			if f == 0 {
				f = 0
			}
			f += 0
			text += fmt.Sprintf(" %x %x %d %x %x", math.Float64bits(f), math.Float64bits(f/float64(values)), values,
				math.Float64bits(least), math.Float64bits(most))
			for _, v := range []*big.Int{ints, huges} {
				text += " " + v.String()
				if !v.IsInt64() {
					text += "n"
				}
			}
			text += fmt.Sprintf(" <%d>", digest)
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func genItem(t *rapid.T) item {
	return item{
		key:  rapid.IntRange(0, 5).Draw(t, "key"),
		null: rapid.IntRange(0, 3).Draw(t, "null") == 0,
		num: rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 1, 1, 2, 0.1, 0.2, 1e300, -1e300, 5e-324}).
			Draw(t, "num"),
		whol: rapid.SampledFrom([]int64{0, 1, -1, 7, math.MaxInt64, math.MinInt64}).Draw(t, "whole"),
		huge: rapid.SampledFrom([]int64{0, 1, -1, 5}).Draw(t, "huge"),
	}
}

// genBatch draws a consolidated batch: rows that come, leave in part or
// entirely, and are replaced. It applies it to present.
func genBatch(t *rapid.T, x *items, present bag) (batch []Diff) {
	held := present.sorted()
	taken := map[uint32]bool{}
	for range rapid.IntRange(0, 6).Draw(t, "changes") {
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if kind > 0 && len(held) > 0 {
			d := rapid.SampledFrom(held).Draw(t, "row")
			if taken[d.Row] {
				continue
			}
			taken[d.Row] = true
			switch kind {
			case 1:
				batch = append(batch, Diff{d.Row, -d.Weight})
			case 2:
				batch = append(batch, Diff{d.Row, -d.Weight}, Diff{x.add(genItem(t)), d.Weight})
			case 3:
				if by := rapid.Int32Range(1-d.Weight, 2).Draw(t, "by"); by != 0 {
					batch = append(batch, Diff{d.Row, by})
				}
			}
			continue
		}
		batch = append(batch, Diff{x.add(genItem(t)), rapid.SampledFrom([]int32{1, 1, 2, 3}).Draw(t, "weight")})
	}
	for _, d := range batch {
		present.add(d)
	}
	return batch
}

// TestGroup_EqualsTheGroupsOfWhatIsThere names laws FRESH, DELTA and SPLIT: after
// every batch, however it was cut into visits, the rows put out so far are those
// of the groups computed from scratch, and nothing came out without a change.
func TestGroup_EqualsTheGroupsOfWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, present := newItems(), bag{}
		one, cut := newGroupRig(x), newGroupRig(x)
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			batch := genBatch(t, x, present)
			var sweeps []Sweeper
			before := one.rows()
			diffs := one.visit(t, batch, &sweeps)
			for i, d := range diffs {
				if i > 0 && one.describe(d.Row) == one.describe(diffs[i-1].Row) {
					t.Fatalf("a row is replaced by its like: %s", one.describe(d.Row))
				}
			}
			if after := one.rows(); slices.Equal(before, after) != (len(diffs) == 0) {
				t.Fatalf("%d differences from\n%q to\n%q", len(diffs), before, after)
			}
			for rest := batch; len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
				cut.visit(t, rest[:n], &sweeps)
				rest = rest[n:]
			}
			want := naiveGroups(x, present)
			for _, r := range []*groupRig{one, cut} {
				if got := r.rows(); !slices.Equal(got, want) {
					t.Fatalf("got\n%q, want\n%q", got, want)
				}
			}
			for row := range x.rows {
				if present[row] == 0 {
					delete(x.rows, row)
				}
			}
			for _, s := range sweeps {
				s.Sweep()
			}
			for _, r := range []*groupRig{one, cut} {
				snap := &Out{}
				if err := r.group.Snapshot(snap); err != nil || len(snap.Diffs()) != len(r.out) {
					t.Fatalf("snapshot: %v of %d rows, %v", snap.Diffs(), len(r.out), err)
				}
				if got := r.rows(); !slices.Equal(got, want) {
					t.Fatalf("after the sweep got\n%q, want\n%q", got, want)
				}
				if n := r.group.Home().Len(); n != len(want) {
					t.Fatalf("%d rows are in the table, want %d", n, len(want))
				}
			}
		}
		if rapid.Bool().Draw(t, "clear") {
			cut.group.Clear()
		}
		var last []Diff
		for _, d := range present.sorted() {
			last = append(last, Diff{d.Row, -d.Weight})
		}
		var sweeps []Sweeper
		one.visit(t, last, &sweeps)
		if cut.group.Retained() > 0 {
			cut.visit(t, last, &sweeps)
		}
		for _, s := range sweeps {
			s.Sweep()
		}
		cut.group.Home().Sweep()
		for _, r := range []*groupRig{one, cut} {
			if g := r.group; g.Retained() != 0 || g.Groups() != 0 || g.Home().Len() != 0 || len(r.bigs.refs) != 0 || g.Bytes() > 4000 {
				t.Fatalf("left: %d rows, %d groups, %d in the table, %d integers, %d bytes",
					g.Retained(), g.Groups(), g.Home().Len(), len(r.bigs.refs), g.Bytes())
			}
		}
	})
}

func TestGroup_RefusesWhatItCannotDo(t *testing.T) {
	x := newItems()
	floats := numColumn{x, 0}
	a := x.add(item{key: 1, num: 1})
	for _, g := range []*Group{NewCount(x, nil), NewMin(x, nil, floats), NewMax(x, nil, floats), NewGroup(x, nil, Whole(listFold{x}, nil))} {
		if err := g.Apply(NewVisit(0, []Diff{{a, -1}}), &Out{}); !errors.Is(err, ErrNegative) {
			t.Errorf("a deletion of nothing: %v", err)
		}
	}
	if err := NewCount(x, nil).Bind(Place{Cyclic: true}); !errors.Is(err, ErrGroupInCycle) {
		t.Errorf("in a cycle: %v", err)
	}
	if err := NewCount(x, NewTable(9)).Bind(Place{}); !errors.Is(err, ErrGroupWidth) {
		t.Errorf("a table of another width: %v", err)
	}
	shared := NewExtremes(floats)
	if err := NewGroup(x, nil, shared.Min(), shared.Max()).Bind(Place{}); err != nil {
		t.Errorf("both ends in one operator: %v", err)
	}
	if err := NewGroup(x, nil, shared.Max()).Bind(Place{}); !errors.Is(err, ErrShared) {
		t.Errorf("shared between operators: %v", err)
	}
	big := x.add(item{key: 1, whol: math.MaxInt64})
	if err := NewSum(x, nil, numColumn{x, 1}, nil).Apply(NewVisit(0, []Diff{{big, 2}}), &Out{}); !errors.Is(err, ErrBigSum) {
		t.Errorf("a sum beyond 64 bits that nobody takes: %v", err)
	}
}
