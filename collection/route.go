package collection

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// Target is a plan that only rows with one of some values in one column can
// matter to. Batch collects its share of a run's changes.
type Target struct {
	Node  d2.NodeID
	Batch []d2.Change
	root  *Root
	route *routedColumn
	cells []value.Cell
}

type routeKey struct {
	class uint8
	val   float64
}

// routedColumn is the predicate index over one column: from a value to the plans that
// ask for it.
type routedColumn struct {
	col     *query.Column
	targets map[routeKey][]*Target
	n       int
}

func keyOfCell(c value.Cell) routeKey { return routeKey{value.Class(c.Kind), c.Val} }

// Route adds a plan to the predicate index over col. Without cells no change
// ever reaches it.
func (r *Root) Route(node d2.NodeID, col *query.Column, cells []value.Cell) *Target {
	t := &Target{Node: node, root: r, cells: cells}
	for _, c := range r.routes {
		if c.col == col {
			t.route = c
		}
	}
	if t.route == nil {
		t.route = &routedColumn{col: col, targets: map[routeKey][]*Target{}}
		r.routes = append(r.routes, t.route)
	}
	for _, c := range cells {
		k := keyOfCell(c)
		t.route.targets[k] = append(t.route.targets[k], t)
	}
	t.route.n++
	return t
}

// Close takes a plan out of the predicate index.
func (t *Target) Close() {
	for _, c := range t.cells {
		k := keyOfCell(c)
		if left := remove(t.route.targets[k], t); len(left) > 0 {
			t.route.targets[k] = left
		} else {
			delete(t.route.targets, k)
		}
	}
	t.route.n--
	if t.route.n == 0 {
		t.root.routes = remove(t.root.routes, t.route)
	}
}

// Deliver distributes changes over the plans they can matter to and returns
// those plans; each plan's Batch is its share. Cost: two lookups per change and
// routed column, whatever the number of plans.
func (r *Root) Deliver(changes []d2.Change) []*Target {
	r.sent = r.sent[:0]
	for _, c := range r.routes {
		for _, ch := range changes {
			var old routeKey
			if ch.Old != none {
				old = keyOfCell(c.col.At(ch.Old))
				r.send(c.targets[old], ch)
			}
			if ch.New != none {
				if k := keyOfCell(c.col.At(ch.New)); ch.Old == none || k != old {
					r.send(c.targets[k], ch)
				}
			}
		}
	}
	return r.sent
}

func (r *Root) send(targets []*Target, ch d2.Change) {
	for _, t := range targets {
		n := len(t.Batch)
		if n == 0 {
			r.sent = append(r.sent, t)
		} else if t.Batch[n-1].Key == ch.Key {
			continue // reached by its old value already
		}
		t.Batch = append(t.Batch, ch)
	}
}
