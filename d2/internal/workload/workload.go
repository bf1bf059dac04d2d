package workload

// Spread is the distance between the values of two rows at the start: row k has
// the value k*Spread, so that there is room between any two for long.
const Spread = int64(1) << 32

// Table is what a history sees of the rows it changes, in ascending order of
// value.
type Table interface {
	Len() int
	At(rank int) (key uint32)
	Value(key uint32) int64
}

// Op is one change: the row of a key gets a value, whether or not there was
// one, or is deleted.
type Op struct {
	Key    uint32
	Value  int64
	Delete bool
}

// Workload is a kind of history.
type Workload struct {
	Name   string
	Regime int // changes until the history turns into another; 0: it does not
	next   func(h *History, t Table) Op
}

// History is one run of a workload over a table that starts with a number of
// rows and is shown through a window of n.
type History struct {
	kind Workload
	rows int
	n    int
	step int
	keys int // used so far
	free []uint32
	*Chance
}

// Start begins a history over keys [0, rows). Rows that are inserted take keys
// that were deleted, then the next.
func (w Workload) Start(rows, n int, seed uint64) *History {
	return &History{kind: w, rows: rows, n: n, keys: rows, Chance: NewChance(seed)}
}

// Next returns the next change. The table must have had all before it.
func (h *History) Next(t Table) Op {
	op := h.kind.next(h, t)
	h.step++
	return op
}

// All lists the workloads a cushion is judged by.
func All() []Workload {
	return []Workload{
		{Name: "uniform rekey", next: uniform},
		{Name: "jitter", next: jitter},
		{Name: "boundary", next: boundary(10)},
		{Name: "boundary hard", next: boundary(1)},
		{Name: "last-modified, newest first", next: newestFirst},
		{Name: "last-modified, oldest first", next: oldestFirst},
		{Name: "work queue", next: workQueue},
		{Name: "dismiss in window, insert anywhere", next: either(insertAnywhere, deleteShown)},
		{Name: "inbox", next: either(insertTop, deleteAnywhere)},
		{Name: "triage", next: either(insertTop, deleteShown)},
		{Name: "uniform, then work queue", Regime: 10_000, next: func(h *History, t Table) Op {
			if h.step%12_000 < 10_000 {
				return uniform(h, t)
			}
			return workQueue(h, t)
		}},
	}
}

// Named returns the workload of a name.
func Named(name string) (Workload, bool) {
	for _, w := range All() {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}

func (h *History) any(t Table) uint32 { return t.At(h.Intn(t.Len())) }

func (h *History) range64() int64 { return int64(h.rows) * Spread }

// uniform gives any row any value.
func uniform(h *History, t Table) Op {
	return Op{Key: h.any(t), Value: h.between(0, h.range64())}
}

// jitter moves any row by up to half a percent of the table.
func jitter(h *History, t Table) Op {
	key := h.any(t)
	by := h.range64() / 200
	return Op{Key: key, Value: t.Value(key) + h.between(-by, by)}
}

// boundary moves a row among the first 2n by up to n/part ranks.
func boundary(part int) func(h *History, t Table) Op {
	return func(h *History, t Table) Op {
		most := max(1, h.n/part)
		from := h.Intn(min(2*h.n, t.Len()))
		return h.move(t, from, from+int(h.between(int64(-most), int64(most))))
	}
}

// move puts the row at a rank where another is.
func (h *History) move(t Table, from, to int) Op {
	to = min(max(to, 0), t.Len()-1)
	key := t.At(from)
	if to == from {
		return Op{Key: key, Value: t.Value(key)}
	}
	if to < from {
		to-- // the row before it, which stays there
	}
	lo := top(t)
	if to >= 0 {
		lo = t.Value(t.At(to))
	}
	hi := lo + Spread
	if to+1 < t.Len() {
		hi = t.Value(t.At(to + 1))
	}
	return Op{Key: key, Value: h.between(lo+1, hi-1)}
}

// top and end are values before and behind all rows.
func top(t Table) int64 { return t.Value(t.At(0)) - Spread }

func end(t Table) int64 { return t.Value(t.At(t.Len()-1)) + Spread }

func newestFirst(h *History, t Table) Op { return Op{Key: h.any(t), Value: top(t)} }

func oldestFirst(h *History, t Table) Op { return Op{Key: h.any(t), Value: end(t)} }

// workQueue moves the head to the end.
func workQueue(_ *History, t Table) Op { return Op{Key: t.At(0), Value: end(t)} }

// either does one thing or the other, as often.
func either(one, other func(h *History, t Table) Op) func(h *History, t Table) Op {
	return func(h *History, t Table) Op {
		if h.Intn(2) == 0 || t.Len() < 2 {
			return one(h, t)
		}
		return other(h, t)
	}
}

func (h *History) remove(key uint32) Op {
	h.free = append(h.free, key)
	return Op{Key: key, Delete: true}
}

func deleteShown(h *History, t Table) Op { return h.remove(t.At(h.Intn(min(h.n, t.Len())))) }

func deleteAnywhere(h *History, t Table) Op { return h.remove(h.any(t)) }

// fresh returns the key of no row: a deleted one, or the next that was never
// used.
func (h *History) fresh() uint32 {
	if n := len(h.free); n > 0 {
		key := h.free[n-1]
		h.free = h.free[:n-1]
		return key
	}
	h.keys++
	return uint32(h.keys - 1)
}

func insertTop(h *History, t Table) Op { return Op{Key: h.fresh(), Value: top(t)} }

func insertAnywhere(h *History, _ Table) Op {
	return Op{Key: h.fresh(), Value: h.between(0, h.range64())}
}
