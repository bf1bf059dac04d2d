package d2

// Hydrate fills a window without emitting anything and returns its rows in
// order: the first contents of a query, which the caller installs and passes
// on to what the window feeds. rows are the rows of the input in any order;
// with nil they are fetched from the window's source. Earlier state is
// replaced. After an error the node and everything it feeds count as failed;
// sinks are not called. What it reads counts in [Graph.Totals]. Cost: one fetch of the prefix, or a bulk load.
func (g *Graph) Hydrate(id NodeID, rows []uint32) (members []uint32, err error) {
	n, err := g.window(id)
	if err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			members, err = nil, asError(v)
			g.fail(n, len(rows), err)
			g.flush = g.flush[:0]
			for _, m := range g.subtree(n) {
				m.announce = false
			}
			err = n.failed
		}
	}()
	var work RunStats
	members = n.win.hydrate(rows, &work)
	g.total.add(work)
	return members, nil
}

// Rows appends the rows of a window to dst, in order.
func (g *Graph) Rows(id NodeID, dst []uint32) ([]uint32, error) {
	n, err := g.window(id)
	if err != nil {
		return dst, err
	}
	return n.win.rows(dst), nil
}

// Bounds returns a window's offset and limit, those last set included.
func (g *Graph) Bounds(id NodeID) (offset, limit uint32, err error) {
	n, err := g.window(id)
	if err != nil {
		return 0, 0, err
	}
	return n.win.offset, n.win.limit, nil
}

// Retained returns the number of rows a node holds; 0 for all but windows.
func (g *Graph) Retained(id NodeID) int {
	if n := g.node(id); n != nil && n.win != nil {
		return n.win.held.Len()
	}
	return 0
}

// Counters measures what the graph holds. Cost: one look at every node.
func (g *Graph) Counters() Counters {
	c := Counters{Bytes: g.dirty.bytes() + g.scratch.bytes() + 4*cap(g.byRank)}
	for _, n := range g.nodes {
		if n == nil {
			continue
		}
		c.Nodes++
		if n.failed != nil {
			c.Failed++
		}
		c.Bytes += 12 * (cap(n.out) + cap(n.pushed))
		if n.win != nil {
			c.Retained += n.win.held.Len()
			c.Bytes += n.win.bytes()
			if n.win.hasHi {
				c.Pinned++
			}
		}
	}
	return c
}
