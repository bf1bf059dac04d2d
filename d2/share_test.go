package d2

import "testing"

// parity keys rows by their last bits.
type parity struct{ bits uint }

func (p *parity) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 0, uint64(row) & (1<<p.bits - 1), true
}

func TestArrange_IsSharedByKeyAndGoesWithItsLastReader(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	by, other := &parity{1}, &parity{2}
	build := func(k Keyer) (arranged, join NodeID) {
		if err := g.Extend(func(b *Builder) {
			arranged = b.Arrange(in, k)
			join = b.Add(NewSemijoin(), arranged, b.Arrange(in, k))
		}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := g.Release(arranged); err != nil {
				t.Fatal(err)
			}
		}
		return arranged, join
	}
	a, first := build(by)
	b, second := build(by)
	c, third := build(other)
	if a != b || a == c {
		t.Fatalf("arranged at %d, %d and %d", a, b, c)
	}
	_ = g.Push(in, 0, []Diff{{4, 1}, {5, 1}})
	if stats, _ := g.Run(); stats.Visits != 5 {
		t.Errorf("%+v", stats)
	}
	if got := g.Retained(a); got != 2 {
		t.Errorf("%d rows arranged", got)
	}
	_ = g.Release(first)
	if g.Operator(a) == nil {
		t.Error("gone while it has a reader")
	}
	_ = g.Release(second)
	_ = g.Release(third)
	if got := g.Counters(); got.Nodes != 1 || got.Retained != 0 {
		t.Errorf("%+v", got)
	}
}

func TestArrange_ARefusedBuildHoldsNothing(t *testing.T) {
	g := NewGraph()
	in, _ := g.Add(NewInput(nil))
	by := &parity{1}
	var a NodeID
	_ = g.Extend(func(b *Builder) { a = b.Arrange(in, by) })
	if err := g.Extend(func(b *Builder) {
		b.Arrange(in, by)
		b.Add(nil)
	}); err == nil {
		t.Fatal("built")
	}
	_ = g.Release(a)
	if g.Operator(a) != nil {
		t.Error("still held")
	}
}
