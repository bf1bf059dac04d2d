package d2

// addWeights adds two weights and panics with [ErrWeight] on overflow.
func addWeights(a, b int32) int32 {
	sum := int64(a) + int64(b)
	if sum != int64(int32(sum)) {
		panic(ErrWeight)
	}
	return int32(sum)
}

// mulWeights multiplies two weights and panics with [ErrWeight] on overflow.
func mulWeights(a, b int32) int32 {
	product := int64(a) * int64(b)
	if product != int64(int32(product)) {
		panic(ErrWeight)
	}
	return int32(product)
}

// owner keeps the rows an operator has put out interned in their table: one
// reference for each row in the operator's accumulated output. Outside cycles
// that is a row whose weights add up to something; inside, one with a
// difference at any iteration, be it that they add up to nothing. A reference
// per operator lets several operators put rows into one table.
type owner struct {
	table  *Table
	cyclic bool
	sums   []int32   // by row: the accumulated weight; in cycles the number of differences
	held   int       // rows referred to
	timed  timedSums // in cycles: (row, iteration) to weight
	asked  bool
}

// add accounts for a difference the operator emits.
func (o *owner) add(row uint32, iter, weight int32) {
	if weight == 0 {
		return
	}
	if int(row) >= len(o.sums) {
		if int(row) >= len(o.table.refs) {
			panic(ErrFreed) // made elsewhere
		}
		for int(row) >= len(o.sums) {
			o.sums = append(o.sums, 0)
		}
	}
	before := o.sums[row]
	after := before
	if !o.cyclic {
		after = addWeights(before, weight)
	} else {
		was, is := o.timed.add(uint64(row)<<32|uint64(uint32(iter)), weight)
		if was == 0 {
			after++
		} else if is == 0 {
			after--
		}
	}
	// What is not referred to must not be given back, should this fail.
	if before == 0 && after != 0 {
		o.table.Ref(row)
		o.held++
	} else if before != 0 && after == 0 {
		o.table.Unref(row)
		o.held--
	}
	o.sums[row] = after
}

// sweepAfter has the table swept once the run is over.
func (o *owner) sweepAfter(v *Visit) {
	if !o.asked && len(o.table.loose) > 0 {
		o.asked = true
		v.Sweep(o)
	}
}

// Sweep frees the rows nothing refers to, and memory with them.
func (o *owner) Sweep() {
	o.asked = false
	o.table.Sweep()
	o.trim()
}

// trim follows the largest id of the table; rows beyond it have sum 0.
func (o *owner) trim() {
	if top := len(o.table.refs); len(o.sums) > top {
		o.sums = o.sums[:top]
	}
	if cap(o.sums) > fewRows && 4*len(o.sums) < cap(o.sums) {
		o.sums = append(make([]int32, 0, len(o.sums)+len(o.sums)/2), o.sums...)
	}
}

// clear gives back every reference. The rows stay loose until the table is
// swept by the next run, so that a reset finds them under the same ids.
func (o *owner) clear() {
	for row, sum := range o.sums {
		if sum != 0 {
			o.table.Unref(uint32(row))
		}
	}
	*o = owner{table: o.table, cyclic: o.cyclic}
}

func (o *owner) bytes() int { return 4*cap(o.sums) + o.timed.bytes() }
