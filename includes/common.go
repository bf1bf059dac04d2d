package includes

import (
	"strconv"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// Nodes that do the same over the same nodes are one: what a hundred mounted
// queries have in common is kept, and visited, once. Left out is what keeps nothing
// and serves one reader better: what is looked up or fetched, windows, and what
// asks callbacks.

// common is a node that queries have in common.
type common struct {
	node  d2.NodeID
	space space // of its rows, where it makes rows
	users int
	close []func() // once nobody uses it
}

// mark identifies what a node does.
type mark []byte

func markOf(kind string, ins ...d2.NodeID) mark {
	m := append(mark{}, kind...)
	for _, n := range ins {
		m = append(strconv.AppendInt(m, int64(n), 36), ' ')
	}
	return m
}

// with adds expressions over what comes in; nil stays nil, and comes of callbacks.
func (m mark) with(list ...*query.Expr) mark {
	for _, e := range list {
		if m == nil || e.Pulls() {
			return nil
		}
		id := e.ID()
		m = append(append(strconv.AppendInt(m, int64(len(id)), 36), ' '), id...)
	}
	return m
}

func (m mark) named(name string) mark {
	if m == nil {
		return nil
	}
	return append(append(m, name...), ' ')
}

// same returns the node that does what m says, held once more, or nil.
func (h *holds) same(m mark) *common {
	if m == nil {
		return nil
	}
	x := h.engine.commons[string(m)]
	if x == nil || h.engine.graph.Failed(x.node) != nil || h.engine.graph.Hold(x.node) != nil {
		return nil
	}
	h.nodes = append(h.nodes, x.node)
	h.uses(m, x)
	return x
}

// offers lets other queries use a node that was built in.
func (h *holds) offers(m mark, node d2.NodeID, s space) *common {
	x := &common{node: node, space: s}
	if m != nil {
		h.engine.commons[string(m)] = x
	}
	h.uses(m, x)
	return x
}

func (h *holds) uses(m mark, x *common) {
	x.users++
	h.undo = append(h.undo, func() {
		if x.users--; x.users > 0 {
			return
		}
		if m != nil && h.engine.commons[string(m)] == x {
			delete(h.engine.commons, string(m))
		}
		for _, f := range x.close {
			f()
		}
	})
}

// addSame adds a node unless there is one that does what m says.
func (h *holds) addSame(m mark, op d2.Operator, ins ...d2.NodeID) (d2.NodeID, error) {
	if x := h.same(m); x != nil {
		return x.node, nil
	}
	id, err := h.add(op, ins...)
	if err == nil {
		h.offers(m, id, nil)
	}
	return id, err
}
