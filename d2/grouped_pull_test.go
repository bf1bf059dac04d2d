package d2

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// shelved is a world of groups whose rows a store offers by group and in order.
type shelved struct {
	*groupWorld
	store *Store
	hash  *Hash
}

func newShelved(keys, groups int) *shelved {
	s := &shelved{groupWorld: newGroupWorld(keys, groups), hash: NewHash()}
	s.store = NewStore(s)
	s.store.AddOrder(s.groupWorld, s.rows)
	s.store.AddKey(s.groupWorld, s.hash)
	return s
}

func (s *shelved) Len() int { return s.rows.Len() }

func (s *shelved) Each(yield func(row uint32) bool) {
	for _, row := range s.current {
		if row != None && !yield(row) {
			return
		}
	}
}

// settle brings the index by group to the state after a batch.
func (s *shelved) settle(batch []Change) {
	for _, c := range batch {
		if class, bits, ok := s.keyOf(c.Old); ok {
			s.hash.Remove(class, bits, c.Old)
		}
		if class, bits, ok := s.keyOf(c.New); ok {
			s.hash.Add(class, bits, c.New)
		}
	}
}

func (s *shelved) keyOf(row Slot) (class uint8, bits uint64, ok bool) {
	if row == None {
		return 0, 0, false
	}
	return s.Key(row)
}

// Law: groups read through an operator show what the definition says.
func TestGrouped_ReadsDemandedGroupsFromTheOperatorAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		w := newShelved(20, 4)
		g := NewGraph()
		source, _ := g.Add(w.store)
		where := NewFilter(xIs{w.world, 1})
		filter, err := g.Add(where, source)
		if err != nil {
			t.Fatal(err)
		}
		pull, err := NewGroupPull(where, w.groupWorld, w.groupWorld)
		if err != nil {
			t.Fatal(err)
		}
		offset, limit := uint32(c.intn(2)), uint32(1+c.intn(3))
		op, err := NewGrouped(GroupedSpec{
			Order: w.groupWorld, Keys: w, Group: w.groupWorld, Offset: offset, Limit: limit,
			Source: pull, Pins: w, Demand: true, Cushion: someCushion(c),
		})
		if err != nil {
			t.Fatal(err)
		}
		node, err := g.Add(op, filter)
		if err != nil {
			t.Fatal(err)
		}
		active := map[int]bool{}
		for range 30 {
			if c.intn(3) == 0 {
				group := c.intn(w.groups)
				class, bits := classOf(group)
				if active[group] = !active[group]; active[group] {
					op.Activate(class, bits)
				} else {
					op.Deactivate(class, bits)
				}
				_ = g.Touch(node)
			}
			batch := w.changes(c, 6, 5)
			w.settle(batch)
			_ = g.PushChanges(source, batch)
			if stats, _ := g.Run(); len(stats.Failed) > 0 {
				t.Fatal(g.Failed(stats.Failed[0]))
			}
			w.forget(batch)
			for group := range w.groups {
				want := []uint32{}
				if active[group] {
					rows := slices.DeleteFunc(w.members(group), func(s uint32) bool { return w.x[s] != 1 })
					want = slice(rows, offset, limit)
				}
				class, bits := classOf(group)
				if got := op.Rows(class, bits, nil); len(got)+len(want) > 0 && !slices.Equal(got, want) {
					t.Fatalf("group %d shows %v, want %v", group, got, want)
				}
			}
		}
	})
}

func TestGroupPull_RefusesWhatCannotBeFetched(t *testing.T) {
	w, other := newShelved(1, 1), newShelved(1, 1)
	if _, err := NewGroupPull(NewFilter(xIs{w.world, 1}), w.groupWorld, w.groupWorld); !errors.Is(err, ErrNoFetch) {
		t.Errorf("%v", err)
	}
	pull, err := NewGroupPull(w.store, w.groupWorld, w.groupWorld)
	if err != nil {
		t.Fatal(err)
	}
	op, _ := NewGrouped(GroupedSpec{
		Order: w.groupWorld, Keys: w, Group: w.groupWorld, Limit: 1, Source: pull, Pins: w,
	})
	g := NewGraph()
	_, _ = g.Add(w.store)
	foreign, _ := g.Add(other.store)
	if _, err := g.Add(op, foreign); !errors.Is(err, ErrNotAbove) {
		t.Errorf("%v", err)
	}
}

// inGroup passes the rows of one group.
type inGroup struct {
	w     *groupWorld
	group int
}

func (p inGroup) Select(slots, keep []uint32) ([]uint32, error) {
	for _, s := range slots {
		if p.w.read(s); p.w.grp[s] == p.group {
			keep = append(keep, s)
		}
	}
	return keep, nil
}

// Law: branches of one table, put together again, are the table; what a branch
// is not asked for is not delivered.
func TestMerge_ReadsItsShardsFromTheOperatorsAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		w := newShelved(24, 3)
		w.fill(c, 6)
		g := NewGraph()
		source, _ := g.Add(w.store)
		ins, shards := []NodeID{}, []Source{}
		for group := range w.groups {
			branch := NewFilter(inGroup{w.groupWorld, group})
			in, err := g.Add(branch, source)
			if err != nil {
				t.Fatal(err)
			}
			pull, err := NewPull(branch, w.groupWorld)
			if err != nil {
				t.Fatal(err)
			}
			ins, shards = append(ins, in), append(shards, pull)
		}
		offset, limit := uint32(c.intn(2)), uint32(c.intn(5))
		op, err := NewMerge(MergeSpec{
			Order: w.groupWorld, Keys: w, Pins: w, Offset: offset, Limit: limit, Cushion: someCushion(c),
		}, shards...)
		if err != nil {
			t.Fatal(err)
		}
		node, err := g.Add(op, ins...)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Hydrate(node); err != nil {
			t.Fatal(err)
		}
		mirror := slices.Clone(op.Rows(nil))
		for range 20 {
			batch := w.changes(c, 6, 6)
			before := op.Delta()
			before.reset(0, 0)
			_ = g.PushChanges(source, batch)
			if stats, _ := g.Run(); len(stats.Failed) > 0 {
				t.Fatal(g.Failed(stats.Failed[0]))
			}
			w.forget(batch)
			mirror = splice(mirror, op.Delta())
			want := slice(w.union(), offset, limit)
			if got := op.Rows(nil); !slices.Equal(got, want) || !slices.Equal(mirror, want) {
				t.Fatalf("%v, mirror %v, want %v", got, mirror, want)
			}
		}
	})
}
