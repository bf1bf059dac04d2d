package shell

import (
	"reflect"
)

// deepEqual tells whether two values are equal by content as the engine's users
// mean it: dates by millisecond, bytes and big integers by content, NaN equal to
// itself, nil slices and maps equal to null, everything else as reflect.DeepEqual
// with these rules inside maps and slices of any.
func deepEqual(a, b any) bool {
	ka, na, ta := classify(a)
	kb, nb, tb := classify(b)
	if ka != kindRef || kb != kindRef {
		return ka == kb && na == nb && ta == tb
	}
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && equalMaps(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !deepEqual(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	if ra, rb := reflect.ValueOf(a), reflect.ValueOf(b); ra.Type() == rb.Type() {
		for ra.Kind() == reflect.Pointer && ra.Elem().Kind() == reflect.Struct {
			ra, rb = ra.Elem(), rb.Elem()
		}
		if ra.Kind() == reflect.Struct {
			return equalStructs(ra, rb)
		}
	}
	return reflect.DeepEqual(a, b)
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		w, ok := b[name]
		if !ok || !deepEqual(v, w) {
			return false
		}
	}
	return true
}

// equalStructs compares field by field, so that a time.Time in a row compares as
// the date it is. Structs with unexported fields compare as Go does.
func equalStructs(a, b reflect.Value) bool {
	for i := range a.NumField() {
		if !a.Type().Field(i).IsExported() {
			return reflect.DeepEqual(a.Interface(), b.Interface())
		}
	}
	for i := range a.NumField() {
		if !deepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return false
		}
	}
	return true
}
