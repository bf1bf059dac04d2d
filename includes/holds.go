package includes

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// holds is what a compiled query has taken and must give back: columns and
// arrangements of roots, nodes of the graph.
type holds struct {
	engine *Engine
	leases []*collection.Lease
	roots  []*rootNode // by lease
	nodes  []d2.NodeID // each held once, those that feed others first
	fresh  []d2.NodeID // those of them that are new, and empty
	undo   []func()
	build  *d2.Builder // while a recursion is built, of which all nodes are built at once
}

// lease returns what is held of a root.
func (h *holds) lease(r *rootNode) *collection.Lease {
	for i, o := range h.roots {
		if o == r {
			return h.leases[i].During(h.engine.out)
		}
	}
	l := r.NewLease().During(h.engine.out)
	h.leases, h.roots = append(h.leases, l), append(h.roots, r)
	return l
}

// add builds in a node.
func (h *holds) add(op d2.Operator, ins ...d2.NodeID) (d2.NodeID, error) {
	if h.build != nil {
		id := h.build.Add(op, ins...)
		h.took(id)
		return id, nil
	}
	id, err := h.engine.graph.Add(op, ins...)
	if err == nil {
		h.took(id)
	}
	return id, err
}

// concat builds in a node that adds up others.
func (h *holds) concat(nodes []d2.NodeID) (sum d2.NodeID, err error) {
	err = h.together(func() error {
		sum, _ = h.add(d2.NewConcat())
		for _, n := range nodes {
			h.build.Connect(n, sum, 0)
		}
		return nil
	})
	return sum, err
}

// together builds in what build adds as one; what is built within that is part
// of it.
func (h *holds) together(build func() error) (err error) {
	if h.build != nil {
		return build()
	}
	from := len(h.nodes)
	built := h.engine.graph.Extend(func(b *d2.Builder) {
		h.build = b
		defer func() { h.build = nil }()
		err = build()
	})
	if built == nil {
		return err
	}
	// The graph has taken back what is new, not the holds on what it had.
	kept := h.nodes[:from]
	for _, n := range h.nodes[from:] {
		if h.engine.graph.Operator(n) != nil {
			kept = append(kept, n)
		}
	}
	h.nodes = kept
	if err == nil {
		err = built
	}
	return err
}

// took notes a node that was built in.
func (h *holds) took(id d2.NodeID) {
	h.nodes, h.fresh = append(h.nodes, id), append(h.fresh, id)
}

// standing is a node over a root that stands for its arrangement by a column, and
// how many queries read it.
type standing struct {
	node  d2.NodeID
	users int
}

// standing returns the node that stands for a root's own arrangement by a
// column, which all queries share.
func (h *holds) standing(r *rootNode, path []string) (d2.NodeID, error) {
	by, err := h.lease(r).Hash(path)
	if err != nil {
		return noNode, err
	}
	s := r.standing[by]
	if s == nil {
		id, err := h.add(d2.NewArranged(by.Indexed()), r.input)
		if err != nil {
			return noNode, err
		}
		s = &standing{node: id}
		if r.standing == nil {
			r.standing = map[*collection.Hashing]*standing{}
		}
		r.standing[by] = s
	} else {
		if err := h.engine.graph.Hold(s.node); err != nil {
			return noNode, err
		}
		h.nodes = append(h.nodes, s.node)
	}
	s.users++
	h.undo = append(h.undo, func() {
		if s.users--; s.users == 0 {
			delete(r.standing, by)
		}
	})
	return s.node, nil
}

// compile compiles conditions over a space.
func (h *holds) compile(where []*query.Expr, s space) (*query.Program, error) {
	return query.CompileSpace(where, &binder{h, s}, h.engine.texts())
}

// ordered compiles an expression whose values are ordered or kept.
func (h *holds) ordered(e *query.Expr, s space) (*query.Program, error) {
	return query.CompileSpaceOrdered(e, &binder{h, s}, h.engine.texts())
}

// binder is query.SpaceBinder of a space.
type binder struct {
	holds *holds
	space space
}

// Ref implements query.SpaceBinder.
func (b *binder) Ref(at uint32, path []string, text bool) (query.Source, error) {
	return b.holds.source(b.space.leaves()[at], path, text)
}

// Pull implements query.SpaceBinder. What callbacks say are leaves once a plan is
// compiled.
func (b *binder) Pull(*query.Expr, bool) (query.Source, error) {
	return query.Source{}, &query.Error{Code: query.CodeUnsupported, Path: "callback", Text: "a callback cannot be called here"}
}

// GiveBack implements collection.Held.
func (h *holds) GiveBack(out collection.Effects) {
	for i := len(h.undo) - 1; i >= 0; i-- {
		h.undo[i]()
	}
	for i := len(h.nodes) - 1; i >= 0; i-- {
		_ = h.engine.graph.Release(h.nodes[i])
	}
	for _, l := range h.leases {
		l.During(out).Release()
	}
	*h = holds{engine: h.engine}
	h.engine.sweep()
}
