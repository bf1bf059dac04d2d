package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// What the shell says of a row, by a callback or by showing it, is asked for once
// and remembered as long as the row's id lives: a row must leave as it came.

// sayer is something the shell says of the rows of a space: an object, of which
// values are read like those of a collection's row.
type sayer struct {
	holds    *holds
	rows     space
	kind, id uint32
	slots    [][]hop
	values   []reader
	memos    []*memo
}

// memo is what was said of rows at one path. It implements query.Reader.
type memo struct {
	of    *sayer
	path  []string
	flags uint32
	prog  *query.Program // instead of a sayer: what an expression gives
	id    string         // of the expression, if queries share it
	rows  space
	users int
	kinds []uint8 // by row; unsaid where nothing is known
	vals  []float64
	open  []uint32
	dict  *collection.Dict
}

const unsaid = ^uint8(0)

// said returns the memo of a path, which is kept until the holds are given back.
func (h *holds) said(s *sayer, path []string, content bool) *memo {
	flags := uint32(collection.CallText)
	if content {
		flags |= collection.CallContent
	}
	at := slices.IndexFunc(s.memos, func(m *memo) bool { return m.flags == flags && slices.Equal(m.path, path) })
	if at < 0 {
		at = len(s.memos)
		s.memos = append(s.memos, &memo{of: s, path: path, flags: flags, rows: s.rows, dict: h.engine.Dict})
	}
	m := s.memos[at]
	h.keep(m, func() {
		s.memos = slices.DeleteFunc(s.memos, func(o *memo) bool { return o == m })
	})
	return m
}

// keep holds a memo; gone is called when nobody does any more.
func (h *holds) keep(m *memo, gone func()) {
	if m.users++; m.users == 1 {
		m.rows.watch(m)
	}
	h.undo = append(h.undo, func() {
		if m.users--; m.users > 0 {
			return
		}
		m.rows.unwatch(m)
		m.clear()
		gone()
	})
}

// remembered is an expression that the shell computes, as a reader: asked for the
// same row it says the same.
func (h *holds) remembered(e *query.Expr, s space) (reader, error) {
	prog, err := h.ordered(e, s)
	if err != nil {
		return nil, err
	}
	id := ""
	var m *memo
	if !e.Pulls() {
		id = e.ID()
		m = s.remembered(id)
	}
	if m == nil {
		m = &memo{prog: prog, id: id, rows: s, dict: h.engine.Dict}
	}
	h.keep(m, func() {})
	return &memoAt{m, nil}, nil
}

func (m *memo) clear() {
	for i, k := range m.kinds {
		if k != unsaid {
			m.dict.Unref(value.Cell{Kind: k, Val: m.vals[i]})
		}
	}
	m.kinds, m.vals = nil, nil
}

// forget drops what was said of a row whose id is given up.
func (m *memo) forget(row uint32) {
	if int(row) < len(m.kinds) && m.kinds[row] != unsaid {
		m.dict.Unref(value.Cell{Kind: m.kinds[row], Val: m.vals[row]})
		m.kinds[row] = unsaid
	}
}

func (m *memo) knows(row uint32) bool { return int(row) < len(m.kinds) && m.kinds[row] != unsaid }

func (m *memo) set(row uint32, c value.Cell) {
	for int(row) >= len(m.kinds) {
		m.kinds, m.vals = append(m.kinds, unsaid), append(m.vals, 0)
	}
	m.dict.Ref(c)
	m.kinds[row], m.vals[row] = c.Kind, c.Val
}

// warm asks for what is not known yet of rows, all at once.
func (m *memo) warm(rows []uint32) error {
	open := m.open[:0]
	for _, row := range rows {
		if row != d2.None && !m.knows(row) {
			open = append(open, row)
		}
	}
	m.open = open[:0]
	if len(open) == 0 {
		return nil
	}
	slices.Sort(open)
	open = slices.Compact(open)
	if m.prog != nil {
		return m.prog.Cells(open, func(i int, c value.Cell) { m.set(open[i], c) })
	}
	s := m.of
	parts, err := s.holds.shown(open, s.slots, s.values)
	if err != nil {
		return err
	}
	cells, err := collection.ForeignOf(s.holds.engine.shell).Call(s.kind, s.id, m.path, m.flags, parts.N, parts.Slots, parts.Cells)
	if err != nil {
		return err
	}
	for i, row := range open {
		m.set(row, cells.At(i))
	}
	return nil
}

func (m *memo) at(row uint32) value.Cell {
	if row == d2.None {
		return value.Cell{}
	}
	if !m.knows(row) {
		one := [1]uint32{row}
		if err := m.warm(one[:]); err != nil {
			panic(d2.SourceFault{Err: err})
		}
	}
	return value.Cell{Kind: m.kinds[row], Val: m.vals[row]}
}

// memoAt reads a memo of a row that rows lead to; it implements query.Reader.
type memoAt struct {
	memo *memo
	walk []hop
}

func (m *memoAt) of(row uint32) value.Cell { return m.memo.at(walk(m.walk, row)) }

// Read implements query.Reader.
func (m *memoAt) Read(rows []uint32, kinds []uint8, vals []float64) (err error) {
	defer contain(&err)
	if err := m.warm(rows); err != nil {
		return err
	}
	for i, row := range rows {
		c := m.of(row)
		kinds[i], vals[i] = c.Kind, c.Val
	}
	return nil
}

// warm asks for what is not known of what rows lead to.
func (m *memoAt) warm(rows []uint32) error {
	if len(m.walk) == 0 {
		return m.memo.warm(rows)
	}
	to := make([]uint32, len(rows))
	for i, row := range rows {
		to[i] = walk(m.walk, row)
	}
	return m.memo.warm(to)
}

// warmer lets all rows pass and asks for what will be read of them one by one, all at
// once. It implements d2.Predicate.
type warmer []*memoAt

// Select implements d2.Predicate.
func (w warmer) Select(rows, keep []uint32) ([]uint32, error) {
	for _, m := range w {
		if err := m.warm(rows); err != nil {
			return keep, err
		}
	}
	return append(keep, rows...), nil
}

// warmed has what readers read of a relation's rows asked for in batches.
func (c *compiler) warmed(at d2.NodeID, readers ...reader) (d2.NodeID, error) {
	var w warmer
	for _, r := range readers {
		if m, ok := r.(*memoAt); ok {
			w = append(w, m)
		}
	}
	if len(w) == 0 {
		return at, nil
	}
	return c.holds.add(d2.NewFilter(w), at)
}

// watcher knows something of rows as long as their ids live.
type watcher interface{ forget(row uint32) }

// watchers are those of the rows of a space.
type watchers []watcher

func (w *watchers) watch(m watcher) { *w = append(*w, m) }
func (w *watchers) unwatch(m watcher) {
	*w = slices.DeleteFunc(*w, func(o watcher) bool { return o == m })
}

// remembered returns the memo of an expression, or nil.
func (w watchers) remembered(id string) *memo {
	for _, o := range w {
		if m, ok := o.(*memo); ok && m.prog != nil && m.id == id && id != "" {
			return m
		}
	}
	return nil
}

func (w watchers) forget(row uint32) {
	for _, m := range w {
		m.forget(row)
	}
}

// saidSpace is a space with a leaf more, of what the shell says of its rows.
type saidSpace struct {
	space
	all []leaf
}

func (s *saidSpace) leaves() []leaf { return s.all }

// ask adds what the shell says of a relation's rows, given by parts, as a leaf, and
// returns that.
func (c *compiler) ask(rel *relation, kind, id uint32, of parts) (*query.Expr, error) {
	if err := c.own(rel); err != nil {
		return nil, err
	}
	values, err := c.holds.shownBy(of.values, rel.space)
	if err != nil {
		return nil, err
	}
	under := rel.space.leaves()
	s := &sayer{holds: c.holds, rows: rel.space, kind: kind, id: id, slots: of.slots, values: values}
	rel.space = &saidSpace{rel.space, append(slices.Clone(under), leaf{say: s})}
	rel.said = true
	return query.Said(uint32(len(under))), nil
}

// showRows adds what the outermost query shows of its rows as a leaf, where what
// that is cannot be told from the leaves: the keys of rows it makes, and all that a
// callback makes.
func (c *compiler) showRows(rel *relation, plain bool) error {
	made := false
	if at, ok := rel.shape.Resolve(nil).Standing(); ok {
		made = rel.space.leaves()[at].say != nil
	}
	if plain && !made {
		return nil
	}
	leaf, err := c.ask(rel, collection.CallRow, c.live.ID, rel.made())
	if err != nil {
		return err
	}
	row := query.ValueShape(leaf)
	if made {
		rel.shape = row
	} else {
		rel.shape = rel.shape.Live(c.live.Name, row.Resolve([]string{"$key"}))
	}
	return nil
}

// filterBy confines a relation to rows that satisfy conditions of its scope;
// callbacks in them are given rows by parts.
func (c *compiler) filterBy(rel *relation, where []*query.Expr, of parts) error {
	var calls map[uint32]*query.Expr
	var err error
	v := visitor{expr: func(e *query.Expr) {
		if e.Op != query.OpPull || err != nil {
			return
		}
		if _, known := calls[e.Of]; known {
			return
		}
		if calls == nil {
			calls = map[uint32]*query.Expr{}
		}
		calls[e.Of], err = c.ask(rel, collection.CallFunction, e.Of, of)
	}}
	for _, e := range where {
		v.own(e)
	}
	if err != nil {
		return err
	}
	s := *rel.scope
	s.calls = calls
	list, err := s.rewriteAll(where)
	if err != nil {
		return err
	}
	return c.keep(rel, list)
}
