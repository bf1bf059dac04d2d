package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Law: a fetch equals filter, sort and slice, for every frontier, whether its
// row is still there or not.
func TestScanSource_EqualsFilterSortSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newChance(t)
		w := newWorld(1 + c.intn(200))
		w.fill(c, 5)
		p := xIs{w, c.intn(2)}
		after := None
		if c.intn(3) > 0 {
			after = w.put(c.intn(len(w.current)), c.intn(6), 0).New
			if c.intn(2) == 0 {
				w.del(w.key[after])
			}
		}
		rows := slices.DeleteFunc(w.sequence(p), func(s uint32) bool {
			return after != None && w.Compare(s, after) <= 0
		})
		want, stop := c.intn(40), c.intn(40)
		got := []uint32{}
		scanned, end := NewScanSource(w.rows, p).Fetch(after, want, func(s Slot) bool {
			got = append(got, s)
			return len(got) != stop
		})
		exp := rows[:min(want, len(rows))]
		if stop > 0 {
			exp = exp[:min(stop, len(exp))]
		}
		if !slices.Equal(got, exp) || scanned < len(got) {
			t.Fatalf("%v of %d, want %v", got, scanned, exp)
		}
		if end && len(got) != len(rows) || !end && len(got) < want && len(got) != stop {
			t.Fatalf("end = %v after %d of %d rows", end, len(got), len(rows))
		}
	})
}

func TestScanSource_ReportsAPredicateThatFails(t *testing.T) {
	w := newWorld(1)
	w.put(0, 0, 0)
	fault := 1
	defer func() {
		if f, ok := recover().(SourceFault); !ok || f.Unwrap() != errTest || f.Error() != errTest.Error() {
			t.Errorf("%v", f)
		}
	}()
	NewScanSource(w.rows, faulty{xIs{w, -1}, &fault}).Fetch(None, 1, func(Slot) bool { return true })
}
