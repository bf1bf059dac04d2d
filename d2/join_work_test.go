package d2

import (
	"testing"
)

// counted counts the entries that are read of an arrangement.
type counted struct {
	Arrangement
	read *int
}

func (c counted) Entry(entry uint32) (row uint32, iter, weight int32) {
	*c.read++
	return c.Arrangement.Entry(entry)
}

// hubs gives the rows below 1000 the key 0 and each other row one of its own.
type hubs struct{}

func (hubs) Key(row uint32) (class uint8, bits uint64, ok bool) {
	if row < 1000 {
		return 0, 0, true
	}
	return 0, uint64(row), true
}

// WORK: a visit reads the matches of its batch, whatever else is arranged.
func TestJoins_ReadNoMoreThanWhatChanges(t *testing.T) {
	many := func(n uint32) (batch []Diff) {
		for row := range n {
			batch = append(batch, Diff{row, 1})
		}
		return batch
	}
	for _, c := range []struct {
		name        string
		op          Operator
		left, right []Diff // before
		dl, dr      []Diff
		read, out   int
	}{
		{"a join reads the matches of a row", NewJoin(JoinSpec{}), many(2000), many(5), []Diff{{2000, 1}, {7, -1}}, nil, 5, 5},
		{"a join reads nothing for a row without a match", NewJoin(JoinSpec{}), many(2000), many(5), nil, []Diff{{3000, 1}}, 0, 0},
		{"a join reads a match once when both sides gain rows", NewJoin(JoinSpec{}), nil, nil, many(1), many(1), 2, 1},
		{"a semijoin looks up no rows for a second match", NewSemijoin(), many(2000), many(1), nil, []Diff{{1, 1}}, 0, 0},
		{"a semijoin looks up no rows for a match replaced", NewSemijoin(), many(2000), many(1), nil, []Diff{{0, -1}, {1, 1}}, 0, 0},
		{"a semijoin looks up the rows of a key that comes", NewSemijoin(), many(2000), nil, nil, []Diff{{1, 1}}, 1000, 1000},
		{"an antijoin looks up the rows of a key that goes", NewAntijoin(), many(2000), []Diff{{1500, 1}}, nil, []Diff{{1500, -1}}, 1, 1},
		{"a semijoin looks up nothing for a row of the left", NewSemijoin(), many(2000), many(500), []Diff{{1, -1}, {1200, 1}}, nil, 0, 1},
		{"a left join reads the matches of a second match", NewOuterJoin(LeftOuter, JoinSpec{}), many(3), many(1), nil, []Diff{{1, 1}}, 3, 3},
		{"a left join reads rows twice for a first match", NewOuterJoin(LeftOuter, JoinSpec{}), many(3), nil, nil, []Diff{{1, 1}}, 6, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrs := [2]*Arrange{NewArrange(hubs{}), NewArrange(hubs{})}
			read := 0
			in := []Operator{
				NewArranged(counted{arrs[0].Arrangement(), &read}),
				NewArranged(counted{arrs[1].Arrangement(), &read}),
			}
			if err := c.op.(Binder).Bind(Place{In: in}); err != nil {
				t.Fatal(err)
			}
			visit := func(left, right []Diff) *Out {
				for side, batch := range [][]Diff{left, right} {
					if err := arrs[side].Apply(NewVisit(0, batch), &Out{}); err != nil {
						t.Fatal(err)
					}
				}
				out := &Out{}
				if err := c.op.Apply(NewVisit(0, left, right), out); err != nil {
					t.Fatal(err)
				}
				return out
			}
			visit(c.left, c.right)
			read = 0
			out := visit(c.dl, c.dr)
			net := multiset{}
			for _, d := range out.Diffs() {
				net.add(d.Row, d.Weight)
			}
			if read != c.read || len(net) != c.out {
				t.Errorf("%d entries read and %d rows put out, want %d and %d", read, len(net), c.read, c.out)
			}
		})
	}
}

// After warm-up a visit allocates nothing, in cycles or not.
func TestJoins_AllocateNothingOnceWarm(t *testing.T) {
	eachJoin(t, func(t *testing.T, op func() Operator, _ naive) {
		for _, cyclic := range []bool{false, true} {
			b := newJoinBench(t, op(), cyclic)
			b.visit(t, 0, []Diff{{1, 1}, {4, 1}, {8, 1}}, []Diff{{2, 1}, {3, 1}, {16, 1}})
			change := func(w int32) [2][]Diff {
				return [2][]Diff{{{2, w}, {5, w}, {24, w}}, {{1, w}, {6, w}, {4, w}}}
			}
			type step struct{ left, right, join *Visit }
			var steps []step
			for _, w := range []int32{1, -1} {
				c := change(w)
				steps = append(steps, step{NewVisit(0, c[0]), NewVisit(0, c[1]), NewVisit(0, c[0], c[1])})
			}
			out := &Out{}
			apply := func(op Operator, v *Visit) {
				v.sweep = v.sweep[:0]
				out.reset(0)
				if err := op.Apply(v, out); err != nil {
					t.Fatal(err)
				}
			}
			round := func() {
				for _, s := range steps {
					apply(b.arrs[0], s.left)
					apply(b.arrs[1], s.right)
					apply(b.op, s.join)
					for _, sweeper := range s.join.sweep {
						sweeper.Sweep()
					}
				}
			}
			round()
			if n := testing.AllocsPerRun(20, round); n != 0 {
				t.Errorf("a round allocates %v times (in a cycle: %v)", n, cyclic)
			}
		}
	})
}

// Large batches leave no large buffers behind, and tables that grow and shrink
// lose nothing.
func TestJoins_LargeBatchesComeAndGo(t *testing.T) {
	const rows = 20_000
	batch := func(w int32) (all []Diff) {
		for row := range uint32(rows) {
			all = append(all, Diff{1000 + row*7%rows, w})
		}
		return all
	}
	for _, c := range []struct {
		name string
		op   Operator
	}{
		{"join", NewJoin(JoinSpec{})},
		{"full join", NewOuterJoin(FullOuter, JoinSpec{})},
		{"semijoin", NewSemijoin()},
	} {
		for _, cyclic := range []bool{false, true} {
			arrs := [2]*Arrange{NewArrange(hubs{}), NewArrange(hubs{})}
			if err := c.op.(Binder).Bind(Place{In: []Operator{arrs[0], arrs[1]}, Cyclic: cyclic}); err != nil {
				t.Fatal(err)
			}
			for _, w := range []int32{1, -1} {
				all := batch(w)
				for _, a := range arrs {
					if err := a.Apply(NewVisit(0, all), &Out{}); err != nil {
						t.Fatal(err)
					}
				}
				v, out := NewVisit(0, all, all), &Out{}
				if err := c.op.Apply(v, out); err != nil {
					t.Fatal(err)
				}
				sum := 0
				for _, d := range out.Diffs() {
					sum += int(d.Weight)
				}
				if sum != int(w)*rows {
					t.Errorf("%s: %d rows come, want %d (in a cycle: %v)", c.name, sum, int(w)*rows, cyclic)
				}
				for _, s := range v.sweep {
					s.Sweep()
				}
			}
			if k := c.op.(Keeper); k.Retained() != 0 || k.Bytes() > 16<<10 {
				t.Errorf("%s: %d rows and %d bytes are retained (in a cycle: %v)", c.name, k.Retained(), k.Bytes(), cyclic)
			}
			for _, a := range arrs {
				if a.Retained() != 0 || a.Bytes() > 8<<10 {
					t.Errorf("%s: %d rows and %d bytes stay arranged", c.name, a.Retained(), a.Bytes())
				}
			}
		}
	}
}

func TestArrange_PassesItsInputOn(t *testing.T) {
	batch := []Diff{{3, -1}, {8, 1}}
	for _, op := range []Operator{NewArrange(keysOf{}), NewArranged(NewTrace(keysOf{}))} {
		for _, keyed := range []bool{false, true} {
			v, out := NewVisit(0, batch), &Out{}
			v.ports[0].keyed = keyed
			if err := op.Apply(v, out); err != nil {
				t.Fatal(err)
			}
			if len(out.diffs) != 2 || out.diffs[0] != batch[0] || out.diffs[1] != batch[1] || !out.tidy || out.keyed != keyed {
				t.Errorf("%s passes %v on, tidy %v, keyed %v", op.Name(), out.diffs, out.tidy, out.keyed)
			}
		}
	}
}
