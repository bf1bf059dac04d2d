package value

// TriOf is the truth value of a decided condition.
func TriOf(b bool) Tri {
	if b {
		return True
	}
	return False
}

// CellOf is the value an expression of truth value v has: true, false, or null.
func CellOf(v Tri) Cell {
	if v == Unknown {
		return Cell{Kind: KindNull}
	}
	return Cell{Kind: KindBool, Val: float64(v)}
}

// AndOperand is what one operand tells an `and`: False for exactly false, Unknown
// for null and undefined, True for all else, 0 and "" included. The conjunction is
// the first False, else Unknown if there was one, else True.
func AndOperand(c Cell) Tri {
	switch {
	case c.Absent():
		return Unknown
	case c.Kind == KindBool && c.Val == 0:
		return False
	}
	return True
}

// OrOperand is what one operand tells an `or`: True for exactly true, Unknown for
// null and undefined, False for all else, 1 included. The disjunction is the first
// True, else Unknown if there was one, else False.
func OrOperand(c Cell) Tri {
	switch {
	case c.Absent():
		return Unknown
	case c.Kind == KindBool && c.Val == 1:
		return True
	}
	return False
}

// Not is the `not` of expressions: Unknown for null and undefined, else the
// negation of Truthy.
func Not(c Cell, t Texts) Tri {
	if c.Absent() {
		return Unknown
	}
	return TriOf(!Truthy(c, t))
}

// Keeps reports whether a where clause of value c keeps its row: only exactly
// true does.
func Keeps(c Cell) bool { return c.Kind == KindBool && c.Val == 1 }

// Truthy is JavaScript's conversion to boolean. KindNaN counts as the number,
// falsy, though an invalid Date would be truthy: the engine does not tell the two
// apart. t is asked for bigints only.
func Truthy(c Cell, t Texts) bool {
	switch c.Kind {
	case KindUndefined, KindNull, KindNaN:
		return false
	case KindBool, KindNumber:
		return c.Val != 0
	case KindString:
		return c.ID() != EmptyText
	case KindBigInt:
		return len(parseDecimal(t.Text(c.ID())).digits) > 0
	}
	return true
}
