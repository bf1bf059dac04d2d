package d2

import "math/bits"

// The Fenwick tree is stored with offset 0: tree[i] sums the counts of the
// blocks in (i - lowbit(i+1), i].

// rebuild is called from many places and never in a loop: inlined, it would be
// some kilobytes of the module.
//
//go:noinline
func (o *Ordered) rebuild() {
	n := len(o.counts)
	if cap(o.tree) < n {
		o.tree = make([]uint32, n, n+n/4)
	}
	o.tree = o.tree[:n]
	copy(o.tree, o.counts)
	for i := range o.tree {
		if up := i | (i + 1); up < n {
			o.tree[up] += o.tree[i]
		}
	}
}

// bump adds by, which may be -1 as an unsigned number, to the count at pos.
func (o *Ordered) bump(pos int, by uint32) {
	for ; pos < len(o.tree); pos |= pos + 1 {
		o.tree[pos] += by
	}
}

// before returns the number of rows in the blocks before pos.
func (o *Ordered) before(pos int) int {
	sum := uint32(0)
	for ; pos > 0; pos &= pos - 1 {
		sum += o.tree[pos-1]
	}
	return int(sum)
}

// locate returns the block position and index of a rank within [0, n).
func (o *Ordered) locate(rank int) (pos, idx int) {
	left := uint32(rank)
	n := len(o.tree)
	for step := 1 << (bits.Len(uint(n)) - 1); step > 0; step >>= 1 {
		if next := pos + step; next <= n && o.tree[next-1] <= left {
			left -= o.tree[next-1]
			pos = next
		}
	}
	return pos, int(left)
}
