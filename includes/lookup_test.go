package includes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

// A join that looks its right rows up shows the pairs there are, in a window or
// not, whatever becomes of either side.
func TestLookup_ShowsThePairsThereAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t)
		s.keyed = map[uint32]string{2: "id", 5: "id"}
		have := map[uint32]map[uint32]row{1: {}, 2: {}, 5: {}}
		slots := map[uint32]map[uint32]uint32{1: {}, 2: {}, 5: {}}
		write := func(col uint32, rows map[uint32]row) {
			var keys []uint32
			for k := range rows {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			next := s.next[col]
			for _, k := range keys {
				was, there := have[col][k]
				delete(have[col], k)
				if rows[k] != nil {
					if have[col][k] = rows[k]; !there || !maps.Equal(was, rows[k]) {
						slots[col][k] = next // an equal row is not taken
					}
					next++
				}
			}
			s.sync(col, rows)
		}
		person := func() row {
			r := row{"v": rapid.IntRange(0, 5).Draw(rt, "v"), "w": rapid.IntRange(0, 1).Draw(rt, "w")}
			for _, f := range []string{"g", "h"} {
				if g := rapid.IntRange(19, 25).Draw(rt, f); g > 19 {
					r[f] = g
				}
			}
			return r
		}
		for _, col := range []uint32{1, 2, 5} {
			s.root(col)
		}
		first := map[uint32]row{}
		for k := range uint32(rapid.IntRange(0, 12).Draw(rt, "people")) {
			first[k+1] = person()
		}
		write(1, first)
		if rapid.Bool().Draw(rt, "teams") {
			write(2, map[uint32]row{20: {"id": 20, "n": 1}, 21: {"id": 21, "n": 0}})
		}
		write(5, map[uint32]row{20: {"id": 20, "n": 1}, 23: {"id": 23, "n": 1}})
		for _, col := range []uint32{1, 2, 5} {
			s.ready(col)
		}
		how := rapid.SampledFrom([]query.JoinType{query.JoinInner, query.JoinLeft}).Draw(rt, "how")
		second := rapid.Bool().Draw(rt, "second")
		where := rapid.IntRange(0, 3).Draw(rt, "where")
		ordered := rapid.Bool().Draw(rt, "ordered")
		offset, limit := rapid.IntRange(0, 2).Draw(rt, "offset"), rapid.IntRange(0, 4).Draw(rt, "limit")
		p := query.Plan{From: from("p", 1), Joins: []query.Join{joined(how, "t", 2, query.Ref("p", "g"), query.Ref("t", "id"))}}
		if second {
			p.Joins = append(p.Joins, joined(how, "u", 5, query.Ref("u", "id"), query.Ref("p", "h")))
		}
		if where&1 > 0 {
			p.Where = append(p.Where, query.Call(query.FnEq, query.Ref("p", "w"), query.Const(s.cell(1))))
		}
		if where&2 > 0 {
			p.Where = append(p.Where, query.Call(query.FnEq, query.Ref("t", "n"), query.Const(s.cell(1))))
		}
		if ordered {
			p.Order = []query.Term{{Expr: query.Ref("p", "v"), Term: value.Term{Desc: true}}}
			p.Bounded, p.Offset, p.Limit = true, uint32(offset), uint32(limit)
			s.ordered[3] = true
		}
		if got := s.plan(3, unlimited(p)); s.e.lives[3] == nil {
			rt.Fatal(got)
		}
		if names := s.nodeNames(3); !strings.Contains(names, "join one") {
			rt.Fatalf("not looked up: %s", names)
		}
		for range rapid.IntRange(1, 8).Draw(rt, "commits") {
			col := rapid.SampledFrom([]uint32{1, 1, 2, 5}).Draw(rt, "of")
			rows := map[uint32]row{}
			for range rapid.IntRange(1, 3).Draw(rt, "writes") {
				k := uint32(rapid.IntRange(1, 12).Draw(rt, "key"))
				if col != 1 {
					k = uint32(rapid.IntRange(20, 24).Draw(rt, "team"))
				}
				switch _, there := have[col][k]; {
				case there && rapid.IntRange(0, 2).Draw(rt, "delete") == 0:
					rows[k] = nil
				case col == 1:
					rows[k] = person()
				default:
					rows[k] = row{"id": int(k), "n": rapid.IntRange(0, 1).Draw(rt, "n")}
				}
			}
			write(col, rows)
			type pair struct {
				key, v int
				text   string
			}
			var want []pair
			for k, r := range have[1] {
				text := fmt.Sprint("#", slots[1][k])
				ok := where&1 == 0 || r["w"] == 1
				for i, col := range []uint32{2, 5} {
					if i == 1 && !second {
						break
					}
					g, _ := r[[]string{"g", "h"}[i]].(int)
					team, found := have[col][uint32(g)]
					switch {
					case found:
						text += fmt.Sprint(",#", slots[col][uint32(g)])
					case how == query.JoinLeft:
						text += ",none"
					default:
						ok = false
					}
					if i == 0 && where&2 > 0 && (!found || team["n"] != 1) {
						ok = false
					}
				}
				if ok {
					want = append(want, pair{int(k), r["v"].(int), text})
				}
			}
			slices.SortFunc(want, func(a, b pair) int {
				if c := b.v - a.v; ordered && c != 0 {
					return c
				}
				return cmp.Compare(a.key, b.key)
			})
			if ordered {
				want = want[min(offset, len(want)):]
				want = want[:min(limit, len(want))]
			}
			var texts []string
			for _, w := range want {
				texts = append(texts, w.text)
			}
			if got := s.tellAll(3); got != strings.Join(texts, " ") {
				rt.Fatalf("\n got %s\nwant %s", got, strings.Join(texts, " "))
			}
			s.shown(3)
		}
		s.nothingLeft(3)
	})
}

// nodeNames lists what a live collection's output stands on.
func (s *stage) nodeNames(col uint32) string {
	var names []string
	for _, n := range s.e.graph.Explain(s.e.lives[col].output) {
		names = append(names, n.Name)
	}
	return strings.Join(names, ", ")
}

// tellAll lists the rows of a live collection, in order, by what they are made
// of.
func (s *stage) tellAll(col uint32) string {
	s.t.Helper()
	var out []string
	s.do(func() error {
		rows, err := s.e.lives[col].content(nil)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, row := range rows {
			p, err := s.e.lives[col].show([]uint32{row})
			if err != nil {
				s.t.Fatal(err)
			}
			out = append(out, strings.Trim(s.parts(p), " ()"))
		}
		return nil
	})
	return strings.Join(out, " ")
}

func TestLookup_OfWhatIsNoKeyFails(t *testing.T) {
	s := tables(t)
	s.root(5)
	s.keyed = map[uint32]string{5: "id"}
	s.sync(5, map[uint32]row{10: {"id": 10}, 11: {"id": 11}})
	s.ready(5)
	s.plan(3, unlimited(query.Plan{From: from("p", 1), Joins: []query.Join{joined(query.JoinInner, "t", 5, query.Ref("p", "g"), query.Ref("t", "id"))}}))
	s.plan(4, unlimited(query.Plan{From: from("x", 5)}))
	s.want("others go on", s.sync(5, map[uint32]row{12: {"id": 10}}), "install 5 [+12]; install 4 [+12]; status 3 2>3 because")
	s.want("why", s.e.lives[3].failure.Error(), notUnique.Error())
}
