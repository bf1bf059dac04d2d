package d2

import (
	"fmt"
	"slices"
	"strings"
)

// shapeOf writes down everything that a refused build must leave alone.
func shapeOf(g *Graph) string {
	var s strings.Builder
	for id, n := range g.nodes {
		if n == nil {
			continue
		}
		fmt.Fprintf(&s, "%d %s rank %d/%d held %d", id, n.op.Name(), n.rank, n.local, n.owned)
		if n.comp != nil {
			fmt.Fprint(&s, " in a cycle of")
			for _, m := range n.comp.nodes {
				fmt.Fprintf(&s, " %d", m.id)
			}
		}
		for _, e := range n.ins {
			fmt.Fprintf(&s, " in %d:%d %d %v", e.from.id, e.port, e.pos, e.feedback)
		}
		for _, e := range n.outs {
			fmt.Fprintf(&s, " out %d:%d %d %v", e.to.id, e.port, e.back, e.feedback)
		}
		fmt.Fprintln(&s)
	}
	fmt.Fprint(&s, g.live, " by rank")
	for _, n := range g.byRank {
		if n == nil {
			fmt.Fprint(&s, " -")
		} else {
			fmt.Fprintf(&s, " %d", n.id)
		}
	}
	fmt.Fprintln(&s, " next", nextIDs(g))
	return s.String()
}

// nextIDs lists the ids that nodes to come will get.
func nextIDs(g *Graph) []int {
	ids := []int{}
	for i := len(g.free) - 1; i >= 0; i-- {
		ids = append(ids, int(g.free[i]))
	}
	for i := range 20 {
		ids = append(ids, len(g.nodes)+i)
	}
	return ids[:20]
}

// faultOf looks for something wrong with a graph's edges and numbers.
func faultOf(g *Graph) string {
	live := []*node{}
	for id, n := range g.nodes {
		if n == nil {
			continue
		}
		live = append(live, n)
		if int(n.id) != id || n.rank == noRank || g.byRank[n.rank] == nil {
			return fmt.Sprintf("node %d has id %d and rank %d", id, n.id, n.rank)
		}
		for i, e := range n.ins {
			if back := e.from.outs[e.pos]; g.node(e.from.id) != e.from || back.to != n || back.back != int32(i) ||
				back.port != e.port || back.feedback != e.feedback {
				return fmt.Sprintf("edge %d -> %d is known to one end only", e.from.id, id)
			}
		}
		for i, e := range n.outs {
			if back := e.to.ins[e.back]; g.node(e.to.id) != e.to || back.from != n || back.pos != int32(i) {
				return fmt.Sprintf("edge %d -> %d is known to one end only", id, e.to.id)
			}
			switch {
			case n.comp != nil && n.comp == e.to.comp:
				if n.rank != e.to.rank || !e.feedback && n.local >= e.to.local {
					return fmt.Sprintf("edge %d -> %d goes backwards in its cycle", id, e.to.id)
				}
			case n.rank >= e.to.rank || e.feedback:
				return fmt.Sprintf("edge %d -> %d from rank %d to %d", id, e.to.id, n.rank, e.to.rank)
			}
		}
		if c := n.comp; c == nil {
			if g.byRank[n.rank] != n {
				return fmt.Sprintf("node %d is not where its rank says", id)
			}
		} else if c.nodes[n.local] != n || g.byRank[n.rank] != c.nodes[0] || len(c.nodes) == 1 && !c.cyclic() {
			return fmt.Sprintf("node %d is not where its cycle says", id)
		}
	}
	if len(live) != g.live {
		return fmt.Sprintf("%d nodes, %d counted", len(live), g.live)
	}
	for _, a := range live {
		reach := reachable(a)
		for _, b := range live {
			together := slices.Contains(reach, b) && slices.Contains(reachable(b), a)
			if together != (a.comp != nil && a.comp == b.comp) {
				return fmt.Sprintf("nodes %d and %d are in one cycle: %v", a.id, b.id, together)
			}
		}
	}
	return ""
}

// reachable lists the nodes at the end of at least one edge.
func reachable(n *node) []*node {
	list := []*node{}
	for at := -1; at < len(list); at++ {
		from := n
		if at >= 0 {
			from = list[at]
		}
		for _, e := range from.outs {
			if !slices.Contains(list, e.to) {
				list = append(list, e.to)
			}
		}
	}
	return list
}
