package collection

import (
	"math"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// warm is how many unused columns and arrangements a root keeps at hand.
const warm = 24

// resource is a column or an arrangement that is shared by reference count.
type resource struct {
	col   *Column
	order *Ordering
	hash  *Hashing
	refs  int
}

// Lease is what one live query holds of a root: it implements query.Binder,
// and gives everything back at once.
type Lease struct {
	root *Root
	out  Effects
	held []*resource
}

// NewLease returns an empty lease on r.
//
//go:noinline
func (r *Root) NewLease() *Lease { return &Lease{root: r, held: make([]*resource, 0, 8)} }

// During sets where effects go while the lease is being filled or released.
func (l *Lease) During(out Effects) *Lease {
	l.out = out
	return l
}

//go:noinline
func (l *Lease) hold(s *resource) {
	for _, x := range l.held {
		if x == s {
			return
		}
	}
	if s.refs == 0 {
		for i, x := range l.root.idle {
			if x == s {
				l.root.idle = append(l.root.idle[:i], l.root.idle[i+1:]...)
				break
			}
		}
	}
	s.refs++
	l.held = append(l.held, s)
}

// Release gives back everything. What nobody uses any more stays warm until it
// is crowded out.
//
//go:noinline
func (l *Lease) Release() {
	for i := len(l.held) - 1; i >= 0; i-- {
		l.root.letGo(l.held[i], l.out)
	}
	l.held = nil
}

func (r *Root) letGo(s *resource, out Effects) {
	s.refs--
	if s.refs > 0 {
		return
	}
	r.idle = append(r.idle, s)
	for len(r.idle) > warm {
		r.evict(r.idle[0], out)
	}
}

func (r *Root) evict(s *resource, out Effects) {
	for i, x := range r.idle {
		if x == s {
			r.idle = append(r.idle[:i], r.idle[i+1:]...)
			break
		}
	}
	switch {
	case s.col != nil:
		for i, c := range r.columns {
			if c == s.col {
				r.columns = append(r.columns[:i:i], r.columns[i+1:]...)
				break
			}
		}
		s.col.drop(r.dict)
		if s.col.derived == nil {
			out.DropColumn(r.ID, s.col.Index)
		} else {
			s.col.expr.EachCell(r.dict.Unref)
		}
		s.col.lease.GiveBack(out)
	case s.order != nil:
		r.orders = remove(r.orders, s.order)
		s.order.lease.GiveBack(out)
	case s.hash != nil:
		r.hashes = remove(r.hashes, s.hash)
		s.hash.lease.GiveBack(out)
	}
}

// Held is what a condition or a query has taken and gives back at once.
type Held interface{ GiveBack(out Effects) }

// GiveBack implements Held; a nil lease holds nothing.
//
//go:noinline
func (l *Lease) GiveBack(out Effects) {
	if l != nil {
		l.During(out).Release()
	}
}

func remove[T comparable](list []T, x T) []T {
	for i, y := range list {
		if y == x {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}

// Column implements query.Binder. A column that carries texts serves those who
// do not need them; one that does not is read anew when they are needed.
func (l *Lease) Column(path []string, needText bool) (*query.Column, error) {
	r := l.root
	for _, c := range r.columns {
		if c.derived == nil && (c.Text || !needText) && samePath(c.Path, path) {
			l.hold(c.res)
			return &c.Column, nil
		}
	}
	c := &Column{Index: r.nextIndex, Path: path, Text: needText, virtual: virtualOf(path)}
	slots := r.every(nil)
	standing := len(slots)
	slots = r.parkedRows(slots)
	cells, err := r.shell.ReadColumn(r.ID, c.Index, path, needText, slots)
	if err != nil {
		return nil, err
	}
	r.nextIndex++
	c.grow(len(r.keyOf))
	for i, s := range slots {
		c.set(r.dict, s, cells.At(i))
	}
	if c.virtual != 0 {
		r.fillVirtual(c, slots[:standing])
	}
	r.adopt(c, l)
	return &c.Column, nil
}

func (r *Root) adopt(c *Column, l *Lease) {
	c.res = &resource{col: c}
	r.columns = append(r.columns, c)
	l.hold(c.res)
}

// derive returns the column of a computed expression.
func (l *Lease) derive(e *query.Expr) (*query.Column, error) {
	r, id := l.root, e.ID()
	for _, c := range r.columns {
		if c.derived != nil && c.id == id {
			l.hold(c.res)
			return &c.Column, nil
		}
	}
	lease := r.NewLease().During(l.out)
	prog, err := query.CompileOrdered(e, lease, r.dict)
	if err != nil {
		lease.Release()
		return nil, err
	}
	c := &Column{derived: prog, expr: e, id: id, lease: lease}
	c.grow(len(r.keyOf))
	if err := r.fill(c, r.parkedRows(r.every(nil))); err != nil {
		lease.Release()
		return nil, err
	}
	// The column may outlive the query whose constants these are.
	e.EachCell(r.dict.Ref)
	r.adopt(c, l)
	return &c.Column, nil
}

// fill computes a derived column for slots.
func (r *Root) fill(c *Column, slots []uint32) error {
	return c.derived.Cells(slots, func(i int, cell value.Cell) { c.set(r.dict, slots[i], cell) })
}

//go:noinline
func samePath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// orderTerm is one bound order term.
type orderTerm struct {
	value.Term
	col *query.Column
}

// Ordering is an order over the rows of a root: terms, then the public key
// ascending. Tree arranges all rows by it when it is kept. It implements
// d2.Order and d2.OrderKeyer.
type Ordering struct {
	Tree  *d2.Ordered // nil: only the comparison is wanted
	Err   error       // why the tree is unusable
	root  *Root
	terms []orderTerm
	id    string
	lease *Lease
	res   *resource
}

// Compare orders two slots.
func (o *Ordering) Compare(a, b uint32) int {
	for i := range o.terms {
		t := &o.terms[i]
		ka, kb := t.col.Kinds[a], t.col.Kinds[b]
		if ka == value.KindNumber && kb == value.KindNumber {
			va, vb := t.col.Vals[a], t.col.Vals[b]
			if va == vb {
				continue
			}
			if (va < vb) != t.Desc {
				return -1
			}
			return 1
		}
		c, err := t.Term.Compare(t.col.At(a), t.col.At(b), o.root.dict)
		if err != nil {
			panic(d2.OrderFault{Err: err})
		}
		if c != 0 {
			return c
		}
	}
	return o.root.compareKeys(o.root.keyOf[a], o.root.keyOf[b])
}

// OrderKey images the first term, or the key where there is none.
func (o *Ordering) OrderKey(slot uint32) (uint64, bool) {
	if len(o.terms) == 0 {
		k := o.root.keyOf[slot]
		return value.OrderKey(o.root.keys.At(k))
	}
	t := &o.terms[0]
	c := t.col.At(slot)
	if c.Kind <= value.KindNull {
		if t.NullsLast {
			return math.MaxUint64, true
		}
		return 0, true
	}
	k, ok := value.OrderKey(c)
	if t.Desc {
		k = ^k
	}
	return k, ok
}

// Order returns the ordering by terms; with tree, arranged and kept up to date.
// No terms: by key alone. Constant terms decide nothing and are left out.
func (l *Lease) Order(terms []query.Term, tree bool) (*Ordering, error) {
	r := l.root
	id := orderID(terms)
	for _, o := range r.orders {
		if o.id == id && (o.Tree != nil) == tree && o.Err == nil {
			l.hold(o.res)
			return o, nil
		}
	}
	if err := r.loadKeys(); err != nil {
		return nil, err
	}
	o := &Ordering{root: r, id: id, lease: r.NewLease().During(l.out)}
	for _, t := range terms {
		var col *query.Column
		var err error
		switch t.Expr.Op {
		case query.OpConst:
			continue
		case query.OpRef:
			col, err = o.lease.Column(t.Expr.Path, true)
		default:
			col, err = o.lease.derive(t.Expr)
		}
		if err != nil {
			o.lease.Release()
			return nil, err
		}
		o.terms = append(o.terms, orderTerm{t.Term, col})
	}
	if tree {
		o.Tree = d2.NewOrdered(o)
		if err := o.build(); err != nil {
			o.lease.Release()
			return nil, err
		}
	}
	o.res = &resource{order: o}
	r.orders = append(r.orders, o)
	l.hold(o.res)
	return o, nil
}

func orderID(terms []query.Term) string {
	var b []byte
	for _, t := range terms {
		b = append(b, t.Expr.ID()...)
		flags := byte('0')
		if t.Desc {
			flags++
		}
		if t.NullsLast {
			flags += 2
		}
		b = append(b, flags, byte(t.Collation), byte(t.Collation>>8), byte(t.Collation>>16))
	}
	return string(b)
}

// build loads the tree from scratch.
func (o *Ordering) build() (err error) {
	defer contain(&err)
	o.Tree.LoadUnsorted(o.root.Slots(nil), nil)
	return nil
}

// Usable returns nil when Tree is right. A tree that a failed comparison left
// half changed is built anew: whoever was not harmed by the failure then, is not later.
func (o *Ordering) Usable() error {
	if o.Err != nil {
		o.Err = o.build()
	}
	return o.Err
}

// ByOrder returns the tree of an ordering of this root, or nil; it implements
// d2.StoreOrders. A tree that cannot be used is a d2.SourceFault.
func (r *Root) ByOrder(order d2.Order) *d2.Ordered {
	o, ok := order.(*Ordering)
	if !ok || o.root != r || o.Tree == nil {
		return nil
	}
	if err := o.Usable(); err != nil {
		panic(d2.SourceFault{Err: err})
	}
	return o.Tree
}

// contain turns a comparison that failed into an error.
func contain(err *error) {
	if v := recover(); v != nil {
		f, ok := v.(d2.OrderFault)
		if !ok {
			panic(v)
		}
		*err = f.Err
	}
}

// apply brings the tree up to changes already in the tables.
func (o *Ordering) apply(changes []d2.Change) (err error) {
	defer contain(&err)
	if n := o.Tree.Len(); len(changes) > 512 && len(changes) > n/8 {
		return o.build()
	}
	for _, c := range changes {
		switch {
		case c.Old == none:
			o.Tree.Insert(c.New)
		case c.New == none:
			o.Tree.Delete(c.Old)
		case o.Compare(c.Old, c.New) == 0:
			o.Tree.Replace(c.Old, c.New)
		default:
			o.Tree.Delete(c.Old)
			o.Tree.Insert(c.New)
		}
	}
	return nil
}

// Hashing arranges the rows of a root by the value of one column.
type Hashing struct {
	hash  *d2.Hash
	col   *query.Column
	path  []string
	lease *Lease
	res   *resource
}

// Hash returns the hash arrangement over path.
func (l *Lease) Hash(path []string) (*Hashing, error) {
	r := l.root
	for _, h := range r.hashes {
		if samePath(h.path, path) {
			l.hold(h.res)
			return h, nil
		}
	}
	h := &Hashing{hash: d2.NewHash(), path: path, lease: r.NewLease().During(l.out)}
	col, err := h.lease.Column(path, false)
	if err != nil {
		return nil, err
	}
	h.col = col
	for _, s := range r.Slots(nil) {
		h.add(s)
	}
	h.res = &resource{hash: h}
	r.hashes = append(r.hashes, h)
	l.hold(h.res)
	return h, nil
}

// Key implements d2.Keyer: what is not there has no key.
func (h *Hashing) Key(slot uint32) (class uint8, bits uint64, ok bool) {
	c := h.col.At(slot)
	class, bits = image(c)
	return class, bits, !c.Absent()
}

// Indexed returns the rows as an arrangement by their keys.
func (h *Hashing) Indexed() *d2.Indexed { return d2.NewIndexed(h.hash, h) }

func image(c value.Cell) (uint8, uint64) { return value.Class(c.Kind), math.Float64bits(c.Val) }

func (h *Hashing) add(slot uint32) {
	class, bits := image(h.col.At(slot))
	h.hash.Add(class, bits, slot)
}

func (h *Hashing) apply(changes []d2.Change) {
	for _, c := range changes {
		if c.Old != none {
			class, bits := image(h.col.At(c.Old))
			h.hash.Remove(class, bits, c.Old)
		}
		if c.New != none {
			h.add(c.New)
		}
	}
}

// Count returns how many rows have a value of cells.
func (h *Hashing) Count(cells []value.Cell) int {
	n := 0
	for _, c := range cells {
		class, bits := image(c)
		n += h.hash.Count(class, bits)
	}
	return n
}

// Slots appends the slots that have a value of cells.
func (h *Hashing) Slots(cells []value.Cell, dst []uint32) []uint32 {
	for _, c := range cells {
		class, bits := image(c)
		for s := h.hash.First(class, bits); s != none; s = h.hash.Next(s) {
			dst = append(dst, s)
		}
	}
	return dst
}
