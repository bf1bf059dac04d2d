package query

// Computed returns what the engine computes in rows of this shape, as
// expressions over the root. A shell that compares two versions of a row leaves
// these fields out: it does not know them before they are published.
func (s Shape) Computed() []*Expr {
	if s.row == nil {
		return nil
	}
	return s.row.computed(nil)
}

func (f *form) computed(dst []*Expr) []*Expr {
	switch {
	case f.expr != nil:
		if f.expr.calls() {
			dst = append(dst, f.expr)
		}
	case f.guard != nil:
		if f.guard.calls() {
			return append(dst, f.value())
		}
		dst = f.under.computed(f.over.computed(dst))
	default:
		for _, m := range f.members {
			dst = m.form.computed(dst)
		}
	}
	return dst
}

// calls tells whether a function of the language occurs in e.
func (e *Expr) calls() bool {
	if e.Op == OpCall && e.Fn <= FnNot {
		return true
	}
	for _, a := range e.Args {
		if a.calls() {
			return true
		}
	}
	return false
}

// Foreign tells whether a value of e may be a text or an object that only the
// shell can make: nobody but who asks for it keeps it.
func (e *Expr) Foreign() bool {
	if e.Op == OpCall {
		switch e.Fn {
		case FnUpper, FnLower, FnConcat, FnAdd, FnDate, FnDatetime, FnStrftime:
			return true
		}
	}
	for _, a := range e.Args {
		if a.Foreign() {
			return true
		}
	}
	return false
}
