package d2

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// line builds input → filters → output and returns its ends.
func line(t *testing.T, g *Graph, w *world, filters int) (NodeID, *recorder) {
	t.Helper()
	in, err := g.addInput()
	at := in
	for range filters {
		if err == nil {
			at, err = g.addFilter(at, xIs{w, -1})
		}
	}
	sink := &recorder{t: t}
	if err == nil {
		_, err = g.addOutput(at, sink, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, sink
}

func run(t *testing.T, g *Graph, node NodeID, batch ...Change) RunStats {
	t.Helper()
	if err := g.PushChanges(node, batch); err != nil {
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
		in, _ := g.addInput()
		routes := make([]NodeID, branches)
		for b := range routes {
			routes[b], _ = g.addFilter(in, xIs{w, -1})
			if _, err := g.addOutput(routes[b], &recorder{t: t}, w); err != nil {
				t.Fatal(err)
			}
		}
		if got := run(t, g, routes[branches/2], w.put(3, 1, 1)).Visits; got != 2 {
			t.Errorf("%d branches: %d visits", branches, got)
		}
		batch := []Change{w.put(4, 1, 1)}
		back := []Change{{4, batch[0].New, None}}
		b := 0
		step := func() {
			b = (b + 7) % branches
			_ = g.PushChanges(routes[b], batch)
			_, _ = g.Run()
			_ = g.PushChanges(routes[b], back)
			_, _ = g.Run()
		}
		for range branches {
			step()
		}
		if n := testing.AllocsPerRun(50, step); n > 0 {
			t.Errorf("%v allocations per run", n)
		}
	}
}

func TestRun_ACancelledBatchVisitsNothing(t *testing.T) {
	w, g := newWorld(1), NewGraph()
	in, sink := line(t, g, w, 2)
	put := w.put(0, 1, 1)
	_ = g.PushChanges(in, []Change{put})
	if got := run(t, g, in, w.del(0)).Visits; got != 0 || sink.received != 0 {
		t.Errorf("%d visits, sink called %d times", got, sink.received)
	}
}

func TestRun_TwoRowsOfOneKeyFailWhatIsKeyed(t *testing.T) {
	w, g := newWorld(2), NewGraph()
	in, sink := line(t, g, w, 1)
	first := w.put(0, 1, 1)
	_ = g.PushChanges(in, []Change{first})
	run(t, g, in, first)
	if len(sink.fails) != 1 || !errors.Is(sink.fails[0], ErrMultiplicity) {
		t.Fatalf("failures: %v", sink.fails)
	}
	want := "d2: output 2 failed on 1 differences: " + ErrMultiplicity.Error()
	if got := sink.fails[0].Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestConsolidate_AddsUpPerRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		batch, want := []Diff{}, map[uint32]int32{}
		rows := []int{3, 40, 1 << 20}[c.intn(3)]
		for range c.intn(200) {
			d := Diff{uint32(c.intn(rows)), int32(c.intn(5) - 2)}
			batch = append(batch, d)
			want[d.Row] += d.Weight
		}
		got, err := NewGraph().consolidate(batch)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range got {
			if d.Weight == 0 || d.Weight != want[d.Row] || i > 0 && got[i-1].Row >= d.Row {
				t.Fatalf("%v, want %v", got, want)
			}
			delete(want, d.Row)
		}
		for row, weight := range want {
			if weight != 0 {
				t.Fatalf("row %d of weight %d is missing", row, weight)
			}
		}
	})
}

func TestConsolidate_RefusesAWeightThatDoesNotFit(t *testing.T) {
	batch := []Diff{{1, 1 << 30}, {1, 1 << 30}, {2, 1}}
	if _, err := NewGraph().consolidate(batch); err != ErrWeight {
		t.Errorf("%v", err)
	}
}

func TestRun_SumsWhatTheSourceEmitsWithWhatIsPushedPastIt(t *testing.T) {
	w, g := newWorld(2), NewGraph()
	in, _ := g.addInput()
	all, _ := g.addFilter(in, xIs{w, -1})
	sink := &recorder{t: t}
	_, _ = g.addOutput(all, sink, w)
	_ = g.PushChanges(in, []Change{w.put(0, 1, 1)})
	if got := run(t, g, all, w.put(1, 1, 1)); got.Visits != 2 || got.Changes != 4 || len(sink.mirror) != 2 {
		t.Errorf("%+v, %v", got, sink.mirror)
	}
	if g.LastRun().Changes != 4 || g.Totals().Changes != 4 {
		t.Errorf("%+v, %+v", g.LastRun(), g.Totals())
	}
}

func TestGraph_AnswersForHydratingWhatStandsBehindANode(t *testing.T) {
	w, g := newWorld(9), NewGraph()
	for k := range 9 {
		w.put(k, -k, k%2)
	}
	in, _ := g.addInput()
	odd, _ := g.addFilter(in, xIs{w, 1})
	rows, err := g.Operator(odd).(*Filter).Select(w.current, nil)
	if want := []uint32{1, 3, 5, 7}; err != nil || !slices.Equal(rows, want) {
		t.Fatalf("%v %v", rows, err)
	}
	win, _ := g.addWindow(odd, WindowSpec{Order: w, Keys: w, Offset: 1, Limit: 2})
	first, _ := g.LoadWindow(win, rows)
	again, _ := g.Rows(win, nil)
	if want := []uint32{5, 3}; !slices.Equal(first, want) || !slices.Equal(again, want) {
		t.Errorf("%v, then %v", first, again)
	}
	if o, l, err := g.Bounds(win); o != 1 || l != 2 || err != nil {
		t.Errorf("%d %d %v", o, l, err)
	}
	fault := 2
	broken, _ := g.addFilter(in, faulty{xIs{w, 1}, &fault})
	if _, err := g.Operator(broken).(*Filter).Select(w.current, nil); err != errTest {
		t.Errorf("%v", err)
	}
}

// caller is a sink that does what sinks must not.
type caller struct {
	g    *Graph
	errs []error
}

func (c *caller) Receive(*Result) {
	_, run := c.g.Run()
	_, add := c.g.addInput()
	c.errs = append(c.errs, run, add, c.g.Drop(0), c.g.SetWindow(0, 0, 0), c.g.Reset(0), c.g.Release(0), c.g.Touch(0), c.g.Hydrate(0))
}

func (c *caller) Fail(error) {}

func TestRun_CallsFromInsideARunAreRefused(t *testing.T) {
	w, g := newWorld(1), NewGraph()
	in, _ := g.addInput()
	c := &caller{g: g}
	_, _ = g.addOutput(in, c, w)
	run(t, g, in, w.put(0, 1, 1))
	if len(c.errs) != 8 {
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
	out, _ := g.addOutput(in, bad, w)
	_, _ = g.addOutput(out, below, w)
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
	in, _ := g.addInput()
	source := NewScanSource(w.rows, nil)
	spec := WindowSpec{Order: w, Keys: w, Limit: 2, Source: source, Pins: w, Cushion: Cushion{Fixed: true}}
	specs := []WindowSpec{spec, spec, spec}
	specs[1].Order = brokenOrder{w, &orderBroken}
	specs[2].Source = brokenSource{source, &sourceBroken}
	sinks, ids := []*recorder{}, []NodeID{}
	for _, s := range specs {
		id, err := g.addWindow(in, s)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := g.LoadWindow(id, nil)
		sink := &recorder{t: t, mirror: rows}
		_, _ = g.addOutput(id, sink, w)
		sinks, ids = append(sinks, sink), append(ids, id)
	}
	orderBroken, sourceBroken = true, true
	if got := run(t, g, in, w.del(0)); len(got.Failed) != 2 || got.Visits != 4 {
		t.Errorf("%+v", got)
	}
	if len(sinks[0].fails) != 0 || len(sinks[0].mirror) != 2 {
		t.Errorf("a healthy window suffers: %v", sinks[0].fails)
	}
	for _, i := range []int{1, 2} {
		if len(sinks[i].fails) != 1 {
			t.Fatalf("window %d: %v", i, sinks[i].fails)
		}
		if _, err := g.LoadWindow(ids[i], nil); err != ErrFailed {
			t.Errorf("%v", err)
		}
		_ = g.Reset(ids[i])
		if got := g.Retained(ids[i]); got != 0 {
			t.Errorf("a reset window holds %d rows", got)
		}
		if _, err := g.LoadWindow(ids[i], nil); i == 2 && err == nil {
			t.Error("hydration from a broken source succeeds")
		}
	}
	orderBroken, sourceBroken = false, false
	for _, i := range []int{1, 2} {
		_ = g.Reset(ids[i])
		sinks[i].fails = nil
		sinks[i].mirror, _ = g.LoadWindow(ids[i], nil)
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
		f, err := g.addFilter(in, xIs{w, -1})
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
	in, _ := g.addInput()
	try := func(_ NodeID, err error) error { return err }
	for i, c := range []struct{ got, want error }{
		{try(g.addFilter(7, xIs{w, 1})), ErrNoNode},
		{try(g.addFilter(in, nil)), ErrNoPredicate},
		{try(g.addOutput(in, nil, w)), ErrNoSink},
		{try(g.addWindow(in, WindowSpec{Keys: w})), ErrNoOrder},
		{try(g.addWindow(in, WindowSpec{Order: w, Keys: w, Source: NewScanSource(w.rows, nil)})), ErrNoPins},
		{g.PushChanges(7, nil), ErrNoNode},
		{g.SetWindow(in, 0, 1), ErrNotWindow},
		{g.Drop(-1), ErrNoNode},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("case %d: %v, want %v", i, c.got, c.want)
		}
	}
	if got := g.Counters(); got.Nodes != 1 {
		t.Errorf("a refused node is left behind: %+v", got)
	}
}

// printer is a sink that writes what it is told.
type printer struct{}

func (printer) Receive(r *Result) {
	delta := r.Delta
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
	input, _ := g.Add(NewInput(nil))
	window, _ := NewWindow(WindowSpec{Order: byPrice(price), Keys: sameKey{}, Limit: 2})
	cheapest, _ := g.Add(window, input)
	_, _ = g.Add(NewOutput(OutputSpec{Sink: printer{}, Keys: sameKey{}}), cheapest)

	rows, _ := g.LoadWindow(cheapest, []uint32{0, 1, 2})
	fmt.Println("at first", rows)

	_ = g.PushChanges(input, []Change{{Key: 3, Old: None, New: 3}})
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
