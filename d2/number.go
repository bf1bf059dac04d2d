package d2

const noRank = ^uint32(0)

// component is a strongly connected set of nodes: a cycle. Its nodes share a
// rank and are visited in the order of iterations.
type component struct {
	nodes   []*node // by local order
	entered []*node // that have something from outside
	active  []*node // that were visited in this run
	heap    []uint64
	run     func(*Graph, *component) // see numberByComponents
}

// numbering is how nodes were numbered before a build.
type numbering struct {
	kept   bool
	byRank []*node
	nodes  []*node // whose places have changed since
	places []place
}

type place struct {
	rank  uint32
	local int32
	comp  *component
}

func (o *numbering) keep(g *Graph, nodes []*node) {
	o.kept, o.byRank, o.nodes = true, g.byRank, nodes
	o.places = make([]place, len(nodes))
	for i, n := range nodes {
		o.places[i] = place{n.rank, n.local, n.comp}
	}
}

func (o *numbering) restore(g *Graph) {
	if !o.kept {
		return
	}
	g.byRank = o.byRank
	for i, n := range o.nodes {
		n.rank, n.local, n.comp = o.places[i].rank, o.places[i].local, o.places[i].comp
	}
}

// number gives ranks to new nodes, behind all others, in the order they were
// added; where that is not an order of visits, b.anew finds one.
func (g *Graph) number(b *Builder) error {
	if b.back && g.waiting {
		// Ranks would change, and with them what the dirty set means.
		return ErrStaged
	}
	if b.back || b.mixed {
		return b.anew(g, b)
	}
	b.before.keep(g, nil)
	for _, n := range b.added {
		n.rank, n.local = uint32(len(g.byRank)), 0
		g.byRank = append(g.byRank, n)
	}
	g.dirty.grow(len(g.byRank))
	return nil
}

// compact closes the holes that dropped nodes have left once most ranks are
// holes, keeping the order.
func (g *Graph) compact() {
	if g.waiting || len(g.byRank) <= 64 || len(g.byRank) <= 2*g.live {
		return
	}
	kept := make([]*node, 0, g.live)
	for _, n := range g.byRank {
		if n == nil {
			continue
		}
		n.rank = uint32(len(kept))
		if n.comp != nil {
			for _, m := range n.comp.nodes {
				m.rank = n.rank
			}
		}
		kept = append(kept, n)
	}
	g.byRank, g.dirty = kept, dirtySet{}
	g.dirty.grow(len(kept))
}

// numberByComponents numbers new nodes, or all if an edge leads back into an
// old one. Components are found by Tarjan's algorithm (SIAM J. Comput. 1, 1972)
// with an explicit stack, since graphs can be thousands deep.
//
// It and the running of cycles are reached through [Graph.Extend] alone, so that
// a program that only ever adds nodes does not link them.
func (g *Graph) numberByComponents(b *Builder) error {
	list := b.added
	if b.back {
		list = make([]*node, 0, g.live)
		for _, n := range g.nodes {
			if n != nil {
				list = append(list, n)
			}
		}
	} else {
		// The walk meets the edges of new nodes; of the others nothing closes a cycle.
		for _, e := range b.edges {
			if e.feedback && e.from.rank != noRank {
				return &NodeError{Node: e.from.id, Op: e.from.op.Name(), Cause: ErrFeedbackOutsideCycle}
			}
		}
	}
	b.before.keep(g, list)
	comps, err := g.components(list)
	if err != nil {
		return err
	}
	if b.back {
		// The ranks of before stay what they are until the build is done.
		g.byRank = make([]*node, 0, len(comps))
	}
	for i := len(comps) - 1; i >= 0; i-- {
		c := comps[i]
		rank := uint32(len(g.byRank))
		cyclic := c.cyclic()
		for _, n := range c.nodes {
			n.rank, n.comp = rank, nil
			if cyclic {
				n.comp, c.run = c, (*Graph).cycle
			}
		}
		g.byRank = append(g.byRank, c.nodes[0])
	}
	g.dirty.grow(len(g.byRank))
	return nil
}

// components returns the components of the graph restricted to list, targets
// before sources, each in local order.
func (g *Graph) components(list []*node) ([]*component, error) {
	type frame struct {
		n    *node
		next int
	}
	for _, n := range list {
		n.mark, n.onStack = -1, false
	}
	defer func() {
		for _, n := range list {
			n.mark = 0
		}
	}()
	inside := func(n *node) bool { return n.mark < 0 || n.onStack }
	var (
		comps   []*component
		stack   []*node
		calls   []frame
		counter int32
	)
	// A mark of -1 is a node of list not reached yet; nodes outside of it have
	// marks of earlier walks, which are not negative.
	for _, root := range list {
		if root.mark != -1 {
			continue
		}
		calls = append(calls[:0], frame{n: root})
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			n := f.n
			if f.next == 0 && n.mark == -1 {
				n.mark, n.low, n.onStack = counter, counter, true
				counter++
				stack = append(stack, n)
			}
			if f.next < len(n.outs) {
				to := n.outs[f.next].to
				f.next++
				switch {
				case !inside(to):
				case to.mark == -1:
					calls = append(calls, frame{n: to})
				default:
					n.low = min(n.low, to.mark)
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].n
				up.low = min(up.low, n.low)
			}
			if n.low != n.mark {
				continue
			}
			c := &component{}
			for {
				m := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				m.onStack = false
				c.nodes = append(c.nodes, m)
				if m == n {
					break
				}
			}
			comps = append(comps, c)
		}
	}
	// From here on the mark of a node is the number of its component.
	for i, c := range comps {
		for _, n := range c.nodes {
			n.mark = int32(i)
		}
	}
	for i, c := range comps {
		if len(c.nodes) == 1 && !c.cyclic() {
			// Not worth a sort; a feedback edge has no place here.
			if err := c.stray(int32(i)); err != nil {
				return nil, err
			}
			c.nodes[0].local = 0
			continue
		}
		if err := c.order(int32(i)); err != nil {
			return nil, err
		}
	}
	return comps, nil
}

// stray reports a feedback edge that leads out of the component numbered me.
func (c *component) stray(me int32) error {
	for _, n := range c.nodes {
		for i := range n.outs {
			e := &n.outs[i]
			if e.feedback && e.to.mark != me {
				return &NodeError{Node: n.id, Op: n.op.Name(), Cause: ErrFeedbackOutsideCycle}
			}
		}
	}
	return nil
}

// cyclic tells whether the component is a cycle: more than one node or an edge
// to itself.
func (c *component) cyclic() bool {
	if len(c.nodes) > 1 {
		return true
	}
	for _, e := range c.nodes[0].outs {
		if e.to == c.nodes[0] {
			return true
		}
	}
	return false
}

// order sorts the nodes topologically without the feedback edges, smallest id
// first (Kahn), and checks that feedback edges are where they belong. me is the
// component's number, which its nodes are marked with.
func (c *component) order(me int32) error {
	if err := c.stray(me); err != nil {
		return err
	}
	// low counts the edges a node waits for.
	for _, n := range c.nodes {
		n.low = 0
	}
	for _, n := range c.nodes {
		for i := range n.outs {
			if e := &n.outs[i]; !e.feedback && e.to.mark == me {
				e.to.low++
			}
		}
	}
	var ready minHeap
	for i, n := range c.nodes {
		if n.low == 0 {
			ready.push(uint64(n.id)<<32 | uint64(i))
		}
	}
	// local is a node's index until it gets its place.
	for i, n := range c.nodes {
		n.local = int32(i)
	}
	ordered := make([]*node, 0, len(c.nodes))
	for len(ready) > 0 {
		n := c.nodes[uint32(ready.pop())]
		ordered = append(ordered, n)
		for i := range n.outs {
			e := &n.outs[i]
			if e.feedback || e.to.mark != me {
				continue
			}
			if e.to.low--; e.to.low == 0 {
				ready.push(uint64(e.to.id)<<32 | uint64(e.to.local))
			}
		}
	}
	for _, n := range c.nodes {
		if n.low > 0 {
			return &NodeError{Node: n.id, Op: n.op.Name(), Cause: ErrCycleWithoutFeedback}
		}
	}
	for i, n := range ordered {
		n.local = int32(i)
	}
	c.nodes = ordered
	return nil
}

// minHeap is a binary heap of numbers, smallest first.
type minHeap []uint64

func (h *minHeap) push(x uint64) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] <= s[i] {
			break
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
	*h = s
}

func (h *minHeap) pop() uint64 {
	s := *h
	top := s[0]
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		small := 2*i + 1
		if small >= last {
			break
		}
		if small+1 < last && s[small+1] < s[small] {
			small++
		}
		if s[i] <= s[small] {
			break
		}
		s[i], s[small] = s[small], s[i]
		i = small
	}
	*h = s
	return top
}
