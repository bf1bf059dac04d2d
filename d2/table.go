package d2

import "errors"

// ErrWidth is the panic value of a [Table] that is given a row of another width.
var ErrWidth = errors.New("d2: a row must have as many words as its table is wide")

// ErrFreed is the panic value of a [Table] that is asked to count a reference
// to a row it does not hold: somebody gave back one reference too many, or puts
// out rows that were made elsewhere.
var ErrFreed = errors.New("d2: reference to a row that its table does not hold; intern rows in the table of the operator that puts them out")

const (
	rowFree   = ^uint32(0) // in refs: the id is unused
	rowLoose  = 1 << 31    // in refs: the row is on the list that Sweep looks through
	fewRows   = 64         // arrays up to this size are not worth giving back
	keepLoose = 1 << 13
)

// Table interns derived rows: equal words are the same row id, other words
// another. Ids are dense and an id given back last is used again first.
//
// A row lives while it is referred to. One without references is loose: it
// keeps its words, and its id, until [Table.Sweep], because the readers of a
// run look at rows that have left as well. Whoever interns or unrefers rows in
// a visit calls [Table.SweepAfter].
//
// Nothing in it is a pointer. Interning, finding and freeing cost O(width)
// expected; memory follows the rows held and the largest id in use.
type Table struct {
	// Made, if set, is called with every row that comes to be held, Freed with
	// every one that no longer is while its words can still be read: for what
	// somebody keeps beside the rows. They must not intern in or sweep this table.
	// Clear does not call Freed.
	Made, Freed func(row uint32)

	width int
	words []uint64 // width per row; the first word of a free row holds its links
	refs  []uint32 // by row: references, and rowLoose; or rowFree
	index []uint32 // by bucket: row, None if empty
	loose []uint32
	free  uint32 // first of the list of free rows, or None
	n     int
	asked bool
}

// NewTable returns an empty table of rows of width words, at least one.
func NewTable(width int) *Table {
	if width < 1 {
		panic(ErrWidth)
	}
	return &Table{width: width, free: None}
}

// Width returns the number of words of a row.
func (t *Table) Width() int { return t.width }

// Len returns the number of rows held, loose ones included.
func (t *Table) Len() int { return t.n }

// Bytes returns the memory held.
func (t *Table) Bytes() int {
	return 8*cap(t.words) + 4*(cap(t.refs)+cap(t.index)+cap(t.loose))
}

// Intern returns the row of the given words, which are copied. A row that was
// not there is loose until someone refers to it.
func (t *Table) Intern(words []uint64) uint32 {
	if len(words) != t.width {
		panic(ErrWidth)
	}
	if 4*(t.n+1) > 3*len(t.index) {
		t.rehash(max(16, 2*len(t.index)))
	}
	b := t.bucket(words)
	if row := t.index[b]; row != None {
		return row
	}
	row := t.free
	if row == None {
		row = uint32(len(t.refs))
		t.refs = append(t.refs, 0)
		t.words = append(t.words, words...)
	} else {
		t.unlink(row)
		copy(t.words[int(row)*t.width:], words)
	}
	t.index[b] = row
	t.refs[row] = rowLoose
	t.loose = append(t.loose, row)
	t.n++
	if t.Made != nil {
		t.Made(row)
	}
	return row
}

// Intern1 is Intern for a table of width 1.
func (t *Table) Intern1(word uint64) uint32 {
	words := [1]uint64{word}
	return t.Intern(words[:])
}

// Intern2 is Intern for a table of width 2.
func (t *Table) Intern2(first, second uint64) uint32 {
	words := [2]uint64{first, second}
	return t.Intern(words[:])
}

// Find returns the row of the given words, or None.
func (t *Table) Find(words []uint64) uint32 {
	if len(words) != t.width {
		panic(ErrWidth)
	}
	if t.n == 0 {
		return None
	}
	return t.index[t.bucket(words)]
}

// Word returns word i of a row.
func (t *Table) Word(row uint32, i int) uint64 { return t.words[int(row)*t.width+i] }

// Ref adds a reference to a row.
func (t *Table) Ref(row uint32) {
	if int(row) >= len(t.refs) || t.refs[row] == rowFree {
		panic(ErrFreed)
	}
	t.refs[row]++
}

// Unref takes a reference back. A row without any is loose from then on.
func (t *Table) Unref(row uint32) {
	if int(row) >= len(t.refs) {
		panic(ErrFreed)
	}
	refs := t.refs[row]
	if refs == rowFree || refs&^rowLoose == 0 {
		panic(ErrFreed)
	}
	refs--
	if refs == 0 {
		refs = rowLoose
		t.loose = append(t.loose, row)
	}
	t.refs[row] = refs
}

// Refs returns the number of references to a row; 0 for one that is not held.
func (t *Table) Refs(row uint32) int {
	if int(row) >= len(t.refs) || t.refs[row] == rowFree {
		return 0
	}
	return int(t.refs[row] &^ rowLoose)
}

// Pin and Unpin make the table the [Pins] of its rows.
func (t *Table) Pin(row Slot) { t.Ref(row) }

// Unpin takes back what Pin gave.
func (t *Table) Unpin(row Slot) { t.Unref(row) }

// SweepAfter has the table swept when the run of v is over, if there is
// anything to free. It may be called any number of times.
func (t *Table) SweepAfter(v *Visit) {
	if !t.asked && len(t.loose) > 0 {
		t.asked = true
		v.Sweep(t)
	}
}

// Sweep frees the loose rows and gives back memory that has become too much.
func (t *Table) Sweep() {
	t.asked = false
	for _, row := range t.loose {
		if t.refs[row] == rowLoose {
			t.release(row)
		} else {
			t.refs[row] &^= rowLoose
		}
	}
	t.loose = t.loose[:0]
	t.trim()
}

// Clear forgets every row, referred to or not.
func (t *Table) Clear() { *t = Table{Made: t.Made, Freed: t.Freed, width: t.width, free: None} }
