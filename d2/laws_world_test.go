package d2

import (
	"fmt"
	"slices"
)

// The columns of a shelf; all but id may be absent.
const (
	colID = iota
	colV
	colX
	colG
	colH
	columns
)

const absentValue = -1

// shelf is a table of row versions with several columns, the arrangements of a
// collection, and the same strictness as world about what may be read when.
type shelf struct {
	name    string
	cols    [columns][]int
	gone    []bool
	pins    []int
	current []uint32 // by id
	n       int
	store   *Store
	orders  map[shelfOrder]*Ordered
	hashes  map[shelfKey]*Hash
}

func newShelf(name string, ids int) *shelf {
	s := &shelf{name: name, current: make([]uint32, ids), orders: map[shelfOrder]*Ordered{}, hashes: map[shelfKey]*Hash{}}
	for i := range s.current {
		s.current[i] = None
	}
	s.store = NewStore(s)
	return s
}

func (s *shelf) read(row uint32) uint32 {
	if s.gone[row] && s.pins[row] == 0 {
		panic(fmt.Sprintf("%s: version %d was read after it had gone", s.name, row))
	}
	return row
}

func (s *shelf) at(row uint32, col int) int { return s.cols[col][s.read(row)] }
func (s *shelf) KeyOf(row Slot) Key         { return uint32(s.at(row, colID)) }
func (s *shelf) Pin(row Slot)               { s.pins[s.read(row)]++ }
func (s *shelf) Unpin(row Slot)             { s.pins[row]-- }
func (s *shelf) Len() int                   { return s.n }

func (s *shelf) Each(yield func(uint32) bool) {
	for _, row := range s.current {
		if row != None && !yield(row) {
			return
		}
	}
}

func (s *shelf) pinned() int {
	n := 0
	for _, p := range s.pins {
		n += p
	}
	return n
}

// shelfOrder is by v, then by id ascending; absent values come first.
type shelfOrder struct {
	s    *shelf
	desc bool
}

func (o shelfOrder) CompareTerms(a, b uint32) int {
	x, y := o.s.at(a, colV), o.s.at(b, colV)
	if o.desc {
		return y - x
	}
	return x - y
}

func (o shelfOrder) Compare(a, b uint32) int {
	if c := o.CompareTerms(a, b); c != 0 {
		return c
	}
	return o.s.at(a, colID) - o.s.at(b, colID)
}

type shelfKey struct {
	s   *shelf
	col int
}

func (k shelfKey) Key(row uint32) (class uint8, bits uint64, ok bool) {
	v := k.s.at(row, k.col)
	return 1, uint64(v), v != absentValue
}

// arrange keeps an arrangement in an order from now on.
func (s *shelf) arrange(o shelfOrder) {
	if s.orders[o] == nil {
		rows := NewOrdered(o)
		s.Each(func(row uint32) bool { rows.Insert(row); return true })
		s.orders[o] = rows
		s.store.AddOrder(o, rows)
	}
}

// index keeps an arrangement by a column from now on.
func (s *shelf) index(col int) {
	k := shelfKey{s, col}
	if s.hashes[k] == nil {
		rows := NewHash()
		s.hashes[k] = rows
		s.Each(func(row uint32) bool { s.list(k, rows, row, true); return true })
		s.store.AddKey(k, rows)
	}
}

func (s *shelf) list(k shelfKey, rows *Hash, row uint32, add bool) {
	if class, bits, ok := k.Key(row); ok && add {
		rows.Add(class, bits, row)
	} else if ok {
		rows.Remove(class, bits, row)
	}
}

func (s *shelf) setIndexes(row uint32, add bool) {
	for _, rows := range s.orders {
		if add {
			rows.Insert(row)
		} else {
			rows.Delete(row)
		}
	}
	for k, rows := range s.hashes {
		s.list(k, rows, row, add)
	}
}

func (s *shelf) put(id, v, x, g, h int) Change {
	c := Change{uint32(id), s.current[id], uint32(len(s.gone))}
	for col, value := range [columns]int{id, v, x, g, h} {
		s.cols[col] = append(s.cols[col], value)
	}
	s.gone, s.pins = append(s.gone, false), append(s.pins, 0)
	if c.Old != None {
		s.setIndexes(c.Old, false)
		s.n--
	}
	s.setIndexes(c.New, true)
	s.current[id] = c.New
	s.n++
	return c
}

func (s *shelf) del(id int) Change {
	c := Change{uint32(id), s.current[id], None}
	s.setIndexes(c.Old, false)
	s.current[id] = None
	s.n--
	return c
}

func (s *shelf) forget(batch []Change) {
	for _, c := range batch {
		if c.Old != None {
			s.gone[c.Old] = true
		}
	}
}

// item is a row as an oracle sees it: the versions it is made of, that of the
// driving table first.
type tuple []uint32

func (i tuple) String() string { return fmt.Sprint([]uint32(i)) }

// seq is a window as an oracle sees it.
type seqRow struct {
	key, ord int
	row      string
}

// definedDelta is the delta between two windows as it is defined, by looking at
// every set of rows that may stay; every version looks different.
func definedDelta(p, q []seqRow) string {
	leaves, enters, updates, moves := [][2]int{}, [][2]int{}, [][2]int{}, [][3]int{}
	find := func(rows []seqRow, key int) int {
		return slices.IndexFunc(rows, func(r seqRow) bool { return r.key == key })
	}
	for i, r := range p {
		if find(q, r.key) < 0 {
			leaves = append(leaves, [2]int{i, r.key})
		}
	}
	var both, free []int
	for j, r := range q {
		i := find(p, r.key)
		if i < 0 {
			enters = append(enters, [2]int{j, r.key})
			continue
		}
		both = append(both, j)
		if p[i].ord != r.ord {
			free = append(free, j)
		}
	}
	var best []int
	for set := range 1 << len(free) {
		fix, last, ok := []int{}, -1, true
		for _, j := range both {
			if n := slices.Index(free, j); n >= 0 && set>>n&1 == 0 {
				continue
			}
			i := find(p, q[j].key)
			ok = ok && i > last
			last = i
			fix = append(fix, j)
		}
		if ok && (best == nil || len(fix) > len(best) || len(fix) == len(best) && slices.Compare(fix, best) < 0) {
			best = fix
		}
	}
	for _, j := range both {
		i := find(p, q[j].key)
		switch {
		case !slices.Contains(best, j):
			moves = append(moves, [3]int{i, j, q[j].key})
		case p[i].row != q[j].row:
			updates = append(updates, [2]int{j, q[j].key})
		}
	}
	return fmt.Sprint(leaves, moves, enters, updates)
}

// told is the same of a delta that was emitted.
func told(d *Delta) string {
	leaves, enters, updates, moves := [][2]int{}, [][2]int{}, [][2]int{}, [][3]int{}
	for _, l := range d.Leaves {
		leaves = append(leaves, [2]int{int(l.At), int(l.Key)})
	}
	for _, m := range d.Moves {
		moves = append(moves, [3]int{int(m.From), int(m.To), int(m.Key)})
	}
	for _, e := range d.Enters {
		enters = append(enters, [2]int{int(e.At), int(e.Key)})
	}
	for _, u := range d.Updates {
		updates = append(updates, [2]int{int(u.At), int(u.Key)})
	}
	return fmt.Sprint(leaves, moves, enters, updates)
}
