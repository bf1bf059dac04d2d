package tests

import (
	"reflect"
	"testing"

	"millrace.dev/millrace/jsbridge/shell"
)

// desk is one collection with what its subscriber was told.
type desk struct {
	t    *testing.T
	db   *shell.DB
	c    *shell.Collection
	told []shell.Change
}

func newDesk(t *testing.T, config shell.Config) *desk {
	t.Helper()
	db, err := shell.Open()
	must(t, err)
	config.Key = func(row any) any { return row.(object)["id"] }
	c, err := db.Collection(config)
	must(t, err)
	must(t, c.MarkReady())
	d := &desk{t: t, db: db, c: c}
	_, err = c.Subscribe(shell.FromNow, func(changes []shell.Change) { d.told = append(d.told, changes...) })
	must(t, err)
	return d
}

func (d *desk) commit(rows ...object) {
	d.t.Helper()
	tx := d.c.Begin()
	for _, row := range rows {
		tx.Update(row)
	}
	must(d.t, tx.Commit())
}

func (d *desk) want(what string, rows map[any]object) {
	d.t.Helper()
	if got := contentOf(d.c); !reflect.DeepEqual(got, rows) {
		d.t.Errorf("%s: %v instead of %v", what, got, rows)
	}
}

func TestWrites_ARowThatCannotBeComposedShowsWhatIsBelowAndNothingElseSuffers(t *testing.T) {
	broken := false
	d := newDesk(t, shell.Config{Patch: func(row, changes any) any {
		if broken {
			panic("no patch")
		}
		return laid(row.(object), changes.(object))
	}})
	d.commit(object{"id": 1.0, "a": 0.0}, object{"id": 2.0, "a": 0.0})
	tx := d.db.Transaction()
	must(t, tx.Update(d.c, 1.0, object{"a": 1.0}))
	broken = true
	sync := d.c.Begin().Update(object{"id": 1.0, "a": 0.0, "b": 1.0}).Update(object{"id": 2.0, "a": 5.0})
	if err := sync.Commit(); err == nil {
		t.Error("a failed pull is not reported")
	}
	d.want("while it fails", map[any]object{1.0: {"id": 1.0, "a": 0.0, "b": 1.0}, 2.0: {"id": 2.0, "a": 5.0}})
	broken = false
	d.commit(object{"id": 1.0, "a": 0.0, "b": 2.0})
	d.want("afterwards", map[any]object{1.0: {"id": 1.0, "a": 1.0, "b": 2.0}, 2.0: {"id": 2.0, "a": 5.0}})
	must(t, tx.Settle(shell.Rejected))
	d.want("settled", map[any]object{1.0: {"id": 1.0, "a": 0.0, "b": 2.0}, 2.0: {"id": 2.0, "a": 5.0}})
}

func TestWrites_AQueryStartedWhileTheGraphIsHeldSeesEachRowOnce(t *testing.T) {
	d := newDesk(t, shell.Config{})
	d.commit(object{"id": 1.0, "a": 1.0})
	before, err := d.db.Query(shell.From(d.c))
	must(t, err)
	tx := d.db.Transaction()
	tx.Hold = shell.HoldAll
	must(t, tx.Insert(d.c, object{"id": 2.0, "a": 2.0}))
	if before.Len() != 1 || len(d.told) != 1 {
		t.Errorf("the held write is told: %d rows, %v", before.Len(), d.told)
	}
	within, err := d.db.Query(shell.From(d.c).OrderBy(shell.Ref("a")).Limit(5))
	must(t, err)
	must(t, tx.Persist())
	if within.Len() != 2 || before.Len() != 2 || len(d.told) != 2 {
		t.Errorf("%d and %d rows, told %v", within.Len(), before.Len(), d.told)
	}
	if _, err := d.db.Query(shell.From(d.c).Where(shell.Eq(shell.Ref("a"), 2))); err != nil {
		t.Error(err)
	}
}

func TestWrites_OfACollectionThatWasCleanedUpGoWithItAndComeBackWhenTheyAreSentAgain(t *testing.T) {
	d := newDesk(t, shell.Config{})
	d.commit(object{"id": 1.0, "a": 0.0})
	tx := d.db.Transaction()
	must(t, tx.Update(d.c, 1.0, object{"a": 1.0}))
	must(t, tx.Persist())
	must(t, d.c.Cleanup())
	must(t, d.c.Start())
	d.commit(object{"id": 1.0, "a": 0.0})
	d.want("restarted", map[any]object{1.0: {"id": 1.0, "a": 0.0}})
	must(t, tx.Update(d.c, 1.0, object{"a": 1.0}))
	d.want("sent again", map[any]object{1.0: {"id": 1.0, "a": 1.0}})
	waits := d.c.Begin().Update(object{"id": 1.0, "a": 7.0})
	must(t, waits.Commit())
	if !waits.Waits() {
		t.Error("a transaction that was being persisted is so no longer")
	}
	must(t, tx.Settle(shell.Accepted))
	d.want("settled", map[any]object{1.0: {"id": 1.0, "a": 7.0}})
}

func TestWrites_OneRowCostsOneRowWhateverTheCollectionHolds(t *testing.T) {
	var costs []int
	for _, n := range []int{100, 10_000} {
		d := newDesk(t, shell.Config{})
		rows := make([]object, n)
		for i := range rows {
			rows[i] = object{"id": float64(i), "a": float64(i)}
		}
		d.commit(rows...)
		_, err := d.db.Query(shell.From(d.c).Where(shell.Eq(shell.Ref("a"), 5)))
		must(t, err)
		_, err = d.db.Query(shell.From(d.c).OrderBy(shell.Ref("a")).Limit(10))
		must(t, err)
		before, err := d.db.Stats()
		must(t, err)
		was := before["visits"] + before["scanned"] + before["pulls"]
		tx := d.db.Transaction()
		must(t, tx.Update(d.c, 5.0, object{"b": 1.0}))
		must(t, tx.Persist())
		d.commit(object{"id": 50.0, "a": 50.0, "b": 2.0})
		must(t, tx.Settle(shell.Accepted))
		after, err := d.db.Stats()
		must(t, err)
		costs = append(costs, after["visits"]+after["scanned"]+after["pulls"]-was)
	}
	if costs[0] != costs[1] || costs[0] == 0 {
		t.Errorf("work of one write and one commit at 100 and 10,000 rows: %v", costs)
	}
}

// A row that is told as synced was inserted as such when its handler confirms
// it at once.
func TestWrites_WhatIsConfirmedWhileItIsHeldIsToldOnce(t *testing.T) {
	d := newDesk(t, shell.Config{})
	tx := d.db.Transaction()
	tx.Hold = shell.HoldAll
	must(t, tx.Insert(d.c, object{"id": 1.0}))
	d.commit(object{"id": 1.0})
	must(t, tx.Persist())
	must(t, tx.Settle(shell.AcceptedDirect))
	synced, local := d.c.Standing(1.0)
	if len(d.told) != 1 || d.told[0].Op != shell.Insert || !synced || !local {
		t.Errorf("told %v, synced %v, local %v", d.told, synced, local)
	}
}

func TestWrites_WhatTheSourceHasAnsweredWhileItWasSentIsNotKept(t *testing.T) {
	d := newDesk(t, shell.Config{})
	tx := d.db.Transaction()
	must(t, tx.Insert(d.c, object{"id": 1.0, "a": "mine"}))
	must(t, tx.Persist())
	answer := d.c.Begin().Update(object{"id": 1.0, "a": "server"})
	answer.Immediate = true
	must(t, answer.Commit())
	d.want("while it is sent", map[any]object{1.0: {"id": 1.0, "a": "mine"}})
	must(t, tx.Settle(shell.AcceptedDirect))
	d.want("done", map[any]object{1.0: {"id": 1.0, "a": "server"}})
}
