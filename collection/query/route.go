package query

import "millrace.dev/millrace/collection/value"

// Conjuncts flattens the and-ed clauses of a filter into a list whose members
// must all be true.
func Conjuncts(where []*Expr) []*Expr {
	var out []*Expr
	for _, w := range where {
		// An and with fewer than two members is kept whole: its own rules decide.
		if w.Op == OpCall && w.Fn == FnAnd && allTruth(w.Args) {
			out = append(out, Conjuncts(w.Args)...)
			continue
		}
		out = append(out, w)
	}
	return out
}

// allTruth tells whether every operand can only be true, false or unknown, so
// that and-ing them means the same as requiring each to be true. A bare value
// such as 1 counts as not false inside and, but is not true on its own.
func allTruth(args []*Expr) bool {
	for _, a := range args {
		if a.Op != OpExists && (a.Op != OpCall || a.Fn > FnNot) {
			return false
		}
	}
	return len(args) > 0
}

// Route is an equality a row must satisfy: the value at Path is one of Cells
// (none: no row can).
type Route struct {
	Path  []string
	Cells []value.Cell
}

// RouteOf finds an equality among conjuncts by which changes can be routed: a
// comparison of a reference with a constant by eq, or with a list by in. The
// one with the fewest values wins, the first among equals.
func RouteOf(conjuncts []*Expr) (Route, bool) {
	var best Route
	found := false
	for _, c := range conjuncts {
		r, ok := routeOf(c)
		if ok && (!found || len(r.Cells) < len(best.Cells)) {
			best, found = r, true
		}
	}
	return best, found
}

func routeOf(c *Expr) (Route, bool) {
	if c.Op != OpCall {
		return Route{}, false
	}
	switch c.Fn {
	case FnEq:
		a, b := c.Args[0], c.Args[1]
		if a.Op == OpConst {
			a, b = b, a
		}
		if a.Op != OpRef || a.Said || b.Op != OpConst {
			return Route{}, false
		}
		return Route{a.Path, membersOf([]value.Cell{b.Cell}).cells}, true
	case FnIn:
		a, b := c.Args[0], c.Args[1]
		if a.Op != OpRef || a.Said || b.Op != OpList {
			return Route{}, false
		}
		return Route{a.Path, membersOf(b.List).cells}, true
	}
	return Route{}, false
}
