package shell

import (
	"reflect"
	"strings"
	"sync"
)

// Getter is a row, or a value inside one, that knows its fields by name. ok is
// false for a field that is not there.
type Getter interface {
	Get(name string) (value any, ok bool)
}

// fieldOf returns the field called name of v, or Undefined.
func fieldOf(v any, name string) any {
	switch x := v.(type) {
	case map[string]any:
		if f, ok := x[name]; ok {
			return f
		}
		return Undefined
	case Getter:
		if f, ok := x.Get(name); ok {
			return f
		}
		return Undefined
	}
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch r.Kind() {
	case reflect.Struct:
		if i, ok := fieldsOf(r.Type()).byName[name]; ok {
			return r.Field(i).Interface()
		}
	case reflect.Map:
		if r.Type().Key().Kind() == reflect.String {
			if f := r.MapIndex(reflect.ValueOf(name).Convert(r.Type().Key())); f.IsValid() {
				return f.Interface()
			}
		}
	}
	return Undefined
}

// valueAt follows path into v. It stops at null and undefined and returns those.
func valueAt(v any, path []string) any {
	for _, name := range path {
		if k, _, _ := classify(v); k <= kindNull {
			return v
		}
		v = fieldOf(v, name)
	}
	return v
}

// eachField visits the fields of an object; of a Getter, which does not tell
// its fields, none.
func eachField(v any, visit func(name string, value any)) {
	if m, ok := v.(map[string]any); ok {
		for name, f := range m {
			visit(name, f)
		}
		return
	}
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch r.Kind() {
	case reflect.Struct:
		if k, _, _ := classify(v); k != kindRef {
			return // a date or a temporal
		}
		for name, i := range fieldsOf(r.Type()).byName {
			visit(name, r.Field(i).Interface())
		}
	case reflect.Map:
		if r.Type().Key().Kind() == reflect.String {
			for it := r.MapRange(); it.Next(); {
				visit(it.Key().String(), it.Value().Interface())
			}
		}
	}
}

// structFields are the fields of a struct type by the names queries know them by.
type structFields struct{ byName map[string]int }

var structTypes sync.Map // reflect.Type to *structFields

// fieldsOf reads the tags of t: `millrace:"name"`, else `json:"name"`, else the
// field's own name; a name of "-" hides it.
func fieldsOf(t reflect.Type) *structFields {
	if f, ok := structTypes.Load(t); ok {
		return f.(*structFields)
	}
	fields := &structFields{byName: map[string]int{}}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name := f.Name
		for _, tag := range []string{"json", "millrace"} {
			given, _, _ := strings.Cut(f.Tag.Get(tag), ",")
			if given != "" {
				name = given
			}
		}
		if name != "-" {
			fields.byName[name] = i
		}
	}
	structTypes.Store(t, fields)
	return fields
}
