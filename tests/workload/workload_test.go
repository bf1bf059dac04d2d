package workload

import (
	"slices"
	"testing"
)

// list is a table as a sorted list.
type list struct {
	keys  []uint32
	value map[uint32]int64
}

func (l *list) Len() int               { return len(l.keys) }
func (l *list) At(rank int) uint32     { return l.keys[rank] }
func (l *list) Value(key uint32) int64 { return l.value[key] }

func (l *list) apply(op Op) {
	if i := slices.Index(l.keys, op.Key); i >= 0 {
		l.keys = slices.Delete(l.keys, i, i+1)
	}
	if op.Delete {
		delete(l.value, op.Key)
		return
	}
	l.value[op.Key] = op.Value
	at := 0
	for at < len(l.keys) && (l.value[l.keys[at]] < op.Value || l.value[l.keys[at]] == op.Value && l.keys[at] < op.Key) {
		at++
	}
	l.keys = slices.Insert(l.keys, at, op.Key)
}

func newList(rows int) *list {
	l := &list{value: map[uint32]int64{}}
	for k := range uint32(rows) {
		l.keys = append(l.keys, k)
		l.value[k] = int64(k) * Spread
	}
	return l
}

func TestHistories_AreReproducibleAndKeepTheTable(t *testing.T) {
	for _, w := range append(All(), Churn) {
		a, b := newList(200), newList(200)
		ha, hb := w.Start(200, 10, 7), w.Start(200, 10, 7)
		for step := range 600 {
			op := ha.Next(a)
			if again := hb.Next(b); op != again {
				t.Fatalf("%s: %v, then %v", w.Name, op, again)
			}
			if had := slices.Contains(a.keys, op.Key); op.Delete && !had {
				t.Fatalf("%s: %d is deleted twice", w.Name, op.Key)
			}
			a.apply(op)
			b.apply(op)
			if n := a.Len(); n < 100 || n > 300 {
				t.Fatalf("%s: %d rows after %d changes", w.Name, n, step)
			}
		}
	}
}

func TestLayouts_UseTheShardsTheyHave(t *testing.T) {
	for _, l := range Layouts() {
		c := NewChance(1)
		counts := make([]int, 16)
		for rank := range 10_000 {
			counts[l.Shard(c, rank, 10_000, 16)]++
		}
		if slices.Contains(counts, 0) {
			t.Errorf("%s: %v", l.Name, counts)
		}
		if l.Name != "zipf 1.3" {
			continue
		}
		if counts[0] < 3*counts[3] || counts[0] > 12*counts[3] {
			t.Errorf("%s: %v", l.Name, counts)
		}
	}
}

// What a boundary history moves stays near, as long as there is room.
func TestBoundary_MovesWithinItsRanks(t *testing.T) {
	const n = 20
	for _, part := range []int{1, 10} {
		l, h := newList(200), Workload{next: boundary(part)}.Start(200, n, 3)
		for range 500 {
			op := h.Next(l)
			from := slices.Index(l.keys, op.Key)
			if from >= 2*n {
				t.Fatalf("by n/%d: the row at rank %d moves", part, from)
			}
			l.apply(op)
			if to := slices.Index(l.keys, op.Key); to < from-n/part || to > from+n/part {
				t.Fatalf("by n/%d: from rank %d to %d", part, from, to)
			}
		}
	}
}
