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

// Lens finds the slots of a leaf: dst[i] becomes that of rows[i], d2.None where
// the leaf has none. rows and dst have one length.
type Lens interface {
	Slots(rows, dst []uint32)
}

// Reader gives values of rows that stand in no column: kinds[i] and vals[i]
// become the cell of rows[i], in normal form.
type Reader interface {
	Read(rows []uint32, kinds []uint8, vals []float64) error
}

// Source is what a reference reads: a column, of the slots Lens finds (nil: the
// rows are the slots; no slot: undefined), or, if there is no column, Reader.
type Source struct {
	Col    *Column
	Lens   Lens
	Reader Reader
}

// SpaceBinder finds what the references of expressions over a space read, and
// keeps it readable as long as the binder's owner does.
type SpaceBinder interface {
	// Ref returns the values at path of a leaf; text: with their bytes.
	Ref(leaf uint32, path []string, text bool) (Source, error)
	// Pull returns the values of an OpPull expression, which are the same as long
	// as a row's id lives.
	Pull(e *Expr, text bool) (Source, error)
}

// Applier evaluates functions that are the shell's: a value.Texts that is one
// is asked.
type Applier interface {
	// Apply applies the named function to n rows of operands, one slice a
	// parameter. The cells returned are valid until the next pull.
	Apply(name string, n int, kinds [][]uint8, vals [][]float64) (rKinds []uint8, rVals []float64, err error)
}
