package d2

// ShardFeed is a shard's side of a [ShardMerge]: it holds back changes beyond
// the last row it has answered with. Its answers and the changes it forwards
// must travel on one channel, in the order of the calls.
type ShardFeed struct {
	order  Order
	source Source
	pins   Pins
	bound  Slot
	all    bool // everything is forwarded
}

// NewShardFeed returns a feed that forwards nothing until it is pulled.
func NewShardFeed(order Order, source Source, pins Pins) *ShardFeed {
	return &ShardFeed{order: order, source: source, pins: pins, bound: None}
}

// Pull answers a pull, appending the rows to dst. In the same step the bound is
// raised to the last of them, or lifted at the end of the shard.
func (f *ShardFeed) Pull(after Slot, want int, dst []uint32) (rows []uint32, end bool) {
	got := 0
	_, end = f.source.Fetch(after, want, func(slot Slot) bool {
		dst = append(dst, slot)
		got++
		return got < want
	})
	if end || got < want {
		f.set(None)
		f.all = true
		return dst, true
	}
	f.set(dst[len(dst)-1])
	return dst, false
}

// Lower takes in that nothing after a position is needed.
func (f *ShardFeed) Lower(to Slot) {
	if f.all || to == None || f.bound != None && f.order.Compare(to, f.bound) < 0 {
		f.set(to)
		f.all = false
	}
}

// Forward returns what of a change is to be sent; false if nothing.
func (f *ShardFeed) Forward(c Change) (Change, bool) {
	if !f.reaches(c.Old) {
		c.Old = None
	}
	if !f.reaches(c.New) {
		c.New = None
	}
	return c, c.Old != c.New
}

func (f *ShardFeed) reaches(slot Slot) bool {
	return slot != None && (f.all || f.bound != None && f.order.Compare(slot, f.bound) <= 0)
}

func (f *ShardFeed) set(bound Slot) {
	if bound != None {
		f.pins.Pin(bound)
	}
	if f.bound != None {
		f.pins.Unpin(f.bound)
	}
	f.bound = bound
}
