package d2

import (
	"errors"
	"strconv"
)

// Errors of building and pushing. The graph is unchanged after each of them.
var (
	ErrRunning     = errors.New("d2: the graph is running; only pushing is allowed, the call must wait")
	ErrBuilding    = errors.New("d2: the graph is being extended; use the builder, or call when it is done")
	ErrBuilt       = errors.New("d2: the builder's work is done; extend the graph once more")
	ErrNoNode      = errors.New("d2: no such node")
	ErrNoOperator  = errors.New("d2: a node needs an operator")
	ErrNoPort      = errors.New("d2: the operator has no such port")
	ErrNotWindow   = errors.New("d2: node is not a window")
	ErrStaged      = errors.New("d2: batches are staged; run before an edge is led back into an existing node")
	ErrNoSnapshot  = errors.New("d2: the operator cannot tell its content; give its input contents")
	ErrNestedLoop  = errors.New("d2: a loop inside a loop is not supported; make both one cycle with Feedback")
	ErrFailed      = errors.New("d2: node has failed; reset or drop it")
	ErrNoOrder     = errors.New("d2: a window needs an order and keys")
	ErrNoPins      = errors.New("d2: a window that reads from a source needs pins")
	ErrNoPredicate = errors.New("d2: a filter needs a predicate")
	ErrNoSink      = errors.New("d2: an output needs a sink")
	ErrUpstream    = errors.New("d2: a node upstream has failed; reset that one")
)

// Causes found inside a run; they arrive wrapped in a [NodeError].
var (
	// ErrMultiplicity: an operator over keyed rows got a row more than once.
	ErrMultiplicity = errors.New("d2: a keyed row came with a weight other than 1 or -1; reduce it to a set first")
	// ErrDuplicateKey: an operator over keyed rows got two rows with one key.
	ErrDuplicateKey = errors.New("d2: two rows have the same key; reduce them to one per key first")
	// ErrWeight: the copies of one row do not fit the 32 bits of a [Diff].
	ErrWeight = errors.New("d2: the weight of a row does not fit 32 bits; does a row join with itself through too many copies?")
	// ErrIterationLimit: a cycle does not come to rest.
	ErrIterationLimit = errors.New("d2: a cycle exceeds its iteration limit; does the recursion grow without end?")
	// ErrPast: an operator in a cycle emitted at an iteration that is over.
	ErrPast = errors.New("d2: emitted at an iteration before that of the visit; what is over cannot be changed")
	// ErrSelect: a predicate kept something that was not offered, or out of order.
	ErrSelect = errors.New("d2: predicate did not return a subsequence of its slots")
)

// Mistakes of a build; they arrive wrapped in a [NodeError], and nothing has been
// built.
var (
	ErrCycleWithoutFeedback = errors.New("d2: a cycle needs a feedback edge")
	ErrFeedbackOutsideCycle = errors.New("d2: a feedback edge closes no cycle")
	ErrBound                = errors.New("d2: an edge into an existing node would change what its operator was built for; lead it into a Concat above, or build the node anew")
	ErrLimitInCycle         = errors.New("d2: windows and outputs cannot stand inside a cycle; put them behind it")
)

// ErrGraphPoisoned: the scheduler itself has failed. Nothing the graph holds can
// be trusted; discard and rebuild it.
var ErrGraphPoisoned = errors.New("d2: the graph has failed as a whole; discard and rebuild it")

// OrderFault is the panic value of an Order that cannot compare two slots.
type OrderFault struct{ Err error }

// Error returns the text of the cause.
func (f OrderFault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f OrderFault) Unwrap() error { return f.Err }

// SourceFault is the panic value of a Source that cannot read its rows.
type SourceFault struct{ Err error }

// Error returns the text of the cause.
func (f SourceFault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f SourceFault) Unwrap() error { return f.Err }

// NodeError tells which operator failed, where, and why. After a failure in a
// run the operator and everything it feeds ignore batches until reset or
// dropped.
type NodeError struct {
	Node      NodeID
	Op        string // the operator's name
	Iteration int32
	Batch     int // differences it was given
	Cause     error
}

// Error names operator, place, batch and cause.
func (e *NodeError) Error() string {
	text := "d2: " + e.Op + " " + strconv.Itoa(int(e.Node)) + " failed"
	if e.Batch > 0 {
		text += " on " + strconv.Itoa(e.Batch) + " differences"
	}
	if e.Iteration > 0 {
		text += " in iteration " + strconv.Itoa(int(e.Iteration))
	}
	return text + ": " + e.Cause.Error()
}

// Unwrap returns the cause as the operator reported it.
func (e *NodeError) Unwrap() error { return e.Cause }

// asError turns a recovered value into the cause of a failure.
func asError(v any) error {
	switch x := v.(type) {
	case OrderFault:
		if x.Err != nil {
			return x.Err
		}
	case SourceFault:
		if x.Err != nil {
			return x.Err
		}
	case error:
		return x
	case string:
		return errors.New("d2: panic: " + x)
	}
	return errors.New("d2: panic with a value that is no error")
}
