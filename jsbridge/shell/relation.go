package shell

import "iter"

// Status is where a collection or live query is in its life.
type Status uint8

// The statuses.
const (
	Idle Status = iota
	Loading
	Ready
	Failed
	CleanedUp
)

// String is the status's name.
func (s Status) String() string {
	return [...]string{"idle", "loading", "ready", "error", "cleaned-up"}[min(s, CleanedUp)]
}

// Source is what a query can read: a *Collection or a *Live.
type Source interface{ rel() *relation }

// Entry is one row with its key.
type Entry struct {
	Key any // a string or a float64
	Row any
}

// relation is what collections and live queries have in common: the mirror of
// their content, readers and subscribers.
type relation struct {
	db      *DB
	id      uint32
	name    string
	root    *Collection
	source  *relation // nil: a root collection
	tmpl    *template // of a query's select; nil: rows are the source's
	status  Status
	failure string
	mirror  *mirror

	rows     map[uint32]any    // by slot: rows assembled so far
	computed map[uint32][]byte // by slot: what the engine computed
	dying    []uint32          // slots that are dropped when the effects are taken in
	install  []uint32          // triples of the command being taken in
	found    []uint32          // the answer to the last Find

	subs      map[uint32]*Subscription
	onStatus  []func(previous, next Status)
	truncated int
}

func (r *relation) rel() *relation { return r }

// DB is the database this belongs to.
func (r *relation) DB() *DB { return r.db }

// ID is the public id.
func (r *relation) ID() string { return r.name }

// Status returns the status.
func (r *relation) Status() Status { return r.status }

// Failure says why a query failed, or "".
func (r *relation) Failure() string { return r.failure }

// OnStatus calls f at every change of the status from now on.
func (r *relation) OnStatus(f func(previous, next Status)) { r.onStatus = append(r.onStatus, f) }

// Len returns the number of rows.
func (r *relation) Len() int { return r.mirror.byKey.Len() }

// Has reports whether there is a row with the key.
func (r *relation) Has(key any) bool {
	_, ok := r.Get(key)
	return ok
}

// Get returns the row with the key, O(log rows).
func (r *relation) Get(key any) (row any, ok bool) {
	k, ok := keyOf(key)
	if !ok {
		return nil, false
	}
	p, ok := r.mirror.get(k)
	if !ok {
		return nil, false
	}
	return r.row(p.slot), true
}

// All visits keys and rows in order. The collection must not change meanwhile.
func (r *relation) All() iter.Seq2[any, any] {
	return func(yield func(key, row any) bool) {
		r.mirror.each(func(p place) bool { return yield(p.key, r.row(p.slot)) })
	}
}

// Rows returns all rows in order.
func (r *relation) Rows() []any {
	rows := make([]any, 0, r.Len())
	for _, row := range r.All() {
		rows = append(rows, row)
	}
	return rows
}

// Entries returns all keys and rows in order.
func (r *relation) Entries() []Entry {
	entries := make([]Entry, 0, r.Len())
	for key, row := range r.All() {
		entries = append(entries, Entry{key, row})
	}
	return entries
}

// row returns the row of a slot, assembling it when nobody has looked yet.
func (r *relation) row(slot uint32) any {
	if row, ok := r.rows[slot]; ok {
		return row
	}
	switch {
	case r.source == nil:
		return r.root.slots[slot].row
	case r.tmpl == nil:
		return r.source.row(slot)
	}
	row := r.tmpl.assemble(reading{r.source, slot, (*relation).at, r.computed[slot]})
	r.rows[slot] = row
	return row
}

// essence is the row of a slot without what the engine computes, which the
// engine compares itself.
func (r *relation) essence(slot uint32) any {
	switch {
	case r.source == nil:
		return r.root.slots[slot].row
	case r.tmpl == nil:
		return r.source.essence(slot)
	}
	return r.tmpl.assemble(reading{r.source, slot, (*relation).essenceAt, nil})
}

// at returns the value at path of the row of a slot, virtual fields included.
func (r *relation) at(slot uint32, path []string) any {
	if r.tmpl == nil && r.source != nil {
		return r.source.at(slot, path)
	}
	return r.withVirtual(slot, r.row(slot), path)
}

func (r *relation) essenceAt(slot uint32, path []string) any {
	if r.tmpl == nil && r.source != nil {
		return r.source.essenceAt(slot, path)
	}
	return r.withVirtual(slot, r.essence(slot), path)
}

func (r *relation) withVirtual(slot uint32, row any, path []string) any {
	v := valueAt(row, path)
	if len(path) == 1 {
		if k, _, _ := classify(v); k <= kindNull {
			if w, ok := r.virtual(slot, path[0]); ok {
				return w
			}
		}
	}
	return v
}

var virtualNames = [...]string{"$synced", "$origin", "$key", "$collectionId"}

// virtual returns a field every row has although nobody set it.
func (r *relation) virtual(slot uint32, name string) (any, bool) {
	switch name {
	case "$synced":
		return r.root.sourceless || r.root.slots[slot].standing != pendingRow, true
	case "$origin":
		if r.root.sourceless || r.root.slots[slot].standing != remoteRow {
			return "local", true
		}
		return "remote", true
	case "$key":
		return r.root.keyByID(r.root.slots[slot].key), true
	case "$collectionId":
		return r.name, true
	}
	return nil, false
}
