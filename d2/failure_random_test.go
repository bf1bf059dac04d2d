package d2

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// spoil makes a random operator go wrong at one of its next visits.
func (w *twin) spoil() {
	i := w.d.under(len(w.ops))
	if n, ok := w.ops[i].(*defined); ok && !w.failed[i] && n.mishap == nil {
		n.mishap = &mishap{in: w.d.under(4), panic: w.d.under(2) == 0}
	}
}

// tryOne resets a single node that has failed where that must be refused.
func (w *twin) tryOne() {
	i := w.d.under(len(w.ops))
	if !w.failed[i] {
		return
	}
	inside := func(j int) bool { return i == j || w.ref.reach[i][j] }
	refused := false
	for to := range w.ops {
		for _, e := range w.p.nodes[to].ins {
			refused = refused || inside(to) && !inside(e.from) && w.failed[e.from]
		}
	}
	if !refused {
		return
	}
	if err := w.g.Reset(w.ids[i]); err != ErrUpstream {
		w.t.Fatalf("%+v\nreset of node %d: %v", w.p, i, err)
	}
	if err := w.g.Hydrate(w.ids[i]); err != ErrFailed {
		w.t.Fatalf("%+v\nhydration of node %d: %v", w.p, i, err)
	}
}

// repair resets what has failed and fills it, with something staged or not.
func (w *twin) repair() {
	w.begin()
	roots := []NodeID{}
	for _, i := range w.wrong {
		roots = append(roots, w.ids[i])
	}
	for _, op := range w.ops {
		if n, ok := op.(*defined); ok {
			n.mishap = nil
		}
	}
	for range w.d.under(3) {
		w.push(false)
	}
	told := map[int]sack{}
	for i, s := range w.sink {
		told[i] = maps.Clone(s.told)
		if w.failed[i] {
			s.fails = nil
		}
	}
	if err := w.g.Reset(roots...); err != nil {
		w.t.Fatalf("%+v\n%v", w.p, err)
	}
	for range w.d.under(2) {
		w.push(false)
	}
	if w.ref.run(); w.ref.heavy || w.ref.limit {
		return
	}
	if err := w.g.Hydrate(roots...); err != nil {
		w.t.Fatalf("%+v\n%v", w.p, err)
	}
	if c := w.g.Counters(); c.Failed != 0 {
		w.t.Fatalf("%+v\n%+v after a reset", w.p, c)
	}
	for i, op := range w.ops {
		w.compareState(i, op)
	}
	for i, s := range w.sink {
		want := s.received == 1
		switch {
		case !w.failed[i]:
			want = want == (len(w.ref.put[i]) > 0) && !s.fresh
		case retains(i):
			want = want == !maps.Equal(told[i], s.told) && !s.fresh
		default:
			want = want && s.fresh
		}
		if !want || s.received > 1 || len(s.fails) > 0 || !maps.Equal(s.told, w.ref.sum[i]) {
			w.t.Fatalf("%+v\nsink of node %d (failed: %v) was told %v in %d calls, fresh: %v, has %v, want %v",
				w.p, i, w.failed[i], s.got, s.received, s.fresh, s.told, w.ref.sum[i])
		}
	}
	w.wrong = nil
	clear(w.failed)
}

// Laws: what goes wrong takes its cycle and what they feed along and nothing
// else; every sink gets all of a run or nothing, and a failure once; after a
// reset and a hydration nobody can tell that there was a failure.
func TestFailure_StaysWhereItIsAndIsRepairedWithoutTrace(t *testing.T) {
	failures, twice, repairs := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newTwin(t)
		if !w.build(len(w.p.nodes)) {
			return
		}
		for range 2 + w.d.under(6) {
			for range w.d.under(3) {
				w.spoil()
			}
			w.begin()
			for range 1 + w.d.under(3) {
				w.push(false)
			}
			before := len(w.wrong)
			if !w.run() || w.ref.limit {
				return
			}
			if n := len(w.wrong) - before; n > 0 {
				failures++
				if n > 1 {
					twice++
				}
			}
			if len(w.wrong) > 0 && w.d.under(2) == 0 {
				w.tryOne()
				if w.repair(); w.ref.heavy || w.ref.limit {
					return
				}
				repairs++
			}
		}
		w.dropAll()
	})
	t.Logf("%d runs with failures, %d with several, %d repairs", failures, twice, repairs)
}
