package value

import "math"

// classNumber is shared by numbers and dates: a Date equals the number of its
// milliseconds.
const classNumber = KindNumber

// Class is the part of identity a kind contributes: cells of different classes
// are never the same. It is the kind itself, except that numbers and dates share
// one.
func Class(kind Kind) uint8 {
	if kind == KindDate {
		return classNumber
	}
	return kind
}

// Same is identity as grouping, indexes, joins and change detection see it: null
// is the same as null, undefined as undefined (not as null), NaN as NaN; dates and
// numbers by number, texts by content, references by reference. It is an
// equivalence and allocates nothing.
func Same(a, b Cell) bool {
	return a.Val == b.Val && (a.Kind == b.Kind || Class(a.Kind) == Class(b.Kind))
}

// Equal is the eq of expressions: Unknown when an operand is null or undefined,
// else whether both are the same value. A bool, a bigint or a string never equals
// a number.
func Equal(a, b Cell) Tri {
	if a.Absent() || b.Absent() {
		return Unknown
	}
	return TriOf(Same(a, b))
}

// Hash spreads cells over 64 bits such that cells which are the Same hash alike.
// The converse does not hold: confirm a match with Same.
func Hash(c Cell) uint64 {
	// The finaliser of SplitMix64; the class moves the input by an odd constant so
	// that true, 1, and text 1 part ways.
	x := math.Float64bits(c.Val+0) + uint64(Class(c.Kind)+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
