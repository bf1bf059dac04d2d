package d2

// Classes of the results of the aggregates in this package. Min, Max and Whole
// give classes of the caller's instead, those of its values.
const (
	ResultNull  uint8 = iota // no result; bits are 0
	ResultFloat              // bits are those of a float64; all NaN are one
	ResultInt                // bits are an int64
	ResultBig                // bits are what Bigs.Intern returned
)

// GroupRef is a group as its aggregates see it: a number below that of the
// groups there are, a key, and the sum of the weights of its rows.
type GroupRef struct {
	ID     uint32
	Class  uint8
	Bits   uint64
	Weight int64
}

// Aggregate folds the rows of each group into one value, which is written as a
// class and 64 bits and is the same exactly if these are. It keeps the state of
// all groups in arrays addressed by group number, so that groups cost no
// objects. What it returns must depend on nothing but the group's rows and
// their weights, however they came and went.
//
// The columns of a row are readable while its weight is above 0 and during the
// call that takes it away.
type Aggregate interface {
	// Add gives a row of a group weight more copies, or fewer.
	Add(group, row uint32, weight int32) error
	// Result returns the value of a group that is not empty.
	Result(g GroupRef) (class uint8, bits uint64, err error)
	// Drop forgets a group whose rows have left. The last group, if it is
	// another, takes its number.
	Drop(group, last uint32)
	Keeper
}

// Releaser is an [Aggregate] whose results are counted references: each that
// Result returned is released once, when its group has another and the run is
// over.
type Releaser interface {
	Release(class uint8, bits uint64)
}

// Nulls tells which rows have no value.
type Nulls interface {
	Null(row uint32) bool
}

// groupBinder is an aggregate that must know its operator. It refuses a second.
type groupBinder interface {
	bindGroup(g *Group) error
}

// scanner is an aggregate that reads rows again; it counts them.
type scanner interface {
	takeScanned() int
}

// countRows is the number of rows; the group knows it.
type countRows struct{}

// Count counts the rows of a group by weight. It has no state of its own.
func Count() Aggregate { return countRows{} }

func (countRows) Add(group, row uint32, weight int32) error { return nil }

func (countRows) Result(g GroupRef) (uint8, uint64, error) {
	return ResultInt, uint64(g.Weight), nil
}

func (countRows) Drop(group, last uint32) {}
func (countRows) Retained() int           { return 0 }
func (countRows) Bytes() int              { return 0 }
func (countRows) Clear()                  {}

// countValues is the number of rows that have a value.
type countValues struct {
	nulls Nulls
	n     tally
}

// CountOf counts, by weight, the rows of a group that have a value. State is 8
// bytes a group.
func CountOf(nulls Nulls) Aggregate { return &countValues{nulls: nulls} }

func (c *countValues) Add(group, row uint32, weight int32) error {
	if !c.nulls.Null(row) {
		c.n.add(group, weight)
	}
	return nil
}

func (c *countValues) Result(g GroupRef) (uint8, uint64, error) {
	return ResultInt, uint64(c.n.get(g.ID)), nil
}

func (c *countValues) Drop(group, last uint32) { c.n.drop(group, last) }
func (c *countValues) Retained() int           { return 0 }
func (c *countValues) Bytes() int              { return 8 * cap(c.n) }
func (c *countValues) Clear()                  { c.n = nil }

// tally is a count by group number; groups past its end have 0.
type tally []int64

func (t *tally) add(group uint32, by int32) {
	for int(group) >= len(*t) {
		*t = append(*t, 0)
	}
	(*t)[group] += int64(by)
}

func (t tally) get(group uint32) int64 {
	if int(group) >= len(t) {
		return 0
	}
	return t[group]
}

// drop forgets a group, whose number the last one takes.
func (t *tally) drop(group, last uint32) {
	if int(group) < len(*t) {
		(*t)[group] = t.get(last)
	}
	if int(last) < len(*t) {
		*t = shorten(*t, int(last))
	}
}

// shorten cuts an array to n elements and gives memory back once three
// quarters are unused.
func shorten[T uint8 | uint32 | uint64 | int64](a []T, n int) []T {
	switch {
	case n == 0 && cap(a) > fewRows:
		return nil
	case cap(a) > fewRows && 4*n < cap(a):
		return append(make([]T, 0, n+n/2), a[:n]...)
	}
	return a[:n]
}
