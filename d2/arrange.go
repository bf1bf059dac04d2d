package d2

// Arrange keeps an arrangement of its input by key for the operators that
// stand on it, and passes the input through: out = in.
//
// The arrangement includes a batch before the batch reaches any reader. State
// is one entry per row, in cycles per row and iteration; it shrinks when rows
// leave. A visit costs O(1) expected per difference.
type Arrange struct {
	trace *Trace
}

// NewArrange returns an operator that arranges rows by the key keyer tells.
func NewArrange(keyer Keyer) *Arrange { return &Arrange{NewTrace(keyer)} }

// Name returns "arrange".
func (a *Arrange) Name() string { return "arrange" }

// Ports returns 1.
func (a *Arrange) Ports() int { return 1 }

// Arrangement returns what is kept.
func (a *Arrange) Arrangement() Arrangement { return a.trace }

// Apply takes a batch into the arrangement and passes it on.
func (a *Arrange) Apply(v *Visit, out *Out) error {
	for _, d := range v.In(0) {
		a.trace.Add(d.Row, v.Iter, d.Weight)
	}
	out.Pass(v, 0)
	return nil
}

// Snapshot emits every row.
func (a *Arrange) Snapshot(out *Out) error {
	for e := a.trace.Scan(0); e != None; e = a.trace.Scan(e + 1) {
		row, _, weight := a.trace.Entry(e)
		out.Emit(row, weight)
	}
	if a.trace.late == 0 {
		out.Tidy()
	}
	return nil
}

// Retained returns the number of entries.
func (a *Arrange) Retained() int { return a.trace.Len() }

// Bytes returns the memory held.
func (a *Arrange) Bytes() int { return a.trace.Bytes() }

// Clear forgets every row.
func (a *Arrange) Clear() { a.trace.Clear() }

// Standing passes its input through, out = in, above an arrangement of it that
// somebody else keeps and has brought up to date before the run.
type Standing struct {
	arrangement Arrangement
}

// NewArranged returns an operator that stands for an arrangement of its input.
func NewArranged(arrangement Arrangement) *Standing { return &Standing{arrangement} }

// Name returns "arranged".
func (s *Standing) Name() string { return "arranged" }

// Ports returns 1.
func (s *Standing) Ports() int { return 1 }

// Arrangement returns what was given.
func (s *Standing) Arrangement() Arrangement { return s.arrangement }

// Apply passes a batch on.
func (s *Standing) Apply(v *Visit, out *Out) error {
	out.Pass(v, 0)
	return nil
}
