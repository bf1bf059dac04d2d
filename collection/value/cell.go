package value

// Kind tells how a Cell's Val is to be read. The numbers are part of the wire protocol.
type Kind = uint8

// The cell kinds. Kinds from KindString to KindTemporal hold a text id: an entry
// of the session's text dictionary, where equal values have equal ids.
const (
	KindUndefined Kind = iota
	KindNull
	KindBool     // Val is 0 or 1
	KindNumber   // Val is the number; never NaN, never -0
	KindNaN      // NaN or an invalid Date; Val is 0
	KindDate     // Val is milliseconds since the epoch
	KindString   // Val is a text id
	KindBigInt   // Val is a text id; the text is the decimal form
	KindBytes    // Val is a text id; the text is the content
	KindTemporal // Val is a text id; the text is "<tag>\x00<toString()>"
	KindRef      // Val is a reference id: equal only to itself
	kindCount
)

// Cell is one value as the engine sees it: a scalar, or the identity of
// something that stays in the shell. Two cells denote equal values exactly when
// Same says so.
type Cell struct {
	Kind Kind
	Val  float64
}

// Number is the cell of a JavaScript number: NaN gets its own kind and -0
// becomes 0, so that equal numbers are equal bits.
func Number(v float64) Cell { return numeric(KindNumber, v) }

// Date is the cell of a Date at ms milliseconds since the epoch; NaN, the time
// of an invalid Date, gives KindNaN.
func Date(ms float64) Cell { return numeric(KindDate, ms) }

func numeric(kind Kind, v float64) Cell {
	if v != v {
		return Cell{Kind: KindNaN}
	}
	return Cell{Kind: kind, Val: v + 0} // -0 + 0 is 0
}

// Bool is the cell of a boolean.
func Bool(b bool) Cell {
	if b {
		return Cell{Kind: KindBool, Val: 1}
	}
	return Cell{Kind: KindBool}
}

// ID is the text id or reference id a cell holds; meaningless for kinds below
// KindString.
func (c Cell) ID() uint32 { return uint32(c.Val) }

// Absent reports whether c is null or undefined.
func (c Cell) Absent() bool { return c.Kind <= KindNull }

// EmptyText is the text id of the empty string, present in every dictionary.
const EmptyText = 0

// Tri is a truth value of three-valued logic.
type Tri = uint8

// The truth values.
const (
	False Tri = iota
	True
	Unknown
)

// Texts gives the engine the bytes behind text ids. Bytes are WTF-8: UTF-8 that
// may hold lone surrogates as three-byte sequences, so that every JavaScript
// string has exactly one form.
type Texts interface {
	// Text returns the bytes of id. The slice is read-only and stays valid
	// while a cell refers to id.
	Text(id uint32) []byte
	// Compare orders two texts under a registered collation other than the
	// lexical one, or two temporals when collation is CollationTemporal: <0, 0, >0.
	// It may ask the shell; an error is the shell's refusal.
	Compare(collation, a, b uint32) (int, error)
}

// CollationLexical orders strings by UTF-16 code units; CollationTemporal is
// the pseudo-collation under which two temporals of one type are compared.
const (
	CollationLexical  = 0
	CollationTemporal = 1
)
