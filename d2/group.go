package d2

import "errors"

// Errors of building a group operator.
var (
	ErrGroupInCycle = errors.New("d2: a group operator keeps no iterations; use Reduce inside a cycle")
	ErrGroupWidth   = errors.New("d2: the table of a group operator must be as wide as its layout")
	ErrNoAggregate  = errors.New("d2: an aggregate of a group operator is nil; leave it out, or give one")
)

// Group folds the rows of each key: out = { (k, a₁(R_k), …, aₙ(R_k)) : R_k ≠ ∅ },
// R_k being the multiset of input rows of key k. A key with rows has exactly one
// output row, interned in a table (see [GroupLayout]); a visit emits -old +new
// for the keys whose row has changed and nothing for others. Rows without a key
// belong to no group: a keyer that wants nulls grouped gives them a key.
//
// After a visit every group has weight above 0 and its row is referred to.
// State is some 40 bytes a group and what the aggregates keep; it shrinks as
// groups leave. A difference costs what the aggregates cost, whatever the size
// of its group; only [Whole] reads rows again.
type Group struct {
	keys     Keyer
	home     *Table
	layout   GroupLayout
	aggs     []Aggregate
	releaser []Releaser // by aggregate; nil if none releases anything
	groups   groupIndex
	touched  []uint32
	seen     []uint64 // bit set of groups in touched
	empty    []uint32
	words    []uint64
	folded   int         // results in words that no row refers to yet
	old      []reference // to be released once the run is over
	asked    bool
	failed   error // found when it was made
}

// reference is a result of an aggregate that is to be released.
type reference struct {
	bits  uint64
	agg   uint32
	class uint8
}

// NewGroup returns an operator that groups rows by the key keyer tells and folds
// each group by the aggregates. home takes the output rows; nil makes a table
// of the width needed.
func NewGroup(keyer Keyer, home *Table, aggregates ...Aggregate) *Group {
	g := &Group{keys: keyer, home: home, layout: GroupLayout{len(aggregates)}, aggs: aggregates}
	width := g.layout.Width()
	if home == nil {
		g.home = NewTable(width)
	} else if home.Width() != width {
		g.failed = ErrGroupWidth
	}
	g.words = make([]uint64, width)
	for i, a := range aggregates {
		if a == nil {
			g.failed = ErrNoAggregate
			continue
		}
		if b, ok := a.(groupBinder); ok {
			if err := b.bindGroup(g); err != nil {
				g.failed = err
			}
		}
		if r, ok := a.(Releaser); ok {
			if g.releaser == nil {
				g.releaser = make([]Releaser, len(aggregates))
			}
			g.releaser[i] = r
		}
	}
	return g
}

// Name returns "group".
func (g *Group) Name() string { return "group" }

// Ports returns 1.
func (g *Group) Ports() int { return 1 }

// Home returns the table of the output rows.
func (g *Group) Home() *Table { return g.home }

// Layout returns the layout of the output rows.
func (g *Group) Layout() GroupLayout { return g.layout }

// Bind refuses cycles, and aggregates or a table that do not fit.
func (g *Group) Bind(at Place) error {
	if at.Cyclic {
		return ErrGroupInCycle
	}
	return g.failed
}

// Apply takes a batch into the groups and emits the rows that have changed. It
// fails with [ErrNegative] if a group has less than no rows.
func (g *Group) Apply(v *Visit, out *Out) error {
	if g.failed != nil {
		return g.failed
	}
	for _, d := range v.In(0) {
		if err := g.add(d.Row, d.Weight); err != nil {
			return err
		}
	}
	return g.settle(v, out)
}

// add takes a row into its group.
func (g *Group) add(row uint32, weight int32) error {
	class, bits, ok := g.keys.Key(row)
	if !ok {
		return nil
	}
	id := g.groups.add(class, bits)
	g.groups.weight[id] += int64(weight)
	g.touch(id)
	for _, a := range g.aggs {
		if err := a.Add(id, row, weight); err != nil {
			return err
		}
	}
	return nil
}

// settle emits what has become of the groups touched; v is nil outside of runs.
func (g *Group) settle(v *Visit, out *Out) error {
	for _, id := range g.touched {
		g.seen[id>>6] = 0
		if err := g.publish(id, out); err != nil {
			return err
		}
	}
	out.Keyed()
	g.forget()
	if v == nil {
		return nil
	}
	for _, a := range g.aggs {
		if s, ok := a.(scanner); ok {
			v.Stats.RowsScanned += s.takeScanned()
		}
	}
	if len(g.old) > 0 && !g.asked {
		g.asked = true
		v.Sweep(g)
	}
	g.home.SweepAfter(v)
	return nil
}

func (g *Group) touch(id uint32) {
	for int(id>>6) >= len(g.seen) {
		g.seen = append(g.seen, 0)
	}
	if bit := uint64(1) << (id & 63); g.seen[id>>6]&bit == 0 {
		g.seen[id>>6] |= bit
		g.touched = append(g.touched, id)
	}
}

// publish emits what has become of a group.
func (g *Group) publish(id uint32, out *Out) error {
	x := &g.groups
	old, row := x.out[id], None
	if x.weight[id] < 0 {
		return ErrNegative
	}
	if x.weight[id] > 0 {
		if err := g.fold(id); err != nil {
			return err
		}
		row = g.home.Intern(g.words)
		g.folded = 0
		if row == old {
			g.release(row)
			return nil
		}
		g.home.Ref(row)
	} else {
		g.empty = append(g.empty, id)
	}
	if old != None {
		out.Emit(old, -1)
		g.release(old)
		g.home.Unref(old)
	}
	if row != None {
		out.Emit(row, 1)
	}
	x.out[id] = row
	return nil
}

// fold puts the words of a group's row together.
func (g *Group) fold(id uint32) error {
	x := &g.groups
	ref := GroupRef{id, x.class[id], x.bits[id], x.weight[id]}
	clear(g.words)
	g.layout.put(g.words, 0, ref.Class, ref.Bits)
	for i, a := range g.aggs {
		class, bits, err := a.Result(ref)
		if err != nil {
			return err
		}
		g.layout.put(g.words, i+1, class, bits)
		g.folded = i + 1
	}
	return nil
}

// forget drops the groups found empty, largest number first: no group that is
// yet to be dropped changes its number then.
func (g *Group) forget() {
	sortRanks(g.empty)
	for i := len(g.empty) - 1; i >= 0; i-- {
		id := g.empty[i]
		last := g.groups.drop(id)
		for _, a := range g.aggs {
			a.Drop(id, last)
		}
	}
	g.touched, g.empty = g.touched[:0], g.empty[:0]
	if cap(g.touched) > keepSlots {
		g.touched, g.empty = nil, nil
	}
	if n := (g.groups.len() + 63) / 64; n < len(g.seen) {
		g.seen = shorten(g.seen, n)
	}
}

// release notes the references in a row's words, each counted once for every
// time it was computed, to be given back when the run is over.
func (g *Group) release(row uint32) {
	for i, r := range g.releaser {
		if r != nil {
			class, bits := g.layout.Result(g.home, row, i)
			g.old = append(g.old, reference{bits, uint32(i), class})
		}
	}
}

// Sweep gives back the results that rows which have left referred to.
func (g *Group) Sweep() {
	g.asked = false
	for _, o := range g.old {
		g.releaser[o.agg].Release(o.class, o.bits)
	}
	g.old = g.old[:0]
	if cap(g.old) > keepSlots {
		g.old = nil
	}
}

// Snapshot emits the row of every group.
func (g *Group) Snapshot(out *Out) error {
	for _, row := range g.groups.out {
		out.Emit(row, 1)
	}
	out.Keyed()
	return nil
}

// Groups returns the number of groups.
func (g *Group) Groups() int { return g.groups.len() }

// Retained returns the rows held: one a group, and those the aggregates keep.
func (g *Group) Retained() int {
	n := g.groups.len()
	for _, a := range g.aggs {
		n += a.Retained()
	}
	return n
}

// Bytes returns the memory held, that of the table not included.
func (g *Group) Bytes() int {
	n := g.groups.bytes() + 4*(cap(g.touched)+cap(g.empty)) + 8*(cap(g.seen)+cap(g.words)) + 16*cap(g.old)
	for _, a := range g.aggs {
		n += a.Bytes()
	}
	return n
}

// Clear forgets all groups and gives back what they refer to.
func (g *Group) Clear() {
	if g.failed != nil {
		return // what it shares with another operator is that one's
	}
	for _, row := range g.groups.out {
		if row != None {
			g.release(row)
			g.home.Unref(row)
		}
	}
	for i, r := range g.releaser {
		if r != nil && i < g.folded { // left by a visit that failed
			class, bits := g.layout.get(g.words, i+1)
			r.Release(class, bits)
		}
	}
	g.folded = 0
	g.Sweep()
	g.groups = groupIndex{}
	g.touched, g.seen, g.empty, g.old = nil, nil, nil, nil
	for _, a := range g.aggs {
		a.Clear()
	}
}
