package query

import (
	"strings"
	"testing"

	"millrace.dev/millrace/collection/value"
)

// object is a value of a row that is no scalar. made names the fields that the
// select in hand has made objects of and may still add to.
type object struct {
	fields map[string]any // value.Cell or *object
	made   map[string]bool
	id     int
}

// rowModel builds rows level by level, as a reader would see them.
type rowModel struct {
	d    *dictionary
	objs int
}

func (m *rowModel) object() *object {
	m.objs++
	return &object{fields: map[string]any{}, made: map[string]bool{}, id: m.objs}
}

// valueAt reads a path: null and undefined end it, a scalar has no fields.
func valueAt(v any, path []string) any {
	for _, name := range path {
		switch x := v.(type) {
		case *object:
			f, ok := x.fields[name]
			if !ok {
				f = undefinedCell
			}
			v = f
		case value.Cell:
			if x.Kind <= value.KindNull {
				return x
			}
			v = undefinedCell
		}
	}
	return v
}

func cellOf(v any) value.Cell {
	if o, ok := v.(*object); ok {
		return value.Cell{Kind: value.KindRef, Val: float64(o.id)}
	}
	return v.(value.Cell)
}

// root draws a row of the root: scalars, holes, nulls and nested objects.
func (m *rowModel) root(c *chance, depth int) *object {
	o := m.object()
	for _, name := range []string{"a", "b", "o", "p"} {
		switch k := c.intn(7); {
		case k == 0:
		case k == 1:
			o.fields[name] = nullCell
		case k < 4 || depth == 0:
			o.fields[name] = value.Number(float64(c.intn(3)))
		default:
			o.fields[name] = m.root(c, depth-1)
		}
	}
	return o
}

func (m *rowModel) virtual(o *object, key float64, id value.Cell) {
	for name, v := range map[string]value.Cell{
		"$key": value.Number(key), "$collectionId": id, "$synced": value.Bool(true),
		"$origin": {Kind: value.KindString, Val: TextRemote},
	} {
		if _, ok := o.fields[name]; !ok {
			o.fields[name] = v
		}
	}
}

// selected builds the result row of a select over a row.
func (m *rowModel) selected(entries []Entry, row *object) *object {
	out := m.object()
	for _, e := range entries {
		path, o := e.Path, out
		down := path
		if !e.Spread {
			down = path[:len(path)-1]
		}
		for _, name := range down {
			if !o.made[name] {
				o.fields[name] = m.object()
				o.made[name] = true
			}
			o = o.fields[name].(*object)
		}
		if e.Spread {
			var ref []string
			if e.Expr != nil {
				ref = e.Expr.Path
			}
			if src, ok := valueAt(row, ref).(*object); ok {
				for name, v := range src.fields {
					o.fields[name] = v
				}
			}
			o.made = map[string]bool{}
			continue
		}
		var v any
		if e.Expr.Op == OpRef {
			v = valueAt(row, e.Expr.Path)
		} else {
			c, err := eval(e.Expr, func(r *Expr) value.Cell { return cellOf(valueAt(row, r.Path)) }, m.d)
			if err != nil {
				panic(err)
			}
			v = c
		}
		if v == any(undefinedCell) && e.Expr.Op != OpRef {
			v = nullCell
		}
		name := path[len(path)-1]
		o.fields[name] = v
		o.made[name] = false
	}
	return out
}

var fieldNames = []string{"a", "b", "o", "p", "a", "b", "o", "p", "$key", "$collectionId", "$synced"}

func drawPath(c *chance, least, most int) []string {
	path := make([]string, least+c.intn(most-least+1))
	for i := range path {
		path[i] = fieldNames[c.intn(len(fieldNames))]
	}
	return path
}

func drawSelect(c *chance, d *dictionary) []Entry {
	var out []Entry
	for range 1 + c.intn(4) {
		e := Entry{Path: drawPath(c, 1, 2)}
		switch c.intn(8) {
		case 0:
			e.Path, e.Spread = nil, true
		case 1:
			e.Path, e.Spread, e.Expr = drawPath(c, 0, 1), true, Ref(drawPath(c, 1, 2)...)
		case 2:
			e.Spread = true
		case 3:
			e.Expr = Const([]value.Cell{value.Number(7), nullCell, undefinedCell, d.cell(value.KindString, "k")}[c.intn(4)])
		case 4:
			e.Expr = Call(FnIsNull, Ref(drawPath(c, 1, 2)...))
		default:
			e.Expr = Ref(drawPath(c, 1, 3)...)
		}
		out = append(out, e)
	}
	return out
}

// shapeHistory checks every path of some rows under a chain of selects.
func shapeHistory(t interface{ Fatalf(string, ...any) }, seed uint64) {
	c := chance(seed)
	m := &rowModel{d: newDictionary()}
	const rows = 6
	cols := &rootColumns{}
	seen := make([]*object, rows)
	for i := range seen {
		seen[i] = m.root(&c, 2)
		m.virtual(seen[i], float64(i), m.d.cell(value.KindString, "root"))
		cols.rows = append(cols.rows, seen[i])
	}
	var s Shape
	var chain [][]Entry
	for level := range 1 + c.intn(3) {
		id := m.d.cell(value.KindString, "live"+string(rune('0'+level)))
		q := &Query{HasSelect: c.intn(5) > 0}
		if q.HasSelect {
			q.Select = drawSelect(&c, m.d)
			chain = append(chain, q.Select)
		}
		s = s.Under(q, id)
		for i := range seen {
			if q.HasSelect {
				seen[i] = m.selected(q.Select, seen[i])
				m.virtual(seen[i], float64(i), id)
			}
		}
		for range 12 {
			path := drawPath(&c, 1, 4)
			x := s.Resolve(path)
			p, err := Compile([]*Expr{x}, cols, m.d)
			if err != nil {
				t.Fatalf("%v", err)
			}
			_ = p.Cells([]uint32{0, 1, 2, 3, 4, 5}, func(i int, got value.Cell) {
				want := valueAt(seen[i], path)
				if _, isObject := want.(*object); isObject {
					if got.Kind != value.KindRef {
						t.Fatalf("seed %d: %v of row %d is %v, want an object; %s", seed, path, i, got, describe(chain))
					}
				} else if got != want {
					t.Fatalf("seed %d: %v of row %d is %v, want %v; %s\n%s", seed, path, i, got, want, describe(chain), show(cols.rows[i]))
				}
			})
		}
	}
}

// rootColumns reads columns out of the rows of the root.
type rootColumns struct{ rows []*object }

func (b *rootColumns) Column(path []string, _ bool) (*Column, error) {
	col := &Column{}
	for _, r := range b.rows {
		x := cellOf(valueAt(r, path))
		col.Kinds, col.Vals = append(col.Kinds, x.Kind), append(col.Vals, x.Val)
	}
	return col, nil
}

func show(v any) string {
	o, ok := v.(*object)
	if !ok {
		c := v.(value.Cell)
		return strings.Repeat("~", int(c.Kind)) + string(rune('0'+int(c.Val)))
	}
	out := "{"
	for name, f := range o.fields {
		if name[0] != '$' {
			out += name + ":" + show(f) + " "
		}
	}
	return out + "}"
}

func describe(chain [][]Entry) string {
	out := ""
	for _, entries := range chain {
		out += "select"
		for _, e := range entries {
			out += " " + strings.Join(e.Path, ".") + "="
			switch {
			case e.Spread:
				out += "..."
			case e.Expr.Op == OpCall:
				out += "isNull "
			case e.Expr.Op == OpConst:
				out += "const"
			}
			if e.Expr != nil {
				x := e.Expr
				if x.Op == OpCall {
					x = x.Args[0]
				}
				out += strings.Join(x.Path, ".")
			}
		}
		out += "; "
	}
	return out
}

func TestShape_ResolvesPathsAsTheBuiltRowsHaveThem(t *testing.T) {
	for seed := range uint64(1200) {
		shapeHistory(t, seed)
	}
}

// Histories that once went wrong: a path through two objects, a spread of
// nothing, and fields under a field that a spread may or may not cover.
func TestShape_Examples(t *testing.T) {
	m := &rowModel{d: newDictionary()}
	obj := func(kv ...any) *object {
		o := m.object()
		for i := 0; i < len(kv); i += 2 {
			o.fields[kv[i].(string)] = kv[i+1]
		}
		return o
	}
	one, two := value.Number(1), value.Number(2)
	ref := func(path string, at ...string) Entry { return Entry{Path: strings.Split(path, "."), Expr: Ref(at...)} }
	for name, c := range map[string]struct {
		row   *object
		chain [][]Entry
		path  []string
		want  value.Cell
	}{
		"a leaf of an object in an object": {
			obj("o", obj("p", obj("a", one))), [][]Entry{{ref("x", "o")}, {ref("y", "x", "p")}}, []string{"y", "a"}, one,
		},
		"a spread of null lays nothing": {
			obj("o", nullCell, "a", one), [][]Entry{{ref("a", "a"), {Spread: true, Expr: Ref("o")}}}, []string{"a"}, one,
		},
		"a field of null that is spread is not there": {
			obj("o", nullCell), [][]Entry{{{Spread: true, Expr: Ref("o")}}}, []string{"a"}, undefinedCell,
		},
		"a spread field covers the whole of an earlier one": {
			obj("o", obj("a", one), "p", obj("b", two)), [][]Entry{{ref("o", "p"), {Spread: true}}}, []string{"o", "b"}, undefinedCell,
		},
		"and leaves it where it is missing": {
			obj("p", obj("b", two)), [][]Entry{{ref("o", "p"), {Spread: true}}}, []string{"o", "b"}, two,
		},
		"an object made after a spread is made anew": {
			obj("o", obj("a", one)), [][]Entry{{{Spread: true}, ref("o.b", "o", "a")}}, []string{"o", "a"}, undefinedCell,
		},
		"a constant undefined comes out null": {
			obj(), [][]Entry{{{Path: []string{"x"}, Expr: Const(undefinedCell)}}}, []string{"x"}, nullCell,
		},
	} {
		var s Shape
		for _, entries := range c.chain {
			s = s.Under(&Query{HasSelect: true, Select: entries}, value.Cell{})
		}
		p, err := Compile([]*Expr{s.Resolve(c.path)}, &rootColumns{rows: []*object{c.row}}, m.d)
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Cells([]uint32{0}, func(_ int, got value.Cell) {
			if got != c.want {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		})
	}
}
