package tests

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge"
	"millrace.dev/millrace/jsbridge/shell"
	"millrace.dev/millrace/tests/model"
)

// machine drives an engine through a random history and holds it against the
// model after every step.
type machine struct {
	t         *rapid.T
	db        *shell.DB
	faults    *faults
	schema    schema
	temporal  bool
	relations []*relation
	keys      []any
	named     int
	inject    bool
	many      int  // rows that bulk commits write; 0: none
	quiet     bool // the step tells nothing but changes of content and order
}

func newMachine(t *rapid.T, open shell.Opener) *machine {
	m := &machine{t: t, faults: &faults{}}
	m.temporal = rapid.IntRange(0, 4).Draw(t, "temporals") == 0
	m.inject = rapid.IntRange(0, 2).Draw(t, "pulls fail") == 0
	m.schema = drawSchema(t, m.temporal)
	m.keys = []any{1.0, 2.0, 3.0, -4.0, 10.0, "a", "b", "é", "10", "😀", "\uffff", ""}
	db, err := shell.OpenWith(func(host jsbridge.Host) (shell.Engine, error) {
		m.faults.Host = host
		return open(m.faults)
	})
	if err != nil {
		t.Fatal(err)
	}
	m.db = db
	for range rapid.IntRange(1, 2).Draw(t, "collections") {
		m.addRoot()
	}
	if rapid.IntRange(0, 19).Draw(t, "many rows") == 0 {
		m.many = rapid.IntRange(300, 1500).Draw(t, "rows")
		m.bulk(t)
	}
	return m
}

// bulk writes many rows at once, drawn from a seed and not one by one: beyond the
// sizes at which the engine sorts, splits and loads differently.
func (m *machine) bulk(t *rapid.T) {
	r := m.pick("root", func(r *relation) bool { return isRoot(r) && isStarted(r) })
	if r == nil || m.many == 0 {
		return
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	share := random.Float64()
	rows := maps.Clone(r.rows)
	tx := r.root.Begin()
	for i := range m.many {
		if random.Float64() > share {
			continue
		}
		key := float64(1000 + i)
		if _, there := rows[key]; there && random.IntN(4) == 0 {
			tx.Delete(key)
			delete(rows, key)
			continue
		}
		object := map[string]any{"id": key}
		for _, name := range m.schema.names() {
			if v := m.schema[name][random.IntN(len(m.schema[name]))]; v != model.Undefined {
				object[name] = v
			}
		}
		object["n"] = float64(random.IntN(m.many))
		rows[key] = model.Row{Key: key, Object: object, Collection: r.name}
		tx.Update(shellValue(object))
	}
	m.quiet = true
	t.Logf("bulk commit to %s: now %d rows", r.name, len(rows))
	if err := tx.Commit(); err != nil {
		t.Fatalf("bulk commit: %v", err)
	}
	r.rows = rows
}

func (m *machine) name(what string) string {
	m.named++
	return fmt.Sprintf("%s %d", what, m.named)
}

func (m *machine) addRoot() {
	name := m.name("root")
	root, err := m.db.Collection(shell.Config{ID: name, Key: func(row any) any { return row.(map[string]any)["id"] }})
	if err != nil {
		m.t.Fatal(err)
	}
	m.relations = append(m.relations, &relation{name: name, root: root, rows: map[any]model.Row{}})
}

// pick draws a relation that is ok; nil when there is none.
func (m *machine) pick(what string, ok func(*relation) bool) *relation {
	var list []*relation
	for _, r := range m.relations {
		if ok(r) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(m.t, what)]
}

func isRoot(r *relation) bool    { return r.root != nil }
func isStarted(r *relation) bool { return !r.cleaned }
func isRunning(r *relation) bool { return !r.cleaned && !r.orphaned && !r.failed }

// allows tells whether an error may be: pulls were made to fail, or values have no
// order.
func (m *machine) allows(err error) bool {
	return m.faults.fired && errors.Is(err, shell.ErrPullFailed) || errors.Is(err, shell.ErrQueryFailed) && (m.temporal || m.faults.fired)
}

// commit applies one transaction of a few writes to a root.
func (m *machine) commit(t *rapid.T) {
	r := m.pick("root", func(r *relation) bool { return isRoot(r) && isStarted(r) })
	if r == nil {
		return
	}
	tx := r.root.Begin()
	rows := maps.Clone(r.rows)
	gone := map[any]bool{}
	duplicate := false
	if rapid.IntRange(0, 9).Draw(t, "truncate") == 0 {
		tx.Truncate()
		for key := range rows {
			gone[key] = true
		}
		clear(rows)
	}
	for range rapid.IntRange(0, 5).Draw(t, "writes") {
		key := rapid.SampledFrom(m.keys).Draw(t, "key")
		op := rapid.SampledFrom([]string{"insert", "update", "update", "delete", "again"}).Draw(t, "op")
		_, there := r.rows[key]
		if op == "insert" && there && rapid.IntRange(0, 3).Draw(t, "careful") > 0 {
			op = "update"
		}
		switch op {
		case "delete":
			tx.Delete(key)
			delete(rows, key)
			gone[key] = true
			continue
		case "insert":
			duplicate = duplicate || there && !gone[key]
		}
		object := m.schema.row(t)
		object["id"] = key
		if op == "again" && there {
			// The same values in another object: no change.
			object = maps.Clone(r.rows[key].Object)
		}
		rows[key] = model.Row{Key: key, Object: object, Collection: r.name}
		if given := shellValue(object); op == "insert" {
			tx.Insert(given)
		} else {
			tx.Update(given)
		}
	}
	m.quiet = true
	if len(rows) < 20 {
		t.Logf("commit to %s: now %v", r.name, describeRows(rows))
	}
	err := tx.Commit()
	switch {
	case duplicate:
		if !errors.Is(err, shell.ErrDuplicateKey) {
			t.Fatalf("a duplicate insert ended with %v", err)
		}
	case err != nil:
		t.Fatalf("commit: %v", err)
	default:
		r.rows = rows
	}
}

func (m *machine) start(t *rapid.T) {
	if len(m.relations) > 10 {
		return
	}
	source := m.pick("source", func(r *relation) bool { return isRunning(r) && r.depth < 3 })
	if source == nil {
		return
	}
	r := &relation{name: m.name("query"), source: source, depth: source.depth + 1}
	r.query = drawQuery(t, m.schema, r.name)
	r.offset, r.limit = r.query.model.Offset, r.query.model.Limit
	t.Logf("start %s", r.describe())
	live, err := m.db.Query(r.query.over(source.shell()))
	if err != nil {
		if !m.allows(err) {
			t.Fatalf("start: %v", err)
		}
		return
	}
	r.live = live
	m.relations = append(m.relations, r)
}

func (m *machine) orphan(source *relation) {
	for _, r := range m.relations {
		if r.source == source && !r.cleaned {
			r.orphaned, r.failed = true, false
			r.forget()
			m.orphan(r)
		}
	}
}

// forget makes the subscribers of a relation that is empty now start over.
func (r *relation) forget() {
	for _, s := range r.replicas {
		s.rows = map[any]any{}
	}
}

func (m *machine) cleanup(t *rapid.T) {
	r := m.pick("victim", isStarted)
	if r == nil {
		return
	}
	t.Logf("cleanup %s", r.name)
	var err error
	if r.live != nil {
		err = r.live.Cleanup()
	} else {
		err = r.root.Cleanup()
		r.rows, r.ready = map[any]model.Row{}, false
	}
	if err != nil {
		t.Fatalf("cleanup: %v", err)
	}
	r.cleaned, r.orphaned, r.failed = true, false, false
	r.forget()
	m.orphan(r)
}

func (m *machine) restart(t *rapid.T) {
	r := m.pick("cleaned up", func(r *relation) bool { return r.cleaned && (isRoot(r) || isRunning(r.source)) })
	if r == nil {
		return
	}
	t.Logf("restart %s", r.name)
	var err error
	if r.live != nil {
		err = r.live.Start()
	} else {
		err = r.root.Start()
	}
	switch {
	case err == nil:
		r.cleaned = false
		r.query.model.Offset, r.query.model.Limit = r.offset, r.limit
	case !m.allows(err):
		t.Fatalf("restart: %v", err)
	}
}

func (m *machine) drop(t *rapid.T) {
	r := m.pick("cleaned up", func(r *relation) bool { return r.cleaned && !isRoot(r) })
	if r == nil {
		return
	}
	for _, other := range m.relations {
		if other.source == r {
			return
		}
	}
	for _, s := range r.replicas {
		if err := s.sub.Unsubscribe(); err != nil {
			t.Fatalf("unsubscribe: %v", err)
		}
	}
	m.relations = slices.DeleteFunc(m.relations, func(o *relation) bool { return o == r })
}

func (m *machine) markReady(t *rapid.T) {
	r := m.pick("root", func(r *relation) bool { return isRoot(r) && isStarted(r) })
	if r == nil {
		return
	}
	if err := r.root.MarkReady(); err != nil {
		t.Fatal(err)
	}
	r.ready = true
}

func (m *machine) subscribe(t *rapid.T) {
	r := m.pick("relation", isRunning)
	if r == nil {
		return
	}
	t.Logf("subscribe to %s", r.name)
	s := &replica{mode: shell.Mode(rapid.IntRange(0, 2).Draw(t, "mode")), rows: map[any]any{}}
	if s.mode == shell.FromNow {
		for _, e := range r.shell().Entries() {
			s.rows[e.Key] = e.Row
		}
	}
	sub, err := r.shell().Subscribe(s.mode, s.take)
	if err != nil {
		if !m.allows(err) {
			t.Fatalf("subscribe: %v", err)
		}
		return
	}
	s.sub = sub
	r.replicas = append(r.replicas, s)
}

func (m *machine) unsubscribe(t *rapid.T) {
	r := m.pick("relation with a subscriber", func(r *relation) bool { return len(r.replicas) > 0 })
	if r == nil {
		return
	}
	i := rapid.IntRange(0, len(r.replicas)-1).Draw(t, "subscriber")
	if err := r.replicas[i].sub.Unsubscribe(); err != nil {
		t.Fatalf("unsubscribe: %v", err)
	}
	r.replicas = slices.Delete(r.replicas, i, i+1)
}

func (m *machine) setWindow(t *rapid.T) {
	r := m.pick("ordered query", func(r *relation) bool { return r.live != nil && isRunning(r) && len(r.query.model.Order) > 0 })
	if r == nil {
		return
	}
	offset, limit := rapid.IntRange(0, 4).Draw(t, "offset"), rapid.IntRange(0, 6).Draw(t, "limit")
	m.quiet = true
	t.Logf("window of %s: %d, %d", r.name, offset, limit)
	if err := r.live.SetWindow(uint32(offset), uint32(limit)); err != nil {
		t.Fatalf("set window: %v", err)
	}
	r.query.model.Offset, r.query.model.Limit = offset, limit
}

// step wraps an action: now and then a pull fails in it, and afterwards
// everything is checked.
func (m *machine) step(action func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		m.t = t
		m.faults.fired, m.quiet = false, false
		m.faults.after = 0
		if m.inject && rapid.IntRange(0, 3).Draw(t, "fault") == 0 {
			m.faults.after = rapid.IntRange(1, 6).Draw(t, "after")
		}
		action(t)
		m.faults.after = 0
	}
}

func (m *machine) run() {
	m.t.Repeat(map[string]func(*rapid.T){
		"commit": m.step(m.commit), "commit more": m.step(m.commit), "commit yet more": m.step(m.commit),
		"start": m.step(m.start), "start another": m.step(m.start), "cleanup": m.step(m.cleanup), "restart": m.step(m.restart),
		"drop": m.step(m.drop), "ready": m.step(m.markReady), "subscribe": m.step(m.subscribe),
		"unsubscribe": m.step(m.unsubscribe), "window": m.step(m.setWindow), "bulk": m.step(m.bulk),
		"": func(t *rapid.T) {
			m.t = t
			m.check()
		},
	})
}

// TestLive_MatchesTheModel holds FRESH, DELTA, NULLS, IDENTITY and CONTAIN over
// random histories: content and order are the model's, what subscribers were told adds up to
// the content, exactly once and only for what changed, and a query that fails harms
// nobody else.
func TestLive_MatchesTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t, shell.Native)
		m.run()
		m.teardown()
	})
}

// teardown cleans everything up, sources first or last, and holds SPACE: nothing
// is left of the history.
func (m *machine) teardown() {
	list := slices.Clone(m.relations)
	if rapid.Bool().Draw(m.t, "queries first") {
		slices.Reverse(list)
	}
	for _, r := range list {
		var err error
		if r.live != nil {
			err = r.live.Cleanup()
		} else {
			err = r.root.Cleanup()
		}
		for _, s := range r.replicas {
			err = errors.Join(err, s.sub.Unsubscribe())
		}
		if err == nil && r.root != nil {
			err = r.root.Forget()
		}
		if err != nil {
			m.t.Fatalf("teardown of %s: %v", r.name, err)
		}
	}
	m.checkNothingLeft()
}
