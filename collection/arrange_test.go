package collection

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

func filled(t *testing.T, rows int) *bench {
	b := newBench(t)
	var ops []op
	for i := range rows {
		ops = append(ops, ins(i, row{"v": i % 3, "w": "text " + number(i%5)}))
	}
	b.do(ops...)
	return b
}

func TestLease_SharesWhatIsTheSame(t *testing.T) {
	b := filled(t, 20)
	one, two := b.lease(), b.lease()
	var orders []*Ordering
	for _, l := range []*Lease{one, two, one} {
		o, err := l.Order([]query.Term{asc("v"), desc("w")}, true)
		if err != nil {
			t.Fatal(err)
		}
		h, err := l.Hash([]string{"v"})
		if err != nil || h.Count([]value.Cell{value.Number(0), value.Number(1)}) != 14 {
			t.Fatal(h, err)
		}
		orders = append(orders, o)
	}
	other, err := two.Order([]query.Term{asc("v"), asc("w")}, true)
	if err != nil || other == orders[0] || orders[0] != orders[1] {
		t.Error("orders are shared when they are the same, and only then")
	}
	if len(one.held) != 2 {
		t.Errorf("a lease holds %d things it took twice", len(one.held))
	}
	columns, arrangements, _ := b.root.Held()
	if columns != 2+0 && columns != 3 || arrangements != 3 {
		t.Errorf("%d columns and %d arrangements: %v", columns, arrangements, b.reads)
	}
	one.Release()
	b.do(put(0, row{"v": 9, "w": "a"}))
	if got := b.content(orders[0]); !strings.HasSuffix(got, " 0") {
		t.Errorf("a shared order is %s after one of its users left", got)
	}
}

func TestLease_KeepsWhatWasUsedLastWarmAndDropsTheRest(t *testing.T) {
	b := filled(t, 5)
	for i := range warm + 4 {
		l := b.lease()
		if _, err := l.Column([]string{"f" + number(i)}, false); err != nil {
			t.Fatal(err)
		}
		l.Release()
	}
	if !slices.Equal(b.dropped, []uint32{0, 1, 2, 3}) || len(b.carried) != warm {
		t.Errorf("dropped %v, carried %d", b.dropped, len(b.carried))
	}
	reads := len(b.reads)
	l := b.lease()
	if _, err := l.Column([]string{"f4"}, false); err != nil || len(b.reads) != reads {
		t.Errorf("a warm column was read again: %v", err)
	}
	// Used once more it is not the next to go, and indexes are never used twice.
	l.Release()
	for _, name := range []string{"g", "h"} {
		l := b.lease()
		if _, err := l.Column([]string{name}, false); err != nil {
			t.Fatal(err)
		}
		l.Release()
	}
	if !slices.Equal(b.dropped, []uint32{0, 1, 2, 3, 5, 6}) || b.carried[warm-1].index != warm+5 {
		t.Errorf("dropped %v, carried %v", b.dropped, b.carried)
	}
	b.do(put(0, v(1)))
}

func TestLease_AnArrangementThatGoesLetsItsColumnsGo(t *testing.T) {
	b := filled(t, 8)
	l := b.lease()
	if _, err := l.Order([]query.Term{{Expr: query.Call(query.FnGt, query.Ref("w"), query.Ref("v"))}}, true); err != nil {
		t.Fatal(err)
	}
	l.Release()
	for i := range 3 * warm {
		l := b.lease()
		if _, err := l.Column([]string{"f" + number(i)}, false); err != nil {
			t.Fatal(err)
		}
		l.Release()
		b.end()
	}
	if columns, arrangements, _ := b.root.Held(); columns != warm || arrangements != 0 {
		t.Errorf("%d columns and %d arrangements are left", columns, arrangements)
	}
	b.checkTexts()
}

func TestColumn_WithTextsIsReadAnewForThoseWhoNeedThem(t *testing.T) {
	b := filled(t, 4)
	bare, _ := b.lease().Column([]string{"w"}, false)
	if b.dict.Known(b.dictID("text 1")) {
		t.Error("texts came along unasked")
	}
	full, _ := b.lease().Column([]string{"w"}, true)
	again, _ := b.lease().Column([]string{"w"}, false)
	if full == bare || again != bare || string(b.dict.Text(b.dictID("text 1"))) != "text 1" {
		t.Errorf("reads: %v", b.reads)
	}
}

func TestLease_ARefusedPullLeavesNothingBehind(t *testing.T) {
	b := filled(t, 4)
	for name, take := range map[string]func(l *Lease) error{
		"column": func(l *Lease) error { _, err := l.Column([]string{"v"}, true); return err },
		"hash":   func(l *Lease) error { _, err := l.Hash([]string{"v"}); return err },
		"order":  func(l *Lease) error { _, err := l.Order([]query.Term{asc("v")}, true); return err },
		"derived": func(l *Lease) error {
			_, err := l.Order([]query.Term{{Expr: query.Call(query.FnNot, query.Ref("v"))}}, true)
			return err
		},
	} {
		b.refuse = true
		l := b.lease()
		if err := take(l); !errors.Is(err, errShell) {
			t.Errorf("%s: %v", name, err)
		}
		l.Release()
		if columns, arrangements, _ := b.root.Held(); columns+arrangements != 0 || len(b.root.idle) != 0 {
			t.Errorf("%s: %d columns and %d arrangements are left", name, columns, arrangements)
		}
		b.refuse = false
	}
	b.do(put(0, v(7)))
	if err := func() error { _, err := b.lease().Order([]query.Term{asc("v")}, true); return err }(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestOrder_AShellThatCannotCompareFailsThatOrderAlone(t *testing.T) {
	b := filled(t, 6)
	b.dict.SetCollation(2, false)
	folded, err := b.lease().Order([]query.Term{{Expr: query.Ref("w"), Term: value.Term{Collation: 2}}}, true)
	if err != nil || b.compares == 0 {
		t.Fatal(err)
	}
	plain, _ := b.lease().Order([]query.Term{asc("w")}, true)
	b.refuse = true
	b.do(put(0, row{"w": "text 9"}))
	if !errors.Is(folded.Err, errShell) || plain.Err != nil || b.content(plain) != "5 1 2 3 4 0" {
		t.Errorf("folded %v, plain %v: %s", folded.Err, plain.Err, b.content(plain))
	}
	b.do(put(1, row{"w": "text 8"}))
	b.refuse = false
	again, err := b.lease().Order([]query.Term{{Expr: query.Ref("w"), Term: value.Term{Collation: 2}}}, true)
	if err != nil || again == folded || b.content(again) != "5 2 3 4 1 0" {
		t.Errorf("the order is not made anew: %v", err)
	}
	defer func() {
		if f, ok := recover().(d2.OrderFault); !ok || !errors.Is(f.Err, errShell) {
			t.Error("a comparison that fails does not say so")
		}
	}()
	b.refuse = true
	again.Compare(b.root.SlotOf(0), b.root.SlotOf(1))
}

func TestOrder_KeysStringsBeforeNumbersAndNaNLast(t *testing.T) {
	b := newBench(t)
	nan := value.Cell{Kind: value.KindNaN}
	keys := []any{nan, 3, "b", -1, "", "ä", 0, "B", 1.5, math.Inf(1), math.Inf(-1), "\U0001F600", "\uFF5E"}
	var ops []op
	for _, k := range keys {
		ops = append(ops, ins(k, v(1)))
	}
	b.do(ops[:7]...)
	o, err := b.lease().Order([]query.Term{asc("v")}, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops[7:] {
		b.do(ops[7+i])
	}
	want := " B b ä \U0001F600 \uFF5E -Inf -1 0 1.5 3 +Inf {4 0}"
	if got := b.content(o); got != want {
		t.Errorf("order is %q, want %q", got, want)
	}
	if err := o.build(); err != nil || b.content(o) != want {
		t.Errorf("loaded at once it is %q", b.content(o))
	}
}

func TestOrder_ConstantsDecideNothing(t *testing.T) {
	b := filled(t, 4)
	o, err := b.lease().Order([]query.Term{{Expr: query.Const(value.Number(1)), Term: value.Term{Desc: true}}}, true)
	if err != nil || b.content(o) != "0 1 2 3" || len(b.root.columns) != 0 {
		t.Errorf("%v %v", b.content(o), err)
	}
}

func TestOrder_DerivedColumnsFollowTheirOperands(t *testing.T) {
	b := filled(t, 4)
	term := query.Term{Expr: query.Call(query.FnGte, query.Ref("v"), query.Const(value.Number(2)))}
	o, err := b.lease().Order([]query.Term{term}, true)
	if err != nil || b.content(o) != "0 1 3 2" {
		t.Fatal(b.content(o), err)
	}
	date := b.cell("Date\x002020")
	date.Kind = value.KindTemporal
	b.dict.Put(date.ID(), []byte("Date\x002020"))
	b.do(put(0, v(5)), put(1, v(nil)), put(3, v(date)))
	// The comparison of a temporal with a number fails: ordered as undefined.
	if got := b.content(o); got != "1 3 0 2" || o.Err != nil {
		t.Errorf("order is %s (%v)", got, o.Err)
	}
	if _, err := b.lease().Order([]query.Term{{Expr: query.Call(query.FnLt, query.Ref("v"), query.Const(value.Number(0)))}}, true); err == nil {
		t.Error("an order over a value its expression cannot take was made")
	}
	b.end()
	if n := b.root.Carried(); n != 1 || len(b.root.columns) != 2 {
		t.Errorf("%d of %d columns are carried", n, len(b.root.columns))
	}
}

func TestOrder_LargeTransactionsAreLoadedAtOnce(t *testing.T) {
	b := newBench(t)
	o, err := b.lease().Order([]query.Term{desc("v")}, true)
	if err != nil {
		t.Fatal(err)
	}
	var ops []op
	for i := range 1500 {
		ops = append(ops, ins(i, v(i*7919%1500)))
	}
	b.do(ops...)
	for i := 2; i < o.Tree.Len(); i++ {
		if o.Compare(o.Tree.At(i-1), o.Tree.At(i)) >= 0 {
			t.Fatalf("rank %d is out of order", i)
		}
	}
	if o.Tree.Len() != 1500 {
		t.Errorf("%d rows", o.Tree.Len())
	}
}

// A bulk load sorts by images of the values; it must agree with insertion.
func TestOrder_LoadedAtOnceOrGrownIsTheSame(t *testing.T) {
	null, nan := value.Cell{Kind: value.KindNull}, value.Cell{Kind: value.KindNaN}
	for name, pool := range map[string][]any{
		"numbers":             {1, -1, 0, 2.5, math.Inf(1), math.Inf(-1), value.Date(1), value.Date(-7)},
		"numbers and holes":   {1, null, nil, nan, -1, false, true, math.Inf(-1), math.Inf(1), math.MaxFloat64},
		"numbers and strings": {1, "a", nil, "B", nan},
	} {
		for flags := range 4 {
			b := newBench(t)
			term := query.Term{Expr: query.Ref("v"), Term: value.Term{Desc: flags&1 != 0, NullsLast: flags&2 != 0}}
			grown, err := b.lease().Order([]query.Term{term}, true)
			if err != nil {
				t.Fatal(err)
			}
			c := chance(flags)
			for i := range 300 {
				b.do(put(i*7919%300, v(pool[c.intn(len(pool))])))
			}
			was := b.content(grown)
			if err := grown.build(); err != nil || b.content(grown) != was {
				t.Errorf("%s, flags %d: grown %s, loaded %s", name, flags, was, b.content(grown))
			}
		}
	}
}

func TestClear_GivesEverythingBackAndStartsOver(t *testing.T) {
	b := filled(t, 10)
	l := b.lease()
	if _, err := l.Order([]query.Term{asc("w"), {Expr: query.Call(query.FnNot, query.Ref("v"))}}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Hash([]string{"w"}); err != nil {
		t.Fatal(err)
	}
	l.Release()
	next := b.root.nextIndex
	b.root.Clear(b)
	b.end()
	if columns, arrangements, bytes := b.root.Held(); columns+arrangements+bytes != 0 || b.root.Len() != 0 || len(b.carried) != 0 {
		t.Errorf("%d columns, %d arrangements, %d bytes are left", columns, arrangements, bytes)
	}
	if b.dict.Live() != 1 || b.root.nextIndex != next {
		t.Errorf("%d texts live, the next column is %d", b.dict.Live(), b.root.nextIndex)
	}
	*b = bench{t: t, root: b.root, dict: b.dict, texts: b.texts, textIDs: b.textIDs, free: b.free, keyIDs: map[any]uint32{}}
	b.root.shell = b
	if got := b.told(b.do(ins("a", v(1)))); got != "a - 1" {
		t.Errorf("afterwards told %q", got)
	}
	b.root.Drop()
	b.end()
	if b.dict.Live() != 0 {
		t.Error("the name outlives the collection")
	}
}
