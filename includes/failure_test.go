package includes

import (
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
)

// since is a comparison that fails on anything but a date.
func (s *stage) since() *query.Expr {
	return query.Call(query.FnGt, query.Ref("at"), query.Const(s.cell("Date 2020")))
}

func dated(v int, at any) row { return row{"v": v, "at": at} }

func TestFailure_StaysWithTheQueryAndWhatStandsOnIt(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: dated(1, "Date 2021"), 2: dated(2, "Date 2022"), 3: dated(3, "Date 2019")})
	s.ready(1)
	s.start(2, 1, where(s.since()))
	s.start(3, 2, window("v", 0, 5))
	s.start(4, 3, query.Query{})
	s.start(5, 1, window("v", 0, 5))
	s.start(6, 1, window("at", 0, 5))
	for i := uint32(1); i <= 6; i++ {
		s.subscribe(i, 10+i, collection.All)
	}
	s.want("the row it cannot take", s.sync(1, map[uint32]row{2: dated(2, "Time 12"), 4: dated(4, "Date 2023")}),
		"install 1 [~2 +4]; install 5 [+4 ~2]; layout 5; install 6 [+4 ~2]; layout 6; "+
			"status 2 2>3 because; status 3 2>3 because; status 4 2>3 because; "+
			"emit 1/11 install; emit 5/15 install; emit 6/16 install")
	s.want("what failed keeps what it showed", s.content(2)+"|"+s.content(3)+"|"+s.content(4), "1 2|1 2|1 2")
	s.want("and is not read", s.read(2)+s.read(3)+s.read(4), "")
	s.want("a subscription gets what is shown", s.subscribe(3, 20, collection.Initial), "emit 3/20 content")
	s.want("it is no source", s.start(7, 4, query.Query{}), "refused 3")
	s.want("it has no window", s.window(3, 0, 1), "refused 3")
	s.want("the others go on, it does not", s.sync(1, map[uint32]row{2: nil}),
		"install 1 [-2]; install 5 [-2]; layout 5; install 6 [-2]; layout 6; emit 1/11 install; emit 5/15 install; emit 6/16 install")
	s.want("an error of the source changes nothing for it", s.do(func() error { return s.e.MarkError(1) }), "status 1 2>3; status 5 2>3; status 6 2>3")
	s.want("ready does not heal it", s.ready(1), "status 1 3>2; status 5 3>2; status 6 3>2; emit 1/11 empty; emit 5/15 empty; emit 6/16 empty")
	s.want("cleaning up does", s.cleanup(2), "empty 4; empty 3; status 2 3>4; empty 2")
	s.want("started again", s.start(2, 1, where(s.since())), "rows 2 [1 4]; status 2 4>1; status 2 1>2; emit 2/12 content")
	s.want("it is live", s.sync(1, map[uint32]row{1: nil}),
		"install 1 [-1]; install 5 [-1]; layout 5; install 6 [-1]; layout 6; install 2 [-1]; emit 1/11 install; emit 5/15 install; emit 6/16 install; emit 2/12 install")
	for _, col := range []uint32{2, 5, 6} {
		s.shown(col)
	}
}

// A query that fails while its source is in error is failed already, and stays
// so when the source recovers.
func TestFailure_UnderASourceInErrorIsNotToldTwice(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.start(2, 1, where(s.since()))
	s.want("error", s.do(func() error { return s.e.MarkError(1) }), "status 1 1>3; status 2 1>3")
	s.want("failure", s.sync(1, map[uint32]row{1: dated(1, 5)}), "install 1 [+1]")
	s.want("recovery", s.ready(1), "status 1 3>2")
}

func TestFailure_AtTheStartRefusesTheQuery(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: dated(1, 7)})
	s.want("a filter", s.start(2, 1, where(s.since())), "fault 11")
	s.want("a field", s.start(2, 1, query.Query{HasSelect: true, Select: []query.Entry{{Path: []string{"x"}, Expr: s.since()}}}), "fault 11")
	s.want("an order", s.start(2, 1, query.Query{Order: []query.Term{{Expr: s.since()}}}), "fault 11")
	// The arrangement by key is the root's own.
	if st := s.e.Stats(); st.Lives != 0 || st.Nodes != 2 || st.Retained != 0 || st.Arrangements != 1 {
		t.Errorf("%+v", st)
	}
	s.want("reading nothing", s.read(2), "refused 2")
}

func TestFailure_OfAComputedFieldPublishesNothingOfIt(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: dated(1, "Date 2021")})
	s.ready(1)
	s.start(2, 1, query.Query{HasSelect: true, Select: []query.Entry{{Path: []string{"late"}, Expr: s.since()}}})
	s.start(3, 1, query.Query{})
	s.subscribe(2, 9, collection.All)
	s.want("change", s.sync(1, map[uint32]row{1: dated(1, "Date 2019")}), "install 1 [~1]; install 2 [~1] (false); install 3 [~1]; emit 2/9 install")
	s.want("failure", s.sync(1, map[uint32]row{1: dated(1, 5), 2: dated(1, "Date 2022")}), "install 1 [~1 +2]; install 3 [~1 +2]; status 2 2>3 because")
	s.want("nothing follows", s.sync(1, map[uint32]row{1: nil}), "install 1 [-1]; install 3 [-1]")
}

func TestFailure_OfAPullInsideARunFailsTheWindowAlone(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: dated(1, "Date 2021"), 2: dated(2, "Date 2022")})
	s.ready(1)
	shell := &failing{stage: s}
	s.e.shell = shell
	s.e.Dict.SetCollation(2, false)
	s.start(2, 1, query.Query{Order: by("v")})
	s.fields[3] = []string{"v"}
	q := pick("v")
	q.Order = by("v")
	s.start(3, 1, q)
	shell.equal = true
	s.want("a comparison of rows that fails tells too much", s.sync(1, map[uint32]row{1: {"v": 1, "w": 1}}),
		"install 1 [~1]; install 2 [~1]; layout 2; install 3 [~1]; layout 3")
	shell.panics = true
	s.want("one that panics fails the query that asked", s.sync(1, map[uint32]row{1: {"v": 1, "w": 2}}),
		"install 1 [~1]; install 2 [~1]; layout 2; status 3 2>3 because")
	s.want("the others go on", s.sync(1, map[uint32]row{3: {"v": 0}}), "install 1 [+3]; install 2 [+3]; layout 2")
	s.shown(2)
}

// failing is a shell whose comparison of a query's rows fails.
type failing struct {
	*stage
	equal, panics bool
}

func (f *failing) Equal(col, tmpl, a, b uint32) (bool, error) {
	if tmpl != 0 && f.panics {
		panic("the host is gone")
	}
	if tmpl != 0 && f.equal {
		return false, errShell
	}
	return f.stage.Equal(col, tmpl, a, b)
}

func TestTruncate_IsToldBeforeItsChanges(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: n(1), 2: n(2)})
	s.start(2, 1, window("v", 0, 1))
	s.subscribe(2, 9, collection.Initial)
	tx := &collection.Sync{Truncate: true, Ops: []uint32{collection.OpInsert, 2, 2}, Content: collection.Content{Columns: []collection.Cells{s.cells([]any{2})}}}
	s.rows[1][2] = n(2)
	s.want("rewritten", s.do(func() error { return s.e.Sync(1, tx) }), "truncated 1; install 1 [-1]; install 2 [-1 +2]; layout 2; emit 2/9 install")
	s.want("emptied", s.do(func() error {
		return s.e.Sync(1, &collection.Sync{Truncate: true, Content: collection.Content{Columns: []collection.Cells{{}}}})
	}),
		"truncated 1; install 1 [-2]; install 2 [-2]; layout 2; emit 2/9 install")
	s.want("empty already", s.do(func() error {
		return s.e.Sync(1, &collection.Sync{Truncate: true, Content: collection.Content{Columns: []collection.Cells{{}}}})
	}), "truncated 1")
	if st := s.e.Stats(); st.Pinned != 0 || st.Rows != 0 || st.Retained != 0 {
		t.Errorf("%+v", st)
	}
}

func TestFailure_OfAComputedFieldReachesWhatStandsOnIt(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: dated(1, "Date 2021")})
	s.ready(1)
	s.start(2, 1, query.Query{HasSelect: true, Select: []query.Entry{{Path: []string{"late"}, Expr: s.since()}}})
	s.start(3, 2, query.Query{})
	s.start(4, 3, query.Query{})
	s.want("failure", s.sync(1, map[uint32]row{1: dated(1, 5)}), "install 1 [~1]; status 2 2>3 because; status 3 2>3 because; status 4 2>3 because")
	s.want("nothing follows", s.sync(1, map[uint32]row{1: nil, 2: dated(1, "Date 2021")}), "install 1 [-1 +2]")
}
