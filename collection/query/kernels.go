package query

import "millrace.dev/millrace/collection/value"

// truth evaluates n as a condition for each slot.
func (p *Program) truth(n *node, slots []uint32, out []value.Tri) error {
	if n.op != OpCall || n.fn > FnNot {
		v := p.take()
		defer p.give(v)
		if err := p.cells(n, slots, v); err != nil {
			return err
		}
		for i := range out {
			out[i] = strictly(v.kinds[i], v.vals[i])
		}
		return nil
	}
	switch n.fn {
	case FnAnd, FnOr:
		return p.fold(n, slots, out)
	case FnNot:
		return p.not(n.args[0], slots, out)
	case FnIn:
		return p.in(n, slots, out)
	case FnIsNull, FnIsUndefined:
		v := p.take()
		defer p.give(v)
		if err := p.cells(n.args[0], slots, v); err != nil {
			return err
		}
		want := value.KindNull
		if n.fn == FnIsUndefined {
			want = value.KindUndefined
		}
		for i := range out {
			out[i] = value.False
			if v.kinds[i] == want {
				out[i] = value.True
			}
		}
		return nil
	}
	return p.compare(n, slots, out)
}

// strictly is the truth of a bare value where a row must be true to be kept:
// only the boolean true is.
func strictly(k uint8, v float64) value.Tri {
	switch {
	case k <= value.KindNull:
		return value.Unknown
	case k == value.KindBool && v == 1:
		return value.True
	}
	return value.False
}

// fold evaluates and and or. Inside and, a value that is neither null nor false
// counts as not false; inside or, only true is true. An operand is evaluated
// only for the rows that the operands before it left open, so that it may rely
// on them: it can fail on a value.
func (p *Program) fold(n *node, slots []uint32, out []value.Tri) error {
	isAnd := n.fn == FnAnd
	start, stop := value.False, value.True
	if isAnd {
		start, stop = value.True, value.False
	}
	for i := range out {
		out[i] = start
	}
	v := p.take()
	defer p.give(v)
	for _, a := range n.args {
		open := v.slots[:0]
		for i, s := range slots {
			if out[i] != stop {
				v.at[len(open)] = uint16(i)
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			return nil
		}
		t := v.tri[:len(open)]
		if err := p.operand(a, isAnd, open, t, v); err != nil {
			return err
		}
		for j, x := range t {
			if x == stop || x == value.Unknown {
				out[v.at[j]] = x
			}
		}
	}
	return nil
}

// operand evaluates one operand of and or or into t, a part of v.
func (p *Program) operand(a *node, isAnd bool, slots []uint32, t []value.Tri, v *vec) error {
	if a.op == OpCall && a.fn <= FnNot {
		return p.truth(a, slots, t)
	}
	if err := p.cells(a, slots, v); err != nil {
		return err
	}
	for i := range t {
		c := value.Cell{Kind: v.kinds[i], Val: v.vals[i]}
		if isAnd {
			t[i] = value.AndOperand(c)
		} else {
			t[i] = value.OrOperand(c)
		}
	}
	return nil
}

// not is JavaScript's negation, with null staying unknown.
func (p *Program) not(a *node, slots []uint32, out []value.Tri) error {
	if a.op == OpCall && a.fn <= FnNot {
		if err := p.truth(a, slots, out); err != nil {
			return err
		}
		for i, t := range out {
			if t != value.Unknown {
				out[i] = 1 - t
			}
		}
		return nil
	}
	v := p.take()
	defer p.give(v)
	if err := p.cells(a, slots, v); err != nil {
		return err
	}
	for i := range out {
		out[i] = value.Not(value.Cell{Kind: v.kinds[i], Val: v.vals[i]}, p.texts)
	}
	return nil
}

func (p *Program) in(n *node, slots []uint32, out []value.Tri) error {
	v := p.take()
	defer p.give(v)
	if err := p.cells(n.args[0], slots, v); err != nil {
		return err
	}
	list := &n.args[1].list // empty unless it is a list
	for i := range out {
		if v.kinds[i] <= value.KindNull {
			out[i] = value.Unknown
			continue
		}
		out[i] = value.TriOf(list.has(value.Cell{Kind: v.kinds[i], Val: v.vals[i]}))
	}
	return nil
}

// compare evaluates the functions of two operands. A column against a number is
// the common case and has loops of its own.
func (p *Program) compare(n *node, slots []uint32, out []value.Tri) error {
	a, b := n.args[0], n.args[1]
	va, vb := p.take(), p.take()
	defer p.give(va)
	defer p.give(vb)
	if a.op == OpRef && a.src.Col != nil && b.op == OpConst {
		at := slots
		if a.src.Lens != nil {
			at = va.slots[:len(slots)]
			a.src.Lens.Slots(slots, at)
		}
		if againstConst(n.fn, a.src.Col, b.cell, at, out) {
			return nil
		}
	}
	if err := p.cells(a, slots, va); err != nil {
		return err
	}
	if err := p.cells(b, slots, vb); err != nil {
		return err
	}
	var err error
	for i := range out {
		x := value.Cell{Kind: va.kinds[i], Val: va.vals[i]}
		y := value.Cell{Kind: vb.kinds[i], Val: vb.vals[i]}
		switch n.fn {
		case FnEq:
			out[i] = value.Equal(x, y)
			if x == opaque && y == opaque {
				out[i] = value.False
			}
		case FnLike, FnILike:
			out[i] = p.like(x, y, n.fn == FnILike)
		default:
			if out[i], err = value.Relate(opOf(n.fn), x, y, p.texts); err != nil {
				return &Error{CodeQueryFailed, fnNames[n.fn], err.Error()}
			}
		}
	}
	return nil
}

// againstConst compares a column with a constant where there is a loop for it.
// It returns false, having decided nothing, where there is none.
func againstConst(fn Fn, col *Column, c value.Cell, slots []uint32, out []value.Tri) bool {
	switch {
	case c.Kind == value.KindNumber && fn >= FnGt && fn <= FnLte:
		return relateNumber(fn, col, c.Val, slots, out)
	case fn == FnEq && c.Kind > value.KindNull && c.Kind != value.KindNaN:
		equalConst(col, c, slots, out)
		return true
	}
	return false
}

func opOf(fn Fn) value.Op {
	switch fn {
	case FnGt:
		return value.Gt
	case FnGte:
		return value.Gte
	case FnLt:
		return value.Lt
	}
	return value.Lte
}

func (p *Program) like(x, pattern value.Cell, fold bool) value.Tri {
	if x.Kind <= value.KindNull || pattern.Kind <= value.KindNull {
		return value.Unknown
	}
	if x.Kind != value.KindString || pattern.Kind != value.KindString {
		return value.False
	}
	if value.Like(p.texts.Text(uint32(pattern.Val)), p.texts.Text(uint32(x.Val)), fold) {
		return value.True
	}
	return value.False
}

// equalConst compares a column with a constant that is not null and not NaN.
// Equal texts have equal ids, so one comparison of numbers decides every kind.
func equalConst(col *Column, c value.Cell, slots []uint32, out []value.Tri) {
	want, class := c.Val, value.Class(c.Kind)
	kinds, vals := col.Kinds, col.Vals
	for i, s := range slots {
		if int(s) >= len(kinds) { // no slot
			out[i] = value.Unknown
			continue
		}
		k := kinds[s]
		switch {
		case k == c.Kind || value.Class(k) == class:
			out[i] = value.False
			if vals[s] == want {
				out[i] = value.True
			}
		case k <= value.KindNull:
			out[i] = value.Unknown
		default:
			out[i] = value.False
		}
	}
}

// relateNumber compares a column with a number. It returns false, having
// decided nothing, when a value is neither a number nor a date nor null: the general loop knows
// what to do with those.
func relateNumber(fn Fn, col *Column, c float64, slots []uint32, out []value.Tri) bool {
	kinds, vals := col.Kinds, col.Vals
	for i, s := range slots {
		if int(s) >= len(kinds) { // no slot
			out[i] = value.Unknown
			continue
		}
		k := kinds[s]
		if k != value.KindNumber && k != value.KindDate {
			if k <= value.KindNull {
				out[i] = value.Unknown
				continue
			}
			return false
		}
		v := vals[s]
		var t bool
		switch fn {
		case FnGt:
			t = v > c
		case FnGte:
			t = v >= c
		case FnLt:
			t = v < c
		default:
			t = v <= c
		}
		out[i] = value.False
		if t {
			out[i] = value.True
		}
	}
	return true
}
