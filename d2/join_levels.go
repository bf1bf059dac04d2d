package d2

// levels holds the sums of the weights of keys by iteration, for operators in
// cycles that must know how the weight of a key goes on after the iteration
// they are at. A key costs as many entries as it has iterations with a
// difference, typically one or two, however many rows it has.
type levels struct {
	keys  *Table // class and bits of a key
	trace *Trace // of rows of keys, each being its own key
}

type ownKey struct{}

func (ownKey) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, uint64(row), true }

func newLevels() *levels { return &levels{NewTable(2), NewTrace(ownKey{})} }

// add changes the weight of a key at an iteration.
func (l *levels) add(class uint8, bits uint64, iter, weight int32) {
	key := l.keys.Intern2(uint64(class), bits)
	before := l.trace.Present(key, iter)
	l.trace.Add(key, iter, weight)
	if before == 0 {
		l.keys.Ref(key)
	} else if before == -weight {
		l.keys.Unref(key)
	}
}

// sweep forgets keys without weights. Nobody else holds their ids.
func (l *levels) sweep() { l.keys.Sweep() }

// step is the weight of a key from an iteration on, up to the next step. Open
// is for the reader.
type step struct {
	iter   int32
	open   int32
	weight int
}

// from appends the steps of a key that are in force at an iteration or later,
// in order; the first is at the iteration itself.
func (l *levels) from(class uint8, bits uint64, iter int32, to []step) []step {
	to = append(to, step{iter: iter})
	words := [2]uint64{uint64(class), bits}
	key := l.keys.Find(words[:])
	if key == None {
		return to
	}
	for e := l.trace.First(0, uint64(key)); e != None; e = l.trace.Next(e) {
		_, at, weight := l.trace.Entry(e)
		if at <= iter {
			to[0].weight += int(weight)
			continue
		}
		i := len(to)
		to = append(to, step{})
		for ; to[i-1].iter > at; i-- {
			to[i] = to[i-1]
		}
		to[i] = step{iter: at, weight: int(weight)}
	}
	for i := 1; i < len(to); i++ {
		to[i].weight += to[i-1].weight
	}
	return to
}

func (l *levels) bytes() int { return l.keys.Bytes() + l.trace.Bytes() }
