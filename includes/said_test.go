package includes

import (
	"errors"
	"strconv"
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

func pull(id uint32) *query.Expr { return &query.Expr{Op: query.OpPull, Of: id} }

// field is a callback that says the value of a field of the first slot's row of
// a root.
func (s *stage) field(col uint32, say func(row row) any) func([]uint32, []value.Cell) any {
	return func(slots []uint32, _ []value.Cell) any { return say(s.rows[col][slots[0]]) }
}

func TestCallback_AsACondition(t *testing.T) {
	s := tables(t)
	flips := 0
	s.says[7] = s.field(1, func(r row) any {
		flips++
		return r["v"].(int) > 3 && flips <= 5
	})
	p := unlimited(query.Plan{From: from("p", 1), Where: []*query.Expr{pull(7)}})
	s.want("start", s.plan(3, p), "rows 3 [1 2 4]; status 3 0>1; status 3 1>2")
	s.want("changes", s.sync(1, map[uint32]row{2: {"g": 11, "v": 1}, 3: {"g": 10, "v": 8}}), "install 1 [~2 ~3]; install 3 [-2]")
	s.want("asked once a row", strconv.Itoa(s.asked), "6")
	s.want("leaves as it came", s.sync(1, map[uint32]row{1: nil}), "install 1 [-1]; install 3 [-1]")
	s.want("asked no more", strconv.Itoa(s.asked), "6")
	s.nothingLeft(3)
}

func TestCallback_MakesRows(t *testing.T) {
	s := tables(t)
	s.says[7] = func(slots []uint32, _ []value.Cell) any {
		r := s.rows[1][slots[0]]
		team, _ := s.rows[2][slots[1]]["n"].(string)
		return map[string]any{"team": team, "v": r["v"]}
	}
	inner := unlimited(query.Plan{
		From: from("p", 1), SelectFn: pull(7),
		Joins: []query.Join{joined(query.JoinInner, "t", 2, query.Ref("p", "g"), query.Ref("t", "id"))},
	})
	p := &query.Plan{
		From:  &query.From{Kind: query.FromPlan, Alias: "q", Plan: inner},
		Where: []*query.Expr{call(query.FnGt, query.Ref("q", "v"), query.Const(s.cell(3)))},
		Order: []query.Term{{Expr: query.Ref("q", "team"), Term: value.Term{Desc: true}}}, Bounded: true, Limit: 5,
	}
	s.ordered[3] = true
	s.want("start", s.plan(3, p), "rows 3 [1 0] (#1,#1 #0,#0); status 3 0>1; status 3 1>2")
	s.sync(1, map[uint32]row{1: {"g": 11, "v": 7}, 3: {"g": 10, "v": 6}})
	s.sync(2, map[uint32]row{20: {"id": 10, "n": "z"}})
	s.shown(3)
	over := unlimited(query.Plan{From: from("l", 3), Where: []*query.Expr{call(query.FnEq, query.Ref("l", "$key"), query.Const(s.cell("key")))}})
	s.says[1003] = func(slots []uint32, _ []value.Cell) any {
		if slots[0] == 4 {
			return map[string]any{"$key": "key"}
		}
		return map[string]any{"$key": "other"}
	}
	s.want("by key", s.plan(4, over), "rows 4 [3]; status 4 0>1; status 4 1>2")
	s.shown(4)
	s.nothingLeft(4, 3)
}

func TestCallback_ThatFails(t *testing.T) {
	s := tables(t)
	s.says[7] = s.field(1, func(r row) any {
		if r["v"] == 4 {
			return errors.New("bad")
		}
		return true
	})
	p := unlimited(query.Plan{From: from("p", 1), Where: []*query.Expr{pull(7)}})
	s.want("start", s.plan(3, p), "error d2: filter 4 failed on 4 differences: bad")
	s.sync(1, map[uint32]row{2: nil})
	s.want("start", s.plan(3, p), "rows 3 [1 3 4]; status 3 0>1; status 3 1>2")
	s.plan(4, unlimited(query.Plan{From: from("p", 1)}))
	s.want("later", s.sync(1, map[uint32]row{5: {"v": 4}}), "install 1 [+5]; install 4 [+5]; status 3 2>3 because")
	s.want("others go on", s.sync(1, map[uint32]row{6: {"v": 2}}), "install 1 [+6]; install 4 [+6]")
	s.nothingLeft(3, 4)
}

func TestCallback_InHaving(t *testing.T) {
	s := tables(t)
	s.says[7] = func(slots []uint32, cells []value.Cell) any { return cells[1].Val > 5 }
	p := unlimited(query.Plan{
		From: from("p", 1), GroupBy: []*query.Expr{query.Ref("p", "g")}, Grouped: true, HasSelect: true,
		Select: []query.Entry{entry("sum", agg("sum", "p", "v"))}, Having: []*query.Expr{pull(7)},
	})
	s.want("groups", s.partsOf(s.plan(3, p)), "(10,8 undefined,9)")
	s.says[8] = func(slots []uint32, cells []value.Cell) any { return int(cells[0].Val) - 5 }
	q := unlimited(query.Plan{
		From: from("p", 1), HasSelect: true, Select: []query.Entry{entry("v", call(query.FnAdd, query.Ref("p", "v"), query.Const(s.cell(1))))},
		Having: []*query.Expr{pull(8)},
	})
	s.want("rows", s.partsOf(s.plan(4, q)), "(6 4 10)")
	s.sync(1, map[uint32]row{2: {"g": 10, "v": 1}, 3: nil})
	s.shown(3)
	s.shown(4)
	s.nothingLeft(4, 3)
}

func TestFunction_OfTextsAsAKey(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.root(2)
	s.sync(1, map[uint32]row{1: {"n": "a"}, 2: {"n": "b"}, 3: {"n": "c"}})
	s.sync(2, map[uint32]row{1: {"up": "A"}, 2: {"up": "B"}})
	s.ready(1)
	s.ready(2)
	p := unlimited(query.Plan{
		From: from("p", 1), Joins: []query.Join{joined(query.JoinInner, "q", 2, call(query.FnUpper, query.Ref("p", "n")), query.Ref("q", "up"))},
		Order: []query.Term{{Expr: call(query.FnUpper, query.Ref("p", "n")), Term: value.Term{Desc: true}}},
	})
	s.ordered[3] = true
	s.want("start", s.partsOf(s.plan(3, p)), "(#1,#1 #0,#0)")
	s.sync(2, map[uint32]row{3: {"up": "C"}, 1: nil})
	s.sync(1, map[uint32]row{2: {"n": "a"}, 4: {"n": "b"}})
	s.want("then", s.shown(3), "2 0")
	s.nothingLeft(3)
}

func TestRows_ThatLookTheSameAreNotTold(t *testing.T) {
	s := tables(t)
	s.shows = func(a, b uint32) bool { return s.rows[1][a]["v"] == s.rows[1][b]["v"] }
	p := unlimited(query.Plan{
		From: from("p", 1), HasSelect: true, Select: []query.Entry{entry("v", query.Ref("p", "v"))},
		Joins: []query.Join{joined(query.JoinLeft, "t", 2, query.Ref("p", "g"), query.Ref("t", "n"))},
	})
	s.plan(3, p)
	s.subscribe(3, 9, collection.All)
	s.want("hidden", s.sync(1, map[uint32]row{1: {"g": 12, "v": 5}}), "install 1 [~1]; rebind 3 [~0] (#4,none)")
	s.want("shown", s.sync(1, map[uint32]row{1: {"g": 12, "v": 6}}), "install 1 [~1]; install 3 [~0] (#5,none); emit 3/9 install")
	s.do(func() error { return s.e.Unsubscribe(3, 9) })
	s.nothingLeft(3)
}

func TestCallback_IsNotAnothers(t *testing.T) {
	s := tables(t)
	s.says[7] = s.field(1, func(r row) any { return r["v"].(int) > 4 })
	s.says[8] = s.field(1, func(r row) any { return r["v"].(int) < 4 })
	s.says[9] = s.field(1, func(r row) any { return map[string]any{"x": r["v"]} })
	s.says[10] = s.field(1, func(r row) any { return map[string]any{"x": r["g"]} })
	made := func(fn uint32) *query.Plan {
		inner := unlimited(query.Plan{From: from("p", 1), SelectFn: pull(fn)})
		f := &query.From{Kind: query.FromPlan, Alias: "q", Plan: inner}
		return unlimited(query.Plan{From: f, Joins: []query.Join{joined(query.JoinInner, "t", 2, query.Ref("q", "x"), query.Ref("t", "id"))}})
	}
	s.plan(3, unlimited(query.Plan{From: from("p", 1), Where: []*query.Expr{pull(7)}}))
	s.plan(4, unlimited(query.Plan{From: from("p", 1), Where: []*query.Expr{pull(8)}}))
	s.plan(5, made(9))
	s.plan(6, made(10))
	s.want("each its own", s.shown(3)+"|"+s.shown(4)+"|"+s.shown(5)+"|"+s.shown(6), "1 4|3||0 1 2")
	upper := func(col uint32) {
		s.plan(col, unlimited(query.Plan{From: from("t", 2), Joins: []query.Join{joined(query.JoinInner, "u", 2, call(query.FnUpper, query.Ref("t", "n")), call(query.FnUpper, query.Ref("u", "n")))}}))
	}
	upper(7)
	upper(8)
	s.cleanup(7)
	s.sync(2, map[uint32]row{20: {"id": 10, "n": "B"}, 23: {"id": 13, "n": "C"}})
	s.want("alone", strconv.Itoa(len(s.shown(8))), "15")
	s.nothingLeft(3, 4, 5, 6, 8)
}
