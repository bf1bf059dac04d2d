package d2

// groupIndex numbers the groups of an operator 0, 1, 2… without holes: from a
// key to the number by open addressing, and what is kept of each in arrays.
// Nothing in it is a pointer; a group takes 21 bytes and a bucket.
type groupIndex struct {
	buckets []uint32 // group numbers; None: empty
	class   []uint8
	bits    []uint64
	weight  []int64  // of the group's rows
	out     []uint32 // the row put out for the group, None if none
}

func (x *groupIndex) len() int { return len(x.out) }

func (x *groupIndex) bytes() int {
	return 4*(cap(x.buckets)+cap(x.out)) + cap(x.class) + 8*(cap(x.bits)+cap(x.weight))
}

// bucket returns where a key is, or the empty bucket where it belongs.
func (x *groupIndex) bucket(class uint8, bits uint64) int {
	mask := len(x.buckets) - 1
	b := int(mix(class, bits)) & mask
	for {
		g := x.buckets[b]
		if g == None || (x.bits[g] == bits && x.class[g] == class) {
			return b
		}
		b = (b + 1) & mask
	}
}

// find returns the row put out for a key, or None.
func (x *groupIndex) find(class uint8, bits uint64) uint32 {
	if len(x.buckets) == 0 {
		return None
	}
	if g := x.buckets[x.bucket(class, bits)]; g != None {
		return x.out[g]
	}
	return None
}

// add returns the number of a key's group, which it makes if there is none.
func (x *groupIndex) add(class uint8, bits uint64) uint32 {
	if 4*(x.len()+1) > 3*len(x.buckets) {
		x.rehash(max(8, 2*len(x.buckets)))
	}
	b := x.bucket(class, bits)
	g := x.buckets[b]
	if g == None {
		g = uint32(x.len())
		x.buckets[b] = g
		x.class, x.bits = append(x.class, class), append(x.bits, bits)
		x.weight, x.out = append(x.weight, 0), append(x.out, None)
	}
	return g
}

// drop removes a group; the last one takes its number, which is returned.
func (x *groupIndex) drop(g uint32) (last uint32) {
	mask := len(x.buckets) - 1
	gap := x.bucket(x.class[g], x.bits[g])
	for b := (gap + 1) & mask; x.buckets[b] != None; b = (b + 1) & mask {
		o := x.buckets[b]
		home := int(mix(x.class[o], x.bits[o])) & mask
		if (b-home)&mask >= (b-gap)&mask {
			x.buckets[gap] = o
			gap = b
		}
	}
	x.buckets[gap] = None
	last = uint32(x.len() - 1)
	if g != last {
		x.buckets[x.bucket(x.class[last], x.bits[last])] = g
		x.class[g], x.bits[g] = x.class[last], x.bits[last]
		x.weight[g], x.out[g] = x.weight[last], x.out[last]
	}
	n := int(last)
	x.class, x.bits = shorten(x.class, n), shorten(x.bits, n)
	x.weight, x.out = shorten(x.weight, n), shorten(x.out, n)
	if size := len(x.buckets); size > 2*fewRows && 8*n < size {
		x.rehash(size / 2)
	}
	return last
}

func (x *groupIndex) rehash(size int) {
	x.buckets = make([]uint32, size)
	for b := range x.buckets {
		x.buckets[b] = None
	}
	for g := range x.out {
		x.buckets[x.bucket(x.class[g], x.bits[g])] = uint32(g)
	}
}
