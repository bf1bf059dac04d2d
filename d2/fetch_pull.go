package d2

// Pull reads the output of a fetchable operator as the [Source] of a window.
//
// Where the window's order breaks ties by another key than the operator's (see
// [TiedOrder]) it completes every group of equal order values and sorts it
// before it passes rows on, which costs the whole of the groups touched.
type Pull struct {
	from  Fetchable
	req   FetchReq
	order Order // of the window
	tied  bool
	fc    FetchCtx
	end   FetchEnd

	yield  func(Slot) bool
	after  Slot
	want   int
	got    int
	cut    bool
	group  []uint32
	onRow  func(uint32) bool
	onTied func(uint32) bool
}

// TiedOrder is an order by the same order values as another, Driving, that
// breaks ties by another key. Driving is what inputs are asked for.
type TiedOrder interface {
	TermOrder
	Driving() Order
}

// tellsTies tells whether an order knows its order values from its key.
func tellsTies(order Order) bool {
	if left, ok := order.(LeftOrder); ok {
		return tellsTies(left.Order)
	}
	_, ok := order.(TermOrder)
	return ok
}

// NewPull returns a source of what an operator answers in an order. The operator
// must be built in already, all but a [Store]. It returns [ErrNoFetch] if that is
// not possible without sorting, or [ErrNoTies].
func NewPull(from Fetchable, order Order) (*Pull, error) {
	p := &Pull{from: from, order: order, req: Everything(order)}
	p.onRow = p.row
	if _, ok := from.Plan(&p.req); ok {
		return p, nil
	}
	t, ok := order.(TiedOrder)
	if !ok {
		return nil, ErrNoFetch
	}
	p.tied, p.onTied = true, p.tie
	p.req.Order = t.Driving()
	if !tellsTies(p.req.Order) {
		return nil, ErrNoTies
	}
	if _, ok := from.Plan(&p.req); !ok {
		return nil, ErrNoFetch
	}
	return p, nil
}

// Ended tells how the latest fetch ended: with [EndOfLocal] more rows may be
// had from where the source loads them.
func (p *Pull) Ended() FetchEnd { return p.end }

// Fetch implements [Source].
func (p *Pull) Fetch(after Slot, want int, yield func(Slot) bool) (scanned int, end bool) {
	p.fc.Scanned = 0
	p.yield, p.after, p.want, p.got, p.cut = yield, after, want, 0, false
	p.req.After, p.req.Ties = after, p.tied && after != None
	p.req.Limit, p.req.Want = want, 0
	onRow := p.onRow
	if p.tied {
		onRow = p.onTied
		p.req.Limit, p.req.Want = 0, want
		p.group = p.group[:0]
	}
	p.end = p.from.Fetch(&p.fc, &p.req, onRow)
	if p.tied && !p.cut {
		p.flush()
	}
	if p.cut {
		p.end = LimitReached
	}
	p.yield = nil
	p.group = drained(p.group)
	return p.fc.Scanned, p.end != LimitReached
}

func (p *Pull) row(row uint32) bool {
	p.got++
	p.cut = !p.yield(row) || p.got == p.want
	return !p.cut
}

// tie collects a group of equal order values and passes it on when the next
// one begins.
func (p *Pull) tie(row uint32) bool {
	if len(p.group) > 0 && compareTerms(p.order, p.group[0], row) != 0 {
		p.flush()
		if p.cut {
			return false
		}
	}
	p.group = append(p.group, row)
	return true
}

func (p *Pull) flush() {
	SortSlots(p.group, p.order, nil)
	for _, row := range p.group {
		if p.after != None && p.order.Compare(row, p.after) <= 0 {
			continue
		}
		if !p.row(row) {
			break
		}
	}
	p.group = p.group[:0]
}
