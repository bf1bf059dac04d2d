package shell

// Mode says which changes a subscriber is told of.
type Mode uint8

// The modes.
const (
	// Known: only of keys it was told of; the first it hears of a key is an insert.
	Known Mode = iota
	// WithInitial: of the content now, as inserts, then of every change.
	WithInitial
	// FromNow: of every change from now on.
	FromNow
)

// Op is what happened to a row.
type Op uint8

// The operations.
const (
	Insert Op = iota
	Update
	Delete
)

// String is the operation's name.
func (o Op) String() string { return [...]string{"insert", "update", "delete"}[min(o, Delete)] }

// Change is what happened to one row. Row is the row now, or the one that has
// gone; Previous the one before an update.
type Change struct {
	Op       Op
	Key      any
	Row      any
	Previous any
}

// Subscription is one subscriber of a collection or live query.
type Subscription struct {
	id       uint32
	relation *relation
	notify   func([]Change)
	ended    bool
}

// Subscribe calls notify with the net changes of every step, at most one per
// key. An empty batch tells that nothing but the order changed, or that the
// collection became ready. With conditions, all of which must be true, it is told of rows that come to
// satisfy them as inserts and of those that no longer do as deletes. The
// subscription outlives Cleanup.
func (r *relation) Subscribe(mode Mode, notify func([]Change), where ...Expr) (*Subscription, error) {
	s := &Subscription{id: r.db.fresh(), relation: r, notify: notify}
	r.subs[s.id] = s
	m := command(opSubscribe, 5)
	m.u32(r.id)
	m.u32(s.id)
	m.uint(uint64(mode))
	if len(where) == 0 {
		m.nil()
		m.nil()
	} else {
		var ids []uint32
		m.array(len(where))
		for _, w := range where {
			r.db.writeExpr(m, w, &ids)
		}
		r.db.texts.write(m, ids)
	}
	applied, err := r.db.exec(m)
	if !applied {
		delete(r.subs, s.id)
		return nil, err
	}
	return s, err
}

// Unsubscribe ends the subscription; nothing is told any more, not even what is
// queued. Ending it twice does nothing.
func (s *Subscription) Unsubscribe() error {
	if s.ended {
		return nil
	}
	s.ended = true
	delete(s.relation.subs, s.id)
	err := s.relation.db.simple(opUnsubscribe, s.relation.id, s.id)
	s.relation.release()
	return err
}

// takeEmit queues what a subscriber is told.
func (r *relation) takeEmit(sub, what uint32, triples []uint32) {
	s := r.subs[sub]
	if s == nil {
		return
	}
	var changes []Change
	switch what {
	case emitInstall:
		changes = r.changes(r.install)
	case emitGiven:
		changes = r.changes(triples)
	case emitContent:
		for key, row := range r.All() {
			changes = append(changes, Change{Op: Insert, Key: key, Row: row})
		}
	}
	r.db.tell("a subscriber of "+r.name, func() {
		if !s.ended {
			s.notify(changes)
		}
	})
}

func (r *relation) changes(triples []uint32) []Change {
	changes := make([]Change, 0, len(triples)/3)
	for i := 0; i+2 < len(triples); i += 3 {
		c := Change{Key: r.root.keyByID(triples[i])}
		before, after := triples[i+1], triples[i+2]
		switch {
		case before == none:
			c.Row = r.row(after)
		case after == none:
			c.Op, c.Row = Delete, r.row(before)
		default:
			c.Op, c.Row, c.Previous = Update, r.row(after), r.row(before)
		}
		changes = append(changes, c)
	}
	return changes
}
