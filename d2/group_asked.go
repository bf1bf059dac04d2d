package d2

// AskedGroup is a [Group] of the keys somebody has asked for: whoever stands on
// it fetches rows by key, as [JoinOne] does of its right side, and hears from
// then on of every change of theirs and of no others. It is not to be read whole.
//
// A key is folded when it is asked for the first time, from its rows, which port 0
// must answer by that key; after that a difference costs what it costs a Group,
// and one of a key nobody has asked for a look at the set of keys. State is that of
// a Group over the keys asked for, some 13 bytes more each.
type AskedGroup struct {
	spot
	g     *Group
	by    Keyer // of rows of port 0
	keyer Keyer // of the groups: what they are asked by
	split func(class uint8, bits uint64, yield func(class uint8, bits uint64))
	in    Fetchable
	asked KeySet
	req   FetchReq
	eq    [1]Eq
	fault error
	onRow func(uint32) bool
	found []uint32
	onKey func(class uint8, bits uint64)
	none  Out // nobody hears of groups that are new to him as well
}

// AskedGroupSpec tells what the groups of a key are.
type AskedGroupSpec struct {
	By    Keyer // of rows of the input: what their groups are asked by
	Keyer Keyer // of output rows: the same. It may be nil where nobody compares it
	// Split yields the group keys that rows of a key may have; nil: the key itself.
	Split func(class uint8, bits uint64, yield func(class uint8, bits uint64))
}

// NewAskedGroup returns an operator that folds as g would, which it takes over.
func NewAskedGroup(g *Group, spec AskedGroupSpec) (*AskedGroup, error) {
	if spec.By == nil {
		return nil, ErrNoKey
	}
	a := &AskedGroup{g: g, by: spec.By, keyer: spec.Keyer, split: spec.Split}
	a.onRow, a.onKey = a.row, a.key
	return a, nil
}

// Name returns "group asked for".
func (a *AskedGroup) Name() string { return "group asked for" }

// Ports returns 1.
func (a *AskedGroup) Ports() int { return 1 }

// Bind implements [Binder].
func (a *AskedGroup) Bind(at Place) error {
	if err := a.g.Bind(at); err != nil {
		return err
	}
	in, ok := at.In[0].(Fetchable)
	if !ok {
		return ErrNoFetch
	}
	a.req = Everything(nil)
	a.eq[0] = Eq{By: a.by}
	a.req.Eq = a.eq[:]
	if _, ok := in.Plan(&a.req); !ok {
		return ErrNoFetch
	}
	a.spot, a.in = at.spot(), in
	return nil
}

// Stage implements [Stager]: rows are fetched.
func (a *AskedGroup) Stage(int) bool { return false }

// Apply takes in what concerns the groups asked for.
func (a *AskedGroup) Apply(v *Visit, out *Out) error {
	if v.Hydrating {
		return nil // nobody has asked yet
	}
	for _, d := range v.In(0) {
		class, bits, ok := a.by.Key(d.Row)
		if !ok || !a.asked.Has(class, bits) {
			continue
		}
		if err := a.g.add(d.Row, d.Weight); err != nil {
			return err
		}
	}
	return a.g.settle(v, out)
}

// Plan implements [Fetchable]: for the groups of one key.
func (a *AskedGroup) Plan(r *FetchReq) (Access, bool) {
	if len(r.Eq) != 1 || r.In.By != nil || r.Order != nil || r.Eq[0].By != a.keyer {
		return Access{}, false
	}
	return Access{PerRow: 1, Rows: 1, Sel: 1}, true
}

// Fetch implements [Fetchable].
func (a *AskedGroup) Fetch(fc *FetchCtx, r *FetchReq, yield func(row uint32) bool) FetchEnd {
	a.enter()
	class, bits := r.Eq[0].Class, r.Eq[0].Bits
	if _, fresh := a.asked.Add(class, bits); fresh {
		a.fold(fc, class, bits)
	}
	from := len(a.found)
	if a.split == nil {
		a.key(class, bits)
	} else {
		a.split(class, bits, a.onKey)
	}
	end := EndOfInput
	for i := from; i < len(a.found); i++ {
		if !yield(a.found[i]) {
			end = LimitReached
			break
		}
	}
	a.found = a.found[:from]
	return end
}

// fold makes the groups of a key.
func (a *AskedGroup) fold(fc *FetchCtx, class uint8, bits uint64) {
	a.eq[0].Class, a.eq[0].Bits = class, bits
	a.fault = nil
	a.in.Fetch(fc, &a.req, a.onRow)
	if a.fault == nil {
		a.none.reset(0)
		a.fault = a.g.settle(fc.Visit, &a.none)
	}
	if a.fault != nil {
		panic(SourceFault{a.fault})
	}
}

func (a *AskedGroup) row(row uint32) bool {
	a.fault = a.g.add(row, 1)
	return a.fault == nil
}

func (a *AskedGroup) key(class uint8, bits uint64) {
	if row := a.g.groups.find(class, bits); row != None {
		a.found = append(a.found, row)
	}
}

// Snapshot emits the rows of the groups asked for.
func (a *AskedGroup) Snapshot(out *Out) error { return a.g.Snapshot(out) }

// Retained implements [Keeper].
func (a *AskedGroup) Retained() int { return a.g.Retained() }

// Bytes implements [Keeper].
func (a *AskedGroup) Bytes() int { return a.g.Bytes() + a.asked.Bytes() }

// Clear implements [Keeper]: nobody has asked.
func (a *AskedGroup) Clear() {
	a.g.Clear()
	a.asked = KeySet{}
}
