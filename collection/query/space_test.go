package query

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

// space is a table of rows: leaf 0 is the row itself, leaf 1 a slot or none, leaf 2 a
// value. Callbacks say a value of each row.
type space struct {
	*table
	right []uint32
	cells map[uint32][]value.Cell // leaf 2, and callbacks from 10 on
}

var spaceRefs = append(slices.Clone(columnRefs),
	&Expr{Op: OpRef, Leaf: 1, Path: []string{"a"}}, &Expr{Op: OpRef, Leaf: 1, Path: []string{"b"}},
	&Expr{Op: OpRef, Leaf: 1, Path: []string{"d", "x"}}, &Expr{Op: OpRef, Leaf: 2},
	&Expr{Op: OpPull, Of: 10}, &Expr{Op: OpPull, Of: 11, Live: true, Path: []string{"x"}})

func drawSpace(d *dictionary, rows int, c *chance, temporals bool) *space {
	s := &space{table: grid(d, rows, c, temporals), cells: map[uint32][]value.Cell{}}
	pool := d.pool(temporals)
	for range rows {
		slot := uint32(c.intn(rows))
		if c.intn(4) == 0 {
			slot = none
		}
		s.right = append(s.right, slot)
		for _, of := range []uint32{2, 10, 11} {
			s.cells[of] = append(s.cells[of], pool[c.intn(len(pool))])
		}
	}
	if c.intn(2) == 0 { // nobody is missing
		for i, slot := range s.right {
			if slot == none {
				s.right[i] = 0
			}
		}
	}
	return s
}

// Slots implements Lens.
func (s *space) Slots(rows, dst []uint32) {
	for i, r := range rows {
		dst[i] = s.right[r]
	}
}

// values reads cells; it implements Reader.
type values []value.Cell

func (v values) Read(rows []uint32, kinds []uint8, vals []float64) error {
	for i, r := range rows {
		kinds[i], vals[i] = v[r].Kind, v[r].Val
	}
	return nil
}

// Ref implements SpaceBinder.
func (s *space) Ref(leaf uint32, path []string, text bool) (Source, error) {
	if leaf == 2 {
		return Source{Reader: values(s.cells[2])}, nil
	}
	col, err := s.Column(path, text)
	if leaf == 1 {
		return Source{Col: col, Lens: s}, err
	}
	return Source{Col: col}, err
}

// Pull implements SpaceBinder.
func (s *space) Pull(e *Expr, _ bool) (Source, error) {
	if e.Live != (e.Of == 11) || len(e.Path) != int(e.Of-10) {
		return Source{}, errors.New("another callback")
	}
	return Source{Reader: values(s.cells[e.Of])}, nil
}

func (s *space) reader(row uint32) func(*Expr) value.Cell {
	return func(e *Expr) value.Cell {
		slot := row
		switch {
		case e.Op == OpPull:
			return s.cells[e.Of][row]
		case e.Leaf == 2:
			return s.cells[2][row]
		case e.Leaf == 1:
			if slot = s.right[row]; slot == none {
				return undefinedCell
			}
		}
		return s.cols[strings.Join(e.Path, ".")].At(slot)
	}
}

func TestSpace_ProgramsSayWhatTheExpressionsMean(t *testing.T) {
	for _, temporals := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			d := newDictionary()
			c := chance(rapid.Uint64().Draw(t, "seed"))
			n := rapid.SampledFrom([]int{1, 9, 9, 9, 1025}).Draw(t, "rows")
			s := drawSpace(d, n, &c, temporals)
			rows := make([]uint32, n)
			for i := range rows {
				rows[i] = uint32(c.intn(n))
			}
			e := genExpr(t, d.pool(temporals), spaceRefs, 3)
			p, err := CompileSpaceOrdered(e, s, d)
			if err != nil {
				t.Fatal(err)
			}
			checkCells(t, p, e, rows, d, s.reader)
			p, err = CompileSpace([]*Expr{e}, s, d)
			if err != nil {
				t.Fatal(err)
			}
			var want []uint32
			var fault error
			for _, r := range rows {
				x, err := eval(e, s.reader(r), d)
				if err != nil {
					fault = err
				}
				if x == value.Bool(true) {
					want = append(want, r)
				}
			}
			got, err := p.Select(rows, nil)
			if (err != nil) != (fault != nil) || err == nil && !slices.Equal(got, want) {
				t.Fatalf("kept %v (%v), want %v (%v)", got, err, want, fault)
			}
		})
	}
}

// failing is a reader whose rows cannot be read.
type failing struct{ err error }

func (f failing) Read([]uint32, []uint8, []float64) error { return f.err }

type failingSpace struct{ failing }

func (f failingSpace) Ref(uint32, []string, bool) (Source, error) {
	return Source{Reader: f.failing}, nil
}
func (f failingSpace) Pull(*Expr, bool) (Source, error) { return Source{}, f.err }

func TestSpace_ErrorsOfReadersAreTheProgramsErrors(t *testing.T) {
	f := failingSpace{failing{errors.New("gone")}}
	p, err := CompileSpace([]*Expr{Call(FnNot, Call(FnIsNull, Ref("a")))}, f, newDictionary())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Select([]uint32{1}, nil); !errors.Is(err, f.err) {
		t.Errorf("select: %v", err)
	}
	if _, err := p.Truth(1); !errors.Is(err, f.err) {
		t.Errorf("truth: %v", err)
	}
	if len(p.scratch.free) == 0 {
		t.Error("scratch is not given back")
	}
	if _, err := CompileSpace([]*Expr{{Op: OpPull}}, f, newDictionary()); !errors.Is(err, f.err) {
		t.Errorf("pull: %v", err)
	}
	for _, e := range []*Expr{{Op: OpExists}, {Op: OpAgg}} {
		if _, err := CompileSpace([]*Expr{e}, f, newDictionary()); err == nil {
			t.Error("no value of a row was taken for one")
		}
	}
	var fault *Error
	if _, err := Compile([]*Expr{{Op: OpPull}}, &table{}, newDictionary()); !errors.As(err, &fault) || fault.Code != CodeUnsupported {
		t.Errorf("a callback over a root: %v", err)
	}
}
