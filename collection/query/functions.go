package query

import (
	"math"

	"millrace.dev/millrace/collection/value"
)

// apply evaluates a function of all its operands. What needs no JavaScript is
// computed here, row by row; the other rows are sent to the shell together.
func (p *Program) apply(n *node, rows []uint32, v *vec) error {
	args := make([]*vec, len(n.args)+1)
	for i := range args {
		args[i] = p.take()
		defer p.give(args[i])
	}
	own, args := args[len(n.args)], args[:len(n.args)]
	for i, a := range n.args {
		if err := p.cells(a, rows, args[i]); err != nil {
			return err
		}
	}
	left := 0
	for i := range rows {
		if c, ok := p.plain(n.fn, args, i); ok {
			v.kinds[i], v.vals[i] = c.Kind, c.Val
			continue
		}
		for _, a := range args {
			a.kinds[left], a.vals[left] = a.kinds[i], a.vals[i]
		}
		own.at[left] = uint16(i)
		left++
	}
	if left == 0 {
		return nil
	}
	return p.ask(n.fn, args, own.at[:left], v)
}

// ask has the shell apply a function to the first operands of args, one row for each
// of at, which says where in v the result goes.
func (p *Program) ask(fn Fn, args []*vec, at []uint16, v *vec) error {
	shell, ok := p.texts.(Applier)
	if !ok {
		return &Error{CodeUnsupported, fnNames[fn], "nobody is there to apply " + fnNames[fn] + " to texts and objects"}
	}
	kinds, vals := make([][]uint8, len(args)), make([][]float64, len(args))
	for i, a := range args {
		kinds[i], vals[i] = a.kinds[:len(at)], a.vals[:len(at)]
	}
	rk, rv, err := shell.Apply(fnNames[fn], len(at), kinds, vals)
	if err != nil {
		return err
	}
	for j, i := range at {
		v.kinds[i], v.vals[i] = rk[j], rv[j]
	}
	return nil
}

// plain applies a function to row i of its operands; ok is false where the answer
// is JavaScript's.
func (p *Program) plain(fn Fn, args []*vec, i int) (c value.Cell, ok bool) {
	switch fn {
	case FnConcat, FnDate, FnDatetime, FnStrftime:
		return c, false
	}
	a := args[0].cell(i)
	switch fn {
	case FnUpper, FnLower:
		return a, a.Kind != value.KindString || a.ID() == value.EmptyText
	case FnLength:
		n := 0
		switch {
		case a.Kind == value.KindRef && a != opaque: // an array perhaps
			return c, false
		case a.Kind == value.KindString && a.ID() != value.EmptyText:
			if n = value.Units(p.texts.Text(a.ID())); n == 0 {
				return c, false
			}
		}
		return value.Number(float64(n)), true
	}
	b := args[1].cell(i)
	if fn == FnDivide && (b.Absent() || b == value.Number(0)) {
		return nullCell, true
	}
	x, isNumber := operand(fn, a)
	y, bothAre := operand(fn, b)
	if !isNumber || !bothAre {
		return c, false
	}
	switch fn {
	case FnAdd:
		x += y
	case FnSubtract:
		x -= y
	case FnMultiply:
		x *= y
	default:
		x /= y
	}
	return value.Number(x), true
}

// operand is the number an operand of arithmetic stands for, what is missing
// being 0. Dates are numbers too, but text in a sum.
func operand(fn Fn, c value.Cell) (v float64, ok bool) {
	switch c.Kind {
	case value.KindUndefined, value.KindNull:
		return 0, true
	case value.KindNaN:
		return math.NaN(), true
	case value.KindBool, value.KindNumber:
		return c.Val, true
	}
	return c.Val, c.Kind == value.KindDate && fn != FnAdd
}

// choose evaluates coalesce and caseWhen. An operand is evaluated for the rows
// it can still decide, so that it may rely on those before it.
func (p *Program) choose(n *node, rows []uint32, v *vec) error {
	open, got, taken := p.take(), p.take(), p.take()
	defer p.give(open)
	defer p.give(got)
	defer p.give(taken)
	for i, r := range rows {
		open.slots[i], open.at[i] = r, uint16(i)
		v.kinds[i], v.vals[i] = nullCell.Kind, nullCell.Val
	}
	left := len(rows)
	for i := 0; i < len(n.args) && left > 0; i++ {
		if err := p.cells(n.args[i], open.slots[:left], got); err != nil {
			return err
		}
		isCondition := n.fn == FnCaseWhen && i+1 < len(n.args)
		still, hits := 0, 0
		for j := range left {
			c, r, at := got.cell(j), open.slots[j], open.at[j]
			switch {
			case isCondition && value.Truthy(c, p.texts):
				taken.slots[hits], taken.at[hits] = r, at
				hits++
				continue
			case !isCondition && (n.fn == FnCaseWhen || !c.Absent()):
				v.kinds[at], v.vals[at] = c.Kind, c.Val
				continue
			}
			open.slots[still], open.at[still] = r, at
			still++
		}
		left = still
		if !isCondition {
			continue
		}
		i++
		if hits == 0 {
			continue
		}
		if err := p.cells(n.args[i], taken.slots[:hits], got); err != nil {
			return err
		}
		for j, at := range taken.at[:hits] {
			v.kinds[at], v.vals[at] = got.kinds[j], got.vals[j]
		}
	}
	return nil
}
