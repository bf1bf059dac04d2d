package d2

import (
	"errors"
	"maps"
	"slices"
)

// sack is a multiset written as it is defined; rows of weight 0 are not in it.
type sack map[uint32]int

func (b sack) add(row uint32, weight int) {
	if b[row] += weight; b[row] == 0 {
		delete(b, row)
	}
}

func (b sack) addAll(other sack, times int) {
	for row, weight := range other {
		b.add(row, times*weight)
	}
}

func (b sack) addBatch(batch []Diff) {
	for _, d := range batch {
		b.add(d.Row, int(d.Weight))
	}
}

func (b sack) minus(other sack) sack {
	out := maps.Clone(b)
	out.addAll(other, -1)
	return out
}

func (b sack) diffs() []Diff {
	out := []Diff{}
	for _, row := range slices.Sorted(maps.Keys(b)) {
		out = append(out, Diff{row, int32(b[row])})
	}
	return out
}

func sackOf(batch []Diff) sack {
	b := sack{}
	b.addBatch(batch)
	return b
}

// byIter is a multiset by differences at iterations; none of them is empty.
type byIter map[int32]sack

func (t byIter) add(iter int32, b sack) {
	if t[iter] == nil {
		t[iter] = sack{}
	}
	if t[iter].addAll(b, 1); len(t[iter]) == 0 {
		delete(t, iter)
	}
}

// upTo sums the differences up to an iteration.
func (t byIter) upTo(iter int32) sack {
	sum := sack{}
	for at, b := range t {
		if at <= iter {
			sum.addAll(b, 1)
		}
	}
	return sum
}

const lastIter = int32(1 << 30)

func sameIters(a, b byIter) bool {
	return maps.EqualFunc(a, b, func(x, y sack) bool { return maps.Equal(x, y) })
}

// definition is an operator as it is defined: the output of an input.
type definition func(in []sack) sack

// sighting is a visit as an operator saw it.
type sighting struct {
	iter int32
	size int
}

// defined is an operator that follows the definition: its output up to iteration
// i is the definition of its input up to i, for every i. Eager ones emit for later
// iterations at once, others ask to be visited there, for the next one only.
type defined struct {
	name  string
	f     definition
	eager bool

	in     []byIter
	out    byIter
	visit  []sighting
	asked  map[int32]bool // in this run
	mishap *mishap
}

// mishap makes an operator go wrong at a visit.
type mishap struct {
	in    int // visits until it does
	panic bool
	lost  bool // it has happened
}

var errDefined = errors.New("test: this operator was told to go wrong")

func newDefined(name string, ports int, f definition) *defined {
	n := &defined{name: name, f: f, in: make([]byIter, ports)}
	n.Clear()
	return n
}

func (n *defined) Name() string { return n.name }
func (n *defined) Ports() int   { return len(n.in) }

func (n *defined) Clear() {
	for i := range n.in {
		n.in[i] = byIter{}
	}
	n.out, n.asked = byIter{}, map[int32]bool{}
}

func (n *defined) Retained() int {
	total := 0
	for _, t := range append([]byIter{n.out}, n.in...) {
		for _, b := range t {
			total += len(b)
		}
	}
	return total
}

func (n *defined) Bytes() int { return 0 }

func (n *defined) Apply(v *Visit, out *Out) error {
	size := 0
	for i := range n.in {
		n.in[i].add(v.Iter, sackOf(v.In(i)))
		size += len(v.In(i))
	}
	n.visit = append(n.visit, sighting{v.Iter, size})
	if f := n.mishap; f != nil && !f.lost {
		if f.in--; f.in < 0 {
			f.lost = true
			// A part of the visit has been done and emitted.
			out.Emit(1<<20, 1)
			if f.panic {
				panic(errDefined)
			}
			return errDefined
		}
	}
	for _, at := range n.iterations() {
		if at < v.Iter {
			continue
		}
		if at > v.Iter && !n.eager {
			n.asked[at] = true
			v.Again(at)
			break
		}
		was := n.out.upTo(at)
		diff := n.f(n.upTo(at)).minus(was)
		n.out.add(at, diff)
		for row, weight := range diff {
			if int(int32(weight)) != weight {
				return ErrWeight
			}
			out.EmitAt(at, row, int32(weight))
		}
	}
	return nil
}

// iterations lists where there are differences.
func (n *defined) iterations() []int32 {
	at := []int32{}
	for _, t := range append([]byIter{n.out}, n.in...) {
		at = slices.AppendSeq(at, maps.Keys(t))
	}
	slices.Sort(at)
	return slices.Compact(at)
}

func (n *defined) upTo(iter int32) []sack {
	in := make([]sack, len(n.in))
	for i := range in {
		in[i] = n.in[i].upTo(iter)
	}
	return in
}

func (n *defined) Snapshot(out *Out) error {
	for row, weight := range n.out.upTo(lastIter) {
		out.Emit(row, int32(weight))
	}
	return nil
}

// linear is an operator without state.
type linear struct {
	f       definition
	visited *[]sighting
}

func (linear) Name() string { return "linear" }
func (linear) Ports() int   { return 1 }

func (l linear) Apply(v *Visit, out *Out) error {
	if l.visited != nil {
		*l.visited = append(*l.visited, sighting{v.Iter, len(v.In(0))})
	}
	for row, weight := range l.f([]sack{sackOf(v.In(0))}) {
		out.Emit(row, int32(weight))
	}
	return nil
}

// Functions of one input.

func mapOf(f func(uint32) uint32) definition {
	return func(in []sack) sack {
		out := sack{}
		for row, weight := range in[0] {
			out.add(f(row), weight)
		}
		return out
	}
}

func filterOf(pass func(uint32) bool) definition {
	return func(in []sack) sack {
		out := sack{}
		for row, weight := range in[0] {
			if pass(row) {
				out.add(row, weight)
			}
		}
		return out
	}
}

func negationOf(in []sack) sack { return sack{}.minus(in[0]) }

func distinctOf(in []sack) sack {
	out := sack{}
	for row, weight := range in[0] {
		if weight > 0 {
			out.add(row, 1)
		}
	}
	return out
}

// minimumOf keeps the smallest present row of each key.
func minimumOf(key func(uint32) uint32) definition {
	return func(in []sack) sack {
		least := map[uint32]uint32{}
		for row, weight := range in[0] {
			if old, ok := least[key(row)]; weight > 0 && (!ok || row < old) {
				least[key(row)] = row
			}
		}
		out := sack{}
		for _, row := range least {
			out.add(row, 1)
		}
		return out
	}
}

// Functions of two inputs.

func unionOf(in []sack) sack {
	out := maps.Clone(in[0])
	for _, more := range in[1:] {
		out.addAll(more, 1)
	}
	return out
}

// joinOf pairs rows that match.
func joinOf(pair func(a, b uint32) (uint32, bool)) definition {
	return func(in []sack) sack {
		out := sack{}
		for a, wa := range in[0] {
			for b, wb := range in[1] {
				if row, ok := pair(a, b); ok {
					out.add(row, wa*wb)
				}
			}
		}
		return out
	}
}
