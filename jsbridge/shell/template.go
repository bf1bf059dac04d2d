package shell

// template is how a select makes its rows.
type template struct {
	members  []*member
	computed int // how many fields the engine computes
}

// member is one field of an object in the making, or a spread.
type member struct {
	name   string
	field  *Field    // nil: an object made of
	object *template // these members
	index  int       // of a computed field: which one
}

// newTemplate brings the fields of a select, which have paths, into the nested
// form of the rows.
func newTemplate(fields []Field) *template {
	if fields == nil {
		return nil
	}
	t := &template{}
	for i := range fields {
		f := &fields[i]
		if f.spread {
			into := t.objectAt(f.path)
			into.members = append(into.members, &member{field: f})
			continue
		}
		last := len(f.path) - 1
		into := t.objectAt(f.path[:last])
		m := &member{name: f.path[last], field: f, index: t.computed}
		if f.expr.op == opCall {
			t.computed++
		}
		into.members = append(into.members, m)
	}
	return t
}

// objectAt returns the object at path. Fields of one object come together, but a
// spread in between begins another.
func (t *template) objectAt(path []string) *template {
	for _, name := range path {
		t = t.child(name)
	}
	return t
}

func (t *template) child(name string) *template {
	for i := len(t.members) - 1; i >= 0; i-- {
		m := t.members[i]
		if m.field != nil && m.field.spread {
			break
		}
		if m.name == name {
			if m.object != nil {
				return m.object
			}
			break
		}
	}
	made := &template{}
	t.members = append(t.members, &member{name: name, object: made})
	return made
}

// reading is where a template takes its values from.
type reading struct {
	source   *relation
	slot     uint32
	at       func(*relation, uint32, []string) any
	computed []byte // nil: computed fields are left out
}

// assemble makes the object. A reference to nothing is Undefined, an undefined constant nil.
func (t *template) assemble(from reading) map[string]any {
	row := make(map[string]any, len(t.members))
	for _, m := range t.members {
		switch {
		case m.object != nil:
			row[m.name] = m.object.assemble(from)
		case m.field.spread:
			from.spread(m.field.ref, row)
		case m.field.expr.op == opCall:
			if m.index < len(from.computed) {
				row[m.name] = [...]any{false, true, nil}[min(from.computed[m.index], 2)]
			}
		default:
			v := m.field.expr.value
			if m.field.expr.op == opRef {
				v = from.at(from.source, from.slot, m.field.expr.path)
			} else if v == Undefined {
				v = nil
			}
			row[m.name] = v
		}
	}
	return row
}

// spread lays the fields of the object at path into row; of the source row, its
// virtual fields as well.
func (from reading) spread(path []string, row map[string]any) {
	eachField(from.at(from.source, from.slot, path), func(name string, v any) { row[name] = v })
	if len(path) > 0 {
		return
	}
	for _, name := range virtualNames {
		row[name] = from.at(from.source, from.slot, []string{name})
	}
}
