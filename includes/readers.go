package includes

import (
	"math"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// reader gives the value of an expression, row by row. One that cannot be
// computed fails the operator that asks.
type reader interface {
	of(row uint32) value.Cell
}

// columnAt reads a column.
type columnAt struct {
	col  *query.Column
	walk []hop
}

func (c *columnAt) of(row uint32) value.Cell {
	if row = walk(c.walk, row); row == d2.None {
		return value.Cell{}
	}
	return c.col.At(row)
}

// cellAt reads a value that stands in rows.
type cellAt struct{ leaf }

func (c *cellAt) of(row uint32) value.Cell {
	if row = walk(c.walk, row); row == d2.None {
		return value.Cell{}
	}
	return c.cells.cell(row, c.at)
}

// constant is the same for every row.
type constant value.Cell

func (c constant) of(uint32) value.Cell { return value.Cell(c) }

// programAt evaluates an expression.
type programAt struct {
	prog  *query.Program
	row   [1]uint32
	cell  value.Cell
	visit func(int, value.Cell)
}

func newProgramAt(prog *query.Program) *programAt {
	p := &programAt{prog: prog}
	p.visit = func(_ int, c value.Cell) { p.cell = c }
	return p
}

func (p *programAt) of(row uint32) value.Cell {
	p.row[0] = row
	if err := p.prog.Cells(p.row[:], p.visit); err != nil {
		panic(d2.SourceFault{Err: err})
	}
	return p.cell
}

// reader returns what reads an expression over a space, the same for a row as long
// as its id lives; its texts come with their bytes.
func (h *holds) reader(e *query.Expr, s space) (reader, error) {
	if e.Op == query.OpCall && e.Foreign() {
		return h.remembered(e, s)
	}
	return h.passing(e, s)
}

// passing is reader for values that are read and not kept.
func (h *holds) passing(e *query.Expr, s space) (reader, error) {
	switch e.Op {
	case query.OpConst:
		return constant(e.Cell), nil
	case query.OpRef:
		l := s.leaves()[e.Leaf]
		switch {
		case l.there:
		case l.say != nil:
			return &memoAt{h.said(l.say, e.Path, false), l.walk}, nil
		case l.cells == nil:
			col, err := h.lease(l.root).Column(e.Path, true)
			if err != nil {
				return nil, err
			}
			return &columnAt{col, l.walk}, nil
		case len(e.Path) == 0:
			return &cellAt{l}, nil
		}
	}
	prog, err := h.ordered(e, s)
	if err != nil {
		return nil, err
	}
	return newProgramAt(prog), nil
}

// shownBy returns what reads the values of parts.
func (h *holds) shownBy(list []*query.Expr, s space) ([]reader, error) {
	out := make([]reader, len(list))
	for i, e := range list {
		var err error
		if out[i], err = h.part(e, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keyer is the key of a join: equal values have one, what is not there has
// none. It implements d2.Keyer.
type keyer struct{ reader }

func (k *keyer) Key(row uint32) (class uint8, bits uint64, ok bool) {
	c := k.of(row)
	return value.Class(c.Kind), math.Float64bits(c.Val), !c.Absent()
}

// groupKeyer is the key of a group: rows of one have values of the same kind
// that are the same, those that are not there included. It implements d2.Keyer.
type groupKeyer struct {
	values []reader
	space  *cellSpace
	cells  []value.Cell
	words  []uint64
}

func newGroupKeyer(values []reader, s *cellSpace) *groupKeyer {
	k := &groupKeyer{values: values, space: s, cells: make([]value.Cell, len(values))}
	if s.wide != nil {
		k.words = make([]uint64, s.wide.layout.Width())
	}
	return k
}

func (k *groupKeyer) Key(row uint32) (class uint8, bits uint64, ok bool) {
	switch len(k.values) {
	case 0:
		return 0, 0, true
	case 1:
		c := k.values[0].of(row)
		return c.Kind, math.Float64bits(c.Val), true
	}
	for i, v := range k.values {
		k.cells[i] = v.of(row)
	}
	wide := k.space.wide
	key := wide.row(k.cells, k.words)
	wide.loosen()
	return value.KindNumber, math.Float64bits(float64(key)), true
}

// cellMapper makes rows of values; it implements d2.Mapper.
type cellMapper struct {
	values []reader
	space  *cellSpace
	cells  []value.Cell
	words  []uint64
}

func newCellMapper(values []reader, s *cellSpace) *cellMapper {
	return &cellMapper{values: values, space: s, cells: make([]value.Cell, len(values)), words: make([]uint64, s.layout.Width())}
}

// Map implements d2.Mapper.
func (m *cellMapper) Map(row uint32) uint32 {
	for i, v := range m.values {
		m.cells[i] = v.of(row)
	}
	return m.space.row(m.cells, m.words)
}

// spaceOrder is an order of the rows of a space: terms, then the public key. It
// implements d2.Order and d2.OrderKeyer.
type spaceOrder struct {
	space space
	terms []spaceTerm
	texts value.Texts
}

type spaceTerm struct {
	value.Term
	reader
}

// Compare implements d2.Order.
func (o *spaceOrder) Compare(a, b uint32) int {
	if a == b {
		return 0
	}
	if c := o.compareTerms(a, b); c != 0 {
		return c
	}
	return o.space.compareKeys(a, b)
}

func (o *spaceOrder) compareTerms(a, b uint32) int {
	for i := range o.terms {
		t := &o.terms[i]
		x, y := t.of(a), t.of(b)
		if x == y {
			continue
		}
		c, err := t.Term.Compare(x, y, o.texts)
		if err != nil {
			panic(d2.OrderFault{Err: err})
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// OrderKey implements d2.OrderKeyer: the first term's.
func (o *spaceOrder) OrderKey(row uint32) (uint64, bool) {
	if len(o.terms) == 0 {
		return 0, false
	}
	t := &o.terms[0]
	c := t.of(row)
	if c.Absent() {
		if t.NullsLast {
			return math.MaxUint64, true
		}
		return 0, true
	}
	k, ok := value.OrderKey(c)
	if t.Desc {
		k = ^k
	}
	return k, ok
}

// order returns the order of the rows of a space by terms over it.
func (h *holds) order(terms []query.Term, s space) (*spaceOrder, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	o := &spaceOrder{space: s, texts: h.engine.Dict}
	for _, t := range terms {
		if t.Expr.Op == query.OpConst {
			continue
		}
		r, err := h.reader(t.Expr, s)
		if err != nil {
			return nil, err
		}
		o.terms = append(o.terms, spaceTerm{t.Term, r})
	}
	return o, nil
}
