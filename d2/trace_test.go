package d2

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// rowKeys is a Keyer by which a row n has key n%mod of class n%2, and every
// row that is 0 modulo nulls has none.
type rowKeys struct{ mod, nulls uint32 }

func (k rowKeys) Key(row uint32) (class uint8, bits uint64, ok bool) {
	if k.nulls != 0 && row%k.nulls == 0 {
		return 0, 0, false
	}
	return uint8(row % 2), uint64(row % k.mod), true
}

type entryID struct {
	row  uint32
	iter int32
}

func TestTrace_IsASumByRowAndIteration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rowKeys{mod: 4, nulls: 7}
		trace := NewTrace(keys)
		want := map[entryID]int32{}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				id := entryID{rapid.Uint32Range(0, 20).Draw(t, "row"), rapid.Int32Range(0, 2).Draw(t, "iteration")}
				w := rapid.Int32Range(-2, 2).Draw(t, "weight")
				trace.Add(id.row, id.iter, w)
				if want[id] += w; want[id] == 0 {
					delete(want, id)
				}
			},
			"": func(t *rapid.T) {
				if trace.Len() != len(want) {
					t.Fatalf("%d entries, want %d", trace.Len(), len(want))
				}
				scanned := map[entryID]int32{}
				for e := trace.Scan(0); e != None; e = trace.Scan(e + 1) {
					row, iter, weight := trace.Entry(e)
					scanned[entryID{row, iter}] += weight
				}
				if !maps.Equal(scanned, want) {
					t.Fatalf("a scan finds %v, want %v", scanned, want)
				}
				found, distinct := map[entryID]int32{}, 0
				for class := range uint8(2) {
					for bits := range uint64(4) {
						total, n := 0, 0
						for e := trace.First(class, bits); e != None; e = trace.Next(e) {
							row, iter, weight := trace.Entry(e)
							if c, b, ok := keys.Key(row); !ok || c != class || b != bits {
								t.Fatalf("row %d is listed under key (%d, %d)", row, class, bits)
							}
							found[entryID{row, iter}] += weight
							total += int(weight)
							n++
						}
						if n > 0 {
							distinct++
						}
						if got := trace.Weight(class, bits); got != total {
							t.Fatalf("key (%d, %d) weighs %d, want %d", class, bits, got, total)
						}
					}
				}
				for id, w := range want {
					if _, _, ok := keys.Key(id.row); !ok {
						found[id] = w
					}
					if trace.Present(id.row, id.iter) != w {
						t.Fatalf("row %d at %d is not present with weight %d", id.row, id.iter, w)
					}
				}
				if !maps.Equal(found, want) || trace.Keys() != distinct {
					t.Fatalf("by key there are %v, want %v", found, want)
				}
				if trace.Present(21, 0) != 0 || trace.First(0, 99) != None || trace.Weight(0, 99) != 0 {
					t.Fatal("something is found that was never added")
				}
			},
		})
	})
}

// All rows have one key: adding and removing must not search its list, or this
// takes minutes.
func TestTrace_GivesMemoryBack(t *testing.T) {
	trace := NewTrace(rowKeys{mod: 1})
	const rows = 50_000
	for row := range uint32(rows) {
		trace.Add(row, 0, 1)
	}
	full := trace.Bytes()
	for row := range uint32(rows) {
		trace.Add(row, 0, -1)
	}
	if trace.Len() != 0 || trace.Keys() != 0 || trace.Bytes() > 8192 {
		t.Errorf("%d entries, %d keys and %d bytes are left of %d", trace.Len(), trace.Keys(), trace.Bytes(), full)
	}
}

func TestTrace_NoticesAKeyThatChanged(t *testing.T) {
	keys := &rowKeys{mod: 10}
	trace := NewTrace(keys)
	trace.Add(3, 0, 1)
	keys.mod = 2
	defer func() {
		if recover() != ErrKeyChanged {
			t.Error("the change of a key went unnoticed")
		}
	}()
	trace.Add(3, 0, -1)
}

func TestIndexed_IsTheArrangementOfAHash(t *testing.T) {
	keys := rowKeys{mod: 3}
	hash := NewHash()
	var a Arrangement = NewIndexed(hash, keys)
	for _, row := range []uint32{8, 2, 5, 11} {
		class, bits, _ := keys.Key(row)
		hash.Add(class, bits, row)
	}
	var rows, all []uint32
	for e := a.First(0, 2); e != None; e = a.Next(e) {
		row, iter, weight := a.Entry(e)
		if iter != 0 || weight != 1 {
			t.Errorf("row %d has weight %d at %d", row, weight, iter)
		}
		rows = append(rows, row)
	}
	for e := a.Scan(0); e != None; e = a.Scan(e + 1) {
		row, _, _ := a.Entry(e)
		all = append(all, row)
	}
	if len(rows) != 2 || rows[0] != 8 || rows[1] != 2 || len(all) != 4 || all[0] != 2 || all[3] != 11 {
		t.Errorf("key (0, 2) has %v of %v", rows, all)
	}
	if a.Weight(1, 2) != 2 || a.Len() != 4 || a.Present(5, 0) != 1 || a.Present(5, 1) != 0 || a.Present(6, 0) != 0 {
		t.Error("weights are wrong")
	}
}
