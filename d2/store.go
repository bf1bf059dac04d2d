package d2

import "math/bits"

// Store is a source of rows that can be fetched from: identity on what is
// pushed into it, and the reader of arrangements that its owner keeps. These
// must be in the state after the changes before a run with them starts.
//
// It has no rows of its own. A fetch costs O(log n) and the rows looked at: in
// order if there is an arrangement in that order, of a key if there is one by
// that key, else all of them.
type Store struct {
	spot
	rows    StoreRows
	orders  []storeOrder
	keys    []storeKey
	partial bool
	frames  pool[storeFrame]
}

// StoreRows is what the owner of a [Store] can tell without an arrangement.
type StoreRows interface {
	Len() int
	// Each yields every row once, in any order, until yield returns false.
	Each(yield func(row uint32) bool)
}

// StoreOrders is a [StoreRows] whose owner finds arrangements in an order
// itself: they need not be added. ByOrder returns nil if there is none, and may
// raise a [SourceFault].
type StoreOrders interface {
	StoreRows
	ByOrder(order Order) *Ordered
}

type storeOrder struct {
	order Order
	rows  *Ordered
}

type storeKey struct {
	by   Keyer
	rows *Hash
}

// NewStore returns a store of the given rows without arrangements.
func NewStore(rows StoreRows) *Store { return &Store{rows: rows} }

// AddOrder offers an arrangement of all rows in an order.
func (s *Store) AddOrder(order Order, rows *Ordered) {
	s.orders = append(s.orders, storeOrder{order, rows})
}

// DropOrder withdraws the arrangement in an order.
func (s *Store) DropOrder(order Order) {
	for i := range s.orders {
		if s.orders[i].order == order {
			s.orders = append(s.orders[:i], s.orders[i+1:]...)
			return
		}
	}
}

// AddKey offers an arrangement by key of all rows whose key is not null.
func (s *Store) AddKey(by Keyer, rows *Hash) {
	s.keys = append(s.keys, storeKey{by, rows})
}

// DropKey withdraws the arrangement by a key.
func (s *Store) DropKey(by Keyer) {
	for i := range s.keys {
		if s.keys[i].by == by {
			s.keys = append(s.keys[:i], s.keys[i+1:]...)
			return
		}
	}
}

// SetPartial declares that rows exist which have not been loaded, so that what
// ends here ends with [EndOfLocal].
func (s *Store) SetPartial(partial bool) { s.partial = partial }

// Name implements [Operator].
func (s *Store) Name() string { return "store" }

// Ports implements [Operator].
func (s *Store) Ports() int { return 1 }

// Bind implements [Binder].
func (s *Store) Bind(at Place) error {
	if at.Cyclic {
		return ErrFetchInCycle
	}
	s.spot = at.spot()
	return nil
}

// Apply passes its batch on.
func (s *Store) Apply(v *Visit, out *Out) error {
	out.Pass(v, 0)
	return nil
}

func (s *Store) passBy() {}

func (s *Store) knows() (content, empty bool) { return true, false }

// Snapshot implements [Snapshotter].
func (s *Store) Snapshot(out *Out) error {
	s.rows.Each(func(row uint32) bool {
		out.Emit(row, 1)
		return true
	})
	out.Tidy()
	return nil
}

func (s *Store) hash(by Keyer) *Hash {
	for i := range s.keys {
		if s.keys[i].by == by {
			return s.keys[i].rows
		}
	}
	return nil
}

func (s *Store) ordered(order Order) *Ordered {
	for i := range s.orders {
		if s.orders[i].order == order {
			return s.orders[i].rows
		}
	}
	if x, ok := s.rows.(StoreOrders); ok && order != nil {
		return x.ByOrder(order)
	}
	return nil
}

// storePath is one way to answer a request, and what is expected of it.
type storePath struct {
	Access
	byOrder *Ordered // scan this
	byEq    *Hash    // or gather the rows of Eq[eq]
	byIn    *Hash    // or of In
	eq      int
	from    int // with byOrder: ranks to scan
	to      int
	sort    bool // what is gathered must be put in order
}

// path chooses between the arrangements. With exact, keys and positions are
// looked up; otherwise averages stand for them.
func (s *Store) path(r *FetchReq, exact bool) (storePath, bool) {
	n := float64(max(1, s.rows.Len()))
	want := r.Limit
	if want == 0 {
		want = r.Want
	}
	gather := storePath{eq: -1}
	few := n // rows of the keys
	if r.keyed() {
		few = max(1, n/10)
	}
	for i := range r.Eq {
		if h := s.hash(r.Eq[i].By); h != nil {
			rows := float64(h.Len()) / float64(max(1, h.Values()))
			if exact {
				rows = float64(h.Count(r.Eq[i].Class, r.Eq[i].Bits))
			}
			if gather.byEq == nil || rows < few {
				gather.byEq, gather.eq, few = h, i, rows
			}
		}
	}
	if r.In.By != nil {
		if h := s.hash(r.In.By); h != nil {
			rows := s.inRows(h, r.In.Keys, exact)
			if gather.byEq == nil || rows < few {
				gather.byEq, gather.byIn, few = nil, h, rows
			}
		}
	}
	gather.sort = r.Order != nil
	scanned := few
	if gather.byEq == nil && gather.byIn == nil {
		scanned = n
	}
	gather.Access = Access{Rows: few, PerRow: scanned / max(1, few), Sel: min(1, few/scanned)}
	if gather.sort {
		gather.Seek = scanned + few*float64(bits.Len(uint(few)))
		gather.PerRow = 0
	}

	scan := storePath{byOrder: s.ordered(r.Order), eq: -1}
	if r.Order == nil {
		return gather, true
	}
	if scan.byOrder == nil {
		return gather, r.keyed()
	}
	scan.to = scan.byOrder.Len()
	scan.Access = Access{Seek: float64(bits.Len(uint(n))), PerRow: max(1, n/max(1, few)), Rows: few, Sel: min(1, few/n)}
	if exact {
		scan.from, scan.to = s.span(scan.byOrder, r)
		scan.Rows = min(few, float64(max(0, scan.to-scan.from)))
	}
	if r.keyed() && (gather.byEq != nil || gather.byIn != nil) && gather.cost(want) <= s.scanCost(&scan, want) {
		return gather, true
	}
	return scan, true
}

// scanCost is what reading in order costs: never more than the rows there are
// between the positions asked for.
func (s *Store) scanCost(p *storePath, want int) float64 {
	all := float64(max(0, p.to-p.from))
	if want == 0 {
		return p.Seek + all
	}
	return p.Seek + min(all, float64(want)*p.PerRow)
}

func (s *Store) inRows(h *Hash, keys *KeySet, exact bool) float64 {
	switch {
	case keys == nil:
		return float64(h.Len()) / float64(max(1, h.Values()))
	case !exact:
		return float64(keys.Len()*h.Len()) / float64(max(1, h.Values()))
	}
	rows := 0
	for i := range keys.Len() {
		rows += h.Count(keys.At(i))
	}
	return float64(rows)
}

// Plan implements [Fetchable].
func (s *Store) Plan(r *FetchReq) (Access, bool) {
	p, ok := s.path(r, false)
	return p.Access, ok
}
