package d2

import (
	"errors"
	"testing"
)

// tape reads numbers off bytes, zeros at the end.
type tape struct {
	bytes []byte
	at    int
}

func (p *tape) next() int {
	if p.at >= len(p.bytes) {
		return 0
	}
	p.at++
	return int(p.bytes[p.at-1])
}

func (p *tape) under(n int) int { return p.next() % n }

// fuzzed is a graph that is told to do whatever the bytes say.
type fuzzed struct {
	p    tape
	g    *Graph
	home *Table
}

// anyone picks a node id, mostly one that exists.
func (f *fuzzed) anyone() NodeID {
	n := f.p.next()
	if n >= 250 || len(f.g.nodes) == 0 {
		return NodeID(n - 251)
	}
	return NodeID(n % len(f.g.nodes))
}

func (f *fuzzed) batch() []Diff {
	batch := make([]Diff, f.p.under(6))
	for i := range batch {
		n := f.p.next()
		batch[i] = Diff{uint32(n % 16), []int32{1, -1, 1, -1, 2, 1, 0, -1}[n>>5]}
		if n > 253 {
			batch[i].Weight = -1 << 31
		}
	}
	return batch
}

func (f *fuzzed) operator() Operator {
	w, wrap := words{}, func(x uint32) uint32 { return x & 15 }
	if f.p.under(2) == 0 {
		w.home = f.home
		wrap = func(x uint32) uint32 { return f.home.Intern1(uint64(x & 15)) }
	}
	switch f.p.under(14) {
	case 0:
		return NewConcat()
	case 1:
		return NewDistinct()
	case 2:
		return w.derived(NewMap(mapping(func(x uint32) uint32 { return wrap(x + 1) })))
	case 3:
		return NewNegate()
	case 4:
		return sieve{of: 3, is: 1}
	case 5:
		return NewArrange(partKey{0})
	case 6:
		return NewJoin(JoinSpec{Rows: making(func(l, r uint32) uint32 { return wrap(l + r) }), Table: w.home})
	case 7:
		return NewSemijoin()
	case 8:
		return NewReduce(partKey{0}, LeastRow(nil), nil)
	case 9:
		return NewInput(listed{1, 2})
	case 10:
		op := newDefined("spoilt", 1+f.p.under(2), func(in []sack) sack { return distinctOf(in[:1]) })
		op.mishap = &mishap{in: f.p.under(4), panic: f.p.under(2) == 0}
		return op
	case 11:
		return NewOutput(OutputSpec{Sink: &pusher{f}, Retain: f.p.under(2) == 0})
	case 12:
		return NewOutput(OutputSpec{Sink: brittle{}})
	}
	return newDefined("distinct", 1, distinctOf)
}

// pusher is a sink that pushes as long as there are bytes.
type pusher struct{ f *fuzzed }

func (p *pusher) Receive(*Result) { p.more() }
func (p *pusher) Fail(error)      { p.more() }

func (p *pusher) more() {
	f := p.f
	if f.p.at < len(f.p.bytes) && f.p.under(4) == 0 {
		_ = f.g.Push(f.anyone(), f.p.under(2), f.batch())
		if err := f.g.Touch(f.anyone()); err != ErrRunning {
			panic(err)
		}
	}
}

func (f *fuzzed) extend() {
	_ = f.g.Extend(func(b *Builder) {
		if len(f.g.nodes) == 0 {
			b.Add(NewInput(listed{1, 2}))
		}
		for range 1 + f.p.under(4) {
			switch f.p.under(12) {
			case 0:
				b.Connect(f.anyone(), f.anyone(), f.p.under(2))
			case 1:
				b.Feedback(f.anyone(), f.anyone(), f.p.under(2))
			case 2, 3:
				b.Iterate(f.anyone(), func(x NodeID) NodeID {
					return b.Add(f.operator(), b.Add(f.operator(), x))
				})
			case 4, 5:
				left := b.Add(NewArrange(partKey{0}), f.anyone())
				b.Add(NewJoin(JoinSpec{Rows: making(func(l, r uint32) uint32 { return (l + r) & 15 })}),
					left, b.Add(NewArrange(partKey{0}), f.anyone()))
			case 6:
				b.Add(f.operator())
			default:
				b.Add(f.operator(), f.anyone())
			}
		}
	})
}

// step does one thing and returns the error if it must not be one.
func (f *fuzzed) step() error {
	id := f.anyone()
	switch what := f.p.under(64); {
	case what == 0:
		if id == 0 && f.p.under(8) > 0 {
			return nil // that would be the end of nearly everything
		}
		return f.g.Drop(id)
	case what < 3:
		return f.g.Release(id)
	case what < 5:
		return f.g.Hold(id)
	case what < 8:
		return f.g.Touch(id)
	case what < 12:
		return f.g.Reset(id, f.anyone())
	case what < 18:
		return f.g.Hydrate(id)
	case what < 22:
		_, err := f.g.Snapshot(id)
		return err
	case what < 36:
		_, err := f.g.Run()
		return err
	case what < 46:
		if len(f.g.nodes) < 40 {
			f.extend()
		}
		return nil
	}
	return f.g.Push(id, f.p.under(2), f.batch())
}

// FuzzGraphInputs: whatever is built, pushed and asked for in whatever order
// comes to a result or to an error. Nothing panics, and no operator, user or
// caller can make the scheduler fail as a whole.
func FuzzGraphInputs(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a graph, some rows, and a run"))
	f.Add([]byte{1, 10, 5, 2, 0, 2, 1, 2, 1, 2, 12, 0, 3, 1, 2, 3, 1, 7, 1, 4, 0, 1, 5})
	for seed := range byte(12) {
		bytes := make([]byte, 400)
		x := uint32(seed) * 0x9e3779b9
		for i := range bytes {
			x = x*1664525 + 1013904223
			bytes[i] = byte(x >> 24)
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		f := &fuzzed{p: tape{bytes: bytes}, g: NewGraph(), home: NewTable(1)}
		f.g.MaxIterations = 12
		for f.p.at < min(len(bytes), 1000) {
			if err := f.step(); errors.Is(err, ErrGraphPoisoned) {
				t.Fatal(err)
			}
			if f.g.poisoned != nil || f.g.running || f.g.building {
				t.Fatalf("running %v, building %v, %v", f.g.running, f.g.building, f.g.poisoned)
			}
		}
		if fault := faultOf(f.g); fault != "" {
			t.Fatalf("%s in\n%s", fault, shapeOf(f.g))
		}
		for id := range NodeID(len(f.g.nodes)) {
			_ = f.g.Drop(id)
		}
		if c := f.g.Counters(); c != (Counters{}) {
			t.Fatalf("%+v after everything was dropped", c)
		}
	})
}
