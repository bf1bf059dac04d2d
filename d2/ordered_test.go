package d2

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pairOrder orders slots by a value; slots 2k and 2k+1 are versions of key k.
type pairOrder struct{ val []int }

func (o *pairOrder) Compare(a, b Slot) int {
	ka, kb := int(a/2), int(b/2)
	if o.val[ka] != o.val[kb] {
		return o.val[ka] - o.val[kb]
	}
	return ka - kb
}

func (o *pairOrder) prefix(s Slot) (uint64, bool) { return uint64(o.val[s/2]), true }

func contents(o *Ordered) []uint32 {
	got := []uint32{}
	o.Scan(0, func(b []uint32) bool {
		got = append(got, b...)
		return true
	})
	return got
}

// check compares everything an arrangement answers with a sorted slice.
func checkOrdered(t interface{ Fatalf(string, ...any) }, o *Ordered, model []uint32) {
	if got := contents(o); !slices.Equal(got, model) {
		t.Fatalf("contents differ: %d rows, want %d", len(got), len(model))
	}
	if o.Len() != len(model) {
		t.Fatalf("Len %d, want %d", o.Len(), len(model))
	}
	step := max(1, len(model)/50)
	for r := 0; r < len(model); r += step {
		if o.At(r) != model[r] {
			t.Fatalf("At(%d) = %d, want %d", r, o.At(r), model[r])
		}
		if rank, ok := o.Rank(model[r]); rank != r || !ok {
			t.Fatalf("Rank(%d) = %d %v, want %d", model[r], rank, ok, r)
		}
		if got := o.SeekAfter(model[r]); got != r+1 {
			t.Fatalf("SeekAfter = %d, want %d", got, r+1)
		}
		if b := o.BlockAt(r); len(b) == 0 || b[0] != model[r] {
			t.Fatalf("BlockAt(%d) = %v", r, b)
		}
	}
	if limit := 4*len(model)*4*2 + 16384; o.Bytes() > limit {
		t.Fatalf("%d rows take %d bytes", len(model), o.Bytes())
	}
}

func TestOrdered_EqualsASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const keys = 6000
		seed := uint64(rapid.Uint32().Draw(t, "seed"))
		next := func(n int) int {
			seed = seed*6364136223846793005 + 1442695040888963407
			return int(seed>>33) % n
		}
		order := &pairOrder{val: make([]int, keys)}
		spread := rapid.SampledFrom([]int{1, 7, 1 << 20}).Draw(t, "spread")
		for i := range order.val {
			order.val[i] = next(spread)
		}
		o := NewOrdered(order)
		model := []uint32{}
		in := make([]bool, keys)
		search := func(s uint32) (int, bool) { return slices.BinarySearchFunc(model, s, order.Compare) }
		insert := func(k int) {
			if in[k] {
				return
			}
			in[k] = true
			s := uint32(2*k + next(2))
			at, _ := search(s)
			model = slices.Insert(model, at, s)
			if got := o.Insert(s); got != at {
				t.Fatalf("Insert rank %d, want %d", got, at)
			}
		}
		remove := func(s uint32) {
			at, _ := search(s)
			if r, ok := o.Delete(s ^ 1); ok {
				t.Fatalf("deleted another version at %d", r)
			}
			if r, ok := o.Delete(s); !ok || r != at {
				t.Fatalf("Delete %d %v, want %d", r, ok, at)
			}
			model = slices.Delete(model, at, at+1)
			in[s/2] = false
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { checkOrdered(t, o, model) },
			"insert many": func(t *rapid.T) {
				for range rapid.IntRange(1, 2500).Draw(t, "n") {
					insert(next(keys))
				}
			},
			"insert ascending": func(t *rapid.T) {
				for k := range rapid.IntRange(1, 1500).Draw(t, "n") {
					insert(k)
				}
			},
			"insert one": func(t *rapid.T) { insert(rapid.IntRange(0, keys-1).Draw(t, "k")) },
			"delete many": func(t *rapid.T) {
				for range rapid.IntRange(1, 3000).Draw(t, "n") {
					if len(model) > 0 {
						remove(model[next(len(model))])
					}
				}
			},
			"drain from the head": func(t *rapid.T) {
				for range rapid.IntRange(1, 1000).Draw(t, "n") {
					if len(model) > 0 {
						o.DeleteAt(0)
						in[model[0]/2] = false
						model = model[1:]
					}
				}
			},
			"replace": func(t *rapid.T) {
				for range 20 {
					if len(model) == 0 {
						return
					}
					at := next(len(model))
					s := model[at]
					if !o.Replace(s, s^1) || o.Replace(s, s^1) {
						t.Fatalf("Replace must find exactly the old slot")
					}
					model[at] = s ^ 1
				}
			},
			"truncate": func(t *rapid.T) {
				at := next(len(model) + 1)
				o.Truncate(at)
				for _, s := range model[at:] {
					in[s/2] = false
				}
				model = model[:at]
			},
			"load": func(t *rapid.T) {
				rows := slices.Clone(model)
				for i := range rows {
					j := next(i + 1)
					rows[i], rows[j] = rows[j], rows[i]
				}
				if rapid.Bool().Draw(t, "prefix") {
					o.LoadUnsorted(rows, order.prefix)
				} else {
					o.LoadUnsorted(rows, nil)
				}
			},
		})
	})
}

func TestOrdered_LoadFallsBackToComparisonWhenASlotHasNoPrefix(t *testing.T) {
	order := &pairOrder{val: make([]int, 1000)}
	rows := []uint32{}
	for i := range order.val {
		order.val[i] = (i * 7919) % 1000
		rows = append(rows, uint32(2*i))
	}
	o := NewOrdered(order)
	o.LoadUnsorted(rows, func(s Slot) (uint64, bool) { return uint64(order.val[s/2]), s != 500 })
	got := contents(o)
	if !slices.IsSortedFunc(got, order.Compare) || len(got) != 1000 {
		t.Fatal("not in order")
	}
}

func TestOrdered_GivesMemoryBack(t *testing.T) {
	order := &pairOrder{val: make([]int, 100000)}
	o := NewOrdered(order)
	for i := range order.val {
		order.val[i] = i
		o.Insert(uint32(2 * i))
	}
	full := o.Bytes()
	if full > 100000*4*2 {
		t.Errorf("ascending insertion leaves blocks half empty: %d bytes", full)
	}
	for i := range 99990 {
		o.Delete(uint32(2 * ((i * 7919) % 100000)))
	}
	if o.Bytes() > 20000 {
		t.Errorf("%d rows still take %d bytes", o.Len(), o.Bytes())
	}
	for o.Len() > 0 {
		o.DeleteAt(o.Len() - 1)
	}
	if o.Bytes() != 0 {
		t.Errorf("empty, yet %d bytes", o.Bytes())
	}
}

func TestOrdered_SteadyStateAllocatesNothing(t *testing.T) {
	order := &pairOrder{val: make([]int, 20000)}
	o := NewOrdered(order)
	for i := range order.val {
		order.val[i] = (i * 7919) % 20000
		o.Insert(uint32(2 * i))
	}
	i := 0
	if n := testing.AllocsPerRun(2000, func() {
		s := uint32(2 * ((i * 31) % 20000))
		i++
		o.Delete(s)
		o.Insert(s)
	}); n > 0 {
		t.Errorf("%v allocations per pair", n)
	}
}

func TestHash_EqualsAMapOfLists(t *testing.T) {
	type value struct {
		class uint8
		bits  uint64
	}
	rapid.Check(t, func(t *rapid.T) {
		h := NewHash()
		model := map[value][]uint32{}
		of := map[uint32]value{}
		values := rapid.Custom(func(t *rapid.T) value {
			return value{uint8(rapid.IntRange(0, 2).Draw(t, "class")), uint64(rapid.IntRange(0, 40).Draw(t, "bits")) << 52}
		})
		remove := func(t *rapid.T, s uint32) {
			v := of[s]
			if !h.Remove(v.class, v.bits, s) {
				t.Fatalf("Remove did not find the slot")
			}
			delete(of, s)
			i := slices.Index(model[v], s)
			model[v] = slices.Delete(model[v], i, i+1)
			if len(model[v]) == 0 {
				delete(model, v)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if h.Len() != len(of) || h.Values() != len(model) {
					t.Fatalf("%d slots, %d values; want %d, %d", h.Len(), h.Values(), len(of), len(model))
				}
				for v, want := range model {
					got := []uint32{}
					for s := h.First(v.class, v.bits); s != None; s = h.Next(s) {
						got = append(got, s)
					}
					if !slices.Equal(got, want) || h.Count(v.class, v.bits) != len(want) {
						t.Fatalf("%v: %v, want %v", v, got, want)
					}
				}
				if h.First(9, 9) != None || h.Count(9, 9) != 0 {
					t.Fatalf("a value nobody has is found")
				}
			},
			"add": func(t *rapid.T) {
				for range rapid.IntRange(1, 60).Draw(t, "n") {
					s := uint32(rapid.IntRange(0, 300).Draw(t, "slot"))
					v := values.Draw(t, "value")
					_, had := of[s]
					if h.Add(v.class, v.bits, s) == had {
						t.Fatalf("Add must refuse exactly the slots that are in")
					}
					if !had {
						of[s] = v
						model[v] = append(model[v], s)
					}
				}
			},
			"remove some": func(t *rapid.T) {
				for range rapid.IntRange(1, 80).Draw(t, "n") {
					s := uint32(rapid.IntRange(0, 300).Draw(t, "slot"))
					if _, ok := of[s]; ok {
						remove(t, s)
					} else if h.Remove(0, 0, s) {
						t.Fatalf("removed what is not in")
					}
				}
			},
			"remove all": func(t *rapid.T) {
				for s := range uint32(301) {
					if _, ok := of[s]; ok {
						remove(t, s)
					}
				}
				if h.Bytes() != 0 {
					t.Fatalf("empty, yet %d bytes", h.Bytes())
				}
			},
		})
	})
}

func TestStay_EqualsASearchOverAllSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Permutation([]uint32{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "from")
		rows := make([]keptRow, rapid.IntRange(0, 8).Draw(t, "n"))
		for i := range rows {
			rows[i] = keptRow{from: from[i], to: uint32(i), beforeQ: uint32(rapid.IntRange(0, 4).Draw(t, "candidate") / 4)}
		}
		best := []int{}
		for set := range 1 << len(rows) {
			pick, ok := []int{}, true
			for i := range rows {
				if set>>i&1 == 0 {
					continue
				}
				ok = ok && rows[i].before == rows[i].beforeQ
				if n := len(pick); n > 0 {
					ok = ok && rows[pick[n-1]].from < rows[i].from
				}
				pick = append(pick, i)
			}
			if ok && (len(pick) > len(best) || len(pick) == len(best) && slices.Compare(pick, best) < 0) {
				best = pick
			}
		}
		fixed, _ := stay(rows, nil, nil)
		got := []int{}
		for i, f := range fixed {
			if f != 0 {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, best) {
			t.Fatalf("%v, want %v of %v", got, best, rows)
		}
	})
}

var errTest = errors.New("test fault")

func ExampleOrdered() {
	// Slots stand for rows; here row i costs price[i].
	price := []int{30, 10, 20, 40}
	rows := NewOrdered(byPrice(price))
	rows.LoadUnsorted([]uint32{0, 1, 2}, nil)
	fmt.Println("rank of the new row:", rows.Insert(3))
	rank, _ := rows.Delete(2)
	fmt.Println("the row that left had rank", rank)
	rows.Scan(0, func(block []uint32) bool {
		fmt.Println(block)
		return true
	})
	// Output:
	// rank of the new row: 3
	// the row that left had rank 1
	// [1 0 3]
}

type byPrice []int

func (p byPrice) Compare(a, b Slot) int {
	if p[a] != p[b] {
		return p[a] - p[b]
	}
	return int(a) - int(b)
}
