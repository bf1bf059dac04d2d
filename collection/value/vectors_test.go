package value_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"millrace.dev/millrace/collection/value"
)

func sign(n int) int { return min(max(n, -1), 1) }

func TestCompareASCII_AnswersWhatTheCollatorAnswers(t *testing.T) {
	check := func(a, b string, want byte) {
		t.Helper()
		order, ok := value.CompareASCII([]byte(a), []byte(b))
		if !ok || "<=>"[sign(order)+1] != want {
			t.Errorf("CompareASCII(%q, %q) = %d, %v, want %c", a, b, order, ok, want)
		}
	}
	for i, raw := range readVectors(t, "collate.json") {
		if i < 95 {
			var row string
			decodeJSON(t, raw, &row)
			for j := range row {
				check(string(rune(32+i)), string(rune(32+j)), row[j])
			}
			continue
		}
		var v [3]string
		decodeJSON(t, raw, &v)
		check(v[0], v[1], v[2][0])
	}
}

func TestCompareASCII_DeclinesWhateverIsNotPrintable(t *testing.T) {
	for _, c := range []string{"\x00", "\t", "\x1f", "\x7f", "é"} {
		for _, pair := range [][2]string{{"b" + c, "a"}, {"a", "ab" + c}, {c, c}, {"ab", "b" + c}} {
			if _, ok := value.CompareASCII([]byte(pair[0]), []byte(pair[1])); ok {
				t.Errorf("CompareASCII(%q, %q) was decided", pair[0], pair[1])
			}
		}
	}
}

// operand reads one operand of relate.json.
func operand(t *testing.T, raw json.RawMessage, d *dictionary) value.Cell {
	t.Helper()
	var pair [2]json.RawMessage
	var kind string
	decodeJSON(t, raw, &pair)
	decodeJSON(t, pair[0], &kind)
	switch kind {
	case "string":
		var units []uint16
		decodeJSON(t, pair[1], &units)
		return d.cell(value.KindString, wtf8(units))
	case "bool":
		var b bool
		decodeJSON(t, pair[1], &b)
		return value.Bool(b)
	}
	var text string
	decodeJSON(t, pair[1], &text)
	if kind == "bigint" {
		return d.cell(value.KindBigInt, text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "date" {
		return value.Date(v)
	}
	return value.Number(v)
}

func TestRelate_CoercesAsJavaScriptDoes(t *testing.T) {
	d := newDictionary()
	rows := readVectors(t, "relate.json")
	var raws []json.RawMessage
	decodeJSON(t, rows[0], &raws)
	cells := make([]value.Cell, len(raws))
	for i, raw := range raws {
		cells[i] = operand(t, raw, d)
	}
	ops := []value.Op{value.Lt, value.Lte, value.Gt, value.Gte}
	for i, row := range rows[1:] {
		var digits string
		decodeJSON(t, row, &digits)
		for j := range cells {
			bits, err := strconv.ParseUint(digits[j:j+1], 32, 8)
			if err != nil {
				t.Fatal(err)
			}
			for bit, op := range ops {
				got, err := value.Relate(op, cells[i], cells[j], d)
				if want := value.Tri(bits >> bit & 1); got != want || err != nil {
					t.Errorf("%s %v %s = %v, %v, want %v", raws[i], op, raws[j], got, err, want)
				}
			}
			if got, want := value.Equal(cells[i], cells[j]), value.Tri(bits>>4); got != want {
				t.Errorf("Equal(%s, %s) = %v, want %v", raws[i], raws[j], got, want)
			}
		}
	}
	if d.compares != 0 {
		t.Errorf("primitives asked for %d collated comparisons", d.compares)
	}
}

func TestToNumber_ReadsAsJavaScriptDoes(t *testing.T) {
	for _, raw := range readVectors(t, "number.json") {
		var units []uint16
		var bits string
		decodeJSON(t, raw, &[]any{&units, &bits})
		n, err := strconv.ParseUint(bits, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Float64frombits(n)
		got := value.ToNumber([]byte(wtf8(units)))
		if math.IsNaN(got) && math.IsNaN(want) {
			continue
		}
		if math.Float64bits(got) != n {
			t.Errorf("ToNumber(%q) = %v, want %v", wtf8(units), got, want)
		}
	}
}

func TestLike_MatchesAsTheRegularExpressionDoes(t *testing.T) {
	for _, raw := range readVectors(t, "like.json") {
		var pattern, text []uint16
		var like, ilike bool
		decodeJSON(t, raw, &[]any{&pattern, &text, &like, &ilike})
		p, s := []byte(wtf8(pattern)), []byte(wtf8(text))
		if got := value.Like(p, s, false); got != like {
			t.Errorf("Like(%q, %q) = %v", p, s, got)
		}
		if got := value.Like(p, s, true); got != ilike {
			t.Errorf("Like(%q, %q) without case = %v", p, s, got)
		}
	}
}
