package d2

import (
	"errors"
	"strconv"
)

// Errors of building and pushing. The graph is unchanged after each of them.
var (
	ErrRunning     = errors.New("d2: the graph is running; stage the call for after the run")
	ErrNoNode      = errors.New("d2: no such node")
	ErrNotInput    = errors.New("d2: node is not an input; use PushTo")
	ErrNotWindow   = errors.New("d2: node is not a window")
	ErrNotFilter   = errors.New("d2: node is not a filter")
	ErrFailed      = errors.New("d2: node has failed; reset or drop it")
	ErrNoOrder     = errors.New("d2: a window needs an order and keys")
	ErrNoPins      = errors.New("d2: a window that reads from a source needs pins")
	ErrNoPredicate = errors.New("d2: a filter needs a predicate")
	ErrNoSink      = errors.New("d2: an output needs a sink")
	ErrUpstream    = errors.New("d2: a node upstream has failed; reset that one")
)

// Causes found inside a run; they arrive wrapped in a [NodeError].
var (
	// ErrUnlinked: two changes of one key in one run do not follow each other.
	ErrUnlinked = errors.New("d2: changes of one key do not follow each other")
	// ErrSelect: a predicate kept something that was not offered, or out of order.
	ErrSelect = errors.New("d2: predicate did not return a subsequence of its slots")
)

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

// NodeError tells which operator failed, on how many changes, and why. The
// operator and everything it feeds ignore batches until reset or dropped.
type NodeError struct {
	Node  NodeID
	Kind  Kind
	Batch int
	Cause error
}

// Error names operator, batch and cause.
func (e *NodeError) Error() string {
	return "d2: " + e.Kind.String() + " " + strconv.Itoa(int(e.Node)) + " failed on " +
		strconv.Itoa(e.Batch) + " changes: " + e.Cause.Error()
}

// Unwrap returns the cause as the operator reported it.
func (e *NodeError) Unwrap() error { return e.Cause }

// asError turns a recovered value into the cause of a failure.
func asError(v any) error {
	switch x := v.(type) {
	case OrderFault:
		return x.Err
	case SourceFault:
		return x.Err
	case error:
		return x
	case string:
		return errors.New("d2: panic: " + x)
	}
	return errors.New("d2: panic with a value that is no error")
}
