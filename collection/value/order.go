package value

import (
	"bytes"
	"math"
)

// Term is one term of an orderBy, or the order of an index.
type Term struct {
	Desc      bool
	NullsLast bool   // of null and undefined, whichever the direction
	Collation uint32 // of strings
}

// The ranks of the total order, ascending.
const (
	rankBool = iota
	rankNumber
	rankNaN
	rankString
	rankTemporal
	rankBytes
	rankRef
)

var ranks = [kindCount]uint8{
	KindBool:     rankBool,
	KindNumber:   rankNumber,
	KindDate:     rankNumber,
	KindBigInt:   rankNumber,
	KindNaN:      rankNaN,
	KindString:   rankString,
	KindTemporal: rankTemporal,
	KindBytes:    rankBytes,
	KindRef:      rankRef,
}

func rank(kind Kind) uint8 {
	if kind >= kindCount {
		return rankRef
	}
	return ranks[kind]
}

// Compare orders a and b under the term: <0, 0, >0. It is total and transitive over
// all cells, given that t.Compare is over the texts.
//
// null and undefined are equal to each other and stand first, or last with
// NullsLast, in either direction. The rest ascends, and descends with Desc, as:
// false, true; numbers, dates and bigints together by exact numeric value; NaN;
// strings under the collation; temporals by type tag, then by the type's
// comparison; bytes by content; references by id, the order in which the session
// first met them.
//
// An error is the shell's refusal to compare two texts. Cells that are the Same
// are equal without a call to t.
func (term Term) Compare(a, b Cell, t Texts) (int, error) {
	if a.Absent() || b.Absent() {
		order := truth(b.Absent()) - truth(a.Absent())
		if term.NullsLast {
			order = -order
		}
		return order, nil
	}
	order, err := ascending(term.Collation, a, b, t)
	if term.Desc {
		order = -order
	}
	return order, err
}

func ascending(collation uint32, a, b Cell, t Texts) (int, error) {
	r := rank(a.Kind)
	if q := rank(b.Kind); r != q {
		return int(r) - int(q), nil
	}
	if Same(a, b) {
		return 0, nil
	}
	switch r {
	case rankNumber:
		return compareNumeric(a, b, t), nil
	case rankString:
		if collation == CollationLexical {
			return CompareUTF16(t.Text(a.ID()), t.Text(b.ID())), nil
		}
		return t.Compare(collation, a.ID(), b.ID())
	case rankTemporal:
		if order := bytes.Compare(tag(t.Text(a.ID())), tag(t.Text(b.ID()))); order != 0 {
			return order, nil
		}
		return t.Compare(CollationTemporal, a.ID(), b.ID())
	case rankBytes:
		return bytes.Compare(t.Text(a.ID()), t.Text(b.ID())), nil
	}
	return compareFloat(a.Val, b.Val), nil
}

func compareNumeric(a, b Cell, t Texts) int {
	switch {
	case a.Kind != KindBigInt && b.Kind != KindBigInt:
		return compareFloat(a.Val, b.Val)
	case a.Kind == b.Kind:
		return CompareBigInt(t.Text(a.ID()), t.Text(b.ID()))
	case a.Kind == KindBigInt:
		return CompareBigIntNumber(t.Text(a.ID()), b.Val)
	}
	return -CompareBigIntNumber(t.Text(b.ID()), a.Val)
}

// OrderKey is an image of c in 64 bits that ascends exactly as Term.Compare does
// without Desc: a smaller key is a smaller value and equal keys are equal in order,
// so a bulk load may sort keys by radix. ok is false for kinds it cannot image,
// those behind a text or reference id, null and undefined; keys compare only among
// cells for which it is true.
func OrderKey(c Cell) (key uint64, ok bool) {
	switch c.Kind {
	case KindBool:
		return uint64(truth(c.Val != 0)), true // below the image of -Infinity
	case KindNumber, KindDate:
		key = math.Float64bits(c.Val + 0)
		if key>>63 != 0 {
			return ^key, true
		}
		return key | 1<<63, true
	case KindNaN:
		return math.MaxUint64, true
	}
	return 0, false
}
