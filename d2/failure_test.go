package d2

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// patient is input → operator → output, with a healthy output beside.
type patient struct {
	g       *Graph
	op      *defined
	in, id  NodeID
	out     NodeID
	sink    *collector
	healthy *collector
	content *stock
}

func newPatient(t *testing.T, spec OutputSpec) *patient {
	t.Helper()
	p := &patient{g: NewGraph(), content: &stock{sack{}}}
	p.op = newDefined("patient", 1, mapOf(func(x uint32) uint32 { return x }))
	p.sink, p.healthy = &collector{told: sack{}}, &collector{told: sack{}}
	spec.Sink = p.sink
	err := p.g.Extend(func(b *Builder) {
		p.in = b.Add(NewInput(p.content))
		p.id = b.Add(p.op, p.in)
		p.out = b.Add(NewOutput(spec), p.id)
		b.Add(NewOutput(OutputSpec{Sink: p.healthy}), p.in)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *patient) push(t *testing.T, batch ...Diff) RunStats {
	t.Helper()
	p.content.addBatch(batch)
	_ = p.g.Push(p.in, 0, batch)
	stats, err := p.g.Run()
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func (p *patient) cure(t *testing.T, ids ...NodeID) {
	t.Helper()
	p.sink.fails = nil
	if err := p.g.Reset(ids...); err != nil {
		t.Fatal(err)
	}
	if err := p.g.Hydrate(ids...); err != nil {
		t.Fatal(err)
	}
}

func TestFailure_SaysWhatWhereAndWhy(t *testing.T) {
	p := newPatient(t, OutputSpec{})
	p.op.mishap = &mishap{}
	stats := p.push(t, Diff{1, 1}, Diff{2, 1})
	var ne *NodeError
	if len(p.sink.fails) != 1 || !errors.As(p.sink.fails[0], &ne) || !errors.Is(ne, errDefined) || ne.Node != p.id ||
		ne.Op != "patient" || ne.Batch != 2 {
		t.Errorf("%v", p.sink.fails)
	}
	if want := "d2: patient 1 failed on 2 differences: " + errDefined.Error(); ne.Error() != want {
		t.Errorf("%q", ne.Error())
	}
	if !slices.Equal(stats.Failed, []NodeID{p.id}) || p.g.Counters().Failed != 2 {
		t.Errorf("%+v", stats)
	}
	if p.push(t, Diff{3, 1}); len(p.sink.fails) != 1 || len(p.healthy.told) != 3 {
		t.Errorf("%v, %v", p.sink.fails, p.healthy.told)
	}
}

// Shrunk: an output that keeps what it told had taken a batch for told that its
// keys then refused; the repair left those rows out.
func TestFailure_OfAnOutputDoesNotCountAsTold(t *testing.T) {
	for _, retain := range []bool{false, true} {
		p := newPatient(t, OutputSpec{Keys: sameKey{}, Retain: retain})
		p.push(t, Diff{1, 1})
		if p.push(t, Diff{2, 1}, Diff{3, 2}); len(p.sink.fails) != 1 || !errors.Is(p.sink.fails[0], ErrMultiplicity) {
			t.Fatalf("%v", p.sink.fails)
		}
		p.push(t, Diff{3, -1}, Diff{1, -1}, Diff{4, 1})
		p.cure(t, p.out)
		if want := (sack{2: 1, 3: 1, 4: 1}); !maps.Equal(p.sink.told, want) || p.sink.fresh == retain {
			t.Errorf("retained: %v, told %v, fresh: %v", retain, p.sink.told, p.sink.fresh)
		}
	}
}

// Shrunk: a hydration that failed as well had already replaced what was told.
func TestFailure_DuringAHydrationKeepsWhatWasTold(t *testing.T) {
	p := newPatient(t, OutputSpec{Keys: sameKey{}, Retain: true})
	p.push(t, Diff{1, 1}, Diff{2, 1})
	p.push(t, Diff{2, -1}, Diff{3, 2})
	p.cure(t, p.out) // row 3 is still there twice
	if len(p.sink.fails) != 1 {
		t.Fatalf("%v", p.sink.fails)
	}
	p.push(t, Diff{3, -1})
	p.cure(t, p.out)
	if want := (sack{1: 1, 3: 1}); !maps.Equal(p.sink.told, want) || p.sink.fresh {
		t.Errorf("%v", p.sink.told)
	}
}

func TestFailure_OfASinkIsNotToldToIt(t *testing.T) {
	p := newPatient(t, OutputSpec{Retain: true})
	below := &collector{told: sack{}}
	_, _ = p.g.Add(NewOutput(OutputSpec{Sink: below, Retain: true}), p.out)
	p.push(t, Diff{1, 1})
	p.sink.then = func() {
		p.sink.told = sack{1: 1} // as if it had not happened
		panic("no more")
	}
	stats := p.push(t, Diff{2, 1})
	if len(p.sink.fails) != 0 || len(below.fails) != 1 || !strings.Contains(below.fails[0].Error(), "no more") {
		t.Errorf("%v, %v", p.sink.fails, below.fails)
	}
	if !slices.Equal(stats.Failed, []NodeID{p.out}) || len(p.healthy.told) != 2 {
		t.Errorf("%+v, %v", stats, p.healthy.told)
	}
	p.sink.then, below.fails = nil, nil
	p.push(t, Diff{1, -1})
	p.cure(t, p.out)
	for _, s := range []*collector{p.sink, below} {
		if !maps.Equal(s.told, sack{2: 1}) || s.fresh || len(s.fails) > 0 {
			t.Errorf("%v, %v", s.told, s.fails)
		}
	}
}

func TestFailure_ASinkThatPanicsWhenToldOfAFailureIsLeftAlone(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	n := newDefined("bad", 1, distinctOf)
	n.mishap = &mishap{}
	bad, _ := g.Add(n, in)
	_, _ = g.Add(NewOutput(OutputSpec{Sink: brittle{}}), bad)
	_ = g.Push(in, 0, []Diff{{1, 1}})
	if stats, err := g.Run(); err != nil || len(stats.Failed) != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
}

type brittle struct{}

func (brittle) Receive(*Result) { panic(errTest) }
func (brittle) Fail(error)      { panic(errTest) }

// Two failures in one run below which somebody reads both. Shrunk: neither could
// be reset, each being in the way of the other.
func TestReset_OfTwoFailuresWithACommonReader(t *testing.T) {
	g, content := NewGraph(), &stock{sack{}}
	in, _ := g.Add(NewInput(content))
	a, b := newDefined("a", 1, distinctOf), newDefined("b", 1, negationOf)
	left, _ := g.Add(a, in)
	right, _ := g.Add(b, in)
	sum, _ := g.Add(newDefined("union", 2, unionOf), left, right)
	sink := &collector{told: sack{}}
	_, _ = g.Add(NewOutput(OutputSpec{Sink: sink}), sum)
	a.mishap, b.mishap = &mishap{}, &mishap{panic: true}
	content.addBatch([]Diff{{4, 3}})
	_ = g.Push(in, 0, content.diffs())
	stats, err := g.Run()
	if err != nil || !slices.Equal(stats.Failed, []NodeID{left, right}) || len(sink.fails) != 1 {
		t.Fatalf("%+v, %v, %v", stats, err, sink.fails)
	}
	for _, id := range []NodeID{left, right, sum} {
		if err := g.Reset(id); err != ErrUpstream || g.Failed(id) == nil {
			t.Errorf("%v", err)
		}
	}
	if err := errors.Join(g.Reset(left, right), g.Hydrate(left, right)); err != nil || !maps.Equal(sink.told, sack{4: -2}) {
		t.Errorf("%v, %v", err, sink.told)
	}
}

func TestFailure_AWeightThatDoesNotFit(t *testing.T) {
	const most = 1<<31 - 1
	for name, c := range map[string]struct {
		spec   OutputSpec
		first  []Diff
		second []Diff
		at     func(p *patient) NodeID
	}{
		"within a batch": {first: []Diff{{1, most}, {1, 1}}, at: func(p *patient) NodeID { return p.in }},
		"over two runs, in what is kept": {
			spec: OutputSpec{Retain: true}, first: []Diff{{1, most}}, second: []Diff{{1, 1}},
			at: func(p *patient) NodeID { return p.out },
		},
		"below zero": {first: []Diff{{1, -most}, {1, -2}}, at: func(p *patient) NodeID { return p.in }},
	} {
		p := newPatient(t, c.spec)
		stats := p.push(t, c.first...)
		if c.second != nil {
			stats = p.push(t, c.second...)
		}
		id := c.at(p)
		if !slices.Equal(stats.Failed, []NodeID{id}) || !errors.Is(p.g.Failed(id), ErrWeight) || len(p.sink.fails) != 1 {
			t.Errorf("%s: %+v, %v", name, stats, p.sink.fails)
		}
		// An input keeps nothing: when the source is sound again so is all it feeds.
		p.content.sack = sack{5: 1}
		p.healthy.fails = nil
		p.cure(t, p.in)
		if !maps.Equal(p.sink.told, sack{5: 1}) {
			t.Errorf("%s: %v", name, p.sink.told)
		}
	}
}

func TestFailure_OfTheSchedulerEndsTheGraph(t *testing.T) {
	for name, spoil := range map[string]func(p *patient){
		"in a walk":           func(p *patient) { p.g.byRank[p.g.Rank(p.id)] = nil },
		"in a sweep":          func(p *patient) { p.g.swept = append(p.g.swept, sweeper{}) },
		"before the first":    func(p *patient) { p.g.large = append(p.g.large, nil) },
		"in a batch's source": func(p *patient) { p.g.nodes[p.id].ports[0].from = []*node{nil} },
	} {
		p := newPatient(t, OutputSpec{})
		p.push(t, Diff{1, 1})
		spoil(p)
		_ = p.g.Push(p.in, 0, []Diff{{2, 1}})
		_, err := p.g.Run()
		if !errors.Is(err, ErrGraphPoisoned) || len(p.sink.fails) != 1 || len(p.healthy.fails) != 1 {
			t.Errorf("%s: %v, %v, %v", name, err, p.sink.fails, p.healthy.fails)
		}
		_, again := p.g.Run()
		_, add := p.g.Add(NewConcat(), p.in)
		for i, err := range []error{
			again, add, p.g.Push(p.in, 0, []Diff{{3, 1}}), p.g.Drop(p.in), p.g.Reset(p.in), p.g.Hydrate(p.in),
			p.healthy.fails[0],
		} {
			if !errors.Is(err, ErrGraphPoisoned) {
				t.Errorf("%s: call %d: %v", name, i, err)
			}
		}
		if len(p.sink.fails) != 1 || len(p.healthy.fails) != 1 {
			t.Errorf("%s: told twice", name)
		}
	}
}

type sweeper struct{}

func (sweeper) Sweep() { panic(errTest) }

func TestFailure_PanicValuesOfAnyKind(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{errTest, errTest.Error()},
		{"text", "text"},
		{7, "no error"},
		{OrderFault{errTest}, errTest.Error()},
		{SourceFault{errTest}, errTest.Error()},
		{OrderFault{}, "no error"},
		{SourceFault{}, "no error"},
		{nil, "nil"},
	} {
		g := NewGraph()
		in, _ := g.Add(NewInput(nil))
		id, _ := g.Add(hook{func() { panic(c.value) }}, in)
		_ = g.Push(in, 0, []Diff{{1, 1}})
		_, err := g.Run()
		if got := g.Failed(id); err != nil || got == nil || !strings.Contains(got.Error(), c.want) {
			t.Errorf("%v: %v", c.value, got)
		}
	}
}

// A visit that goes wrong has asked for a sweep; rows it has let go are freed
// all the same.
func TestFailure_SweepsWhatTheVisitHasAskedFor(t *testing.T) {
	g, table := NewGraph(), NewTable(1)
	in, _ := g.Add(NewInput(nil))
	_, _ = g.Add(littering{table}, in)
	_ = g.Push(in, 0, []Diff{{1, 1}})
	if stats, err := g.Run(); err != nil || len(stats.Failed) != 1 || table.Len() != 0 {
		t.Errorf("%+v, %v, %d rows left", stats, err, table.Len())
	}
}

type littering struct{ table *Table }

func (littering) Name() string { return "littering" }
func (littering) Ports() int   { return 1 }

func (l littering) Apply(v *Visit, out *Out) error {
	l.table.Intern1(7)
	l.table.SweepAfter(v)
	return errTest
}

func TestFailure_WhatReachesAFailedNodeIsNotKept(t *testing.T) {
	p := newPatient(t, OutputSpec{})
	p.op.mishap = &mishap{}
	p.push(t, Diff{1, 1})
	before := p.g.Counters()
	for i := range uint32(1000) {
		p.push(t, Diff{i, 1}, Diff{i + 1, -1})
	}
	if after := p.g.Counters(); after.Bytes > before.Bytes+256 || after.Retained != before.Retained {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// An input that is reset tells its content, in which what was pushed meanwhile
// is included.
func TestReset_OfAnInputDoesNotCountWhatIsStagedTwice(t *testing.T) {
	p := newPatient(t, OutputSpec{})
	p.push(t, Diff{1, 1})
	if err := p.g.Reset(p.in); err != nil {
		t.Fatal(err)
	}
	p.content.addBatch([]Diff{{2, 1}})
	_ = p.g.Push(p.in, 0, []Diff{{2, 1}})
	if err := p.g.Hydrate(p.in); err != nil || !maps.Equal(p.sink.told, sack{1: 1, 2: 1}) || p.sink.received != 2 {
		t.Errorf("%v, told %v in %d calls", err, p.sink.told, p.sink.received)
	}
	p.push(t, Diff{3, 1})
	if !maps.Equal(p.sink.told, sack{1: 1, 2: 1, 3: 1}) {
		t.Errorf("%v", p.sink.told)
	}
}
