package d2

// Keyer tells the key by which rows are joined or grouped: a class and 64 bits
// that are equal exactly for equal keys. ok is false for a row whose key is
// null, which equals nothing. It depends on the row alone and, like an [Order],
// reads columns on every call.
type Keyer interface {
	Key(row uint32) (class uint8, bits uint64, ok bool)
}
