package d2

// Short names for what most tests build.

func (g *Graph) addInput() (NodeID, error) { return g.Add(NewInput(nil)) }

func (g *Graph) addFilter(in NodeID, p Predicate) (NodeID, error) { return g.Add(NewFilter(p), in) }

func (g *Graph) addOutput(in NodeID, sink Sink, keys Keys) (NodeID, error) {
	return g.Add(NewOutput(OutputSpec{Sink: sink, Keys: keys}), in)
}

func (g *Graph) addWindow(in NodeID, spec WindowSpec) (NodeID, error) {
	w, err := NewWindow(spec)
	if err != nil {
		return -1, err
	}
	return g.Add(w, in)
}

// sum is what two batches of changes come to.
func (w *world) sum(batches ...[]Change) ([]Change, error) {
	var diffs []Diff
	for _, b := range batches {
		for _, c := range b {
			if c.Old != None {
				diffs = append(diffs, Diff{c.Old, -1})
			}
			if c.New != None {
				diffs = append(diffs, Diff{c.New, 1})
			}
		}
	}
	diffs, err := NewGraph().consolidate(diffs)
	if err != nil {
		return nil, err
	}
	return (&pairs{}).of(diffs, false, w)
}
