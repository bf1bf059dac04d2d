package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// clearing counts how often a node's state was cleared.
type clearing struct {
	Concat
	cleared int
}

func (*clearing) Retained() int { return 1 }
func (*clearing) Bytes() int    { return 0 }
func (k *clearing) Clear()      { k.cleared++ }

// owners is a graph beside a plain account of who needs what.
type owners struct {
	t     *rapid.T
	d     dice
	g     *Graph
	ids   []NodeID // in order of creation
	ops   map[NodeID]*clearing
	held  map[NodeID]int
	feeds map[NodeID][]NodeID
	gone  []*clearing
}

// grow adds a node over existing ones, or a cycle of three.
func (o *owners) grow() {
	add := func(b *Builder, ins ...NodeID) NodeID {
		op := &clearing{}
		id := b.Add(op)
		for _, in := range ins {
			b.Connect(in, id, 0)
			o.feeds[in] = append(o.feeds[in], id)
		}
		o.ids, o.ops[id], o.held[id] = append(o.ids, id), op, 1
		return id
	}
	ins := []NodeID{}
	for range o.d.under(4) {
		if len(o.ids) > 0 {
			ins = append(ins, o.ids[o.d.under(len(o.ids))])
		}
	}
	err := o.g.Extend(func(b *Builder) {
		n := add(b, ins...)
		if o.d.under(3) == 0 {
			end := add(b, add(b, n))
			b.Feedback(end, n, 0)
			o.feeds[end] = append(o.feeds[end], n)
		}
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *owners) reach(from NodeID) []NodeID {
	list := slices.Clone(o.feeds[from])
	for i := 0; i < len(list); i++ {
		for _, to := range o.feeds[list[i]] {
			if !slices.Contains(list, to) {
				list = append(list, to)
			}
		}
	}
	return list
}

// needed tells whether a node, or one of its cycle, is held or feeds a node
// outside of it.
func (o *owners) needed(id NodeID) bool {
	cycle := []NodeID{id}
	for _, other := range o.reach(id) {
		if slices.Contains(o.reach(other), id) {
			cycle = append(cycle, other)
		}
	}
	for _, n := range cycle {
		if o.held[n] > 0 {
			return true
		}
		for _, to := range o.feeds[n] {
			if !slices.Contains(cycle, to) {
				return true
			}
		}
	}
	return false
}

func (o *owners) forget(gone []NodeID) {
	is := func(id NodeID) bool { return slices.Contains(gone, id) }
	for _, id := range gone {
		if op := o.ops[id]; op != nil {
			o.gone = append(o.gone, op)
		}
		delete(o.ops, id)
		delete(o.held, id)
		delete(o.feeds, id)
	}
	o.ids = slices.DeleteFunc(o.ids, is)
	for id, to := range o.feeds {
		o.feeds[id] = slices.DeleteFunc(to, is)
	}
}

// settle removes what nobody needs, until there is nothing of the kind.
func (o *owners) settle() {
	for i := 0; i < len(o.ids); {
		if id := o.ids[i]; !o.needed(id) {
			o.forget([]NodeID{id})
			i = 0
			continue
		}
		i++
	}
}

func (o *owners) check() {
	if fault := faultOf(o.g); fault != "" {
		o.t.Fatalf("%s in\n%s", fault, shapeOf(o.g))
	}
	for _, id := range o.ids {
		if o.g.Operator(id) != o.ops[id] || o.ops[id].cleared != 0 {
			o.t.Fatalf("node %d, which is needed, is gone from\n%s", id, shapeOf(o.g))
		}
	}
	for _, op := range o.gone {
		if op.cleared != 1 {
			o.t.Fatalf("a node that is gone was cleared %d times", op.cleared)
		}
	}
	if got := o.g.Counters(); got.Nodes != len(o.ids) || got.Retained != len(o.ids) {
		o.t.Fatalf("%+v, want %d nodes:\n%s", got, len(o.ids), shapeOf(o.g))
	}
}

// Laws: a node lives as long as it, or one of its cycle, is held or feeds
// something that lives; dropping a node takes what it feeds along; the state of
// what goes is cleared once.
func TestGraph_KeepsWhatIsHeldOrReadAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &owners{
			t: t, d: newDice(t), g: NewGraph(),
			ops: map[NodeID]*clearing{}, held: map[NodeID]int{}, feeds: map[NodeID][]NodeID{},
		}
		for range 1 + o.d.under(25) {
			if what := o.d.under(8); len(o.ids) == 0 || what < 3 {
				o.grow()
			} else {
				id := o.ids[o.d.under(len(o.ids))]
				var err error
				switch what {
				case 3:
					err = o.g.Drop(id)
					o.forget(append(o.reach(id), id))
				case 4:
					err = o.g.Hold(id)
					o.held[id]++
				default:
					err = o.g.Release(id)
					o.held[id] = max(0, o.held[id]-1)
				}
				if err != nil {
					t.Fatal(err)
				}
				o.settle()
			}
			o.check()
		}
		for len(o.ids) > 0 {
			id := o.ids[len(o.ids)-1]
			for range o.held[id] {
				_ = o.g.Release(id)
			}
			if o.held[id] = 0; o.needed(id) {
				// Only by something below; the walk gets there.
				o.ids = append([]NodeID{id}, o.ids[:len(o.ids)-1]...)
			}
			o.settle()
			o.check()
		}
		if c := o.g.Counters(); c != (Counters{}) {
			t.Fatalf("%+v", c)
		}
	})
}

// Shrunk: the reader was the last node but its source, which it reads twice; when
// both went the second edge was followed into a graph that had nothing left.
func TestRelease_OfTheLastReaderOfASourceReadTwice(t *testing.T) {
	g := NewGraph()
	source, _ := g.Add(NewConcat())
	reader, _ := g.Add(newDefined("join", 2, joinOf(func(a, b uint32) (uint32, bool) { return a, a == b })), source, source)
	_, _ = g.Release(source), g.Release(reader)
	if c := g.Counters(); c != (Counters{}) {
		t.Errorf("%+v", c)
	}
}

// Shrunk: a walk over new nodes began its marks anew, so that the next walk took
// an old node for visited and left the operator below it alone.
func TestDrop_AfterABuildOutOfOrderTakesEverythingAlong(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewConcat())
	other, _ := g.Add(NewConcat(), in)
	below, _ := g.Add(NewConcat(), other)
	gone, _ := g.Add(NewConcat(), below)
	_ = g.Drop(gone)
	_ = g.Extend(func(b *Builder) {
		late := b.Add(NewConcat())
		b.Connect(b.Add(NewConcat(), in), late, 0)
	})
	_ = g.Drop(in)
	if c := g.Counters(); c != (Counters{}) {
		t.Errorf("%+v", c)
	}
}

func TestDrop_WithSomethingStagedLeavesNothingBehind(t *testing.T) {
	for _, build := range []func(*Builder) []NodeID{chainOf(3), loopsOf(1, 3)} {
		g, ins := builtFrom(t, build)
		other, _ := g.Add(NewInput(nil))
		_ = g.Push(ins[0], 0, []Diff{{3, 1}})
		_, _ = g.Touch(ins[0]+1), g.Touch(other)
		_ = g.Drop(ins[0])
		if stats, err := g.Run(); err != nil || stats.Visits != 0 {
			t.Errorf("%+v, %v", stats, err)
		}
		_ = g.Drop(other)
		if c := g.Counters(); c != (Counters{}) {
			t.Errorf("%+v", c)
		}
	}
}

func TestDrop_OfABulkLoadDoesNotWaitForARunToFreeIt(t *testing.T) {
	g, ins := builtFrom(t, chainOf(3))
	stay, _ := g.Add(NewInput(nil))
	batch := make([]Diff, 2*keepDiffs)
	for i := range batch {
		batch[i] = Diff{uint32(i), 1}
	}
	_ = g.Push(ins[0], 0, batch)
	_, _ = g.Run()
	_ = g.Drop(ins[0])
	if len(g.large) != 0 {
		t.Errorf("%d dropped nodes are kept", len(g.large))
	}
	_ = g.Drop(stay)
}
