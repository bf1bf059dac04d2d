package zz
import ("testing"; "millrace.dev/millrace/jsbridge/shell")
type Issue struct { ID int `json:"id"`; Open bool `json:"open"`; Created int `json:"created"` }
func setup(b *testing.B) (*shell.DB, *shell.Collection) {
	db, err := shell.Open(); if err != nil { b.Fatal(err) }
	c, err := db.Collection(shell.Config{ID: "issues", Key: func(r any) any { return r.(Issue).ID }}); if err != nil { b.Fatal(err) }
	tx := c.Begin()
	for i := 1; i <= 10000; i++ { tx.Insert(Issue{i, i%3 != 0, 1000000 - i}) }
	if err := tx.Commit(); err != nil { b.Fatal(err) }
	c.MarkReady()
	return db, c
}
func BenchmarkListMount(b *testing.B) {
	db, c := setup(b)
	b.ReportAllocs(); b.ResetTimer()
	for i := 0; i < b.N; i++ {
		q, err := db.Query(shell.From(c).Where(shell.Eq(shell.Ref("open"), true)).OrderBy(shell.Ref("created"), shell.Desc).Limit(50))
		if err != nil { b.Fatal(err) }
		q.Cleanup()
	}
}
func BenchmarkDetailMount(b *testing.B) {
	db, c := setup(b)
	b.ReportAllocs(); b.ResetTimer()
	for i := 0; i < b.N; i++ {
		q, err := db.Query(shell.From(c).Where(shell.Eq(shell.Ref("id"), 77)))
		if err != nil { b.Fatal(err) }
		q.Cleanup()
	}
}
func BenchmarkPair(b *testing.B) {
	db, c := setup(b)
	_, err := db.Query(shell.From(c).Where(shell.Eq(shell.Ref("open"), true)).OrderBy(shell.Ref("created"), shell.Desc).Limit(50))
	if err != nil { b.Fatal(err) }
	b.ReportAllocs(); b.ResetTimer()
	for i := 0; i < b.N; i++ {
		c.Begin().Insert(Issue{20000+i, true, 2000000}).Commit()
		c.Begin().Delete(20000+i).Commit()
	}
}
