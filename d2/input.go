package d2

// Contents tells the rows of a relation kept outside the graph, in their state
// after everything that was pushed.
type Contents interface {
	Each(yield func(row uint32, weight int32))
}

// Input is a node that batches enter through: in′ = what is pushed. It keeps
// nothing; with contents it can tell new readers what they missed.
type Input struct {
	content Contents
	used    bool // something has come in
}

// NewInput returns an input; content may be nil, then what is built over it
// while rows are already in cannot be hydrated by [Graph.Hydrate].
func NewInput(content Contents) *Input { return &Input{content: content} }

// Name implements [Operator].
func (*Input) Name() string { return "input" }

// Ports implements [Operator]: batches are pushed to port 0.
func (*Input) Ports() int { return 1 }

// Apply implements [Operator].
func (i *Input) Apply(v *Visit, out *Out) error {
	i.used = true
	out.Pass(v, 0)
	return nil
}

// Snapshot implements [Snapshotter].
func (i *Input) Snapshot(out *Out) error {
	if i.content == nil {
		return ErrNoSnapshot
	}
	i.content.Each(out.Emit)
	return nil
}

// entry is an operator that batches are pushed to from outside. Visits of one
// are not counted.
type entry interface {
	Operator
	// knows tells whether it can be asked for its content, present or none yet.
	knows() (content, empty bool)
	// passBy is told that something came in while there was no reader.
	passBy()
}

func (i *Input) passBy() { i.used = true }

func (i *Input) knows() (content, empty bool) { return i.content != nil, !i.used }
