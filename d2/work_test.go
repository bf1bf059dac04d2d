package d2

import (
	"testing"
)

// bench is a window of limit rows over a table of n, with values 2k.
func bench(t testing.TB, n int, limit uint32, c Cushion) (*world, *Graph, NodeID, NodeID) {
	w := newWorld(n)
	for k := range n {
		w.put(k, 2*k, 0)
	}
	g := NewGraph()
	in, _ := g.addInput()
	win, err := g.addWindow(in, WindowSpec{
		Order: w, Keys: w, Limit: limit, Source: NewScanSource(w.rows, nil), Pins: w, Cushion: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.addOutput(win, &last{}, w); err != nil {
		t.Fatal(err)
	}
	return w, g, in, win
}

func TestWindow_HydratesFromTheSourceByReadingOnlyWhatItHolds(t *testing.T) {
	w, g, _, win := bench(t, 20000, 50, Cushion{})
	w.compares = 0
	if rows, _ := g.LoadWindow(win, nil); len(rows) != 50 || rows[0] != w.current[0] {
		t.Errorf("%v", rows)
	}
	if got := g.Totals().RowsScanned; got != 60 {
		t.Errorf("%d rows scanned", got)
	}
	if c := g.Counters(); c.Retained != 60 || w.compares > 0 || c.Bytes > 8192 {
		t.Errorf("%+v after %d comparisons", c, w.compares)
	}
}

func TestWindow_CushionIntervalInAWorkQueue(t *testing.T) {
	w, g, in, win := bench(t, 5000, 50, Cushion{Fixed: true, Start: 9})
	_, _ = g.LoadWindow(win, nil)
	for i := range 1000 {
		batch := []Change{w.put(i, 20000+i, 0)}
		_ = g.PushChanges(in, batch)
		_, _ = g.Run()
		w.forget(batch)
	}
	// 59 rows at first, then a refill every c+1 departures, of c+1 rows each.
	if got := g.Totals(); got.Refills != 100 || got.RowsFetched != 59+1000 {
		t.Errorf("%+v", got)
	}
}

func TestWindow_NewestFirstNeverRefills(t *testing.T) {
	w, g, in, win := bench(t, 5000, 50, Cushion{Fixed: true, Start: 9})
	_, _ = g.LoadWindow(win, nil)
	for i := range 1000 {
		batch := []Change{w.put((i*7919)%5000, -i, 0)}
		_ = g.PushChanges(in, batch)
		_, _ = g.Run()
		w.forget(batch)
	}
	if got := g.Totals(); got.Refills != 0 || got.RowsFetched != 59 || got.Refetches != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWindow_AdaptiveCushionCalmsAWorkQueue(t *testing.T) {
	w, g, in, win := bench(t, 20000, 50, Cushion{})
	_, _ = g.LoadWindow(win, nil)
	turn := func(n int) int {
		before := g.Totals().Refills
		for range n {
			batch := []Change{w.put(w.key[w.rows.At(0)], w.v[w.rows.At(w.rows.Len()-1)]+1, 0)}
			_ = g.PushChanges(in, batch)
			_, _ = g.Run()
			w.forget(batch)
		}
		return g.Totals().Refills - before
	}
	turn(3000)
	if got := turn(10000); got > 50 {
		t.Errorf("%d refills in 10,000 changes", got)
	}
	if got := g.Retained(win); got > 50+8*50 {
		t.Errorf("%d rows held", got)
	}
	// Quiet changes let the cushion shrink, and rows go with it.
	for range 40000 {
		batch := []Change{w.put(19999, w.v[w.current[19999]]+1, 0)}
		_ = g.PushChanges(in, batch)
		_, _ = g.Run()
		w.forget(batch)
	}
	if got := g.Retained(win); got > 100 {
		t.Errorf("%d rows held after a quiet time", got)
	}
}

func TestWindow_AChangeBeyondTheFrontierCostsTwoComparisons(t *testing.T) {
	w, g, in, win := bench(t, 5000, 50, Cushion{})
	_, _ = g.LoadWindow(win, nil)
	there := w.put(4000, 9000, 1)
	back := Change{there.Key, there.New, there.Old}
	batch := []Change{there}
	w.compares = 0
	runs := 0
	allocs := testing.AllocsPerRun(100, func() {
		_ = g.PushChanges(in, batch)
		_, _ = g.Run()
		batch[0], back = back, batch[0]
		runs++
	})
	if allocs > 0 || w.compares != 2*runs {
		t.Errorf("%v allocations, %d comparisons in %d runs", allocs, w.compares, runs)
	}
}

func TestWindow_AChangeWithinAllocatesNothing(t *testing.T) {
	for _, limit := range []uint32{50, Unlimited} {
		w, g, in, win := bench(t, 5000, limit, Cushion{})
		_, _ = g.LoadWindow(win, nil)
		there := w.put(7, 61, 1)
		batch, back := []Change{there}, Change{there.Key, there.New, there.Old}
		w.compares = 0
		if n := testing.AllocsPerRun(100, func() {
			_ = g.PushChanges(in, batch)
			_, _ = g.Run()
			batch[0], back = back, batch[0]
		}); n > 0 {
			t.Errorf("limit %d: %v allocations per run", limit, n)
		}
		if perRun := w.compares / 101; perRun > 40 {
			t.Errorf("limit %d: %d comparisons per change", limit, perRun)
		}
	}
}

func TestWindow_LargeBatchesAreReadAgain(t *testing.T) {
	w, g, in, win := bench(t, 5000, 50, Cushion{})
	_, _ = g.LoadWindow(win, nil)
	batch := []Change{}
	for k := range 3000 {
		batch = append(batch, w.put(k, 20000-k, 0))
	}
	_ = g.PushChanges(in, batch)
	stats, _ := g.Run()
	if stats.Refetches != 1 || stats.RowsScanned != 60 || stats.Refills != 0 {
		t.Errorf("%+v", stats)
	}
}

func BenchmarkWindow_UpdateWithin(b *testing.B) {
	for _, c := range []struct {
		name  string
		limit uint32
	}{{"limit 50", 50}, {"all 100000", Unlimited}} {
		b.Run(c.name, func(b *testing.B) {
			w, g, in, win := bench(b, 100000, c.limit, Cushion{})
			_, _ = g.LoadWindow(win, nil)
			there := w.put(7, 61, 1)
			batch, back := []Change{there}, Change{there.Key, there.New, there.Old}
			b.ReportAllocs()
			for b.Loop() {
				_ = g.PushChanges(in, batch)
				_, _ = g.Run()
				batch[0], back = back, batch[0]
			}
		})
	}
}
