package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// site is a graph under construction.
type site struct {
	t   *rapid.T
	d   dice
	g   *Graph
	two *Graph // built in the same way
	ids []NodeID
}

// draft is a random build; the same numbers make the same one.
type draft struct {
	of   []int
	tame bool // edges lead to nodes listed later, and feedback to the source of a node
}

func (d dice) draft() draft {
	f := draft{tame: d.under(3) > 0}
	for range 12 {
		f.of = append(f.of, d.under(1000))
	}
	return f
}

// build adds nodes and edges, to what is there as well, now and then so that it
// must be refused.
func (f draft) build(b *Builder, ids []NodeID) []NodeID {
	ids = slices.Clone(ids)
	old := len(ids)
	for i, n := range f.of {
		pick := func(k int) NodeID { return ids[(n/k)%len(ids)] }
		switch {
		case len(ids) == 0 || n%8 < 3:
			id := b.Add(NewConcat())
			if len(ids) > 0 {
				b.Connect(ids[(n/8)%len(ids)], id, 0)
			}
			ids = append(ids, id)
		case n%8 < 5 && f.tame:
			from, to := (n/8)%len(ids), (n/100)%len(ids)
			if from != to {
				b.Connect(ids[min(from, to)], ids[max(from, to)], 0)
			}
		case n%8 < 5:
			b.Connect(pick(8), pick(100), 0)
		case n%8 == 5 && f.tame:
			if from := b.g.node(pick(8)); from != nil && len(from.ins) > 0 {
				b.Feedback(from.id, from.ins[0].from.id, 0)
			}
		case n%8 == 5:
			b.Feedback(pick(8), pick(100), 0)
		case n%8 == 6 && i > 3:
			ids = append(ids, b.Add(NewOutput(OutputSpec{Sink: deaf{}}), pick(8)))
		case n%64 == 7 && len(ids) > old:
			b.Connect(pick(8), pick(100), 1)
		}
	}
	return ids
}

func (s *site) extend() {
	f := s.d.draft()
	before := shapeOf(s.g)
	staged := s.d.under(4) == 0 && len(s.ids) > 0
	if staged {
		_, _ = s.g.Touch(s.ids[0]), s.two.Touch(s.ids[0])
	}
	ranks := []int{}
	for _, id := range s.ids {
		ranks = append(ranks, s.g.Rank(id))
	}
	back, live, size := false, s.g.live, len(s.g.byRank)
	var ids []NodeID
	err := s.g.Extend(func(b *Builder) {
		ids = f.build(b, s.ids)
		back = b.back
	})
	twice := s.two.Extend(func(b *Builder) { f.build(b, s.ids) })
	if (err == nil) != (twice == nil) || err != nil && err.Error() != twice.Error() {
		s.t.Fatalf("%v, and the second time %v", err, twice)
	}
	if err != nil {
		if after := shapeOf(s.g); after != before {
			s.t.Fatalf("%v, and the graph has changed from\n%s\nto\n%s", err, before, after)
		}
	} else {
		s.ids = ids
	}
	if a, b := shapeOf(s.g), shapeOf(s.two); a != b {
		s.t.Fatalf("two graphs built in the same way are\n%s\nand\n%s", a, b)
	}
	if back && staged && err == nil {
		s.t.Fatalf("an edge into a node that was there, with something staged")
	}
	if fault := faultOf(s.g); fault != "" {
		s.t.Fatalf("%s, after %v, in\n%s", fault, err, shapeOf(s.g))
	}
	holes := size > 64 && size > 2*(live+len(ids)-len(ranks))
	for i, rank := range ranks {
		if s.g.Rank(s.ids[i]) != rank && (!back || err != nil) && !holes {
			s.t.Fatalf("the rank of node %d has changed", s.ids[i])
		}
	}
	for _, g := range []*Graph{s.g, s.two} {
		if _, err := g.Run(); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *site) drop() {
	if len(s.ids) == 0 {
		return
	}
	id := s.ids[s.d.under(len(s.ids))]
	_, _ = s.g.Drop(id), s.two.Drop(id)
	s.ids = slices.DeleteFunc(s.ids, func(id NodeID) bool { return s.g.Operator(id) == nil })
	if fault := faultOf(s.g); fault != "" {
		s.t.Fatalf("%s, after a drop, in\n%s", fault, shapeOf(s.g))
	}
}

// Laws: after a build sources have lower ranks than what they feed, cycles are
// the components and ordered but for feedback; existing ranks change only if an
// edge ends in an existing node; a refused build changes nothing; the same
// builds make the same graph.
func TestExtend_KeepsTheGraphInOrderOrLeavesItAlone(t *testing.T) {
	built, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := &site{t: t, d: newDice(t), g: NewGraph(), two: NewGraph()}
		for range 1 + s.d.under(6) {
			if s.d.under(4) == 0 {
				s.drop()
				continue
			}
			n := len(s.ids)
			if s.extend(); len(s.ids) > n {
				built++
			} else {
				refused++
			}
		}
		for len(s.ids) > 0 {
			s.drop()
		}
		if c := s.g.Counters(); c != (Counters{Bytes: c.Bytes}) || c.Bytes > 1<<12 {
			t.Fatalf("%+v", c)
		}
	})
	t.Logf("%d builds, %d refused", built, refused)
}
