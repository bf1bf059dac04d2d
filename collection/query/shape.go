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
	row *form // nil for the identity
}

// form is what a value is made of: an expression over the root, an object a
// select makes, or one of two forms, decided row by row.
type form struct {
	expr *Expr // a reference with an empty path is the root's row
	// over where guard is not undefined, otherwise under.
	guard       *Expr
	over, under *form
	// An object's fields, when neither of these is set.
	members []member
	// row tells that the object is a whole result row: the virtual properties it
	// does not name are there all the same, id being that of its collection.
	row bool
	id  value.Cell
	key *Expr // of such a row; nil: that of the root's row
}

// member is one field of an object, or all fields of another one laid over the
// fields before it.
type member struct {
	name   string
	spread bool
	made   bool // an object this select makes, not one it took over
	form   *form
}

// opaque stands for an object that only the shell has: not null, and equal to
// nothing.
var opaque = value.Cell{Kind: value.KindRef, Val: -1}

var (
	undefinedCell = value.Cell{Kind: value.KindUndefined}
	nullCell      = value.Cell{Kind: value.KindNull}
)

var rootRow = &form{expr: Ref()}

// Under returns the shape of the results of q over rows of shape s. id is the
// public id of the collection that holds the results.
func (s Shape) Under(q *Query, id value.Cell) Shape {
	if !q.HasSelect {
		return s
	}
	source := s.row
	if source == nil {
		source = rootRow
	}
	out := &form{row: true, id: id}
	for _, e := range q.Select {
		if e.Spread {
			var ref []string
			if e.Expr != nil {
				ref = e.Expr.Path
			}
			object := out.object(e.Path)
			object.members = append(object.members, member{spread: true, form: source.locate(ref)})
			continue
		}
		last := len(e.Path) - 1
		object := out.object(e.Path[:last])
		object.members = append(object.members, member{name: e.Path[last], form: s.selected(source, e.Expr)})
	}
	return Shape{row: out}
}

// selected is the form of a selected field. A constant that is undefined is null; a
// field that a row does not have stays undefined.
func (s Shape) selected(source *form, e *Expr) *form {
	switch {
	case e.Op == OpRef:
		return source.locate(e.Path)
	case e.Op == OpConst && e.Cell.Kind == value.KindUndefined:
		return &form{expr: Const(nullCell)}
	}
	return &form{expr: s.Rewrite(e)}
}

// object returns the object at path in the making. Fields of one object come
// together: after a spread the same name begins another object.
func (f *form) object(path []string) *form {
	if len(path) == 0 {
		return f
	}
	for i := len(f.members) - 1; i >= 0 && !f.members[i].spread; i-- {
		if m := f.members[i]; m.name == path[0] {
			if m.made {
				return m.form.object(path[1:])
			}
			break
		}
	}
	made := &form{}
	f.members = append(f.members, member{name: path[0], made: true, form: made})
	return made.object(path[1:])
}

// Resolve returns the expression over the root that path means in rows of this
// shape.
func (s Shape) Resolve(path []string) *Expr {
	if s.row == nil {
		return Ref(path...)
	}
	return s.row.locate(path).value()
}

// Rewrite returns e, an expression over rows of this shape, as one over the
// root.
func (s Shape) Rewrite(e *Expr) *Expr {
	if s.row == nil {
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

// value is the expression for what f is made of.
func (f *form) value() *Expr {
	switch {
	case f.expr != nil:
		return f.expr
	case f.guard == nil:
		return Const(opaque)
	case f.guard == f.over.expr:
		return Call(fnElse, f.guard, f.under.value())
	}
	return Call(fnPick, f.guard, f.over.value(), f.under.value())
}

// locate returns the form of the value at path.
func (f *form) locate(path []string) *form {
	switch {
	case len(path) == 0:
		return f
	case f.expr != nil:
		return &form{expr: navigate(f.expr, path)}
	case f.guard != nil:
		return &form{guard: f.guard, over: f.over.locate(path), under: f.under.locate(path)}
	}
	return f.among(path, len(f.members))
}

// among is locate in the first n members of an object. Later members cover
// earlier ones, a spread only where it has the field.
func (f *form) among(path []string, n int) *form {
	name := path[0]
	for i := n - 1; i >= 0; i-- {
		m := f.members[i]
		if !m.spread {
			if m.name == name {
				return m.form.locate(path[1:])
			}
			continue
		}
		switch m.form.has(name) {
		case always:
			return m.form.field(path)
		case perhaps:
			over, under := m.form.field(path), f.among(path, i)
			if under.expr != nil && under.expr.Op == OpConst && under.expr.Cell == undefinedCell {
				return over
			}
			guard := over.value()
			if len(path) > 1 {
				guard = m.form.field(path[:1]).value()
			}
			return &form{guard: guard, over: over, under: under}
		}
	}
	if f.row && isVirtual(name) {
		return &form{expr: navigate(f.virtual(name), path[1:])}
	}
	return &form{expr: Const(undefinedCell)}
}

// field is the form at path in an object that is spread: undefined throughout
// where it is no object.
func (f *form) field(path []string) *form {
	switch {
	case f.guard != nil:
		return &form{guard: f.guard, over: f.over.field(path), under: f.under.field(path)}
	case f.expr != nil && !f.isRootRow():
		return &form{expr: Call(fnWithin, f.expr, navigate(f.expr, path))}
	}
	return f.locate(path)
}

func (f *form) isRootRow() bool { return f.expr != nil && f.expr.Op == OpRef && len(f.expr.Path) == 0 }

// presence tells whether an object has a field.
type presence uint8

const (
	never presence = iota
	perhaps
	always
)

func (f *form) has(name string) presence {
	if f.expr != nil {
		switch {
		case f.isRootRow() && isVirtual(name):
			return always
		case f.expr.Op == OpConst, f.expr.Op == OpCall && f.expr.Fn <= FnNot:
			return never
		}
		return perhaps
	}
	if f.guard != nil {
		if p := f.over.has(name); p == f.under.has(name) {
			return p
		}
		return perhaps
	}
	found := never
	for i := len(f.members) - 1; i >= 0 && found != always; i-- {
		m := f.members[i]
		switch {
		case m.spread:
			found = max(found, m.form.has(name))
		case m.name == name:
			found = always
		}
	}
	if f.row && isVirtual(name) {
		return always
	}
	return found
}

func isVirtual(name string) bool {
	switch name {
	case "$key", "$collectionId", "$synced", "$origin":
		return true
	}
	return false
}

// virtual is the value of a virtual property that a result row does not name.
func (f *form) virtual(name string) *Expr {
	switch name {
	case "$key":
		if f.key != nil {
			return f.key
		}
		return Ref("$key")
	case "$collectionId":
		return Const(f.id)
	case "$synced":
		return Const(value.Cell{Kind: value.KindBool, Val: 1})
	}
	return Const(value.Cell{Kind: value.KindString, Val: TextRemote})
}

// navigate returns the value at path in the value of x. Going into null or
// undefined stops there.
func navigate(x *Expr, path []string) *Expr {
	if len(path) == 0 {
		return x
	}
	if x.Op == OpRef {
		return &Expr{Op: OpRef, Leaf: x.Leaf, Said: x.Said, Path: join(x.Path, path)}
	}
	if x.Op == OpCall {
		switch x.Fn {
		case fnInto, fnWithin:
			return Call(x.Fn, x.Args[0], navigate(x.Args[1], path))
		}
	}
	if x.Op == OpConst {
		if x.Cell.Kind == value.KindNull {
			return x
		}
		return Const(undefinedCell)
	}
	// A field of a computed scalar.
	return Call(fnInto, x, Const(undefinedCell))
}

func join(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	return append(append(out, a...), b...)
}
