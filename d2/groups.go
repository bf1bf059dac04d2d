package d2

// Group operators with one aggregate. Several aggregates over the same groups
// belong into one [NewGroup]: they share its groups and its rows.

// NewCount returns γ(key; count): the number of rows of each key.
func NewCount(keyer Keyer, home *Table) *Group { return NewGroup(keyer, home, Count()) }

// NewSum returns γ(key; sum): the exact sum of a column for each key, rounded
// once. bigs may be nil if no sum of integers needs more than 64 bits.
func NewSum(keyer Keyer, home *Table, numbers Numbers, bigs Bigs) *Group {
	return NewGroup(keyer, home, Sum(numbers, bigs))
}

// NewAvg returns γ(key; avg): the exact sum of a column over the number of its
// values, for each key.
func NewAvg(keyer Keyer, home *Table, numbers Numbers) *Group {
	return NewGroup(keyer, home, Avg(numbers))
}

// NewMin returns γ(key; min): the least value of a column for each key.
func NewMin(keyer Keyer, home *Table, values Values) *Group {
	return NewGroup(keyer, home, Min(values))
}

// NewMax returns γ(key; max): the largest value of a column for each key.
func NewMax(keyer Keyer, home *Table, values Values) *Group {
	return NewGroup(keyer, home, Max(values))
}
