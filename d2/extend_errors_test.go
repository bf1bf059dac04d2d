package d2

import (
	"errors"
	"testing"
)

// refusing refuses its place.
type refusing struct{ Concat }

var errPlace = errors.New("test: not here")

func (*refusing) Bind(Place) error { return errPlace }

func TestExtend_RefusesWhatIsWrongAndLeavesTheGraphAlone(t *testing.T) {
	type site struct {
		b                               *Builder
		in, gone, sum, distinct, window NodeID
		out, x, body                    NodeID
	}
	for _, c := range []struct {
		name  string
		build func(s site)
		want  error
	}{
		{"no operator", func(s site) { s.b.Add(nil, s.in) }, ErrNoOperator},
		{"a node that never was", func(s site) { s.b.Add(NewConcat(), 99) }, ErrNoNode},
		{"a node that is gone", func(s site) { s.b.Connect(s.in, s.gone, 0) }, ErrNoNode},
		{"a negative node", func(s site) { s.b.Connect(s.in, -1, 0) }, ErrNoNode},
		{"more inputs than ports", func(s site) { s.b.Add(NewConcat(), s.in, s.sum) }, ErrNoPort},
		{"a negative port", func(s site) { s.b.Connect(s.in, s.sum, -1) }, ErrNoPort},
		{"an operator that will not", func(s site) {
			s.b.Connect(s.b.Add(NewConcat(), s.in), s.sum, 0)
			s.b.Add(&refusing{}, s.in)
		}, errPlace},
		{"an edge to itself", func(s site) {
			n := s.b.Add(NewConcat(), s.in)
			s.b.Connect(n, n, 0)
		}, ErrCycleWithoutFeedback},
		{"a cycle without feedback", func(s site) {
			n := s.b.Add(NewConcat(), s.in)
			s.b.Connect(s.b.Add(NewConcat(), n), n, 0)
		}, ErrCycleWithoutFeedback},
		{"a cycle without feedback through an existing node", func(s site) {
			s.b.Connect(s.b.Add(NewConcat(), s.sum), s.sum, 0)
		}, ErrCycleWithoutFeedback},
		{"a cycle without feedback of existing nodes", func(s site) { s.b.Connect(s.distinct, s.sum, 0) }, ErrCycleWithoutFeedback},
		{"a second way round a cycle, without feedback", func(s site) {
			s.b.Connect(s.b.Add(NewConcat(), s.body), s.x, 0)
		}, ErrCycleWithoutFeedback},
		{"feedback that leads on", func(s site) {
			n, m := s.b.Add(NewConcat(), s.in), s.b.Add(NewConcat())
			s.b.Feedback(n, m, 0)
		}, ErrFeedbackOutsideCycle},
		{"feedback from an existing node", func(s site) { s.b.Feedback(s.in, s.b.Add(NewConcat()), 0) }, ErrFeedbackOutsideCycle},
		{"feedback out of an existing cycle", func(s site) { s.b.Feedback(s.body, s.b.Add(NewConcat()), 0) }, ErrFeedbackOutsideCycle},
		{"feedback between existing nodes", func(s site) { s.b.Feedback(s.in, s.sum, 0) }, ErrFeedbackOutsideCycle},
		{"feedback into an existing cycle", func(s site) { s.b.Feedback(s.b.Add(NewConcat(), s.in), s.x, 0) }, ErrFeedbackOutsideCycle},
		{"a window in a cycle", func(s site) {
			w, err := NewWindow(WindowSpec{Order: newWorld(1), Keys: newWorld(1)})
			if err != nil {
				t.Fatal(err)
			}
			s.b.Iterate(s.in, func(x NodeID) NodeID { return s.b.Add(w, x) })
		}, ErrLimitInCycle},
		{"an output in a cycle", func(s site) {
			s.b.Iterate(s.in, func(x NodeID) NodeID { return s.b.Add(NewOutput(OutputSpec{Sink: deaf{}}), x) })
		}, ErrLimitInCycle},
		{"an existing window drawn into a cycle", func(s site) { s.b.Feedback(s.window, s.sum, 0) }, ErrLimitInCycle},
		{"an existing output drawn into a cycle", func(s site) {
			s.b.Feedback(s.b.Add(NewConcat(), s.out), s.sum, 0)
		}, ErrLimitInCycle},
		{"one more edge into an operator that knows its place", func(s site) {
			s.b.Connect(s.b.Add(NewConcat(), s.in), s.window, 0)
		}, ErrBound},
		{"a loop in a loop", func(s site) {
			s.b.Iterate(s.in, func(x NodeID) NodeID {
				return s.b.Iterate(x, func(y NodeID) NodeID { return y })
			})
		}, ErrNestedLoop},
		{"a loop whose body has an error", func(s site) {
			s.b.Iterate(s.in, func(x NodeID) NodeID { return s.b.Add(NewConcat(), x, x) })
		}, ErrNoPort},
		{"the first of two errors", func(s site) {
			s.b.Add(nil)
			s.b.Connect(77, 78, 79)
		}, ErrNoOperator},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGraph()
			var s site
			w := newWorld(4)
			for k := range 4 {
				w.put(k, k, 0)
			}
			next := NodeID(0)
			window, err := NewWindow(WindowSpec{Order: w, Keys: w, Limit: 2})
			if err != nil {
				t.Fatal(err)
			}
			err = g.Extend(func(b *Builder) {
				s.in = b.Add(NewInput(nil))
				s.gone, next = b.Add(NewConcat(), s.in), b.Add(NewConcat(), s.in)
				s.sum = b.Add(NewConcat(), s.in)
				s.distinct = b.Add(NewConcat(), s.sum)
				s.window = b.Add(window, s.distinct)
				s.out = b.Add(NewOutput(OutputSpec{Sink: deaf{}}), s.sum)
				s.x = b.Iterate(s.in, func(x NodeID) NodeID {
					s.body = b.Add(sieve{above: 1}, b.Add(adder{-1}, x))
					return s.body
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = g.Drop(s.gone), g.Drop(next)
			before := shapeOf(g)
			err = g.Extend(func(b *Builder) {
				s.b = b
				free := b.Add(NewConcat(), s.sum) // something to take back
				c.build(s)
				b.Connect(free, b.Add(NewConcat(), s.distinct), 0)
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if after := shapeOf(g); after != before {
				t.Errorf("the graph has changed from\n%s\nto\n%s", before, after)
			}
			if fault := faultOf(g); fault != "" {
				t.Error(fault)
			}
			if id, err := g.Add(NewConcat(), s.in); id != next || err != nil {
				t.Errorf("the next node is %d (%v), want %d", id, err, next)
			}
			_ = g.Push(s.in, 0, []Diff{{3, 1}})
			// The sum and what it feeds, the new node, and the loop with 3, 2 and 1.
			if stats, err := g.Run(); err != nil || len(stats.Failed) > 0 || stats.Visits != 4+1+3*3 {
				t.Errorf("%+v, %v", stats, err)
			}
		})
	}
}

func TestExtend_APanicInTheBuildLeavesTheGraphAlone(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	sum, _ := g.Add(NewConcat(), in)
	before := shapeOf(g)
	func() {
		defer func() {
			if recover() != errTest {
				t.Error("the panic got lost")
			}
		}()
		_ = g.Extend(func(b *Builder) {
			b.Connect(b.Add(NewConcat(), in), sum, 0)
			panic(errTest)
		})
	}()
	if after := shapeOf(g); after != before {
		t.Errorf("the graph has changed from\n%s\nto\n%s", before, after)
	}
	if _, err := g.Run(); err != nil {
		t.Error(err)
	}
}

func TestExtend_NothingElseCanBeDoneMeanwhile(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	var kept *Builder
	err := g.Extend(func(b *Builder) {
		kept = b
		sum := b.Add(NewConcat(), in)
		_, run := g.Run()
		_, add := g.Add(NewConcat(), in)
		_, snap := g.Snapshot(in)
		for i, err := range []error{
			run, add, snap, g.Drop(in), g.Release(in), g.Reset(in), g.Hydrate(in), g.Touch(sum),
			g.Push(sum, 0, []Diff{{1, 1}}), g.Push(in, 0, []Diff{{1, 1}}), g.PushChanges(in, nil),
			g.Extend(func(*Builder) {}),
		} {
			if err != ErrBuilding {
				t.Errorf("call %d: %v", i, err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if id := kept.Add(NewConcat(), in); id != -1 || g.Counters().Nodes != 2 {
		t.Errorf("a builder that is done has added node %d", id)
	}
	kept.Connect(in, in, 0)
	if x := kept.Iterate(in, func(x NodeID) NodeID { return x }); x != -1 || faultOf(g) != "" {
		t.Error("a builder that is done has added a loop")
	}
}

func TestExtend_RefusesToNumberAnewWhileSomethingIsStaged(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	late, _ := g.Add(NewInput(nil))
	sum, _ := g.Add(NewConcat(), in)
	back := func() error { return g.Extend(func(b *Builder) { b.Connect(late, sum, 0) }) }
	_ = g.Push(in, 0, []Diff{{1, 1}})
	before := shapeOf(g)
	if err := back(); !errors.Is(err, ErrStaged) || shapeOf(g) != before {
		t.Errorf("%v", err)
	}
	// What only reads existing nodes can be built at any time.
	if _, err := g.Add(NewConcat(), sum); err != nil {
		t.Error(err)
	}
	_, _ = g.Run()
	if err := back(); err != nil || faultOf(g) != "" {
		t.Errorf("%v %s", err, faultOf(g))
	}
	_ = g.Push(late, 0, []Diff{{1, 1}})
	if stats, _ := g.Run(); stats.Visits != 2 {
		t.Errorf("%+v", stats)
	}
}
