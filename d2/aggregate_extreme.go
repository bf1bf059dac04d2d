package d2

// Values gives the values of a column an order. Null values take no part.
// Compare must be 0 for two rows exactly if Value is the same for both, so that
// it does not matter which of them stands for a group.
type Values interface {
	Null(row uint32) bool
	Compare(a, b uint32) int
	// Value returns the identity of a row's value. What the bits refer to must
	// live as long as a row with that value does, and until the end of the run in
	// which the last one leaves.
	Value(row uint32) (class uint8, bits uint64)
}

// Extremes is the state of the smallest and the largest value of one column,
// for any number of aggregates of one group operator: the rows of all groups,
// in order of group and value. When an extreme leaves, its successor is next to
// it: no group is ever read again. A change costs O(log n) comparisons; memory
// is 4 to 12 bytes a row.
type Extremes struct {
	values Values
	rows   *groupRows
	group  *Group
	first  *extremeView
}

// NewExtremes returns the extremes of a column.
func NewExtremes(values Values) *Extremes { return &Extremes{values: values} }

type extremeView struct {
	*Extremes
	side int // of the group's rows: -1 the least, 1 the largest
}

// Min is the least value of a group, [ResultNull] if all are null.
func (e *Extremes) Min() Aggregate { return &extremeView{e, -1} }

// Max is the largest value of a group, [ResultNull] if all are null.
func (e *Extremes) Max() Aggregate { return &extremeView{e, 1} }

// Min returns the least value of a column; see [Extremes] to have both.
func Min(values Values) Aggregate { return NewExtremes(values).Min() }

// Max returns the largest value of a column.
func Max(values Values) Aggregate { return NewExtremes(values).Max() }

func (a *extremeView) bindGroup(g *Group) error {
	if a.first == nil {
		a.first, a.group, a.rows = a, g, newGroupRows(g.keys, a.values)
	} else if a.group != g || a.first == a {
		return ErrShared
	}
	return nil
}

func (a *extremeView) Add(_, row uint32, weight int32) error {
	if a.first != a || a.values.Null(row) {
		return nil
	}
	return a.rows.add(row, weight)
}

func (a *extremeView) Result(g GroupRef) (class uint8, bits uint64, err error) {
	row := a.rows.end(g.Class, g.Bits, a.side)
	if row == None {
		return ResultNull, 0, nil
	}
	class, bits = a.values.Value(row)
	return class, bits, nil
}

func (a *extremeView) Drop(group, last uint32) {}

func (a *extremeView) Retained() int {
	if a.first != a {
		return 0
	}
	return a.rows.rows.Len()
}

func (a *extremeView) Bytes() int {
	if a.first != a {
		return 0
	}
	return a.rows.bytes()
}

func (a *extremeView) Clear() {
	if a.first == a {
		a.rows.clear()
	}
}
