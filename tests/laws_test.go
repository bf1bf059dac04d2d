package tests

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge/shell"
	"millrace.dev/millrace/tests/model"
)

func open(t testing.TB) *shell.DB {
	t.Helper()
	db, err := shell.Open()
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func byID(row any) any { return row.(map[string]any)["id"] }

func collectionOf(t testing.TB, db *shell.DB) *shell.Collection {
	t.Helper()
	c, err := db.Collection(shell.Config{Key: byID})
	must(t, err)
	must(t, c.MarkReady())
	return c
}

func start(t testing.TB, db *shell.DB, q shell.Query) *shell.Live {
	t.Helper()
	l, err := db.Query(q)
	must(t, err)
	return l
}

func counters(t testing.TB, db *shell.DB) map[string]int {
	t.Helper()
	stats, err := db.Stats()
	must(t, err)
	return stats
}

// TestLive_AnySplitOfTheSameChangesConverges holds SPLIT: one side gets the changes
// one by one with its queries live, one in random batches, one before its queries begin.
func TestLive_AnySplitOfTheSameChangesConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchema(t, false)
		var queries []drawnQuery
		var over []int
		for i := range rapid.IntRange(1, 4).Draw(t, "queries") {
			queries = append(queries, drawQuery(t, s, fmt.Sprint("query ", i)))
			over = append(over, rapid.IntRange(-1, i-1).Draw(t, "over"))
		}
		type side struct {
			root  *shell.Collection
			lives []*shell.Live
		}
		begin := func() *side {
			db, err := shell.Open()
			if err != nil {
				t.Fatal(err)
			}
			c, err := db.Collection(shell.Config{ID: "root", Key: byID})
			if err != nil {
				t.Fatal(err)
			}
			return &side{root: c}
		}
		watch := func(side *side, db func(shell.Query) (*shell.Live, error)) {
			for i, q := range queries {
				var source shell.Source = side.root
				if over[i] >= 0 {
					source = side.lives[over[i]]
				}
				l, err := db(q.over(source))
				if err != nil {
					t.Fatal(err)
				}
				side.lives = append(side.lives, l)
			}
		}
		single, batched, late := begin(), begin(), begin()
		watch(single, single.root.DB().Query)
		watch(batched, batched.root.DB().Query)
		commit := func(tx *shell.Tx) {
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		all, part := late.root.Begin(), batched.root.Begin()
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			key := float64(rapid.IntRange(1, 6).Draw(t, "key"))
			object := s.row(t)
			object["id"] = key
			row := shellValue(object)
			tx := single.root.Begin()
			if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
				tx.Delete(key)
				part.Delete(key)
				all.Delete(key)
			} else {
				tx.Update(row)
				part.Update(row)
				all.Update(row)
			}
			commit(tx)
			if rapid.Bool().Draw(t, "end of batch") {
				commit(part)
				part = batched.root.Begin()
			}
		}
		commit(part)
		commit(all)
		watch(late, late.root.DB().Query)
		for i := range queries {
			want := late.lives[i].Entries()
			for name, side := range map[string]*side{"one by one": single, "in batches": batched} {
				if have := side.lives[i].Entries(); !sameEntries(have, want) {
					t.Fatalf("%+v\n  %s  %v\n  at once     %v", queries[i].model, name, have, want)
				}
			}
		}
	})
}

// TestWork_AChangeVisitsOnlyWhomItMatters: two hundred queries by equality cost a change
// no more than one.
func TestWork_AChangeVisitsOnlyWhomItMatters(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	tx := c.Begin()
	for i := range 1000 {
		tx.Insert(map[string]any{"id": i, "group": i % 200, "n": i})
	}
	must(t, tx.Commit())
	for i := range 200 {
		start(t, db, shell.From(c).Where(shell.Eq(shell.Ref("group"), i)))
	}
	before := counters(t, db)
	must(t, c.Begin().Update(map[string]any{"id": 7, "group": 7, "n": -1}).Commit())
	if n := counters(t, db)["visits"] - before["visits"]; n > 4 {
		t.Errorf("a change that matters to one query in 200 visited %d operators", n)
	}
	before = counters(t, db)
	must(t, c.Begin().Update(map[string]any{"id": 7, "group": 8, "n": -1}).Commit())
	if n := counters(t, db)["visits"] - before["visits"]; n > 7 {
		t.Errorf("a change that matters to two queries in 200 visited %d operators", n)
	}
}

// window is a list as applications have them: some of the rows, the newest first.
func windowQuery(c *shell.Collection) shell.Query {
	return shell.From(c).Where(shell.Lt(shell.Ref("kind"), 5)).OrderBy(shell.Ref("created"), shell.Desc).Limit(50)
}

func fill(t *testing.T, c *shell.Collection, rows int) {
	t.Helper()
	tx := c.Begin()
	for i := range rows {
		tx.Insert(map[string]any{"id": i, "kind": i % 10, "created": (i * 7919) % rows})
	}
	must(t, tx.Commit())
}

// TestWork_DoesNotGrowWithTheCollection: what a list costs, to make and to keep, is the
// same over a thousand rows and over ten thousand.
func TestWork_DoesNotGrowWithTheCollection(t *testing.T) {
	scans := map[int]int{}
	for _, rows := range []int{1000, 10000} {
		db := open(t)
		c := collectionOf(t, db)
		fill(t, c, rows)
		start(t, db, windowQuery(c))
		hydrated := counters(t, db)["scanned"]
		// Half of the rows pass; the cushion is 10.
		if limit := 2*(50+10) + 32; hydrated > limit {
			t.Errorf("%d rows: a list of 50 read %d rows, not at most %d", rows, hydrated, limit)
		}
		for i := range 100 {
			must(t, c.Begin().Update(map[string]any{"id": i, "kind": i % 10, "created": rows + i}).Commit())
		}
		scans[rows] = counters(t, db)["scanned"] - hydrated
	}
	if scans[10000] > scans[1000]+100 || scans[1000] > 100*64 {
		t.Errorf("rows scanned by a hundred changes, by size: %v", scans)
	}
}

// TestWork_AChangeBringsItsValuesAlong: once a query is running, an insert asks the shell
// for nothing, and an update only whether the row is another.
func TestWork_AChangeBringsItsValuesAlong(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	fill(t, c, 500)
	start(t, db, windowQuery(c))
	start(t, db, shell.From(c).Where(shell.Like(shell.Ref("kind"), "a%")))
	before := counters(t, db)["pulls"]
	must(t, c.Begin().Insert(map[string]any{"id": "new", "kind": 1, "created": 1000}).Commit())
	inserted := counters(t, db)["pulls"]
	must(t, c.Begin().Update(map[string]any{"id": "new", "kind": 2, "created": 1001}).Commit())
	updated := counters(t, db)["pulls"]
	if inserted != before || updated != inserted+1 {
		t.Errorf("an insert made %d pulls, an update %d", inserted-before, updated-inserted)
	}
}

// TestNulls_AreUnknown holds NULLS by the table of three-valued logic.
func TestNulls_AreUnknown(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	must(t, c.Begin().Insert(map[string]any{"id": 1, "null": nil}).Commit())
	null, undefined, yes, no := shell.Ref("null"), shell.Ref("undefined"), shell.Val(true), shell.Val(false)
	for _, test := range []struct {
		text string
		expr shell.Expr
		want any
	}{
		{"null = null", shell.Eq(null, null), nil},
		{"undefined = 1", shell.Eq(undefined, 1), nil},
		{"1 < null", shell.Lt(1, null), nil},
		{"null in (null)", shell.In(null, nil), nil},
		{"1 in (null, 2)", shell.In(1, nil, 2), false},
		{"null like %", shell.Like(null, "%"), nil},
		{"not null", shell.Not(null), nil},
		{"null and false", shell.And(null, no), false},
		{"null and true", shell.And(null, yes), nil},
		{"null or true", shell.Or(null, yes), true},
		{"null or false", shell.Or(null, no), nil},
		{"no operands: and", shell.And(), true},
		{"no operands: or", shell.Or(), false},
		{"isNull(null)", shell.IsNull(null), true},
		{"isNull(undefined)", shell.IsNull(undefined), false},
		{"isUndefined(undefined)", shell.IsUndefined(undefined), true},
	} {
		l := start(t, db, shell.From(c).Select(shell.As("is", test.expr)))
		if have := l.Rows()[0].(map[string]any)["is"]; have != test.want {
			t.Errorf("%s is %v, not %v", test.text, have, test.want)
		}
		must(t, l.Cleanup())
	}
}

// TestIdentity_FiltersListsAndIndexesAgree holds IDENTITY: eq, in, a routed
// equality and the same one behind an or find the same rows.
func TestIdentity_FiltersListsAndIndexesAgree(t *testing.T) {
	values := concat(mixed, opaques, temporals)
	rapid.Check(t, func(t *rapid.T) {
		db, err := shell.Open()
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Collection(shell.Config{Key: byID})
		if err != nil {
			t.Fatal(err)
		}
		want := rapid.SampledFrom(values).Draw(t, "constant")
		constant, ref := shellValue(want), shell.Ref("v")
		var lives []*shell.Live
		for _, condition := range []shell.Expr{
			shell.Eq(ref, constant), shell.Eq(constant, ref), shell.In(ref, constant), shell.Or(shell.Eq(ref, constant)),
			shell.Not(shell.Not(shell.Eq(ref, constant))),
		} {
			l, err := db.Query(shell.From(c).Where(condition))
			if err != nil {
				t.Fatal(err)
			}
			lives = append(lives, l)
		}
		expected := 0
		tx := c.Begin()
		for i, v := range rapid.SliceOfN(rapid.SampledFrom(values), 1, 8).Draw(t, "values") {
			tx.Insert(map[string]any{"id": i, "v": shellValue(v)})
			if v != nil && v != model.Undefined && want != nil && want != model.Undefined && model.Equal(v, want) {
				expected++
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		for i, l := range lives {
			if l.Len() != expected {
				t.Fatalf("form %d of v = %v finds %d rows of %d", i, want, l.Len(), expected)
			}
		}
	})
}

// TestSpace_AColumnThatStaysWarmKeepsItsConstants: what an order was computed from is kept
// after its query is gone, and the texts in it with it.
func TestSpace_AColumnThatStaysWarmKeepsItsConstants(t *testing.T) {
	db := open(t)
	c := collectionOf(t, db)
	must(t, c.Begin().Insert(map[string]any{"id": 1, "s": "a"}).Insert(map[string]any{"id": 2, "s": ""}).Commit())
	q := shell.From(c).OrderBy(shell.Gt(shell.Ref("s"), "b"))
	l := start(t, db, q)
	for range 2 { // ids settle: the same ones are freed and taken each time
		must(t, l.Cleanup())
		must(t, l.Start())
	}
	must(t, l.Cleanup())
	// A query whose constant takes the number of "b", were that free now.
	other := start(t, db, shell.From(c).Where(shell.Eq(shell.Ref("s"), "A")))
	must(t, c.Begin().Insert(map[string]any{"id": 0, "s": "a"}).Commit())
	must(t, other.Cleanup())
	must(t, l.Start())
	if keys := keysOf(l.Entries()); keys[0] != 0.0 || keys[1] != 1.0 || keys[2] != 2.0 {
		t.Errorf("ordered as %v", keys)
	}
}
