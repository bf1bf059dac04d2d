package d2

import (
	"testing"

	"pgregory.net/rapid"
)

// A table must behave like a map from words to ids in which a row stays until
// the first sweep that finds it without references.
func TestTable_IsAMapFromWordsToRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable(2)
		type words = [2]uint64
		held := map[words]uint32{}
		refs := map[words]int{}
		some := rapid.Custom(func(t *rapid.T) words {
			// Links of free rows must not be taken for the words of one.
			return words{rapid.SampledFrom([]uint64{0, 1, 2, 3, uint64(None)<<32 | uint64(None)}).Draw(t, "a"), rapid.Uint64Range(0, 7).Draw(t, "b")}
		})
		t.Repeat(map[string]func(*rapid.T){
			"intern": func(t *rapid.T) {
				w := some.Draw(t, "words")
				row := table.Intern2(w[0], w[1])
				if old, ok := held[w]; ok && old != row {
					t.Fatalf("%v was row %d and is row %d", w, old, row)
				}
				held[w] = row
			},
			"ref": func(t *rapid.T) {
				w := some.Draw(t, "words")
				if row, ok := held[w]; ok {
					table.Ref(row)
					refs[w]++
				}
			},
			"unref": func(t *rapid.T) {
				w := some.Draw(t, "words")
				if refs[w] > 0 {
					table.Unref(held[w])
					refs[w]--
				}
			},
			"sweep": func(*rapid.T) {
				table.Sweep()
				for w := range held {
					if refs[w] == 0 {
						delete(held, w)
					}
				}
			},
			"": func(t *rapid.T) {
				if table.Len() != len(held) {
					t.Fatalf("%d rows, want %d", table.Len(), len(held))
				}
				taken := map[uint32]bool{}
				for a := range uint64(4) {
					for b := range uint64(8) {
						w := words{a, b}
						row, ok := held[w]
						if !ok {
							row = None
						}
						if got := table.Find(w[:]); got != row {
							t.Fatalf("%v is row %d, want %d", w, got, row)
						}
						if !ok {
							continue
						}
						if taken[row] {
							t.Fatalf("row %d is given out twice", row)
						}
						taken[row] = true
						if table.Word(row, 0) != a || table.Word(row, 1) != b || table.Refs(row) != refs[w] {
							t.Fatalf("row %d holds other words or references", row)
						}
					}
				}
			},
		})
	})
}

func TestTable_ReusesTheIdFreedLastAndStaysDense(t *testing.T) {
	table := NewTable(1)
	rows := make([]uint32, 6)
	for i := range rows {
		rows[i] = table.Intern1(uint64(100 + i))
		table.Ref(rows[i])
		if rows[i] != uint32(i) {
			t.Fatalf("row %d got id %d", i, rows[i])
		}
	}
	table.Sweep()
	table.Unref(rows[1])
	table.Unref(rows[3])
	if table.Intern1(101) != 1 {
		t.Error("a loose row lost its id before the sweep")
	}
	table.Sweep()
	if table.Len() != 4 {
		t.Errorf("%d rows after the sweep", table.Len())
	}
	if a, b, c := table.Intern1(1), table.Intern1(2), table.Intern1(3); a != 3 || b != 1 || c != 6 {
		t.Errorf("new rows got ids %d, %d and %d", a, b, c)
	}
}

func TestTable_GivesMemoryBack(t *testing.T) {
	table := NewTable(3)
	const rows = 20_000
	for i := range uint64(rows) {
		table.Ref(table.Intern([]uint64{i, i * i, 7}))
	}
	full := table.Bytes()
	if full > rows*3*8*4 {
		t.Errorf("%d bytes for %d rows", full, rows)
	}
	for i := range uint64(rows) {
		table.Unref(table.Find([]uint64{i, i * i, 7}))
		if i == rows/2 {
			table.Sweep()
		}
	}
	table.Sweep()
	if table.Len() != 0 || table.Bytes() > 4096 {
		t.Errorf("%d rows and %d bytes are left of %d", table.Len(), table.Bytes(), full)
	}
}

func TestTable_RefusesReferencesTooMany(t *testing.T) {
	for name, misuse := range map[string]func(*Table, uint32){
		"unref of a loose row": func(table *Table, row uint32) { table.Unref(row) },
		"ref of a freed row":   func(table *Table, row uint32) { table.Sweep(); table.Intern1(6); table.Sweep(); table.Ref(row) },
		"a row too wide":       func(table *Table, _ uint32) { table.Intern2(1, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			table := NewTable(1)
			table.Ref(table.Intern1(1))
			row := table.Intern1(5)
			table.Ref(table.Intern1(9))
			defer func() {
				if _, ok := recover().(error); !ok {
					t.Error("no error was raised")
				}
			}()
			misuse(table, row)
		})
	}
}

type countPins map[uint32]int

func (p countPins) Pin(s Slot)   { p[s]++ }
func (p countPins) Unpin(s Slot) { p[s]-- }

func TestPairs_PinTheirParts(t *testing.T) {
	left, right := countPins{}, countPins{}
	pairs := NewPairs(left, right)
	full, alone := pairs.Pair(3, 9), pairs.Pair(None, 9)
	pairs.Pin(full)
	pairs.Pin(full)
	pairs.Pin(alone)
	pairs.Table().Sweep()
	if pairs.Left(full) != 3 || pairs.Right(full) != 9 || pairs.Left(alone) != None || pairs.Right(alone) != 9 {
		t.Error("a pinned pair lost its parts")
	}
	if left[3] != 2 || right[9] != 3 || len(left) != 1 || len(right) != 1 {
		t.Errorf("pins are %v and %v", left, right)
	}
	pairs.Unpin(full)
	pairs.Unpin(full)
	pairs.Unpin(alone)
	pairs.Table().Sweep()
	if left[3] != 0 || right[9] != 0 || pairs.Table().Len() != 0 {
		t.Errorf("after unpinning pins are %v and %v, and %d pairs are left", left, right, pairs.Table().Len())
	}
}

// Made and Freed tell of exactly the rows that are held.
func TestTable_TellsOfRowsThatComeAndGo(t *testing.T) {
	table := NewTable(1)
	held := map[uint32]uint64{}
	table.Made = func(row uint32) { held[row] = table.Word(row, 0) }
	table.Freed = func(row uint32) {
		if held[row] != table.Word(row, 0) {
			t.Errorf("row %d of %d is freed as %d", row, held[row], table.Word(row, 0))
		}
		delete(held, row)
	}
	kept := table.Intern1(1)
	table.Ref(kept)
	table.Intern1(2)
	table.Intern1(1)
	table.Sweep()
	if len(held) != 1 || held[kept] != 1 {
		t.Fatalf("held are %v", held)
	}
	table.Unref(kept)
	table.Sweep()
	if len(held) != 0 {
		t.Fatalf("held are %v", held)
	}
}
