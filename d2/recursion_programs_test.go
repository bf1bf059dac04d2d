package d2

import "testing"

// closed repeats a step until it adds nothing.
func closed(step func(now sack) sack) sack {
	now := sack{}
	for {
		next := step(now)
		if len(next) == len(now) {
			return now
		}
		now = next
	}
}

// Places that can be reached from the starts.
var reachability = program{
	name: "reachability", inputs: 2,
	build: func(b *Builder, w words, in []NodeID) NodeID {
		base := b.Add(w.derived(NewMap(mapping(w.row))), in[1])
		edges := b.Add(NewArrange(partKey{0}), in[0])
		x := b.Add(NewConcat(), base)
		reached := b.Add(NewDistinct(), x)
		next := w.join(b, b.Add(NewArrange(madeKey{w, 0}), reached), edges, func(_, edge uint32) uint32 {
			return w.row(part(edge, 1))
		})
		b.Feedback(next, x, 0)
		return reached
	},
	want: func(in []sack) sack {
		return closed(func(now sack) sack {
			next := sack{}
			for place := range in[1] {
				next[place] = 1
			}
			for edge := range in[0] {
				if now[part(edge, 0)] > 0 {
					next[part(edge, 1)] = 1
				}
			}
			return next
		})
	},
	rounds: func(n int) int { return n },
}

// The same, as a loop that the builder closes.
var iterated = program{
	name: "reachability by Iterate", inputs: 2, want: reachability.want,
	build: func(b *Builder, w words, in []NodeID) NodeID {
		base := b.Add(w.derived(NewMap(mapping(w.row))), in[1])
		edges := b.Add(NewArrange(partKey{0}), in[0])
		x := b.Iterate(base, func(x NodeID) NodeID {
			from := b.Add(NewArrange(madeKey{w, 0}), b.Add(NewDistinct(), x))
			return b.Add(NewDistinct(), w.join(b, from, edges, func(_, edge uint32) uint32 {
				return w.row(part(edge, 1))
			}))
		})
		return b.Add(NewDistinct(), x)
	},
	rounds: func(n int) int { return n + 1 },
}

// Pairs of places with a way between them, from pairs of ways: the relation is
// joined with itself, so that ways double with each iteration.
var closure = program{
	name: "transitive closure", inputs: 1,
	build: func(b *Builder, w words, in []NodeID) NodeID {
		base := b.Add(w.derived(NewMap(mapping(func(edge uint32) uint32 {
			return w.row(word(part(edge, 0), part(edge, 1)))
		}))), in[0])
		x := b.Add(NewConcat(), base)
		paths := b.Add(NewDistinct(), x)
		longer := w.join(b, b.Add(NewArrange(madeKey{w, 1}), paths), b.Add(NewArrange(madeKey{w, 0}), paths),
			func(left, right uint32) uint32 { return w.row(word(part(w.word(left), 0), part(w.word(right), 1))) })
		b.Feedback(longer, x, 0)
		return paths
	},
	want: func(in []sack) sack {
		return closed(func(now sack) sack {
			next := sack{}
			for edge := range in[0] {
				next[word(part(edge, 0), part(edge, 1))] = 1
				for path := range now {
					if part(path, 1) == part(edge, 0) {
						next[word(part(path, 0), part(edge, 1))] = 1
					}
				}
			}
			return next
		})
	},
	rounds: func(n int) int { return 4 }, // 2⁴ > n, and one more that adds nothing
}

// Pairs of the same generation: with a common parent, or with parents of the same
// generation. Edges lead from child to parent.
var generation = program{
	name: "same generation", inputs: 1,
	build: func(b *Builder, w words, in []NodeID) NodeID {
		up := b.Add(NewArrange(partKey{1}), in[0]) // by parent
		siblings := w.join(b, up, b.Add(NewArrange(partKey{1}), in[0]), func(left, right uint32) uint32 {
			return w.row(word(part(left, 0), part(right, 0)))
		})
		x := b.Add(NewConcat(), siblings)
		same := b.Add(NewDistinct(), x)
		// (a, b) of one generation; c below a: (c, b); d below b: (c, d).
		half := w.join(b, up, b.Add(NewArrange(madeKey{w, 0}), same), func(edge, pair uint32) uint32 {
			return w.row(word(part(edge, 0), part(w.word(pair), 1)))
		})
		down := w.join(b, up, b.Add(NewArrange(madeKey{w, 1}), half), func(edge, pair uint32) uint32 {
			return w.row(word(part(w.word(pair), 0), part(edge, 0)))
		})
		b.Feedback(down, x, 0)
		return same
	},
	want: func(in []sack) sack {
		return closed(func(now sack) sack {
			next := sack{}
			for a := range in[0] {
				for b := range in[0] {
					if part(a, 1) == part(b, 1) || now[word(part(a, 1), part(b, 1))] > 0 {
						next[word(part(a, 0), part(b, 0))] = 1
					}
				}
			}
			return next
		})
	},
	rounds: func(n int) int { return n * n },
}

// Lengths of the shortest ways from the starts, by the least of each round.
var shortest = program{
	name: "shortest ways", inputs: 2,
	build: func(b *Builder, w words, in []NodeID) NodeID {
		base := b.Add(w.derived(NewMap(mapping(func(start uint32) uint32 { return w.row(word(start, 0)) }))), in[1])
		edges := b.Add(NewArrange(partKey{0}), in[0])
		x := b.Add(NewConcat(), base)
		least := b.Add(NewReduce(madeKey{w, 0}, LeastRow(byLength{w}), nil), x)
		further := w.join(b, b.Add(NewArrange(madeKey{w, 0}), least), edges, func(way, edge uint32) uint32 {
			return w.row(word(part(edge, 1), part(w.word(way), 1)+part(edge, 2)))
		})
		b.Feedback(further, x, 0)
		return least
	},
	want: func(in []sack) sack {
		least := map[uint32]uint32{}
		for start := range in[1] {
			least[start] = 0
		}
		for range places { // Bellman and Ford
			for edge := range in[0] {
				if way, ok := least[part(edge, 0)]; ok {
					way += part(edge, 2)
					if old, ok := least[part(edge, 1)]; !ok || way < old {
						least[part(edge, 1)] = way
					}
				}
			}
		}
		out := sack{}
		for place, way := range least {
			out[word(place, way)] = 1
		}
		return out
	},
	rounds: func(n int) int { return n },
}

// byLength orders ways by their second part.
type byLength struct{ words }

func (l byLength) Compare(a, b uint32) int { return int(part(l.word(a), 1)) - int(part(l.word(b), 1)) }

// Places reached by an even and by an odd number of edges: two relations that
// are defined by each other. The second part tells which.
var evenOdd = program{
	name: "even and odd", inputs: 2,
	build: func(b *Builder, w words, in []NodeID) NodeID {
		base := b.Add(w.derived(NewMap(mapping(func(start uint32) uint32 { return w.row(word(start, 0)) }))), in[1])
		edges := b.Add(NewArrange(partKey{0}), in[0])
		even, odd := b.Add(NewConcat(), base), b.Add(NewConcat())
		evens, odds := b.Add(NewDistinct(), even), b.Add(NewDistinct(), odd)
		step := func(from NodeID, parity uint32) NodeID {
			return w.join(b, b.Add(NewArrange(madeKey{w, 0}), from), edges, func(_, edge uint32) uint32 {
				return w.row(word(part(edge, 1), parity))
			})
		}
		b.Feedback(step(evens, 1), odd, 0)
		b.Feedback(step(odds, 0), even, 0)
		both := b.Add(NewConcat(), evens)
		b.Connect(odds, both, 0)
		return both
	},
	want: func(in []sack) sack {
		return closed(func(now sack) sack {
			next := sack{}
			for start := range in[1] {
				next[word(start, 0)] = 1
			}
			for edge := range in[0] {
				for parity := range uint32(2) {
					if now[word(part(edge, 0), parity)] > 0 {
						next[word(part(edge, 1), 1-parity)] = 1
					}
				}
			}
			return next
		})
	},
	rounds: func(n int) int { return 2 * n },
}

func TestRecursion_EqualsRecomputation(t *testing.T) {
	for _, p := range []program{reachability, iterated, closure, generation, shortest, evenOdd} {
		t.Run(p.name, func(t *testing.T) { checkProgram(t, p) })
	}
}
