package tests

import (
	"fmt"
	"maps"
	"slices"

	"millrace.dev/millrace/jsbridge/shell"
)

type object = map[string]any

// modelWrite is what a transaction does to a key.
type modelWrite struct {
	kind    string // insert, update, delete, announce
	insert  bool   // it adds a row, shown or announced
	row     object
	changes object
	// The source has written the key since.
	answered bool
}

// modelTx is a transaction in the model: its writes by root and key.
type modelTx struct {
	real       *shell.Transaction
	writes     map[*modelRoot]map[any]*modelWrite
	persisting bool
	held       bool // told of when it is being sent
	confirmed  bool // a write of it is, before that: the shell makes no more of such a transaction
}

// modelSync is a sync transaction in the model.
type modelSync struct {
	real     *shell.Tx
	truncate bool
	ops      []modelOp
}

type modelOp struct {
	kind string // put, merge, delete
	key  any
	row  object
}

// modelRoot is a collection as docs/writes.md defines it, recomputed from
// scratch at every look.
type modelRoot struct {
	real      *shell.Collection
	confirmed map[any]object
	local     map[any]bool // the confirmed row came after a local write
	marked    map[any]bool // written locally and not confirmed since
	kept      map[any][]*modelWrite
	waiting   []*modelSync
	told      map[any]object // replica of a subscriber
	met       map[any]object // replica of a subscriber with a condition
}

func newModelRoot(c *shell.Collection) *modelRoot {
	return &modelRoot{
		real: c, confirmed: map[any]object{}, local: map[any]bool{}, marked: map[any]bool{}, kept: map[any][]*modelWrite{},
		told: map[any]object{}, met: map[any]object{},
	}
}

// layers are the writes over a key, lowest first.
func (r *modelRoot) layers(txs []*modelTx, key any) []*modelWrite {
	list := slices.Clone(r.kept[key])
	for _, t := range txs {
		if w := t.writes[r][key]; w != nil {
			list = append(list, w)
		}
	}
	return list
}

func laid(base, changes object) object {
	row := object{}
	maps.Copy(row, base)
	maps.Copy(row, changes)
	return row
}

// visible is the row shown under a key, or nil, and whether a write made it.
func (r *modelRoot) visible(txs []*modelTx, key any) (row object, pending bool) {
	row = r.confirmed[key]
	for _, w := range r.layers(txs, key) {
		switch w.kind {
		case "insert":
			row, pending = w.row, true
		case "delete":
			row, pending = nil, true
		case "update":
			if row != nil {
				row, pending = laid(row, w.changes), true
			}
		}
	}
	return row, pending
}

// content is all visible rows.
func (r *modelRoot) content(txs []*modelTx, keys []any) map[any]object {
	rows := map[any]object{}
	for _, k := range keys {
		if row, _ := r.visible(txs, k); row != nil {
			rows[k] = row
		}
	}
	return rows
}

// held tells whether a write to key that is being sent, or a sync transaction
// that waits, is in the way.
func (r *modelRoot) held(txs []*modelTx, waiting []*modelSync, key any) bool {
	for _, t := range txs {
		if t.persisting && t.writes[r][key] != nil {
			return true
		}
	}
	for _, s := range waiting {
		if slices.ContainsFunc(s.ops, func(o modelOp) bool { return o.key == key }) {
			return true
		}
	}
	return false
}

func (r *modelRoot) blocked(txs []*modelTx, waiting []*modelSync, s *modelSync) bool {
	sending := false
	for _, t := range txs {
		if !t.persisting || len(t.writes[r]) == 0 {
			continue
		}
		sending = true
		for _, w := range t.writes[r] {
			if w.insert {
				return true
			}
		}
	}
	if !sending {
		return false
	}
	return slices.ContainsFunc(s.ops, func(o modelOp) bool { return r.held(txs, waiting, o.key) })
}

// apply makes a sync transaction confirmed.
func (r *modelRoot) apply(txs []*modelTx, s *modelSync) {
	touched := func(key any) bool { return r.marked[key] || len(r.layers(txs, key)) > 0 }
	standing := map[any]bool{}
	for _, o := range s.ops {
		standing[o.key] = touched(o.key)
	}
	if !s.truncate {
		r.answer(txs, s)
	}
	clear(r.kept)
	if s.truncate {
		for k := range r.confirmed {
			standing[k] = false
			delete(r.confirmed, k)
		}
		for _, o := range s.ops {
			standing[o.key] = touched(o.key)
		}
	}
	for _, o := range s.ops {
		switch o.kind {
		case "put":
			r.confirmed[o.key] = o.row
		case "merge":
			r.confirmed[o.key] = laid(r.confirmed[o.key], o.row)
		case "delete":
			delete(r.confirmed, o.key)
		}
	}
	for k := range standing {
		if _, there := r.confirmed[k]; there {
			r.local[k] = standing[k]
		} else {
			delete(r.local, k)
		}
		if !slices.ContainsFunc(txs, func(t *modelTx) bool { return t.writes[r][k] != nil }) {
			delete(r.marked, k)
		}
	}
}

// answer confirms writes that nobody has been told of, and notes of the others
// that the source has written the key.
func (r *modelRoot) answer(txs []*modelTx, s *modelSync) {
	for _, o := range s.ops {
		for _, t := range txs {
			if w := t.writes[r][o.key]; w == nil {
				continue
			} else if t.held && !t.persisting {
				delete(t.writes[r], o.key)
				t.confirmed = true
			} else {
				w.answered = true
			}
		}
	}
}

// admit applies what need not wait any longer.
func (r *modelRoot) admit(txs []*modelTx) {
	all := r.waiting
	r.waiting = nil
	for _, s := range all {
		if r.blocked(txs, r.waiting, s) {
			r.waiting = append(r.waiting, s)
		} else {
			r.apply(txs, s)
		}
	}
}

// written lists what a transaction has written, for logs.
func (t *modelTx) written(w *writer) []string {
	var list []string
	for i, r := range w.roots {
		for _, k := range w.keys {
			if x := t.writes[r][k]; x != nil {
				list = append(list, fmt.Sprintf("%s %v of root %d", x.kind, k, i))
			}
		}
	}
	return list
}
