package d2

import "errors"

var (
	// ErrNotUnique: a right row was looked up by a key that several have.
	ErrNotUnique = errors.New("d2: two right rows have the same key; use a join that allows it")
	// ErrNoPairs refuses a join without a table for its rows.
	ErrNoPairs = errors.New("d2: the join needs a table of pairs")
)

// JoinOneSpec describes a [JoinOne].
type JoinOneSpec struct {
	LeftKey  Keyer
	RightKey Keyer // nil: that of the arrangement on port 1
	Outer    bool  // keep left rows without a match, paired with None
	Pairs    *Pairs
}

// JoinOne pairs every row of port 0 with the one row of port 1 that has its
// key: L ⋈ R, or L ⟕ R, where a key has at most one row in R, which is checked
// for every key looked up. A null key matches nothing.
//
// It keeps no rows: the right row before the run is in the batch of port 1, or
// has not changed, and left rows that did not change themselves are fetched by
// key when their right row does. Pairs come in the order of their left rows: an
// order or a key of those is one of the pairs as [LeftOrder] or [LeftKeyer].
// Port 0 must be fetchable by LeftKey and a set; port 1 must be arranged by
// RightKey, or be fetchable by it and a set.
//
// Cost: a probe for each key in the batches and the left rows of each key whose
// right row changed, as far as the reader needs to hear of them.
type JoinOne struct {
	spot
	spec  JoinOneSpec
	left  Fetchable
	right side

	touched KeySet
	swaps   []swap
	memo    KeySet
	found   []uint32
	fan     fanout
	fc      FetchCtx
	out     *Out
	now     swap
	emit    func(uint32)

	frames pool[joinFrame]
}

// swap is what a run did to the right row of a key.
type swap struct{ before, after uint32 }

// NewJoinOne returns an operator that must be bound before its first visit.
func NewJoinOne(spec JoinOneSpec) (*JoinOne, error) {
	if spec.LeftKey == nil {
		return nil, ErrNoKey
	}
	if spec.Pairs == nil {
		return nil, ErrNoPairs
	}
	j := &JoinOne{spec: spec}
	j.emit = j.emitSwapped
	return j, nil
}

// Name implements [Operator].
func (j *JoinOne) Name() string { return "join one" }

// Ports implements [Operator].
func (j *JoinOne) Ports() int { return 2 }

// Bind implements [Binder].
func (j *JoinOne) Bind(at Place) error {
	if at.Cyclic {
		return ErrFetchInCycle
	}
	left, ok := at.In[0].(Fetchable)
	if !ok {
		return ErrNoFetch
	}
	r := Everything(nil)
	r.Eq = []Eq{{By: j.spec.LeftKey}}
	if _, ok := left.Plan(&r); !ok {
		return ErrNoFetch
	}
	j.spot, j.left = at.spot(), left
	return j.right.bind(at.In[1], j.spec.RightKey)
}

// Apply implements [Operator].
func (j *JoinOne) Apply(v *Visit, out *Out) error {
	j.fc = FetchCtx{Visit: v}
	j.out = out
	defer j.rest(v)
	if v.Hydrating {
		j.hydrate(v)
		return nil
	}
	if err := j.touch(v.In(1)); err != nil {
		return err
	}
	j.fan.begin(j.left, j.spec.LeftKey, j.emit)
	for _, d := range v.In(0) {
		s, swapped := j.sides(d.Row)
		right := s.before
		if d.Weight > 0 {
			right = s.after
			if swapped {
				j.fan.skip = append(j.fan.skip, d.Row)
			}
		}
		j.send(d.Row, right, d.Weight)
	}
	cut, _ := v.Cut(0)
	if len(j.swaps) > 0 || cut != None {
		reader := j.reader(v)
		if len(j.swaps) > 0 {
			sortRanks(j.fan.skip)
			j.fan.need(reader, cut)
			j.fanOut()
		}
		if cut = earlier(reader.Order, j.fan.cutAt, cut); cut != None {
			out.Cut(j.spec.Pairs.Pair(cut, None))
		}
	}
	if v.Keyed(0) {
		out.Keyed()
	} else {
		out.Tidy()
	}
	return nil
}

// Stage implements [Stager]: right rows are looked up, and left rows are
// needed if the output is.
func (j *JoinOne) Stage(port int) bool { return port == 0 && j.node.low == 1 }

// hydrate pairs the left rows, all of which are in the batch, with the right
// rows of now.
func (j *JoinOne) hydrate(v *Visit) {
	j.touched.Reset()
	for _, d := range v.In(0) {
		s, _ := j.sides(d.Row)
		j.send(d.Row, s.after, d.Weight)
	}
	j.out.Tidy()
}

// rest lets go of what a visit needed.
func (j *JoinOne) rest(v *Visit) {
	v.Stats.RowsScanned += j.fc.Scanned
	j.spec.Pairs.SweepAfter(v)
	j.out = nil
	j.fan.end()
	j.memo.Reset()
	j.swaps, j.found = drained(j.swaps), drained(j.found)
}

// reader is the interest in this output, in terms of left rows.
func (j *JoinOne) reader(v *Visit) Interest {
	if in, ok := j.PassInterest(0, v.Interest()); ok {
		return in
	}
	return Everywhere
}

// touch finds the right row of each key in the batch of port 1, before and
// after it.
func (j *JoinOne) touch(batch []Diff) error {
	j.touched.Reset()
	j.swaps = j.swaps[:0]
	for _, d := range batch {
		class, bits, ok := j.right.by.Key(d.Row)
		if !ok {
			continue
		}
		i, fresh := j.touched.Add(class, bits)
		if fresh {
			j.swaps = append(j.swaps, swap{None, None})
		}
		s := &j.swaps[i]
		switch {
		case d.Weight == -1 && s.before == None:
			s.before = d.Row
		case d.Weight == 1 && s.after == None:
			s.after = d.Row
		default:
			return ErrNotUnique
		}
	}
	for i := range j.swaps {
		class, bits := j.touched.At(i)
		if now := j.match(&j.fc, class, bits); now != j.swaps[i].after {
			return ErrNotUnique
		}
	}
	return nil
}

// match returns the right row of a key, or None. It panics if there are more.
func (j *JoinOne) match(fc *FetchCtx, class uint8, bits uint64) uint32 {
	n, row := j.right.probe(fc, class, bits, 2)
	if n > 1 {
		panic(SourceFault{ErrNotUnique})
	}
	return row
}

// sides returns the right row of a left row, before the run and after it.
func (j *JoinOne) sides(row uint32) (s swap, swapped bool) {
	class, bits, ok := j.spec.LeftKey.Key(row)
	if !ok {
		return swap{None, None}, false
	}
	if i := j.touched.Find(class, bits); i >= 0 {
		return j.swaps[i], true
	}
	i, fresh := j.memo.Add(class, bits)
	if fresh {
		j.found = append(j.found, j.match(&j.fc, class, bits))
	}
	return swap{j.found[i], j.found[i]}, false
}

func (j *JoinOne) send(left, right uint32, weight int32) {
	if right != None || j.spec.Outer {
		j.out.Emit(j.spec.Pairs.Pair(left, right), weight)
	}
}

// fanOut emits the unchanged left rows of every key whose right row changed.
func (j *JoinOne) fanOut() {
	for i := range j.swaps {
		class, bits := j.touched.At(i)
		j.now = j.swaps[i]
		how := rowsChange
		switch {
		case j.spec.Outer:
		case j.now.before == None:
			how = rowsEnter
		case j.now.after == None:
			how = rowsLeave
		}
		j.fan.run(&j.fc, class, bits, how)
	}
}

func (j *JoinOne) emitSwapped(left uint32) {
	j.send(left, j.now.before, -1)
	j.send(left, j.now.after, 1)
}

// PassInterest implements [Passer].
func (j *JoinOne) PassInterest(port int, in Interest) (Interest, bool) {
	if port != 0 {
		return Everywhere, false
	}
	if in.All {
		return in, true
	}
	order, ok := j.leftOrder(in.Order)
	if !ok {
		return Everywhere, false
	}
	in.Order = order
	if in.Bound != None {
		in.Bound = j.spec.Pairs.Left(in.Bound)
	}
	return in, true
}

// SweepAfter has the pairs nobody refers to freed when the run of v is over.
func (p *Pairs) SweepAfter(v *Visit) { p.table.SweepAfter(v) }
