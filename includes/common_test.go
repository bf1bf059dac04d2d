package includes

import (
	"fmt"
	"strings"
	"testing"

	"millrace.dev/millrace/collection/query"
)

// Queries that say the same are computed once, and each goes on when others end.
func TestCommon_NodesServeAllQueries(t *testing.T) {
	inner := func() query.Plan {
		return query.Plan{
			From: from("p", 1), Where: []*query.Expr{query.Call(query.FnEq, query.Ref("p", "w"), query.Const(query.Ref().Cell))},
			Joins: []query.Join{joined(query.JoinLeft, "t", 2, query.Ref("p", "g"), query.Ref("t", "n"))},
		}
	}
	for name, make := range map[string]func(s *stage) *query.Plan{
		"join": func(s *stage) *query.Plan {
			p := inner()
			p.Where[0].Args[1] = query.Const(s.cell(1))
			return unlimited(p)
		},
		"group over a subquery": func(s *stage) *query.Plan {
			p := inner()
			p.Where = []*query.Expr{query.Call(query.FnGt, query.Ref("t", "id"), query.Ref("p", "v"))}
			p.HasSelect, p.Select = true, []query.Entry{entry("k", query.Ref("t", "n")), entry("x", query.Ref("p", "v"))}
			return unlimited(query.Plan{
				From: &query.From{Kind: query.FromPlan, Alias: "q", Plan: unlimited(p)}, Grouped: true, GroupBy: []*query.Expr{query.Ref("q", "k")}, HasSelect: true,
				Select: []query.Entry{entry("k", query.Ref("q", "k")), entry("n", agg("count", "q", "x")), entry("sum", agg("sum", "q", "x"))},
			})
		},
		"union and distinct": func(s *stage) *query.Plan {
			one := unlimited(query.Plan{From: from("p", 1), HasSelect: true, Select: []query.Entry{entry("x", query.Ref("p", "g"))}})
			two := unlimited(query.Plan{From: from("t", 2), HasSelect: true, Select: []query.Entry{entry("x", query.Ref("t", "n"))}})
			both := unlimited(query.Plan{From: &query.From{Kind: query.FromResults, Branches: []*query.Plan{one, two}}})
			return unlimited(query.Plan{From: &query.From{Kind: query.FromPlan, Alias: "u", Plan: both}, HasSelect: true, Distinct: true, Select: []query.Entry{entry("x", query.Ref("u", "x"))}})
		},
		"antijoin": func(s *stage) *query.Plan {
			sub := unlimited(query.Plan{From: from("q", 2), Where: []*query.Expr{query.Call(query.FnEq, query.Ref("q", "n"), query.Call(query.FnAdd, query.Ref("p", "g"), query.Const(s.cell(1))))}})
			return unlimited(query.Plan{From: from("p", 1), Where: []*query.Expr{{Op: query.OpExists, Negated: true, Sub: sub}}})
		},
	} {
		s := newStage(t)
		s.root(1)
		s.root(2)
		s.sync(1, map[uint32]row{1: {"g": 1, "v": 1, "w": 1}, 2: {"g": 1, "v": 2, "w": 1}, 3: {"g": 2, "v": 3}})
		s.sync(2, map[uint32]row{1: {"id": 5, "n": 1}, 2: {"id": 2, "n": 1}, 3: {"id": 9, "n": 2}})
		s.ready(1)
		s.ready(2)
		one := s.plan(3, make(s))
		before := s.e.Stats()
		for col := uint32(4); col < 7; col++ {
			s.want(name+" mounted again", strings.ReplaceAll(s.plan(col, make(s)), fmt.Sprint(" ", col, " "), " 3 "), one)
		}
		after := s.e.Stats()
		if after.Nodes > before.Nodes+6 || after.Retained != before.Retained {
			t.Errorf("%s: %d more nodes and %d more rows are kept for the same query thrice more", name, after.Nodes-before.Nodes, after.Retained-before.Retained)
		}
		check := func(lives ...uint32) {
			for _, l := range lives {
				s.shown(l)
				s.want(name, s.told(l), s.told(lives[0]))
			}
		}
		s.sync(1, map[uint32]row{1: nil, 3: {"g": 1, "v": 7, "w": 1}, 4: {"g": 3, "v": 8, "w": 1}})
		check(3, 4, 5, 6)
		s.cleanup(3)
		s.sync(2, map[uint32]row{2: {"id": 12, "n": 3}, 4: {"id": 9, "n": 4}})
		check(4, 5, 6)
		s.cleanup(5)
		s.plan(7, make(s))
		s.sync(1, map[uint32]row{2: {"g": 4, "v": 1, "w": 1}})
		check(4, 6, 7)
		s.nothingLeft(7, 6, 4)
	}
}
