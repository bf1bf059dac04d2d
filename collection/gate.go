package collection

// parked is a sync transaction that waits for user transactions.
type parked struct {
	tx      uint32
	ops     []uint32
	touched []uint32
}

// blocked tells whether a sync transaction has to wait: a user transaction that
// is being persisted has written here, and an insert is among its writes or the
// keys meet, or the keys meet those of a transaction that waits.
func (r *Root) blocked(tx *Sync) bool {
	if r.sending == 0 || tx.Truncate || tx.Immediate {
		return false
	}
	return r.sendingInserts > 0 || r.meets(tx.Ops, tx.Touched)
}

func (r *Root) meets(ops, touched []uint32) bool {
	for i := 1; i < len(ops); i += 3 {
		if r.held(ops[i]) {
			return true
		}
	}
	for _, key := range touched {
		if r.held(key) {
			return true
		}
	}
	return false
}

func (r *Root) held(key uint32) bool {
	if r.waitingKeys[key] > 0 {
		return true
	}
	c := r.over[key]
	return c != nil && c.busy()
}

// waiting tells whether a sync transaction that waits says something about key.
func (r *Root) waiting(key uint32) bool { return r.waitingKeys[key] > 0 }

// park keeps a transaction whose slots have been claimed.
func (r *Root) park(tx *Sync) {
	p := &parked{tx: tx.Tx, ops: append([]uint32(nil), tx.Ops...), touched: append([]uint32(nil), tx.Touched...)}
	r.parked = append(r.parked, p)
	r.account(p, 1)
}

func (r *Root) account(p *parked, by int) {
	if r.waitingKeys == nil {
		r.waitingKeys = map[uint32]int{}
	}
	for i := 1; i < len(p.ops); i += 3 {
		r.count(p.ops[i], by)
	}
	for _, key := range p.touched {
		r.count(key, by)
	}
}

func (r *Root) count(key uint32, by int) {
	n := r.waitingKeys[key] + by
	if n == 0 {
		delete(r.waitingKeys, key)
	} else {
		r.waitingKeys[key] = n
	}
}

// Admit applies, within a step, the transactions that need not wait any longer:
// each is judged as if it had just been committed, behind those that go on
// waiting.
func (r *Root) Admit() {
	if len(r.parked) == 0 {
		return
	}
	all := r.parked
	r.parked, r.waitingKeys = nil, nil
	for _, p := range all {
		if r.sending > 0 && (r.sendingInserts > 0 || r.meets(p.ops, p.touched)) {
			r.parked = append(r.parked, p)
			r.account(p, 1)
			continue
		}
		r.admit(p)
	}
}

// admitAll applies everything that waits, within a step.
func (r *Root) admitAll() {
	all := r.parked
	r.parked, r.waitingKeys = nil, nil
	for _, p := range all {
		r.admit(p)
	}
}

func (r *Root) admit(p *parked) {
	r.applied = append(r.applied, p.tx)
	var rows []uint32
	for i := 0; i < len(p.ops); i += 3 {
		if op := p.ops[i]; op == OpInsert || op == OpPut {
			rows = append(rows, p.ops[i+2])
		}
	}
	if len(rows) > 0 {
		r.restand(rows)
	}
	r.confirm(p.ops, false)
}

// Applied returns the numbers of the transactions that have been admitted since
// the last call, in order.
func (r *Root) Applied() []uint32 {
	applied := r.applied
	r.applied = nil
	return applied
}

// Parked counts the transactions that wait.
func (r *Root) Parked() int { return len(r.parked) }

// parkedRows appends the rows of transactions that wait.
func (r *Root) parkedRows(dst []uint32) []uint32 {
	for _, p := range r.parked {
		for i := 0; i < len(p.ops); i += 3 {
			if op := p.ops[i]; op == OpInsert || op == OpPut {
				dst = append(dst, p.ops[i+2])
			}
		}
	}
	return dst
}
