package d2

// GroupPull reads the output of a fetchable operator, one group at a time, as
// the [GroupSource] of a grouped window.
type GroupPull struct {
	from  Fetchable
	req   FetchReq
	fc    FetchCtx
	yield func(Slot) bool
	onRow func(uint32) bool
	got   int
	cut   bool
}

// NewGroupPull returns a source of what an operator answers for a group in an
// order, or [ErrNoFetch] if it cannot.
func NewGroupPull(from Fetchable, group Keyer, order Order) (*GroupPull, error) {
	p := &GroupPull{from: from, req: Everything(order)}
	p.req.Eq = []Eq{{By: group}}
	if _, ok := from.Plan(&p.req); !ok {
		return nil, ErrNoFetch
	}
	p.onRow = p.row
	return p, nil
}

// Fetch implements [GroupSource].
func (p *GroupPull) Fetch(class uint8, bits uint64, after Slot, want int, yield func(Slot) bool) (scanned int, end bool) {
	p.req.Eq[0].Class, p.req.Eq[0].Bits = class, bits
	p.req.After, p.req.Limit = after, want
	p.fc.Scanned = 0
	p.yield, p.got, p.cut = yield, 0, false
	ended := p.from.Fetch(&p.fc, &p.req, p.onRow)
	p.yield = nil
	return p.fc.Scanned, ended != LimitReached && !p.cut
}

func (p *GroupPull) row(row uint32) bool {
	p.got++
	p.cut = !p.yield(row) || p.got == p.req.Limit
	return !p.cut
}
