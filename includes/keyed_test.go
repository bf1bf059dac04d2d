package includes

import (
	"testing"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
)

func TestKey_GivenByACallback(t *testing.T) {
	s := tables(t)
	s.says[7] = s.field(1, func(r row) any { return r["v"] })
	p := unlimited(query.Plan{From: from("p", 1), Key: 7})
	s.want("start", s.plan(3, p), "rows 3 [0 1 2 3] (#2,3 #1,4 #0,5 #3,9); status 3 0>1; status 3 1>2")
	s.want("keys change places", s.sync(1, map[uint32]row{1: {"v": 4}, 2: {"v": 5}}), "install 1 [~1 ~2]; install 3 [~1 ~2] (#4,4 #5,5)")
	s.want("another", s.sync(1, map[uint32]row{1: {"v": 7}, 4: nil}), "install 1 [~1 -4]; install 3 [-1 -3 +4] (#6,7)")
	s.want("by key", s.shown(3), "0 2 4")
	over := unlimited(query.Plan{From: from("q", 3), Where: []*query.Expr{call(query.FnGt, query.Ref("q", "v"), query.Const(s.cell(4)))}})
	s.want("over it", s.plan(4, over), "rows 4 [2 4]; status 4 0>1; status 4 1>2")
	s.want("follows", s.sync(1, map[uint32]row{2: {"v": 6}}), "install 1 [~2]; install 3 [-2 +3] (#7,6); install 4 [-2 +3]")
	s.shown(4)
	s.nothingLeft(4, 3)
}

// teams is a plan of the teams that people are in, by their ids.
func teams(s *stage, order ...query.Term) *query.Plan {
	s.says[7] = func(slots []uint32, _ []value.Cell) any { return s.rows[2][slots[1]]["id"] }
	s.shows = func(a, b uint32) bool { return true }
	return unlimited(query.Plan{
		From: from("p", 1), Key: 7, HasSelect: true, Select: []query.Entry{entry("n", query.Ref("t", "n"))}, Order: order,
		Joins: []query.Join{joined(query.JoinInner, "t", 2, query.Ref("p", "g"), query.Ref("t", "id"))},
	})
}

func TestKey_OfSeveralRowsThatLookTheSame(t *testing.T) {
	s := tables(t)
	s.want("start", s.plan(3, teams(s)), "rows 3 [0 1] (#0,#0,10 #1,#1,11); status 3 0>1; status 3 1>2")
	s.want("another says it", s.sync(1, map[uint32]row{1: nil}), "install 1 [-1]; rebind 3 [~0] (#2,#0,10)")
	s.want("nobody does", s.sync(1, map[uint32]row{3: nil}), "install 1 [-3]; install 3 [-0]")
	s.want("again", s.sync(1, map[uint32]row{5: {"g": 10}, 6: {"g": 11}}), "install 1 [+5 +6]; install 3 [+0] (#4,#0,10)")
	s.nothingLeft(3)
}

func TestKey_OfRowsThatDiffer(t *testing.T) {
	s := tables(t)
	p := teams(s)
	s.shows = func(a, b uint32) bool { return false }
	s.want("start", s.plan(3, p), "fault 17")
	s.want("order", s.plan(3, teams(s, query.Term{Expr: query.Ref("p", "v")})), "fault 17")
	s.sync(1, map[uint32]row{3: nil})
	p = teams(s, query.Term{Expr: query.Ref("p", "v")})
	s.ordered[3] = true
	s.want("without", s.plan(3, p), "rows 3 [1 0] (#1,#1,11 #0,#0,10); status 3 0>1; status 3 1>2")
	s.want("with", s.sync(1, map[uint32]row{3: {"g": 10, "v": 1}}), "install 1 [+3]; status 3 2>3 because")
	s.nothingLeft(3)
}

func TestKey_ThatIsNone(t *testing.T) {
	s := tables(t)
	s.says[7] = s.field(1, func(r row) any { return r["g"] })
	p := unlimited(query.Plan{From: from("p", 1), Key: 7, Where: []*query.Expr{call(query.FnLt, query.Ref("p", "v"), query.Const(s.cell(4)))}})
	s.want("start", s.plan(3, p), "rows 3 [0] (#2,10); status 3 0>1; status 3 1>2")
	s.want("none", s.sync(1, map[uint32]row{4: {"v": 1}}), "install 1 [~4]; status 3 2>3 because")
	s.nothingLeft(3)
}
