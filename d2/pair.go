package d2

import "slices"

// pairs turns differences of keyed rows into changes, at most one per key.
type pairs struct {
	changes []Change
	index   []uint64
}

// of pairs the old and new versions of each key. Every weight must be 1 or −1,
// and a key may have one of each at most: else [ErrMultiplicity] or
// [ErrDuplicateKey]. Cost: O(d), or a sort where the versions of a key do not
// stand together. The result is valid until the next call.
func (p *pairs) of(diffs []Diff, keyed bool, keys Keys) ([]Change, error) {
	p.changes = p.changes[:0]
	plus, minus := 0, 0
	for _, d := range diffs {
		switch d.Weight {
		case 1:
			plus++
		case -1:
			minus++
		default:
			return nil, ErrMultiplicity
		}
	}
	if keyed || plus+minus <= 1 {
		for i := 0; i < len(diffs); i++ {
			d := diffs[i]
			c := Change{keys.KeyOf(d.Row), None, d.Row}
			if d.Weight < 0 {
				c.Old, c.New = d.Row, None
				if i+1 < len(diffs) && diffs[i+1].Weight > 0 && keys.KeyOf(diffs[i+1].Row) == c.Key {
					i++
					c.New = diffs[i].Row
				}
			}
			p.changes = append(p.changes, c)
		}
		return p.changes, nil
	}
	p.index = p.index[:0]
	for i, d := range diffs {
		p.index = append(p.index, uint64(keys.KeyOf(d.Row))<<32|uint64(i))
	}
	slices.Sort(p.index)
	for i := 0; i < len(p.index); {
		c := Change{uint32(p.index[i] >> 32), None, None}
		for ; i < len(p.index) && uint32(p.index[i]>>32) == c.Key; i++ {
			d := diffs[uint32(p.index[i])]
			side := &c.New
			if d.Weight < 0 {
				side = &c.Old
			}
			if *side != None {
				return nil, ErrDuplicateKey
			}
			*side = d.Row
		}
		p.changes = append(p.changes, c)
	}
	return p.changes, nil
}

// trim gives large buffers back.
func (p *pairs) trim() {
	if cap(p.changes) > keepChanges {
		p.changes = nil
	}
	if cap(p.index) > keepChanges {
		p.index = nil
	}
}

func (p *pairs) bytes() int { return 12*cap(p.changes) + 8*cap(p.index) }
