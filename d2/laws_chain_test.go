package d2

import (
	"fmt"
	"slices"
	"testing"
)

// chain is a query over issues that must have a comment, which must have an
// author and, at depth 3, an organisation by the name of bot. Renaming one row at
// the far end decides on n issues. Rows are their own slots: version 1 of row i
// of a table is i, version 2 is i plus the size of the table.
type chain struct {
	n, limit, depth, survivors int
	opposed                    bool
}

// chainTable has rows 1..n, of which one may be renamed. ref is the row of the
// next table that a row refers to.
type chainTable struct {
	n       int
	ref     func(i int) int
	renamed []bool // by row; only the last table uses it
	second  []bool // by row: its current version
	rows    *Ordered
	byID    *Hash
	byRef   *Hash
	store   *Store
	node    NodeID
}

func newChainTable(n int, ref func(int) int) *chainTable {
	c := &chainTable{n: n, ref: ref, renamed: make([]bool, n+1), second: make([]bool, n+1), byID: NewHash(), byRef: NewHash()}
	c.rows = NewOrdered(c)
	c.store = NewStore(c)
	c.store.AddOrder(c, c.rows)
	c.store.AddKey(chainID{c}, c.byID)
	c.store.AddKey(chainRef{c}, c.byRef)
	for i := 1; i <= n; i++ {
		c.enter(uint32(i))
	}
	return c
}

func (c *chainTable) id(row uint32) int { return (int(row)-1)%c.n + 1 }

func (c *chainTable) enter(row uint32) {
	c.rows.Insert(row)
	c.byID.Add(0, uint64(c.id(row)), row)
	c.byRef.Add(0, uint64(c.ref(c.id(row))), row)
}

func (c *chainTable) leave(row uint32) {
	c.rows.Delete(row)
	c.byID.Remove(0, uint64(c.id(row)), row)
	c.byRef.Remove(0, uint64(c.ref(c.id(row))), row)
}

func (c *chainTable) version(i int) uint32 {
	if c.second[i] {
		return uint32(i + c.n)
	}
	return uint32(i)
}

// rename gives a row another version, in which it has the other name.
func (c *chainTable) rename(i int) Change {
	old := c.version(i)
	c.second[i] = !c.second[i]
	c.leave(old)
	c.enter(c.version(i))
	return Change{uint32(i), old, c.version(i)}
}

func (c *chainTable) Len() int { return c.n }
func (c *chainTable) Each(yield func(uint32) bool) {
	for i := 1; i <= c.n && yield(c.version(i)); i++ {
	}
}
func (c *chainTable) Compare(a, b Slot) int { return c.id(a) - c.id(b) }
func (c *chainTable) KeyOf(row Slot) Key    { return uint32(c.id(row)) }
func (c *chainTable) Pin(Slot)              {}
func (c *chainTable) Unpin(Slot)            {}
func (c *chainTable) bot(row uint32) bool   { return int(row) <= c.n }
func (c *chainTable) Select(rows, keep []uint32) ([]uint32, error) {
	for _, row := range rows {
		if c.bot(row) {
			keep = append(keep, row)
		}
	}
	return keep, nil
}

type (
	chainID  struct{ c *chainTable }
	chainRef struct{ c *chainTable }
)

func (k chainID) Key(row uint32) (uint8, uint64, bool) { return 0, uint64(k.c.id(row)), true }
func (k chainRef) Key(row uint32) (uint8, uint64, bool) {
	return 0, uint64(k.c.ref(k.c.id(row))), true
}

// tables are issues, comments by issue, and so on to the one with the names.
func (c chain) tables() []*chainTable {
	total := c.n + c.survivors
	group := func(issue int) int {
		if issue > c.n {
			return 2
		}
		return 1
	}
	comment := func(i int) int { // of an issue, and the other way round
		if c.opposed {
			return total + 1 - i
		}
		return i
	}
	none := func(int) int { return 0 }
	issues := newChainTable(total, none)
	// A comment is found by the issue it refers to.
	comments := newChainTable(total, comment)
	switch c.depth {
	case 1: // an issue refers to its author
		issues = newChainTable(total, group)
		return []*chainTable{issues, newChainTable(2, none)}
	case 2:
		authors := newChainTable(2, none)
		return []*chainTable{issues, comments, authors}
	}
	authors := newChainTable(total, func(i int) int { return group(comment(i)) })
	return []*chainTable{issues, comments, authors, newChainTable(2, none)}
}

// chainGroup is the author of a comment at depth 2: that of its issue.
type chainGroup struct {
	c chain
	t *chainTable
}

func (k chainGroup) Key(row uint32) (uint8, uint64, bool) {
	if k.t.ref(k.t.id(row)) > k.c.n {
		return 0, 2, true
	}
	return 0, 1, true
}

// chainRun is what came of a rename.
type chainRun struct {
	keys    []int
	delta   string
	changes int
	scanned int
}

// run renames the row that decides on n issues, and renames it back.
func (c chain) run(t *testing.T, way cellWay) (away, back chainRun) {
	tables := c.tables()
	g := NewGraph()
	for _, s := range tables {
		s.node, _ = g.Add(s.store)
	}
	last := tables[len(tables)-1]
	names := NewFilter(last)
	nodes := []NodeID{}
	add := func(op Operator, ins ...NodeID) NodeID {
		id, err := g.Add(op, ins...)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, id)
		return id
	}
	at := add(names, last.node)
	var top Fetchable = names
	for i := len(tables) - 2; i >= 0; i-- {
		parent, child := tables[i], tables[i+1]
		var parentKey, childKey Keyer = chainRef{parent}, chainID{child}
		if i == 0 && c.depth > 1 {
			parentKey, childKey = chainID{parent}, chainRef{child} // issue.id = comment.issue
		}
		if i == 1 && c.depth == 2 {
			group := chainGroup{c, parent}
			h := NewHash()
			for j := 1; j <= parent.n; j++ {
				_, bits, _ := group.Key(uint32(j))
				h.Add(0, bits, uint32(j))
			}
			parent.store.AddKey(group, h)
			parentKey = group
		}
		if i == 1 && c.depth == 3 {
			parentKey = chainID{parent} // a comment's author has its number
		}
		e, err := NewExists(ExistsSpec{ParentKey: parentKey, ChildKey: childKey, Flip: way.flip})
		if err != nil {
			t.Fatal(err)
		}
		at, top = add(e, parent.node, at), e
	}
	issues := tables[0]
	spec := WindowSpec{Order: issues, Keys: issues, Pins: issues, Limit: uint32(c.limit), Cushion: Cushion{Fixed: true, Start: 2}}
	if !way.retain {
		pull, err := NewPull(top, issues)
		if err != nil {
			t.Fatal(err)
		}
		spec.Source = pull
	}
	win, _ := NewWindow(spec)
	win.w.mode = way.mode
	id := add(win, at)
	sink := &cellSink{}
	add(NewOutput(OutputSpec{Sink: sink, Keys: issues}), id)
	if err := g.Hydrate(nodes...); err != nil {
		t.Fatal(err)
	}
	step := func() chainRun {
		sink.delta = Delta{}
		_ = g.PushChanges(last.node, []Change{last.rename(1)})
		stats, err := g.Run()
		if err != nil {
			t.Fatal(err)
		}
		return chainRun{sink.mirror, canonical(&sink.delta), sink.delta.Ops(), stats.RowsScanned}
	}
	return step(), step()
}

// shows is what the window holds, from the rule, while the name is the one
// asked for or not.
func (c chain) shows(named bool) []seqRow {
	first := 1
	if !named {
		first = c.n + 1
	}
	rows := []seqRow{}
	for i := first; i <= c.n+c.survivors && len(rows) < c.limit; i++ {
		rows = append(rows, seqRow{i, i, ""})
	}
	return rows
}

func (c chain) check(t *testing.T, way cellWay, what string, got chainRun, from, to []seqRow) {
	t.Helper()
	name := fmt.Sprintf("%+v %s %+v", c, what, way)
	if want := definedDelta(from, to); got.delta != want {
		t.Errorf("%s: %s, want %s", name, got.delta, want)
	}
	if got.changes > 2*c.limit {
		t.Errorf("%s: %d changes", name, got.changes)
	}
	if got.scanned > 20*c.n {
		t.Errorf("%s: %d rows scanned", name, got.scanned)
	}
}

// Every cell of the file, in every strategy and flipped or not.
func TestWindow_ChainCells(t *testing.T) {
	for _, cell := range loadCells(t, "testdata/chain-cells.json") {
		s := cell.Setup
		c := chain{s.N, s.Limit, s.Depth, s.Survivors, s.Opposed}
		for _, step := range cell.Steps {
			for _, way := range chainWays() {
				got, back := c.run(t, way)
				if step.Action == "back" {
					got = back
				}
				e := step.Expect
				want := fmt.Sprint(e.Delta.Leaves, e.Delta.Moves, e.Delta.Enters, e.Delta.Updates)
				if !slices.Equal(got.keys, e.Keys) || got.changes > e.MaxChanges || got.delta != want {
					t.Errorf("%s, %+v: %s, want %s", cell.Name, way, got.delta, want)
				}
			}
		}
	}
}

func chainWays() []cellWay {
	ways := []cellWay{{retain: true}}
	for _, flip := range []Flip{FlipByCost, FlipNever, FlipAlways} {
		ways = append(ways, cellWay{flip: flip, mode: refetchNever}, cellWay{flip: flip, mode: refetchAlways})
	}
	return append(ways, cellWay{})
}

// One rename at the far end of a chain of any depth sends at most twice the
// limit, whatever the order of the inner rows, and looks at a number of rows
// that is linear in those it decides on.
func TestWindow_AChainOfExistsSendsAtMostTwiceItsLimit(t *testing.T) {
	sizes := []int{2000}
	if !testing.Short() {
		sizes = append(sizes, 8000)
	}
	for _, n := range sizes {
		for _, depth := range []int{1, 2, 3} {
			for _, opposed := range []bool{false, true} {
				for _, survivors := range []int{0, 50} {
					if n > 2000 && (depth < 3 || !opposed || survivors == 0) {
						continue
					}
					c := chain{n, 10, depth, survivors, opposed}
					for _, way := range chainWays() {
						away, back := c.run(t, way)
						c.check(t, way, "away", away, c.shows(true), c.shows(false))
						c.check(t, way, "back", back, c.shows(false), c.shows(true))
					}
				}
			}
		}
	}
}
