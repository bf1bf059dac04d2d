package d2

// RunStats counts the work of one run. The numbers depend on the graph and the
// changes alone, so tests may assert them exactly.
type RunStats struct {
	Visits       int // operators that took part, in a cycle once per iteration; inputs are not counted
	Changes      int // differences those operators took in
	Consolidated int // differences that had to be sorted for that
	MaxIteration int // last iteration a cycle was visited in
	Refills      int // fetches by windows that ran short
	Refetches    int // windows that were read again instead of stepped
	RowsFetched  int // rows returned by sources
	RowsScanned  int // rows sources looked at
	Failed       []NodeID
}

// Counters describes what a graph holds. All are zero once everything has been
// dropped, Bytes apart from small change.
type Counters struct {
	Nodes    int // live nodes
	Failed   int // of these, not to be trusted
	Retained int // rows held by operators
	Pinned   int // frontiers pinned by windows
	Bytes    int // memory of operators, buffers and the scheduler
}

// reset starts the counts of another run, keeping the memory of the list.
func (s *RunStats) reset() { *s = RunStats{Failed: s.Failed[:0]} }

func (s *RunStats) add(o *RunStats) {
	s.Visits += o.Visits
	s.Changes += o.Changes
	s.Consolidated += o.Consolidated
	s.MaxIteration = max(s.MaxIteration, o.MaxIteration)
	s.Refills += o.Refills
	s.Refetches += o.Refetches
	s.RowsFetched += o.RowsFetched
	s.RowsScanned += o.RowsScanned
}

// Counters measures what the graph holds. Cost: one look at every node.
func (g *Graph) Counters() Counters {
	c := Counters{Bytes: g.dirty.bytes() + g.scratch.bytes() + 8*cap(g.byRank)}
	for _, n := range g.nodes {
		if n == nil {
			continue
		}
		c.Nodes++
		if n.failed != nil {
			c.Failed++
		}
		c.Bytes += 8*cap(n.total) + 12*cap(n.out.later)
		if n.out.foreign {
			c.Bytes += 8 * cap(n.out.own)
		} else {
			c.Bytes += 8 * cap(n.out.diffs)
		}
		for i := range n.ports {
			c.Bytes += 8*(cap(n.ports[i].staged)+cap(n.ports[i].read)) + 8*cap(n.ports[i].from)
		}
		for _, p := range n.pend[:cap(n.pend)] {
			for _, batch := range p.ports {
				c.Bytes += 8 * cap(batch)
			}
		}
		if k, ok := n.op.(holder); ok {
			c.Retained += k.Retained()
			c.Bytes += k.Bytes()
		}
		if p, ok := n.op.(interface{ pinned() int }); ok {
			c.Pinned += p.pinned()
		}
	}
	return c
}

// Retained returns the number of rows a node holds.
func (g *Graph) Retained(id NodeID) int {
	if n := g.node(id); n != nil {
		if k, ok := n.op.(holder); ok {
			return k.Retained()
		}
	}
	return 0
}

// holder is an operator with something to count: a [Keeper], or an output that
// keeps what it has told.
type holder interface {
	Retained() int
	Bytes() int
}
