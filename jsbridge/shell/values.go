package shell

import (
	"math"
	"math/big"
	"reflect"
	"time"
)

type undefined struct{}

// Undefined is the value of a field that is not there. It differs from null
// for IsUndefined and IsNull only.
var Undefined any = undefined{}

// Temporal is a calendar or clock value that is no instant, such as a plain
// date. Values of one Type compare by Text, byte by byte, which is the order of
// ISO 8601 forms; gt, gte, lt and lte of different types are an error that fails
// the query.
type Temporal struct {
	Type string // such as "PlainDate"
	Text string // such as "2025-01-31"
}

// The cell kinds of the protocol.
const (
	kindUndefined = iota
	kindNull
	kindBool
	kindNumber
	kindNaN
	kindDate
	kindString
	kindBigInt
	kindBytes
	kindTemporal
	kindRef
)

// classify tells how the engine sees v: its kind, the number where that is one,
// the text where it is a text. References are kindRef with neither.
func classify(v any) (kind uint8, num float64, text string) {
	switch x := v.(type) {
	case nil:
		return kindNull, 0, ""
	case string:
		return kindString, 0, x
	case float64:
		return number(x, kindNumber)
	case int:
		return number(float64(x), kindNumber)
	case bool:
		if x {
			return kindBool, 1, ""
		}
		return kindBool, 0, ""
	case undefined:
		return kindUndefined, 0, ""
	case time.Time:
		return number(float64(x.UnixMilli()), kindDate)
	case []byte:
		if x == nil {
			return kindNull, 0, ""
		}
		return kindBytes, 0, string(x)
	case *big.Int:
		if x == nil {
			return kindNull, 0, ""
		}
		return kindBigInt, 0, x.String()
	case Temporal:
		return kindTemporal, 0, x.Type + "\x00" + x.Text
	}
	return classifyReflected(v)
}

// classifyReflected is classify for named and less common types.
func classifyReflected(v any) (kind uint8, num float64, text string) {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Bool:
		return classify(r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return number(float64(r.Int()), kindNumber)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return number(float64(r.Uint()), kindNumber)
	case reflect.Float32, reflect.Float64:
		return number(r.Float(), kindNumber)
	case reflect.String:
		return kindString, 0, r.String()
	case reflect.Pointer:
		if r.IsNil() {
			return kindNull, 0, ""
		}
		// A pointer to a scalar is an optional scalar.
		if k, n, t := classify(r.Elem().Interface()); k != kindRef {
			return k, n, t
		}
	case reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		if r.IsNil() {
			return kindNull, 0, ""
		}
	}
	return kindRef, 0, ""
}

func number(v float64, kind uint8) (uint8, float64, string) {
	if math.IsNaN(v) {
		return kindNaN, 0, ""
	}
	return kind, v + 0, ""
}

// keyOf brings a public key into its form: a string or a float64 that is not NaN.
func keyOf(v any) (any, bool) {
	switch kind, num, text := classify(v); kind {
	case kindString:
		return text, true
	case kindNumber:
		return num, true
	}
	return nil, false
}

// keyLess is the order of public keys: strings by UTF-16 code unit, then numbers.
func keyLess(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return !ok || lessUTF16(x, y)
	case float64:
		y, ok := b.(float64)
		return ok && x < y
	}
	return false
}

// lessUTF16 orders strings by UTF-16 code units. That differs from the order of
// bytes only where a character beyond the basic plane meets one from U+E000 up.
func lessUTF16(a, b string) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0) {
			return x >= 0xf0
		}
		return x < y
	}
	return len(a) < len(b)
}
