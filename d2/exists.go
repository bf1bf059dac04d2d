package d2

import "errors"

// ErrNoKey refuses an operator that has to compare keys and was given none.
var ErrNoKey = errors.New("d2: the operator needs the key of its left side")

// Flip says which way an unkeyed fetch through an [Exists] may go.
type Flip uint8

const (
	FlipByCost Flip = iota // from the children if that is expected to cost less
	FlipNever              // from the parents, looking for a child of each
	FlipAlways             // from the children, gathering their parents
)

// ExistsSpec describes an [Exists].
type ExistsSpec struct {
	ParentKey Keyer
	ChildKey  Keyer // nil: that of the arrangement on port 1
	Negated   bool
	Flip      Flip
}

// Exists keeps the rows of port 0 whose key some row of port 1 has, or with
// Negated none has: P ⋉ C, or P ▷ C. A null key is found nowhere.
//
// It keeps no rows. Whether a key was found before the run follows from the
// batch of port 1 and a probe of that input after the changes: it was if the
// batch takes a row of the key away, or if there are more rows of it now than
// the batch brought. Rows of port 0 that did not change themselves are fetched
// by key when that flips. Port 0 must be fetchable by ParentKey and a set; port
// 1 must be arranged by ChildKey, or be fetchable by it and a set.
//
// Cost: a probe for each key in the batches and the rows of each key that
// flipped, as far as the reader needs to hear of them.
type Exists struct {
	spot
	spec   ExistsSpec
	parent Fetchable
	child  side

	touched KeySet
	turns   []turn
	memo    KeySet
	found   []bool
	fan     fanout
	fc      FetchCtx
	out     *Out
	sign    int32
	emit    func(uint32)

	share  share // of the parents read unkeyed that pass
	frames pool[existsFrame]
}

// turn is what a run did to the rows of port 1 with one key.
type turn struct {
	added         int
	net           int
	removed       bool
	before, after bool
}

// NewExists returns an operator that must be bound before its first visit.
func NewExists(spec ExistsSpec) (*Exists, error) {
	if spec.ParentKey == nil {
		return nil, ErrNoKey
	}
	e := &Exists{spec: spec}
	e.emit = e.emitTurned
	return e, nil
}

// Name implements [Operator].
func (e *Exists) Name() string {
	if e.spec.Negated {
		return "not exists"
	}
	return "exists"
}

// Ports implements [Operator].
func (e *Exists) Ports() int { return 2 }

// Bind implements [Binder].
func (e *Exists) Bind(at Place) error {
	if at.Cyclic {
		return ErrFetchInCycle
	}
	parent, ok := at.In[0].(Fetchable)
	if !ok {
		return ErrNoFetch
	}
	r := Everything(nil)
	r.Eq = []Eq{{By: e.spec.ParentKey}}
	if _, ok := parent.Plan(&r); !ok {
		return ErrNoFetch
	}
	e.spot, e.parent = at.spot(), parent
	return e.child.bind(at.In[1], e.spec.ChildKey)
}

// Apply implements [Operator].
func (e *Exists) Apply(v *Visit, out *Out) error {
	e.fc = FetchCtx{Visit: v}
	e.out = out
	defer e.rest(v)
	if v.Hydrating {
		e.hydrate(v)
		return nil
	}
	e.touch(v.In(1))
	e.fan.begin(e.parent, e.spec.ParentKey, e.emit)
	for _, d := range v.In(0) {
		before, after, turned := e.sides(d.Row)
		if d.Weight > 0 && turned {
			e.fan.skip = append(e.fan.skip, d.Row)
		}
		if d.Weight > 0 && after || d.Weight < 0 && before {
			out.Emit(d.Row, d.Weight)
		}
	}
	cut, _ := v.Cut(0)
	if turned := e.anyTurned(); turned || cut != None {
		reader := v.Interest()
		if turned {
			sortRanks(e.fan.skip)
			e.fan.need(reader, cut)
			e.fanOut()
		}
		if cut = earlier(reader.Order, e.fan.cutAt, cut); cut != None {
			out.Cut(cut)
		}
	}
	if v.Keyed(0) {
		out.Keyed()
	} else {
		out.Tidy()
	}
	return nil
}

// Stage implements [Stager]: children are looked up, and parents are needed
// if the output is.
func (e *Exists) Stage(port int) bool { return port == 0 && e.node.low == 1 }

// hydrate passes on the parents, all of which are in the batch, that pass now.
func (e *Exists) hydrate(v *Visit) {
	e.touched.Reset()
	for _, d := range v.In(0) {
		if _, passes, _ := e.sides(d.Row); passes {
			e.out.Emit(d.Row, d.Weight)
		}
	}
	e.out.Tidy()
}

// rest lets go of what a visit needed.
func (e *Exists) rest(v *Visit) {
	v.Stats.RowsScanned += e.fc.Scanned
	e.out = nil
	e.fan.end()
	e.memo.Reset()
	e.turns, e.found = drained(e.turns), drained(e.found)
}

// touch finds out what the batch of port 1 did to each key.
func (e *Exists) touch(batch []Diff) {
	e.touched.Reset()
	e.turns = e.turns[:0]
	for _, d := range batch {
		class, bits, ok := e.child.by.Key(d.Row)
		if !ok {
			continue
		}
		i, fresh := e.touched.Add(class, bits)
		if fresh {
			e.turns = append(e.turns, turn{})
		}
		t := &e.turns[i]
		t.net += int(d.Weight)
		if d.Weight > 0 {
			t.added++
		} else {
			t.removed = true
		}
	}
	for i := range e.turns {
		t := &e.turns[i]
		class, bits := e.touched.At(i)
		switch {
		case e.child.arr != nil:
			now := e.child.arr.Weight(class, bits)
			t.before, t.after = now > t.net, now > 0
		case t.removed:
			n, _ := e.child.probe(&e.fc, class, bits, 1)
			t.before, t.after = true, n > 0
		default:
			n, _ := e.child.probe(&e.fc, class, bits, t.added+1)
			t.before, t.after = n > t.added, n > 0
		}
		if e.spec.Negated {
			t.before, t.after = !t.before, !t.after
		}
	}
}

func (e *Exists) anyTurned() bool {
	for i := range e.turns {
		if e.turns[i].before != e.turns[i].after {
			return true
		}
	}
	return false
}

// sides tells whether a parent with the key of a row passed before the run and
// passes after it.
func (e *Exists) sides(row uint32) (before, after, turned bool) {
	class, bits, ok := e.spec.ParentKey.Key(row)
	if !ok {
		return e.spec.Negated, e.spec.Negated, false
	}
	if i := e.touched.Find(class, bits); i >= 0 {
		t := &e.turns[i]
		return t.before, t.after, t.before != t.after
	}
	i, fresh := e.memo.Add(class, bits)
	if fresh {
		e.found = append(e.found, e.passes(&e.fc, class, bits))
	}
	return e.found[i], e.found[i], false
}

// passes tells whether a parent with a key passes now.
func (e *Exists) passes(fc *FetchCtx, class uint8, bits uint64) bool {
	if e.child.arr != nil {
		return e.child.arr.Weight(class, bits) > 0 != e.spec.Negated
	}
	n, _ := e.child.probe(fc, class, bits, 1)
	return n > 0 != e.spec.Negated
}

// fanOut emits the unchanged rows of every key that flipped.
func (e *Exists) fanOut() {
	for i := range e.turns {
		t := &e.turns[i]
		if t.before == t.after {
			continue
		}
		how := rowsLeave
		e.sign = -1
		if t.after {
			how, e.sign = rowsEnter, 1
		}
		class, bits := e.touched.At(i)
		e.fan.run(&e.fc, class, bits, how)
	}
}

func (e *Exists) emitTurned(row uint32) { e.out.Emit(row, e.sign) }

// PassInterest implements [Passer].
func (e *Exists) PassInterest(port int, in Interest) (Interest, bool) { return in, port == 0 }
