package query

import (
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

func TestCheck_NamesTheFaultAndItsPlace(t *testing.T) {
	ref, list := Ref("a"), &Expr{Op: OpList}
	good := Call(FnIn, ref, list)
	order := []Term{{Expr: ref}}
	for name, c := range map[string]struct {
		q    Query
		code Code
		path string
	}{
		"nothing at all":            {Query{}, 0, ""},
		"a sound query":             {Query{Where: []*Expr{good}, Order: order, Bounded: true, HasSelect: true, Select: []Entry{{Path: []string{"x"}, Expr: ref}, {Spread: true}}}, 0, ""},
		"limit without order":       {Query{Bounded: true}, CodeLimitOffsetRequireOrderBy, "limit"},
		"empty reference in where":  {Query{Where: []*Expr{good, Call(FnNot, Ref())}}, CodeEmptyReferencePath, "where[1]"},
		"empty reference in order":  {Query{Order: []Term{{Expr: Ref()}}}, CodeEmptyReferencePath, "orderBy[0]"},
		"empty reference in select": {Query{Select: []Entry{{Path: []string{"x"}, Expr: Ref()}}}, CodeEmptyReferencePath, "select[0]"},
		"list as a condition":       {Query{Where: []*Expr{list}}, CodeUnknownExpression, "where[0]"},
		"list as an order":          {Query{Order: []Term{{Expr: list}}}, CodeUnknownExpression, "orderBy[0]"},
		"list as a field":           {Query{Select: []Entry{{Path: []string{"x"}, Expr: list}}}, CodeUnknownExpression, "select[0]"},
		"list left of in":           {Query{Where: []*Expr{Call(FnIn, list, list)}}, CodeUnknownExpression, "where[0]"},
		"list in eq":                {Query{Where: []*Expr{Call(FnEq, ref, list)}}, CodeUnknownExpression, "where[0]"},
		"list deep inside":          {Query{Where: []*Expr{Call(FnNot, Call(FnAnd, list))}}, CodeUnknownExpression, "where[0]"},
		"field without a name":      {Query{Select: []Entry{{Expr: ref}}}, CodeUnknownExpression, "select[0]"},
		"field named __proto__":     {Query{Select: []Entry{{Path: []string{"x"}, Expr: ref}, {Path: []string{"x", "__proto__"}, Expr: ref}}}, CodeUnsafeAliasPath, "select[1]"},
		"spread into prototype":     {Query{Select: []Entry{{Path: []string{"prototype"}, Spread: true}}}, CodeUnsafeAliasPath, "select[0]"},
		"field inside constructor":  {Query{Select: []Entry{{Path: []string{"constructor", "x"}, Expr: ref}}}, CodeUnsafeAliasPath, "select[0]"},
	} {
		err := c.q.Check()
		var fault *Error
		if c.code == 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.As(err, &fault) || fault.Code != c.code || fault.Path != c.path || fault.Text == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestID_TellsDifferentExpressionsApart(t *testing.T) {
	names := []string{"", "a", "b", "ab", "c(", "r\x01", "\"", "a.b", "$key"}
	pool := newDictionary().pool(true)
	rapid.Check(t, func(t *rapid.T) {
		refs := make([]*Expr, 3)
		for i := range refs {
			refs[i] = Ref(rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, "path")...)
			switch n := rapid.Uint32Range(0, 1).Draw(t, "number"); rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				refs[i].Leaf = n
			case 1:
				refs[i].Op, refs[i].Of = OpPull, n
			case 2:
				refs[i].Op, refs[i].Of, refs[i].Live = OpPull, n, true
			}
		}
		a, b := genExpr(t, pool, refs, 2), genExpr(t, pool, refs, 2)
		if same := reflect.DeepEqual(strip(a), strip(b)); same != (a.ID() == b.ID()) {
			t.Fatalf("same %v, ids %q and %q", same, a.ID(), b.ID())
		}
	})
}

// strip is e with empty lists in one form.
func strip(e *Expr) *Expr {
	out := &Expr{Op: e.Op, Fn: e.Fn, Cell: e.Cell, Leaf: e.Leaf, Of: e.Of, Live: e.Live}
	out.Path = append([]string{}, e.Path...)
	out.List = append([]value.Cell{}, e.List...)
	for _, a := range e.Args {
		out.Args = append(out.Args, strip(a))
	}
	return out
}

func TestEachCell_VisitsEveryConstantOfAQuery(t *testing.T) {
	n := value.Number
	q := Query{
		Where:  []*Expr{Call(FnEq, Ref("a"), Const(n(1))), Call(FnIn, Const(n(2)), &Expr{Op: OpList, List: []value.Cell{n(3), n(4)}})},
		Select: []Entry{{Spread: true}, {Path: []string{"x"}, Expr: Call(FnNot, Const(n(6)))}},
		Order:  []Term{{Expr: Const(n(5))}},
	}
	var got []float64
	q.EachCell(func(c value.Cell) { got = append(got, c.Val) })
	if !reflect.DeepEqual(got, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("visited %v", got)
	}
}
