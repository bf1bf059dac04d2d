package includes

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/d2"
)

// Flags of a Mutate: what is held back until the graph runs next, that the
// writes are being sent, that the shell has shown them and told of them, and
// that it asks whether it may do so with the next ones.
const (
	HoldGraph = 1
	HoldEmits = 2
	Sending   = 4
	Shown     = 8
	MayShow   = 16
)

// step is a root's part of one publication.
type step struct {
	root    *rootNode
	changes []d2.Change // to be installed
	applied []uint32    // sync transactions that waited and were applied
}

// holding is a root with changes the graph has not seen, or its subscribers
// have not heard of.
type holding struct {
	root *rootNode
	net  []d2.Change
	at   map[uint32]int // by key id: in net
}

// Mutate carries out the writes of a user transaction to a root.
func (e *Engine) Mutate(col, tx, flags uint32, w *collection.Write) error {
	r := e.roots[col]
	switch {
	case r == nil:
		return refuse(CodeUnknownCollection, col, "no such root collection")
	case r.Status == collection.CleanedUp:
		return refuse(CodeStatusTransition, col, "is cleaned up; start it first")
	}
	t := e.txs[tx]
	if t == nil {
		t = &collection.Transaction{ID: tx}
	}
	changes, err := r.Mutate(t, w, e.out)
	if err != nil {
		return err
	}
	e.txs[tx] = t
	if flags&HoldEmits != 0 {
		t.Held()
	}
	if flags&Sending != 0 {
		t.Persist()
	}
	alone := flags&(Shown|MayShow) != 0 && e.alone(r)
	if flags&MayShow != 0 && alone {
		e.out.Alone(col)
	}
	if flags&Shown != 0 && alone {
		r.Retire()
		return nil
	}
	if flags&HoldGraph == 0 {
		e.publish(step{root: r, changes: changes})
		return nil
	}
	if len(changes) > 0 {
		e.out.Install(col, changes, nil)
		e.push(r, changes)
	}
	h := e.hold(r)
	if flags&HoldEmits == 0 && len(h.net) == 0 {
		r.Emit(changes, false, e.out)
		return nil
	}
	for _, c := range changes {
		h.add(c)
	}
	if flags&HoldEmits == 0 {
		e.tellOf(h)
	}
	return nil
}

// alone tells whether no query reads the root, so that its changes concern its
// subscribers only.
func (e *Engine) alone(r *rootNode) bool {
	return len(r.deps) == 0 && (r.input == noNode || !e.graph.Feeds(r.input) && !e.graph.Feeds(r.routed))
}

func (e *Engine) hold(r *rootNode) *holding {
	for _, h := range e.held {
		if h.root == r {
			return h
		}
	}
	h := &holding{root: r, at: map[uint32]int{}}
	e.held = append(e.held, h)
	return h
}

// add takes a change into the net changes that have not been told.
func (h *holding) add(c d2.Change) {
	if i, ok := h.at[c.Key]; ok {
		h.net[i].New = c.New
		return
	}
	h.at[c.Key] = len(h.net)
	h.net = append(h.net, c)
}

// take returns the net changes that remain.
func (h *holding) take() []d2.Change {
	net := h.net[:0]
	for _, c := range h.net {
		if c.Old != c.New {
			net = append(net, c)
		}
	}
	return net
}

// Flush runs the graph for what is held and tells of it.
func (e *Engine) Flush() {
	if len(e.held) > 0 {
		e.publish()
	}
}

// TellHeld tells subscribers of what is held from them; the graph goes on being
// held.
func (e *Engine) TellHeld() {
	for _, h := range e.held {
		e.tellOf(h)
	}
}

func (e *Engine) tellOf(h *holding) {
	if net := h.take(); len(net) > 0 {
		h.root.EmitThese(net, e.out)
	}
	h.net, h.at = nil, map[uint32]int{}
}

// Persist says that the writes of a transaction are being sent.
func (e *Engine) Persist(tx uint32) {
	if t := e.txs[tx]; t != nil {
		t.Persist()
	}
	e.Flush()
}

// Outcome is how a transaction ended.
type Outcome struct{ Tx, How uint32 }

// Open lists keys of a root that sync transactions not yet committed write.
type Open struct {
	Col  uint32
	Keys []uint32
}

// Settle ends transactions and publishes what comes of it in one step over all
// collections.
func (e *Engine) Settle(outcomes []Outcome, open []Open) error {
	for _, o := range outcomes {
		if o.How > collection.Complete {
			return &Refusal{CodeBadMessage, "outcomes", "an outcome is 0, 1 or 2"}
		}
	}
	var roots []*collection.Root
	ended := make([]*collection.Transaction, len(outcomes))
	for i, o := range outcomes {
		if t := e.txs[o.Tx]; t != nil {
			ended[i] = t
			delete(e.txs, o.Tx)
			t.Release()
			roots = t.Roots(roots)
		}
	}
	var steps []step
	for i, root := range roots {
		if !first(roots[:i], root) {
			continue
		}
		root.Begin()
		for j, t := range ended {
			if t != nil && outcomes[j].How != collection.Complete {
				t.Leave(root, outcomes[j].How, nil)
			}
		}
		root.Admit()
		for j, t := range ended {
			if t != nil && outcomes[j].How == collection.Complete {
				t.Leave(root, collection.Complete, openKeys(open, root.ID))
			}
		}
		s := step{root: e.roots[root.ID], changes: root.Conclude(e.out)}
		s.applied = root.Applied()
		steps = append(steps, s)
	}
	e.publish(steps...)
	return nil
}

func first(before []*collection.Root, r *collection.Root) bool {
	for _, b := range before {
		if b == r {
			return false
		}
	}
	return true
}

func openKeys(open []Open, col uint32) []uint32 {
	for _, o := range open {
		if o.Col == col {
			return o.Keys
		}
	}
	return nil
}
