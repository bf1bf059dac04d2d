package includes

import (
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
)

func call(fn query.Fn, args ...*query.Expr) *query.Expr { return query.Call(fn, args...) }

func TestUnion_OfSources(t *testing.T) {
	s := tables(t)
	p := unlimited(query.Plan{
		From:  &query.From{Kind: query.FromSources, Members: []*query.From{from("p", 1), from("t", 2)}},
		Where: []*query.Expr{call(query.FnOr, call(query.FnGt, query.Ref("p", "v"), query.Const(s.cell(3))), call(query.FnEq, query.Ref("t", "n"), query.Const(s.cell("b"))))},
	})
	s.want("start", s.plan(3, p), "rows 3 [0 1 3 5] (#0,none #1,none #3,none none,#1); status 3 0>1; status 3 1>2")
	s.want("change", s.sync(2, map[uint32]row{21: nil, 22: {"id": 12, "n": "b"}}), "install 2 [-21 ~22]; install 3 [-5 +6] (none,#3)")
	s.shown(3)
	s.nothingLeft(3)
}

func TestUnion_OfResultsUnderAJoin(t *testing.T) {
	s := tables(t)
	branch := func(col uint32, field string, where ...*query.Expr) *query.Plan {
		return unlimited(query.Plan{From: from("r", col), Where: where, HasSelect: true, Select: []query.Entry{entry("team", query.Ref("r", field)), entry("known", call(query.FnNot, call(query.FnIsUndefined, query.Ref("r", field))))}})
	}
	p := unlimited(query.Plan{
		From:  &query.From{Kind: query.FromResults, Branches: []*query.Plan{branch(1, "g"), branch(2, "id")}},
		Where: []*query.Expr{query.Ref("known")},
		Order: []query.Term{{Expr: query.Ref("team")}},
	})
	s.ordered[3] = true
	s.want("start", s.plan(3, p), "rows 3 [0 2 4 1 5 6] (#0,none,0,true,undefined #2,none,0,true,undefined none,#0,1,undefined,true #1,none,0,true,undefined none,#1,1,undefined,true none,#2,1,undefined,true); status 3 0>1; status 3 1>2")
	s.subscribe(3, 9, collection.All)
	s.sync(1, map[uint32]row{1: {"g": 12, "v": 5}, 3: nil})
	s.want("shown", s.shown(3), "4 1 5 0 6")
	s.do(func() error { return s.e.Unsubscribe(3, 9) })
	s.nothingLeft(3)
}

func TestDistinct_ByValue(t *testing.T) {
	s := tables(t)
	p := unlimited(query.Plan{From: from("p", 1), HasSelect: true, Distinct: true, Select: []query.Entry{entry("team", query.Ref("p", "g"))}})
	s.want("start", s.plan(3, p), "rows 3 [0 1 2] (10 11 undefined); status 3 0>1; status 3 1>2")
	s.want("no change", s.sync(1, map[uint32]row{1: {"g": 11}}), "install 1 [~1]")
	s.want("change", s.sync(1, map[uint32]row{3: {"g": "x"}}), "install 1 [~3]; install 3 [-0 +3] (x)")
	s.want("by key", s.shown(3), "3 1 2")
	over := unlimited(query.Plan{From: from("d", 3), Where: []*query.Expr{call(query.FnGt, query.Ref("d", "team"), query.Const(s.cell(3)))}})
	s.want("over it", s.plan(4, over), "rows 4 [1]; status 4 0>1; status 4 1>2")
	s.want("follows", s.sync(1, map[uint32]row{3: {"g": 7}, 4: {"g": 8}}), "install 1 [~3 ~4]; install 3 [+0 -2 -3 +4] (7 8); install 4 [+0 +4]")
	s.shown(4)
	s.nothingLeft(4, 3)
}

func TestFind_OverAJoin(t *testing.T) {
	s := tables(t)
	p := unlimited(query.Plan{From: from("p", 1), Joins: []query.Join{joined(query.JoinInner, "t", 2, query.Ref("p", "g"), query.Ref("t", "id"))}})
	s.plan(3, p)
	q := query.Query{Where: []*query.Expr{call(query.FnGt, query.Ref("p", "v"), query.Const(s.cell(3)))}, Order: []query.Term{{Expr: query.Ref("t", "n")}}, Limit: 1, Bounded: true, Offset: 1}
	s.want("found", s.do(func() error { return s.e.Find(3, &q) }), "found 3 [1]")
	where := []*query.Expr{call(query.FnEq, query.Ref("t", "n"), query.Const(s.cell("a")))}
	s.want("subscribed", s.do(func() error { return s.e.Subscribe(3, 9, collection.Initial, where) }), "emit 3/9 [+0 +2]")
	s.want("crossing", s.sync(2, map[uint32]row{20: {"id": 10, "n": "z"}, 21: {"id": 11, "n": "a"}}),
		"install 2 [~20 ~21]; install 3 [~0 ~1 ~2] (#0,#3 #1,#4 #2,#3); emit 3/9 [-0 +1 -2]")
	s.do(func() error { return s.e.Unsubscribe(3, 9) })
	s.nothingLeft(3)
}
