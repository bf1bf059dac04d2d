package includes

import (
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
)

// from is a collection as a source.
func from(alias string, col uint32) *query.From { return &query.From{Alias: alias, Col: col} }

func joined(how query.JoinType, alias string, col uint32, left, right *query.Expr) query.Join {
	return query.Join{From: from(alias, col), Type: how, Left: left, Right: right}
}

func unlimited(p query.Plan) *query.Plan {
	if !p.Bounded {
		p.Limit = query.Unlimited
	}
	return &p
}

// tables is two ready roots: people 1 with a team g, and teams 2.
func tables(t *testing.T) *stage {
	s := newStage(t)
	s.root(1)
	s.root(2)
	s.sync(1, map[uint32]row{1: {"g": 10, "v": 5}, 2: {"g": 11, "v": 4}, 3: {"g": 10, "v": 3}, 4: {"v": 9}})
	s.sync(2, map[uint32]row{20: {"id": 10, "n": "a"}, 21: {"id": 11, "n": "b"}, 22: {"id": 12, "n": "c"}})
	s.ready(1)
	s.ready(2)
	return s
}

func TestJoin_OfEveryType(t *testing.T) {
	for how, want := range map[query.JoinType]string{
		query.JoinInner: "(#0,#0 #1,#1 #2,#0)",
		query.JoinLeft:  "(#0,#0 #1,#1 #2,#0 #3,none)",
		query.JoinRight: "(#0,#0 #1,#1 #2,#0 none,#2)",
		query.JoinFull:  "(#0,#0 #1,#1 #2,#0 #3,none none,#2)",
	} {
		s := tables(t)
		p := unlimited(query.Plan{From: from("p", 1), Joins: []query.Join{joined(how, "t", 2, query.Ref("p", "g"), query.Ref("t", "id"))}})
		got := s.plan(3, p)
		if s.partsOf(got) != want {
			t.Errorf("%d: got %s, want %s", how, got, want)
		}
		s.subscribe(3, 9, collection.All)
		s.shown(3)
		s.sync(1, map[uint32]row{1: nil, 4: {"g": 12}, 2: {"g": 12, "v": 1}})
		s.shown(3)
		s.sync(2, map[uint32]row{20: nil, 21: {"id": 10, "n": "x"}, 25: {"id": 12, "n": "y"}})
		s.shown(3)
		s.do(func() error { return s.e.Unsubscribe(3, 9) })
		s.nothingLeft(3)
	}
}

func agg(name string, of ...string) *query.Expr {
	return &query.Expr{Op: query.OpAgg, Name: name, Args: []*query.Expr{query.Ref(of...)}}
}

func entry(name string, e *query.Expr) query.Entry {
	return query.Entry{Path: []string{name}, Expr: e}
}

func TestJoin_OnOneSourceTwiceThroughASubquery(t *testing.T) {
	s := tables(t)
	old := unlimited(query.Plan{
		From: from("q", 1), Where: []*query.Expr{query.Call(query.FnGt, query.Ref("q", "v"), query.Const(s.cell(3)))}, HasSelect: true,
		Select: []query.Entry{entry("team", query.Ref("q", "g")), entry("odd", query.Call(query.FnIsUndefined, query.Ref("q", "g")))},
	})
	p := unlimited(query.Plan{
		From:  from("p", 1),
		Joins: []query.Join{{From: &query.From{Kind: query.FromPlan, Alias: "o", Plan: old}, Type: query.JoinLeft, Left: query.Ref("o", "team"), Right: query.Ref("p", "g")}},
		Order: []query.Term{{Expr: query.Ref("o", "team")}, {Expr: query.Ref("p", "v")}},
	})
	s.ordered[3] = true
	s.want("start", s.plan(3, p), "rows 3 [6 1 0 2] (#3,none,undefined #2,#0,false #0,#0,false #1,#1,false); status 3 0>1; status 3 1>2")
	s.want("change", s.sync(1, map[uint32]row{1: {"g": 11, "v": 5}}),
		"install 1 [~1]; install 3 [-1 ~0 +4 +8 +7] (#4,#4,false #2,none,undefined #1,#4,false #4,#1,false); layout 3")
	s.shown(3)
	s.nothingLeft(3)
}

func TestGroup_OverAJoin(t *testing.T) {
	s := tables(t)
	p := unlimited(query.Plan{
		From:    from("p", 1),
		Joins:   []query.Join{joined(query.JoinInner, "t", 2, query.Ref("t", "id"), query.Ref("p", "g"))},
		Grouped: true, GroupBy: []*query.Expr{query.Ref("t", "n")}, HasSelect: true,
		Select: []query.Entry{
			entry("team", query.Ref("t", "n")), entry("n", agg("count", "p", "v")), entry("sum", agg("sum", "p", "v")),
			entry("avg", agg("avg", "p", "v")), entry("min", agg("min", "p", "v")), entry("max", agg("max", "p", "v")),
		},
		Having: []*query.Expr{query.Call(query.FnGt, agg("sum", "p", "v"), query.Const(s.cell(3)))},
		Order:  []query.Term{{Expr: query.Ref("$selected", "sum")}},
	})
	s.ordered[3] = true
	s.want("start", s.plan(3, p), "rows 3 [1 0] (b,b,1,4,4,4,4 a,a,2,8,4,3,5); status 3 0>1; status 3 1>2")
	s.subscribe(3, 9, collection.All)
	s.want("change", s.sync(1, map[uint32]row{1: {"g": 11, "v": 5}}), "install 1 [~1]; install 3 [-0 ~1] (b,b,2,9,4.5,4,5); layout 3; emit 3/9 install")
	s.shown(3)
	s.want("and back", s.sync(1, map[uint32]row{1: {"g": 10}, 2: nil}), "install 1 [~1 -2]; install 3 [-1]; layout 3; emit 3/9 install")
	s.shown(3)
	s.want("over it", s.plan(4, unlimited(query.Plan{From: from("x", 3), HasSelect: true, Select: []query.Entry{entry("m", agg("max", "x", "sum"))}})), "rows 4 []; status 4 0>1; status 4 1>2")
	s.want("new", s.sync(1, map[uint32]row{1: {"g": 10, "v": 7}, 2: {"g": 11, "v": 4}}),
		"install 1 [~1 +2]; install 3 [+1 +0] (b,b,1,4,4,4,4 a,a,2,10,5,3,7); layout 3; install 4 [+0] (10); emit 3/9 install")
	s.want("content", s.shown(3)+"|"+s.shown(4), "1 0|0")
	s.do(func() error { return s.e.Unsubscribe(3, 9) })
	s.nothingLeft(4, 3)
}
