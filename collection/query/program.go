package query

import "millrace.dev/millrace/collection/value"

// chunk is how many rows a kernel handles at a time: small enough that its
// scratch vectors stay in the first-level cache.
const chunk = 1024

// none is the slot of a leaf that a row does not have.
const none = ^uint32(0)

// Program is a compiled list of conjuncts over the rows of a root or a space,
// all of which must be true. It keeps no state between calls.
type Program struct {
	nodes   []*node
	texts   value.Texts
	scratch *Scratch
}

// node is an expression with what it reads bound; a pull is a reference then.
type node struct {
	op   Op
	fn   Fn
	src  Source
	cell value.Cell
	list members
	args []*node
}

// vec is a scratch vector of cells; tri holds truth values, slots and at a
// selection of rows and where they came from.
type vec struct {
	kinds [chunk]uint8
	vals  [chunk]float64
	tri   [chunk]value.Tri
	slots [chunk]uint32
	at    [chunk]uint16
}

func (v *vec) cell(i int) value.Cell { return value.Cell{Kind: v.kinds[i], Val: v.vals[i]} }

// Scratch is a stock of vectors that the programs of one session share; a
// program needs a few while it runs and none between.
type Scratch struct{ free []*vec }

// A Sharer is a value.Texts whose session's programs share their scratch.
type Sharer interface{ Scratch() *Scratch }

// rootOnly is a root as a space of one leaf.
type rootOnly struct{ Binder }

// Ref implements SpaceBinder.
func (r rootOnly) Ref(_ uint32, path []string, text bool) (Source, error) {
	col, err := r.Column(path, text)
	return Source{Col: col}, err
}

// Pull implements SpaceBinder.
func (r rootOnly) Pull(*Expr, bool) (Source, error) {
	return Source{}, &Error{CodeUnsupported, "callback", "a query that is asked once has no callbacks"}
}

// Compile binds conjuncts to the columns of b. Programs made with the same
// texts may share scratch (Sharer).
func Compile(conjuncts []*Expr, b Binder, texts value.Texts) (*Program, error) {
	return compile(conjuncts, rootOnly{b}, texts, false)
}

// CompileOrdered binds one expression whose values will be ordered: where it
// passes the texts of a column on, their bytes are needed.
func CompileOrdered(e *Expr, b Binder, texts value.Texts) (*Program, error) {
	return CompileSpaceOrdered(e, rootOnly{b}, texts)
}

// CompileSpace is Compile over the rows of a space. Texts that want to be asked
// for what only the shell can compute are an Applier.
func CompileSpace(conjuncts []*Expr, b SpaceBinder, texts value.Texts) (*Program, error) {
	return compile(conjuncts, b, texts, false)
}

// CompileSpaceOrdered is CompileOrdered over the rows of a space.
func CompileSpaceOrdered(e *Expr, b SpaceBinder, texts value.Texts) (*Program, error) {
	return compile([]*Expr{e}, b, texts, true)
}

func compile(conjuncts []*Expr, b SpaceBinder, texts value.Texts, text bool) (*Program, error) {
	p := &Program{texts: texts}
	if s, ok := texts.(Sharer); ok {
		p.scratch = s.Scratch()
	} else {
		p.scratch = new(Scratch)
	}
	for _, c := range conjuncts {
		n, err := bind(c, b, text)
		if err != nil {
			return nil, err
		}
		p.nodes = append(p.nodes, n)
	}
	return p, nil
}

// argText tells whether operand i of n is read with the bytes of its texts; text:
// those of the result are needed.
func argText(fn Fn, i, n int, text bool) bool {
	switch fn {
	case FnGt, FnGte, FnLt, FnLte, FnLike, FnILike, FnNot, FnLength:
		return true
	case FnCaseWhen:
		return text || i%2 == 0 && i+1 < n // of a condition, for bigints
	case fnInto, fnWithin, fnPick:
		// The first operand is only asked whether it is there.
		return text && i > 0
	case FnUpper, FnLower, FnCoalesce, fnElse:
		return text // passed on as they are, at times
	}
	return false
}

func bind(e *Expr, b SpaceBinder, text bool) (n *node, err error) {
	n = &node{op: e.Op, fn: e.Fn, cell: e.Cell}
	switch e.Op {
	case OpConst:
	case OpList:
		n.list = membersOf(e.List)
	case OpRef:
		n.src, err = b.Ref(e.Leaf, e.Path, text)
	case OpPull:
		n.op = OpRef
		n.src, err = b.Pull(e, text)
	case OpCall:
		n.args = make([]*node, len(e.Args))
		for i, a := range e.Args {
			if n.args[i], err = bind(a, b, argText(e.Fn, i, len(e.Args), text)); err != nil {
				break
			}
		}
	default:
		err = &Error{CodeUnknownExpression, "expression", "aggregates and subqueries are no values of one row"}
	}
	return n, err
}

// Select appends to keep, in order, the rows that satisfy every conjunct. An
// error is a fault of a value in one of the rows.
func (p *Program) Select(rows, keep []uint32) ([]uint32, error) {
	if len(p.nodes) == 0 {
		return append(keep, rows...), nil
	}
	for len(rows) > 0 {
		part := rows[:min(chunk, len(rows))]
		rows = rows[len(part):]
		start := len(keep)
		// The first conjunct reads the part, each further one what is left of it.
		for i, n := range p.nodes {
			in := part
			if i > 0 {
				in = keep[start:]
			}
			v := p.take()
			err := p.truth(n, in, v.tri[:len(in)])
			if err != nil {
				p.give(v)
				return keep[:start], err
			}
			if i == 0 {
				for j, t := range v.tri[:len(in)] {
					if t == value.True {
						keep = append(keep, in[j])
					}
				}
			} else {
				w := start
				for j, t := range v.tri[:len(in)] {
					if t == value.True {
						keep[w] = in[j]
						w++
					}
				}
				keep = keep[:w]
			}
			p.give(v)
			if len(keep) == start {
				break
			}
		}
	}
	return keep, nil
}

// Truth evaluates the first conjunct for one row and returns its truth value as a
// select shows it: the program of a computed field has one.
func (p *Program) Truth(row uint32) (value.Tri, error) {
	v := p.take()
	defer p.give(v)
	v.slots[0] = row
	err := p.truth(p.nodes[0], v.slots[:1], v.tri[:1])
	return v.tri[0], err
}

// Cell evaluates the first conjunct as a value for one row.
func (p *Program) Cell(row uint32) (value.Cell, error) {
	v := p.take()
	defer p.give(v)
	v.slots[0] = row
	err := p.cells(p.nodes[0], v.slots[:1], v)
	return v.cell(0), err
}

// Cells evaluates the first conjunct as a value for each row.
func (p *Program) Cells(rows []uint32, visit func(i int, c value.Cell)) error {
	v := p.take()
	defer p.give(v)
	for base := 0; base < len(rows); base += chunk {
		part := rows[base:min(base+chunk, len(rows))]
		if err := p.cells(p.nodes[0], part, v); err != nil {
			return err
		}
		for i := range part {
			visit(base+i, v.cell(i))
		}
	}
	return nil
}

func (p *Program) take() *vec {
	if n := len(p.scratch.free); n > 0 {
		v := p.scratch.free[n-1]
		p.scratch.free = p.scratch.free[:n-1]
		return v
	}
	return new(vec)
}

func (p *Program) give(v *vec) { p.scratch.free = append(p.scratch.free, v) }

// cells evaluates n for each row into the cells of v, and of a condition into
// its truth values; rows may be v's.
func (p *Program) cells(n *node, slots []uint32, v *vec) error {
	kinds, vals := v.kinds[:len(slots)], v.vals[:len(slots)]
	switch n.op {
	case OpRef:
		return p.read(&n.src, slots, v)
	case OpConst:
		for i := range kinds {
			kinds[i], vals[i] = n.cell.Kind, n.cell.Val
		}
	case OpList:
		for i := range kinds {
			kinds[i], vals[i] = opaque.Kind, opaque.Val
		}
	case OpCall:
		switch {
		case n.fn >= fnInto:
			return p.navigate(n, slots, v)
		case n.fn >= FnCoalesce:
			return p.choose(n, slots, v)
		case n.fn > FnNot:
			return p.apply(n, slots, v)
		}
		if err := p.truth(n, slots, v.tri[:len(slots)]); err != nil {
			return err
		}
		for i, t := range v.tri[:len(slots)] {
			switch t {
			case value.Unknown:
				kinds[i], vals[i] = value.KindNull, 0
			case value.True:
				kinds[i], vals[i] = value.KindBool, 1
			default:
				kinds[i], vals[i] = value.KindBool, 0
			}
		}
	}
	return nil
}

// read fetches what a reference reads.
func (p *Program) read(src *Source, rows []uint32, v *vec) error {
	kinds, vals := v.kinds[:len(rows)], v.vals[:len(rows)]
	if src.Col == nil {
		return src.Reader.Read(rows, kinds, vals)
	}
	ck, cv := src.Col.Kinds, src.Col.Vals
	if src.Lens == nil {
		for i, s := range rows {
			kinds[i], vals[i] = ck[s], cv[s]
		}
		return nil
	}
	w := p.take()
	slots := w.slots[:len(rows)]
	src.Lens.Slots(rows, slots)
	for i, s := range slots {
		kinds[i], vals[i] = value.KindUndefined, 0
		if s != none {
			kinds[i], vals[i] = ck[s], cv[s]
		}
	}
	p.give(w)
	return nil
}

// navigate evaluates the internal functions.
func (p *Program) navigate(n *node, slots []uint32, v *vec) error {
	if err := p.cells(n.args[0], slots, v); err != nil {
		return err
	}
	w := p.take()
	defer p.give(w)
	if err := p.cells(n.args[1], slots, w); err != nil {
		return err
	}
	u := w
	if n.fn == fnPick {
		u = p.take()
		defer p.give(u)
		if err := p.cells(n.args[2], slots, u); err != nil {
			return err
		}
	}
	for i := range slots {
		absent := v.kinds[i] <= value.KindNull
		switch {
		case n.fn == fnElse && v.kinds[i] != value.KindUndefined:
		case n.fn == fnInto && absent:
		case n.fn == fnWithin && absent:
			v.kinds[i], v.vals[i] = value.KindUndefined, 0
		case n.fn == fnPick && v.kinds[i] == value.KindUndefined:
			v.kinds[i], v.vals[i] = u.kinds[i], u.vals[i]
		default:
			v.kinds[i], v.vals[i] = w.kinds[i], w.vals[i]
		}
	}
	return nil
}
