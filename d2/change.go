package d2

// Slot identifies one immutable version of a row.
type Slot = uint32

// Key identifies a public key; a key has at most one current slot.
type Key = uint32

// None is the absent slot: the old side of an insert, the new side of a delete.
const None = ^uint32(0)

// Unlimited is the limit of a window that ends where its input ends.
const Unlimited = ^uint32(0)

// Change is the difference -Old +New for one key. Old and New are None for an
// insert and a delete; equal sides are no difference at all.
type Change struct{ Key, Old, New uint32 }

// Order is a strict total order over slots: the order terms, then the public
// key. Only two versions of one key may compare 0. Compare reads columns on
// every call and reports trouble by panicking with an [OrderFault].
type Order interface {
	Compare(a, b Slot) int
}

// OrderKeyer is an Order that knows a 64-bit prefix of itself:
// Compare(a, b) < 0 implies OrderKey(a) <= OrderKey(b). It reports false for a
// slot that has no such prefix, which makes bulk loads fall back to Compare.
type OrderKeyer interface {
	OrderKey(slot Slot) (uint64, bool)
}

// Keys tells the public key of a slot.
type Keys interface {
	KeyOf(slot Slot) Key
}

// Predicate decides which slots pass a filter. Select appends to keep those of
// slots that pass, in the order given, and returns the extended slice. It must
// depend on nothing but the contents of each slot.
type Predicate interface {
	Select(slots []uint32, keep []uint32) ([]uint32, error)
}

// Source reads rows in a window's order, in their state after the run's
// changes. Fetch yields at most want rows strictly after the given slot (None:
// from the start) until yield returns false. It returns the number of rows it
// looked at, and end = true if no row of the input follows the last one
// yielded. The slot after may belong to a row that has left; its columns are
// kept readable by Pins. Trouble is reported by panicking with a [SourceFault]
// or an [OrderFault].
type Source interface {
	Fetch(after Slot, want int, yield func(Slot) bool) (scanned int, end bool)
}

// Pins keeps the columns of a slot readable after its row has left. Calls are
// balanced; a slot may be pinned more than once.
type Pins interface {
	Pin(slot Slot)
	Unpin(slot Slot)
}

// Equal reports whether two versions of one row look the same to a window's
// readers.
type Equal interface {
	Same(old, new Slot) bool
}
