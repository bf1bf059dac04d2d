package includes

import (
	"math"
	"slices"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// A callback may give the public key of rows (docs/queries.md). Rows of one key are
// one row, if they look the same and stand at the same place; otherwise the query
// fails.

// keyedSpace is a space of which a callback says the public keys of the rows. It
// implements watcher.
type keyedSpace struct {
	space
	engine *Engine
	key    *memoAt
	ids    *d2.Table // a row is a key id; words: class and value of the key
	keyOf  []uint32  // by row
}

// KeyOf implements d2.Keys.
func (s *keyedSpace) KeyOf(row uint32) uint32 {
	if int(row) < len(s.keyOf) && s.keyOf[row] != d2.None {
		return s.keyOf[row]
	}
	for int(row) >= len(s.keyOf) {
		s.keyOf = append(s.keyOf, d2.None)
	}
	class, bits, _ := s.Key(row)
	id := s.ids.Intern2(uint64(class), bits)
	s.ids.Ref(id)
	s.keyOf[row] = id
	return id
}

// Key implements d2.Keyer. What is not there is no key: it fails the query.
func (s *keyedSpace) Key(row uint32) (class uint8, bits uint64, ok bool) {
	c := s.key.of(row)
	if c.Absent() {
		panic(d2.SourceFault{Err: errNoPublicKey})
	}
	return value.Class(c.Kind), math.Float64bits(c.Val), true
}

var errNoPublicKey = &query.Error{Code: query.CodeQueryFailed, Path: "getKey", Text: "getKey returned no key for a row of the result; return a string or a number"}

func (s *keyedSpace) forget(row uint32) {
	if int(row) < len(s.keyOf) && s.keyOf[row] != d2.None {
		s.ids.Unref(s.keyOf[row])
		s.keyOf[row] = d2.None
		if !slices.Contains(s.engine.looseKeys, s.ids) {
			s.engine.looseKeys = append(s.engine.looseKeys, s.ids)
		}
	}
}

func (s *keyedSpace) compareKeys(a, b uint32) int {
	if a == b {
		return 0
	}
	return comparePublic(s.engine.Dict, s.key.of(a), s.key.of(b))
}

// byKey reduces a relation by its public key.
func (c *compiler) byKey(rel *relation, p *query.Plan) (*relation, error) {
	if rel.loop {
		return nil, notMonotone("getKey", "a key")
	}
	key, err := c.ask(rel, collection.CallFunction, p.Key, rel.made())
	if err != nil {
		return nil, err
	}
	out := *rel
	r, err := c.holds.reader(key, rel.space)
	if err != nil {
		return nil, err
	}
	s := &keyedSpace{space: rel.space, engine: c.engine, key: r.(*memoAt), ids: d2.NewTable(2)}
	s.watch(s)
	c.holds.undo = append(c.holds.undo, func() { s.unwatch(s) })
	out.space, out.root, out.lead, out.equal = s, nil, nil, nil
	out.values = append([]*query.Expr{key}, rel.values...)
	if rel.inner != nil {
		all := *rel.inner
		all.values = append([]*query.Expr{key}, all.values...)
		out.inner = &all
	}
	if out.node, err = c.warmed(rel.node, r); err != nil {
		return nil, err
	}
	f := &oneOfAKey{look: &looks{live: c.live}}
	if err := f.look.at(c.holds, &out); err != nil {
		return nil, err
	}
	terms, err := c.terms(&out, p)
	if err != nil {
		return nil, err
	}
	if f.order, err = c.holds.order(terms, s); err != nil {
		return nil, err
	}
	out.node, err = c.holds.add(d2.NewReduce(s, f, nil), out.node)
	return &out, err
}

// oneOfAKey lets one of the rows of a key pass, whichever: they are told from each
// other by nothing. It implements d2.Reduction.
type oneOfAKey struct {
	look  *looks
	order *spaceOrder
}

// Reduce implements d2.Reduction.
func (f *oneOfAKey) Reduce(_ uint8, _ uint64, rows []d2.Diff, out *d2.Bag) error {
	first := rows[0].Row
	for _, d := range rows[1:] {
		if !f.look.same(first, d.Row) || f.order.compareTerms(first, d.Row) != 0 {
			return errNotCongruent
		}
	}
	out.Add(first, 1)
	return nil
}

var errNotCongruent = &query.Error{
	Code: query.CodeNotCongruent, Path: "getKey",
	Text: "contributors to one public key are not congruent: getKey returned the same key for rows of the result that differ; return a key that tells them apart",
}

var errNegative = &query.Error{Code: query.CodeNegativeWeight, Path: "getKey", Text: "a row of the result is there less than no times"}
