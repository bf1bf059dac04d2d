package value

import (
	"bytes"
	"math"
)

// Op is a relational operator.
type Op uint8

// The relational operators.
const (
	Gt Op = iota
	Gte
	Lt
	Lte
)

// holds turns the order of two operands into the operator's answer.
func (op Op) holds(order int) Tri {
	switch op {
	case Gt:
		return TriOf(order > 0)
	case Gte:
		return TriOf(order >= 0)
	case Lt:
		return TriOf(order < 0)
	}
	return TriOf(order <= 0)
}

// Relate is gt, gte, lt or lte of two values, in this order of rules:
//
//   - null or undefined on either side: Unknown;
//   - NaN (and the invalid Date) is greater than everything and equal to itself;
//   - temporals of one type by that type's own comparison; a temporal with
//     anything else is a *TemporalTypeError, as its valueOf throws in JavaScript;
//   - bytes with bytes by content, unsigned, byte after byte;
//   - a reference, or bytes with anything else: Unknown, since an opaque object has
//     no order;
//   - strings by UTF-16 code units, never by a collation;
//   - other pairs of string, bool, number, date and bigint as JavaScript's `<`
//     coerces them; a string that is no number makes the answer False.
//
// An error comes from a temporal comparison: the one above, or the shell's refusal.
// Numbers, dates and booleans cost no call to t.
func Relate(op Op, a, b Cell, t Texts) (Tri, error) {
	if isScalarNumber(a.Kind) && isScalarNumber(b.Kind) {
		return op.holds(compareFloat(a.Val, b.Val)), nil
	}
	switch {
	case a.Absent() || b.Absent():
		return Unknown, nil
	case a.Kind == KindNaN || b.Kind == KindNaN:
		return op.holds(truth(a.Kind == KindNaN) - truth(b.Kind == KindNaN)), nil
	case a.Kind == KindTemporal || b.Kind == KindTemporal:
		order, err := relateTemporals(a, b, t)
		if err != nil {
			return Unknown, err
		}
		return op.holds(order), nil
	case a.Kind == KindBytes && b.Kind == KindBytes:
		return op.holds(bytes.Compare(t.Text(a.ID()), t.Text(b.ID()))), nil
	case isOpaque(a.Kind) || isOpaque(b.Kind):
		return Unknown, nil
	}
	order, ok := coerced(a, b, t)
	if !ok {
		return False, nil
	}
	return op.holds(order), nil
}

// isScalarNumber tells the kinds whose Val is the number they coerce to.
func isScalarNumber(kind Kind) bool {
	return kind == KindNumber || kind == KindDate || kind == KindBool
}

func isOpaque(kind Kind) bool { return kind == KindBytes || kind >= KindRef }

// coerced is JavaScript's `<` on a string or bigint and any other primitive; ok is
// false where it answers undefined.
func coerced(a, b Cell, t Texts) (order int, ok bool) {
	switch {
	case a.Kind == KindString && b.Kind == KindString:
		if a.Val == b.Val {
			return 0, true
		}
		return CompareUTF16(t.Text(a.ID()), t.Text(b.ID())), true
	case a.Kind == KindBigInt:
		return relateBigInt(t.Text(a.ID()), b, t)
	case b.Kind == KindBigInt:
		order, ok = relateBigInt(t.Text(b.ID()), a, t)
		return -order, ok
	}
	x, y := number(a, t), number(b, t)
	if math.IsNaN(x) || math.IsNaN(y) {
		return 0, false
	}
	return compareFloat(x, y), true
}

// relateBigInt orders the bigint of the given text against another primitive.
func relateBigInt(text []byte, other Cell, t Texts) (order int, ok bool) {
	switch other.Kind {
	case KindBigInt:
		return CompareBigInt(text, t.Text(other.ID())), true
	case KindString:
		d, ok := parseBigInt(t.Text(other.ID()))
		if !ok {
			return 0, false
		}
		return compareDecimal(parseDecimal(text), d), true
	}
	return CompareBigIntNumber(text, other.Val), true
}

// number is ToNumber of a string, bool, number or date.
func number(c Cell, t Texts) float64 {
	if c.Kind == KindString {
		return ToNumber(t.Text(c.ID()))
	}
	return c.Val
}

func relateTemporals(a, b Cell, t Texts) (int, error) {
	if a.Kind != b.Kind {
		return 0, &TemporalTypeError{Left: typeName(a, t), Right: typeName(b, t)}
	}
	x, y := tag(t.Text(a.ID())), tag(t.Text(b.ID()))
	if string(x) != string(y) {
		return 0, &TemporalTypeError{Left: string(x), Right: string(y)}
	}
	// Even equal ids go to the shell: a type without an order refuses them too.
	return t.Compare(CollationTemporal, a.ID(), b.ID())
}

// tag is the type in front of a temporal's text.
func tag(text []byte) []byte {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return text[:i]
	}
	return text
}

// TemporalTypeError says that a comparison met a temporal and a value of another
// type, which have no order.
type TemporalTypeError struct {
	// Left and Right name the operands' types: the tag of a temporal, such as
	// Temporal.PlainDate, or the type of anything else, such as number.
	Left, Right string
}

// Error says what could not be compared and what to do.
func (e *TemporalTypeError) Error() string {
	return "cannot order " + e.Left + " against " + e.Right +
		": gt, gte, lt and lte compare a temporal only with one of its own type; convert one side"
}

func typeName(c Cell, t Texts) string {
	switch c.Kind {
	case KindBool:
		return "boolean"
	case KindNumber, KindNaN:
		return "number"
	case KindDate:
		return "Date"
	case KindString:
		return "string"
	case KindBigInt:
		return "bigint"
	case KindBytes:
		return "bytes"
	case KindTemporal:
		return string(tag(t.Text(c.ID())))
	}
	return "object"
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
