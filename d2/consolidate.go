package d2

// Buffers above this size are given back after the run that needed them.
const (
	keepDiffs   = 1 << 12
	keepChanges = 1 << 12
	keepSlots   = 1 << 13
)

// scratch holds the buffers visits share; nothing in it outlives a visit.
type scratch struct {
	ports  [][]Diff // consolidated batches, by port
	sorted []Diff
	pushed []Diff
	in     []Operator
	slots  []uint32
	keep   []uint32
}

// gather fills a visit with the consolidated batches of a node's ports and
// returns their total size.
func (g *Graph) gather(n *node, v *Visit) (size int, err error) {
	if len(v.ports) < len(n.ports) {
		g.widen(len(n.ports))
	}
	for i := range n.ports {
		p := &n.ports[i]
		a := &v.ports[i]
		if len(p.from) == 1 && p.pushes == 0 {
			src := &p.from[0].out
			p.from = p.from[:0]
			a.cut = None
			if src.cut {
				a.cut = src.cutAt
			}
			if src.tidy || len(src.diffs) == 1 {
				a.batch, a.keyed, a.lasting = src.diffs, src.keyed, true
				size += len(src.diffs)
				continue
			}
			g.scratch.ports[i] = append(g.scratch.ports[i][:0], src.diffs...)
		} else if len(p.from) == 0 && p.pushes == 1 && (p.keyed || len(p.staged) == 1 && p.staged[0].Weight != 0) {
			// Results are valid until the next run, so pushes go to another buffer.
			p.staged, p.read = p.read[:0], p.staged
			a.batch, a.cut, a.keyed, a.lasting = p.read, None, p.keyed, true
			size += len(p.read)
			p.pushes, p.keyed = 0, false
			if cap(p.read) > keepDiffs {
				p.read = nil
			}
			continue
		} else if len(p.from)+p.pushes == 0 {
			*a = arrival{cut: None, keyed: true}
			continue
		} else if g.collectPort(p, i) {
			*a = arrival{batch: g.scratch.ports[i], cut: None, keyed: true}
			size += len(a.batch)
			continue
		} else {
			a.cut = None
		}
		buf, e := g.consolidate(g.scratch.ports[i])
		if e != nil && err == nil {
			err = e
		}
		a.batch, a.keyed, a.lasting = buf, false, false
		size += len(buf)
	}
	v.again = v.again[:0]
	return size, err
}

// collectPort brings everything that waits at a port into one buffer. It tells
// whether that is one push of replacements, which needs no sorting.
func (g *Graph) collectPort(p *port, i int) (keyed bool) {
	buf := g.scratch.ports[i][:0]
	for _, m := range p.from {
		buf = append(buf, m.out.diffs...)
	}
	g.scratch.ports[i] = append(buf, p.staged...)
	keyed = p.keyed && p.pushes == 1 && len(p.from) == 0
	p.reset()
	return keyed
}

// widen makes room for the batches of so many ports.
func (g *Graph) widen(ports int) {
	for len(g.visit.ports) < ports {
		g.visit.ports = append(g.visit.ports, arrival{})
		g.scratch.ports = append(g.scratch.ports, nil)
	}
}

// consolidate sorts a batch by row in place, adds up the weights of each row
// and drops what comes to 0. It reports [ErrWeight].
func (g *Graph) consolidate(batch []Diff) ([]Diff, error) {
	if len(batch) == 1 && batch[0].Weight != 0 {
		return batch, nil
	}
	if len(batch) > 1 {
		g.last.Consolidated += len(batch)
		if len(batch) <= 32 {
			insertionSort(batch)
		} else {
			g.scratch.sorted = sortDiffs(batch, g.scratch.sorted)
		}
	}
	kept := batch[:0]
	for i := 0; i < len(batch); {
		row, sum := batch[i].Row, int64(batch[i].Weight)
		for i++; i < len(batch) && batch[i].Row == row; i++ {
			sum += int64(batch[i].Weight)
		}
		if sum == 0 {
			continue
		}
		if int64(int32(sum)) != sum {
			return kept, ErrWeight
		}
		kept = append(kept, Diff{row, int32(sum)})
	}
	return kept, nil
}

func insertionSort(batch []Diff) {
	for i := 1; i < len(batch); i++ {
		d := batch[i]
		j := i
		for ; j > 0 && batch[j-1].Row > d.Row; j-- {
			batch[j] = batch[j-1]
		}
		batch[j] = d
	}
}

// sortDiffs sorts by row, least significant byte first, skipping bytes that all
// rows share. It returns the buffer it used.
func sortDiffs(batch, spare []Diff) []Diff {
	if cap(spare) < len(batch) {
		spare = make([]Diff, len(batch))
	}
	spare = spare[:len(batch)]
	from, to := batch, spare
	sorted := true
	differ := uint32(0)
	for i := 1; i < len(batch); i++ {
		differ |= batch[i].Row ^ batch[0].Row
		sorted = sorted && batch[i-1].Row <= batch[i].Row
	}
	if sorted {
		return spare
	}
	for shift := 0; shift < 32; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var at [257]uint32
		for i := range from {
			at[from[i].Row>>shift&0xff+1]++
		}
		for b := 1; b < 256; b++ {
			at[b] += at[b-1]
		}
		for _, d := range from {
			b := d.Row >> shift & 0xff
			to[at[b]] = d
			at[b]++
		}
		from, to = to, from
	}
	if &from[0] != &batch[0] {
		copy(batch, from)
	}
	return spare
}

func (s *scratch) trim() {
	for i := range s.ports {
		if cap(s.ports[i]) > keepDiffs {
			s.ports[i] = nil
		}
	}
	if cap(s.sorted) > keepDiffs {
		s.sorted = nil
	}
	if cap(s.pushed) > keepDiffs {
		s.pushed = nil
	}
	if cap(s.slots) > keepSlots {
		s.slots = nil
	}
	if cap(s.keep) > keepSlots {
		s.keep = nil
	}
}

func (s *scratch) bytes() int {
	n := 8*(cap(s.sorted)+cap(s.pushed)) + 4*(cap(s.slots)+cap(s.keep))
	for _, p := range s.ports {
		n += 8 * cap(p)
	}
	return n
}
