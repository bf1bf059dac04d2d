package d2

// Deriver is an operator that keeps account of what it emits but can compute
// its output from its whole input without doing so.
type Deriver interface {
	Derive(v *Visit, out *Out) error
}

// Snapshot returns the present output of a node, consolidated. Operators
// without state are computed from what feeds them. Cost: that of the content.
func (g *Graph) Snapshot(id NodeID) ([]Diff, error) {
	if err := g.closed(); err != nil {
		return nil, err
	}
	n := g.node(id)
	switch {
	case n == nil:
		return nil, ErrNoNode
	case n.failed != nil:
		return nil, ErrFailed
	}
	s := snapshots{g: g}
	defer s.done()
	rows, err := s.of(n)
	return append([]Diff(nil), rows...), err
}

// snapshots are the outputs of nodes, each computed once.
type snapshots struct {
	g     *Graph
	nodes []*node // that carry a number in snap
	rows  [][]Diff
	stack []*node
}

// Of node.snap: 0 is unknown, snapBegun is being computed from what stands
// above, anything else is the place in rows plus 1.
const snapBegun = -1

// of returns the output of a node. An operator without state that can be cut
// into visits at will is additive, so its output is that of its whole input; in
// a cycle as well, where both are sums over all iterations, as long as there is
// state on every way around. The stack is explicit: graphs can be deep.
func (s *snapshots) of(n *node) ([]Diff, error) {
	s.stack = append(s.stack[:0], n)
	for len(s.stack) > 0 {
		m := s.stack[len(s.stack)-1]
		if m.snap > 0 {
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		if m.snap == 0 {
			m.snap = snapBegun
			s.nodes = append(s.nodes, m)
			if derive(m.op) != nil && len(m.ins) > 0 {
				for i := range m.ins {
					switch from := m.ins[i].from; from.snap {
					case 0:
						s.stack = append(s.stack, from)
					case snapBegun:
						return nil, &NodeError{Node: from.id, Op: from.op.Name(), Cause: ErrNoSnapshot}
					}
				}
				continue
			}
		}
		rows, err := s.compute(m)
		if err != nil {
			return nil, err
		}
		s.rows = append(s.rows, rows)
		m.snap = int32(len(s.rows))
	}
	return s.rows[n.snap-1], nil
}

// done takes the numbers off again.
func (s *snapshots) done() {
	for _, n := range s.nodes {
		n.snap = 0
	}
}

// derive returns the function that tells an operator's output from its input,
// nil if there is none or a better way.
func derive(op Operator) func(*Visit, *Out) error {
	switch op := op.(type) {
	case Snapshotter:
		return nil
	case Deriver:
		return op.Derive
	case Keeper:
		return nil
	}
	return op.Apply
}

// compute computes one snapshot, those it needs being there.
func (s *snapshots) compute(n *node) (rows []Diff, err error) {
	consolidated := s.g.last.Consolidated
	defer func() {
		s.g.last.Consolidated = consolidated
		if v := recover(); v != nil {
			err = asError(v)
		}
		if err != nil {
			rows, err = nil, &NodeError{Node: n.id, Op: n.op.Name(), Cause: err}
		}
	}()
	var out Out
	if op, ok := n.op.(Snapshotter); ok {
		err = op.Snapshot(&out)
	} else if apply := derive(n.op); apply != nil {
		var in [][]Diff
		if in, err = s.inputs(n); err == nil {
			err = apply(NewVisit(0, in...), &out)
		}
	} else {
		err = ErrNoSnapshot
	}
	if err != nil {
		return nil, err
	}
	return s.g.consolidate(out.diffs)
}

// inputs returns what the ports of a node have had, each consolidated.
func (s *snapshots) inputs(n *node) ([][]Diff, error) {
	in := make([][]Diff, len(n.ports))
	single := make([]bool, len(n.ports))
	for i := range n.ins {
		e := &n.ins[i]
		rows := s.rows[e.from.snap-1]
		if single[e.port] = in[e.port] == nil; single[e.port] {
			in[e.port] = rows[:len(rows):len(rows)]
		} else {
			in[e.port] = append(in[e.port], rows...)
		}
	}
	for i := range in {
		if single[i] {
			continue
		}
		var err error
		if in[i], err = s.g.consolidate(in[i]); err != nil {
			return nil, err
		}
	}
	return in, nil
}
