package query

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

func TestRouteOf_EveryRowThatIsKeptHasARoutedValue(t *testing.T) {
	routed := 0
	rapid.Check(t, func(t *rapid.T) {
		d := newDictionary()
		c := chance(rapid.Uint64().Draw(t, "seed"))
		pool := d.pool(false)
		b := grid(d, 40, &c, false)
		where := make([]*Expr, rapid.IntRange(1, 3).Draw(t, "clauses"))
		for i := range where {
			where[i] = genExpr(t, pool, columnRefs, 2)
			switch rapid.IntRange(0, 3).Draw(t, "plant") {
			case 0:
				where[i] = Call(FnEq, Const(rapid.SampledFrom(pool).Draw(t, "c")), Ref("d", "x"))
			case 1:
				where[i] = Call(FnAnd, Call(FnIn, Ref("d", "x"), &Expr{Op: OpList, List: rapid.SliceOfN(rapid.SampledFrom(pool), 0, 6).Draw(t, "in")}), where[i])
			}
		}
		conjuncts := Conjuncts(where)
		r, ok := RouteOf(conjuncts)
		if ok {
			routed++
		}
		for slot := range uint32(40) {
			keptBy := func(list []*Expr) bool {
				for _, e := range list {
					if x, _ := eval(e, b.reader(slot), d); x != value.Bool(true) {
						return false
					}
				}
				return true
			}
			if keptBy(where) != keptBy(conjuncts) {
				t.Fatalf("row %d: the conjuncts say otherwise than the clauses", slot)
			}
			if !ok || !keptBy(conjuncts) {
				continue
			}
			found := false
			for _, x := range r.Cells {
				found = found || value.Same(x, b.cols[strings.Join(r.Path, ".")].At(slot))
			}
			if !found {
				t.Fatalf("row %d is kept, but has no value of route %v", slot, r)
			}
		}
	})
	if routed == 0 {
		t.Error("no history had a route")
	}
}

func TestRouteOf_Table(t *testing.T) {
	n := func(v float64) value.Cell { return value.Number(v) }
	eq := func(path string, v float64) *Expr { return Call(FnEq, Ref(path), Const(n(v))) }
	list := func(cells ...value.Cell) *Expr { return &Expr{Op: OpList, List: cells} }
	null := value.Cell{Kind: value.KindNull}
	for name, c := range map[string]struct {
		e     *Expr
		path  string
		cells int
	}{
		"equality":                          {eq("a", 1), "a", 1},
		"constant first":                    {Call(FnEq, Const(n(1)), Ref("a")), "a", 1},
		"a null constant matches nothing":   {Call(FnEq, Ref("a"), Const(null)), "a", 0},
		"repetitions and nulls are gone":    {Call(FnIn, Ref("a"), list(n(1), null, value.Date(1), n(2))), "a", 2},
		"the shorter list wins":             {Call(FnAnd, Call(FnIn, Ref("a"), list(n(1), n(2))), eq("b", 1)), "b", 1},
		"the first of equals wins":          {Call(FnAnd, eq("a", 1), eq("b", 1)), "a", 1},
		"two references":                    {Call(FnEq, Ref("a"), Ref("b")), "", 0},
		"two constants":                     {Call(FnEq, Const(n(1)), Const(n(1))), "", 0},
		"an alternative":                    {Call(FnOr, eq("a", 1)), "", 0},
		"a negation":                        {Call(FnNot, eq("a", 1)), "", 0},
		"and with a bare value stays whole": {Call(FnAnd, eq("a", 1), Const(n(1))), "", 0},
		"membership in no list":             {Call(FnIn, Ref("a"), Ref("b")), "", 0},
	} {
		r, ok := RouteOf(Conjuncts([]*Expr{c.e}))
		if ok != (c.path != "") || ok && (strings.Join(r.Path, ".") != c.path || len(r.Cells) != c.cells) {
			t.Errorf("%s: %v %v", name, r, ok)
		}
	}
}

func TestMembers_LongListsAreHashed(t *testing.T) {
	const n = 200_000
	list := make([]value.Cell, 0, n+1)
	for i := range n {
		list = append(list, value.Number(float64(i%(n/2))))
	}
	list = append(list, value.Cell{Kind: value.KindNull})
	m := membersOf(list) // a minute and more if each were compared with all before it
	if len(m.cells) != n/2 || m.cells[n/2-1] != value.Number(n/2-1) {
		t.Fatalf("%d members", len(m.cells))
	}
	if !m.has(value.Date(7)) || m.has(value.Number(n)) || m.has(value.Cell{Kind: value.KindBool, Val: 1}) {
		t.Error("membership is equality")
	}
}
