package d2

// Fold computes a value from all rows of a group: those whose weight is above
// 0, each once, in the order given with it. The rows are valid during the call.
// An aggregate that can take a row away again should implement [Aggregate]
// instead. A Fold that is a [Releaser] gets its results back.
type Fold interface {
	Fold(rows []Diff) (class uint8, bits uint64, err error)
}

// whole is an aggregate by a fold.
type whole struct {
	fold    Fold
	order   Order
	rows    *groupRows
	scanned int
}

// Whole returns the aggregate that folds all rows of a group again whenever
// some of them have changed: a median, a list of values, a user's function. The
// rows come in order, which may be nil if the fold does not care; rows that
// compare equal follow each other by their numbers, which the result must not
// depend on. The rows of all groups are kept, 4 to 12 bytes each; a visit costs
// O(rows of the groups it changes), counted as rows scanned.
func Whole(fold Fold, order Order) Aggregate {
	w := &whole{fold: fold, order: order}
	if r, ok := fold.(Releaser); ok {
		return &releasingWhole{w, r}
	}
	return w
}

func (a *whole) bindGroup(g *Group) error {
	if a.rows != nil {
		return ErrShared
	}
	a.rows = newGroupRows(g.keys, a.order)
	return nil
}

func (a *whole) takeScanned() int {
	n := a.scanned
	a.scanned = 0
	return n
}

func (a *whole) Add(_, row uint32, weight int32) error { return a.rows.add(row, weight) }

func (a *whole) Result(g GroupRef) (class uint8, bits uint64, err error) {
	rows := a.rows.read(g.Class, g.Bits)
	a.scanned += len(rows)
	class, bits, err = a.fold.Fold(rows)
	a.rows.trim()
	return class, bits, err
}

func (a *whole) Drop(group, last uint32) {}
func (a *whole) Retained() int           { return a.rows.rows.Len() }
func (a *whole) Bytes() int              { return a.rows.bytes() }
func (a *whole) Clear()                  { a.rows.clear() }

type releasingWhole struct {
	*whole
	Releaser
}
