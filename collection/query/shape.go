package query

import "millrace.dev/millrace/collection/value"

// Text ids every dictionary has from the start.
const (
	TextRemote = 1 // "remote"
	TextLocal  = 2 // "local"
)

// Shape tells what the rows of a relation look like in terms of the rows of
// the root collection under it. The zero Shape is a root's own: every path is
// itself.
type Shape struct {
	entries []Entry    // over the root; nil for the identity
	id      value.Cell // the public id of the live collection, when entries is set
	derived bool
}

// opaque stands for an object that only the shell has: not null, and equal to
// nothing.
var opaque = value.Cell{Kind: value.KindRef, Val: -1}

var (
	undefinedCell = value.Cell{Kind: value.KindUndefined}
	nullCell      = value.Cell{Kind: value.KindNull}
)

// Under returns the shape of the results of q over rows of shape s. id is the
// public id of the collection that holds the results.
func (s Shape) Under(q *Query, id value.Cell) Shape {
	if !q.HasSelect {
		return s
	}
	out := Shape{entries: make([]Entry, 0, len(q.Select)), id: id, derived: true}
	for _, e := range q.Select {
		if e.Spread {
			// A spread of the whole row or of an object in it: keep the path as
			// seen from s and resolve fields one by one when they are asked for.
			out.entries = append(out.entries, s.spread(e)...)
			continue
		}
		x := s.Rewrite(e.Expr)
		if e.Expr.Op == OpRef {
			x = Call(fnOrNull, x)
		}
		out.entries = append(out.entries, Entry{Path: e.Path, Expr: x})
	}
	return out
}

// spread rewrites a spread over s as entries over the root.
func (s Shape) spread(e Entry) []Entry {
	var ref []string
	if e.Expr != nil {
		ref = e.Expr.Path
	}
	if !s.derived {
		return []Entry{{Path: e.Path, Expr: Ref(ref...), Spread: true}}
	}
	var out []Entry
	for _, f := range s.entries {
		switch {
		case hasPrefix(f.Path, ref):
			out = append(out, Entry{Path: join(e.Path, f.Path[len(ref):]), Expr: f.Expr, Spread: f.Spread})
		case hasPrefix(ref, f.Path):
			rest := ref[len(f.Path):]
			if base := underRef(f.Expr); base != nil {
				out = append(out, Entry{Path: e.Path, Expr: Ref(join(base.Path, rest)...), Spread: true})
			}
		}
	}
	if len(ref) == 0 {
		// The virtual properties of the spread row come along.
		for _, name := range virtualNames {
			out = append(out, Entry{Path: join(e.Path, []string{name}), Expr: s.Resolve([]string{name})})
		}
	}
	return out
}

var virtualNames = [...]string{"$synced", "$origin", "$key", "$collectionId"}

// underRef returns the reference an entry's expression stands on, or nil.
func underRef(e *Expr) *Expr {
	if e.Op == OpCall && e.Fn == fnOrNull {
		e = e.Args[0]
	}
	if e.Op == OpRef {
		return e
	}
	return nil
}

// Resolve returns the expression over the root that path means in rows of this
// shape.
func (s Shape) Resolve(path []string) *Expr {
	if !s.derived {
		return Ref(path...)
	}
	return s.resolve(path, len(s.entries))
}

// resolve looks at the first n entries, the last one first: later fields cover
// earlier ones.
func (s Shape) resolve(path []string, n int) *Expr {
	for i := n - 1; i >= 0; i-- {
		e := s.entries[i]
		switch {
		case hasPrefix(path, e.Path):
			rest := path[len(e.Path):]
			if e.Spread {
				if len(rest) == 0 {
					return Const(opaque)
				}
				x := Ref(join(e.Expr.Path, rest)...)
				if s.touched(path, i) {
					return Call(fnElse, x, s.resolve(path, i))
				}
				return x
			}
			if len(rest) == 0 {
				return e.Expr
			}
			if base := underRef(e.Expr); base != nil {
				return Call(fnInto, base, Ref(join(base.Path, rest)...))
			}
			// A field of a computed or constant scalar.
			return Call(fnInto, e.Expr, Const(undefinedCell))
		case hasPrefix(e.Path, path):
			return Const(opaque)
		}
	}
	if len(path) == 1 {
		switch path[0] {
		case "$key":
			return Ref("$key")
		case "$collectionId":
			return Const(s.id)
		case "$synced":
			return Const(value.Cell{Kind: value.KindBool, Val: 1})
		case "$origin":
			return Const(value.Cell{Kind: value.KindString, Val: TextRemote})
		}
	}
	return Const(undefinedCell)
}

// touched tells whether one of the first n entries says something about path.
func (s Shape) touched(path []string, n int) bool {
	for _, e := range s.entries[:n] {
		if hasPrefix(path, e.Path) || hasPrefix(e.Path, path) {
			return true
		}
	}
	return false
}

// Rewrite returns e, an expression over rows of this shape, as one over the
// root.
func (s Shape) Rewrite(e *Expr) *Expr {
	if !s.derived {
		return e
	}
	switch e.Op {
	case OpRef:
		return s.Resolve(e.Path)
	case OpCall:
		args := make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = s.Rewrite(a)
		}
		return Call(e.Fn, args...)
	}
	return e
}

func hasPrefix(path, prefix []string) bool {
	if len(path) < len(prefix) {
		return false
	}
	for i, p := range prefix {
		if path[i] != p {
			return false
		}
	}
	return true
}

func join(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	return append(append(out, a...), b...)
}
