package d2

import (
	"testing"

	"pgregory.net/rapid"
)

// Law: a run leaves every operator in the state, and tells every sink the batch,
// that a work list in the order of (iteration, place) comes to; each operator is
// visited once per iteration in which it has input, and not otherwise.
func TestScheduler_EqualsTheWorkListOverRandomGraphs(t *testing.T) {
	limits, legal, cycles := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newTwin(t)
		if !w.build(len(w.p.nodes)) {
			return
		}
		legal++
		for range 1 + w.d.under(5) {
			w.begin()
			for range 1 + w.d.under(3) {
				w.push(true)
			}
			if !w.run() {
				return
			}
		}
		if w.ref.limit {
			limits++
		}
		for i := range w.p.nodes {
			if w.ref.reach[i][i] {
				cycles++
				break
			}
		}
		w.dropAll()
	})
	t.Logf("%d legal graphs, %d with cycles, %d without an end", legal, cycles, limits)
}
