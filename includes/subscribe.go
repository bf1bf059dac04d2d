package includes

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// Subscribe adds a subscription to a collection that has been declared or
// started. With conditions it is told of rows that satisfy all of them.
func (e *Engine) Subscribe(col, sub uint32, mode collection.Mode, where []*query.Expr) error {
	if mode > collection.All {
		return refuse(CodeBadMessage, col, "a subscription's mode is 0, 1 or 2")
	}
	b := e.base(col)
	if b == nil {
		return refuse(CodeUnknownCollection, col, "no such collection")
	}
	if err := (&query.Query{Where: where}).Check(); err != nil {
		return err
	}
	s := b.Subscribe(sub, mode, where)
	if s == nil {
		return refuse(CodeBadMessage, col, "the subscription id is taken")
	}
	err := e.bind(col, s)
	if err == nil && mode == collection.Initial {
		err = e.greet(col, s)
	}
	if err != nil {
		s.Unbind(e.out)
		b.Unsubscribe(sub)
		return err
	}
	for _, w := range where {
		w.EachCell(e.Dict.Ref)
	}
	return nil
}

// greet tells a subscription of the present content.
func (e *Engine) greet(col uint32, s *collection.Subscription) error {
	if len(s.Where) == 0 {
		if err := e.ReadOrder(col); err != nil {
			return err
		}
		e.out.Emit(col, s.ID, collection.EmitContent, nil)
		return nil
	}
	rows, of, err := e.contentOf(col)
	if err != nil {
		return err
	}
	all := make([]d2.Change, len(rows))
	for i, row := range rows {
		all[i] = d2.Change{Key: of.KeyOf(row), Old: d2.None, New: row}
	}
	given, _ := s.Filter(all)
	e.out.Emit(col, s.ID, collection.EmitGiven, given)
	return nil
}

// bind compiles the condition of a subscription over the columns of the root
// below, if there are any at present.
func (e *Engine) bind(col uint32, s *collection.Subscription) error {
	if s.Bound() {
		return nil
	}
	var root *rootNode
	var shape query.Shape
	if l := e.lives[col]; l != nil {
		if l.output == noNode {
			return nil
		}
		if l.built != nil {
			prog, held, err := l.condition(s.Where)
			if err == nil {
				s.Bind(prog, held)
			}
			return err
		}
		root, shape = l.src.root, l.shape
	} else if root = e.roots[col]; root == nil || root.Status == collection.CleanedUp {
		return nil
	}
	lease := root.NewLease().During(e.out)
	where := make([]*query.Expr, 0, len(s.Where))
	for _, w := range s.Where {
		for _, c := range query.Conjuncts([]*query.Expr{w}) {
			where = append(where, shape.Rewrite(c))
		}
	}
	prog, err := query.Compile(where, lease, e.Dict)
	if err != nil {
		lease.Release()
		return err
	}
	s.Bind(prog, lease)
	return nil
}

// rebind compiles the conditions of subscriptions that outlived a cleanup. One
// whose columns cannot be read is told nothing.
func (e *Engine) rebind(b *collection.Base) {
	b.EachSubscription(func(s *collection.Subscription) { _ = e.bind(b.ID, s) })
}

// unbind gives back the columns of subscriptions' conditions.
func (e *Engine) unbind(b *collection.Base) {
	b.EachSubscription(func(s *collection.Subscription) { s.Unbind(e.out) })
}

// Unsubscribe removes a subscription.
func (e *Engine) Unsubscribe(col, sub uint32) error {
	b := e.base(col)
	var s *collection.Subscription
	if b != nil {
		s = b.Unsubscribe(sub)
	}
	if s == nil {
		return refuse(CodeUnknownCollection, col, "no such subscription")
	}
	s.Unbind(e.out)
	for _, w := range s.Where {
		w.EachCell(e.Dict.Unref)
	}
	if l := e.lives[col]; l != nil && l.Status == collection.CleanedUp && b.Subscriptions() == 0 {
		e.forgetLive(l)
	}
	return nil
}

// contentOf returns the content of a collection in order. One that failed has
// none any more.
func (e *Engine) contentOf(col uint32) ([]uint32, space, error) {
	if l := e.lives[col]; l != nil {
		if l.broken {
			return nil, l.space, nil
		}
		slots, err := l.content(e.slots[:0])
		if err == nil {
			e.slots = slots
		}
		return slots, l.space, err
	}
	r := e.roots[col]
	if r == nil {
		return nil, nil, refuse(CodeUnknownCollection, col, "no such collection")
	}
	slots, err := e.rootContent(r)
	return slots, r, err
}

// Snapshot tells a subscription of rows that satisfy its conditions and q's, in
// q's order, as far as it has not been told of them; from then on it knows
// them. A limit counts the rows that are told. Cost: that of Find.
func (e *Engine) Snapshot(col, sub uint32, q *query.Query) error {
	b := e.base(col)
	var s *collection.Subscription
	if b != nil {
		s = b.Find(sub)
	}
	if s == nil {
		return refuse(CodeUnknownCollection, col, "no such subscription")
	}
	if err := e.CheckQuery(q); err != nil {
		return err
	}
	limit := q.Limit
	whole := *q
	whole.Limit, whole.Offset, whole.Bounded = query.Unlimited, 0, false
	whole.Where = append(append([]*query.Expr(nil), s.Where...), q.Where...)
	var given []d2.Change
	if s.Mode == collection.Told && e.readable(col) {
		slots, of, err := e.find(col, &whole)
		if err != nil {
			return err
		}
		for _, slot := range slots {
			if uint32(len(given)) == limit {
				break
			}
			if key := of.KeyOf(slot); s.Learn(key) {
				given = append(given, d2.Change{Key: key, Old: d2.None, New: slot})
			}
		}
	}
	e.out.Emit(col, s.ID, collection.EmitGiven, given)
	return nil
}

// readable tells whether a collection has content that a query can be put to.
func (e *Engine) readable(col uint32) bool {
	if l := e.lives[col]; l != nil {
		return l.output != noNode && !l.broken
	}
	r := e.roots[col]
	return r != nil && r.Status != collection.CleanedUp
}

// Find evaluates a query once.
func (e *Engine) Find(src uint32, q *query.Query) error {
	if err := e.CheckQuery(q); err != nil {
		return err
	}
	slots, of, err := e.find(src, q)
	if err != nil {
		return err
	}
	if len(slots) == 0 {
		e.out.Found(src, nil)
		return nil
	}
	e.out.Found(src, e.pair(of, slots))
	return nil
}

// find evaluates a query that has been checked.
func (e *Engine) find(src uint32, q *query.Query) ([]uint32, space, error) {
	if r := e.roots[src]; r != nil && r.Status == collection.Idle && r.input == noNode {
		if err := e.enroot(r); err != nil {
			return nil, nil, err
		}
	}
	s, err := e.source(src)
	if err != nil {
		return nil, nil, err
	}
	if s.root == nil {
		rows, err := s.live.find(q)
		return rows, s.live.space, err
	}
	if s.root.input == noNode {
		return nil, s.root, nil
	}
	l := &Live{Base: collection.Base{ID: src, Name: s.root.Name}, engine: e, sources: []source{s}, src: s, query: q}
	if err := l.compile(); err != nil {
		return nil, nil, err
	}
	slots, err := l.hydrate()
	l.detach()
	return slots, s.root, err
}
