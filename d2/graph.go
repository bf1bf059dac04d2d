package d2

// NodeID names a node. Ids are dense; the id of a dropped node is given to a
// later one, last dropped first.
type NodeID int32

// node is an operator in its place.
type node struct {
	op    Operator
	id    NodeID
	rank  uint32
	comp  *component // nil outside cycles
	local int32      // place within comp
	ports []port
	ins   []inEdge
	outs  []edge

	onePort [1]port // the memory of ports and ins where there is one
	oneIn   [1]inEdge

	out     Out // result of the last visit, read by those it feeds
	touched bool
	queued  bool // in comp.entered
	active  bool // in comp.active
	asleep  bool // about to be hydrated: runs pass it by
	snap    int32
	owned   int  // holds of the graph's user, see Graph.Release
	fixed   bool // an input: what reaches it is not counted as a visit
	sink    *Output

	work work // since it was built

	failed   error
	announce bool // an output that owes its sink a Fail

	pend  []pending // by iteration, inside cycles
	total []Diff    // what left the cycle in this run

	// of the numbering
	mark, low int32
	onStack   bool
}

// port collects what a visit will find.
type port struct {
	from   []*node // sources that emitted in this run and have not been read
	staged []Diff  // pushed
	read   []Diff  // what was pushed for the last run
	pushes int
	keyed  bool // staged came as replacements
}

type edge struct {
	to       *node
	port     int32
	back     int32 // index of this edge in to.ins
	feedback bool
}

type inEdge struct {
	from     *node
	port     int32
	pos      int32 // index of this edge in from.outs
	feedback bool
}

// Graph is a dataflow graph and its scheduler. It is not safe for concurrent
// use. The zero value is not usable; see [NewGraph].
type Graph struct {
	// MaxIterations bounds the iterations of one cycle in one run; a cycle that
	// goes on fails with [ErrIterationLimit].
	MaxIterations int32

	nodes  []*node
	free   []NodeID
	byRank []*node // nil where a node was dropped; of a cycle its first node
	live   int
	dirty  dirtySet

	running  bool
	building bool
	resume   bool // another run follows at once that needs the rows this one would sweep
	poisoned error
	busy     bool // an operator or a sink is at work, that of visit.node
	size     int  // changes of the visit
	visit    Visit
	flush    []*node // outputs to call at the end of the run
	told     int     // of these
	large    []*node // nodes whose last result is to be released at the next run
	swept    []Sweeper
	staged   []push // made during the run
	waiting  bool   // something is staged in the nodes
	last     RunStats
	total    RunStats
	scratch  scratch
	adder    Builder
	selects  pool[selectFrame]
	epoch    int32
}

// push is a batch that came in during a run.
type push struct {
	to    NodeID
	port  int
	keyed bool
	batch []Diff
}

// NewGraph returns an empty graph.
func NewGraph() *Graph { return &Graph{MaxIterations: 100_000} }

func (g *Graph) node(id NodeID) *node {
	if id < 0 || int(id) >= len(g.nodes) {
		return nil
	}
	return g.nodes[id]
}

// closed tells why the graph cannot be changed now.
func (g *Graph) closed() error {
	switch {
	case g.running:
		return ErrRunning
	case g.building:
		return ErrBuilding
	}
	return g.poisoned
}

// Operator returns the operator of a node, or nil.
func (g *Graph) Operator(id NodeID) Operator {
	if n := g.node(id); n != nil {
		return n.op
	}
	return nil
}

// Feeds tells whether any node takes in what node id puts out.
func (g *Graph) Feeds(id NodeID) bool {
	n := g.node(id)
	return n != nil && len(n.outs) > 0
}

// Rank returns a node's place in the order of visits; the nodes of one cycle
// share theirs. Extending the graph does not change it.
func (g *Graph) Rank(id NodeID) int {
	if n := g.node(id); n != nil {
		return int(n.rank)
	}
	return -1
}

// Add builds in one operator over the nodes ins, one per port in order, and
// returns its node, held once (see [Graph.Release]). Cost: O(len(ins)).
func (g *Graph) Add(op Operator, ins ...NodeID) (NodeID, error) {
	if err := g.closed(); err != nil {
		return -1, err
	}
	g.compact()
	// Queries are mounted node by node: the lists of the last such build serve again.
	b := &g.adder
	*b = Builder{g: g, added: b.added[:0], edges: b.edges[:0]}
	defer b.end()
	id := b.Add(op, ins...)
	if err := b.finish(); err != nil {
		return -1, err
	}
	return id, nil
}

// Drop removes a node and everything it feeds, releasing their state. Sinks of
// dropped outputs are not called. Nodes that nobody holds and that fed nothing
// else go with it. Cost: O(edges removed).
func (g *Graph) Drop(id NodeID) error {
	if err := g.closed(); err != nil {
		return err
	}
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	g.remove(g.downstream([]*node{n}))
	return nil
}

// Hold keeps a node alive until one more [Graph.Release]: whoever shares an
// arrangement holds it.
func (g *Graph) Hold(id NodeID) error {
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	n.owned++
	return nil
}

// Release gives up one hold of a node; every node is held once by whoever added
// it. A node that nobody holds and that feeds nothing is removed, and what fed
// only it likewise.
func (g *Graph) Release(id NodeID) error {
	if err := g.closed(); err != nil {
		return err
	}
	n := g.node(id)
	if n == nil {
		return ErrNoNode
	}
	if n.owned > 0 {
		n.owned--
	}
	g.collect([]*node{n})
	return nil
}

// collect removes those of the nodes that nothing needs, and upwards. A cycle
// is needed as long as one of its nodes is held or feeds something outside.
func (g *Graph) collect(list []*node) {
	for len(list) > 0 {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		if g.node(n.id) != n || n.needed() { // gone meanwhile, perhaps with everything
			continue
		}
		unit := []*node{n}
		if n.comp != nil {
			unit = append([]*node(nil), n.comp.nodes...)
		}
		for _, m := range unit {
			for _, in := range m.ins {
				if n.comp == nil || in.from.comp != n.comp {
					list = append(list, in.from)
				}
			}
		}
		g.removeAll(unit)
	}
}

func (n *node) needed() bool {
	if n.comp == nil {
		return n.owned > 0 || len(n.outs) > 0
	}
	for _, m := range n.comp.nodes {
		if m.owned > 0 {
			return true
		}
		for _, e := range m.outs {
			if e.to.comp != n.comp {
				return true
			}
		}
	}
	return false
}

// remove removes nodes that feed nothing outside the list, then what they alone
// were fed by.
func (g *Graph) remove(list []*node) {
	var ups []*node
	for _, n := range list {
		for _, in := range n.ins {
			if in.from.mark != g.epoch {
				ups = append(ups, in.from)
			}
		}
	}
	g.removeAll(list)
	g.collect(ups)
}

func (g *Graph) removeAll(list []*node) {
	for _, n := range list {
		for i := range n.ins {
			g.detach(n.ins[i])
		}
		n.ins = nil
	}
	// Last created first, so that ids are reused in creation order.
	for i := len(list) - 1; i >= 0; i-- {
		g.erase(list[i])
	}
	sweepTables(list)
	if len(g.large) > 0 {
		kept := g.large[:0]
		for _, n := range g.large {
			if g.node(n.id) == n {
				kept = append(kept, n)
			}
		}
		clear(g.large[len(kept):])
		g.large = kept
	}
}

// detach takes one edge out of its source's list.
func (g *Graph) detach(in inEdge) {
	src := in.from
	last := len(src.outs) - 1
	moved := src.outs[last]
	src.outs[in.pos] = moved
	moved.to.ins[moved.back].pos = in.pos
	src.outs = src.outs[:last]
	if last == 0 {
		src.outs = nil
	}
}

func (g *Graph) erase(n *node) {
	if k, ok := n.op.(Keeper); ok {
		k.Clear()
	}
	if n.sink != nil {
		n.sink.release()
	}
	if n.rank != noRank && g.byRank[n.rank] == n {
		g.dirty.clear(n.rank)
		g.byRank[n.rank] = nil
	}
	g.nodes[n.id] = nil
	g.free = append(g.free, n.id)
	g.live--
	g.sweep()
	if g.live == 0 {
		*g = Graph{MaxIterations: g.MaxIterations, last: g.last, total: g.total}
	}
}

// downstream lists nodes and everything they feed, marked with g.epoch; of a
// cycle every node feeds every other.
func (g *Graph) downstream(from []*node) []*node {
	g.epoch++
	list := make([]*node, 0, 8)
	visit := func(n *node) {
		if n.mark != g.epoch {
			n.mark = g.epoch
			list = append(list, n)
		}
	}
	for _, n := range from {
		visit(n)
	}
	for i := 0; i < len(list); i++ {
		for _, e := range list[i].outs {
			visit(e.to)
		}
	}
	return list
}
