package d2

// Expander makes any number of rows of a row, each with a weight. It must make
// the same ones whenever it is asked, also while the row is being taken away.
type Expander interface {
	Each(row uint32, yield func(row uint32, weight int32))
}

// FlatMap puts all rows in place of a row that a function makes of it:
// out(s) = Σ in(r) × f(r)(s). Linear, without state; cost: one call per
// difference and O(1) per row made. Rows that are interned need an [Owned]
// around it.
type FlatMap struct {
	f      Expander
	tidy   bool
	out    *Out
	weight int32
	yield  func(row uint32, weight int32)
}

// NewFlatMap returns the operator that expands rows by f.
func NewFlatMap(f Expander) *FlatMap {
	m := &FlatMap{f: f, tidy: injective(f)}
	// One function for all rows, so that expanding them allocates nothing.
	m.yield = func(row uint32, weight int32) { m.out.Emit(row, mulWeights(m.weight, weight)) }
	return m
}

// Name implements [Operator].
func (*FlatMap) Name() string { return "flatmap" }

// Ports implements [Operator].
func (*FlatMap) Ports() int { return 1 }

// Apply implements [Operator].
func (m *FlatMap) Apply(v *Visit, out *Out) error {
	m.out = out
	for _, d := range v.In(0) {
		m.weight = d.Weight
		m.f.Each(d.Row, m.yield)
	}
	m.out = nil
	if m.tidy {
		out.Tidy()
	}
	return nil
}
