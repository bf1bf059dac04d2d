package collection

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"millrace.dev/millrace/collection/value"
)

func text(id int) value.Cell { return value.Cell{Kind: value.KindString, Val: float64(id)} }

func TestSweep_ListsWhatNothingRefersTo(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(d *Dict)
		want []uint32
	}{
		"nothing happened":        {func(d *Dict) {}, nil},
		"one that is held":        {func(d *Dict) { d.Ref(text(5)) }, nil},
		"one that was let go":     {func(d *Dict) { d.Ref(text(5)); d.Ref(text(5)); d.Unref(text(5)); d.Unref(text(5)) }, []uint32{5}},
		"one let go and taken up": {func(d *Dict) { d.Ref(text(5)); d.Unref(text(5)); d.Ref(text(5)) }, nil},
		"one only mentioned":      {func(d *Dict) { d.Touch(text(7)); d.Touch(text(7)) }, []uint32{7}},
		"one only put":            {func(d *Dict) { d.Put(6, []byte("x")); d.Put(6, []byte("x")) }, []uint32{6}},
		"one of no text":          {func(d *Dict) { d.Touch(value.Cell{Kind: value.KindRef, Val: 9}); d.Touch(value.Number(9)) }, nil},
		"the reserved ones stay":  {func(d *Dict) { d.Touch(text(0)); d.Touch(text(1)); d.Touch(text(2)) }, nil},
		"as mentioned, each once": {func(d *Dict) { d.Touch(text(9)); d.Put(4, nil); d.Touch(text(9)); d.Touch(text(4)) }, []uint32{4, 9}},
	} {
		d := NewDict(nil)
		c.do(d)
		got := d.Sweep(nil)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if again := d.Sweep(nil); len(again) != 0 {
			t.Errorf("%s: listed again %v", name, again)
		}
	}
}

func TestSweep_AFreedIDTakesOtherBytes(t *testing.T) {
	d := NewDict(nil)
	d.Put(3, []byte("old"))
	d.Sweep(nil)
	if d.Known(3) || d.Text(3) != nil {
		t.Error("the bytes of a freed text are known")
	}
	d.Put(3, []byte("new one"))
	d.Ref(text(3))
	if string(d.Text(3)) != "new one" || d.Live() != 1 || len(d.Sweep(nil)) != 0 {
		t.Errorf("text is %q", d.Text(3))
	}
}

func TestDict_CompactsItsArena(t *testing.T) {
	d := NewDict(nil)
	long := func(id int) string { return fmt.Sprintf("%0100d", id) }
	for id := 3; id < 3000; id++ {
		d.Put(uint32(id), []byte(long(id)))
		d.Ref(text(id))
	}
	d.Sweep(nil)
	full := len(d.arena)
	for id := 3; id < 3000; id++ {
		if id%10 != 0 {
			d.Unref(text(id))
		}
	}
	freed := d.Sweep(nil)
	if len(d.arena) > full/5 || len(freed) < 2600 || d.dead != 0 {
		t.Errorf("arena %d of %d after freeing %d", len(d.arena), full, len(freed))
	}
	for id := 10; id < 3000; id += 10 {
		if string(d.Text(uint32(id))) != long(id) {
			t.Fatalf("text %d is %q", id, d.Text(uint32(id)))
		}
	}
	if string(d.Text(1)) != "remote" || string(d.Text(2)) != "local" {
		t.Error("the reserved texts are lost")
	}
}

func TestCompare_AsksTheShellOnlyWhereTheTableEnds(t *testing.T) {
	b := newBench(t)
	d := b.dict
	ids := map[string]uint32{}
	for _, s := range []string{"a", "B", "ß"} {
		ids[s] = b.dictID(s)
		d.Put(ids[s], []byte(s))
	}
	if d.HasCollation(1) || d.HasCollation(2) || !d.HasCollation(0) {
		t.Error("collations there are not")
	}
	if d.SetCollation(1<<17, true) || !d.SetCollation(2, true) || !d.SetCollation(3, false) || !d.HasCollation(3) {
		t.Error("collations are declared")
	}
	for _, c := range []struct {
		collation uint32
		a, b      string
		asks      int
	}{{2, "a", "B", 0}, {2, "a", "ß", 1}, {3, "a", "B", 1}, {3, "a", "a", 0}, {value.CollationTemporal, "a", "B", 1}} {
		b.compares = 0
		if o, err := d.Compare(c.collation, ids[c.a], ids[c.b]); err != nil || (o < 0) != (c.a != c.b) || b.compares != c.asks {
			t.Errorf("%+v: %d after %d questions (%v)", c, o, b.compares, err)
		}
	}
}

func TestCells_NormalFormAndValidity(t *testing.T) {
	nan, negative := math.NaN(), math.Copysign(0, -1)
	c := Cells{N: 4, Kinds: []uint8{value.KindNumber, value.KindNaN, value.KindNull, value.KindDate}, Vals: []float64{nan, 5, 7, negative}}
	for i, want := range []value.Cell{{Kind: value.KindNaN}, {Kind: value.KindNaN}, {Kind: value.KindNull}, {Kind: value.KindDate}} {
		if got := c.At(i); got != want {
			t.Errorf("cell %d is %v", i, got)
		}
	}
	uniform := Cells{N: 2, Uniform: value.KindNumber, Vals: []float64{1, 2}}
	if uniform.At(1) != value.Number(2) || (&Cells{N: 2, Uniform: value.KindNull}).At(1) != (value.Cell{Kind: value.KindNull}) {
		t.Error("uniform cells")
	}
	for name, c := range map[string]struct {
		cells Cells
		valid bool
	}{
		"uniform numbers":         {uniform, true},
		"uniform texts":           {Cells{N: 1, Uniform: value.KindString, Vals: []float64{9}}, true},
		"uniform text at limit":   {Cells{N: 1, Uniform: value.KindBytes, Vals: []float64{10}}, false},
		"uniform of no kind":      {Cells{N: 1, Uniform: 11}, false},
		"texts without ids are 0": {Cells{N: 1, Uniform: value.KindString}, true},
		"too few kinds":           {Cells{N: 2, Kinds: []uint8{1}}, false},
		"too few values":          {Cells{N: 2, Uniform: value.KindNumber, Vals: []float64{1}}, false},
		"a text id that is NaN":   {Cells{N: 1, Kinds: []uint8{value.KindString}, Vals: []float64{nan}}, false},
	} {
		if c.cells.Valid(10) != c.valid {
			t.Errorf("%s: not %v", name, c.valid)
		}
	}
}
