package includes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

// counts joins each team with what its people come to.
func counts(how query.JoinType, of []*query.Expr, having ...*query.Expr) query.Plan {
	people := unlimited(query.Plan{
		From: from("p", 1), Where: of, Grouped: true, GroupBy: []*query.Expr{query.Ref("p", "g")}, HasSelect: true, Having: having,
		Select: []query.Entry{entry("n", agg("count", "p", "v")), entry("g", query.Ref("p", "g")), entry("least", agg("min", "p", "v")), entry("sum", agg("sum", "p", "v"))},
	})
	return query.Plan{
		From:  from("t", 2),
		Joins: []query.Join{{From: &query.From{Kind: query.FromPlan, Alias: "c", Plan: people}, Type: how, Left: query.Ref("c", "g"), Right: query.Ref("t", "id")}},
	}
}

func TestLookup_FoldsTheGroupsAskedFor(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t)
		s.root(1)
		s.root(2)
		people, teams := map[uint32]row{}, map[uint32]row{}
		write := func(col uint32, have, rows map[uint32]row) {
			for k, r := range rows {
				if delete(have, k); r != nil {
					have[k] = r
				}
			}
			s.sync(col, rows)
		}
		person := func() row {
			r := row{"v": rapid.IntRange(0, 9).Draw(rt, "v"), "w": rapid.IntRange(0, 1).Draw(rt, "w")}
			if g := rapid.IntRange(19, 24).Draw(rt, "g"); g > 19 {
				r["g"] = g
			}
			return r
		}
		s.ready(1)
		s.ready(2)
		first := map[uint32]row{}
		for k := range uint32(rapid.IntRange(0, 12).Draw(rt, "people")) {
			first[k+1] = person()
		}
		write(1, people, first)
		write(2, teams, map[uint32]row{20: {"id": 20, "n": 1}, 21: {"id": 21, "n": 0}})
		how := rapid.SampledFrom([]query.JoinType{query.JoinInner, query.JoinLeft}).Draw(rt, "how")
		part, many := rapid.Bool().Draw(rt, "part"), rapid.Bool().Draw(rt, "many")
		ordered, limit := rapid.Bool().Draw(rt, "ordered"), rapid.IntRange(0, 3).Draw(rt, "limit")
		var of, having []*query.Expr
		if part {
			of = []*query.Expr{query.Call(query.FnEq, query.Ref("p", "w"), query.Const(s.cell(1)))}
		}
		if many {
			having = []*query.Expr{query.Call(query.FnGt, agg("count", "p", "v"), query.Const(s.cell(1)))}
		}
		p := counts(how, of, having...)
		if ordered {
			p.Order = []query.Term{{Expr: query.Ref("t", "n"), Term: value.Term{Desc: true}}}
			p.Bounded, p.Limit = true, uint32(limit)
			s.ordered[3] = true
		}
		if got := s.plan(3, unlimited(p)); s.e.lives[3] == nil {
			rt.Fatal(got)
		}
		if names := s.nodeNames(3); !strings.Contains(names, "group asked for") {
			rt.Fatalf("all groups are folded: %s", names)
		}
		for range rapid.IntRange(1, 8).Draw(rt, "commits") {
			rows := map[uint32]row{}
			if rapid.IntRange(0, 2).Draw(rt, "of") > 0 {
				for range rapid.IntRange(1, 3).Draw(rt, "writes") {
					k := uint32(rapid.IntRange(1, 12).Draw(rt, "key"))
					if _, there := people[k]; there && rapid.IntRange(0, 2).Draw(rt, "delete") == 0 {
						rows[k] = nil
					} else {
						rows[k] = person()
					}
				}
				write(1, people, rows)
			} else {
				k := uint32(rapid.IntRange(20, 24).Draw(rt, "team"))
				if _, there := teams[k]; there && rapid.Bool().Draw(rt, "delete") {
					rows[k] = nil
				} else {
					rows[k] = row{"id": int(k), "n": rapid.IntRange(0, 1).Draw(rt, "n")}
				}
				write(2, teams, rows)
			}
			type shown struct {
				key, n int
				text   string
			}
			var want []shown
			for k, r := range teams {
				n, sum, least := 0, 0, 99
				for _, x := range people {
					if x["g"] == int(k) && (!part || x["w"] == 1) {
						n, sum, least = n+1, sum+x["v"].(int), min(least, x["v"].(int))
					}
				}
				text := "undefined,undefined,undefined,undefined,undefined"
				if n > 1 || n == 1 && !many {
					text = fmt.Sprintf("%d,%d,%d,%d,%d", k, n, k, least, sum)
				} else if how == query.JoinInner {
					continue
				}
				want = append(want, shown{int(k), r["n"].(int), text})
			}
			slices.SortFunc(want, func(a, b shown) int {
				if c := b.n - a.n; ordered && c != 0 {
					return c
				}
				return cmp.Compare(a.key, b.key)
			})
			if ordered {
				want = want[:min(limit, len(want))]
			}
			var texts []string
			for _, w := range want {
				texts = append(texts, w.text)
			}
			var got []string
			for _, told := range strings.Fields(s.tellAll(3)) {
				_, values, _ := strings.Cut(told, ",")
				got = append(got, values)
			}
			if fmt.Sprint(got) != fmt.Sprint(texts) {
				rt.Fatalf("\n got %s\nwant %s", got, texts)
			}
			s.shown(3)
		}
		s.nothingLeft(3)
	})
}

// Of a hundred groups the window folds those it shows, and what the others do
// costs nothing.
func TestLookup_FoldsNoOtherGroups(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.root(2)
	people, teams := map[uint32]row{}, map[uint32]row{}
	for i := range uint32(100) {
		teams[i] = row{"id": int(i), "n": int(i)}
		for j := range uint32(10) {
			people[10*i+j] = row{"g": int(i), "v": 1}
		}
	}
	s.sync(1, people)
	s.sync(2, teams)
	s.ready(1)
	s.ready(2)
	p := counts(query.JoinLeft, nil)
	p.Order = []query.Term{{Expr: query.Ref("t", "n")}}
	p.Bounded, p.Limit = true, 5
	s.ordered[3] = true
	s.plan(3, &p)
	folded := func() int {
		for _, n := range s.e.graph.Explain(s.e.lives[3].output) {
			if n.Name == "group asked for" {
				return n.Retained
			}
		}
		return -1
	}
	if n := folded(); n < 5 || n > 200 { // of 1,100, min keeping its rows
		t.Errorf("%d rows are kept of the groups of a window of five", n)
	}
	before := s.e.Stats()
	s.want("a change elsewhere", s.sync(1, map[uint32]row{999: {"g": 98, "v": 7}}), "install 1 [~999]")
	if after := s.e.Stats(); after.Scanned != before.Scanned || after.Retained != before.Retained {
		t.Errorf("it scanned %d rows and keeps %d more", after.Scanned-before.Scanned, after.Retained-before.Retained)
	}
	s.want("a change here", s.sync(1, map[uint32]row{0: {"g": 1, "v": 3}}), "install 1 [~0]; install 3 [~0 ~1] (#0,0,9,0,1,9 #1,1,11,1,1,13); layout 3")
	s.nothingLeft(3)
}
