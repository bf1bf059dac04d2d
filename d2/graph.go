package d2

// NodeID names a node. Ids are dense; the id of a dropped node is given to a
// later one, last dropped first.
type NodeID int32

// Kind is the operator of a node.
type Kind uint8

// The operators.
const (
	KindInput Kind = iota + 1
	KindFilter
	KindWindow
	KindOutput
)

// String returns the operator's name.
func (k Kind) String() string {
	switch k {
	case KindInput:
		return "input"
	case KindFilter:
		return "filter"
	case KindWindow:
		return "window"
	case KindOutput:
		return "output"
	}
	return "node"
}

type node struct {
	id     NodeID
	rank   uint32
	in     NodeID // -1 for an input
	outPos int    // position in the source's outs
	kind   Kind
	outs   []NodeID

	pushed []Change // staged by Push and PushTo, copied
	pushes int      // number of batches in pushed
	linked bool     // the source's out is to be read in this run
	out    []Change // result of the last visit

	failed   error
	announce bool // an output that owes its sink a Fail

	pred   Predicate
	win    *window
	sink   Sink
	winSrc *node // the window whose delta passes through, else nil
}

// Graph is an acyclic dataflow graph and its scheduler. It is not safe for
// concurrent use. The zero value is not usable; see [NewGraph].
type Graph struct {
	nodes   []*node
	free    []NodeID
	byRank  []NodeID // -1 where a node was dropped
	live    int
	dirty   dirtySet
	running bool
	flush   []NodeID // outputs to call at the end of the run
	large   []NodeID // nodes whose last result is to be released at the next run
	last    RunStats
	total   RunStats
	scratch scratch
}

// NewGraph returns an empty graph.
func NewGraph() *Graph { return &Graph{} }

// AddInput adds a node that batches enter through.
func (g *Graph) AddInput() (NodeID, error) {
	if g.running {
		return -1, ErrRunning
	}
	return g.add(-1, KindInput).id, nil
}

// AddFilter adds the selection σ(in) by pred. A change is passed on with None
// for a version that does not pass; it keeps no state.
func (g *Graph) AddFilter(in NodeID, pred Predicate) (NodeID, error) {
	if err := g.mayFeed(in); err != nil {
		return -1, err
	}
	if pred == nil {
		return -1, ErrNoPredicate
	}
	n := g.add(in, KindFilter)
	n.pred = pred
	return n.id, nil
}

// AddWindow adds the rows [offset, offset+limit) of in, in the order of spec.
// It is empty until hydrated or run.
func (g *Graph) AddWindow(in NodeID, spec WindowSpec) (NodeID, error) {
	if err := g.mayFeed(in); err != nil {
		return -1, err
	}
	w, err := newWindow(spec)
	if err != nil {
		return -1, err
	}
	n := g.add(in, KindWindow)
	n.win = w
	n.winSrc = n
	return n.id, nil
}

// AddOutput adds a node that reports what reaches it to sink. It may itself
// feed further nodes.
func (g *Graph) AddOutput(in NodeID, sink Sink) (NodeID, error) {
	if err := g.mayFeed(in); err != nil {
		return -1, err
	}
	if sink == nil {
		return -1, ErrNoSink
	}
	n := g.add(in, KindOutput)
	n.sink = sink
	return n.id, nil
}

func (g *Graph) mayFeed(in NodeID) error {
	if g.running {
		return ErrRunning
	}
	n := g.node(in)
	if n == nil {
		return ErrNoNode
	}
	if n.failed != nil {
		return ErrFailed
	}
	return nil
}

func (g *Graph) node(id NodeID) *node {
	if id < 0 || int(id) >= len(g.nodes) {
		return nil
	}
	return g.nodes[id]
}

func (g *Graph) add(in NodeID, kind Kind) *node {
	if len(g.byRank) > 64 && len(g.byRank) > 2*g.live {
		g.renumber()
	}
	n := &node{in: in, kind: kind, rank: uint32(len(g.byRank))}
	if f := len(g.free); f > 0 {
		n.id = g.free[f-1]
		g.free = g.free[:f-1]
		g.nodes[n.id] = n
	} else {
		n.id = NodeID(len(g.nodes))
		g.nodes = append(g.nodes, n)
	}
	g.byRank = append(g.byRank, n.id)
	g.dirty.grow(len(g.byRank))
	g.live++
	if in >= 0 {
		src := g.nodes[in]
		n.outPos = len(src.outs)
		src.outs = append(src.outs, n.id)
		// Only an output hands a window's delta on unchanged.
		if kind == KindOutput {
			n.winSrc = src.winSrc
		}
	}
	return n
}

// renumber closes the holes that dropped nodes left, keeping the order.
func (g *Graph) renumber() {
	kept := make([]NodeID, 0, g.live+g.live/2+1)
	var dirty dirtySet
	dirty.grow(g.live)
	for _, id := range g.byRank {
		if id < 0 {
			continue
		}
		n := g.nodes[id]
		was := n.rank
		n.rank = uint32(len(kept))
		kept = append(kept, id)
		if g.dirty.has(was) {
			dirty.set(n.rank)
		}
	}
	g.byRank, g.dirty = kept, dirty
}

// Drop removes a node and everything it feeds, releasing state and pins. Sinks
// of dropped outputs are not called.
func (g *Graph) Drop(id NodeID) error {
	if g.running {
		return ErrRunning
	}
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	if n.in >= 0 {
		g.detach(n)
	}
	stack := g.subtree(n)
	// Last created first, so that ids are reused in creation order.
	for i := len(stack) - 1; i >= 0; i-- {
		g.release(stack[i])
	}
	return nil
}

func (g *Graph) detach(n *node) {
	src := g.nodes[n.in]
	last := len(src.outs) - 1
	moved := src.outs[last]
	src.outs[n.outPos] = moved
	g.nodes[moved].outPos = n.outPos
	src.outs = src.outs[:last]
	if last == 0 {
		src.outs = nil
	}
}

// subtree lists a node and everything it feeds, sources first.
func (g *Graph) subtree(n *node) []*node {
	list := append(make([]*node, 0, 4), n)
	for i := 0; i < len(list); i++ {
		for _, id := range list[i].outs {
			list = append(list, g.nodes[id])
		}
	}
	return list
}

func (g *Graph) release(n *node) {
	if n.win != nil {
		n.win.release()
	}
	g.dirty.clear(n.rank)
	g.byRank[n.rank] = -1
	g.nodes[n.id] = nil
	g.free = append(g.free, n.id)
	g.live--
	if g.live == 0 {
		*g = Graph{last: g.last, total: g.total}
	}
}
