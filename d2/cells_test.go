package d2

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
)

// The cells in testdata were computed by full evaluation outside this package.
type cellFile struct {
	Cells []struct {
		Name  string
		Setup struct {
			Tables  map[string][]cellRow
			Query   cellQuery
			Cushion uint32
			Hydrate []int
		}
		Steps []struct {
			Batch []struct {
				Put cellRow
				Del *int
			}
			Window *struct{ Offset, Limit uint32 }
			Expect struct {
				Delta struct {
					Leaves, Enters [][2]int
					Moves          [][4]any
					Updates        [][2]int
				}
				Keys       []int
				MaxChanges int
			}
		}
	}
}

type cellRow map[string]any

type cellQuery struct {
	OrderBy []struct{ Col, Dir, Nulls string }
	Where   []struct {
		Col string
		Eq  any
	}
	Select        []string
	Offset, Limit uint32
}

// cellTable keeps every version; the public key is the column id.
type cellTable struct {
	q       cellQuery
	rows    []cellRow
	current map[int]uint32
	index   *Ordered
}

func (c *cellTable) KeyOf(s Slot) Key { return uint32(c.rows[s]["id"].(float64)) }
func (c *cellTable) Pin(Slot)         {}
func (c *cellTable) Unpin(Slot)       {}

func (c *cellTable) Compare(a, b Slot) int {
	for _, term := range c.q.OrderBy {
		x, okX := c.rows[a][term.Col].(float64)
		y, okY := c.rows[b][term.Col].(float64)
		switch {
		case okX != okY && okY == (term.Nulls == "last"):
			return 1
		case okX != okY:
			return -1
		case x != y && (x > y) == (term.Dir == "desc"):
			return -1
		case x != y:
			return 1
		}
	}
	return int(c.KeyOf(a)) - int(c.KeyOf(b))
}

func (c *cellTable) Same(a, b Slot) bool {
	if c.q.Select == nil {
		return reflect.DeepEqual(c.rows[a], c.rows[b])
	}
	for _, col := range c.q.Select {
		if c.rows[a][col] != c.rows[b][col] {
			return false
		}
	}
	return true
}

func (c *cellTable) Select(slots, keep []uint32) ([]uint32, error) {
next:
	for _, s := range slots {
		for _, w := range c.q.Where {
			if c.rows[s][w.Col] != w.Eq {
				continue next
			}
		}
		keep = append(keep, s)
	}
	return keep, nil
}

func (c *cellTable) set(id int, row cellRow) Change {
	change := Change{uint32(id), None, None}
	if old, ok := c.current[id]; ok {
		change.Old = old
		c.index.Delete(old)
		delete(c.current, id)
	}
	if row != nil {
		change.New = uint32(len(c.rows))
		c.rows = append(c.rows, row)
		c.current[id] = change.New
		c.index.Insert(change.New)
	}
	return change
}

// last keeps what a sink was told in the latest run.
type last struct {
	changes []Change
	delta   Delta
}

func (l *last) Receive(r *Result) { l.changes, l.delta = r.Changes, *r.Delta }
func (l *last) Fail(err error)    { panic(err) }

func TestWindow_AcceptanceCells(t *testing.T) {
	text, err := os.ReadFile("testdata/window-cells.json")
	if err != nil {
		t.Fatal(err)
	}
	var file cellFile
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, cell := range file.Cells {
		for _, retain := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/retain=%v", cell.Name, retain), func(t *testing.T) {
				q := cell.Setup.Query
				c := &cellTable{q: q, current: map[int]uint32{}}
				c.index = NewOrdered(c)
				for _, row := range cell.Setup.Tables["t"] {
					c.set(int(row["id"].(float64)), row)
				}
				g := NewGraph()
				in, _ := g.addInput()
				where, _ := g.addFilter(in, c)
				win, err := g.addWindow(where, WindowSpec{
					Order: c, Keys: c, Offset: q.Offset, Limit: q.Limit, Source: NewScanSource(c.index, c), Pins: c,
					Retain: retain, Equal: c, Cushion: Cushion{Fixed: true, Start: cell.Setup.Cushion},
				})
				if err != nil {
					t.Fatal(err)
				}
				sink := &last{}
				_, _ = g.addOutput(win, sink, c)
				mirror, _ := g.LoadWindow(win, nil)
				if got := c.keys(mirror); !slices.Equal(got, cell.Setup.Hydrate) {
					t.Fatalf("hydrated %v, want %v", got, cell.Setup.Hydrate)
				}
				for i, step := range cell.Steps {
					*sink = last{}
					for _, b := range step.Batch {
						var change Change
						if b.Del != nil {
							change = c.set(*b.Del, nil)
						} else {
							change = c.set(int(b.Put["id"].(float64)), b.Put)
						}
						_ = g.PushChanges(in, []Change{change})
					}
					if step.Window != nil {
						_ = g.SetWindow(win, step.Window.Offset, step.Window.Limit)
					}
					_, _ = g.Run()
					mirror = splice(mirror, &sink.delta)
					if got := c.keys(mirror); !slices.Equal(got, step.Expect.Keys) {
						t.Errorf("step %d: keys %v, want %v", i, got, step.Expect.Keys)
					}
					if sink.delta.Ops() > step.Expect.MaxChanges {
						t.Errorf("step %d: %d operations, at most %d", i, sink.delta.Ops(), step.Expect.MaxChanges)
					}
					want := fmt.Sprint(step.Expect.Delta.Leaves, step.Expect.Delta.Moves, step.Expect.Delta.Enters, step.Expect.Delta.Updates)
					if got := canonical(&sink.delta); got != want {
						t.Errorf("step %d: %s, want %s", i, got, want)
					}
				}
			})
		}
	}
}

func (c *cellTable) keys(slots []uint32) []int {
	keys := []int{}
	for _, s := range slots {
		keys = append(keys, int(c.KeyOf(s)))
	}
	return keys
}

func canonical(d *Delta) string {
	leaves, enters, updates, moves := [][2]uint32{}, [][2]uint32{}, [][2]uint32{}, [][4]any{}
	for _, l := range d.Leaves {
		leaves = append(leaves, [2]uint32{l.At, l.Key})
	}
	for _, m := range d.Moves {
		moves = append(moves, [4]any{m.From, m.To, m.Key, m.Changed})
	}
	for _, e := range d.Enters {
		enters = append(enters, [2]uint32{e.At, e.Key})
	}
	for _, u := range d.Updates {
		updates = append(updates, [2]uint32{u.At, u.Key})
	}
	return fmt.Sprint(leaves, moves, enters, updates)
}
