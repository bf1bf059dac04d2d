package model

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

type undefined struct{}

// Undefined is the value of a field that is not there.
var Undefined any = undefined{}

// Temporal is a value of a type with an order of its own, which is that of Text.
type Temporal struct{ Type, Text string }

// ErrTemporal is the comparison of a temporal with something of another type.
var ErrTemporal = errors.New("temporals of different types have no order")

func absent(v any) bool { return v == nil || v == Undefined }

func isNaN(v any) bool {
	x, ok := v.(float64)
	return ok && math.IsNaN(x)
}

// Equal is equality between two values that are there.
func Equal(a, b any) bool {
	if isNaN(a) || isNaN(b) {
		return isNaN(a) && isNaN(b)
	}
	switch x := plain(a).(type) {
	case []byte:
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	case map[string]any:
		return false
	default:
		if _, object := b.(map[string]any); object {
			return false
		}
		if _, isBytes := b.([]byte); isBytes {
			return false
		}
		return x == plain(b)
	}
}

// plain turns a date into its number.
func plain(v any) any {
	if d, ok := v.(time.Time); ok {
		return float64(d.UnixMilli())
	}
	return v
}

// lessUnits is the order of strings by UTF-16 code unit: -1, 0 or 1.
func compareUnits(a, b string) int {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] != y[i] {
			return sign(float64(x[i]) - float64(y[i]))
		}
	}
	return sign(float64(len(x) - len(y)))
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

var decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$`)

// toNumber is the number a string stands for; of the forms there are, the decimal ones.
func toNumber(s string) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	if !decimal.MatchString(s) {
		return math.NaN()
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// Relation is how a stands to b.
type Relation struct {
	Order   int  // negative, 0, positive
	Known   bool // false: null, undefined or without an order: unknown
	Nothing bool // compared and found incomparable: every comparison is false
}

// Relate compares as gt, gte, lt and lte do.
func Relate(a, b any) (Relation, error) {
	order := func(n int) (Relation, error) { return Relation{Order: n, Known: true}, nil }
	if absent(a) || absent(b) {
		return Relation{}, nil
	}
	if isNaN(a) || isNaN(b) {
		switch {
		case isNaN(a) && isNaN(b):
			return order(0)
		case isNaN(a):
			return order(1)
		}
		return order(-1)
	}
	x, isX := a.(Temporal)
	y, isY := b.(Temporal)
	if isX || isY {
		if !isX || !isY || x.Type != y.Type {
			return Relation{}, ErrTemporal
		}
		return order(strings.Compare(x.Text, y.Text))
	}
	if p, ok := a.([]byte); ok {
		if q, ok := b.([]byte); ok {
			return order(bytes.Compare(p, q))
		}
		return Relation{}, nil
	}
	if !scalar(a) || !scalar(b) {
		return Relation{}, nil
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return order(compareUnits(s, t))
		}
	}
	p, q := exact(a, b), exact(b, a)
	if p == nil || q == nil {
		return Relation{Known: true, Nothing: true}, nil
	}
	return order(p.Cmp(q))
}

func scalar(v any) bool {
	switch v.(type) {
	case bool, float64, string, time.Time, *big.Int:
		return true
	}
	return false
}

// huge stands for infinity among exact numbers.
var huge = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))

// exact is the number a scalar is when it is compared with another, without
// rounding; nil for a string that stands for none. With a bigint a string stands for an
// integer.
func exact(v, with any) *big.Rat {
	switch x := plain(v).(type) {
	case bool:
		if x {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	case *big.Int:
		return new(big.Rat).SetInt(x)
	case string:
		if _, ok := with.(*big.Int); ok {
			s := strings.TrimSpace(x)
			if s == "" {
				return new(big.Rat)
			}
			n, ok := new(big.Int).SetString(s, 10)
			if !ok {
				return nil
			}
			return new(big.Rat).SetInt(n)
		}
		return exact(toNumber(x), nil)
	case float64:
		switch {
		case math.IsNaN(x):
			return nil
		case math.IsInf(x, 1):
			return huge
		case math.IsInf(x, -1):
			return new(big.Rat).Neg(huge)
		}
		return new(big.Rat).SetFloat64(x)
	}
	return nil
}

// Like matches text against a pattern, one UTF-16 code unit per _.
func Like(text, pattern string, fold bool) bool {
	if fold {
		text, pattern = strings.ToLower(text), strings.ToLower(pattern)
	}
	return like(utf16.Encode([]rune(text)), utf16.Encode([]rune(pattern)))
}

func like(text, pattern []uint16) bool {
	switch {
	case len(pattern) == 0:
		return len(text) == 0
	case pattern[0] == '%':
		for i := range len(text) + 1 {
			if like(text[i:], pattern[1:]) {
				return true
			}
		}
		return false
	case len(text) == 0:
		return false
	}
	return (pattern[0] == '_' || pattern[0] == text[0]) && like(text[1:], pattern[1:])
}
