package includes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/query"
)

// tree is a recursion over root 1, whose rows have an id and a parent p: from
// those without a parent down.
func tree(depth string, limit uint32, base, step []query.Entry) *query.From {
	return &query.From{
		Kind: query.FromRecursion, Alias: "all", MaxDepth: limit, DepthField: depth,
		Plan: unlimited(query.Plan{From: from("n", 1), Where: []*query.Expr{query.Call(query.FnIsUndefined, query.Ref("n", "p"))}, HasSelect: base != nil, Select: base}),
		Step: unlimited(query.Plan{
			From: from("c", 1), HasSelect: step != nil, Select: step,
			Joins: []query.Join{{From: &query.From{Kind: query.FromSelf, Alias: "s"}, Left: query.Ref("c", "p"), Right: query.Ref("s", "id")}},
		}),
	}
}

func spread(alias string) []query.Entry {
	return []query.Entry{{Spread: true, Expr: query.Ref(alias)}}
}

// told lists the rows of a live collection by what they are made of.
func (s *stage) told(col uint32) string {
	s.t.Helper()
	var out []string
	s.do(func() error {
		b := s.e.lives[col].built
		rows, err := b.unordered(nil)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, row := range rows {
			p, err := b.show([]uint32{row})
			if err != nil {
				s.t.Fatal(err)
			}
			out = append(out, strings.Trim(s.parts(p), " ()"))
		}
		return nil
	})
	return strings.Join(out, " ")
}

func TestRecursion_OfWholeRowsWithDepth(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: {"id": 1}, 2: {"id": 2, "p": 1}, 3: {"id": 3, "p": 2}, 4: {"id": 4, "p": 9}})
	s.ready(1)
	s.plan(3, unlimited(query.Plan{From: tree("depth", query.Unlimited, nil, spread("c"))}))
	s.want("start", s.told(3), "#0,0 #1,1 #2,2")
	s.want("a new row and one that moves up", s.sync(1, map[uint32]row{3: {"id": 3, "p": 1}, 9: {"id": 9, "p": 3}}),
		"install 1 [~3 +9]; install 3 [~2 +3 +4] (#4,1 #5,2 #3,3)")
	s.want("then", s.told(3), "#0,0 #1,1 #4,1 #3,3 #5,2")
	s.shown(3)
	s.want("deeper", s.sync(1, map[uint32]row{3: {"id": 3, "p": 2}}), "install 1 [~3]; install 3 [~2 ~3 ~4] (#6,2 #5,3 #3,4)")
	s.want("a circle leaves", s.sync(1, map[uint32]row{2: {"id": 2, "p": 4}}), "install 1 [~2]; install 3 [-1 -2 -3 -4]")
	s.shown(3)
	s.want("what is left", s.told(3), "#0,0")
	s.nothingLeft(3)
}

func TestRecursion_OfValues(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: {"id": 1, "v": 1}, 2: {"id": 2, "p": 1, "v": 3}, 3: {"id": 3, "p": 2, "v": 2}})
	s.ready(1)
	sum := query.Call(query.FnAdd, query.Ref("c", "v"), query.Ref("s", "sum"))
	s.plan(3, unlimited(query.Plan{
		From: tree("", 1, []query.Entry{entry("id", query.Ref("n", "id")), entry("sum", query.Ref("n", "v"))}, []query.Entry{entry("id", query.Ref("c", "id")), entry("sum", sum)}),
	}))
	s.want("no deeper than one", s.told(3), "1,1 2,4")
	s.plan(4, unlimited(query.Plan{
		From: tree("", query.Unlimited,
			[]query.Entry{{Spread: true, Expr: query.Ref("n")}, entry("sum", query.Ref("n", "v"))}, []query.Entry{{Spread: true, Expr: query.Ref("c")}, entry("sum", sum)}),
		Order: []query.Term{{Expr: query.Ref("all", "sum")}},
	}))
	s.ordered[4] = true
	s.want("rows and values", s.told(4), "#0,1 #1,4 #2,6")
	s.sync(1, map[uint32]row{1: {"id": 1, "v": 5}})
	s.want("changed", s.told(3)+"|"+s.told(4), "1,5 2,8|#3,5 #1,8 #2,10")
	s.shown(4)
	s.nothingLeft(3, 4)
}

func TestRecursion_IsRefused(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: {"id": 1, "v": 1}})
	s.ready(1)
	self := &query.From{Kind: query.FromSelf, Alias: "s"}
	with := func(step query.Plan) *query.Plan {
		f := tree("", query.Unlimited, []query.Entry{entry("id", query.Ref("n", "id"))}, nil)
		f.Step = unlimited(step)
		return unlimited(query.Plan{From: f})
	}
	id := []query.Entry{entry("id", query.Ref("s", "id"))}
	for what, p := range map[string]*query.Plan{
		"groups":            with(query.Plan{From: self, Grouped: true, GroupBy: []*query.Expr{query.Ref("s", "id")}, HasSelect: true, Select: id}),
		"a limit":           with(query.Plan{From: self, Order: []query.Term{{Expr: query.Ref("s", "id")}}, Bounded: true, Limit: 1}),
		"an outer join":     with(query.Plan{From: from("c", 1), Joins: []query.Join{{From: self, Type: query.JoinLeft, Left: query.Ref("c", "p"), Right: query.Ref("s", "id")}}, HasSelect: true, Select: id}),
		"a row for a value": with(query.Plan{From: from("c", 1), Joins: []query.Join{{From: self, Left: query.Ref("c", "p"), Right: query.Ref("s", "id")}}, HasSelect: true, Select: []query.Entry{entry("id", query.Ref("c"))}}),
		"no recursion":      unlimited(query.Plan{From: self}),
	} {
		s.want(what, s.plan(3, p), "fault 19")
	}
	s.want("one without end", s.plan(3, with(query.Plan{
		From: self, HasSelect: true, Select: []query.Entry{entry("id", query.Call(query.FnAdd, query.Ref("s", "id"), query.Const(s.cell(1))))},
	})), "fault 19")
	s.want("others go on", s.plan(4, unlimited(query.Plan{From: from("x", 1)})), "rows 4 [1]; status 4 0>1; status 4 1>2")
}

// A recursion over any history holds what can be reached, each with the least
// number of steps.
func TestRecursion_HoldsWhatIsReached(t *testing.T) {
	type edge struct{ from, to int }
	entries := func(alias string, of *query.Expr) []query.Entry {
		return []query.Entry{entry("at", of), entry("const", query.Const(query.Const(query.Ref().Cell).Cell))}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t)
		s.root(1) // edges: f, t
		s.root(2) // starts: at
		s.ready(1)
		s.ready(2)
		limit := rapid.SampledFrom([]uint32{query.Unlimited, query.Unlimited, 0, 1, 3}).Draw(rt, "limit")
		live := func(col uint32, depth string) {
			p := unlimited(query.Plan{From: &query.From{
				Kind: query.FromRecursion, Alias: "r", MaxDepth: limit, DepthField: depth,
				Plan: unlimited(query.Plan{From: from("b", 2), HasSelect: true, Select: entries("b", query.Ref("b", "at"))}),
				Step: unlimited(query.Plan{
					From: &query.From{Kind: query.FromSelf, Alias: "s"}, HasSelect: true, Select: entries("s", query.Ref("e", "t")),
					Joins: []query.Join{joined(query.JoinInner, "e", 1, query.Ref("s", "at"), query.Ref("e", "f"))},
				}),
			}})
			if got := s.plan(col, p); strings.Contains(got, "fault") {
				rt.Fatal(got)
			}
		}
		late := rapid.Bool().Draw(rt, "late")
		if !late {
			live(3, "")
			live(4, "d")
		}
		edges, starts := map[uint32]edge{}, map[uint32]int{}
		place := rapid.IntRange(0, 5)
		for i := range rapid.IntRange(1, 8).Draw(rt, "commits") {
			rows := map[uint32]row{}
			for range rapid.IntRange(1, 4).Draw(rt, "writes") {
				key := uint32(rapid.IntRange(1, 9).Draw(rt, "key"))
				if _, there := edges[key]; there && rapid.Bool().Draw(rt, "delete") {
					if _, twice := rows[key]; !twice {
						rows[key] = nil
						delete(edges, key)
					}
					continue
				}
				e := edge{place.Draw(rt, "from"), place.Draw(rt, "to")}
				edges[key], rows[key] = e, row{"f": e.from, "t": e.to}
			}
			s.sync(1, rows)
			if i == 0 || rapid.Bool().Draw(rt, "starts") {
				key := uint32(rapid.IntRange(1, 2).Draw(rt, "start"))
				_, there := starts[key]
				if there && rapid.Bool().Draw(rt, "stop") {
					delete(starts, key)
					s.sync(2, map[uint32]row{key: nil})
				} else {
					starts[key] = place.Draw(rt, "at")
					s.sync(2, map[uint32]row{key: {"at": starts[key]}})
				}
			}
			if late && i == 1 {
				live(3, "")
				live(4, "d")
			} else if late && i == 0 {
				continue
			}
			depth := map[int]int{}
			var next []int
			for _, at := range starts {
				depth[at] = 0
				next = append(next, at)
			}
			for d := 1; len(next) > 0 && uint32(d) <= limit; d++ {
				var found []int
				for _, e := range edges {
					if _, known := depth[e.to]; !known && slices.Contains(next, e.from) {
						depth[e.to] = d
						found = append(found, e.to)
					}
				}
				next = found
			}
			var plain, deep []string
			for at := range 6 {
				if d, ok := depth[at]; ok {
					plain = append(plain, fmt.Sprint(at, ",undefined"))
					deep = append(deep, fmt.Sprint(at, ",undefined,", d))
				}
			}
			for col, want := range map[uint32][]string{3: plain, 4: deep} {
				if got := strings.ReplaceAll(s.told(col), "null", "undefined"); got != strings.Join(want, " ") {
					rt.Fatalf("collection %d:\n got %s\nwant %s", col, got, strings.Join(want, " "))
				}
				s.shown(col)
			}
		}
		if !late {
			s.nothingLeft(3, 4)
		}
	})
}
