// Package shell lets Go programs use Millrace: collections of Go values, filled
// by a sync source, and live queries whose results are kept up to date.
//
//	db, err := shell.Open()
//	people, err := db.Collection(shell.Config{ID: "people", Key: func(row any) any { return row.(Person).ID }})
//	adults, err := db.Query(shell.From(people).Where(shell.Gte(shell.Ref("age"), 18)).OrderBy(shell.Ref("name")))
//
// The engine runs in this process, natively (Open) or as the shipped module
// under wazero (OpenWasm). Both are driven by the same commands, which this package encodes and
// whose effects it decodes with another MessagePack implementation than the
// engine's: it is a second, independent reading of the protocol.
//
// Rows stay here. The engine knows a version of a row by its slot, asks for the
// values of a path once when a query first refers to it, and gets the values of
// later versions along with the transaction that brings them. A row is never
// changed after it was given to a transaction; give a new one instead.
//
// What a query sees of a Go value: bool; every integer and float type as number
// (integers beyond 2^53 lose precision; use *big.Int); strings; time.Time as a
// date in whole milliseconds; []byte by content; *big.Int by value; Temporal. nil
// in any form is null; a field a row does not have, and Undefined, is undefined.
// Everything else is a reference: equal only to itself.
//
// Order: collections and queries without OrderBy are read in the order of their
// keys, strings before numbers, out of a google/btree of which a read costs
// O(log n). Ordered queries are told positions, not sort keys, so they keep a
// slice of keys to which each change's layout is applied: O(rows) words moved
// per change, which for the windows people look at is less than a tree costs.
//
// Everything is synchronous: when a call returns, all queries are up to date and
// all subscribers have been told. Subscribers may call back into the database;
// what that leads to is told after what is being told already, first in first out. A
// subscriber that panics harms nobody: the others are told, and the command that
// led to it returns a *PanicError.
//
// A DB is not safe for concurrent use.
package shell
