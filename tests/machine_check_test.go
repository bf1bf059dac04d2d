package tests

import (
	"fmt"
	"slices"

	"millrace.dev/millrace/jsbridge/shell"
	"millrace.dev/millrace/tests/model"
)

// check compares every relation with the model, and every subscriber with the
// relation.
func (m *machine) check() {
	for _, r := range m.relations {
		before := r.shown
		r.shown = r.shell().Entries()
		m.checkContent(r, before)
		m.checkReads(r)
		for _, s := range r.replicas {
			m.checkReplica(r, s, before)
			s.batches, s.empty = 0, 0
		}
	}
}

func (m *machine) fail(r *relation, format string, args ...any) {
	m.t.Fatalf("%s: %s\n%s", r.name, fmt.Sprintf(format, args...), r.describe())
}

// describe shows a query and those under it.
func (r *relation) describe() string {
	text := ""
	for ; r.source != nil; r = r.source {
		text += fmt.Sprintf("%s = %+v over %s\n", r.name, r.query.model, r.source.name)
	}
	return text
}

func describeRows(rows map[any]model.Row) string {
	text := ""
	for key, r := range rows {
		text += fmt.Sprintf("%v: %v, ", key, r.Object)
	}
	return text
}

func (m *machine) checkContent(r *relation, before []shell.Entry) {
	status := r.shell().Status()
	switch {
	case r.cleaned:
		if status != shell.CleanedUp || len(r.shown) != 0 {
			m.fail(r, "cleaned up, but %v with %d rows", status, len(r.shown))
		}
		return
	case r.orphaned:
		if status != shell.Failed || len(r.shown) != 0 {
			m.fail(r, "its source is gone, but it is %v with %d rows", status, len(r.shown))
		}
		return
	}
	want, err := r.want()
	if status == shell.Failed {
		if !r.failed && err == nil && !m.faults.fired && !m.temporal {
			m.fail(r, "has failed for no reason: %s", r.live.Failure())
		}
		r.failed = true
		if !sameEntries(r.shown, before) && r.source.shell().Status() != shell.Failed {
			m.fail(r, "has failed and shows %v instead of what it showed: %v", r.shown, before)
		}
		return
	}
	if r.failed {
		m.fail(r, "recovered by itself: %v", status)
	}
	if r.source != nil && r.source.failed {
		m.fail(r, "is %v although its source has failed", status)
	}
	if ready := m.rootOf(r).ready; (status == shell.Ready) != ready {
		m.fail(r, "is %v; its source is ready: %v", status, ready)
	}
	if err != nil {
		return // rows that no evaluation needed have no answer
	}
	if have := r.shown; !slices.EqualFunc(have, want, func(e shell.Entry, w model.Row) bool {
		return e.Key == w.Key && same(e.Row, shellValue(w.Object))
	}) {
		text := ""
		for _, w := range want {
			text += fmt.Sprintf("    %v: %v\n", w.Key, w.Object)
		}
		text += "  instead of\n"
		for _, e := range have {
			text += fmt.Sprintf("    %v: %v\n", e.Key, e.Row)
		}
		m.fail(r, "should show\n%s", text)
	}
}

func (m *machine) rootOf(r *relation) *relation {
	for r.source != nil {
		r = r.source
	}
	return r
}

func (m *machine) checkReads(r *relation) {
	if n := r.shell().Len(); n != len(r.shown) {
		m.fail(r, "Len is %d of %d rows", n, len(r.shown))
	}
	for _, e := range r.shown {
		if row, ok := r.shell().Get(e.Key); !ok || !same(row, e.Row) {
			m.fail(r, "Get(%v) is %v, %v and not %v", e.Key, row, ok, e.Row)
		}
	}
}

func sameEntries(a, b []shell.Entry) bool {
	return slices.EqualFunc(a, b, func(x, y shell.Entry) bool { return x.Key == y.Key && same(x.Row, y.Row) })
}

func keysOf(entries []shell.Entry) []any {
	keys := make([]any, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	return keys
}

func rowsOf(entries []shell.Entry) map[any]any {
	rows := map[any]any{}
	for _, e := range entries {
		rows[e.Key] = e.Row
	}
	return rows
}

func (m *machine) checkReplica(r *relation, s *replica, before []shell.Entry) {
	if s.fault != "" {
		m.fail(r, "a subscriber of mode %d was told: %s", s.mode, s.fault)
	}
	content := rowsOf(r.shown)
	for key, row := range s.rows {
		if now, ok := content[key]; !ok || !same(row, now) {
			m.fail(r, "a subscriber of mode %d believes %v is %v, not %v", s.mode, key, row, now)
		}
	}
	if s.mode != shell.Known && len(s.rows) != len(content) {
		m.fail(r, "a subscriber of mode %d knows %d of %d rows", s.mode, len(s.rows), len(content))
	}
	if !m.quiet || m.faults.fired || r.cleaned || r.orphaned || r.failed {
		return
	}
	batches, empty := 0, 0
	switch {
	case !sameRows(content, rowsOf(before)):
		batches = 1
	case !slices.Equal(keysOf(before), keysOf(r.shown)):
		batches, empty = 1, 1
	}
	if s.mode == shell.Known && batches == 1 {
		empty = s.empty // all of the batch may be about keys it was never told of
	}
	if s.batches != batches || s.empty != empty {
		m.fail(r, "a subscriber of mode %d got %d batches, %d of them empty, and not %d and %d\n  before %v\n  after  %v",
			s.mode, s.batches, s.empty, batches, empty, before, r.shown)
	}
}

func sameRows(a, b map[any]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, row := range a {
		if other, ok := b[key]; !ok || !same(row, other) {
			return false
		}
	}
	return true
}

// held are the counters of what an engine holds, as opposed to what it has done.
var held = []string{"roots", "lives", "rows", "columns", "arrangements", "nodes", "retained", "pinned", "texts"}

func (m *machine) checkNothingLeft() {
	stats, err := m.db.Stats()
	if err != nil {
		m.t.Fatal(err)
	}
	for _, name := range held {
		if n, ok := stats[name]; !ok || n != 0 {
			m.t.Fatalf("after everything was cleaned up, %d %s are left: %v", n, name, stats)
		}
	}
}
