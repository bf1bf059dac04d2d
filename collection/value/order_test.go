package value_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

// Pools small enough that draws collide, with the values where rules change over.
var (
	numbers = []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 1 << 53, 1<<53 + 2, 1 << 63, -(1 << 63), 1e18, 1e21, 1e300,
		5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1),
	}
	bigints = []string{
		"0", "1", "-1", "2", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808",
		"-9223372036854775808", "-9223372036854775809", "999999999999999999", "1000000000000000000", "1000000000000000000000",
	}
	strs = []string{
		"", "a", "A", "b", "ab", "1", "\ufffd", "\uffff", "\ue000", "\U0001f600", "\U00010000", "\xed\xa0\x80", "\xed\xa0\xbd",
		"\xed\xb0\x80", "\xed\xa0\x80x", "\xed\xa0\xbd\uffff", "\xed\xa0\xbd\xed\xa0\xbd", "\ud7ff",
	}
	temporals = []string{"PlainDate\x002024-01-01", "PlainDate\x002024-01-02", "PlainTime\x0010:00", "PlainTime\x0011:00"}
)

// anyCell draws a cell of any kind.
func anyCell(d *dictionary) *rapid.Generator[value.Cell] {
	return rapid.Custom(func(t *rapid.T) value.Cell {
		text := func(pool []string) string { return rapid.SampledFrom(pool).Draw(t, "text") }
		number := func() float64 {
			if rapid.Bool().Draw(t, "edge") {
				return rapid.SampledFrom(numbers).Draw(t, "number")
			}
			return rapid.Float64().Draw(t, "number")
		}
		switch kind := value.Kind(rapid.IntRange(0, int(value.KindRef)).Draw(t, "kind")); kind {
		case value.KindBool:
			return value.Bool(rapid.Bool().Draw(t, "bool"))
		case value.KindNumber:
			return value.Number(number())
		case value.KindDate:
			return value.Date(number())
		case value.KindString:
			return d.cell(kind, text(strs))
		case value.KindBigInt:
			return d.cell(kind, text(bigints))
		case value.KindBytes:
			return d.cell(kind, text(strs))
		case value.KindTemporal:
			return d.cell(kind, text(temporals))
		case value.KindRef:
			return value.Cell{Kind: kind, Val: float64(rapid.IntRange(0, 3).Draw(t, "ref"))}
		default:
			return value.Cell{Kind: kind}
		}
	})
}

func anyTerm() *rapid.Generator[value.Term] {
	return rapid.Custom(func(t *rapid.T) value.Term {
		return value.Term{
			Desc:      rapid.Bool().Draw(t, "desc"),
			NullsLast: rapid.Bool().Draw(t, "nulls last"),
			Collation: rapid.SampledFrom([]uint32{value.CollationLexical, foldCollation}).Draw(t, "collation"),
		}
	})
}

func TestTerm_IsATotalOrder(t *testing.T) {
	d := newDictionary()
	rapid.Check(t, func(t *rapid.T) {
		term := anyTerm().Draw(t, "term")
		cells := rapid.SliceOfN(anyCell(d), 3, 3).Draw(t, "cells")
		compare := func(a, b value.Cell) int {
			order, err := term.Compare(a, b, d)
			if err != nil {
				t.Fatal(err)
			}
			return sign(order)
		}
		a, b := cells[0], cells[1]
		if compare(a, a) != 0 {
			t.Fatalf("%v is not equal to itself", a)
		}
		if value.Same(a, b) && compare(a, b) != 0 {
			t.Fatalf("%v and %v are the same but not equal in order", a, b)
		}
		if compare(a, b) != -compare(b, a) {
			t.Fatalf("%v against %v depends on the side", a, b)
		}
		slices.SortStableFunc(cells, compare)
		a, b, c := cells[0], cells[1], cells[2]
		ab, bc, ac := compare(a, b), compare(b, c), compare(a, c)
		if ab > 0 || bc > 0 || ac != min(ab, bc) {
			t.Fatalf("not transitive: %v %d %v %d %v, yet %d across", a, ab, b, bc, c, ac)
		}
	})
}

// everyEdge is one cell per entry of the pools, and of each kind without one.
func everyEdge(d *dictionary) []value.Cell {
	cells := []value.Cell{
		{},
		{Kind: value.KindNull},
		{Kind: value.KindNaN},
		value.Bool(false), value.Bool(true),
		{Kind: value.KindRef, Val: 0},
		{Kind: value.KindRef, Val: 1},
	}
	for _, v := range numbers {
		cells = append(cells, value.Number(v), value.Date(v))
	}
	for kind, pool := range map[value.Kind][]string{
		value.KindBigInt: bigints, value.KindString: strs, value.KindBytes: strs, value.KindTemporal: temporals,
	} {
		for _, text := range pool {
			cells = append(cells, d.cell(kind, text))
		}
	}
	return cells
}

func TestTerm_IsTransitiveOverEveryTripleOfEdges(t *testing.T) {
	d := newDictionary()
	cells := everyEdge(d)
	for _, term := range []value.Term{{}, {Desc: true, NullsLast: true, Collation: foldCollation}} {
		matrix := make([][]int, len(cells))
		for i, a := range cells {
			for _, b := range cells {
				order, err := term.Compare(a, b, d)
				if err != nil {
					t.Fatal(err)
				}
				matrix[i] = append(matrix[i], sign(order))
			}
		}
		for i := range cells {
			for j := range cells {
				if matrix[i][j] != -matrix[j][i] {
					t.Fatalf("%v against %v depends on the side", cells[i], cells[j])
				}
				if matrix[i][j] > 0 {
					continue
				}
				for k := range cells {
					if matrix[j][k] <= 0 && matrix[i][k] != min(matrix[i][j], matrix[j][k]) {
						t.Fatalf("%v, %v, %v are not in order", cells[i], cells[j], cells[k])
					}
				}
			}
		}
	}
}

func TestTerm_PlacesAbsentValuesWhateverTheDirection(t *testing.T) {
	d := newDictionary()
	null, undefined, one := value.Cell{Kind: value.KindNull}, value.Cell{}, value.Number(1)
	for _, term := range []value.Term{{}, {Desc: true}, {NullsLast: true}, {Desc: true, NullsLast: true}} {
		want := -1
		if term.NullsLast {
			want = 1
		}
		for _, absent := range []value.Cell{null, undefined} {
			if order, _ := term.Compare(absent, one, d); sign(order) != want {
				t.Errorf("%+v puts %v at %d of a number", term, absent, order)
			}
		}
		if order, _ := term.Compare(null, undefined, d); order != 0 {
			t.Errorf("%+v tells null from undefined", term)
		}
	}
}

func TestTerm_RanksKinds(t *testing.T) {
	d := newDictionary()
	ascending := []value.Cell{
		value.Bool(false), value.Bool(true), value.Number(math.Inf(-1)), d.cell(value.KindBigInt, "-5"), value.Date(0), value.Number(0.5),
		d.cell(value.KindBigInt, "1"), value.Number(math.Inf(1)),
		{Kind: value.KindNaN},
		d.cell(value.KindString, ""),
		d.cell(value.KindString, "zz"), d.cell(value.KindTemporal, "PlainDate\x002024-01-01"), d.cell(value.KindTemporal, "PlainTime\x0010:00"),
		d.cell(value.KindBytes, "a"),
		{Kind: value.KindRef, Val: 0},
		{Kind: value.KindRef, Val: 7},
	}
	for i, a := range ascending {
		for j, b := range ascending {
			for _, term := range []value.Term{{}, {Desc: true}} {
				order, err := term.Compare(a, b, d)
				want := sign(i - j)
				if term.Desc {
					want = -want
				}
				if err != nil || sign(order) != want {
					t.Errorf("%+v: %v against %v = %d, %v, want %d", term, a, b, order, err, want)
				}
			}
		}
	}
	equal := []value.Cell{value.Number(3), value.Date(3), d.cell(value.KindBigInt, "3")}
	for _, a := range equal {
		for _, b := range equal {
			if order, err := (value.Term{}).Compare(a, b, d); order != 0 || err != nil {
				t.Errorf("%v against %v = %d, %v", a, b, order, err)
			}
		}
	}
}

func TestTerm_PassesOnTheShellsRefusal(t *testing.T) {
	d := newDictionary()
	a, b := d.cell(value.KindTemporal, "PlainMonthDay\x0001-01"), d.cell(value.KindTemporal, "PlainMonthDay\x0001-02")
	if _, err := (value.Term{}).Compare(a, b, d); !errors.Is(err, errUnordered) {
		t.Errorf("error is %v", err)
	}
	if order, err := (value.Term{}).Compare(a, a, d); order != 0 || err != nil {
		t.Errorf("a value against itself: %d, %v", order, err)
	}
}

func TestOrderKey_AscendsAsTheTermDoes(t *testing.T) {
	d := newDictionary()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyCell(d).Draw(t, "a"), anyCell(d).Draw(t, "b")
		x, okA := value.OrderKey(a)
		y, okB := value.OrderKey(b)
		if okA != (a.Kind >= value.KindBool && a.Kind <= value.KindDate) {
			t.Fatalf("key of kind %d: %v", a.Kind, okA)
		}
		if !okA || !okB {
			return
		}
		want, _ := value.Term{}.Compare(a, b, d)
		got := 0
		if x < y {
			got = -1
		} else if x > y {
			got = 1
		}
		if got != sign(want) {
			t.Fatalf("%v against %v: keys say %d, the term %d", a, b, got, want)
		}
	})
}

// TestIdentity is the law IDENTITY for scalars.
func TestIdentity_EqualSameAndHashAgree(t *testing.T) {
	d := newDictionary()
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(anyCell(d), 3, 3).Draw(t, "cells")
		a, b, c := cells[0], cells[1], cells[2]
		if !value.Same(a, a) || value.Same(a, b) != value.Same(b, a) {
			t.Fatalf("Same is not an equivalence on %v, %v", a, b)
		}
		if value.Same(a, b) && value.Same(b, c) && !value.Same(a, c) {
			t.Fatalf("Same is not transitive on %v, %v, %v", a, b, c)
		}
		if value.Same(a, b) && (value.Hash(a) != value.Hash(b) || value.Class(a.Kind) != value.Class(b.Kind)) {
			t.Fatalf("%v and %v are the same but not in hash and class", a, b)
		}
		want := value.TriOf(value.Same(a, b))
		if a.Absent() || b.Absent() {
			want = value.Unknown
		}
		if got := value.Equal(a, b); got != want {
			t.Fatalf("Equal(%v, %v) = %d, want %d", a, b, got, want)
		}
	})
}

func TestNumber_HasOneCellPerValue(t *testing.T) {
	nan, zero := value.Cell{Kind: value.KindNaN}, value.Cell{Kind: value.KindNumber}
	if got := value.Number(math.NaN()); got != nan {
		t.Errorf("NaN is %v", got)
	}
	if got := value.Date(math.NaN()); got != nan {
		t.Errorf("an invalid date is %v", got)
	}
	if got := value.Number(math.Copysign(0, -1)); got != zero || math.Signbit(got.Val) {
		t.Errorf("-0 is %v", got)
	}
}

func TestCompareUTF16_OrdersSurrogatesAloneAndPaired(t *testing.T) {
	ascending := [][]uint16{
		{},
		{'a'},
		{0xd7ff},
		{0xd83d},
		{0xd83d, 0},
		{0xd83d, 0xd83c},
		{0xd83d, 0xd83d, 0xde00},
		{0xd83d, 0xde00},
		{0xd83d, 0xde00, 0},
		{0xd83d, 0xde01},
		{0xd83d, 0xe000},
		{0xd83e},
		{0xd83e, 0xdc00},
		{0xde00},
		{0xde00, 0xd83d},
		{0xe000},
		{0xffff},
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := value.CompareUTF16([]byte(wtf8(a)), []byte(wtf8(b))); sign(got) != sign(i-j) {
				t.Errorf("%x against %x = %d", a, b, got)
			}
		}
	}
}

// TestCompareUTF16_IsTheOrderOfCodeUnits checks against the definition: the code units one by one.
func TestCompareUTF16_IsTheOrderOfCodeUnits(t *testing.T) {
	edge := []uint16{0, 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xcfff, 0xd000, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xefff, 0xf000, 0xffff}
	text := rapid.SliceOfN(rapid.SampledFrom(edge), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		got := value.CompareUTF16([]byte(wtf8(a)), []byte(wtf8(b)))
		if want := slices.Compare(a, b); sign(got) != want {
			t.Fatalf("%x against %x = %d, want %d", a, b, got, want)
		}
	})
}
