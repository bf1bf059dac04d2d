package d2

import "errors"

// Errors of building what reads by fetch.
var (
	// ErrNoFetch: a fetch has to pass an operator that cannot answer it.
	ErrNoFetch = errors.New("d2: the input cannot be fetched from by this key or in this order; arrange it, or retain the window")
	// ErrNoTies: groups of equal order values cannot be found.
	ErrNoTies = errors.New("d2: to break ties by another key, the driving order must be able to compare order values alone")
	// ErrNotAbove refuses a window whose source it is not fed by: what that tells
	// would not be settled when the window reads it.
	ErrNotAbove = errors.New("d2: a window can only fetch from an operator it stands on")
	// ErrUnsettled: something was fetched that this run has yet to bring up to date.
	ErrUnsettled = errors.New("d2: fetched from an operator before its visit; only what stands above may be read")
	// ErrFetchInCycle: what is read in a cycle has not come to rest.
	ErrFetchInCycle = errors.New("d2: an operator that reads its inputs by fetch cannot stand in a cycle; join arrangements there")
)

// Eq asks for rows whose key under By is exactly this one.
type Eq struct {
	By    Keyer
	Class uint8
	Bits  uint64
}

// In asks for rows whose key under By is one of a set.
type In struct {
	By   Keyer
	Keys *KeySet
}

// FetchReq asks an operator for rows of its output. Keyers and orders are
// identified by being equal as interface values, so their types must be
// comparable. An order is total over the rows asked for, and a position is a
// row whose columns are readable, whether or not it is still in the output.
// [Everything] is the request without any condition.
type FetchReq struct {
	Eq    []Eq   // all of these hold
	In    In     // and this, if By is not nil
	Order Order  // nil: rows come in any order, once each
	After uint32 // strictly after this position; None: from the start
	Upto  uint32 // not after this position; None: to the end
	Ties  bool   // begin with the first row whose order values equal those of After
	Limit int    // rows at most; 0: all
	Want  int    // rows the asker expects to take, if there is no limit; a hint
}

// Everything returns a request for all rows in an order, or in any.
func Everything(order Order) FetchReq {
	return FetchReq{Order: order, After: None, Upto: None}
}

// keyed tells whether a request is confined to some keys.
func (r *FetchReq) keyed() bool { return len(r.Eq) > 0 || r.In.By != nil }

// starts tells whether a row lies where a request begins or after that.
func (r *FetchReq) starts(row uint32) bool {
	if r.After == None {
		return true
	}
	if r.Ties {
		return compareTerms(r.Order, row, r.After) >= 0
	}
	return r.Order.Compare(row, r.After) > 0
}

// ends tells whether a row lies beyond where a request ends.
func (r *FetchReq) ends(row uint32) bool {
	return r.Upto != None && r.Order.Compare(row, r.Upto) > 0
}

// holds tells whether a row has the keys a request asks for.
func (r *FetchReq) holds(row uint32) bool {
	for i := range r.Eq {
		e := &r.Eq[i]
		class, bits, ok := e.By.Key(row)
		if !ok || class != e.Class || bits != e.Bits {
			return false
		}
	}
	if r.In.By != nil {
		class, bits, ok := r.In.By.Key(row)
		return ok && r.In.Keys.Has(class, bits)
	}
	return true
}

// FetchEnd tells why a fetch ended.
type FetchEnd uint8

const (
	LimitReached FetchEnd = iota // there may be more rows: the limit was met, or yield declined
	EndOfInput                   // there are no more rows
	EndOfLocal                   // there are no more rows here, but the source has not loaded all
)

// Access is what an operator expects a request to cost, looks at a row being
// the unit. It is an estimate and decides between plans, never what is answered.
type Access struct {
	Seek   float64 // before the first row, sorting included
	PerRow float64 // for each row answered
	Rows   float64 // rows answered when there is no limit
	Sel    float64 // rows answered per row looked at
}

// cost of answering want rows, or all with 0.
func (a Access) cost(want int) float64 {
	rows := a.Rows
	if want > 0 {
		rows = min(rows, float64(want))
	}
	return a.Seek + rows*a.PerRow
}

// FetchCtx goes along with a fetch through every operator it reaches.
type FetchCtx struct {
	Visit   *Visit // of the operator that asks; nil outside of runs
	Scanned int    // rows looked at so far in sources and windows
}

// spot is where a fetchable operator stands in a graph.
type spot struct {
	node  *node
	graph *Graph
}

func (p Place) spot() spot { return spot{p.at, p.graph} }

// enter is called at the start of every fetch. An operator that is yet to be
// visited in the run has nothing to answer from.
func (s *spot) enter() {
	if s.graph != nil && s.graph.running && s.graph.dirty.has(s.node.rank) {
		panic(SourceFault{ErrUnsettled})
	}
}

// Fetchable is an operator that answers requests for rows of its output, which
// must be a set: no row has a weight other than 1. It reads the state after the
// changes of the run, which exists once everything that feeds it has been
// visited, and keeps no state per row for the purpose. A fetch may reach an
// operator again while that is answering another one.
type Fetchable interface {
	Operator
	// Plan tells what a request would cost, without sorting more than the rows of
	// some keys; false if it cannot be answered like that. It looks at what is
	// constrained, not at the values.
	Plan(r *FetchReq) (Access, bool)
	// Fetch yields the rows a request asks for until yield returns false. The
	// request must not change meanwhile. Trouble is raised by panicking with a
	// [SourceFault] or an [OrderFault].
	Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd
}

// TermOrder is an Order that can compare the order values alone, without the
// key that breaks ties.
type TermOrder interface {
	Order
	CompareTerms(a, b uint32) int
}

// compareTerms compares order values; an order that cannot tell them from the
// key has no ties.
func compareTerms(order Order, a, b uint32) int {
	if t, ok := order.(TermOrder); ok {
		return t.CompareTerms(a, b)
	}
	return order.Compare(a, b)
}

// pool lends the frames of fetches, which may be many deep. A frame lost to a
// panic is not given back.
type pool[T any] struct{ free []*T }

func (p *pool[T]) take() *T {
	if n := len(p.free); n > 0 {
		f := p.free[n-1]
		p.free = p.free[:n-1]
		return f
	}
	return nil
}

func (p *pool[T]) give(f *T) { p.free = append(p.free, f) }

// drained empties a list, giving back what has become too much.
func drained[T any](list []T) []T {
	if cap(list) > keepSlots {
		return nil
	}
	return list[:0]
}
