package d2_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"millrace.dev/millrace/d2"
)

// null is the value of a column that has none.
const null = -9

// fact is a row as the model sees it: which row it is, its public key if it
// stands for one, and three columns.
type fact struct {
	id string
	pk int // -1: none
	c  [3]int
}

// bag is a relation as the model sees it.
type bag map[fact]int

func (b bag) add(f fact, weight int) {
	if b[f] += weight; b[f] == 0 {
		delete(b, f)
	}
}

// lens reads the rows of an edge.
type lens interface{ see(row uint32) fact }

// fuse makes one of the next callbacks panic.
type fuse struct {
	left int
}

var errFuse = errors.New("a callback gave up")

func (f *fuse) burn() {
	if f.left == 0 {
		return
	}
	if f.left--; f.left == 0 {
		panic(errFuse)
	}
}

// table is a collection: versions by slot, the arrangements a store reads, and
// no mercy for who reads what has gone.
type table struct {
	at      int
	facts   []fact
	gone    []bool
	pins    []int
	current []uint32 // by public key
	leaving []uint32
	orders  map[sorting]*d2.Ordered
	hashes  map[column]*d2.Hash
	fuse    *fuse
	store   *d2.Store
	input   d2.NodeID
	stored  d2.NodeID
}

func newTable(at, keys int, f *fuse) *table {
	t := &table{at: at, fuse: f, orders: map[sorting]*d2.Ordered{}, hashes: map[column]*d2.Hash{}}
	for range keys {
		t.current = append(t.current, d2.None)
	}
	t.store = d2.NewStore(t)
	for col := range 2 {
		order := sorting{t, f, col, col == 1}
		t.orders[order] = d2.NewOrdered(order)
		t.store.AddOrder(order, t.orders[order])
		key := column{t, f, col}
		t.hashes[key] = d2.NewHash()
		t.store.AddKey(key, t.hashes[key])
	}
	return t
}

func (t *table) see(row uint32) fact {
	if t.gone[row] && t.pins[row] == 0 {
		panic(fmt.Sprintf("table %d: version %d was read after it had gone", t.at, row))
	}
	return t.facts[row]
}

func (t *table) Pin(row uint32) {
	t.see(row)
	t.pins[row]++
}

func (t *table) Unpin(row uint32) {
	if t.pins[row]--; t.pins[row] < 0 {
		panic("unpinned more often than pinned")
	}
}

func (t *table) Len() int {
	n := 0
	for _, row := range t.current {
		if row != d2.None {
			n++
		}
	}
	return n
}

// Each is that of a store; contents has that of an input.
func (t *table) Each(yield func(uint32) bool) {
	for _, row := range t.current {
		if row != d2.None && !yield(row) {
			return
		}
	}
}

type contents struct{ t *table }

func (c contents) Each(yield func(row uint32, weight int32)) {
	c.t.Each(func(row uint32) bool { yield(row, 1); return true })
}

// set gives a key another version, or none.
func (t *table) set(pk int, c *[3]int) d2.Change {
	change := d2.Change{Key: uint32(pk), Old: t.current[pk], New: d2.None}
	if change.Old != d2.None {
		t.list(change.Old, false)
		t.leaving = append(t.leaving, change.Old)
	}
	if c != nil {
		change.New = uint32(len(t.facts))
		t.facts = append(t.facts, fact{fmt.Sprintf("%c%d#%d", 'a'+t.at, pk, change.New), pk, *c})
		t.gone, t.pins = append(t.gone, false), append(t.pins, 0)
		t.list(change.New, true)
	}
	t.current[pk] = change.New
	return change
}

func (t *table) list(row uint32, in bool) {
	for _, o := range t.orders {
		if in {
			o.Insert(row)
		} else {
			o.Delete(row)
		}
	}
	for k, h := range t.hashes {
		if class, bits, ok := k.Key(row); ok && in {
			h.Add(class, bits, row)
		} else if ok {
			h.Remove(class, bits, row)
		}
	}
}

func (t *table) forget() {
	for _, row := range t.leaving {
		t.gone[row] = true
	}
	t.leaving = t.leaving[:0]
}

func (t *table) bag() bag {
	b := bag{}
	t.Each(func(row uint32) bool { b[t.facts[row]]++; return true })
	return b
}

// column is a join or group key.
type column struct {
	lens
	fuse *fuse
	col  int
}

func (k column) Key(row uint32) (class uint8, bits uint64, ok bool) {
	k.fuse.burn()
	v := k.see(row).c[k.col]
	return 1, uint64(v), v != null
}

// ident is the public key of a row, or the row itself.
type ident struct{ lens }

func (i ident) KeyOf(row uint32) uint32 {
	if f := i.see(row); f.pk >= 0 {
		return uint32(f.pk)
	}
	return row
}

// sorting is an order by a column, then by what the row is.
type sorting struct {
	lens
	fuse *fuse
	col  int
	desc bool
}

func (o sorting) compare(a, b fact) int {
	d := a.c[o.col] - b.c[o.col]
	if o.desc {
		d = -d
	}
	switch {
	case d != 0:
		return d
	case a.pk >= 0:
		return a.pk - b.pk
	case a.id != b.id:
		return strings.Compare(a.id, b.id)
	}
	return slices.Compare(a.c[:], b.c[:])
}

func (o sorting) Compare(a, b uint32) int {
	o.fuse.burn()
	return o.compare(o.see(a), o.see(b))
}

func (o sorting) list(b bag) []fact {
	var all []fact
	for f := range b {
		all = append(all, f)
	}
	slices.SortFunc(all, o.compare)
	return all
}

func cutOut(all []fact, offset, limit uint32) []fact {
	from := min(len(all), int(offset))
	return all[from:min(len(all), from+int(limit))]
}

// test is the predicate of a filter: values of a column are even, or odd, or
// above a bound.
type test struct {
	lens
	fuse *fuse
	col  int
	kind int
}

func (p test) holds(f fact) bool {
	v := f.c[p.col]
	switch p.kind {
	case 0:
		return v != null && v%2 == 0
	case 1:
		return v == null || v%2 != 0
	}
	return v >= p.kind-2
}

func (p test) Select(rows, keep []uint32) ([]uint32, error) {
	for _, row := range rows {
		p.fuse.burn()
		if p.holds(p.see(row)) {
			keep = append(keep, row)
		}
	}
	return keep, nil
}

// made reads rows of one table of three words, shared by everything that makes
// rows of columns.
type made struct {
	rows *d2.Table
	fuse *fuse
}

func (m made) put(c [3]int) uint32 {
	m.fuse.burn()
	return m.rows.Intern([]uint64{uint64(c[0]), uint64(c[1]), uint64(c[2])})
}

func (m made) see(row uint32) fact {
	return fact{"m", -1, [3]int{int(m.rows.Word(row, 0)), int(m.rows.Word(row, 1)), int(m.rows.Word(row, 2))}}
}

// remake makes a row of made of a row: its columns turned, values confined.
type remake struct {
	from lens
	to   made
	turn int
}

func (r remake) columns(c [3]int) [3]int {
	turned := [3]int{c[r.turn%3], c[(r.turn+1)%3], c[(r.turn+2)%3]}
	if r.turn > 2 && turned[2] != null {
		turned[2] = 0
	}
	return turned
}

func (r remake) Map(row uint32) uint32 { return r.to.put(r.columns(r.from.see(row).c)) }

// spread makes as many rows of a row as the first column says, one of them twice.
type spread struct {
	from lens
	to   made
}

func (s spread) columns(c [3]int, yield func(c [3]int, weight int32)) {
	for i := 0; i < c[0] && i < 3; i++ {
		yield([3]int{i, c[1], c[2]}, int32(1+i%2))
	}
}

func (s spread) Each(row uint32, yield func(row uint32, weight int32)) {
	s.columns(s.from.see(row).c, func(c [3]int, weight int32) { yield(s.to.put(c), weight) })
}

// start makes a place of the first column, next a place of the second of a match.
type (
	start struct {
		from lens
		to   made
	}
	next struct {
		edges lens
		to    made
	}
)

func place(v int) [3]int { return [3]int{v, null, null} }

func (s start) Each(row uint32, yield func(row uint32, weight int32)) {
	if v := s.from.see(row).c[0]; v != null {
		yield(s.to.put(place(v)), 1)
	}
}

func (n next) Project(_, edge uint32) uint32 { return n.to.put(place(n.edges.see(edge).c[1])) }

// couple is the fact of a match.
func couple(left, right *fact, keyed bool) fact {
	f := fact{pk: -1, c: [3]int{null, null, null}}
	l, r := "-", "-"
	if left != nil {
		l = fmt.Sprint(*left)
		f.c[0], f.c[2] = left.c[0], left.c[2]
		if keyed { // the order is that of the left side
			f.pk, f.c = left.pk, left.c
		}
	}
	if right != nil {
		r = fmt.Sprint(*right)
		if !keyed {
			f.c[1] = right.c[1]
		}
	}
	f.id = "(" + l + "," + r + ")"
	return f
}

type coupled struct {
	pairs       *d2.Pairs
	left, right lens
	keyed       bool
}

func (p coupled) see(row uint32) fact {
	var left, right *fact
	if l := p.pairs.Left(row); l != d2.None {
		f := p.left.see(l)
		left = &f
	}
	if r := p.pairs.Right(row); r != d2.None {
		f := p.right.see(r)
		right = &f
	}
	return couple(left, right, p.keyed)
}

// folded reads the rows of groups.
type folded struct {
	home   *d2.Table
	layout d2.GroupLayout
}

func (g folded) see(row uint32) fact {
	f := fact{"g", -1, [3]int{null, null, null}}
	_, key := g.layout.Key(g.home, row)
	f.c[0] = int(key)
	for i := range g.layout.Results {
		class, bits := g.layout.Result(g.home, row, i)
		v := value(class, bits)
		f.id += " " + v
		if i < 2 && class == d2.ResultInt {
			f.c[i+1] = int(bits) % 5
		}
	}
	return f
}

func value(class uint8, bits uint64) string {
	switch class {
	case d2.ResultNull:
		return "null"
	case d2.ResultFloat:
		return fmt.Sprint("float ", math.Float64frombits(bits))
	}
	return fmt.Sprint("int ", int64(bits))
}

// measure gives the values of a column to the aggregates.
type measure struct {
	lens
	fuse *fuse
	col  int
}

func (m measure) Null(row uint32) bool { return m.see(row).c[m.col] == null }

func (m measure) Number(row uint32) d2.Number {
	m.fuse.burn()
	if m.Null(row) {
		return d2.Number{Kind: d2.NumberNull}
	}
	return d2.Number{Kind: d2.NumberInt, Bits: uint64(m.see(row).c[m.col])}
}

func (m measure) Compare(a, b uint32) int { return m.see(a).c[m.col] - m.see(b).c[m.col] }

func (m measure) Value(row uint32) (uint8, uint64) {
	return d2.ResultInt, uint64(m.see(row).c[m.col])
}

// foldAll is a group by its definition: count, sum, avg, min, max.
func foldAll(in bag, key, col int) bag {
	groups := map[int]bag{}
	for f, n := range in {
		if f.c[key] != null {
			if groups[f.c[key]] == nil {
				groups[f.c[key]] = bag{}
			}
			groups[f.c[key]][f] = n
		}
	}
	out := bag{}
	for k, rows := range groups {
		count, n, sum, low, high := 0, 0, 0, math.MaxInt, math.MinInt
		for f, w := range rows {
			count += w
			if v := f.c[col]; v != null {
				n, sum, low, high = n+w, sum+v*w, min(low, v), max(high, v)
			}
		}
		f := fact{fmt.Sprintf("g int %d null null null null", count), -1, [3]int{k, count % 5, null}}
		if n > 0 {
			f.id = fmt.Sprintf("g int %d int %d float %v int %d int %d", count, sum, float64(sum)/float64(n), low, high)
			f.c[2] = sum % 5
		}
		out[f] = 1
	}
	return out
}
