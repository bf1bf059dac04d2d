package d2

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// thirds maps rows to their third, or, if it is one to one, to their successor.
type thirds struct{ one bool }

func (f thirds) Injective() bool { return f.one }

func (f thirds) Map(row uint32) uint32 {
	if f.one {
		return row + 1
	}
	return row / 3
}

// Each makes a row's divisors, twice the odd ones; one to one, a pair.
func (f thirds) Each(row uint32, yield func(row uint32, weight int32)) {
	if f.one {
		yield(2*row, 1)
		yield(2*row+1, 3)
		return
	}
	for by := uint32(1); by <= row; by++ {
		if row%by == 0 {
			yield(by, int32(by%2)+1)
		}
	}
}

// interned maps rows into a table.
type interned struct {
	home *Table
	f    thirds
}

func (i interned) Map(row uint32) uint32 { return i.home.Intern1(uint64(i.f.Map(row)) + 100) }

// TestLinear_IsItsDefinition names laws FRESH and SPLIT: what a linear operator
// puts out for a batch, in one visit or several, is the function of the batch.
func TestLinear_IsItsDefinition(t *testing.T) {
	home := NewTable(1)
	each := func(f func(row uint32, add func(row uint32, weight int32))) func(in []Diff) bag {
		return func(in []Diff) bag {
			want := bag{}
			for _, d := range in {
				f(d.Row, func(row uint32, weight int32) { want.add(Diff{row, d.Weight * weight}) })
			}
			return want
		}
	}
	same := func(row uint32, add func(uint32, int32)) { add(row, 1) }
	owned := NewOwned(NewMap(interned{home, thirds{}}), home)
	for _, c := range []struct {
		op    Operator
		tidy  bool
		keyed bool // what comes of replacements are replacements
		name  func(row uint32) uint32
		want  func(in []Diff) bag
	}{
		{NewConsolidate(), true, true, nil, each(same)},
		{NewConcat(), true, true, nil, each(same)},
		{NewNegate(), true, false, nil, each(func(row uint32, add func(uint32, int32)) { add(row, -1) })},
		{NewMap(thirds{}), false, false, nil, each(func(row uint32, add func(uint32, int32)) { add(row/3, 1) })},
		{NewMap(thirds{true}), true, true, nil, each(func(row uint32, add func(uint32, int32)) { add(row+1, 1) })},
		{NewFlatMap(thirds{}), false, false, nil, each(thirds{}.Each)},
		{NewFlatMap(thirds{true}), true, false, nil, each(thirds{true}.Each)},
		{owned, false, false, func(row uint32) uint32 { return uint32(home.Word(row, 0)) }, each(func(row uint32, add func(uint32, int32)) { add(row/3+100, 1) })},
	} {
		t.Run(c.op.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Diff {
					return Diff{rapid.Uint32Range(0, 30).Draw(t, "row"), rapid.SampledFrom([]int32{1, -1, 2, -3}).Draw(t, "weight")}
				}), 0, 10, func(d Diff) uint32 { return d.Row }).Draw(t, "batch")
				keyed := rapid.Bool().Draw(t, "keyed")
				if keyed {
					for i := range in {
						in[i].Weight = int32(i%2)*2 - 1
					}
				}
				got := bag{}
				var sweeps []Sweeper
				for rest := in; ; {
					n := 2 * rapid.IntRange(0, len(rest)/2).Draw(t, "cut")
					if rest = rest[n:]; n == 0 {
						n, rest = len(rest), nil
					}
					at := len(in) - len(rest) - n
					v, out := NewVisit(0, in[at:at+n]), &Out{}
					v.ports[0].keyed = keyed
					if err := c.op.Apply(v, out); err != nil {
						t.Fatal(err)
					}
					sweeps = append(sweeps, v.sweep...)
					if out.tidy != c.tidy || out.keyed != (c.keyed && keyed) {
						t.Fatalf("tidy %v, keyed %v", out.tidy, out.keyed)
					}
					rows := map[uint32]bool{}
					for _, d := range out.Diffs() {
						if rows[d.Row] && out.tidy {
							t.Fatalf("row %d comes twice in %v", d.Row, out.Diffs())
						}
						rows[d.Row] = true
						if c.name != nil {
							d.Row = c.name(d.Row)
						}
						got.add(d)
					}
					if len(rest) == 0 {
						break
					}
				}
				if want := c.want(in); !slices.Equal(got.sorted(), want.sorted()) {
					t.Fatalf("got %v, want %v", got.sorted(), want.sorted())
				}
				for _, s := range sweeps {
					s.Sweep()
				}
				if c.op != owned {
					return
				}
				if home.Len() != len(got) || owned.Retained() != len(got) {
					t.Fatalf("%d rows are in the table, %d referred to, %d put out", home.Len(), owned.Retained(), len(got))
				}
				derived := &Out{}
				if err := owned.Derive(NewVisit(0, in), derived); err != nil || len(derived.Diffs()) != len(in) || owned.Retained() != len(got) {
					t.Fatalf("to derive the output is to account for it: %d rows", owned.Retained())
				}
				owned.Clear()
				if home.Sweep(); home.Len() != 0 || owned.Bytes() != 0 {
					t.Fatalf("%d rows, %d bytes are left", home.Len(), owned.Bytes())
				}
			})
		})
	}
}

func TestOwned_RefusesOperatorsWithState(t *testing.T) {
	if err := NewOwned(NewDistinct(), NewTable(1)).Bind(Place{}); !errors.Is(err, ErrNotLinear) {
		t.Errorf("got %v", err)
	}
	if err := NewOwned(NewNegate(), NewTable(1)).Bind(Place{}); err != nil {
		t.Error(err)
	}
	if err := NewOwned(NewFilter(nil), NewTable(1)).Bind(Place{}); !errors.Is(err, ErrNoPredicate) {
		t.Errorf("what the operator within refuses: %v", err)
	}
}

func TestLinear_AllocatesNothingAfterWarmUp(t *testing.T) {
	home := NewTable(1)
	batch := []Diff{{3, 1}, {4, -1}, {9, 2}}
	undo := []Diff{{3, -1}, {4, 1}, {9, -2}}
	for _, op := range []Operator{
		NewConsolidate(), NewNegate(), NewMap(thirds{}), NewFlatMap(thirds{}),
		NewOwned(NewMap(interned{home, thirds{}}), home),
	} {
		v, out := NewVisit(0, nil), &Out{}
		step := func() {
			for _, in := range [][]Diff{batch, undo} {
				v.ports[0].batch, out.diffs, v.sweep = in, out.diffs[:0], v.sweep[:0]
				if err := op.Apply(v, out); err != nil {
					t.Fatal(err)
				}
				for _, s := range v.sweep {
					s.Sweep()
				}
			}
		}
		for range 10 {
			step()
		}
		if a := testing.AllocsPerRun(100, step); a != 0 {
			t.Errorf("%s: %v allocations a step", op.Name(), a)
		}
	}
}
