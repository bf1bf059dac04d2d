package d2

// Diff is the difference of one row: Weight more copies of it, or fewer. Equal
// rows are equal ids; whoever makes rows of values interns them.
type Diff struct {
	Row    uint32
	Weight int32
}

// Operator is a node's work. Apply takes the consolidated batches of one visit
// and emits the difference of the operator's output. It is called only when a
// port has something, when the operator asked for it ([Visit.Again]) or when
// the graph was told to ([Graph.Touch]); outside cycles at most once per run,
// inside at most once per iteration.
//
// Apply must be deterministic, and batch-invariant: however the input of a run
// is cut into visits, the outputs add up to the same batch and the state ends
// the same. Trouble is returned, or raised by panicking with an error; the node
// then counts as failed and its state is never read again.
type Operator interface {
	// Name is the operator's name in errors and plans, in lower case.
	Name() string
	// Ports is the number of input ports. Any number of edges may end in one port.
	Ports() int
	Apply(v *Visit, out *Out) error
}

// Place is where an operator stands, told once when it is built in. In is valid
// during the call that tells it.
type Place struct {
	Node   NodeID
	In     []Operator // by port; nil where no edge or several edges end in it
	Cyclic bool       // inside a cycle: visits carry iterations
	at     *node
	graph  *Graph
}

// Binder is an operator that must know its place before the first visit; an
// error refuses the build.
type Binder interface {
	Bind(at Place) error
}

// Keeper is an operator with state. Clear returns it to its first state,
// releasing memory, pins and references; it is called before a reset and when
// the node is dropped.
type Keeper interface {
	Retained() int // rows held
	Bytes() int    // memory held
	Clear()
}

// Snapshotter is an operator that can tell its present output: it emits every
// row of it with its weight. Operators without state need not implement it.
type Snapshotter interface {
	Snapshot(out *Out) error
}

// Stager is an operator that, when it is hydrated, does not need the content of
// every port as a batch, because it reads the arrangement there itself. Stage
// tells whether it needs that of a port.
type Stager interface {
	Stage(port int) bool
}

// Sweeper gives back what nothing refers to any more, once a run is over.
type Sweeper interface {
	Sweep()
}

// Visit is the input of one call of Apply. It is valid during the call.
type Visit struct {
	Iter      int32 // iteration; 0 outside cycles
	Stats     *RunStats
	Hydrating bool // the batches are the whole content of new inputs
	ports     []arrival
	again     []int32
	sweep     []Sweeper
	node      *node // nil when driven without a graph
}

// arrival is what a visit finds at a port.
type arrival struct {
	batch   []Diff
	cut     uint32 // None: the batch is whole
	keyed   bool
	lasting bool // the batch stays where it is until the run ends
}

// NewVisit returns a visit with the given batches, one per port, for driving an
// operator without a graph.
func NewVisit(iter int32, in ...[]Diff) *Visit {
	v := &Visit{Iter: iter, Stats: &RunStats{}, ports: make([]arrival, len(in))}
	for i, batch := range in {
		v.ports[i] = arrival{batch: batch, cut: None}
	}
	return v
}

// In returns the batch of a port: at most one entry per row, none of weight 0.
// It may be empty, must not be changed, and is valid during the call.
func (v *Visit) In(port int) []Diff { return v.ports[port].batch }

// Keyed tells whether the entries of a port come as replacements: the old and
// the new version of one key next to each other, and no other of that key.
func (v *Visit) Keyed(port int) bool { return v.ports[port].keyed }

// Cut returns the position after which the batch of a port may lack rows that
// came or went without changing themselves; ok is false if it is whole. Only
// operators that declared an interest get batches that are not.
func (v *Visit) Cut(port int) (at uint32, ok bool) {
	at = v.ports[port].cut
	return at, at != None
}

// Again asks for a visit at a later iteration, with or without input. Only
// operators in cycles may ask.
func (v *Visit) Again(iter int32) { v.again = append(v.again, iter) }

// Sweep has s called once the run is over and the sinks have seen its results.
func (v *Visit) Sweep(s Sweeper) { v.sweep = append(v.sweep, s) }

// Out takes what an operator emits in one visit.
type Out struct {
	diffs []Diff
	own   []Diff // set aside while diffs is somebody else's batch
	later []timed
	iter  int32
	tidy  bool
	keyed bool
	cut   bool

	foreign bool
	cutAt   uint32
}

// timed is a difference at a later iteration than that of the visit.
type timed struct {
	iter int32
	Diff
}

// Emit adds a difference at the iteration of the visit. Nothing is added for a
// weight of 0.
func (o *Out) Emit(row uint32, weight int32) {
	if weight != 0 {
		o.diffs = append(o.diffs, Diff{row, weight})
	}
}

// EmitAt adds a difference at an iteration not before that of the visit.
func (o *Out) EmitAt(iter int32, row uint32, weight int32) {
	if iter == o.iter {
		o.Emit(row, weight)
	} else if weight != 0 {
		o.later = append(o.later, timed{iter, Diff{row, weight}})
	}
}

// Pass emits the batch of a port unchanged, without copying where it can. It
// must be all that the visit emits.
func (o *Out) Pass(v *Visit, port int) {
	p := &v.ports[port]
	if p.lasting {
		o.own, o.diffs, o.foreign = o.diffs, p.batch, true
	} else {
		o.diffs = append(o.diffs, p.batch...)
	}
	o.tidy, o.keyed, o.cutAt, o.cut = true, p.keyed, p.cut, p.cut != None
}

// Tidy declares that what was emitted has at most one entry per row, which
// saves its readers the sorting.
func (o *Out) Tidy() { o.tidy = true }

// Keyed declares that what was emitted is tidy and comes as replacements (see
// [Visit.Keyed]).
func (o *Out) Keyed() { o.tidy, o.keyed = true, true }

// Cut declares that after a position, a row in the order of the reader's
// interest, rows that came or went without changing themselves may be missing
// from what was emitted.
func (o *Out) Cut(at uint32) { o.cut, o.cutAt = true, at }

// Diffs returns what was emitted at the iteration of the visit.
func (o *Out) Diffs() []Diff { return o.diffs }

// reset makes room for the next visit.
func (o *Out) reset(iter int32) {
	if o.foreign {
		o.diffs = o.own
	}
	o.diffs = o.diffs[:0]
	if len(o.later) > 0 {
		o.later = o.later[:0]
	}
	o.iter = iter
	o.tidy, o.keyed, o.cut, o.foreign = false, false, false, false
}
