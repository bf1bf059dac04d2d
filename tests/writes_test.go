package tests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge/shell"
)

// writer drives local writes, sync transactions and their ends over several
// collections, and holds them against the model after every step.
type writer struct {
	t     *rapid.T
	db    *shell.DB
	roots []*modelRoot
	txs   []*modelTx // under way, in order
	keys  []any
	lists []*shell.Live // per root: the rows with a >= 1
	tops  []*shell.Live // per root: two rows by b
	joint int           // batches told in the step
}

func newWriter(t *rapid.T, open shell.Opener) *writer {
	db, err := shell.OpenWith(open)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{t: t, db: db, keys: []any{1.0, 2.0, 3.0, "x"}}
	for i := range 2 {
		c, err := db.Collection(shell.Config{ID: fmt.Sprint("root ", i), Key: func(row any) any { return row.(object)["id"] }})
		w.ok(err)
		w.ok(c.MarkReady())
		r := newModelRoot(c)
		w.roots = append(w.roots, r)
		_, err = c.Subscribe(shell.FromNow, w.replica(r, r.told))
		w.ok(err)
		_, err = c.Subscribe(shell.FromNow, w.replica(r, r.met), shell.Gte(shell.Ref("a"), 2))
		w.ok(err)
		list, err := db.Query(shell.From(c).Where(shell.Gte(shell.Ref("a"), 1)))
		w.ok(err)
		top, err := db.Query(shell.From(c).OrderBy(shell.Ref("b")).Limit(2))
		w.ok(err)
		w.lists, w.tops = append(w.lists, list), append(w.tops, top)
	}
	return w
}

func (w *writer) ok(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}

// replica follows a collection by what is told alone.
func (w *writer) replica(r *modelRoot, rows map[any]object) func([]shell.Change) {
	return func(changes []shell.Change) {
		seen := map[any]bool{}
		for _, c := range changes {
			_, there := rows[c.Key]
			if seen[c.Key] || there != (c.Op != shell.Insert) {
				w.t.Errorf("told %v of %v, which is there: %v", c.Op, c.Key, there)
			}
			seen[c.Key] = true
			if c.Op == shell.Delete {
				delete(rows, c.Key)
			} else {
				rows[c.Key] = c.Row.(object)
			}
		}
		w.joint++
	}
}

func (w *writer) root() *modelRoot {
	return w.roots[rapid.IntRange(0, len(w.roots)-1).Draw(w.t, "root")]
}

func (w *writer) key() any { return rapid.SampledFrom(w.keys).Draw(w.t, "key") }

func (w *writer) fields() object {
	o := object{}
	for _, name := range rapid.SampledFrom([][]string{{"a"}, {"b"}, {"a", "b"}, {"c"}}).Draw(w.t, "fields") {
		o[name] = float64(rapid.IntRange(0, 3).Draw(w.t, name))
	}
	return o
}

func (w *writer) row(key any) object { return laid(object{"id": key, "a": 0.0, "b": 0.0}, w.fields()) }

// tx draws a transaction that takes writes, or makes one.
func (w *writer) tx() *modelTx {
	var list []*modelTx
	for _, t := range w.txs {
		if !t.persisting && !t.confirmed {
			list = append(list, t)
		}
	}
	if n := rapid.IntRange(0, len(list)).Draw(w.t, "transaction"); n < len(list) {
		return list[n]
	}
	t := &modelTx{real: w.db.Transaction(), writes: map[*modelRoot]map[any]*modelWrite{}}
	w.txs = append(w.txs, t)
	return t
}

func (w *writer) mutate(t *rapid.T) {
	w.t = t
	tx, r, key := w.tx(), w.root(), w.key()
	tx.real.Hold = rapid.SampledFrom([]shell.Hold{shell.HoldNothing, shell.HoldNothing, shell.HoldGraph, shell.HoldAll}).Draw(t, "hold")
	if tx.writes[r] == nil {
		tx.writes[r] = map[any]*modelWrite{}
	}
	row, _ := r.visible(w.txs, key)
	before := tx.writes[r][key]
	tx.held = tx.held || tx.real.Hold == shell.HoldAll && (before == nil || before.kind != "announce")
	r.marked[key] = true
	switch {
	case rapid.IntRange(0, 7).Draw(t, "announced") == 0 && before == nil:
		w.ok(tx.real.Announce(r.real, key, row == nil))
		tx.writes[r][key] = &modelWrite{kind: "announce", insert: row == nil}
	case before != nil && before.kind == "announce":
		// What is announced stays that way.
		w.ok(w.db.Flush())
		return
	case row == nil:
		made := w.row(key)
		w.ok(tx.real.Insert(r.real, made))
		tx.writes[r][key] = &modelWrite{kind: "insert", insert: true, row: made}
	case rapid.IntRange(0, 2).Draw(t, "delete") == 0:
		w.ok(tx.real.Delete(r.real, key))
		if before != nil && before.insert {
			delete(tx.writes[r], key)
			if len(r.layers(w.txs, key)) == 0 {
				delete(r.marked, key)
			}
		} else {
			tx.writes[r][key] = &modelWrite{kind: "delete"}
		}
	default:
		changes := w.fields()
		w.ok(tx.real.Update(r.real, key, changes))
		switch {
		case before == nil || before.kind == "delete":
			tx.writes[r][key] = &modelWrite{kind: "update", changes: changes}
		case before.kind == "insert":
			tx.writes[r][key] = &modelWrite{kind: "insert", insert: true, row: laid(before.row, changes)}
		default:
			tx.writes[r][key] = &modelWrite{kind: "update", changes: laid(before.changes, changes)}
		}
	}
	if tx.real.Hold != shell.HoldNothing && rapid.Bool().Draw(t, "more in the same hold") {
		w.mutate(t)
		return
	}
	w.ok(w.db.Flush())
}

func (w *writer) persist(t *rapid.T) {
	w.t = t
	tx := w.tx()
	w.ok(tx.real.Persist())
	tx.persisting = len(tx.writes) > 0
}

func (w *writer) settle(t *rapid.T) {
	w.t = t
	if len(w.txs) == 0 {
		return
	}
	n := rapid.IntRange(1, min(2, len(w.txs))).Draw(t, "at once")
	ending := rapid.Permutation(slices.Clone(w.txs)).Draw(t, "which")[:n]
	var ends []shell.Ending
	how := map[*modelTx]shell.Outcome{}
	for _, x := range ending {
		how[x] = rapid.SampledFrom([]shell.Outcome{shell.Rejected, shell.AcceptedDirect, shell.Accepted}).Draw(t, "outcome")
		t.Logf("ends with %d: %v", how[x], x.written(w))
		ends = append(ends, shell.Ending{Transaction: x.real, Outcome: how[x]})
	}
	w.joint = 0
	w.ok(w.db.Settle(ends...))
	for _, r := range w.roots {
		w.settleModel(r, ending, how)
	}
	w.txs = slices.DeleteFunc(w.txs, func(x *modelTx) bool { return slices.Contains(ending, x) })
}

// settleModel ends transactions in one root of the model, as docs/writes.md
// says.
func (w *writer) settleModel(r *modelRoot, ending []*modelTx, how map[*modelTx]shell.Outcome) {
	touches := slices.ContainsFunc(ending, func(x *modelTx) bool { return x.writes[r] != nil })
	for _, x := range ending {
		x.persisting = false
	}
	if !touches {
		return
	}
	leave := func(x *modelTx, keep func(any, *modelWrite) bool) {
		for _, k := range w.keys {
			write := x.writes[r][k]
			if write == nil {
				continue
			}
			delete(x.writes[r], k)
			if keep(k, write) {
				r.kept[k] = append(r.kept[k], write)
			} else if how[x] == shell.Rejected && len(r.layers(w.txs, k)) == 0 {
				delete(r.marked, k)
			}
		}
	}
	for _, x := range ending {
		if how[x] != shell.Accepted {
			leave(x, func(_ any, w *modelWrite) bool { return how[x] == shell.AcceptedDirect && !w.answered })
		}
	}
	r.admit(w.txs)
	for _, x := range ending {
		if how[x] == shell.Accepted {
			leave(x, func(k any, _ *modelWrite) bool {
				return slices.ContainsFunc(r.waiting, func(s *modelSync) bool {
					return slices.ContainsFunc(s.ops, func(o modelOp) bool { return o.key == k })
				})
			})
		}
	}
}

func (w *writer) sync(t *rapid.T) {
	w.t = t
	r := w.root()
	s := &modelSync{real: r.real.Begin()}
	if s.truncate = rapid.IntRange(0, 9).Draw(t, "truncate") == 0; s.truncate {
		s.real.Truncate()
	}
	s.real.Immediate = rapid.IntRange(0, 9).Draw(t, "immediate") == 0
	for range rapid.IntRange(0, 3).Draw(t, "operations") {
		key := w.key()
		switch rapid.IntRange(0, 3).Draw(t, "operation") {
		case 0:
			s.real.Delete(key)
			if r.real.Knows(key) || slices.ContainsFunc(s.ops, func(o modelOp) bool { return o.key == key }) {
				s.ops = append(s.ops, modelOp{"delete", key, nil})
			}
		case 1:
			changes := w.fields()
			changes["id"] = key
			s.real.Change(key, changes)
			s.ops = append(s.ops, modelOp{"merge", key, changes})
		default:
			row := w.row(key)
			s.real.Update(row)
			s.ops = append(s.ops, modelOp{"put", key, row})
		}
	}
	at := r.blocked(w.txs, r.waiting, s)
	now := s.truncate || s.real.Immediate
	w.ok(s.real.Commit())
	switch {
	case now:
		for _, p := range r.waiting {
			r.apply(w.txs, p)
		}
		r.waiting = nil
		r.apply(w.txs, s)
	case at:
		r.waiting = append(r.waiting, s)
	default:
		r.apply(w.txs, s)
	}
}

// check holds everything that can be read against the model.
func (w *writer) check(t *rapid.T) {
	for i, r := range w.roots {
		rows := r.content(w.txs, w.keys)
		if got := contentOf(r.real); !reflect.DeepEqual(got, rows) {
			t.Fatalf("root %d shows %v instead of %v", i, got, rows)
		}
		if !reflect.DeepEqual(r.told, rows) {
			t.Fatalf("root %d: a subscriber was told %v instead of %v", i, r.told, rows)
		}
		met, list := map[any]object{}, map[any]object{}
		for k, row := range rows {
			if number(row, "a") >= 2 {
				met[k] = row
			}
			if number(row, "a") >= 1 {
				list[k] = row
			}
		}
		if !reflect.DeepEqual(r.met, met) {
			t.Fatalf("root %d: a subscriber with a condition was told %v instead of %v", i, r.met, met)
		}
		if got := contentOf(w.lists[i]); !reflect.DeepEqual(got, list) {
			t.Fatalf("the list over root %d shows %v instead of %v", i, got, list)
		}
		w.checkTop(t, i, rows)
		for _, k := range w.keys {
			w.checkKey(t, r, k)
		}
		for _, s := range r.waiting {
			if !s.real.Waits() {
				t.Fatalf("root %d: a sync transaction %v was applied that has to wait", i, s.ops)
			}
		}
	}
}

func (w *writer) checkTop(t *rapid.T, i int, rows map[any]object) {
	order := slices.Collect(maps.Keys(rows))
	slices.SortFunc(order, func(a, b any) int {
		if x, y := number(rows[a], "b"), number(rows[b], "b"); x != y {
			return int(x - y)
		}
		return slices.Index(byKey, a) - slices.Index(byKey, b)
	})
	order = order[:min(2, len(order))]
	var got []any
	for _, e := range w.tops[i].Entries() {
		got = append(got, e.Key)
	}
	if !slices.Equal(got, order) {
		t.Fatalf("the top of root %d is %v instead of %v", i, got, order)
	}
}

// number is a field of a row; one that is not there comes before all numbers.
func number(row object, name string) float64 {
	if v, ok := row[name].(float64); ok {
		return v
	}
	return -1
}

// byKey is the order of the keys.
var byKey = []any{"x", 1.0, 2.0, 3.0}

func (w *writer) checkKey(t *rapid.T, r *modelRoot, k any) {
	row, pending := r.visible(w.txs, k)
	confirmed, there := r.real.Confirmed(k)
	if want, ok := r.confirmed[k]; ok != there || ok && !reflect.DeepEqual(confirmed, any(want)) {
		t.Fatalf("the confirmed row of %v is %v, %v instead of %v", k, confirmed, there, want)
	}
	if row == nil {
		return
	}
	synced, local := r.real.Standing(k)
	if synced == pending || local != (pending || r.local[k]) {
		t.Fatalf("%v stands as synced %v, local %v; pending %v, confirmed after a local write %v", k, synced, local, pending, r.local[k])
	}
}

func contentOf(s interface{ Entries() []shell.Entry }) map[any]object {
	rows := map[any]object{}
	for _, e := range s.Entries() {
		rows[e.Key] = e.Row.(object)
	}
	return rows
}

// finish settles and cleans up everything: nothing may be left.
func (w *writer) finish(t *rapid.T) {
	for len(w.txs) > 0 {
		w.settle(t)
	}
	w.check(t)
	for i, r := range w.roots {
		w.ok(w.lists[i].Cleanup())
		w.ok(w.tops[i].Cleanup())
		w.ok(r.real.Cleanup())
		w.ok(r.real.Forget())
	}
	stats, err := w.db.Stats()
	w.ok(err)
	for _, name := range []string{"roots", "lives", "rows", "columns", "arrangements", "nodes", "retained", "pinned", "texts", "layers", "parked"} {
		if stats[name] != 0 {
			t.Fatalf("%d %s are left", stats[name], name)
		}
	}
}

func checkWrites(t *rapid.T, open shell.Opener) {
	w := newWriter(t, open)
	t.Repeat(map[string]func(*rapid.T){
		"mutate": w.mutate, "mutate more": w.mutate, "persist": w.persist, "settle": w.settle, "sync": w.sync, "sync more": w.sync,
		"": w.check,
	})
	w.finish(t)
	w.ok(w.db.Close())
}

// Laws OVERLAY, COHERENT, RECEIPT, SPACE.
func TestWrites_VisibleStateIsTheConfirmedOneWithPendingWritesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkWrites(t, shell.Native) })
}
