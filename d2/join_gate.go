package d2

// gate keeps the rows of one side, the gated one, whose key is present on the
// other side, or with absent set those whose key is not. A key is present while
// the weights it has on the other side sum to more than 0. With P the function
// from keys to 1 or 0 that says which rows pass,
//
//	δ(rows · P) = rows' · (P' - P) + δrows · P
//
// so only the rows of keys for which P changes are looked up. P before the
// batch is known from P after it and the sum of the batch at the key.
//
// In cycles P is a function of the iteration as well: the difference of a row
// at i passes at i if P holds there, and once more, with a sign, at each later
// iteration where P changes. Both products then are emitted for all iterations
// from that of the visit on; those of later visits correct them.
type gate struct {
	rows, other Arrangement
	absent      bool
	cyclic      bool
	keys        keySums
	levels      *levels // in cycles: the weights of other's keys by iteration
	steps       []step
	to          gated
}

// gated takes the rows that pass a gate, or cease to.
type gated interface {
	pass(iter int32, row uint32, weight int32)
}

func (g *gate) bind(rows, other Arrangement, absent, cyclic bool, to gated) {
	*g = gate{rows: rows, other: other, absent: absent, cyclic: cyclic, to: to}
	if cyclic {
		g.levels = newLevels()
	}
}

// open is P for a weight of the key on the other side: 1 if rows pass.
func (g *gate) open(weight int) int32 {
	if (weight > 0) != g.absent {
		return 1
	}
	return 0
}

func (g *gate) apply(iter int32, rows, other []Diff) {
	g.keys.prepare(len(other))
	for _, d := range other {
		if class, bits, ok := g.other.Key(d.Row); ok {
			g.keys.add(class, bits, d.Weight)
			if g.cyclic {
				g.levels.add(class, bits, iter, d.Weight)
			}
		}
	}
	if g.cyclic {
		g.applyTimed(iter, rows)
		g.levels.sweep()
	} else {
		g.applyFlat(rows)
	}
	g.keys.trim()
}

func (g *gate) applyFlat(rows []Diff) {
	for i, sum := range g.keys.sum {
		class, bits := g.keys.class[i], g.keys.bits[i]
		after := g.other.Weight(class, bits)
		if turn := g.open(after) - g.open(after-sum); turn != 0 {
			for e := g.rows.First(class, bits); e != None; e = g.rows.Next(e) {
				row, _, weight := g.rows.Entry(e)
				g.to.pass(0, row, mulWeights(turn, weight))
			}
		}
	}
	for _, d := range rows {
		class, bits, ok := g.rows.Key(d.Row)
		before := 0
		if ok {
			before = g.other.Weight(class, bits) - g.keys.sumOf(class, bits)
		}
		if g.open(before) != 0 {
			g.to.pass(0, d.Row, d.Weight)
		}
	}
}

// applyTimed is applyFlat with iterations. A list of steps holds the weight of
// a key at the iteration of the visit and at each later one where it changes.
func (g *gate) applyTimed(iter int32, rows []Diff) {
	for i, sum := range g.keys.sum {
		if sum == 0 {
			continue
		}
		class, bits := g.keys.class[i], g.keys.bits[i]
		g.steps = g.levels.from(class, bits, iter, g.steps[:0])
		idle := true
		for s := range g.steps {
			at := &g.steps[s]
			at.open = g.open(at.weight) - g.open(at.weight-sum)
			idle = idle && at.open == 0
		}
		if idle {
			continue
		}
		for e := g.rows.First(class, bits); e != None; e = g.rows.Next(e) {
			row, at, weight := g.rows.Entry(e)
			g.passSteps(at, row, weight)
		}
	}
	for _, d := range rows {
		class, bits, ok := g.rows.Key(d.Row)
		if !ok {
			if g.absent {
				g.to.pass(iter, d.Row, d.Weight)
			}
			continue
		}
		sum := g.keys.sumOf(class, bits)
		g.steps = g.levels.from(class, bits, iter, g.steps[:0])
		for s := range g.steps {
			g.steps[s].open = g.open(g.steps[s].weight - sum)
		}
		g.passSteps(iter, d.Row, d.Weight)
	}
}

// passSteps passes a row that is there from an iteration on: at that iteration
// as the step in force says, at each later step by how much it changes.
func (g *gate) passSteps(iter int32, row uint32, weight int32) {
	passing := int32(0)
	for i, s := range g.steps {
		if i+1 < len(g.steps) && g.steps[i+1].iter <= iter {
			continue
		}
		if s.open != passing {
			g.to.pass(max(iter, s.iter), row, mulWeights(s.open-passing, weight))
			passing = s.open
		}
	}
}

// snapshot hands over every row that passes now.
func (g *gate) snapshot(to gated) {
	for e := g.rows.Scan(0); e != None; e = g.rows.Scan(e + 1) {
		row, _, weight := g.rows.Entry(e)
		class, bits, ok := g.rows.Key(row)
		if ok && g.open(g.other.Weight(class, bits)) != 0 || !ok && g.absent {
			to.pass(0, row, weight)
		}
	}
}

func (g *gate) retained() int {
	if g.levels == nil {
		return 0
	}
	return g.levels.trace.Len()
}

func (g *gate) bytes() int {
	n := g.keys.bytes() + 16*cap(g.steps)
	if g.levels != nil {
		n += g.levels.bytes()
	}
	return n
}

func (g *gate) clear() { g.bind(g.rows, g.other, g.absent, g.cyclic, g.to) }
