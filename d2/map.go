package d2

// Mapper makes a row of a row. It must make the same one whenever it is asked,
// also while the row is being taken away.
type Mapper interface {
	Map(row uint32) uint32
}

// Injective is a [Mapper] or an [Expander] that can promise never to make the
// same row of two rows, nor of one row twice.
type Injective interface {
	Injective() bool
}

func injective(f any) bool {
	i, ok := f.(Injective)
	return ok && i.Injective()
}

// Map applies a function to every row: out(s) = Σ in(r) over the r mapped to s.
// Linear, without state; cost: one call per difference. Rows that are interned
// need an [Owned] around it.
type Map struct {
	f    Mapper
	tidy bool
}

// NewMap returns the operator that maps rows by f.
func NewMap(f Mapper) *Map { return &Map{f, injective(f)} }

// Name implements [Operator].
func (*Map) Name() string { return "map" }

// Ports implements [Operator].
func (*Map) Ports() int { return 1 }

// Apply implements [Operator]. What an injective function makes of a replacement
// is one of the row made.
func (m *Map) Apply(v *Visit, out *Out) error {
	a := &v.ports[0]
	for _, d := range a.batch {
		out.diffs = append(out.diffs, Diff{m.f.Map(d.Row), d.Weight})
	}
	out.tidy, out.keyed = m.tidy, m.tidy && a.keyed
	return nil
}
