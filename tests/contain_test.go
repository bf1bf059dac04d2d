package tests

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"millrace.dev/millrace/jsbridge/shell"
)

func TestContain_APanickingSubscriberHarmsNobodyElse(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	l := start(t, db, shell.From(c))
	var told []string
	subscribe := func(name string, notify func([]shell.Change)) {
		_, err := l.Subscribe(shell.FromNow, func(changes []shell.Change) {
			told = append(told, name)
			notify(changes)
		})
		must(t, err)
	}
	cause := errors.New("cause")
	subscribe("first", func([]shell.Change) {})
	subscribe("panics", func([]shell.Change) { panic(cause) })
	subscribe("last", func([]shell.Change) {})
	err := c.Begin().Insert(map[string]any{"id": 1}).Commit()
	var panicked *shell.PanicError
	if !errors.As(err, &panicked) || !errors.Is(err, cause) {
		t.Errorf("the commit ended with %v", err)
	}
	if want := []string{"first", "panics", "last"}; !slices.Equal(told, want) {
		t.Errorf("told %v, not %v", told, want)
	}
	if !c.Has(1) || !l.Has(1) {
		t.Error("the write was lost")
	}
}

func TestContain_SubscribersAreToldFirstInFirstOut(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	l := start(t, db, shell.From(c))
	var told []string
	note := func(name string, changes []shell.Change) {
		told = append(told, fmt.Sprint(name, " ", changes[0].Key, " of ", l.Len()))
	}
	_, err := c.Subscribe(shell.FromNow, func(changes []shell.Change) {
		note("first", changes)
		if c.Len() < 3 {
			must(t, c.Begin().Insert(map[string]any{"id": c.Len() + 1}).Commit())
		}
	})
	must(t, err)
	_, err = l.Subscribe(shell.FromNow, func(changes []shell.Change) { note("second", changes) })
	must(t, err)
	must(t, c.Begin().Insert(map[string]any{"id": 1}).Commit())
	want := []string{"first 1 of 1", "second 1 of 2", "first 2 of 2", "second 2 of 3", "first 3 of 3", "second 3 of 3"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, not %q", told, want)
	}
}

// brokenRow fails when somebody looks.
type brokenRow struct{ id int }

var errBroken = errors.New("row is broken")

func (r brokenRow) Get(name string) (any, bool) {
	if name == "id" {
		return r.id, true
	}
	panic(errBroken)
}

func TestContain_ARowThatCannotBeReadFailsOnlyWhoReadsIt(t *testing.T) {
	db := open(t)
	c, err := db.Collection(shell.Config{Key: func(row any) any {
		id, _ := row.(shell.Getter).Get("id")
		return id
	}})
	must(t, err)
	must(t, c.Begin().Insert(brokenRow{1}).Commit())
	all := start(t, db, shell.From(c))
	_, err = db.Query(shell.From(c).Where(shell.Eq(shell.Ref("name"), "a")))
	if !errors.Is(err, shell.ErrPullFailed) || !errors.Is(err, errBroken) {
		t.Errorf("a query that reads the row ended with %v", err)
	}
	must(t, c.Begin().Insert(brokenRow{2}).Commit())
	if all.Len() != 2 {
		t.Errorf("the other query has %d rows of 2", all.Len())
	}
}

func TestContain_AFailingQueryKeepsItsRowsAndStopsAlone(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	date := func(text string) shell.Temporal { return shell.Temporal{Type: "PlainDate", Text: text} }
	must(t, c.Begin().Insert(map[string]any{"id": 1, "due": date("2025-01-02")}).Commit())
	failing := start(t, db, shell.From(c).Where(shell.Gt(shell.Ref("due"), date("2025-01-01"))))
	over := start(t, db, shell.From(failing).OrderBy(shell.Ref("id")))
	other := start(t, db, shell.From(c))
	must(t, c.Begin().Insert(map[string]any{"id": 2, "due": 5}).Commit())
	if failing.Status() != shell.Failed || failing.Failure() == "" || failing.Len() != 1 {
		t.Errorf("the query is %v, %q, with %d rows", failing.Status(), failing.Failure(), failing.Len())
	}
	if over.Status() != shell.Failed || over.Len() != 1 {
		t.Errorf("the query over it is %v with %d rows", over.Status(), over.Len())
	}
	if other.Status() != shell.Ready || other.Len() != 2 {
		t.Errorf("the other query is %v with %d rows", other.Status(), other.Len())
	}
	// It is started again once the value that it cannot take is gone.
	must(t, c.Begin().Delete(2).Insert(map[string]any{"id": 3, "due": date("2025-02-01")}).Commit())
	must(t, failing.Cleanup())
	must(t, failing.Start())
	if failing.Status() != shell.Ready || failing.Len() != 2 {
		t.Errorf("after a restart it is %v with %d rows", failing.Status(), failing.Len())
	}
}

func TestStatus_QueriesFollowTheirSource(t *testing.T) {
	db := open(t)
	c, err := db.Collection(shell.Config{Key: byID})
	must(t, err)
	l := start(t, db, shell.From(c))
	over := start(t, db, shell.From(l))
	var seen []string
	over.OnStatus(func(previous, next shell.Status) { seen = append(seen, previous.String()+" "+next.String()) })
	must(t, c.MarkReady())
	must(t, c.MarkReady())
	must(t, c.MarkError())
	must(t, c.Begin().Insert(map[string]any{"id": 1}).Commit())
	must(t, c.MarkReady())
	if over.Len() != 1 {
		t.Errorf("%d rows of 1", over.Len())
	}
	must(t, c.Cleanup())
	if over.Len() != 0 || l.Status() != shell.Failed {
		t.Errorf("over a source that is gone: %d rows, %v", over.Len(), l.Status())
	}
	if err := over.Start(); !errors.Is(err, shell.ErrStatusTransition) {
		t.Errorf("started in spite of it: %v", err)
	}
	want := []string{"loading ready", "ready error", "error ready", "ready error"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q, not %q", seen, want)
	}
}

func TestSafe_HostileNamesAreOrdinaryData(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	must(t, c.Begin().Insert(map[string]any{"id": "__proto__", "__proto__": 1, "constructor": map[string]any{"prototype": "x"}}).Commit())
	l := start(t, db, shell.From(c).
		Where(shell.Eq(shell.Ref("__proto__"), 1), shell.Eq(shell.Ref("constructor", "prototype"), "x")).
		OrderBy(shell.Ref("__proto__")))
	if !l.Has("__proto__") {
		t.Error("the row is not found by its fields")
	}
	for _, name := range []string{"__proto__", "a.constructor", "prototype.b"} {
		err := db.Check(shell.From(c).Select(shell.As(name, shell.Ref("id"))))
		if !errors.Is(err, shell.ErrUnsafeAliasPath) {
			t.Errorf("selecting as %s: %v", name, err)
		}
	}
}

func TestErrors_AreOfTheirCode(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	for _, test := range []struct {
		query shell.Query
		want  error
	}{
		{shell.From(c).Limit(1), shell.ErrLimitOffsetRequireOrderBy},
		{shell.From(c).Offset(1), shell.ErrLimitOffsetRequireOrderBy},
		{shell.From(c).Where(shell.Call("soundex", "a")), shell.ErrUnknownFunction},
		{shell.From(c).Where(shell.Ref()), shell.ErrEmptyReferencePath},
	} {
		if err := db.Check(test.query); !errors.Is(err, test.want) {
			t.Errorf("check: %v, not %v", err, test.want)
		}
		if _, err := db.Query(test.query); !errors.Is(err, test.want) {
			t.Errorf("query: %v, not %v", err, test.want)
		}
	}
	must(t, c.Begin().Insert(map[string]any{"id": 1}).Commit())
	err := c.Begin().Insert(map[string]any{"id": 2}).Insert(map[string]any{"id": 1}).Commit()
	if !errors.Is(err, shell.ErrDuplicateKey) || c.Len() != 1 {
		t.Errorf("a duplicate: %v, %d rows", err, c.Len())
	}
	must(t, c.Begin().Delete(1).Insert(map[string]any{"id": 1}).Commit())
	if err := c.Begin().Insert(map[string]any{"id": nil}).Commit(); err == nil || c.Len() != 1 {
		t.Errorf("a row without a key: %v", err)
	}
}
