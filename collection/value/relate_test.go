package value_test

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

// answers are the results of gt, gte, lt, lte in this order.
type answers [4]value.Tri

var (
	less    = answers{value.False, value.False, value.True, value.True}
	equal   = answers{value.False, value.True, value.False, value.True}
	greater = answers{value.True, value.True, value.False, value.False}
	never   = answers{value.False, value.False, value.False, value.False}
	unknown = answers{value.Unknown, value.Unknown, value.Unknown, value.Unknown}
)

func TestRelate(t *testing.T) {
	d := newDictionary()
	nan, null, ref := value.Cell{Kind: value.KindNaN}, value.Cell{Kind: value.KindNull}, value.Cell{Kind: value.KindRef, Val: 3}
	str := func(s string) value.Cell { return d.cell(value.KindString, s) }
	octets := func(s string) value.Cell { return d.cell(value.KindBytes, s) }
	temporal := func(s string) value.Cell { return d.cell(value.KindTemporal, s) }
	for _, c := range []struct {
		name string
		a, b value.Cell
		want answers
	}{
		{"null has no order", null, value.Number(1), unknown},
		{"undefined has no order, not even against itself", value.Cell{}, value.Cell{}, unknown},
		{"null before NaN's rule", null, nan, unknown},
		{"NaN equals itself", nan, nan, equal},
		{"NaN exceeds infinity", nan, d.cell(value.KindBigInt, "1000000000000000000000"), greater},
		{"everything is below NaN", str("x"), nan, less},
		{"a string that is no number compares with none", str("x"), value.Number(1), never},
		{"a reference has no order", ref, value.Number(1), unknown},
		{"a reference has no order against itself", ref, ref, unknown},
		{"bytes compare by content", octets("a\xff"), octets("b"), less},
		{"longer bytes follow their prefix", octets("ab"), octets("a"), greater},
		{"bytes and a string have no order", octets("a"), str("a"), unknown},
		{"temporals of one type compare", temporal("PlainDate\x002024-01-01"), temporal("PlainDate\x002024-01-02"), less},
		{"a temporal equals itself", temporal("PlainDate\x002024-01-01"), temporal("PlainDate\x002024-01-01"), equal},
		{"strings ignore collation", str("B"), str("a"), less},
		{"astral characters sort as surrogates", str("\U0001f600"), str("\uffff"), less},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, op := range []value.Op{value.Gt, value.Gte, value.Lt, value.Lte} {
				if got, err := value.Relate(op, c.a, c.b, d); got != c.want[i] || err != nil {
					t.Errorf("operator %d gives %d, %v, want %d", op, got, err, c.want[i])
				}
			}
		})
	}
}

func TestRelate_RefusesTemporalsOfDifferentTypes(t *testing.T) {
	d := newDictionary()
	date := d.cell(value.KindTemporal, "Temporal.PlainDate\x002024-01-01")
	for _, other := range []struct {
		cell value.Cell
		name string
	}{
		{d.cell(value.KindTemporal, "Temporal.PlainTime\x0010:00"), "Temporal.PlainTime"},
		{value.Number(1), "number"},
		{value.Date(1), "Date"},
		{value.Bool(true), "boolean"},
		{d.cell(value.KindString, "2024-01-01"), "string"},
		{d.cell(value.KindBigInt, "1"), "bigint"},
		{d.cell(value.KindBytes, "1"), "bytes"},
		{value.Cell{Kind: value.KindRef}, "object"},
	} {
		_, err := value.Relate(value.Lt, date, other.cell, d)
		var refusal *value.TemporalTypeError
		if !errors.As(err, &refusal) || refusal.Left != "Temporal.PlainDate" || refusal.Right != other.name {
			t.Errorf("against %s: %v", other.name, err)
		}
	}
	_, err := value.Relate(value.Gt, value.Number(1), date, d)
	const want = "cannot order number against Temporal.PlainDate: gt, gte, lt and lte compare a temporal only with one of its own type; convert one side"
	if err == nil || err.Error() != want {
		t.Errorf("the text is %v", err)
	}
	monthDay := d.cell(value.KindTemporal, "PlainMonthDay\x0001-01")
	if _, err := value.Relate(value.Lte, monthDay, monthDay, d); !errors.Is(err, errUnordered) {
		t.Errorf("a type without an order: %v", err)
	}
}

func TestRelate_AllocatesNothingOnCommonKinds(t *testing.T) {
	d := newDictionary()
	cells := []value.Cell{
		value.Number(1), value.Date(2), value.Bool(true),
		{},
		d.cell(value.KindString, "a"), d.cell(value.KindString, "12.5"),
		d.cell(value.KindBigInt, "77"),
	}
	allocs := testing.AllocsPerRun(10, func() {
		for _, a := range cells {
			for _, b := range cells {
				if _, err := value.Relate(value.Lt, a, b, d); err != nil {
					t.Fatal(err)
				}
				if _, err := (value.Term{}).Compare(a, b, d); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestCompareBigInt_IsExact checks against math/big, which the package itself does without.
func TestCompareBigInt_IsExact(t *testing.T) {
	bigint := rapid.Custom(func(t *rapid.T) *big.Int {
		if rapid.Bool().Draw(t, "near a number") {
			n, _ := big.NewFloat(rapid.SampledFrom(numbers[:15]).Draw(t, "number")).Int(nil)
			return n.Add(n, big.NewInt(rapid.Int64Range(-2, 2).Draw(t, "offset")))
		}
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "negative") {
			n.Neg(n)
		}
		return n
	})
	number := rapid.OneOf(rapid.SampledFrom(numbers), rapid.Float64())
	rapid.Check(t, func(t *rapid.T) {
		a, b, v := bigint.Draw(t, "a"), bigint.Draw(t, "b"), number.Draw(t, "v")
		if got, want := value.CompareBigInt([]byte(a.String()), []byte(b.String())), a.Cmp(b); sign(got) != want {
			t.Fatalf("%s against %s = %d", a, b, got)
		}
		exact := new(big.Float).SetPrec(2000).SetInt(a)
		if got, want := value.CompareBigIntNumber([]byte(a.String()), v), exact.Cmp(big.NewFloat(v)); sign(got) != want {
			t.Fatalf("%s against %v = %d, want %d", a, v, got, want)
		}
	})
}
