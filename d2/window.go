package d2

// WindowSpec describes a window.
type WindowSpec struct {
	Order         Order
	Keys          Keys
	Offset, Limit uint32 // Limit may be [Unlimited]

	// Source lets the window pull its rows in order. With a limit it then holds
	// only a prefix of its input, unless Retain is set; without a source it holds
	// everything that reaches it.
	Source Source
	Pins   Pins // needed where only a prefix is held
	Retain bool

	// Hold, if not nil, is told of every row that comes to be held and of every
	// one that no longer is: rows that live while they are referred to, as those
	// of a [Table], do not stay by themselves.
	Hold Pins

	// Equal tells which versions look the same; nil: every version looks different.
	Equal   Equal
	Cushion Cushion
}

// window keeps the rows [offset, offset+limit) of an ordered input exact under
// changes and tells how its sequence of rows changes.
//
// State: held is exactly the set of input rows at or before the frontier hi,
// and holds at least offset+limit rows or is the whole input (exhausted).
// A retained window is one that is always exhausted. Between steps the rows
// reported are held[offset, offset+limit).
type window struct {
	differ
	source Source
	pins   Pins
	hold   Pins
	prefix bool // holds a prefix; otherwise everything

	offset, limit       uint32
	wasOffset, wasLimit uint32 // of the rows reported last

	cushion cushionState
	selQ16  uint64 // rows returned per row scanned, in 1/65536
	onFetch func(Slot) bool
	fetched int
	wanted  int

	frames pool[memberFrame]

	mode  refetchMode
	spare int // rows beyond two cushions that do not call for a trim yet
}

// refetchMode lets tests choose between the two ways to the same delta.
type refetchMode uint8

const (
	refetchByCost refetchMode = iota
	refetchNever
	refetchAlways
)

// newWindow checks a spec and returns an empty window.
func newWindow(spec WindowSpec) (*window, error) {
	if spec.Order == nil || spec.Keys == nil {
		return nil, ErrNoOrder
	}
	prefix := spec.Source != nil && !spec.Retain && spec.Limit != Unlimited
	if prefix && spec.Pins == nil {
		return nil, ErrNoPins
	}
	w := &window{
		differ: differ{
			order: spec.Order, keys: spec.Keys, equal: spec.Equal,
			held: NewOrdered(spec.Order), exhausted: !prefix,
		},
		source: spec.Source, pins: spec.Pins, hold: spec.Hold, prefix: prefix,
		offset: spec.Offset, limit: spec.Limit, wasOffset: spec.Offset, wasLimit: spec.Limit,
		selQ16: 1 << 16, spare: 8,
	}
	w.cushion.init(spec.Cushion, w.need(), w.limit)
	w.onFetch = w.take
	w.work.init(w.order)
	return w, nil
}
