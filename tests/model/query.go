package model

import (
	"bytes"
	"math/big"
	"sort"
	"strings"
	"time"
)

// Field is one entry of a select: an expression, or a spread of the object at Ref
// (none: the whole row).
type Field struct {
	Path   []string
	Expr   Expr
	Spread bool
	Ref    []string
}

// Term is one term of an order. Collate is the order of strings; nil is by code
// unit.
type Term struct {
	Expr      Expr
	Desc      bool
	NullsLast bool
	Collate   func(a, b string) int
}

// Query is a query over a list of rows.
type Query struct {
	Name   string // public id of the result
	Where  []Expr
	Select []Field // nil: the rows themselves
	Order  []Term
	Offset int
	Limit  int // negative: none
}

// Row is a row of a collection or of a result. Collection is the public id that
// its virtual fields tell, unless the object itself says otherwise.
type Row struct {
	Key        any // string or float64
	Object     map[string]any
	Collection string
}

// Field is the value at a path of the row.
func (r Row) Field(path []string) any {
	var v any = r.Object
	for _, name := range path {
		if absent(v) {
			return v
		}
		object, ok := v.(map[string]any)
		if !ok {
			return Undefined
		}
		if v, ok = object[name]; !ok {
			v = Undefined
		}
	}
	if len(path) == 1 && absent(v) {
		switch path[0] {
		case "$key":
			return r.Key
		case "$collectionId":
			return r.Collection
		case "$synced":
			return true
		case "$origin":
			return "remote"
		}
	}
	return v
}

// Run evaluates q over rows, which come in any order.
func (q Query) Run(rows []Row) ([]Row, error) {
	var out []Row
	for _, r := range rows {
		keep := true
		for _, w := range q.Where {
			v, err := w.Eval(r.Field)
			if err != nil {
				return nil, err
			}
			keep = keep && v == true
		}
		if keep {
			out = append(out, r)
		}
	}
	if err := q.sort(out); err != nil {
		return nil, err
	}
	out = out[min(q.Offset, len(out)):]
	if q.Limit >= 0 {
		out = out[:min(q.Limit, len(out))]
	}
	if q.Select == nil {
		return out, nil
	}
	for i, r := range out {
		object, err := q.project(r)
		if err != nil {
			return nil, err
		}
		out[i] = Row{r.Key, object, q.Name}
	}
	return out, nil
}

func (q Query) sort(rows []Row) error {
	type keyed struct {
		row  Row
		vals []any
	}
	list := make([]keyed, len(rows))
	for i, r := range rows {
		list[i].row = r
		for _, t := range q.Order {
			v, err := t.Expr.Eval(r.Field)
			if err != nil {
				return err
			}
			list[i].vals = append(list[i].vals, v)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		for k, t := range q.Order {
			if c := t.compare(list[i].vals[k], list[j].vals[k]); c != 0 {
				return c < 0
			}
		}
		return KeyLess(list[i].row.Key, list[j].row.Key)
	})
	for i := range list {
		rows[i] = list[i].row
	}
	return nil
}

// KeyLess is the order of keys: strings before numbers.
func KeyLess(a, b any) bool {
	x, isX := a.(string)
	y, isY := b.(string)
	switch {
	case isX && isY:
		return compareUnits(x, y) < 0
	case isX || isY:
		return isX
	}
	return a.(float64) < b.(float64)
}

func (t Term) compare(a, b any) int {
	if absent(a) || absent(b) {
		c := 0
		switch {
		case absent(a) && !absent(b):
			c = -1
		case absent(b) && !absent(a):
			c = 1
		}
		if t.NullsLast {
			return -c
		}
		return c
	}
	c := rank(a) - rank(b)
	if c == 0 {
		c = t.ascending(a, b)
	}
	if t.Desc {
		return -c
	}
	return c
}

// rank is the place of a value's type in the order.
func rank(v any) int {
	switch v.(type) {
	case bool:
		return 0
	case float64, time.Time, *big.Int:
		if isNaN(v) {
			return 2
		}
		return 1
	case string:
		return 3
	case Temporal:
		return 4
	case []byte:
		return 5
	}
	return 6
}

func (t Term) ascending(a, b any) int {
	switch x := a.(type) {
	case string:
		if t.Collate != nil {
			return t.Collate(x, b.(string))
		}
		return compareUnits(x, b.(string))
	case Temporal:
		y := b.(Temporal)
		if c := strings.Compare(x.Type, y.Type); c != 0 {
			return c
		}
		return strings.Compare(x.Text, y.Text)
	case []byte:
		return bytes.Compare(x, b.([]byte))
	}
	p, q := exact(a, nil), exact(b, nil)
	if p == nil || q == nil {
		return 0 // two NaN, or two objects
	}
	return p.Cmp(q)
}

func (q Query) project(r Row) (map[string]any, error) {
	return project(q.Select, r)
}

// project makes an object of fields in their order. The fields of a nested object
// that no spread stands between make up one object, which takes the place of what
// was there by that name.
func project(fields []Field, r Row) (map[string]any, error) {
	out := map[string]any{}
	for i, f := range fields {
		switch {
		case f.Spread && len(f.Path) == 0:
			object, _ := r.Field(f.Ref).(map[string]any)
			for name, v := range object {
				out[name] = v
			}
			if len(f.Ref) == 0 {
				for _, name := range []string{"$key", "$collectionId", "$synced", "$origin"} {
					out[name] = r.Field([]string{name})
				}
			}
		case f.Spread || len(f.Path) > 1:
			if begun(fields, i) {
				continue
			}
			object, err := project(inside(fields[i:], f.Path[0]), r)
			if err != nil {
				return nil, err
			}
			out[f.Path[0]] = object
		default:
			v, err := f.Expr.Eval(r.Field)
			if err != nil {
				return nil, err
			}
			if v == Undefined && f.Expr.Path == nil {
				v = nil
			}
			out[f.Path[0]] = v
		}
	}
	return out, nil
}

func nested(f Field) bool { return f.Spread && len(f.Path) > 0 || len(f.Path) > 1 }

// begun tells whether an earlier field has begun the object that field i is in.
func begun(fields []Field, i int) bool {
	for j := i - 1; j >= 0; j-- {
		f := fields[j]
		if f.Spread && len(f.Path) == 0 {
			return false
		}
		if f.Path[0] == fields[i].Path[0] {
			return nested(f)
		}
	}
	return false
}

// inside lists the fields of the nested object that the first of fields begins.
func inside(fields []Field, name string) []Field {
	var out []Field
	for _, f := range fields {
		if f.Spread && len(f.Path) == 0 {
			break
		}
		if f.Path[0] == name {
			if !nested(f) {
				break
			}
			f.Path = f.Path[1:]
			out = append(out, f)
		}
	}
	return out
}
