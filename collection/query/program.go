package query

import "millrace.dev/millrace/collection/value"

// chunk is how many slots a kernel handles at a time: small enough that its
// scratch vectors stay in the first-level cache.
const chunk = 1024

// Program is a compiled list of conjuncts, all of which must be true. It keeps
// no state between calls.
type Program struct {
	nodes   []*node
	texts   value.Texts
	scratch *Scratch
}

// node is an expression with its columns bound.
type node struct {
	op   Op
	fn   Fn
	col  *Column
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

// Scratch is a stock of vectors that the programs of one session share; a
// program needs a few while it runs and none between.
type Scratch struct{ free []*vec }

// A Sharer is a value.Texts whose session's programs share their scratch.
type Sharer interface{ Scratch() *Scratch }

// Compile binds conjuncts to the columns of b. Programs made with the same
// texts may share scratch (Sharer).
func Compile(conjuncts []*Expr, b Binder, texts value.Texts) (*Program, error) {
	return compile(conjuncts, b, texts, false)
}

// CompileOrdered binds one expression whose values will be ordered: where it
// passes the texts of a column on, their bytes are needed.
func CompileOrdered(e *Expr, b Binder, texts value.Texts) (*Program, error) {
	return compile([]*Expr{e}, b, texts, e.Op == OpRef || e.Op == OpCall && e.Fn > FnNot)
}

func compile(conjuncts []*Expr, b Binder, texts value.Texts, text bool) (*Program, error) {
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

// needsText tells whether fn looks at the bytes of its operands' texts.
func needsText(fn Fn) bool {
	switch fn {
	case FnGt, FnGte, FnLt, FnLte, FnLike, FnILike, FnNot:
		return true
	}
	return false
}

func bind(e *Expr, b Binder, text bool) (*node, error) {
	n := &node{op: e.Op, fn: e.Fn, cell: e.Cell}
	switch e.Op {
	case OpList:
		n.list = membersOf(e.List)
	case OpRef:
		col, err := b.Column(e.Path, text)
		if err != nil {
			return nil, err
		}
		n.col = col
	case OpCall:
		inner := text || needsText(e.Fn)
		if e.Fn == FnEq || e.Fn == FnIn || e.Fn == FnIsNull || e.Fn == FnIsUndefined {
			inner = false
		}
		n.args = make([]*node, 0, len(e.Args))
		for i, a := range e.Args {
			// The first operand of these is only asked whether it is there.
			guard := i == 0 && (e.Fn == fnInto || e.Fn == fnWithin || e.Fn == fnPick)
			m, err := bind(a, b, inner && !guard)
			if err != nil {
				return nil, err
			}
			n.args = append(n.args, m)
		}
	}
	return n, nil
}

// Select appends to keep, in order, the slots whose rows satisfy every
// conjunct. An error is a fault of a value in one of the rows.
func (p *Program) Select(slots, keep []uint32) ([]uint32, error) {
	if len(p.nodes) == 0 {
		return append(keep, slots...), nil
	}
	for len(slots) > 0 {
		part := slots
		if len(part) > chunk {
			part = part[:chunk]
		}
		slots = slots[len(part):]
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

// Truth evaluates the conjuncts one by one for one slot and returns their
// truth values as a select shows them: the program of a computed field has one
// node.
func (p *Program) Truth(slot uint32) (value.Tri, error) {
	v := p.take()
	defer p.give(v)
	in := [1]uint32{slot}
	err := p.truth(p.nodes[0], in[:], v.tri[:1])
	return v.tri[0], err
}

// Cells evaluates the only conjunct as a value for each slot.
func (p *Program) Cells(slots []uint32, visit func(i int, c value.Cell)) error {
	v := p.take()
	defer p.give(v)
	for base := 0; base < len(slots); base += chunk {
		part := slots[base:min(base+chunk, len(slots))]
		if err := p.cells(p.nodes[0], part, v); err != nil {
			return err
		}
		for i := range part {
			visit(base+i, value.Cell{Kind: v.kinds[i], Val: v.vals[i]})
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

// cells evaluates n for each slot into v.
func (p *Program) cells(n *node, slots []uint32, v *vec) error {
	kinds, vals := v.kinds[:len(slots)], v.vals[:len(slots)]
	switch n.op {
	case OpRef:
		ck, cv := n.col.Kinds, n.col.Vals
		for i, s := range slots {
			kinds[i], vals[i] = ck[s], cv[s]
		}
	case OpConst:
		for i := range kinds {
			kinds[i], vals[i] = n.cell.Kind, n.cell.Val
		}
	case OpList:
		for i := range kinds {
			kinds[i], vals[i] = opaque.Kind, opaque.Val
		}
	case OpCall:
		if n.fn >= fnInto {
			return p.navigate(n, slots, v)
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
