package d2

// work counts what a node has done since it was built.
type work struct{ visits, changes, scanned, refills int }

// NodeInfo is a node as [Graph.Explain] tells of it. The counts are those since
// the node was built, in a cycle of all iterations; what is read by a fetch
// counts for the node that asked.
type NodeInfo struct {
	ID     NodeID
	Name   string // of the operator
	Inputs []Feed
	Cyclic bool  // part of a cycle
	Failed error // nil, or why it is not to be trusted

	Retained int // rows held
	Bytes    int // memory held, that of tables shared with other nodes not included
	Visits   int // times it was visited
	Changes  int // differences it took in
	Scanned  int // rows looked at in arrangements and below
	Refills  int // reads of a window that ran short
}

// Feed is an edge into a node.
type Feed struct {
	Port     int
	From     NodeID
	Feedback bool
}

// Explain tells of a node and everything that feeds it, what feeds first. With a
// cycle comes all of it. Cost: one look at each.
func (g *Graph) Explain(id NodeID) []NodeInfo {
	start := g.node(id)
	if start == nil {
		return nil
	}
	g.epoch++
	start.mark = g.epoch
	list := []*node{start}
	for i := 0; i < len(list); i++ {
		for _, in := range list[i].ins {
			if in.from.mark != g.epoch {
				in.from.mark = g.epoch
				list = append(list, in.from)
			}
		}
	}
	// By rank, in a cycle by place: an insertion sort, for plans are short.
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && before(list[j], list[j-1]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	infos := make([]NodeInfo, len(list))
	for i, n := range list {
		infos[i] = n.info()
	}
	return infos
}

func before(a, b *node) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.local < b.local
}

func (n *node) info() NodeInfo {
	i := NodeInfo{
		ID: n.id, Name: n.op.Name(), Cyclic: n.comp != nil, Failed: n.failed, Inputs: make([]Feed, len(n.ins)),
		Visits: n.work.visits, Changes: n.work.changes, Scanned: n.work.scanned, Refills: n.work.refills,
	}
	for at, in := range n.ins {
		i.Inputs[at] = Feed{int(in.port), in.from.id, in.feedback}
	}
	if k, ok := n.op.(holder); ok {
		i.Retained, i.Bytes = k.Retained(), k.Bytes()
	}
	return i
}
