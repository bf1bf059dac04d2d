package includes

import (
	"math"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// cellSpace is the space of rows made of values: of groups, of what is distinct,
// of recursions. A row's first key values tell it from others; texts live as
// long as the rows they are in.
type cellSpace struct {
	interned
	layout d2.GroupLayout
	wide   *cellSpace // the key values, where there are several: the first cell is the number of a row there
	n      int        // values in a row, those of wide included
	nulls  int        // a value from here on is null where it is undefined: nothing to aggregate
	own    bool       // a row is its own key
	all    []leaf

	numbers *d2.Table // of a union: nothing but the branches' numbers
	depths  *d2.Table // of a recursion: nothing but the depths
}

// newCellSpace returns a space of rows of n values that are their own keys.
func newCellSpace(e *Engine, n int) *cellSpace {
	s := &cellSpace{layout: d2.GroupLayout{Results: max(n, 1) - 1}, n: n, nulls: n, own: true}
	s.init(e, 0)
	return s
}

// newGroupSpace returns the space of groups by keys values, with n results.
func newGroupSpace(e *Engine, keys, n int) *cellSpace {
	s := &cellSpace{layout: d2.GroupLayout{Results: n}, n: keys + n, nulls: keys}
	if keys > 1 {
		s.wide = newCellSpace(e, keys)
		s.init(e, 1)
		return s
	}
	s.init(e, 2)
	return s
}

func (s *cellSpace) init(e *Engine, words int) {
	s.interned = newInterned(e, d2.NewTable(s.layout.Width()), words)
	for i := range s.n {
		s.all = append(s.all, leaf{cells: s, at: i})
	}
	s.table.Made = func(row uint32) {
		s.each(row, e.Dict.Ref)
		switch {
		case s.own:
		case s.wide != nil:
			key := s.stored(row, 0).ID()
			s.wide.ref(key)
			s.made(row, uint64(key))
		default:
			class, bits := s.layout.Key(s.table, row)
			s.made(row, uint64(class), bits)
		}
	}
	s.table.Freed = func(row uint32) {
		s.each(row, e.Dict.Unref)
		if s.wide != nil {
			s.wide.unref(s.stored(row, 0).ID())
		}
		s.freed(row)
	}
}

// stored returns cell i of a row as it lies in the table.
func (s *cellSpace) stored(row uint32, i int) value.Cell {
	var class uint8
	var bits uint64
	if i == 0 {
		class, bits = s.layout.Key(s.table, row)
	} else {
		class, bits = s.layout.Result(s.table, row, i-1)
	}
	return value.Cell{Kind: class, Val: math.Float64frombits(bits)}
}

// cell returns value i of a row.
func (s *cellSpace) cell(row uint32, i int) value.Cell {
	if s.numbers != nil {
		return number(s.numbers, row)
	}
	if s.depths != nil {
		return value.Number(float64(uint32(s.depths.Word(row, 0))))
	}
	if s.wide != nil {
		if i < s.wide.n {
			return s.wide.cell(s.stored(row, 0).ID(), i)
		}
		i -= s.wide.n - 1
	} else if s.nulls == 0 && !s.own {
		i++ // a single group has no key value
	}
	c := s.stored(row, i)
	if c.Kind == value.KindUndefined && !s.own && i > 0 {
		c.Kind = value.KindNull
	}
	return c
}

// each visits the cells that lie in the table and can be texts.
func (s *cellSpace) each(row uint32, visit func(value.Cell)) {
	for i := range s.layout.Results + 1 {
		if c := s.stored(row, i); collection.IsText(c.Kind) {
			visit(c)
		}
	}
}

// row interns values.
func (s *cellSpace) row(cells []value.Cell, words []uint64) uint32 {
	clear(words)
	classes := len(words) - len(cells)
	for i, c := range cells {
		words[i/8] |= uint64(c.Kind) << (i % 8 * 8)
		words[classes+i] = math.Float64bits(c.Val)
	}
	return s.table.Intern(words)
}

// Pin implements d2.Pins.
func (s *cellSpace) Pin(row uint32) { s.ref(row) }

// Unpin implements d2.Pins.
func (s *cellSpace) Unpin(row uint32) { s.unref(row) }

func (s *cellSpace) leaves() []leaf { return s.all }
func (s *cellSpace) ready() error   { return nil }

// compareKeys orders rows by their key values, as public keys are: texts before
// numbers before others, what is not there last.
func (s *cellSpace) compareKeys(a, b uint32) int {
	if a == b {
		return 0
	}
	n := s.nulls
	if s.own {
		n = s.n
	}
	for i := range n {
		if c := comparePublic(s.engine.Dict, s.cell(a, i), s.cell(b, i)); c != 0 {
			return c
		}
	}
	return 0
}

func keyRank(k value.Kind) int {
	switch k {
	case value.KindString:
		return 0
	case value.KindNumber:
		return 1
	case value.KindUndefined, value.KindNull:
		return 3
	}
	return 2
}

// comparePublic orders values as public keys.
func comparePublic(texts value.Texts, a, b value.Cell) int {
	if a == b {
		return 0
	}
	if c := keyRank(a.Kind) - keyRank(b.Kind); c != 0 {
		return c
	}
	c, err := value.Term{}.Compare(a, b, texts)
	switch {
	case err == nil && c != 0:
		return c
	case a.Kind != b.Kind:
		return int(a.Kind) - int(b.Kind)
	case a.Val < b.Val:
		return -1
	}
	return 1
}
