package d2

import "errors"

// ErrNotArranged refuses a join on a port that no arranged operator feeds.
var ErrNotArranged = errors.New("d2: what reads an arrangement must stand on an arranged operator, and only on it; put an Arrange before it")

// Arrangement is a collection of weighted rows that can be searched by key. An
// entry is a row with its weight at one iteration; it is named by a cursor that
// is valid until the arrangement changes, None standing for no entry. Rows
// without a key belong to it as well, but only Scan meets them.
//
// An arrangement includes the batch of the run when a join reads it.
type Arrangement interface {
	Keyer
	// First and Next walk over the entries of a key.
	First(class uint8, bits uint64) (entry uint32)
	Next(entry uint32) uint32
	Entry(entry uint32) (row uint32, iter, weight int32)
	// Scan returns the first entry from a cursor on; beginning with 0 and going
	// on with the entry found plus 1, it meets every entry once.
	Scan(from uint32) (entry uint32)
	// Weight returns the sum of the weights of a key.
	Weight(class uint8, bits uint64) int
	// Present returns the weight of a row at an iteration.
	Present(row uint32, iter int32) int32
	// Len returns the number of entries.
	Len() int
}

// Arranged is an operator that passes its input through and keeps an
// arrangement of it.
type Arranged interface {
	Arrangement() Arrangement
}

// Indexed is a [Hash] read as an [Arrangement]: every slot in it is a row of
// weight 1 at iteration 0. Whoever keeps the Hash must have applied a run's
// changes before the run begins, and must list rows without a key too, under
// values of their own.
type Indexed struct {
	hash  *Hash
	keyer Keyer
}

// NewIndexed returns the arrangement of the slots of a hash by the values they
// were added with, which keyer tells.
func NewIndexed(hash *Hash, keyer Keyer) *Indexed { return &Indexed{hash, keyer} }

// Key returns the key of a row.
func (x *Indexed) Key(row uint32) (class uint8, bits uint64, ok bool) { return x.keyer.Key(row) }

// First returns the first slot of a key.
func (x *Indexed) First(class uint8, bits uint64) uint32 { return x.hash.First(class, bits) }

// Next returns the slot after another of the same key.
func (x *Indexed) Next(entry uint32) uint32 { return x.hash.Next(entry) }

// Entry returns the slot itself, with weight 1 at iteration 0.
func (x *Indexed) Entry(entry uint32) (row uint32, iter, weight int32) { return entry, 0, 1 }

// Scan returns the first slot from a slot on. Meeting all costs the largest
// slot in use.
func (x *Indexed) Scan(from uint32) uint32 {
	for ; int(from) < len(x.hash.prev); from++ {
		if x.hash.prev[from] != absent {
			return from
		}
	}
	return None
}

// Weight returns the number of slots of a key.
func (x *Indexed) Weight(class uint8, bits uint64) int { return x.hash.Count(class, bits) }

// Present returns 1 for a slot that is there, at iteration 0.
func (x *Indexed) Present(row uint32, iter int32) int32 {
	if iter == 0 && x.hash.Has(row) {
		return 1
	}
	return 0
}

// Len returns the number of slots.
func (x *Indexed) Len() int { return x.hash.Len() }
