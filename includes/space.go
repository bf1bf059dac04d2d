package includes

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// space tells what the rows of a relation are (docs/queries.md): where their
// values come from, what their key ids are, and how long a row's id lives.
type space interface {
	// KeyOf returns the key id of a row: two versions of a row have the same, two
	// rows of one relation never.
	d2.Keys
	// Pins keep a row readable with everything below it.
	d2.Pins
	// ref keeps the id of a row; what is below it is readable until what has left
	// in a run has been published.
	ref(row uint32)
	unref(row uint32)
	// compareKeys orders two rows by their public keys, which ready has loaded.
	compareKeys(a, b uint32) int
	ready() error
	leaves() []leaf
	// watch has what somebody knows of a row forgotten when its id is given up.
	watch(m watcher)
	unwatch(m watcher)
	remembered(id string) *memo
}

// leaf is a place values come from: a root's row, a value of a row of cells, the
// number of a branch, or what the shell says of a row.
type leaf struct {
	walk  []hop // from a row of the space to where the leaf is
	root  *rootNode
	cells *cellSpace
	at    int
	there bool // whether there is a row where walk leads: true, or undefined
	say   *sayer
}

// hop leads from a row to a row it is made of, of which word of table is the
// number; tag is what the upper half must be, if it is a tag.
type hop struct {
	table *d2.Table
	kind  stepKind
	tag   uint32
}

type stepKind uint8

const (
	stepLeft   stepKind = iota // the upper half
	stepRight                  // the lower half
	stepBranch                 // the lower half where the upper one is tag
)

// from returns the row a step leads to, or d2.None.
func (s *hop) from(row uint32) uint32 {
	if row == d2.None {
		return row
	}
	word := s.table.Word(row, 0)
	switch {
	case s.kind == stepLeft:
		return uint32(word >> 32)
	case s.kind == stepBranch && uint32(word>>32) != s.tag:
		return d2.None
	}
	return uint32(word)
}

// walk leads a row along steps.
func walk(steps []hop, row uint32) uint32 {
	for i := range steps {
		row = steps[i].from(row)
	}
	return row
}

// lens is query.Lens along steps.
type lens []hop

// Slots implements query.Lens.
func (l lens) Slots(rows, dst []uint32) {
	for i, row := range rows {
		dst[i] = walk(l, row)
	}
}

// behind returns leaves as they are seen from rows one step above.
func behind(s hop, list []leaf, dst []leaf) []leaf {
	for _, l := range list {
		l.walk = append([]hop{s}, l.walk...)
		dst = append(dst, l)
	}
	return dst
}

// cellReader reads a value that stands in rows; it implements query.Reader.
type cellReader struct{ leaf }

// Read implements query.Reader.
func (r *cellReader) Read(rows []uint32, kinds []uint8, vals []float64) error {
	for i, row := range rows {
		kinds[i], vals[i] = value.KindUndefined, 0
		if row = walk(r.walk, row); row != d2.None {
			c := r.cells.cell(row, r.at)
			kinds[i], vals[i] = c.Kind, c.Val
		}
	}
	return nil
}

// scalarReader reads what lies in a value that is no object: nothing.
type scalarReader struct{ cellReader }

// Read implements query.Reader.
func (r *scalarReader) Read(rows []uint32, kinds []uint8, vals []float64) error {
	if err := r.cellReader.Read(rows, kinds, vals); err != nil {
		return err
	}
	for i, k := range kinds {
		if k != value.KindNull {
			kinds[i], vals[i] = value.KindUndefined, 0
		}
	}
	return nil
}

// presenceReader tells where there is a row; it implements query.Reader.
type presenceReader []hop

// Read implements query.Reader.
func (r presenceReader) Read(rows []uint32, kinds []uint8, vals []float64) error {
	for i, row := range rows {
		kinds[i], vals[i] = value.KindUndefined, 0
		if walk(r, row) != d2.None {
			kinds[i], vals[i] = value.KindBool, 1
		}
	}
	return nil
}

// source is query.Source of a leaf's value at path, whose column is held.
func (h *holds) source(l leaf, path []string, text bool) (query.Source, error) {
	if l.there {
		return query.Source{Reader: presenceReader(l.walk)}, nil
	}
	if l.say != nil {
		return query.Source{Reader: &memoAt{h.said(l.say, path, false), l.walk}}, nil
	}
	if l.cells != nil {
		if len(path) > 0 {
			return query.Source{Reader: &scalarReader{cellReader{l}}}, nil
		}
		return query.Source{Reader: &cellReader{l}}, nil
	}
	col, err := h.lease(l.root).Column(path, text)
	if err != nil {
		return query.Source{}, err
	}
	s := query.Source{Col: col}
	if len(l.walk) > 0 {
		s.Lens = lens(l.walk)
	}
	return s, nil
}
