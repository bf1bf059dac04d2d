package collection

import "slices"

// The operations of a local write. Silent is added for a write that is not to
// be seen before it is confirmed.
const (
	WriteInsert   = 0
	WriteDelete   = 2
	WritePatch    = 3
	WriteWithdraw = 4
	Silent        = 256
)

// The outcomes of a transaction.
const (
	Rejected = 0 // rolled back, or not accepted
	Direct   = 1 // a direct write was accepted
	Complete = 2 // any other was
)

// Transaction is a user transaction that has written and has not ended.
type Transaction struct {
	ID         uint32 // larger the later it was made
	persisting bool
	held       bool // it is told of when it is being sent: what confirms it until then takes its place
	at         []writtenTo
}

// Held says that the writes are told of when they are being sent, as those of a
// direct write whose handler runs first.
func (t *Transaction) Held() { t.held = true }

// writtenTo is what a transaction has written to in one root.
type writtenTo struct {
	root    *Root
	session uint32 // of the root; what was written in an earlier one is gone
	inserts int
	keys    []uint32
}

// Persisting tells whether its writes are being sent to the source.
func (t *Transaction) Persisting() bool { return t.persisting }

// Roots appends the roots that hold writes of the transaction.
func (t *Transaction) Roots(dst []*Root) []*Root {
	for i := range t.at {
		if p := &t.at[i]; p.session == p.root.session {
			dst = append(dst, p.root)
		}
	}
	return dst
}

// Persist says that the writes are being sent: from now on sync transactions
// wait for them.
func (t *Transaction) Persist() {
	if t.persisting {
		return
	}
	t.persisting = true
	for i := range t.at {
		if p := &t.at[i]; p.session == p.root.session {
			p.root.sending++
			p.root.sendingInserts += p.inserts
		}
	}
}

// in returns what the transaction has written to in r, or nil.
func (t *Transaction) in(r *Root) *writtenTo {
	for i := range t.at {
		if p := &t.at[i]; p.root == r {
			if p.session != r.session {
				return nil
			}
			return p
		}
	}
	return nil
}

// enterRoot is in, and begins the account if there is none.
func (t *Transaction) enterRoot(r *Root) *writtenTo {
	if p := t.in(r); p != nil {
		return p
	}
	for i := range t.at {
		if p := &t.at[i]; p.root == r {
			*p = writtenTo{root: r, session: r.session}
			return p
		}
	}
	t.at = append(t.at, writtenTo{root: r, session: r.session})
	return &t.at[len(t.at)-1]
}

// Release says that the writes are not being sent any more: what waited for
// them need not.
func (t *Transaction) Release() {
	if !t.persisting {
		return
	}
	t.persisting = false
	for i := range t.at {
		if p := &t.at[i]; p.session == p.root.session {
			p.root.sending--
			p.root.sendingInserts -= p.inserts
		}
	}
}

// Leave ends what the transaction does to r, within a step of r. What failed
// goes. What a direct write did and the source has not answered is kept until
// the next sync transaction; of any
// other that completed only what a sync transaction that waits, or one that is
// still being written (open), says something about.
func (t *Transaction) Leave(r *Root, outcome uint32, open []uint32) {
	p := t.in(r)
	if p == nil {
		return
	}
	for _, key := range p.keys {
		c := r.over[key]
		if c == nil {
			continue
		}
		i := c.find(t)
		if i < 0 {
			continue
		}
		l := c.take(i)
		r.enter(key)
		if outcome == Direct && !l.answered || outcome == Complete && (r.waiting(key) || slices.Contains(open, key)) {
			r.keep(key, c, l)
			continue
		}
		r.leave(l.slot)
		if outcome == Rejected && len(c.layers) == 0 {
			delete(r.marks, key)
		}
	}
	p.keys, p.session = nil, p.session-1
}

// answer notes that the source has said something about a key, within a step. A
// write that nobody has been told of yet is confirmed by it; one that is being
// sent is when its transaction completes.
func (r *Root) answer(key uint32, c *covered) {
	for i := len(c.layers) - 1; i >= c.kept; i-- {
		t := c.layers[i].tx
		if !t.held || t.persisting {
			c.layers[i].answered = true
			continue
		}
		r.countInsert(t, t.in(r), c, WriteWithdraw)
		r.leave(c.take(i).slot)
	}
}

// keep puts a layer on top of the kept ones.
func (r *Root) keep(key uint32, c *covered, l layer) {
	l.tx = nil
	c.layers = append(c.layers, layer{})
	copy(c.layers[c.kept+1:], c.layers[c.kept:])
	c.layers[c.kept] = l
	c.kept++
	r.kept = append(r.kept, key)
}

// dropKept ends all kept layers, within a step.
func (r *Root) dropKept() {
	for _, key := range r.kept {
		c := r.over[key]
		if c == nil || c.kept == 0 {
			continue
		}
		r.enter(key)
		for i := range c.kept {
			r.leave(c.layers[i].slot)
		}
		c.layers = append(c.layers[:0], c.layers[c.kept:]...)
		c.kept = 0
	}
	r.kept = r.kept[:0]
}
