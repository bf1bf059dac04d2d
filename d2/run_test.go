package d2

import (
	"fmt"
	"slices"
	"testing"
)

// line builds input → filters → output and returns its ends.
func line(t *testing.T, g *Graph, w *world, filters int) (NodeID, *recorder) {
	t.Helper()
	in, err := g.AddInput()
	at := in
	for range filters {
		if err == nil {
			at, err = g.AddFilter(at, xIs{w, -1})
		}
	}
	sink := &recorder{t: t}
	if err == nil {
		_, err = g.AddOutput(at, sink)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, sink
}

func run(t *testing.T, g *Graph, node NodeID, batch ...Change) RunStats {
	t.Helper()
	if err := g.PushTo(node, batch); err != nil {
		t.Fatal(err)
	}
	stats, err := g.Run()
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func TestRun_VisitsEveryOperatorOfAChainOnce(t *testing.T) {
	for _, filters := range []int{10, 100, 1000} {
		w, g := newWorld(1), NewGraph()
		in, _ := line(t, g, w, filters)
		if got := run(t, g, in, w.put(0, 1, 1)).Visits; got != filters+1 {
			t.Errorf("%d filters: %d visits", filters, got)
		}
	}
}

func TestRun_RoutedChangeTouchesOneBranchOfMany(t *testing.T) {
	for _, branches := range []int{10, 1000, 10000} {
		w, g := newWorld(branches), NewGraph()
		in, _ := g.AddInput()
		routes := make([]NodeID, branches)
		for b := range routes {
			routes[b], _ = g.AddFilter(in, xIs{w, -1})
			if _, err := g.AddOutput(routes[b], &recorder{t: t}); err != nil {
				t.Fatal(err)
			}
		}
		if got := run(t, g, routes[branches/2], w.put(3, 1, 1)).Visits; got != 2 {
			t.Errorf("%d branches: %d visits", branches, got)
		}
		batch := []Change{w.put(4, 1, 1)}
		back := []Change{{4, batch[0].New, None}}
		b := 0
		if n := testing.AllocsPerRun(50, func() {
			b = (b + 7) % branches
			_ = g.PushTo(routes[b], batch)
			_, _ = g.Run()
			_ = g.PushTo(routes[b], back)
			_, _ = g.Run()
		}); branches == 10 && n > 0 {
			t.Errorf("%v allocations per run", n)
		}
	}
}

func TestRun_ACancelledBatchVisitsNothing(t *testing.T) {
	w, g := newWorld(1), NewGraph()
	in, sink := line(t, g, w, 2)
	put := w.put(0, 1, 1)
	_ = g.Push(in, []Change{put})
	if got := run(t, g, in, w.del(0)).Visits; got != 0 || sink.received != 0 {
		t.Errorf("%d visits, sink called %d times", got, sink.received)
	}
}

func TestRun_ChangesOfOneKeyMustFollowEachOther(t *testing.T) {
	w, g := newWorld(2), NewGraph()
	in, sink := line(t, g, w, 1)
	first := w.put(0, 1, 1)
	_ = g.Push(in, []Change{first})
	run(t, g, in, first)
	if len(sink.fails) != 1 {
		t.Fatalf("failures: %v", sink.fails)
	}
	want := "d2: input 0 failed on 0 changes: d2: changes of one key do not follow each other"
	if got := sink.fails[0].Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRun_ComposesPushesInOrderOfFirstMention(t *testing.T) {
	batch := []Change{{7, None, 1}, {3, 2, 4}, {7, 1, 5}, {9, 6, None}, {3, 4, None}}
	got, _, err := compose(batch, nil)
	if want := []Change{{7, None, 5}, {3, 2, None}, {9, 6, None}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}

func TestRun_SumsWhatTheSourceEmitsWithWhatIsPushedPastIt(t *testing.T) {
	w, g := newWorld(2), NewGraph()
	in, _ := g.AddInput()
	all, _ := g.AddFilter(in, xIs{w, -1})
	sink := &recorder{t: t}
	_, _ = g.AddOutput(all, sink)
	_ = g.Push(in, []Change{w.put(0, 1, 1)})
	if got := run(t, g, all, w.put(1, 1, 1)); got.Visits != 2 || got.Changes != 4 || len(sink.mirror) != 2 {
		t.Errorf("%+v, %v", got, sink.mirror)
	}
	if g.LastRun() != g.Totals() || g.Totals().Changes != 4 {
		t.Errorf("%+v, %+v", g.LastRun(), g.Totals())
	}
}

func TestGraph_AnswersForHydratingWhatStandsBehindANode(t *testing.T) {
	w, g := newWorld(9), NewGraph()
	for k := range 9 {
		w.put(k, -k, k%2)
	}
	in, _ := g.AddInput()
	odd, _ := g.AddFilter(in, xIs{w, 1})
	rows, err := g.Select(odd, w.current, nil)
	if want := []uint32{1, 3, 5, 7}; err != nil || !slices.Equal(rows, want) {
		t.Fatalf("%v %v", rows, err)
	}
	win, _ := g.AddWindow(odd, WindowSpec{Order: w, Keys: w, Offset: 1, Limit: 2})
	first, _ := g.Hydrate(win, rows)
	again, _ := g.Rows(win, nil)
	if want := []uint32{5, 3}; !slices.Equal(first, want) || !slices.Equal(again, want) {
		t.Errorf("%v, then %v", first, again)
	}
	if o, l, err := g.Bounds(win); o != 1 || l != 2 || err != nil {
		t.Errorf("%d %d %v", o, l, err)
	}
	fault := 2
	broken, _ := g.AddFilter(in, faulty{xIs{w, 1}, &fault})
	if _, err := g.Select(broken, w.current, nil); err != errTest {
		t.Errorf("%v", err)
	}
	if _, err := g.Select(win, w.current, nil); err != ErrNotFilter {
		t.Errorf("%v", err)
	}
}

// caller is a sink that does what sinks must not.
type caller struct {
	g    *Graph
	errs []error
}

func (c *caller) Receive([]Change, *Delta) {
	_, run := c.g.Run()
	_, add := c.g.AddInput()
	c.errs = append(c.errs, c.g.Push(0, []Change{{1, None, 0}}), run, add, c.g.Drop(0), c.g.SetWindow(0, 0, 0), c.g.Reset(0))
}

func (c *caller) Fail(error) {}

func TestRun_CallsFromInsideARunAreRefused(t *testing.T) {
	w, g := newWorld(1), NewGraph()
	in, _ := g.AddInput()
	c := &caller{g: g}
	_, _ = g.AddOutput(in, c)
	run(t, g, in, w.put(0, 1, 1))
	if len(c.errs) != 6 {
		t.Fatalf("%v", c.errs)
	}
	for i, err := range c.errs {
		if err != ErrRunning {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestRun_ASinkThatPanicsFailsItsOwnOutputOnly(t *testing.T) {
	w, g := newWorld(2), NewGraph()
	in, good := line(t, g, w, 1)
	bad, below := &recorder{t: t, boom: true}, &recorder{t: t}
	out, _ := g.AddOutput(in, bad)
	_, _ = g.AddOutput(out, below)
	run(t, g, in, w.put(0, 1, 1))
	run(t, g, in, w.put(1, 1, 1))
	if len(good.mirror) != 2 || bad.received != 1 || len(below.fails) != 1 {
		t.Errorf("good %v, bad called %d times, below %v", good.mirror, bad.received, below.fails)
	}
}

// brokenOrder and brokenSource fail on demand.
type brokenOrder struct {
	*world
	broken *bool
}

func (o brokenOrder) Compare(a, b Slot) int {
	if *o.broken {
		panic(OrderFault{errTest})
	}
	return o.world.Compare(a, b)
}

type brokenSource struct {
	Source
	broken *bool
}

func (s brokenSource) Fetch(after Slot, want int, yield func(Slot) bool) (int, bool) {
	if *s.broken {
		panic(SourceFault{errTest})
	}
	return s.Source.Fetch(after, want, yield)
}

func TestRun_FaultsOfOrderAndSourceStayWithTheirWindow(t *testing.T) {
	w, g := newWorld(10), NewGraph()
	for k := range 10 {
		w.put(k, k, 0)
	}
	var orderBroken, sourceBroken bool
	in, _ := g.AddInput()
	source := NewScanSource(w.rows, nil)
	spec := WindowSpec{Order: w, Keys: w, Limit: 2, Source: source, Pins: w, Cushion: Cushion{Fixed: true}}
	specs := []WindowSpec{spec, spec, spec}
	specs[1].Order = brokenOrder{w, &orderBroken}
	specs[2].Source = brokenSource{source, &sourceBroken}
	sinks, ids := []*recorder{}, []NodeID{}
	for _, s := range specs {
		id, err := g.AddWindow(in, s)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := g.Hydrate(id, nil)
		sink := &recorder{t: t, mirror: rows}
		_, _ = g.AddOutput(id, sink)
		sinks, ids = append(sinks, sink), append(ids, id)
	}
	orderBroken, sourceBroken = true, true
	if got := run(t, g, in, w.del(0)); got.Failed != 2 || got.Visits != 4 {
		t.Errorf("%+v", got)
	}
	if len(sinks[0].fails) != 0 || len(sinks[0].mirror) != 2 {
		t.Errorf("a healthy window suffers: %v", sinks[0].fails)
	}
	for _, i := range []int{1, 2} {
		if len(sinks[i].fails) != 1 {
			t.Fatalf("window %d: %v", i, sinks[i].fails)
		}
		if _, err := g.Hydrate(ids[i], nil); err != ErrFailed {
			t.Errorf("%v", err)
		}
		_ = g.Reset(ids[i])
		if got := g.Retained(ids[i]); got != 0 {
			t.Errorf("a reset window holds %d rows", got)
		}
		if _, err := g.Hydrate(ids[i], nil); i == 2 && err == nil {
			t.Error("hydration from a broken source succeeds")
		}
	}
	orderBroken, sourceBroken = false, false
	for _, i := range []int{1, 2} {
		_ = g.Reset(ids[i])
		sinks[i].fails = nil
		sinks[i].mirror, _ = g.Hydrate(ids[i], nil)
	}
	run(t, g, in, w.del(1))
	for i, s := range sinks {
		if want := w.sequence(xIs{w, -1})[:2]; !slices.Equal(s.mirror, want) {
			t.Errorf("window %d has %v, want %v", i, s.mirror, want)
		}
	}
}

func TestGraph_RanksStayDenseOverManyShortLives(t *testing.T) {
	w, g := newWorld(1), NewGraph()
	in, sink := line(t, g, w, 1)
	for range 5000 {
		f, err := g.AddFilter(in, xIs{w, -1})
		if err != nil {
			t.Fatal(err)
		}
		_ = g.Drop(f)
	}
	if got := g.Counters(); got.Nodes != 3 || got.Bytes > 4096 {
		t.Errorf("%+v", got)
	}
	run(t, g, in, w.put(0, 1, 1))
	if len(sink.mirror) != 1 {
		t.Error("lost its way")
	}
}

func TestGraph_RefusesWhatItCannotBuild(t *testing.T) {
	w, g := newWorld(1), NewGraph()
	in, _ := g.AddInput()
	try := func(_ NodeID, err error) error { return err }
	for i, c := range []struct{ got, want error }{
		{try(g.AddFilter(7, xIs{w, 1})), ErrNoNode},
		{try(g.AddFilter(in, nil)), ErrNoPredicate},
		{try(g.AddOutput(in, nil)), ErrNoSink},
		{try(g.AddWindow(in, WindowSpec{Keys: w})), ErrNoOrder},
		{try(g.AddWindow(in, WindowSpec{Order: w, Keys: w, Source: NewScanSource(w.rows, nil)})), ErrNoPins},
		{g.PushTo(7, nil), ErrNoNode},
		{g.SetWindow(in, 0, 1), ErrNotWindow},
		{g.Drop(-1), ErrNoNode},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %v, want %v", i, c.got, c.want)
		}
	}
	out, _ := g.AddOutput(in, &recorder{t: t})
	if err := g.Push(out, nil); err != ErrNotInput {
		t.Errorf("%v", err)
	}
}

// printer is a sink that writes what it is told.
type printer struct{}

func (printer) Receive(changes []Change, delta *Delta) {
	for _, l := range delta.Leaves {
		fmt.Println("row", l.Old, "leaves", l.At)
	}
	for _, e := range delta.Enters {
		fmt.Println("row", e.New, "enters at", e.At)
	}
}

func (printer) Fail(err error) { fmt.Println(err) }

// sameKey says that the key of a row is its slot: rows here never change.
type sameKey struct{}

func (sameKey) KeyOf(s Slot) Key { return s }

func ExampleGraph() {
	// The two cheapest rows, kept up to date.
	price := []int{30, 10, 20, 5}
	g := NewGraph()
	input, _ := g.AddInput()
	cheapest, _ := g.AddWindow(input, WindowSpec{Order: byPrice(price), Keys: sameKey{}, Limit: 2})
	_, _ = g.AddOutput(cheapest, printer{})

	rows, _ := g.Hydrate(cheapest, []uint32{0, 1, 2})
	fmt.Println("at first", rows)

	_ = g.Push(input, []Change{{Key: 3, Old: None, New: 3}})
	stats, _ := g.Run()
	fmt.Println(stats.Visits, "operators visited")
	// Output:
	// at first [1 2]
	// row 2 leaves 1
	// row 3 enters at 0
	// 2 operators visited
}

func TestRun_BuffersOfABulkLoadAreReleasedByTheNextRun(t *testing.T) {
	w, g := newWorld(50000), NewGraph()
	in, _ := line(t, g, w, 3)
	batch := make([]Change, len(w.current))
	for k := range batch {
		batch[k] = w.put(k, k, 0)
	}
	run(t, g, in, batch...)
	run(t, g, in)
	if got := g.Counters().Bytes; got > 4096 {
		t.Errorf("%d bytes", got)
	}
}
