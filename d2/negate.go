package d2

// Negate turns every weight around: out = -in. With [Concat] it makes the
// difference of two multisets. Linear, without state; cost O(1) per difference.
type Negate struct{ _ byte }

// NewNegate returns the negation.
func NewNegate() *Negate { return &Negate{} }

// Name implements [Operator].
func (*Negate) Name() string { return "negate" }

// Ports implements [Operator].
func (*Negate) Ports() int { return 1 }

// Apply implements [Operator]. A replacement turned around is none: the version
// that is taken away would come second.
func (*Negate) Apply(v *Visit, out *Out) error {
	for _, d := range v.In(0) {
		out.Emit(d.Row, mulWeights(d.Weight, -1))
	}
	out.Tidy()
	return nil
}
