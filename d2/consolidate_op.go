package d2

// Consolidate passes its input with equal rows added up: out = in. Every visit
// finds its batch consolidated, so all it adds is a place where that happens
// once for many readers. Linear, without state.
type Consolidate struct{ _ byte }

// NewConsolidate returns the identity.
func NewConsolidate() *Consolidate { return &Consolidate{} }

// Name implements [Operator].
func (*Consolidate) Name() string { return "consolidate" }

// Ports implements [Operator].
func (*Consolidate) Ports() int { return 1 }

// Apply implements [Operator].
func (*Consolidate) Apply(v *Visit, out *Out) error {
	out.Pass(v, 0)
	return nil
}
