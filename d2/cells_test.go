package d2

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"
)

// The cells in testdata were computed by full evaluation outside this package.
type cellFile struct {
	Cells []cell
}

type cell struct {
	Name  string
	Setup struct {
		Tables  map[string][]cellRow
		Query   cellQuery
		Cushion uint32
		Hydrate []int

		// of chains
		N, Limit, Depth, Survivors int
		Opposed, Flipped           bool
	}
	Steps []struct {
		Batch []struct {
			Table string
			Put   cellRow
			Del   *int
		}
		Action string
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

type cellRow map[string]any

type cellQuery struct {
	OrderBy []struct{ Col, Dir, Nulls string }
	Where   []struct {
		Col string
		Eq  any
	}
	Exists []struct {
		Table string
		On    [2]string
		Flip  bool
	}
	JoinOne       *struct{ Table, On string }
	Select        []string
	Offset, Limit uint32
}

func loadCells(t *testing.T, path string) []cell {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file cellFile
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cells
}

// cellTable keeps every version; the public key is the column id.
type cellTable struct {
	q       cellQuery
	rows    []cellRow
	current map[int]uint32
	index   *Ordered
	store   *Store
	hashes  map[Keyer]*Hash
	node    NodeID
}

func newCellTable(q cellQuery, rows []cellRow, ordered bool) *cellTable {
	c := &cellTable{q: q, current: map[int]uint32{}, hashes: map[Keyer]*Hash{}}
	c.index = NewOrdered(c)
	c.store = NewStore(c)
	if ordered {
		c.store.AddOrder(c, c.index)
	}
	for _, row := range rows {
		c.set(row.id(), row)
	}
	return c
}

func (r cellRow) id() int { return int(r["id"].(float64)) }

func (c *cellTable) KeyOf(s Slot) Key { return uint32(c.rows[s].id()) }
func (c *cellTable) Pin(Slot)         {}
func (c *cellTable) Unpin(Slot)       {}
func (c *cellTable) Len() int         { return len(c.current) }

func (c *cellTable) Each(yield func(uint32) bool) {
	for _, row := range c.current {
		if !yield(row) {
			return
		}
	}
}

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
		c.list(old, (*Hash).Remove)
		delete(c.current, id)
	}
	if row != nil {
		change.New = uint32(len(c.rows))
		c.rows = append(c.rows, row)
		c.current[id] = change.New
		c.index.Insert(change.New)
		c.list(change.New, (*Hash).Add)
	}
	return change
}

func (c *cellTable) list(row uint32, do func(*Hash, uint8, uint64, Slot) bool) {
	for by, h := range c.hashes {
		if class, bits, ok := by.Key(row); ok {
			do(h, class, bits, row)
		}
	}
}

// cellKey is the value of a column.
type cellKey struct {
	c   *cellTable
	col string
}

func (k cellKey) Key(row uint32) (class uint8, bits uint64, ok bool) {
	v, ok := k.c.rows[row][k.col].(float64)
	return 1, math.Float64bits(v), ok
}

func (c *cellTable) hash(col string) {
	k := cellKey{c, col}
	c.hashes[k] = NewHash()
	for _, row := range c.current {
		if class, bits, ok := k.Key(row); ok {
			c.hashes[k].Add(class, bits, row)
		}
	}
	c.store.AddKey(k, c.hashes[k])
}

// cellPairs is what a reader of a join sees.
type cellPairs struct {
	*Pairs
	left, right *cellTable
}

func (p cellPairs) KeyOf(row Slot) Key { return p.left.KeyOf(p.Left(row)) }
func (p cellPairs) Same(a, b Slot) bool {
	return p.left.Same(p.Left(a), p.Left(b)) && p.right.Same(p.Right(a), p.Right(b))
}

// last keeps what a sink was told in the latest run.
type last struct {
	changes []Change
	delta   Delta
}

func (l *last) Receive(r *Result) { l.changes, l.delta = r.Changes, *r.Delta }
func (l *last) Fail(err error)    { panic(err) }

// cellSink also follows the keys shown.
type cellSink struct {
	last
	mirror []int
}

func (s *cellSink) Receive(r *Result) {
	s.last.Receive(r)
	s.mirror = spliceKeys(s.mirror, r.Delta)
}

// spliceKeys applies a delta to a mirror of keys.
func spliceKeys(mirror []int, d *Delta) []int {
	slots := make([]uint32, len(mirror))
	for i, key := range mirror {
		slots[i] = uint32(key)
	}
	keyed := Delta{OldLen: d.OldLen, NewLen: d.NewLen}
	for _, l := range d.Leaves {
		keyed.Leaves = append(keyed.Leaves, Leave{l.At, l.Key, l.Key})
	}
	for _, m := range d.Moves {
		keyed.Moves = append(keyed.Moves, Move{m.From, m.To, m.Key, m.Key, m.Key, m.Changed})
	}
	for _, e := range d.Enters {
		keyed.Enters = append(keyed.Enters, Enter{e.At, e.Key, e.Key})
	}
	out := []int{}
	for _, key := range splice(slots, &keyed) {
		out = append(out, int(key))
	}
	return out
}

// cellWay is a way to run a cell; its deltas must not tell which.
type cellWay struct {
	retain, hashed bool
	mode           refetchMode
	flip           Flip
}

func cellWays() []cellWay {
	ways := []cellWay{}
	for _, hashed := range []bool{true, false} {
		for _, flip := range []Flip{FlipByCost, FlipNever, FlipAlways} {
			ways = append(ways, cellWay{true, hashed, refetchNever, flip})
			for _, mode := range []refetchMode{refetchByCost, refetchNever, refetchAlways} {
				ways = append(ways, cellWay{false, hashed, mode, flip})
			}
		}
	}
	return ways
}

func TestWindow_AcceptanceCells(t *testing.T) {
	for _, cell := range loadCells(t, "testdata/window-cells.json") {
		t.Run(cell.Name, func(t *testing.T) {
			for _, way := range cellWays() {
				runCell(t, cell, way)
			}
		})
	}
}

func runCell(t *testing.T, cell cell, way cellWay) {
	q := cell.Setup.Query
	g := NewGraph()
	tables := map[string]*cellTable{}
	for name, rows := range cell.Setup.Tables {
		tq := cellQuery{}
		if name == "t" {
			tq = q
		}
		tables[name] = newCellTable(tq, rows, !way.retain)
		tables[name].node, _ = g.Add(tables[name].store)
	}
	c := tables["t"]
	nodes := []NodeID{}
	add := func(op Operator, ins ...NodeID) NodeID {
		id, err := g.Add(op, ins...)
		if err != nil {
			t.Fatalf("%v: %v", way, err)
		}
		nodes = append(nodes, id)
		return id
	}
	spec := WindowSpec{
		Order: c, Keys: c, Pins: c, Equal: c, Offset: q.Offset, Limit: q.Limit,
		Cushion: Cushion{Fixed: true, Start: cell.Setup.Cushion},
	}
	where := NewFilter(c)
	at, top := add(where, c.node), Fetchable(where)
	for _, e := range q.Exists {
		child := tables[e.Table]
		if way.hashed {
			c.hash(e.On[0])
			child.hash(e.On[1])
		}
		op, _ := NewExists(ExistsSpec{ParentKey: cellKey{c, e.On[0]}, ChildKey: cellKey{child, e.On[1]}, Flip: way.flip})
		at, top = add(op, at, child.node), op
	}
	if j := q.JoinOne; j != nil {
		right := tables[j.Table]
		if way.hashed {
			c.hash(j.On)
			right.hash("id")
		}
		pairs := cellPairs{NewPairs(c, right), c, right}
		op, _ := NewJoinOne(JoinOneSpec{LeftKey: cellKey{c, j.On}, RightKey: cellKey{right, "id"}, Pairs: pairs.Pairs})
		at, top = add(op, at, right.node), op
		spec.Order, spec.Keys, spec.Pins, spec.Hold, spec.Equal = LeftOrder{pairs.Pairs, c}, pairs, pairs, pairs, pairs
	}
	if !way.retain {
		pull, err := NewPull(top, spec.Order)
		if err != nil {
			t.Fatal(err)
		}
		spec.Source = pull
	}
	win, err := NewWindow(spec)
	if err != nil {
		t.Fatal(err)
	}
	win.w.mode = way.mode
	id := add(win, at)
	sink := &cellSink{}
	add(NewOutput(OutputSpec{Sink: sink, Keys: spec.Keys}), id)
	if err := g.Hydrate(nodes...); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sink.mirror, cell.Setup.Hydrate) {
		t.Fatalf("%+v: hydrated %v, want %v", way, sink.mirror, cell.Setup.Hydrate)
	}
	for i, step := range cell.Steps {
		sink.delta = Delta{}
		for _, b := range step.Batch {
			table := tables[b.Table]
			var change Change
			if b.Del != nil {
				change = table.set(*b.Del, nil)
			} else {
				change = table.set(b.Put.id(), b.Put)
			}
			_ = g.PushChanges(table.node, []Change{change})
		}
		if step.Window != nil {
			_ = g.SetWindow(id, step.Window.Offset, step.Window.Limit)
		}
		_, _ = g.Run()
		if !slices.Equal(sink.mirror, step.Expect.Keys) {
			t.Errorf("%+v: step %d: keys %v, want %v", way, i, sink.mirror, step.Expect.Keys)
		}
		if sink.delta.Ops() > step.Expect.MaxChanges {
			t.Errorf("%+v: step %d: %d operations, at most %d", way, i, sink.delta.Ops(), step.Expect.MaxChanges)
		}
		want := fmt.Sprint(step.Expect.Delta.Leaves, step.Expect.Delta.Moves, step.Expect.Delta.Enters, step.Expect.Delta.Updates)
		if got := canonical(&sink.delta); got != want {
			t.Errorf("%+v: step %d: %s, want %s", way, i, got, want)
		}
	}
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
