package value_test

import (
	"testing"

	"millrace.dev/millrace/collection/value"
)

func TestConditions(t *testing.T) {
	d := newDictionary()
	const f, y, u = value.False, value.True, value.Unknown
	for _, c := range []struct {
		name         string
		cell         value.Cell
		and, or, not value.Tri
		truthy       bool
	}{
		{"undefined", value.Cell{}, u, u, u, false},
		{"null", value.Cell{Kind: value.KindNull}, u, u, u, false},
		{"false", value.Bool(false), f, f, y, false},
		{"true", value.Bool(true), y, y, f, true},
		{"zero", value.Number(0), y, f, y, false},
		{"one", value.Number(1), y, f, f, true},
		{"NaN", value.Cell{Kind: value.KindNaN}, y, f, y, false},
		{"the epoch", value.Date(0), y, f, f, true},
		{"the empty string", d.cell(value.KindString, ""), y, f, y, false},
		{"a string", d.cell(value.KindString, "0"), y, f, f, true},
		{"0n", d.cell(value.KindBigInt, "0"), y, f, y, false},
		{"1n", d.cell(value.KindBigInt, "1"), y, f, f, true},
		{"no bytes", d.cell(value.KindBytes, ""), y, f, f, true},
		{"an object", value.Cell{Kind: value.KindRef}, y, f, f, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := value.AndOperand(c.cell); got != c.and {
				t.Errorf("and reads it as %d", got)
			}
			if got := value.OrOperand(c.cell); got != c.or {
				t.Errorf("or reads it as %d", got)
			}
			if got := value.Not(c.cell, d); got != c.not {
				t.Errorf("its negation is %d", got)
			}
			if got := value.Truthy(c.cell, d); got != c.truthy {
				t.Errorf("its truth is %v", got)
			}
			if got := value.Keeps(c.cell); got != (c.name == "true") {
				t.Errorf("a where clause of it keeps: %v", got)
			}
		})
	}
	for _, v := range []value.Tri{f, y, u} {
		if back := value.OrOperand(value.CellOf(v)); back != v {
			t.Errorf("truth value %d came back as %d", v, back)
		}
	}
}
