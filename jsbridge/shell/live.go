package shell

import "fmt"

// Live is a live query: its rows are at all times those of the query over the
// current rows of its source.
type Live struct {
	relation
	query Query
}

// Check tells what is wrong with a query, without starting it.
func (db *DB) Check(q Query) error {
	m := command(opCheckQuery, 1)
	var ids []uint32
	if err := db.writeQuery(m, q, &ids); err != nil {
		return err
	}
	return db.run(m)
}

// Query starts a live query. Its rows are there when the call returns; its
// status follows the source's.
func (db *DB) Query(q Query) (*Live, error) {
	if q.source == nil {
		return nil, &Error{Code: CodeUnknownCollection, Path: "from", Message: "a query needs a source: begin with From"}
	}
	source := q.source.rel()
	l := &Live{query: q}
	l.relation = relation{
		db: db, id: db.fresh(), name: q.name, root: source.root, source: source, tmpl: newTemplate(q.fields),
		mirror: newMirror(len(q.terms) > 0), rows: map[uint32]any{}, computed: map[uint32][]byte{},
		subs: map[uint32]*Subscription{},
	}
	if l.name == "" {
		l.name = fmt.Sprintf("live-query-%d", l.id)
	}
	started, err := l.start()
	if !started {
		return nil, err
	}
	return l, err
}

// Start computes the query anew after a Cleanup.
func (l *Live) Start() error {
	_, err := l.start()
	return err
}

func (l *Live) start() (started bool, err error) {
	db := l.db
	if l.source.db != db {
		return false, &Error{Code: CodeUnknownCollection, Path: "from", Message: "the source belongs to another database"}
	}
	m := command(opStartQuery, 5)
	m.u32(l.id)
	m.u32(l.source.id)
	l.writeName(m)
	ids := []uint32{db.texts.id(kindString, l.name)}
	if err := db.writeQuery(m, l.query, &ids); err != nil {
		return false, err
	}
	db.texts.write(m, ids)
	known := db.relations[l.id] != nil
	db.relations[l.id] = &l.relation
	started, err = db.exec(m)
	if !started && !known {
		delete(db.relations, l.id)
	}
	return started, err
}

// Cleanup ends the query and drops its rows. Queries over it fail. Doing it
// twice does nothing.
func (l *Live) Cleanup() error {
	if l.status == CleanedUp {
		return nil
	}
	err := l.db.simple(opCleanup, l.id)
	l.release()
	return err
}

// release lets go of a live query that the engine has forgotten: one that is
// cleaned up and has no subscriber.
func (r *relation) release() {
	if r.source != nil && r.status == CleanedUp && len(r.subs) == 0 {
		delete(r.db.relations, r.id)
	}
}

// MarkError fails the query from outside, until it is cleaned up.
func (l *Live) MarkError() error { return l.db.simple(opMarkError, l.id) }

// SetWindow moves the window of a query that has an order.
func (l *Live) SetWindow(offset, limit uint32) error {
	return l.db.simple(opSetWindow, l.id, offset, limit)
}

// Find evaluates a query once and returns keys and rows in order. The query must
// have no select.
func (db *DB) Find(q Query) ([]Entry, error) {
	if q.source == nil || q.fields != nil {
		return nil, &Error{Code: CodeBadMessage, Path: "find", Message: "takes a query with a source and without a select"}
	}
	r := q.source.rel()
	m := command(opFind, 3)
	m.u32(r.id)
	var ids []uint32
	if err := db.writeQuery(m, q, &ids); err != nil {
		return nil, err
	}
	db.texts.write(m, ids)
	r.found = nil
	err := db.run(m)
	entries := make([]Entry, 0, len(r.found)/2)
	for i := 0; i+1 < len(r.found); i += 2 {
		entries = append(entries, Entry{Key: r.root.keyByID(r.found[i]), Row: r.row(r.found[i+1])})
	}
	return entries, err
}

// writeQuery writes a query and collects the texts of its constants.
func (db *DB) writeQuery(m *message, q Query, ids *[]uint32) error {
	// Collations are declared by commands of their own, so before anything is interned.
	collations := make([]uint32, len(q.terms))
	for i, t := range q.terms {
		var err error
		if collations[i], err = db.locale(t.locale); err != nil {
			return err
		}
	}
	m.array(5)
	m.array(len(q.where))
	for _, w := range q.where {
		db.writeExpr(m, w, ids)
	}
	if q.fields == nil {
		m.nil()
	} else {
		m.array(len(q.fields))
		for _, f := range q.fields {
			db.writeField(m, f, ids)
		}
	}
	m.array(len(q.terms))
	for i, t := range q.terms {
		m.array(4)
		db.writeExpr(m, t.expr, ids)
		m.uint(bit(t.desc))
		m.uint(bit(t.last))
		m.u32(collations[i])
	}
	for _, n := range []*uint32{q.offset, q.limit} {
		if n == nil {
			m.nil()
		} else {
			m.u32(*n)
		}
	}
	return nil
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (m *message) path(path []string) {
	m.array(len(path))
	for _, name := range path {
		m.str(name)
	}
}

func (db *DB) writeField(m *message, f Field, ids *[]uint32) {
	if f.spread {
		m.array(3)
		m.path(f.path)
		m.nil()
		m.path(f.ref)
		return
	}
	m.array(2)
	m.path(f.path)
	db.writeExpr(m, f.expr, ids)
}

func (db *DB) writeExpr(m *message, e Expr, ids *[]uint32) {
	switch e.op {
	case opRef:
		m.array(2)
		m.uint(uint64(opRef))
		m.path(e.path)
	case opConst:
		m.array(3)
		m.uint(uint64(opConst))
		db.writeCell(m, e.value, ids)
	case opCall:
		m.array(2 + len(e.args))
		m.uint(uint64(opCall))
		m.str(e.name)
		for _, a := range e.args {
			db.writeExpr(m, a, ids)
		}
	case opList:
		m.array(1 + len(e.list))
		m.uint(uint64(opList))
		for _, v := range e.list {
			m.array(2)
			db.writeCell(m, v, ids)
		}
	}
}

func (db *DB) writeCell(m *message, v any, ids *[]uint32) {
	kind, val := db.texts.cell(v)
	m.uint(uint64(kind))
	m.num(val)
	if kind >= kindString && kind <= kindTemporal {
		*ids = append(*ids, uint32(val))
	}
}
