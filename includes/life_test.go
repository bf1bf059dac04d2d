package includes

import (
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
)

func n(v int) row { return row{"v": v} }

func TestStatus_FollowsTheSource(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.want("started over a loading source", s.start(2, 1, where(gt("v", 0))), "rows 2 []; status 2 0>1")
	s.want("over that", s.start(3, 2, query.Query{}), "rows 3 []; status 3 0>1")
	s.subscribe(3, 9, collection.All)
	s.want("rows come progressively", s.sync(1, map[uint32]row{1: n(1), 2: n(0)}),
		"install 1 [+1 +2]; install 2 [+1]; install 3 [+1]; emit 3/9 install")
	s.want("ready cascades, then the empty batches", s.ready(1), "status 1 1>2; status 2 1>2; status 3 1>2; emit 3/9 empty")
	s.want("ready again is nothing", s.ready(1), "")
	s.want("started over a ready source", s.start(4, 3, query.Query{}), "rows 4 [1]; status 4 0>1; status 4 1>2")
	s.want("an error cascades", s.do(func() error { return s.e.MarkError(1) }), "status 1 2>3; status 2 2>3; status 3 2>3; status 4 2>3")
	s.want("content goes on", s.sync(1, map[uint32]row{5: n(5)}),
		"install 1 [+5]; install 2 [+5]; install 3 [+5]; install 4 [+5]; emit 3/9 install")
	s.want("and recovery", s.ready(1), "status 1 3>2; status 2 3>2; status 3 3>2; status 4 3>2; emit 3/9 empty")
	s.want("an error of a live collection is its own and its dependents'", s.do(func() error { return s.e.MarkError(3) }), "status 3 2>3; status 4 2>3")
	s.want("which keeps what it showed", s.sync(1, map[uint32]row{6: n(6)}), "install 1 [+6]; install 2 [+6]; install 4 [+6]")
}

func TestStart_BeforeTheSourceItself(t *testing.T) {
	s := newStage(t)
	s.rows[1] = map[uint32]row{}
	s.do(func() error { return s.e.CreateRoot(1, s.cell("root"), false) })
	s.want("over an idle root", s.start(2, 1, window("v", 0, 2)), "rows 2 []; status 2 0>1")
	s.want("rows before the start", s.sync(1, map[uint32]row{1: n(1)}), "install 1 [+1]; install 2 [+1]; layout 2")
	s.want("starting the root", s.do(func() error { return s.e.Start(1) }), "status 1 0>1")
	s.want("again", s.do(func() error { return s.e.Start(1) }), "refused 3")
	s.want("rows", s.sync(1, map[uint32]row{1: n(3), 2: n(1), 3: n(2)}), "install 1 [~1 +2 +3]; install 2 [-1 +2 +3]; layout 2")
	s.want("content", s.shown(2), "2 3")
}

func TestCleanup_OrphansWhatStandsOnIt(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: n(1), 2: n(2)})
	s.ready(1)
	s.start(2, 1, where(gt("v", 0)))
	s.start(3, 2, window("v", 0, 1))
	s.subscribe(3, 9, collection.Initial)
	s.want("root", s.cleanup(1),
		"status 3 2>3 because; empty 3; status 2 2>3 because; empty 2; status 1 2>4; empty 1; drop 1")
	s.want("once is enough", s.cleanup(1), "")
	s.want("an orphan is no source", s.start(4, 2, query.Query{}), "refused 3")
	s.want("an orphan has no window", s.window(3, 0, 5), "refused 3")
	s.want("nor is it started again before it is cleaned up", s.start(3, 1, query.Query{}), "refused 3")
	s.want("cleaning up an orphan", s.cleanup(3), "status 3 3>4; empty 3")
	s.want("and one without subscriptions, which is forgotten", s.cleanup(2), "status 2 3>4; empty 2")
	s.want("so that there is none", s.cleanup(2), "refused 2")
	s.do(func() error { return s.e.Start(1) })
	s.carried[1], s.next[1] = nil, 0
	s.sync(1, map[uint32]row{1: n(5), 2: n(4)})
	s.ready(1)
	s.want("a subscription that stayed gets the new content", s.start(3, 1, window("v", 0, 1)),
		"rows 3 [2]; status 3 4>1; status 3 1>2; emit 3/9 content")
	s.cleanup(3)
	s.want("unsubscribing forgets", s.do(func() error { return s.e.Unsubscribe(3, 9) }), "")
	s.want("for good", s.do(func() error { return s.e.Unsubscribe(3, 9) }), "refused 2")
	s.cleanup(1)
	s.do(func() error { return s.e.Forget(1) })
	s.want("stats", stats(s), "{Roots:0 Lives:0 Rows:0 Columns:0 Arrangements:0 Nodes:0 Retained:0 Pinned:0 Texts:0}")
}

func TestCleanup_OfALiveCollectionLeavesItsSource(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: n(1), 2: n(2)})
	s.ready(1)
	s.start(2, 1, query.Query{Order: by("v")})
	s.start(3, 2, where(gt("v", 1)))
	s.start(4, 1, where(gt("v", 1)))
	s.want("cleanup", s.cleanup(2), "status 3 2>3 because; empty 3; status 2 2>4; empty 2")
	s.want("others go on", s.sync(1, map[uint32]row{3: n(3)}), "install 1 [+3]; install 4 [+3]")
	s.want("the id is free again", s.start(2, 4, query.Query{}), "rows 2 [2 3]; status 2 0>1; status 2 1>2")
}

func TestCommands_ThatAreRefused(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.start(2, 1, query.Query{})
	s.subscribe(2, 5, collection.All)
	before := stats(s)
	for what, c := range map[string]struct {
		got  string
		want string
	}{
		"a root under a taken id":        {s.do(func() error { return s.e.CreateRoot(1, s.cell("x"), false) }), "refused 1"},
		"a root under the id of a live":  {s.do(func() error { return s.e.CreateRoot(2, s.cell("x"), false) }), "refused 1"},
		"a root without a name":          {s.do(func() error { return s.e.CreateRoot(9, s.cell(1), false) }), "refused 1"},
		"a query under the id of a root": {s.start(1, 1, query.Query{}), "refused 1"},
		"a query over nothing":           {s.start(9, 8, query.Query{}), "refused 2"},
		"a query over itself":            {s.start(9, 9, query.Query{}), "refused 2"},
		"a query that runs":              {s.start(2, 1, query.Query{}), "refused 3"},
		"a query with a fault":           {s.start(9, 1, query.Query{Bounded: true}), "fault 5"},
		"an undeclared collation":        {s.start(9, 1, query.Query{Order: []query.Term{{Expr: query.Ref("v"), Term: collated(7)}}}), "refused 1"},
		"rows for nothing":               {s.sync(8, nil), "refused 2"},
		"rows for a live collection":     {s.sync(2, nil), "refused 2"},
		"ready for nothing":              {s.ready(8), "refused 2"},
		"ready for a live collection":    {s.ready(2), "refused 2"},
		"an error for nothing":           {s.do(func() error { return s.e.MarkError(8) }), "refused 2"},
		"cleaning up nothing":            {s.cleanup(8), "refused 2"},
		"starting nothing":               {s.do(func() error { return s.e.Start(8) }), "refused 2"},
		"forgetting what is in use":      {s.do(func() error { return s.e.Forget(1) }), "refused 3"},
		"forgetting a running query":     {s.do(func() error { return s.e.Forget(2) }), "refused 3"},
		"forgetting nothing":             {s.do(func() error { return s.e.Forget(8) }), "refused 2"},
		"reading nothing":                {s.read(8), "refused 2"},
		"a window of an unordered query": {s.window(2, 0, 1), "refused 3"},
		"a window of a root":             {s.window(1, 0, 1), "refused 2"},
		"a subscription to nothing":      {s.subscribe(8, 1, collection.All), "refused 2"},
		"a subscription id twice":        {s.subscribe(2, 5, collection.All), "refused 1"},
		"a mode there is not":            {s.subscribe(2, 6, 3), "refused 1"},
		"an end of no subscription":      {s.do(func() error { return s.e.Unsubscribe(2, 6) }), "refused 2"},
	} {
		s.want(what, c.got, c.want)
	}
	s.want("the state afterwards", stats(s), before)
	s.want("and the collections", s.sync(1, map[uint32]row{1: n(1)}), "install 1 [+1]; install 2 [+1]; emit 2/5 install")
}

func TestStart_ARefusedPullLeavesNothingBehind(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: n(1)})
	before := stats(s)
	s.refuse = true
	s.want("start", s.start(2, 1, window("v", 0, 1, gt("v", 0))), "error the shell refuses")
	s.refuse = false
	s.e.Dict.Sweep(nil)
	s.want("the state", stats(s), before)
	s.want("again", s.start(2, 1, window("v", 0, 1, gt("v", 0))), "rows 2 [1]; status 2 0>1")
}

func TestSubscribe_InitialStateIsTheContentInOrder(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: n(3), 2: n(1), 3: n(2)})
	s.start(2, 1, query.Query{Order: by("v")})
	s.want("of an ordered query", s.subscribe(2, 5, collection.Initial), "rows 2 [2 3 1]; emit 2/5 content")
	s.want("of a root", s.subscribe(1, 6, collection.Initial), "rows 1 [1 2 3]; emit 1/6 content")
	s.want("none is asked for", s.subscribe(2, 7, collection.Told), "")
	s.want("changes", s.sync(1, map[uint32]row{1: n(4), 2: nil, 4: n(0)}),
		"install 1 [~1 -2 +4]; install 2 [-2 +4 ~1]; layout 2; emit 1/6 install; emit 2/5 install; emit 2/7 [+4 +1]")
}

func TestStart_BindsConditionsOfSubscriptionsThatStayed(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.do(func() error { return s.e.Subscribe(1, 9, collection.Told, []*query.Expr{gt("v", 0)}) })
	s.cleanup(1)
	s.do(func() error { return s.e.Start(1) })
	s.carried[1], s.next[1] = []string{"v"}, 0
	s.want("a row that satisfies it", s.sync(1, map[uint32]row{1: n(1), 2: n(0)}), "install 1 [+1 +2]; emit 1/9 [+1]")
}

func TestSnapshot_TellsWhatIsNews(t *testing.T) {
	s := newStage(t)
	s.root(1)
	s.sync(1, map[uint32]row{1: n(1), 2: n(2), 3: n(3), 4: n(4), 5: n(0)})
	s.do(func() error { return s.e.Subscribe(1, 9, collection.Told, []*query.Expr{gt("v", 0)}) })
	s.do(func() error { return s.e.Subscribe(1, 8, collection.Initial, nil) })
	s.sync(1, map[uint32]row{2: n(20)})
	ask := func(sub uint32, q query.Query) string {
		return s.do(func() error { return s.e.Snapshot(1, sub, &q) })
	}
	first := window("v", 0, 2)
	first.Order[0].Desc = true
	s.want("the first of an order, but for what it knows", ask(9, first), "emit 1/9 [+4 +3]")
	s.want("of the rest those of another condition", ask(9, where(gt("v", 5))), "emit 1/9 []")
	s.want("all of the rest", ask(9, query.Query{Limit: query.Unlimited}), "emit 1/9 [+1]")
	s.want("nothing twice", ask(9, query.Query{Limit: query.Unlimited}), "emit 1/9 []")
	s.want("what it was told of is updated from then on", s.sync(1, map[uint32]row{1: n(7)}),
		"install 1 [~1]; emit 1/9 [~1]; emit 1/8 install")
	s.want("nothing to one that knows everything", ask(8, query.Query{Limit: query.Unlimited}), "emit 1/8 []")
	s.want("an unknown subscription", ask(7, query.Query{}), "refused 2")
	s.cleanup(1)
	s.want("nothing of an empty collection", ask(9, query.Query{Limit: query.Unlimited}), "emit 1/9 []")
}
