package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// built is a query of any form, compiled: its nodes, and how its rows are told.
type built struct {
	live  *Live
	plain bool // its rows go by the ids they have in its source
	holds *holds
	rel   *relation
	parts []reader // the values of its rows
	looks *looks
}

// compile builds in the nodes. On an error everything is as before.
func (b *built) compile() error {
	l := b.live
	e := l.engine
	b.holds = &holds{engine: e}
	err := b.add()
	if err != nil {
		b.release()
		l.output, l.window = noNode, noNode
	}
	return err
}

func (b *built) add() error {
	l := b.live
	c := &compiler{engine: l.engine, holds: b.holds, live: l}
	if err := c.enrootAll(l.plan); err != nil {
		return err
	}
	rel, err := c.plan(l.plan, nil)
	if err != nil {
		return err
	}
	if err := c.own(rel); err != nil {
		return err
	}
	if err := c.showRows(rel, b.plain); err != nil {
		return err
	}
	b.rel, l.space, l.shape, l.window = rel, rel.space, rel.shape, rel.window
	if err := rel.space.ready(); err != nil {
		return err
	}
	values := rel.values
	if b.plain {
		values = rel.computed
	}
	if b.parts, err = b.holds.shownBy(values, rel.space); err != nil {
		return err
	}
	b.looks = &looks{live: l}
	if err := b.looks.at(b.holds, rel); err != nil {
		return err
	}
	l.output, err = b.holds.add(d2.NewOutput(d2.OutputSpec{Sink: l, Keys: rel.space}), rel.node)
	return err
}

// part reads a value as a part of rows. Where the row it is a value of is not there
// at all, as that of an outer join's side, the cell is undefined with 1 as its value, so
// that a row can be told from one whose values are undefined.
func (h *holds) part(e *query.Expr, s space) (reader, error) {
	r, err := h.passing(e, s)
	if err != nil {
		return r, err
	}
	p := &guardedPart{reader: r}
	guards, _ := e.Guarded()
	for _, g := range guards {
		if g.Op != query.OpRef || !s.leaves()[g.Leaf].there {
			continue // whether an object that is spread is one
		}
		if r, err = h.reader(g, s); err != nil {
			return nil, err
		}
		p.guards = append(p.guards, r)
	}
	if len(p.guards) == 0 {
		return p.reader, nil
	}
	return p, nil
}

type guardedPart struct {
	reader
	guards []reader
}

func (p *guardedPart) missing(row uint32) bool {
	for _, g := range p.guards {
		if g.of(row).Absent() {
			return true
		}
	}
	return false
}

func (p *guardedPart) of(row uint32) value.Cell {
	if p.missing(row) {
		return value.Cell{Kind: value.KindUndefined, Val: 1}
	}
	return p.reader.of(row)
}

func (b *built) release() {
	if b.holds != nil {
		b.holds.GiveBack(b.live.engine.out)
	}
}

// hydrate fills the nodes and returns the content in order.
func (b *built) hydrate() ([]uint32, error) {
	l := b.live
	e := l.engine
	before := len(e.due)
	if err := e.graph.Hydrate(b.holds.fresh...); err != nil {
		return nil, err
	}
	// The output has told the live collection of everything.
	e.due = e.due[:before]
	l.settle()
	err := l.failure
	l.failure = nil
	if err == nil {
		if err = e.graph.Failed(l.output); err == nil && l.window != noNode {
			return e.graph.Rows(l.window, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	return b.unordered(nil)
}

// unordered appends the rows there are, by key.
func (b *built) unordered(dst []uint32) ([]uint32, error) {
	l := b.live
	diffs, err := l.engine.graph.Snapshot(l.output)
	if err != nil {
		return dst, err
	}
	start := len(dst)
	for _, d := range diffs {
		dst = append(dst, d.Row)
	}
	slices.SortFunc(dst[start:], l.space.compareKeys)
	return dst, nil
}

// show tells the parts of rows: of a plain query the values it computes.
func (b *built) show(rows []uint32) (*collection.Parts, error) {
	if len(rows) == 0 || b.plain && len(b.parts) == 0 {
		return nil, nil
	}
	if b.plain {
		return b.holds.shown(rows, nil, b.parts)
	}
	return b.holds.shown(rows, b.rel.slots, b.parts)
}

// shown writes the parts of rows.
func (h *holds) shown(rows []uint32, slots [][]hop, values []reader) (parts *collection.Parts, err error) {
	defer contain(&err)
	parts = &collection.Parts{N: len(rows), Cells: make([]collection.Cells, len(values))}
	if len(slots) > 0 {
		parts.Slots = make([]uint32, 0, len(rows)*len(slots))
		for _, row := range rows {
			for _, w := range slots {
				parts.Slots = append(parts.Slots, walk(w, row))
			}
		}
	}
	for i, r := range values {
		c := &parts.Cells[i]
		c.N, c.Kinds, c.Vals = len(rows), make([]uint8, len(rows)), make([]float64, len(rows))
		if err := readAll(r, rows, func(j int, cell value.Cell) { c.Kinds[j], c.Vals[j] = cell.Kind, cell.Val }); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// readAll visits the values of rows; what the shell must be asked for it is asked
// at once.
func readAll(r reader, rows []uint32, visit func(i int, c value.Cell)) error {
	switch r := r.(type) {
	case *programAt:
		return r.prog.Cells(rows, visit)
	case *guardedPart:
		return readAll(r.reader, rows, func(i int, c value.Cell) {
			if r.missing(rows[i]) {
				c = value.Cell{Kind: value.KindUndefined, Val: 1}
			}
			visit(i, c)
		})
	case *memoAt:
		if err := r.warm(rows); err != nil {
			return err
		}
	}
	for i, row := range rows {
		visit(i, r.of(row))
	}
	return nil
}

// contain turns what a reader or an order panics with into an error.
func contain(err *error) {
	switch v := recover().(type) {
	case nil:
	case d2.SourceFault:
		*err = v.Err
	case d2.OrderFault:
		*err = v.Err
	default:
		panic(v)
	}
}

// condition compiles conditions over the rows a live collection shows.
func (l *Live) condition(where []*query.Expr) (*query.Program, *holds, error) {
	h := &holds{engine: l.engine}
	var all []*query.Expr
	for _, w := range query.Conjuncts(where) {
		all = append(all, l.shape.Rewrite(w))
	}
	prog, err := h.compile(all, l.space)
	if err != nil {
		h.GiveBack(l.engine.out)
		return nil, nil, err
	}
	return prog, h, nil
}

// find evaluates a query over a live collection that is not plain.
func (l *Live) find(q *query.Query) (rows []uint32, err error) {
	defer contain(&err)
	all, err := l.content(nil)
	if err != nil {
		return nil, err
	}
	prog, held, err := l.condition(q.Where)
	if err != nil {
		return nil, err
	}
	defer held.GiveBack(l.engine.out)
	if rows, err = prog.Select(all, nil); err != nil || len(q.Order) == 0 {
		return rows, err
	}
	terms := make([]query.Term, len(q.Order))
	for i, t := range q.Order {
		terms[i] = query.Term{Expr: l.shape.Rewrite(t.Expr), Term: t.Term}
	}
	order, err := held.order(terms, l.space)
	if err != nil {
		return nil, err
	}
	d2.SortSlots(rows, order, order.OrderKey)
	rows = rows[min(len(rows), int(q.Offset)):]
	if q.Limit != query.Unlimited && uint64(len(rows)) > uint64(q.Limit) {
		rows = rows[:q.Limit]
	}
	return rows, nil
}
