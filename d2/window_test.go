package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// probe is one window under test with the mirror its deltas have built.
type probe struct {
	name   string
	w      *window
	mirror []uint32
}

// someBounds favours the corners: nothing, one row, past the end.
func someBounds(c *chance) (offset, limit uint32) {
	offset = []uint32{0, 0, 0, 0, 0, 1, 1, 2, 3, 30}[c.intn(10)]
	limit = []uint32{0, 1, 1, 2, 2, 3, 5, 8, Unlimited - 1, Unlimited}[c.intn(10)]
	return offset, limit
}

func someCushion(c *chance) Cushion {
	if c.intn(2) == 0 {
		return Cushion{Start: 1, Min: 1, Max: 4, Target: uint32(1 + c.intn(8))}
	}
	return Cushion{Fixed: true, Start: uint32(c.intn(3))}
}

// shySource never says that it has come to the end.
type shySource struct{ Source }

func (s shySource) Fetch(after Slot, want int, yield func(Slot) bool) (int, bool) {
	scanned, _ := s.Source.Fetch(after, want, yield)
	return scanned, false
}

// newProbes makes the same window in every strategy.
func newProbes(t *rapid.T, c *chance, w *world, p xIs, kind visible, offset, limit uint32) []*probe {
	probes := []*probe{}
	var source Source = NewScanSource(w.rows, p)
	if c.intn(2) == 0 {
		source = shySource{source}
	}
	add := func(name string, retain bool, mode refetchMode) {
		win, err := newWindow(WindowSpec{
			Order: w, Keys: w, Offset: offset, Limit: limit, Retain: retain,
			Source: source, Pins: w, Equal: w.looks(kind), Cushion: someCushion(c),
		})
		if err != nil {
			t.Fatal(err)
		}
		win.mode = mode
		win.spare = c.intn(3)
		probes = append(probes, &probe{name: name, w: win})
	}
	add("retained", true, refetchByCost)
	add("windowed", false, refetchNever)
	add("read again", false, refetchAlways)
	add("by cost", false, refetchByCost)
	add("mixed", false, refetchNever)
	return probes
}

// Laws: oracle, mirror, prefix, budget, strategy.
func TestWindow_EveryStrategyEmitsTheDefinedDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		for range 5 {
			windowHistory(t, ch)
		}
	})
}

func windowHistory(t *rapid.T, ch *chance) {
	w := newWorld([]int{3, 6, 9, 9}[ch.intn(4)])
	values := []int{0, 1, 3, 20}[ch.intn(4)]
	p := xIs{w, []int{-1, -1, 1}[ch.intn(3)]}
	kind := visible(ch.intn(3))
	offset, limit := someBounds(ch)
	w.fill(ch, values)
	probes := newProbes(t, ch, w, p, kind, offset, limit)
	var old []uint32
	if ch.intn(2) == 0 {
		old = slice(w.sequence(p), offset, limit)
		for _, pr := range probes {
			pr.mirror = pr.w.hydrate(nil, &RunStats{})
		}
	} else { // the first contents arrive as a batch
		rows := []Change{}
		for _, s := range w.sequence(p) {
			rows = append(rows, Change{uint32(w.key[s]), None, s})
		}
		old = stepAll(t, w, p, kind, probes, rows, nil, offset, limit)
	}
	for range 10 + ch.intn(60) {
		if ch.intn(6) == 0 {
			offset, limit = someBounds(ch)
			for _, pr := range probes {
				pr.w.setBounds(offset, limit)
			}
		}
		probes[4].w.mode = refetchMode(1 + ch.intn(2))
		batch := w.batch(ch, []int{0, 1, 1, 2, 4, 12, 12}[ch.intn(7)], values)
		old = stepAll(t, w, p, kind, probes, filterBatch(p, batch), old, offset, limit)
		w.forget(batch)
	}
	for _, pr := range probes {
		pr.w.release()
	}
	if w.pinned() != 0 {
		t.Fatalf("%d pins left", w.pinned())
	}
}

func stepAll(t *rapid.T, w *world, p xIs, kind visible, probes []*probe, batch []Change, old []uint32, offset, limit uint32) []uint32 {
	rows := w.sequence(p)
	now := slice(rows, offset, limit)
	want := w.oracleDelta(old, now, kind)
	for _, pr := range probes {
		var stats RunStats
		changes := pr.w.step(batch, None, nil, &stats)
		d := &pr.w.delta
		if !equalDeltas(d, &want) {
			t.Fatalf("%s: batch %v\n old %v\n now %v\n got  %+v\n want %+v", pr.name, batch, old, now, *d, want)
		}
		pr.mirror = splice(pr.mirror, d)
		if !slices.Equal(pr.mirror, now) {
			t.Fatalf("%s: mirror %v, want %v", pr.name, pr.mirror, now)
		}
		if !slices.Equal(pr.w.rows(nil), now) {
			t.Fatalf("%s: rows %v, want %v", pr.name, pr.w.rows(nil), now)
		}
		held := contents(pr.w.held)
		if len(held) > len(rows) || !slices.Equal(held, rows[:len(held)]) {
			t.Fatalf("%s: held %v is no prefix of %v", pr.name, held, rows)
		}
		if pr.w.exhausted && len(held) != len(rows) || !pr.w.exhausted && len(held) < pr.w.need() {
			t.Fatalf("%s: holds %d of %d, needs %d", pr.name, len(held), len(rows), pr.w.need())
		}
		checkBudget(t, w, d, batch, old, now)
		checkDifferences(t, w, changes, old, now)
	}
	return now
}

func checkBudget(t *rapid.T, w *world, d *Delta, batch []Change, old, now []uint32) {
	kept := 0
	for _, s := range now {
		if slices.ContainsFunc(old, func(o uint32) bool { return w.key[o] == w.key[s] }) {
			kept++
		}
	}
	if d.Ops() > len(old)+len(now)-kept {
		t.Fatalf("%d operations for windows of %d and %d with %d in common", d.Ops(), len(old), len(now), kept)
	}
	changed := func(key uint32) bool {
		return slices.ContainsFunc(batch, func(c Change) bool { return c.Key == key })
	}
	for _, m := range d.Moves {
		if !changed(m.Key) {
			t.Fatalf("key %d did not change, yet moves", m.Key)
		}
	}
	for _, u := range d.Updates {
		if !changed(u.Key) {
			t.Fatalf("key %d did not change, yet is updated", u.Key)
		}
	}
}

// checkDifferences adds a batch to the old window as a set.
func checkDifferences(t *rapid.T, w *world, changes []Change, old, now []uint32) {
	set := slices.Clone(old)
	seen := map[uint32]bool{}
	for _, c := range changes {
		if seen[c.Key] || c.Old == c.New {
			t.Fatalf("batch %v is not consolidated", changes)
		}
		seen[c.Key] = true
		if c.Old != None {
			i := slices.Index(set, c.Old)
			if i < 0 {
				t.Fatalf("-%d was never reported", c.Old)
			}
			set = slices.Delete(set, i, i+1)
		}
		if c.New != None {
			set = append(set, c.New)
		}
	}
	want := slices.Clone(now)
	slices.Sort(set)
	slices.Sort(want)
	if !slices.Equal(set, want) {
		t.Fatalf("differences give %v, want %v", set, want)
	}
}

// Law: moving a window reports rows that cross an edge and nothing else.
func TestWindow_SetWindowThereAndBackIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(12)
		p := xIs{w, -1}
		ch := newChance(t)
		w.fill(ch, 4)
		offset, limit := someBounds(ch)
		for _, pr := range newProbes(t, ch, w, p, seesVersions, offset, limit) {
			before := pr.w.hydrate(nil, &RunStats{})
			mirror := slices.Clone(before)
			there, length := someBounds(ch)
			var stats RunStats
			for _, to := range [][2]uint32{{there, length}, {offset, limit}} {
				pr.w.setBounds(to[0], to[1])
				pr.w.step(nil, None, nil, &stats)
				d := &pr.w.delta
				if len(d.Moves)+len(d.Updates)+len(d.Rebinds) > 0 {
					t.Fatalf("%s: %+v", pr.name, *d)
				}
				mirror = splice(mirror, d)
			}
			if !slices.Equal(mirror, before) {
				t.Fatalf("%s: %v, was %v", pr.name, mirror, before)
			}
		}
	})
}

// Law: two batches and their sum reach the same window.
func TestWindow_SplittingABatchReachesTheSameWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(10)
		p := xIs{w, -1}
		ch := newChance(t)
		w.fill(ch, 3)
		offset, limit := someBounds(ch)
		probes := newProbes(t, ch, w, p, seesVersions, offset, limit)
		whole := newProbes(t, ch, w, p, seesVersions, offset, limit)
		for i := range probes {
			probes[i].w.hydrate(nil, &RunStats{})
			whole[i].w.hydrate(nil, &RunStats{})
		}
		var stats RunStats
		b1 := w.batch(ch, 10, 3)
		for _, pr := range probes {
			pr.w.step(b1, None, nil, &stats)
		}
		b2 := w.batch(ch, 10, 3)
		sum, err := w.sum(b1, b2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range probes {
			probes[i].w.step(b2, None, nil, &stats)
			whole[i].w.step(sum, None, nil, &stats)
			if a, b := probes[i].w.rows(nil), whole[i].w.rows(nil); !slices.Equal(a, b) {
				t.Fatalf("%s: split %v, whole %v", probes[i].name, a, b)
			}
		}
	})
}

// Laws: mirror and strategy, over arrangements of many blocks and batches of
// many rows, where looking at every subset is out of the question.
func TestWindow_LargeWindowsAgreeAcrossStrategies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		w := newWorld(2000)
		p := xIs{w, -1}
		w.fill(ch, 1000)
		offset, limit := uint32(ch.intn(700)), uint32(ch.intn(1500))
		probes := newProbes(t, ch, w, p, seesVersions, offset, limit)
		for _, pr := range probes {
			pr.mirror = pr.w.hydrate(nil, &RunStats{})
		}
		for range 4 {
			offset, limit = uint32(max(0, int(offset)+ch.intn(50)-25)), uint32(ch.intn(1500))
			batch := w.batch(ch, []int{1, 30, 1500}[ch.intn(3)], 1000)
			now := slice(w.sequence(p), offset, limit)
			for _, pr := range probes {
				pr.w.setBounds(offset, limit)
				old := pr.w.rows(nil)
				var stats RunStats
				changes := pr.w.step(batch, None, nil, &stats)
				pr.mirror = splice(pr.mirror, &pr.w.delta)
				if !slices.Equal(pr.mirror, now) {
					t.Fatalf("%s: mirror differs", pr.name)
				}
				if !equalDeltas(&pr.w.delta, &probes[0].w.delta) {
					t.Fatalf("%s: delta differs from %s", pr.name, probes[0].name)
				}
				checkDifferences(t, w, changes, old, now)
			}
			w.forget(batch)
		}
	})
}
