package d2

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Rows of recursive programs are words: up to four bytes, first to last. What is
// derived is interned or stands for itself.
type words struct{ home *Table }

func word(parts ...uint32) uint32 {
	w := uint32(0)
	for i, p := range parts {
		w |= p << (8 * i)
	}
	return w
}

func part(w uint32, i int) uint32 { return w >> (8 * i) & 0xff }

func (w words) row(word uint32) uint32 {
	if w.home == nil {
		return word
	}
	return w.home.Intern1(uint64(word))
}

func (w words) word(row uint32) uint32 {
	if w.home == nil {
		return row
	}
	return uint32(w.home.Word(row, 0))
}

// partKey is the key of rows by one part; of base rows, which are words.
type partKey struct{ at int }

func (k partKey) Key(row uint32) (uint8, uint64, bool) { return 1, uint64(part(row, k.at)), true }

// madeKey is the same for derived rows.
type madeKey struct {
	words
	at int
}

func (k madeKey) Key(row uint32) (uint8, uint64, bool) {
	return 1, uint64(part(k.word(row), k.at)), true
}

// making makes the row of a match out of words.
type making func(left, right uint32) uint32

func (m making) Project(left, right uint32) uint32 { return m(left, right) }

// mapping makes a derived row of a base row.
type mapping func(uint32) uint32

func (m mapping) Map(row uint32) uint32 { return m(row) }

// program is a recursion with its definition.
type program struct {
	name   string
	inputs int
	// build returns the result, made of derived rows.
	build func(b *Builder, w words, in []NodeID) NodeID
	// want computes the result by repetition, from sets.
	want func(in []sack) sack
	// rounds bounds the iterations of a run where n places are in use.
	rounds func(n int) int
}

// derived wraps an operator whose output rows are interned.
func (w words) derived(op Operator) Operator {
	if w.home == nil {
		return op
	}
	return NewOwned(op, w.home)
}

func (w words) join(b *Builder, left, right NodeID, f func(left, right uint32) uint32) NodeID {
	return b.Add(NewJoin(JoinSpec{Rows: making(f), Table: w.home}), left, right)
}

const places = 6

// row draws an input row: an edge between places with a length, or of input 1 a
// place to start from.
func (d dice) row(input int) uint32 {
	if input == 1 {
		return word(uint32(d.under(places)))
	}
	return word(uint32(d.under(places)), uint32(d.under(places)), uint32(1+d.under(3)))
}

// churn draws a batch: rows come, rows that are there go, now and then nearly all.
func (d dice) churn(input int, now sack) []Diff {
	batch := sack{}
	for range d.under(6) {
		batch.add(d.row(input), 1)
	}
	there := slices.Sorted(maps.Keys(now))
	most := len(there)
	if d.under(4) > 0 {
		most = min(most, 3)
	}
	for range d.under(most + 1) {
		if row := there[d.under(len(there))]; now[row]+batch[row] > 0 {
			batch.add(row, -1)
		}
	}
	return batch.diffs()
}

// journey is a program that runs.
type journey struct {
	t    *rapid.T
	d    dice
	p    program
	w    words
	g    *Graph
	in   []NodeID
	now  []*stock
	out  NodeID
	sink *collector
}

func (j *journey) check(stats RunStats) {
	in := []sack{}
	for _, s := range j.now {
		in = append(in, s.sack)
	}
	want := j.p.want(in)
	if got := j.plain(j.sink.told); len(j.sink.fails) > 0 || !maps.Equal(got, want) {
		j.t.Fatalf("%s of %v is %v, want %v; %v", j.p.name, in, got, want, j.sink.fails)
	}
	if most := j.p.rounds(places); stats.MaxIteration > most {
		j.t.Fatalf("%s of %v took %d iterations, want %d at most", j.p.name, in, stats.MaxIteration, most)
	}
	rows, err := j.g.Snapshot(j.out)
	if err != nil || !maps.Equal(j.plain(sackOf(rows)), want) {
		j.t.Fatalf("%s tells %v (%v), want %v", j.p.name, rows, err, want)
	}
}

// plain turns derived rows into words.
func (j *journey) plain(s sack) sack {
	out := sack{}
	for row, weight := range s {
		out.add(j.w.word(row), weight)
	}
	return out
}

func (j *journey) run(batches ...[]Diff) {
	for i, batch := range batches {
		j.now[i].addBatch(batch)
		if err := j.g.Push(j.in[i], 0, batch); err != nil {
			j.t.Fatal(err)
		}
	}
	stats, err := j.g.Run()
	if err != nil {
		j.t.Fatal(err)
	}
	j.check(stats)
}

// Law FRESH for recursion: after any history the result is that of computing it
// from scratch; facts that only support each other are gone with their outside
// support; nothing is left when everything has been deleted.
func checkProgram(t *testing.T, p program) {
	rapid.Check(t, func(t *rapid.T) {
		j := &journey{t: t, d: newDice(t), p: p, g: NewGraph(), sink: &collector{told: sack{}}}
		if j.d.under(2) == 0 {
			j.w.home = NewTable(1)
		}
		err := j.g.Extend(func(b *Builder) {
			for range p.inputs {
				s := &stock{sack{}}
				j.now, j.in = append(j.now, s), append(j.in, b.Add(NewInput(s)))
			}
			j.out = p.build(b, j.w, j.in)
			b.Add(NewOutput(OutputSpec{Sink: j.sink}), j.out)
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + j.d.under(8) {
			batches := [][]Diff{}
			for i := range p.inputs {
				batches = append(batches, j.d.churn(i, j.now[i].sack))
			}
			j.run(batches...)
			switch j.d.under(6) {
			case 0: // somebody else comes to read the result
				late := &collector{told: sack{}}
				out, err := j.g.Add(NewOutput(OutputSpec{Sink: late}), j.out)
				if err != nil {
					t.Fatal(err)
				}
				if err := j.g.Hydrate(out); err != nil || !maps.Equal(late.told, j.sink.told) {
					t.Fatalf("a late reader was told %v, the first one %v; %v", late.told, j.sink.told, err)
				}
				_ = j.g.Drop(out)
			case 1: // the whole of it starts again
				if err := j.g.Reset(j.in...); err != nil {
					t.Fatal(err)
				}
				if err := j.g.Hydrate(j.in...); err != nil {
					t.Fatal(err)
				}
				j.check(j.g.LastRun())
			}
		}
		batches := [][]Diff{}
		for _, s := range j.now {
			batches = append(batches, sack{}.minus(s.sack).diffs())
		}
		j.run(batches...)
		if c := j.g.Counters(); c.Retained != 0 || c.Bytes > 1<<15 {
			t.Fatalf("%s: %+v after everything was deleted", p.name, c)
		}
		if j.w.home != nil && j.w.home.Len() != 0 {
			t.Fatalf("%s: %d rows are still interned", p.name, j.w.home.Len())
		}
		for _, in := range j.in {
			_ = j.g.Drop(in)
		}
		if c := j.g.Counters(); c != (Counters{}) {
			t.Fatalf("%s: %+v", p.name, c)
		}
	})
}
