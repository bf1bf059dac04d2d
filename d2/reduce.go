package d2

import (
	"errors"
	"math"
)

// ErrTwoKeys: a reduction has put out one row under two keys.
var ErrTwoKeys = errors.New("d2: a reduction put out the same row for two keys; make the key part of the row")

// Reduction computes the output of one key from the multiset of its rows.
type Reduction interface {
	// Reduce gets the rows of a key, at least one, each once with a weight above
	// 0, ascending by row, and puts the output into out. It must depend on nothing
	// else, and no two keys may have an output row in common. rows is valid during
	// the call.
	Reduce(class uint8, bits uint64, rows []Diff, out *Bag) error
}

// Bag takes the rows a [Reduction] puts out.
type Bag struct{ diffs []Diff }

// Add puts weight copies of a row into the bag.
func (b *Bag) Add(row uint32, weight int32) { b.diffs = append(b.diffs, Diff{row, weight}) }

// Reduce applies a function to the rows of each key: out = ⋃_k f(R_k), with
// f(∅) = ∅. It works inside and outside cycles.
//
// In a cycle its output at iteration i is f of the input up to i, for every i
// and key. At a key and an iteration where the input has changed, f is computed
// again from the rows up to there and compared with the output up to there; what
// differs is emitted and kept. That may change what is right at every later
// iteration at which the key has a difference, so the key is looked at again at
// the next of them, and so on. Outside cycles all happens at iteration 0. A row
// whose weights add up to less than nothing is [ErrNegative] outside cycles;
// inside, where bodies may subtract, it is left out (see [Distinct]).
//
// State are traces of input, unless it stands on an arrangement, and output;
// both shrink with the differences. An evaluation costs f and O(k log k), k
// being the differences of the key, which are counted as rows scanned.
type Reduce struct {
	f      Reduction
	input  Arrangement
	own    *Trace // the input, where it is kept here
	output *Trace
	now    *nowKey
	owner  *owner // nil: output rows are somebody else's
	todo   todo
	cyclic bool
	keys   keyList
	rows   []Diff
	have   []Diff
	want   Bag
	sort   []uint64
}

// nowKey is the keyer of the output trace: whatever is added to it has the key
// that is being evaluated.
type nowKey struct {
	class uint8
	bits  uint64
}

func (k *nowKey) Key(uint32) (class uint8, bits uint64, ok bool) { return k.class, k.bits, true }

// NewReduce returns an operator that reduces by f the rows of each key keyer
// tells; without a keyer it must stand on an arranged operator, whose key and
// rows it uses. home is the table f interns its output in; nil if f puts out
// rows that are kept alive otherwise, such as its input's.
func NewReduce(keyer Keyer, f Reduction, home *Table) *Reduce {
	now := &nowKey{}
	r := &Reduce{f: f, output: NewTrace(now), now: now}
	if keyer != nil {
		r.own = NewTrace(keyer)
		r.input = r.own
	}
	if home != nil {
		r.owner = &owner{table: home}
	}
	return r
}

// Name returns "reduce".
func (r *Reduce) Name() string { return "reduce" }

// Ports returns 1.
func (r *Reduce) Ports() int { return 1 }

// Bind takes note of cycles and of the arrangement below.
func (r *Reduce) Bind(at Place) error {
	r.cyclic = at.Cyclic
	if r.owner != nil {
		r.owner.cyclic = at.Cyclic
	}
	if r.own == nil {
		below, ok := at.In[0].(Arranged)
		if !ok {
			return ErrNotArranged
		}
		if at.at != nil {
			for _, in := range at.at.ins {
				if in.feedback || at.Cyclic && in.from.comp != nil && in.from.comp != at.at.comp {
					return ErrArrangedElsewhere
				}
			}
		}
		r.input = below.Arrangement()
	}
	return nil
}

// Apply evaluates the keys of the batch, and those that are due.
func (r *Reduce) Apply(v *Visit, out *Out) error {
	if r.input == nil {
		return ErrNotArranged
	}
	r.keys.reset()
	for _, d := range v.In(0) {
		if class, bits, ok := r.input.Key(d.Row); ok {
			r.keys.add(class, bits)
			if r.own != nil {
				r.own.Add(d.Row, v.Iter, d.Weight)
			}
		}
	}
	for {
		class, bits, ok := r.todo.take(v.Iter)
		if !ok {
			break
		}
		r.keys.add(class, bits)
	}
	r.keys.sort()
	for i := range r.keys.bits {
		if err := r.evaluate(v, out, r.keys.class[i], r.keys.bits[i]); err != nil {
			return err
		}
	}
	out.Tidy()
	if r.owner != nil {
		r.owner.sweepAfter(v)
	}
	r.trim()
	return nil
}

// evaluate brings the output of a key up to date at the iteration of the visit.
func (r *Reduce) evaluate(v *Visit, out *Out, class uint8, bits uint64) error {
	iter, upTo := v.Iter, v.Iter
	if !r.cyclic {
		upTo = math.MaxInt32 // the arrangement below may be that of a cycle, which has ended
	}
	var late, lateOut int32
	r.rows, late = prefix(r.input, class, bits, upTo, r.rows[:0])
	v.Stats.RowsScanned += len(r.rows)
	kept := r.rows[:0]
	for _, d := range r.merge(r.rows) {
		if d.Weight > 0 {
			kept = append(kept, d)
		} else if !r.cyclic {
			return ErrNegative
		}
	}
	r.want.diffs = r.want.diffs[:0]
	if len(kept) > 0 {
		if err := r.f.Reduce(class, bits, kept, &r.want); err != nil {
			return err
		}
	}
	r.have, lateOut = prefix(r.output, class, bits, upTo, r.have[:0])
	for _, d := range r.have {
		r.want.Add(d.Row, -d.Weight)
	}
	r.now.class, r.now.bits = class, bits
	for _, d := range r.merge(r.want.diffs) {
		if err := r.put(d, iter); err != nil {
			return err
		}
		out.Emit(d.Row, d.Weight)
	}
	if lateOut >= 0 && (late < 0 || lateOut < late) {
		late = lateOut
	}
	if late >= 0 && r.todo.add(late, class, bits) {
		v.Again(late)
	}
	return nil
}

// prefix appends the entries of a key up to an iteration and returns the next
// iteration at which it has one, -1 if none.
func prefix(a Arrangement, class uint8, bits uint64, iter int32, to []Diff) (rows []Diff, late int32) {
	late = -1
	for e := a.First(class, bits); e != None; e = a.Next(e) {
		row, at, weight := a.Entry(e)
		if at <= iter {
			to = append(to, Diff{row, weight})
		} else if late < 0 || at < late {
			late = at
		}
	}
	return to, late
}

// put keeps a difference of the output of the key that is being evaluated.
func (r *Reduce) put(d Diff, iter int32) error {
	if r.output.Present(d.Row, iter) != 0 && !r.mine(d.Row, iter) {
		return ErrTwoKeys
	}
	r.output.Add(d.Row, iter, d.Weight)
	if r.owner != nil {
		r.owner.add(d.Row, iter, d.Weight)
	}
	return nil
}

// mine tells whether an entry of the output belongs to the key that is being
// evaluated.
func (r *Reduce) mine(row uint32, iter int32) bool {
	for e := r.output.First(r.now.class, r.now.bits); e != None; e = r.output.Next(e) {
		if at, when, _ := r.output.Entry(e); at == row && when == iter {
			return true
		}
	}
	return false
}

// Snapshot emits every row of the output.
func (r *Reduce) Snapshot(out *Out) error {
	for e := r.output.Scan(0); e != None; e = r.output.Scan(e + 1) {
		row, _, weight := r.output.Entry(e)
		out.Emit(row, weight)
	}
	if !r.cyclic {
		out.Tidy()
	}
	return nil
}

// Retained returns the differences held.
func (r *Reduce) Retained() int {
	n := r.output.Len()
	if r.own != nil {
		n += r.own.Len()
	}
	return n
}

// Bytes returns the memory held.
func (r *Reduce) Bytes() int {
	n := r.output.Bytes() + r.todo.bytes() + r.keys.bytes() +
		8*(cap(r.rows)+cap(r.have)+cap(r.want.diffs)+cap(r.sort))
	if r.own != nil {
		n += r.own.Bytes()
	}
	if r.owner != nil {
		n += r.owner.bytes()
	}
	return n
}

// Clear forgets everything and gives back the rows put out.
func (r *Reduce) Clear() {
	if r.own != nil {
		r.own.Clear()
	}
	r.output.Clear()
	if r.owner != nil {
		r.owner.clear()
	}
	r.todo, r.keys = todo{}, keyList{}
	r.rows, r.have, r.want.diffs, r.sort = nil, nil, nil, nil
}
