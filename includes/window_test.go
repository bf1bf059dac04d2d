package includes

import (
	"fmt"
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// filled is a ready root of rows 0 to n-1 with v falling and g running round.
func filled(t *testing.T, n, groups int) *stage {
	s := newStage(t)
	s.root(1)
	rows := map[uint32]row{}
	for i := range n {
		rows[uint32(i)] = row{"v": n - i, "g": i % groups, "w": i % 2}
	}
	s.sync(1, rows)
	s.ready(1)
	return s
}

func TestWindow_ReadsInOrderWhatALimitNeeds(t *testing.T) {
	s := filled(t, 1000, 2)
	s.want("start", s.start(2, 1, window("v", 0, 3)), "rows 2 [999 998 997]; status 2 0>1; status 2 1>2")
	if st := s.e.Stats(); !s.e.lives[2].pulls || st.Retained > 100 || st.Scanned > 100 || st.Pinned != 1 {
		t.Errorf("%+v", st)
	}
	s.want("a row beyond", s.sync(1, map[uint32]row{5: {"v": 995, "g": 0}}), "install 1 [~5]")
	s.want("a row leaves, the next enters", s.sync(1, map[uint32]row{998: nil}), "install 1 [-998]; install 2 [-998 +996]; layout 2")
	s.want("moved", s.window(2, 2, 2), "install 2 [-999 -997 +995]; layout 2")
	s.want("not at all", s.window(2, 2, 2), "")
	s.want("closed", s.window(2, 0, 0), "install 2 [-996 -995]; layout 2")
	s.want("wide open", s.window(2, 990, d2.Unlimited), "install 2 [+8 +7 +6 +5 +4 +3 +2 +1 +0]; layout 2")
	s.shown(2)
}

func TestWindow_FewCandidatesAreGathered(t *testing.T) {
	s := filled(t, 1000, 200)
	s.want("start", s.start(2, 1, window("v", 1, 3, eq("g", 7))), "rows 2 [607 407 207]; status 2 0>1; status 2 1>2")
	if st := s.e.Stats(); s.e.lives[2].pulls || st.Retained != 5 || st.Pinned != 0 || st.Arrangements != 1 {
		t.Errorf("%+v", st)
	}
	s.want("one more", s.sync(1, map[uint32]row{3: {"v": 0, "g": 7}}), "install 1 [~3]; install 2 [-207 +807]; layout 2")
	s.want("a group nobody looks at", s.sync(1, map[uint32]row{8: {"v": 0, "g": 9}}), "install 1 [~8]")
	s.shown(2)
}

func TestWindow_ManyCandidatesAreReadInOrder(t *testing.T) {
	s := filled(t, 1000, 2)
	s.want("start", s.start(2, 1, window("v", 0, 2, eq("g", 1), gt("v", 5))), "rows 2 [993 991]; status 2 0>1; status 2 1>2")
	if !s.e.lives[2].pulls {
		t.Error("half of the rows were gathered for two")
	}
	s.want("gone", s.sync(1, map[uint32]row{993: nil, 991: {"v": 9, "g": 0}}), "install 1 [~991 -993]; install 2 [-993 -991 +989 +987]; layout 2")
	s.shown(2)
}

// A query over a window never reads past it, wherever the window is moved.
func TestWindow_OverAWindow(t *testing.T) {
	for name, below := range map[string]query.Query{
		"limited": window("g", 0, 1000),
		"ordered": {Order: by("g")},
	} {
		s := filled(t, 30, 3)
		s.start(2, 1, below)
		s.start(3, 2, where(gt("v", 0)))
		s.start(4, 3, window("v", 0, 4))
		s.want(name, s.shown(4), "29 28 27 26")
		s.window(2, 0, 4)
		s.want(name+" and narrowed", s.shown(4), "9 6 3 0")
		s.sync(1, map[uint32]row{0: nil, 29: {"v": 1, "g": 0}})
		s.want(name+" and changed", s.shown(4), "12 9 6 3")
		s.window(2, 5, 2)
		s.want(name+" and moved", s.shown(4), "21 18")
		s.window(2, 0, d2.Unlimited)
		s.want(name+" and opened", s.shown(4), "29 28 27 26")
	}
}

// An order is not handed down: over an ordered query rows are read by key.
func TestLive_WithoutAnOrderOverOneWithAnOrder(t *testing.T) {
	s := filled(t, 6, 2)
	s.start(2, 1, window("v", 0, 4))
	s.start(3, 2, where(gt("v", 1)))
	s.start(4, 3, query.Query{})
	s.want("by key", s.shown(3)+"|"+s.shown(4), "2 3 4|2 3 4")
	s.want("changed", s.sync(1, map[uint32]row{3: nil, 0: {"v": 2, "g": 1}}),
		"install 1 [~0 -3]; install 2 [-3 +0]; layout 2; install 3 [-3 +0]; install 4 [-3 +0]")
	s.want("by key again", s.shown(3)+"|"+s.shown(4), "0 2 4|0 2 4")
}

func TestLive_OverLiveOverLive(t *testing.T) {
	s := filled(t, 12, 3)
	renamed := query.Query{HasSelect: true, Select: []query.Entry{
		{Path: []string{"in", "rank"}, Expr: query.Ref("v")},
		{Path: []string{"odd"}, Expr: eq("w", 1)},
	}}
	s.fields[2] = []string{"v", "w"}
	s.want("computed", s.start(2, 1, renamed),
		"rows 2 [0 1 2 3 4 5 6 7 8 9 10 11] (false true false true false true false true false true false true); status 2 0>1; status 2 1>2")
	s.start(3, 2, where(query.Ref("odd")))
	s.want("by a computed field", s.shown(3), "1 3 5 7 9 11")
	q := query.Query{Where: []*query.Expr{query.Call(query.FnGt, query.Ref("in", "rank"), query.Const(s.cell(2)))}, Limit: 2, Bounded: true}
	q.Order = []query.Term{{Expr: query.Ref("in", "rank")}}
	s.start(4, 3, q)
	s.want("by a nested one", s.shown(4), "9 7")
	s.want("a change goes through", s.sync(1, map[uint32]row{8: {"v": 3, "w": 1}, 1: {"v": 11, "w": 1, "g": 5}}),
		"install 1 [~1 ~8]; install 2 [~8] (true); rebind 2 [~1]; install 3 [+8]; rebind 3 [~1]; install 4 [-7 +8]; layout 4")
	for col := uint32(2); col <= 4; col++ {
		s.shown(col)
	}
}

func TestPublish_AllInstallsThenStatusesThenBatches(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: {"v": 1, "w": 1}, 2: {"v": 2, "w": 1}, 3: {"v": 3, "w": 1}})
	s.ready(1)
	s.fields[4] = []string{"v"}
	s.start(2, 1, where(gt("v", 1)))
	s.start(3, 2, query.Query{Order: by("v")})
	s.start(4, 1, pick("v"))
	s.start(5, 1, where(gt("w", 0)))
	for i := uint32(1); i <= 5; i++ {
		s.subscribe(i, 10+i, collection.All)
	}
	s.want("one row", s.sync(1, map[uint32]row{2: {"v": 5, "w": 1}, 1: {"v": 1, "w": 2}}),
		"install 1 [~1 ~2]; install 2 [~2]; install 3 [~2]; layout 3; install 4 [~2]; rebind 4 [~1]; install 5 [~1 ~2]; "+
			"emit 1/11 install; emit 2/12 install; emit 3/13 install; emit 4/14 install; emit 5/15 install")
	s.want("a failure", s.sync(1, map[uint32]row{3: {"v": 4, "w": "Date 2020"}}),
		"install 1 [~3]; install 2 [~3]; install 3 [~3]; layout 3; install 4 [~3]; status 5 2>3 because; "+
			"emit 1/11 install; emit 2/12 install; emit 3/13 install; emit 4/14 install")
}

// A row whose place changes but not its value is no change: the batch is empty.
func TestPublish_OrderAloneIsAnEmptyBatch(t *testing.T) {
	s := filled(t, 4, 4)
	q := pick("g")
	q.Order = by("v")
	s.fields[2] = []string{"g"}
	s.start(2, 1, q)
	s.subscribe(2, 9, collection.All)
	s.want("moved", s.sync(1, map[uint32]row{0: {"v": 0, "g": 0}}), "install 1 [~0]; install 2 []; rebind 2 [~0]; layout 2; emit 2/9 empty")
	s.want("content", s.shown(2), "0 3 2 1")
	s.want("neither moved nor changed", s.sync(1, map[uint32]row{0: {"v": 0, "g": 0, "w": 7}}), "install 1 [~0]; install 2 []; rebind 2 [~0]; layout 2")
}

func TestWork_ARoutedChangeVisitsTheQueriesItConcerns(t *testing.T) {
	s := filled(t, 400, 400)
	for i := range uint32(300) {
		s.start(10+i, 1, where(eq("g", int(i))))
	}
	before := s.e.Stats()
	s.want("one of them", s.sync(1, map[uint32]row{5: {"v": 0, "g": 7}}), "install 1 [~5]; install 15 [-5]; install 17 [+5]")
	after := s.e.Stats()
	if n := after.Visits - before.Visits; n != 4 {
		t.Errorf("%d visits for two queries of a filter and an output each", n)
	}
	if before.Arrangements != 1 || before.Columns != 1 {
		t.Errorf("300 queries hold %d arrangements and %d columns", before.Arrangements, before.Columns)
	}
	s.want("reading is no leak", s.read(12), "rows 12 [2]")
}

func TestWork_ReadingAgainHoldsNothingMore(t *testing.T) {
	s := filled(t, 30, 3)
	s.start(2, 1, where(eq("g", 1)))
	s.read(2)
	s.read(1)
	want := stats(s)
	for range 50 {
		s.read(2)
		s.read(1)
	}
	s.want("after reading", stats(s), want)
	s.cleanup(2)
	s.cleanup(1)
	s.do(func() error { return s.e.Forget(1) })
	s.want("in the end", stats(s), "{Roots:0 Lives:0 Rows:0 Columns:0 Arrangements:0 Nodes:0 Retained:0 Pinned:0 Texts:0}")
}

// Histories over a small tree of queries: what was installed is what a fresh
// query of the same kind would show.
func TestHistories_AgreeWithFreshQueries(t *testing.T) {
	queries := []struct {
		src uint32
		q   query.Query
	}{
		{1, where(gt("v", 3))},
		{1, where(eq("g", 1))},
		{1, window("v", 1, 4, eq("g", 1))},
		{1, window("v", 0, 5)},
		{2, window("g", 1, 3)},
		{5, where(gt("v", 5))},
		{4, query.Query{Order: by("g")}},
		{8, window("v", 0, 3)},
		{6, pick("v")},
		{10, window("w", 0, 2)},
	}
	for seed := range 60 {
		s := newStage(t)
		s.root(1)
		x := uint32(seed)*2654435761 + 1
		rnd := func(n int) int { x = x*1664525 + 1013904223; return int(x>>8) % n }
		s.fields[10] = []string{"v"}
		s.fields[11] = []string{"v"}
		change := func() {
			rows := map[uint32]row{}
			for range rnd(6) {
				rows[uint32(rnd(14))] = row{"v": rnd(9), "g": rnd(3), "w": rnd(2)}
				if rnd(3) == 0 {
					rows[uint32(rnd(14))] = nil
				}
			}
			s.sync(1, rows)
		}
		change()
		for i, q := range queries {
			s.start(uint32(2+i), q.src, q.q)
			change()
		}
		for range 25 {
			change()
			if rnd(4) == 0 {
				s.window([]uint32{4, 5, 6, 8, 9}[rnd(5)], uint32(rnd(4)), uint32(rnd(6)))
			}
			for i, q := range queries {
				id := uint32(2 + i)
				shown := s.shown(id)
				fresh := q.q
				if off, limit, err := s.e.graph.Bounds(s.e.lives[id].window); err == nil {
					fresh.Offset, fresh.Limit, fresh.Bounded = off, limit, true
				}
				got := s.start(100, q.src, fresh)
				if want := fmt.Sprintf("rows 100 [%s]; status 100 0>1", shown); got != want {
					t.Fatalf("seed %d: query %d shows [%s], a fresh one says %s", seed, id, shown, got)
				}
				s.cleanup(100)
			}
			if used := len(s.rows[1]); used > len(s.mirror[1])/2+8 {
				t.Fatalf("seed %d: %d slots in use", seed, used)
			}
		}
	}
}
