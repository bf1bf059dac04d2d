package main

import (
	"millrace.dev/millrace/d2"
	histories "millrace.dev/millrace/tests/workload"
)

// arena is a table with its index, and a history that is played on it.
type arena struct {
	t       *rows
	index   *d2.Ordered
	history *histories.History
}

// newArena makes n rows, of which a history sees the first so many in a window.
func newArena(n, limit int, kind histories.Workload, seed uint64) *arena {
	t := newRows(n)
	for k := range uint32(n) {
		t.put(k, int64(k)*histories.Spread, 1)
	}
	return &arena{t: t, index: t.sorted(), history: kind.Start(n, limit, seed)}
}

// Len, At and Value make it the table of its history.
func (x *arena) Len() int               { return x.index.Len() }
func (x *arena) At(rank int) uint32     { return x.t.key[x.index.At(rank)] }
func (x *arena) Value(key uint32) int64 { return x.t.a[x.t.at[key]] }

// next makes the next change.
func (x *arena) next() d2.Change { return x.play(x.history.Next(x)) }

func (x *arena) play(op histories.Op) d2.Change {
	for int(op.Key) >= len(x.t.at) {
		x.t.at = append(x.t.at, d2.None)
	}
	var c d2.Change
	if op.Delete {
		c = x.t.del(op.Key)
	} else {
		c = x.t.put(op.Key, op.Value, 1)
	}
	follow(x.index, c)
	return c
}
