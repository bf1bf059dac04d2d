package main

import (
	"strings"
	"testing"

	"millrace.dev/millrace/d2"
	histories "millrace.dev/millrace/tests/workload"
)

// What the figures rest on, where it does not depend on the machine.

func TestWorkloads_VisitWhatTheySayAndAllocateNothing(t *testing.T) {
	for _, w := range append(flows(), states()...) {
		t.Run(w.Name, func(t *testing.T) {
			s := w.make()
			s.runs(2 * w.Cycle)
			for range 5 {
				if s.run(); w.Visits != 0 && s.graph.LastRun().Visits != w.Visits {
					t.Errorf("%d operators were visited, %d should be", s.graph.LastRun().Visits, w.Visits)
				}
			}
			// One run of two scans all issues for the first ten, and the other gives the
			// scratch of that back.
			if strings.HasPrefix(w.Name, "exists") {
				return
			}
			if n := testing.AllocsPerRun(20, s.run); n > 0 {
				t.Errorf("%v allocations per run", n)
			}
		})
	}
}

// The windows of the crossover tell the same whatever way they are kept.
func TestCrossover_StrategiesAgree(t *testing.T) {
	for _, kind := range crossed {
		for _, size := range []int{1, 10, 100} {
			told := func(how strategy) uint32 {
				w := workload{Check: 60, build: func() *scene { return crossover(1000, 10, kind, size, how) }}
				return w.check(w.make())
			}
			want := told(retained)
			for _, how := range []strategy{windowed, reread, chosen} {
				if got := told(how); got != want {
					t.Errorf("%s, %d changes: %s told %d, retained %d", kind.Name, size, strategyNames[how], got, want)
				}
			}
		}
	}
}

// A filled window is the same in each way to fill it, and takes no memory of
// rows it does not show.
func TestHydration_HoldsWhatItShows(t *testing.T) {
	for _, every := range []int{1, 10} {
		for _, how := range []strategy{windowed, retained, pushed} {
			s := hydration(5000, every, 50, how)
			s.run()
			rows, bytes := s.held()
			if how == windowed {
				if rows != 60 || bytes > 1000 {
					t.Errorf("windowed, 1 in %d: %d rows in %d bytes", every, rows, bytes)
				}
			} else if rows != 5000/every {
				t.Errorf("%s, 1 in %d: %d rows", strategyNames[how], every, rows)
			}
		}
	}
}

// Every history leaves the index what a fresh one over the same rows is.
func TestHistories_KeepTheIndexOfTheirTable(t *testing.T) {
	for _, kind := range append(histories.All(), histories.Churn) {
		x := newArena(300, 10, kind, 1)
		for range 2000 {
			change := x.next()
			x.t.settle([]d2.Change{change})
		}
		fresh := x.t.sorted()
		if x.index.Len() != x.t.n || fresh.Len() != x.t.n {
			t.Fatalf("%s: %d rows in the index, %d in the table", kind.Name, x.index.Len(), x.t.n)
		}
		for rank := range x.t.n {
			if x.index.At(rank) != fresh.At(rank) {
				t.Fatalf("%s: the index differs at rank %d", kind.Name, rank)
			}
		}
	}
}

// Shards hold the table between them, and a window over them fetches what the
// threshold allows: a row per shard beyond those it shows and spares.
func TestMerges_FillWithFewRows(t *testing.T) {
	for _, l := range histories.Layouts() {
		x := newSharded(16, l, 50)
		n := 0
		for _, shard := range x.shards {
			n += shard.Len()
		}
		if n != mergeRows {
			t.Errorf("%s: %d rows in shards", l.Name, n)
		}
		if got := x.byOperator().Fetched; got > 50+10+16-1 {
			t.Errorf("%s: %d rows fetched", l.Name, got)
		}
	}
}
