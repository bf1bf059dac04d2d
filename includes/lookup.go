package includes

import (
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// A join whose right side has one row a value, as that of a reference to a
// public key, retains nothing: the right row of each left row is looked up when
// the pair is asked for, and a window above asks for what it shows.

// lead is a root whose rows are what those of a relation begin with: it can be
// fetched from by their keys and in their orders.
type lead struct {
	root  *rootNode
	pairs []*d2.Pairs // that the rows lie in, outermost first
}

// keyer is a key of the root's rows as one of the relation's.
func (l *lead) keyer(by d2.Keyer) d2.Keyer {
	for i := len(l.pairs) - 1; i >= 0; i-- {
		by = d2.LeftKeyer{Pairs: l.pairs[i], By: by}
	}
	return by
}

// order is an order of the root's rows as one of the relation's.
func (l *lead) order(o d2.Order) d2.Order {
	for i := len(l.pairs) - 1; i >= 0; i-- {
		o = d2.LeftOrder{Pairs: l.pairs[i], Order: o}
	}
	return o
}

// lookup joins by looking up the right rows, if they can be; otherwise it returns
// nil.
func (c *compiler) lookup(left, right *relation, on, with *query.Expr, how query.JoinType) (*relation, error) {
	if how > query.JoinLeft || left.lead == nil || left.loop || !isColumn(on) {
		return nil, nil
	}
	if right.asked != nil {
		return c.lookedUp(left, right, on, right.node, right.asked, how)
	}
	if right.lead == nil || len(right.lead.pairs) > 0 || right.loop || !isColumn(with) {
		return nil, nil
	}
	if key, err := right.lead.root.keyPath(); err != nil || !slices.Equal(key, with.Path) {
		return nil, err
	}
	if right.node == right.lead.root.input {
		at, err := c.holds.standing(right.lead.root, with.Path)
		if err != nil {
			return nil, err
		}
		return c.lookedUp(left, right, on, at, nil, how)
	}
	by, err := c.holds.offer(right.lead.root, with.Path)
	if err != nil {
		return nil, err
	}
	return c.lookedUp(left, right, on, right.node, by, how)
}

// lookedUp joins a relation with what a node answers by a key, that of its
// arrangement if by is nil.
func (c *compiler) lookedUp(left, right *relation, on *query.Expr, at d2.NodeID, by d2.Keyer, how query.JoinType) (*relation, error) {
	leftBy, err := c.holds.offer(left.lead.root, on.Path)
	if err != nil {
		return nil, err
	}
	s := newPairSpace(c.engine, left.space, right.space)
	op, err := d2.NewJoinOne(d2.JoinOneSpec{LeftKey: left.lead.keyer(leftBy), RightKey: by, Outer: how == query.JoinLeft, Pairs: s.pairs})
	if err != nil {
		return nil, err
	}
	rel := c.paired(s, left, right, how)
	rel.lead = &lead{left.lead.root, append([]*d2.Pairs{s.pairs}, left.lead.pairs...)}
	rel.loose = true
	rel.node, err = c.holds.add(op, left.node, at)
	return rel, err
}

// isColumn tells whether an expression is a column of what a relation's rows
// begin with.
func isColumn(e *query.Expr) bool {
	return e.Op == query.OpRef && e.Leaf == 0 && len(e.Path) > 0
}

// keyPath returns the path of the root's public keys, nil if nobody knows.
func (r *rootNode) keyPath() ([]string, error) {
	s, ok := r.shell.(collection.Keyed)
	if !ok || r.key != nil {
		return r.key, nil
	}
	var err error
	r.key, err = s.KeyPath(r.ID)
	return r.key, err
}

// own has the rows of a relation referred to as long as they are part of it.
func (c *compiler) own(rel *relation) (err error) {
	if !rel.loose {
		return nil
	}
	s := rel.space.(*pairSpace)
	rel.loose, rel.lead = false, nil
	rel.node, err = c.holds.add(d2.NewOwned(d2.NewMap(itself{}), s.table), rel.node)
	return err
}

// itself is d2.Mapper of rows that stay what they are.
type itself struct{}

// Map implements d2.Mapper.
func (itself) Map(row uint32) uint32 { return row }

// Injective implements d2.Injective.
func (itself) Injective() bool { return true }

// references is d2.Pins of who refers to the rows it holds.
type references struct{ space }

// Pin implements d2.Pins.
func (r references) Pin(row uint32) { r.ref(row) }

// Unpin implements d2.Pins.
func (r references) Unpin(row uint32) { r.unref(row) }

// pulled has a window read its rows in order from where they are, if there is a
// limit and that can be done.
func (c *compiler) pulled(rel *relation, p *query.Plan, terms []query.Term, spec *d2.WindowSpec) (bool, error) {
	if rel.lead == nil || p.Limit == query.Unlimited || rel.few(p) {
		return false, nil
	}
	from, ok := c.engine.graph.Operator(rel.node).(d2.Fetchable)
	if !ok {
		return false, nil
	}
	for _, t := range terms {
		leads := true
		t.Expr.EachRef(func(e *query.Expr) { leads = leads && e.Op == query.OpRef && e.Leaf == 0 })
		if !leads {
			return false, nil
		}
	}
	order, err := c.holds.lease(rel.lead.root).Order(terms, true)
	if err != nil {
		return false, err
	}
	led := rel.lead.order(order)
	source, err := d2.NewPull(from, led)
	if err == d2.ErrNoFetch {
		return false, nil
	}
	spec.Order, spec.Source = led, source
	return err == nil, err
}

// asksGroups tells whether a join looks up groups by what they are grouped by: only
// those asked for are folded then.
func (c *compiler) asksGroups(left *relation, j *query.Join) bool {
	q := j.From.Plan
	if j.From.Kind != query.FromPlan || j.Type > query.JoinLeft || left.lead == nil || left.loop || len(q.GroupBy) != 1 || !q.HasSelect ||
		q.From.Kind != query.FromCollection || len(q.Joins) > 0 || q.Distinct || q.Key != 0 || len(q.Order) > 0 {
		return false
	}
	l, r := j.Left, j.Right
	if a := aliases(r); len(a) != 1 || a[0] != j.From.Alias {
		l, r = r, l
	}
	if on, err := left.scope.rewrite(l); err != nil || !isColumn(on) {
		return false
	}
	if r.Op != query.OpRef || len(r.Path) != 2 || r.Path[0] != j.From.Alias {
		return false
	}
	for _, e := range q.Select {
		if !e.Spread && len(e.Path) == 1 && e.Path[0] == r.Path[1] {
			return e.Expr.ID() == q.GroupBy[0].ID() && e.Expr.Op == query.OpRef
		}
	}
	return false
}

// askedGroup adds a group operator of which only the groups asked for are folded,
// over a column of what is grouped; by is what they are asked by.
func (c *compiler) askedGroup(op *d2.Group, s *cellSpace, rel *relation, key *query.Expr) (at d2.NodeID, by d2.Keyer, err error) {
	of, err := c.holds.offer(rel.lead.root, key.Path)
	if err != nil {
		return noNode, nil, err
	}
	value, err := c.holds.reader(query.Leaf(0), s)
	if err != nil {
		return noNode, nil, err
	}
	by = &keyer{value}
	asked, err := d2.NewAskedGroup(op, d2.AskedGroupSpec{By: of, Keyer: by, Split: kindsOf})
	if err != nil {
		return noNode, nil, err
	}
	at, err = c.holds.add(asked, rel.node)
	return at, by, err
}

// kindsOf yields the kinds of values that a join takes for the same: groups tell
// dates from numbers.
func kindsOf(class uint8, bits uint64, yield func(class uint8, bits uint64)) {
	yield(class, bits)
	if class == value.KindNumber {
		yield(value.KindDate, bits)
	}
}

// equality is that the value of a column of what rows begin with is one of cells.
type equality struct {
	by    *collection.Hashing
	cells []value.Cell
}

// few tells whether an equality leaves so few rows that sorting them is cheaper
// than reading in order past the others: with M among R rows that passes
// need*R/M.
func (r *relation) few(p *query.Plan) bool {
	if r.equal == nil {
		return false
	}
	m, need := float64(r.equal.by.Count(r.equal.cells)), float64(p.Offset)+float64(p.Limit)
	return m*m < need*float64(r.lead.root.Len())
}

// offer lets the stores of a root be fetched from by a column.
func (h *holds) offer(r *rootNode, path []string) (*collection.Hashing, error) {
	by, err := h.lease(r).Hash(path)
	if err != nil {
		return nil, err
	}
	graph := h.engine.graph
	if r.offered == nil {
		r.offered = map[*collection.Hashing]int{}
	}
	stores := [2]d2.NodeID{r.input, r.routed}
	if r.offered[by]++; r.offered[by] == 1 {
		for _, n := range stores {
			graph.Operator(n).(*d2.Store).AddKey(by, by.Rows())
		}
	}
	h.undo = append(h.undo, func() {
		if r.offered[by]--; r.offered[by] > 0 {
			return
		}
		delete(r.offered, by)
		for _, n := range stores {
			if s, ok := graph.Operator(n).(*d2.Store); ok {
				s.DropKey(by)
			}
		}
	})
	return by, nil
}
