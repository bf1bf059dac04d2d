package query

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

var columnRefs = []*Expr{Ref("a"), Ref("b"), Ref("c"), Ref("d", "x")}

// grid fills four columns: of numbers with holes, of strings, of few values,
// and of anything.
func grid(d *dictionary, rows int, c *chance, temporals bool) *table {
	b := &table{cols: map[string]*Column{}, texted: map[string]bool{}}
	all := d.pool(temporals)
	numbers := []value.Cell{value.Number(0), value.Number(1), value.Date(1), value.Number(2), {Kind: value.KindNull}}
	stringy := []value.Cell{d.cell(value.KindString, "a"), d.cell(value.KindString, "ab"), d.cell(value.KindString, "B"), {}}
	for i, pool := range [][]value.Cell{numbers, stringy, {value.Bool(true), value.Bool(false), {Kind: value.KindNull}}, all} {
		col := &Column{}
		for range rows {
			x := pool[c.intn(len(pool))]
			col.Kinds, col.Vals = append(col.Kinds, x.Kind), append(col.Vals, x.Val)
		}
		b.cols[[]string{"a", "b", "c", "d.x"}[i]] = col
	}
	return b
}

func (b *table) reader(slot uint32) func(*Expr) value.Cell {
	return func(e *Expr) value.Cell {
		c, err := b.Column(e.Path, false)
		if err != nil {
			panic(err)
		}
		return c.At(slot)
	}
}

func TestSelect_KeepsExactlyTheRowsAllConjunctsAreTrueFor(t *testing.T) {
	for _, temporals := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			d := newDictionary()
			c := chance(rapid.Uint64().Draw(t, "seed"))
			rows := rapid.SampledFrom([]int{1, 3, 17, 17, 17, 1023, 1024, 1025, 2049}).Draw(t, "rows")
			b := grid(d, rows, &c, temporals)
			pool := d.pool(temporals)
			conjuncts := make([]*Expr, rapid.IntRange(0, 4).Draw(t, "conjuncts"))
			for i := range conjuncts {
				conjuncts[i] = genExpr(t, pool, columnRefs, 3)
			}
			p, err := Compile(conjuncts, b, d)
			if err != nil {
				t.Fatal(err)
			}
			var slots, want []uint32
			for range rows {
				slots = append(slots, uint32(c.intn(rows)))
			}
			var fault error
			for _, s := range slots {
				keep := true
				for _, e := range conjuncts {
					x, err := eval(e, b.reader(s), d)
					if err != nil {
						fault = err
					}
					if keep = err == nil && x == value.Bool(true); !keep {
						break
					}
				}
				if keep {
					want = append(want, s)
				}
			}
			before := []uint32{7, 9}
			got, err := p.Select(slots, slices.Clone(before))
			if (err != nil) != (fault != nil) {
				t.Fatalf("error %v, want %v", err, fault)
			}
			var typed *Error
			if err != nil && !errors.Is(err, errType) && (!errors.As(err, &typed) || typed.Code != CodeQueryFailed) {
				t.Fatalf("error %v is no query failure", err)
			}
			if err == nil && !slices.Equal(got, append(before, want...)) {
				t.Fatalf("kept %v, want %v", got, want)
			}
		})
	}
}

func TestCells_AreTheValuesOfTheExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDictionary()
		c := chance(rapid.Uint64().Draw(t, "seed"))
		rows := rapid.SampledFrom([]int{1, 9, 9, 1025}).Draw(t, "rows")
		b := grid(d, rows, &c, false)
		e := genExpr(t, d.pool(false), columnRefs, 3)
		p, err := Compile([]*Expr{e}, b, d)
		if err != nil {
			t.Fatal(err)
		}
		slots := make([]uint32, rows)
		for i := range slots {
			slots[i] = uint32(c.intn(rows))
		}
		checkCells(t, p, e, slots, d, b.reader)
	})
}

// checkCells compares the values a program computes of rows with those of the
// expression, which read reads for.
func checkCells(t *rapid.T, p *Program, e *Expr, rows []uint32, d *dictionary, read func(uint32) func(*Expr) value.Cell) {
	var want []value.Cell
	var fault error
	for _, r := range rows {
		x, err := eval(e, read(r), d)
		want = append(want, x)
		if err != nil {
			fault = err
		}
		one, oneErr := p.Cell(r)
		if (err != nil) != (oneErr != nil) || err == nil && one != x {
			t.Fatalf("row %d alone is %v (%v), want %v (%v)", r, one, oneErr, x, err)
		}
		if err == nil && e.Op == OpCall && e.Fn <= FnNot {
			if tri, err := p.Truth(r); err != nil || value.CellOf(tri) != x {
				t.Fatalf("truth of row %d is %v (%v), want %v", r, tri, err, x)
			}
		}
	}
	seen := 0
	err := p.Cells(rows, func(i int, got value.Cell) {
		if i != seen {
			t.Fatalf("visited %d after %d", i, seen)
		}
		seen++
		if fault == nil && got != want[i] {
			t.Fatalf("row %d is %v, want %v", rows[i], got, want[i])
		}
	})
	if (err != nil) != (fault != nil) || err == nil && seen != len(rows) {
		t.Fatalf("visited %d of %d: %v, want %v", seen, len(rows), err, fault)
	}
}

// An operand that fails is not evaluated where an earlier one has decided.
func TestSelect_LaterOperandsAreGuardedByEarlierOnes(t *testing.T) {
	d := newDictionary()
	date := d.cell(value.KindTemporal, "Date\x002020")
	b := &table{cols: map[string]*Column{
		"tag": {Kinds: []uint8{value.KindNumber, value.KindNumber}, Vals: []float64{1, 2}},
		"at":  {Kinds: []uint8{value.KindTemporal, value.KindNumber}, Vals: []float64{date.Val, 5}},
	}, texted: map[string]bool{}}
	risky := Call(FnGte, Ref("at"), Const(date))
	for name, where := range map[string]*Expr{
		"and in or": Call(FnOr, Call(FnAnd, Call(FnEq, Ref("tag"), Const(value.Number(1))), risky), Const(value.Bool(false))),
		"or in not": Call(FnNot, Call(FnOr, Call(FnEq, Ref("tag"), Const(value.Number(2))), Call(FnNot, risky))),
	} {
		p, err := Compile([]*Expr{where}, b, d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Select([]uint32{0, 1}, nil)
		if err != nil || !slices.Equal(got, []uint32{0}) {
			t.Errorf("%s: kept %v (%v), want row 0", name, got, err)
		}
	}
	p, err := Compile([]*Expr{risky}, b, d)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Select([]uint32{0, 1}, nil); err == nil {
		t.Errorf("kept %v without the guard", got)
	}
}

func TestCompile_AsksForTextsOnlyWhereTheyAreLookedAt(t *testing.T) {
	ref, one := Ref("a"), Const(value.Number(1))
	for name, c := range map[string]struct {
		e    *Expr
		text bool
	}{
		"equality":                  {Call(FnEq, ref, one), false},
		"membership":                {Call(FnIn, ref, &Expr{Op: OpList}), false},
		"null test":                 {Call(FnIsNull, ref), false},
		"equality under a negation": {Call(FnNot, Call(FnEq, ref, one)), false},
		"bare value under and":      {Call(FnAnd, ref, one), false},
		"order":                     {Call(FnLt, ref, one), true},
		"pattern":                   {Call(FnILike, ref, one), true},
		"negation of a value":       {Call(FnNot, ref), true},
		"order inside an equality":  {Call(FnEq, Call(FnGt, ref, one), one), true},
		"length":                    {Call(FnEq, Call(FnLength, ref), one), true},
		"what the shell computes":   {Call(FnEq, Call(FnUpper, Call(FnConcat, ref)), one), false},
		"arithmetic":                {Call(FnGt, Call(FnAdd, ref, one), one), false},
		"a condition of a choice":   {Call(FnEq, Call(FnCaseWhen, ref, one), one), true},
		"a choice":                  {Call(FnEq, Call(FnCoalesce, Call(FnCaseWhen, Call(FnIsNull, one), ref), ref), one), false},
		"order of a choice":         {Call(FnLt, Call(FnCoalesce, Call(FnCaseWhen, Call(FnIsNull, one), one, ref)), one), true},
		"order of what is computed": {Call(FnLt, Call(FnConcat, ref), one), false},
	} {
		b := &table{cols: map[string]*Column{"a": {}}, texted: map[string]bool{}}
		if _, err := Compile([]*Expr{c.e}, b, newDictionary()); err != nil {
			t.Fatal(err)
		}
		if b.texted["a"] != c.text {
			t.Errorf("%s: texts asked for: %v", name, b.texted["a"])
		}
	}
}
