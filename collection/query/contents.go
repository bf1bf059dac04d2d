package query

import "slices"

// Contents lists what rows of this shape are made of, in authoring order: the
// expressions at which its objects end. A row of a collection that is shown or
// spread as a whole is one reference without a path (see [Expr.Standing]). ok
// tells whether that is the same for every row; it is not where a row looks like
// one of several sources.
func (s Shape) Contents() (list []*Expr, ok bool) { return s.form().contents(nil) }

func (f *form) contents(dst []*Expr) ([]*Expr, bool) {
	if f = f.within(); f.expr != nil {
		return append(dst, f.expr), true
	}
	ok := f.guard == nil
	for _, m := range f.members {
		if dst, ok = m.form.contents(dst); !ok {
			break
		}
	}
	return dst, ok
}

func (f *form) isUndefined() bool {
	return f.expr != nil && f.expr.Op == OpConst && f.expr.Cell == undefinedCell
}

// Recast returns the shape of rows that are made of the same contents, which
// there are the expressions at, in the order of [Shape.Contents].
func (s Shape) Recast(at []*Expr) Shape {
	f, _ := s.form().recast(at)
	return Shape{row: f}
}

func (f *form) recast(at []*Expr) (*form, []*Expr) {
	if f = f.within(); f.expr != nil {
		return &form{expr: at[0]}, at[1:]
	}
	out := &form{members: slices.Clone(f.members)}
	for i := range out.members {
		m := &out.members[i]
		m.form, at = m.form.recast(at)
	}
	return out, at
}

// Align lists what other rows have where rows of this shape have their contents,
// by the names of fields; spreads answer each other in order. at is the first
// place where that cannot be told, ok whether there is none.
func (s Shape) Align(other Shape) (list []*Expr, at []string, ok bool) {
	a := aligner{}
	ok = a.align(s.form(), other.form())
	return a.list, a.path, ok
}

type aligner struct {
	list []*Expr
	path []string
}

func (a *aligner) align(f, g *form) bool {
	f, g = f.whole().within(), g.whole().within()
	switch {
	case f.guard != nil:
		return false
	case f.expr != nil:
		if g.expr == nil && g.guard == nil {
			return false
		}
		a.list = append(a.list, g.value())
		return true
	}
	spreads := 0
	for _, m := range f.members {
		if m.spread {
			of := g.spreadAt(spreads)
			spreads++
			if of == nil || !a.align(m.form, of) {
				return false
			}
			continue
		}
		a.path = append(a.path, m.name)
		if !a.align(m.form, g.locate([]string{m.name})) {
			return false
		}
		a.path = a.path[:len(a.path)-1]
	}
	return true
}

// whole is what an object that is nothing but a spread looks like.
func (f *form) whole() *form {
	for f.expr == nil && f.guard == nil && len(f.members) == 1 && f.members[0].spread {
		f = f.members[0].form
	}
	return f
}

// within is f with the guard of a source that may be missing where its value is.
func (f *form) within() *form {
	if f.guard != nil && f.over.expr != nil && f.under.isUndefined() {
		return &form{expr: Within(f.guard, f.over.expr)}
	}
	return f
}

// spreadAt is what an object spreads as its i-th, nil if there is none.
func (f *form) spreadAt(i int) *form {
	for _, m := range f.members {
		if m.spread {
			if i == 0 {
				return m.form
			}
			i--
		}
	}
	return nil
}

// Guarded takes the presences off an expression without which it is undefined.
func (e *Expr) Guarded() (guards []*Expr, within *Expr) {
	for e.Op == OpCall && e.Fn == fnWithin {
		guards = append(guards, e.Args[0])
		e = e.Args[1]
	}
	return guards, e
}

// Standing tells the leaf whose whole value e is, or is where nothing is missing.
func (e *Expr) Standing() (leaf uint32, ok bool) {
	for e.Op == OpCall && e.Fn == fnWithin {
		e = e.Args[1]
	}
	return e.Leaf, e.Op == OpRef && len(e.Path) == 0
}
