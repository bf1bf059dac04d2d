package d2

import (
	"encoding/json"
	"math/bits"
	"os"
	"testing"

	"millrace.dev/millrace/tests/workload"
)

// board is a table of versions a history is played on. Versions are kept:
// a frontier may be an old one.
type board struct {
	value   []int64 // by slot
	key     []uint32
	current []uint32 // by key
	rows    *Ordered
}

func newBoard(rows int) *board {
	b := &board{}
	b.rows = NewOrdered(b)
	slots := []uint32{}
	for k := range uint32(rows) {
		b.value, b.key = append(b.value, int64(k)*workload.Spread), append(b.key, k)
		b.current, slots = append(b.current, k), append(slots, k)
	}
	b.rows.Load(slots)
	return b
}

func (b *board) Compare(x, y Slot) int {
	switch {
	case b.value[x] < b.value[y]:
		return -1
	case b.value[x] > b.value[y]:
		return 1
	}
	return int(b.key[x]) - int(b.key[y])
}

func (b *board) KeyOf(s Slot) Key       { return b.key[s] }
func (b *board) Len() int               { return b.rows.Len() }
func (b *board) At(rank int) uint32     { return b.key[b.rows.At(rank)] }
func (b *board) Value(key uint32) int64 { return b.value[b.current[key]] }

// play makes one change.
func (b *board) play(op workload.Op) Change {
	for len(b.current) <= int(op.Key) {
		b.current = append(b.current, None)
	}
	c := Change{op.Key, b.current[op.Key], None}
	if c.Old != None {
		b.rows.Delete(c.Old)
	}
	if !op.Delete {
		c.New = uint32(len(b.value))
		b.value, b.key = append(b.value, op.Value), append(b.key, op.Key)
		b.rows.Insert(c.New)
	}
	b.current[op.Key] = c.New
	return c
}

// watched is a board with a window over it.
type watched struct {
	*board
	g  *Graph
	in NodeID
	w  *Window
}

func newWatched(t testing.TB, rows int, limit uint32, c Cushion) *watched {
	b := &watched{board: newBoard(rows), g: NewGraph()}
	var err error
	b.w, err = NewWindow(WindowSpec{
		Order: b, Keys: b, Limit: limit, Source: NewScanSource(b.rows, nil), Pins: numbers{}, Cushion: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.in, _ = b.g.Add(NewInput(nil))
	node, err := b.g.Add(b.w, b.in)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.g.Hydrate(node); err != nil {
		t.Fatal(err)
	}
	return b
}

// run makes one change and runs it.
func (b *watched) run(op workload.Op) RunStats {
	_ = b.g.PushChanges(b.in, []Change{b.play(op)})
	stats, _ := b.g.Run()
	return stats
}

func TestCushion_AcceptanceCells(t *testing.T) {
	text, err := os.ReadFile("testdata/cushion-cells.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cells []struct {
			Name  string
			Setup struct {
				Rows     int
				N        uint32
				Cushion  uint32
				Workload string
			}
			Steps []struct {
				Action string
				Expect struct{ Refills, Fetched int }
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	moves := map[string]func(b *watched, i int) workload.Op{
		"each run moves the first row to the end": func(b *watched, _ int) workload.Op {
			return workload.Op{Key: b.At(0), Value: b.Value(b.At(b.Len()-1)) + 1}
		},
		"each run moves row (i*7919 mod 5000) to the top": func(b *watched, i int) workload.Op {
			return workload.Op{Key: uint32(i * 7919 % 5000), Value: b.Value(b.At(0)) - 1}
		},
	}
	for _, cell := range file.Cells {
		b := newWatched(t, cell.Setup.Rows, cell.Setup.N, Cushion{Fixed: true, Start: cell.Setup.Cushion})
		move := moves[cell.Setup.Workload]
		for _, step := range cell.Steps {
			if step.Action != "1000 runs" || move == nil {
				t.Fatalf("%s: no such action", cell.Name)
			}
			refills, fetched := 0, 0
			for i := range 1000 {
				stats := b.run(move(b, i))
				refills += stats.Refills
				fetched += stats.RowsFetched
			}
			if refills != step.Expect.Refills || fetched != step.Expect.Fetched {
				t.Errorf("%s: %d refills, %d rows", cell.Name, refills, fetched)
			}
		}
	}
}

// Law: in a stationary workload the controller converges to at most one refill
// per target, unless its cushion is as large as it may be; the cushion stays
// within its bounds; and of refills that come too soon there are only so many
// as it takes to double the cushion from least to most, and once more for every
// time it had halved.
func TestCushion_ConvergesInStationaryWorkloads(t *testing.T) {
	const rows, limit, target, changes = 5000, 50, 200, 16_000
	set := Cushion{Target: target, Min: 4, Max: 8 * limit}
	doublings := bits.Len(uint(set.Max / set.Min))
	for _, kind := range workload.All() {
		h := kind.Start(rows, limit, 1)
		b := newWatched(t, rows, limit, set)
		c := &b.w.w.cushion
		refills, early, atMost := 0, 0, false
		last, size := 0, c.rows
		shrunk := 0
		for i := range changes {
			stats := b.run(h.Next(b))
			if c.rows < int(set.Min) || c.rows > int(set.Max) {
				t.Fatalf("%s: a cushion of %d", kind.Name, c.rows)
			}
			if c.rows < size {
				shrunk += bits.Len(uint(size)) - bits.Len(uint(c.rows)) + 1
			}
			if stats.Refills > 0 {
				if i-last < target && size < int(set.Max) {
					early++
				}
				last = i
				if i >= changes/2 {
					refills++
				}
			}
			size = c.rows
			atMost = atMost || i >= changes/2 && size == int(set.Max)
		}
		t.Logf("%-34s refills %d, early %d, shrunk %d, cushion %d", kind.Name, refills, early, shrunk, size)
		if most := changes / 2 / target; refills > most && !atMost {
			t.Errorf("%s: %d refills in %d changes, target one in %d", kind.Name, refills, changes/2, target)
		}
		if most := doublings + shrunk; early > most {
			t.Errorf("%s: %d refills came too soon, at most %d", kind.Name, early, most)
		}
	}
}
