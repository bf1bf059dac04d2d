package query

import "millrace.dev/millrace/collection/value"

// Shapes of rows over several leaves (docs/queries.md): what an alias means is
// one member of a record.

// Leaf returns a reference to a leaf's whole value.
func Leaf(leaf uint32) *Expr { return &Expr{Op: OpRef, Leaf: leaf} }

// LeafShape is the shape of the rows of a collection that stand at a leaf.
func LeafShape(leaf uint32) Shape { return ValueShape(Leaf(leaf)) }

// ValueShape is the shape of what an expression over leaves gives.
func ValueShape(e *Expr) Shape { return Shape{row: &form{expr: e}} }

// Field is a member of a Record. Without a name its fields are laid over those before
// it.
type Field struct {
	Name  string
	Shape Shape
}

// Record is the shape of an object of the given fields.
func Record(fields []Field) Shape {
	f := &form{}
	for _, x := range fields {
		f.members = append(f.members, member{name: x.Name, spread: x.Name == "", made: true, form: x.Shape.form()})
	}
	return Shape{row: f}
}

func (s Shape) form() *form {
	if s.row == nil {
		return rootRow
	}
	return s.row
}

// Either is over where guard is not undefined, otherwise under.
func Either(guard *Expr, over, under Shape) Shape {
	return Shape{row: &form{guard: guard, over: over.form(), under: under.form()}}
}

// Within is s where present is not undefined, otherwise undefined.
func (s Shape) Within(present *Expr) Shape {
	return Either(present, s, ValueShape(Const(undefinedCell)))
}

// Within is e where present is not undefined, otherwise undefined.
func Within(present, e *Expr) *Expr { return Call(fnWithin, present, e) }

// Shift returns the shape over rows in which its leaves stand by further on.
func (s Shape) Shift(by uint32) Shape {
	if by == 0 {
		return s
	}
	return Shape{row: s.form().shift(by)}
}

func (f *form) shift(by uint32) *form {
	if f == nil {
		return nil
	}
	out := &form{expr: f.expr.Shift(by), guard: f.guard.Shift(by), over: f.over.shift(by), under: f.under.shift(by), row: f.row, id: f.id, key: f.key.Shift(by)}
	for _, m := range f.members {
		m.form = m.form.shift(by)
		out.members = append(out.members, m)
	}
	return out
}

// Said returns a reference to a leaf that is what a callback says of rows.
func Said(leaf uint32) *Expr { return &Expr{Op: OpRef, Leaf: leaf, Said: true} }

// Pulls tells whether e asks a callback.
func (e *Expr) Pulls() bool {
	pulls := false
	e.EachRef(func(r *Expr) { pulls = pulls || r.Op == OpPull || r.Said })
	return pulls
}

// EachRef calls visit with every reference in e.
func (e *Expr) EachRef(visit func(*Expr)) {
	if e.Op == OpRef || e.Op == OpPull {
		visit(e)
	}
	for _, a := range e.Args {
		a.EachRef(visit)
	}
}

// Shift returns e over rows in which its leaves stand by further on.
func (e *Expr) Shift(by uint32) *Expr {
	if e == nil || by == 0 {
		return e
	}
	out := *e
	if e.Op == OpRef {
		out.Leaf += by
	}
	if len(e.Args) > 0 {
		out.Args = make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			out.Args[i] = a.Shift(by)
		}
	}
	return &out
}

// Live is s as the rows of a live collection: of public id id, with the key that
// key gives. Rows that are those of one of its sources as they are keep what
// those have.
func (s Shape) Live(id value.Cell, key *Expr) Shape {
	f := s.form()
	switch {
	case f.expr != nil:
		return s
	case f.guard != nil:
		return Shape{row: &form{members: []member{{spread: true, form: f}}, row: true, id: id, key: key}}
	}
	g := *f
	g.row, g.id, g.key = true, id, key
	return Shape{row: &g}
}

// At is the shape of the value at path.
func (s Shape) At(path []string) Shape { return Shape{row: s.form().locate(path)} }

// Select is the shape of the results of a select, the rows of collection id; of
// gives that of an entry's expression.
func Select(entries []Entry, id value.Cell, of func(e Entry) (Shape, error)) (Shape, error) {
	out := &form{row: true, id: id}
	for _, e := range entries {
		s, err := of(e)
		if err != nil {
			return Shape{}, err
		}
		if e.Spread {
			object := out.object(e.Path)
			object.members = append(object.members, member{spread: true, form: s.form()})
			continue
		}
		if e.Expr.Op == OpConst && e.Expr.Cell.Kind == value.KindUndefined {
			s = ValueShape(Const(nullCell))
		}
		last := len(e.Path) - 1
		object := out.object(e.Path[:last])
		object.members = append(object.members, member{name: e.Path[last], form: s.form()})
	}
	return Shape{row: out}, nil
}
