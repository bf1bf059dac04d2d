package d2

// The shards with more to read form a binary heap by frontier; one from which
// nothing has been read comes first.

// before orders shards by frontier, then by number.
func (m *merged) before(a, b uint32) bool {
	x, y := m.shards[a].hi, m.shards[b].hi
	if x == None || y == None {
		return x == None && (y != None || a < b)
	}
	c := m.order.Compare(x, y)
	return c < 0 || c == 0 && a < b
}

func (m *merged) rebuild() {
	m.heap = m.heap[:0]
	for i := range m.shards {
		if !m.shards[i].done {
			m.heap = append(m.heap, uint32(i))
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
}

// advanced restores the order after the first shard's frontier has advanced, or
// the shard has come to its end.
func (m *merged) advanced() {
	if m.shards[m.heap[0]].done {
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.sink(0)
}

func (m *merged) sink(i int) {
	h := m.heap
	for {
		least := 2*i + 1
		if least >= len(h) {
			return
		}
		if right := least + 1; right < len(h) && m.before(h[right], h[least]) {
			least = right
		}
		if !m.before(h[least], h[i]) {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// second returns the shard next to the first, or None.
func (m *merged) second() uint32 {
	switch {
	case len(m.heap) < 2:
		return None
	case len(m.heap) == 2 || m.before(m.heap[1], m.heap[2]):
		return m.heap[1]
	}
	return m.heap[2]
}
