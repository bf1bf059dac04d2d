package query

import "millrace.dev/millrace/collection/value"

// Column is one referenced path of a root's rows, addressed by slot. The
// slices may be replaced when they grow: keep the Column, not the slices.
type Column struct {
	Kinds []uint8
	Vals  []float64
}

// At returns the cell of slot.
func (c *Column) At(slot uint32) value.Cell {
	return value.Cell{Kind: c.Kinds[slot], Val: c.Vals[slot]}
}

// Binder gives a program the columns it reads.
type Binder interface {
	// Column returns the column at path, loading it when it is not there yet.
	// needText asks for the bytes behind its texts as well.
	Column(path []string, needText bool) (*Column, error)
}
