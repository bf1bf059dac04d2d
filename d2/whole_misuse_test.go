package d2_test

import (
	"errors"
	"math"
	"testing"

	"millrace.dev/millrace/d2"
)

// toRow maps everything to one row, keyless keys every row by a number of its
// own at every call, pick is a predicate that answers what it likes.
type (
	toRow   uint32
	keyless struct{ n *uint64 }
	byRow   struct{}
	pick    func(rows, keep []uint32) []uint32
)

func (m toRow) Map(uint32) uint32 { return uint32(m) }

func (k keyless) Key(uint32) (class uint8, bits uint64, ok bool) {
	*k.n++
	return 0, *k.n, true
}

func (byRow) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, uint64(row), true }

func (p pick) Select(rows, keep []uint32) ([]uint32, error) { return p(rows, keep), nil }

// tally counts what a sink is told.
type tally struct {
	rows  int
	cause error
}

func (t *tally) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		t.rows += int(d.Weight)
	}
}
func (t *tally) Fail(err error) { t.cause = err }

// Whatever a query is given that it should not have been: an error by name, when
// it is built or when it runs, that other queries do not notice; and it can be
// reset, and dropped.
func TestWhole_MisuseIsContained(t *testing.T) {
	table := func() *d2.Table { return d2.NewTable(1) }
	one := func(rows ...uint32) []d2.Diff {
		var batch []d2.Diff
		for _, row := range rows {
			batch = append(batch, d2.Diff{Row: row, Weight: 1})
		}
		return batch
	}
	same := func(row uint32, weights ...int32) [][]d2.Diff {
		var batches [][]d2.Diff
		for _, w := range weights {
			batches = append(batches, []d2.Diff{{Row: row, Weight: w}})
		}
		return batches
	}
	var n uint64
	predicate := func(p pick) func() d2.Operator { return func() d2.Operator { return d2.NewFilter(p) } }
	cases := []struct {
		name    string
		op      func() d2.Operator
		batches [][]d2.Diff
		want    error
		early   bool // refused when it is built
	}{
		{name: "a filter without a predicate", op: func() d2.Operator { return d2.NewFilter(nil) }, want: d2.ErrNoPredicate, early: true},
		{name: "an output without a sink", op: func() d2.Operator { return d2.NewOutput(d2.OutputSpec{}) }, want: d2.ErrNoSink, early: true},
		{name: "no operator", op: func() d2.Operator { return nil }, want: d2.ErrNoOperator, early: true},
		{name: "owned rows without a table", op: func() d2.Operator { return d2.NewOwned(d2.NewMap(toRow(1)), nil) }, want: d2.ErrNoTable, early: true},
		{name: "owning what has state", op: func() d2.Operator { return d2.NewOwned(d2.NewDistinct(), table()) }, want: d2.ErrNotLinear, early: true},
		{name: "a group with no aggregate in a place", op: func() d2.Operator { return d2.NewGroup(byRow{}, nil, nil) }, want: d2.ErrNoAggregate, early: true},
		{name: "a group with a narrow table", op: func() d2.Operator { return d2.NewCount(byRow{}, table()) }, want: d2.ErrGroupWidth, early: true},
		{name: "a reduction of what is not arranged", op: func() d2.Operator { return d2.NewReduce(nil, d2.LeastRow(nil), nil) }, want: d2.ErrNotArranged, early: true},
		{name: "a join of what is not arranged", op: func() d2.Operator { return d2.NewJoin(d2.JoinSpec{}) }, want: d2.ErrNotArranged, early: true},
		{name: "owned rows that were never interned", op: func() d2.Operator { return d2.NewOwned(d2.NewMap(toRow(7)), table()) }, want: d2.ErrFreed},
		{name: "owned rows that are none", op: func() d2.Operator { return d2.NewOwned(d2.NewMap(toRow(d2.None)), table()) }, want: d2.ErrFreed},
		{name: "a reduction into a narrow table", op: func() d2.Operator {
			home := table()
			return d2.NewReduce(byRow{}, d2.RowCount(home), home)
		}, want: d2.ErrWidth},
		{name: "a predicate that keeps what it was not offered", op: predicate(func(rows, keep []uint32) []uint32 { return append(keep, 99) }), want: d2.ErrSelect},
		{name: "a predicate that keeps everything twice", op: predicate(func(rows, keep []uint32) []uint32 { return append(append(keep, rows...), rows...) }), want: d2.ErrSelect},
		{name: "a predicate that keeps the last row first", op: predicate(func(rows, keep []uint32) []uint32 { return append(keep, rows[1], rows[0]) }), want: d2.ErrSelect},
		{name: "a predicate that writes what it reads", op: predicate(func(rows, keep []uint32) []uint32 {
			for i := range rows {
				rows[i] = 5
			}
			return append(keep, rows...)
		}), want: d2.ErrSelect},
		{
			name: "a key that changes", op: func() d2.Operator { return d2.NewArrange(keyless{&n}) },
			batches: same(1, 1, -1), want: d2.ErrKeyChanged,
		},
		{
			name: "copies that do not fit", op: func() d2.Operator { return d2.NewDistinct() },
			batches: same(1, math.MaxInt32, 1), want: d2.ErrWeight,
		},
		{
			name: "the negative of the most negative weight", op: func() d2.Operator { return d2.NewNegate() },
			batches: same(1, math.MinInt32), want: d2.ErrWeight,
		},
		{
			name: "more leaves than was there", op: func() d2.Operator { return d2.NewCount(byRow{}, nil) },
			batches: same(1, 1, -2), want: d2.ErrNegative,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := d2.NewGraph()
			in, _ := g.Add(d2.NewInput(nil))
			other, mine := &tally{}, &tally{}
			_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: other}), in)
			node, err := g.Add(c.op(), in)
			if c.early {
				if !errors.Is(err, c.want) || g.Counters().Nodes != 2 {
					t.Fatalf("%v, want %v; %+v", err, c.want, g.Counters())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: mine}), node)
			if c.batches == nil {
				c.batches = [][]d2.Diff{one(1, 2)}
			}
			rows := 0
			for _, batch := range c.batches {
				for _, d := range batch {
					rows += int(d.Weight)
				}
				if err := g.Push(in, 0, batch); err != nil {
					t.Fatal(err)
				}
				if _, err := g.Run(); err != nil {
					t.Fatal(err)
				}
			}
			var at *d2.NodeError
			if !errors.Is(mine.cause, c.want) || !errors.As(mine.cause, &at) || at.Node != node {
				t.Errorf("failed with %v, want %v of node %d", mine.cause, c.want, node)
			}
			if other.rows != rows || other.cause != nil {
				t.Errorf("another query has %d rows of %d: %v", other.rows, rows, other.cause)
			}
			if err := g.Reset(node); err != nil || g.Failed(node) != nil {
				t.Errorf("reset: %v, %v", err, g.Failed(node))
			}
			if err := g.Drop(in); err != nil || g.Counters().Nodes+g.Counters().Retained != 0 {
				t.Errorf("drop: %v, %+v", err, g.Counters())
			}
		})
	}
}

// ways is a relation of edges, each the row of its number.
type ways struct{ from, to []uint32 }

func (w *ways) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 0, uint64(w.from[row]), true
}

func (w *ways) Project(_, edge uint32) uint32 { return w.to[edge] }

func (w *ways) add(from, to int) d2.Diff {
	w.from, w.to = append(w.from, uint32(from)), append(w.to, uint32(to))
	return d2.Diff{Row: uint32(len(w.from) - 1), Weight: 1}
}

// What a long way, a dense graph and a hub cost: visits by iteration, and
// differences by what has changed.
func TestWhole_RecursionAtSize(t *testing.T) {
	const long, dense, wide = 20_000, 100, 20_000
	w := &ways{}
	var edges, starts d2.NodeID
	told := &tally{}
	g := d2.NewGraph()
	if err := g.Extend(func(b *d2.Builder) {
		edges, starts = b.Add(d2.NewInput(nil)), b.Add(d2.NewInput(nil))
		by := b.Arrange(edges, w)
		x := b.Iterate(starts, func(x d2.NodeID) d2.NodeID {
			return b.Add(d2.NewJoin(d2.JoinSpec{Rows: w}), b.Arrange(b.Add(d2.NewDistinct(), x), byRow{}), by)
		})
		b.Add(d2.NewOutput(d2.OutputSpec{Sink: told}), b.Add(d2.NewDistinct(), x))
	}); err != nil {
		t.Fatal(err)
	}
	run := func(what string, rows, visits, changes int, start []d2.Diff, batch ...d2.Diff) {
		t.Helper()
		_ = g.Push(edges, 0, batch)
		_ = g.Push(starts, 0, start)
		s, err := g.Run()
		if err != nil || told.cause != nil || told.rows != rows {
			t.Fatalf("%s: %d places, want %d; %v %v", what, told.rows, rows, err, told.cause)
		}
		if s.Visits > visits || s.Changes > changes {
			t.Errorf("%s: %d visits and %d differences, at most %d and %d", what, s.Visits, s.Changes, visits, changes)
		}
	}
	from := []d2.Diff{{Row: 0, Weight: 1}}
	away := func(d ...d2.Diff) []d2.Diff {
		out := make([]d2.Diff, len(d))
		for i := range d {
			out[i] = d2.Diff{Row: d[i].Row, Weight: -d[i].Weight}
		}
		return out
	}

	var path []d2.Diff
	for i := range long {
		path = append(path, w.add(i, i+1))
	}
	run("a path", long+1, 4*long+10, 10*long, from, path...)
	run("cut in the middle", long/2+1, 2*long+10, 5*long, nil, away(path[long/2])...)
	run("mended", long+1, 2*long+10, 5*long, nil, path[long/2])
	run("taken away", 1, 4*long+10, 10*long, nil, away(path...)...)

	var all []d2.Diff
	for i := range dense {
		for j := range dense {
			all = append(all, w.add(i, j))
		}
	}
	run("a dense graph", dense, 20, 3*dense*dense, nil, all...)
	run("from elsewhere", dense, 20, 40, []d2.Diff{{Row: 0, Weight: -1}, {Row: 1, Weight: 1}})
	run("from nowhere", 0, 20, 10*dense, []d2.Diff{{Row: 1, Weight: -1}})
	run("taken away", 0, 20, 3*dense*dense, nil, away(all...)...)

	hub := w.add(0, 1)
	round := []d2.Diff{hub}
	for i := range wide { // they support each other, and the hub
		round = append(round, w.add(1, i+2), w.add(i+2, (i+1)%wide+2), w.add(i+2, 1))
	}
	run("a hub", wide+2, 40, 16*wide, from, round...)
	run("the way to the hub", 1, 40, 10*wide, nil, away(hub)...)
	run("taken away", 0, 20, 10*wide, away(from...), away(round[1:]...)...)
	if err := errors.Join(g.Release(edges), g.Drop(starts)); err != nil {
		t.Fatal(err)
	}
	if c := g.Counters(); c.Retained != 0 || c.Failed != 0 {
		t.Errorf("left: %+v", c)
	}
}
