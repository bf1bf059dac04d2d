package d2

import (
	"slices"
	"sort"
)

// keyList collects the keys to be evaluated in one visit, each once.
type keyList struct {
	class []uint8
	bits  []uint64
}

func (k *keyList) reset() { k.class, k.bits = k.class[:0], k.bits[:0] }

func (k *keyList) add(class uint8, bits uint64) {
	if last := len(k.bits) - 1; last >= 0 && k.bits[last] == bits && k.class[last] == class {
		return
	}
	k.class, k.bits = append(k.class, class), append(k.bits, bits)
}

// sort puts the keys in order and removes those that are there twice.
func (k *keyList) sort() {
	if len(k.bits) < 2 {
		return
	}
	sort.Sort(k)
	n := 1
	for i := 1; i < len(k.bits); i++ {
		if k.bits[i] != k.bits[n-1] || k.class[i] != k.class[n-1] {
			k.bits[n], k.class[n] = k.bits[i], k.class[i]
			n++
		}
	}
	k.class, k.bits = k.class[:n], k.bits[:n]
}

// Len, Less and Swap are for sort.Sort.
func (k *keyList) Len() int { return len(k.bits) }

func (k *keyList) Less(i, j int) bool {
	if k.class[i] != k.class[j] {
		return k.class[i] < k.class[j]
	}
	return k.bits[i] < k.bits[j]
}

func (k *keyList) Swap(i, j int) {
	k.class[i], k.class[j] = k.class[j], k.class[i]
	k.bits[i], k.bits[j] = k.bits[j], k.bits[i]
}

func (k *keyList) bytes() int { return cap(k.class) + 8*cap(k.bits) }

// merge consolidates rows in place: ascending by row, none of weight 0.
func (r *Reduce) merge(rows []Diff) []Diff {
	if len(rows) > 1 {
		s := r.sort[:0]
		for _, d := range rows {
			s = append(s, uint64(d.Row)<<32|uint64(uint32(d.Weight)))
		}
		slices.Sort(s)
		for i, x := range s {
			rows[i] = Diff{uint32(x >> 32), int32(uint32(x))}
		}
		r.sort = s[:0]
	}
	n := 0
	for i := 0; i < len(rows); {
		d := rows[i]
		for i++; i < len(rows) && rows[i].Row == d.Row; i++ {
			d.Weight = addWeights(d.Weight, rows[i].Weight)
		}
		if d.Weight != 0 {
			rows[n] = d
			n++
		}
	}
	return rows[:n]
}

func (r *Reduce) trim() {
	if cap(r.keys.bits) > keepSlots {
		r.keys = keyList{}
	}
	if max(cap(r.rows), cap(r.have), cap(r.want.diffs)) > keepSlots {
		r.rows, r.have, r.want.diffs, r.sort = nil, nil, nil, nil
	}
}
