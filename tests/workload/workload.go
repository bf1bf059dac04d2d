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
	Name string
	next func(h *History, t Table) Op
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

// Uniform gives any row any place. WorkQueue moves the head to the end.
var (
	Uniform   = Workload{Name: "uniform", next: uniform}
	WorkQueue = Workload{Name: "work queue: head to end", next: workQueue}
)

// All lists the workloads a cushion is judged by. A row that is dismissed and its
// coming back elsewhere are two changes.
func All() []Workload {
	return []Workload{
		Uniform,
		{Name: "jitter, 0.5 % of R", next: jitter},
		{Name: "boundary: rank < 2N, by N/10", next: boundary(10)},
		{Name: "boundary: rank < 2N, by N", next: boundary(1)},
		{Name: "last modified, newest first", next: newestFirst},
		{Name: "last modified, oldest first", next: oldestFirst},
		WorkQueue,
		{Name: "dismiss in window, insert anywhere", next: either(insertAnywhere, deleteShown)},
		{Name: "inbox: insert at top, delete anywhere", next: either(insertTop, deleteAnywhere)},
		{Name: "triage: insert at top, delete in window", next: either(insertTop, deleteShown)},
		{Name: "10,000 uniform, 2,000 work queue, repeating", next: func(h *History, t Table) Op {
			if h.step%12_000 < 10_000 {
				return uniform(h, t)
			}
			return workQueue(h, t)
		}},
	}
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

// boundary moves a row among the first 2n to a place within n/part ranks: behind
// the row that is there, or before all.
func boundary(part int) func(h *History, t Table) Op {
	return func(h *History, t Table) Op {
		most := max(1, h.n/part)
		from := h.Intn(min(2*h.n, t.Len()))
		op := Op{Key: t.At(from), Value: top(t)}
		if to := from + int(h.between(int64(-most), int64(most))); to >= 0 {
			op.Value = behind(t, min(to, t.Len()-1))
		}
		return op
	}
}

// behind is half-way between the rows at a rank and the next. Where moves have
// used up the room, rows come to share a value, and their keys decide.
func behind(t Table, rank int) int64 {
	lo, gap := t.Value(t.At(rank)), Spread
	if rank+1 < t.Len() {
		gap = t.Value(t.At(rank+1)) - lo
	}
	return lo + gap/2
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
