package main

import "millrace.dev/millrace/d2"

// arena is a table with its index, and where the next row at either end goes.
type arena struct {
	t          *rows
	index      *d2.Ordered
	n, limit   uint32
	pick       dice
	head, tail uint32
	spare      uint32 // a key not in use
	turn       int
}

func newArena(n, limit int, seed uint32) *arena {
	t := spaced(n, n, 1)
	return &arena{
		t: t, index: t.sorted(), n: uint32(n), limit: uint32(limit), pick: dice(seed),
		head: floor, tail: floor + uint32(n)*gap, spare: uint32(n),
	}
}

// move gives a row another place in the order.
func (x *arena) move(key, to uint32) d2.Change {
	c := x.t.put(key, to, x.t.b[x.t.at[key]])
	follow(x.index, c)
	return c
}

func (x *arena) keyAt(rank uint32) uint32 { return x.t.key[x.index.At(int(rank))] }

// anywhere is a place with the same chance for all.
func (x *arena) anywhere() uint32 { return floor + x.pick.below(x.n*gap) }

// near is a place within some ranks of a place.
func (x *arena) near(place, ranks uint32) uint32 {
	to := int64(place) + int64(x.pick.below(2*ranks*gap)) - int64(ranks*gap)
	return uint32(min(max(to, floor), int64(floor+x.n*gap)))
}

func (x *arena) first() uint32 {
	x.head--
	return x.head
}

func (x *arena) end() uint32 {
	x.tail++
	return x.tail
}

// insert brings in a new row, remove takes one out.
func (x *arena) insert(at uint32) d2.Change {
	for x.t.at[x.spare] != d2.None {
		x.spare = (x.spare + 1) % uint32(len(x.t.at))
	}
	c := x.t.put(x.spare, at, 1)
	follow(x.index, c)
	return c
}

func (x *arena) remove(rank uint32) d2.Change {
	c := x.t.del(x.keyAt(rank))
	follow(x.index, c)
	return c
}

// hop moves one of the first rows by up to so many ranks.
func (x *arena) hop(ranks uint32) d2.Change {
	from := x.pick.below(2 * x.limit)
	to := int64(from) + int64(x.pick.below(2*ranks+1)) - int64(ranks)
	place := x.t.a[x.index.At(int(min(max(to, 0), int64(x.n-1))))]
	return x.move(x.keyAt(from), place+x.pick.below(gap)-gap/2)
}

// churn is a distribution of changes; next makes one.
type churn struct {
	name string
	next func(x *arena) d2.Change
}

// Those the crossover is measured with.
var (
	uniform   = churn{"uniform", func(x *arena) d2.Change { return x.move(x.pick.below(x.n), x.anywhere()) }}
	workQueue = churn{"work queue", func(x *arena) d2.Change { return x.move(x.keyAt(0), x.end()) }}
)

var churns = []churn{
	uniform,
	{"jitter, 0.5 % of R", func(x *arena) d2.Change {
		key := x.pick.below(x.n)
		return x.move(key, x.near(x.t.a[x.t.at[key]], max(1, x.n/200)))
	}},
	{"boundary: rank < 2N, by N/10", func(x *arena) d2.Change { return x.hop(max(1, x.limit/10)) }},
	{"boundary: rank < 2N, by N", func(x *arena) d2.Change { return x.hop(x.limit) }},
	{"last modified, newest first", func(x *arena) d2.Change { return x.move(x.pick.below(x.n), x.first()) }},
	{"last modified, oldest first", func(x *arena) d2.Change { return x.move(x.pick.below(x.n), x.end()) }},
	{"work queue: head to end", workQueue.next},
	{"dismiss in window, insert anywhere", func(x *arena) d2.Change {
		return x.move(x.keyAt(x.pick.below(x.limit)), x.anywhere())
	}},
	{"inbox: insert at top, delete anywhere", func(x *arena) d2.Change {
		if x.pick.below(2) == 0 {
			return x.insert(x.first())
		}
		return x.remove(x.pick.below(uint32(x.index.Len())))
	}},
	{"triage: insert at top, delete in window", func(x *arena) d2.Change {
		if x.pick.below(2) == 0 {
			return x.insert(x.first())
		}
		return x.remove(x.pick.below(x.limit))
	}},
	{"10,000 uniform, 2,000 work queue, repeating", func(x *arena) d2.Change {
		if x.turn++; x.turn%12_000 < 10_000 {
			return uniform.next(x)
		}
		return workQueue.next(x)
	}},
}
