package d2

// Concat is the sum of any number of inputs, all edges ending in its one port:
// out = Σ in. Linear, without state. Its cost follows the inputs that changed,
// not those there are.
type Concat struct{ _ byte } // operators are told apart by their pointers

// NewConcat returns a sum.
func NewConcat() *Concat { return &Concat{} }

// Name implements [Operator].
func (*Concat) Name() string { return "concat" }

// Ports implements [Operator].
func (*Concat) Ports() int { return 1 }

// Apply implements [Operator].
func (*Concat) Apply(v *Visit, out *Out) error {
	out.Pass(v, 0)
	return nil
}
