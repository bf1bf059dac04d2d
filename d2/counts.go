package d2

// counts is a multiset of rows: open addressing over parallel arrays. Rows of
// weight 0 are not in it; memory follows the number of rows.
type counts struct {
	row    []uint32 // None: empty
	weight []int32
	n      int
}

// get returns the weight of a row.
func (c *counts) get(row uint32) int32 {
	if c.n == 0 {
		return 0
	}
	return c.weight[c.find(row)]
}

// add adds to the weight of a row and returns the sum; false if that does not
// fit, with the sum as before.
func (c *counts) add(row uint32, weight int32) (sum int32, ok bool) {
	if 4*(c.n+1) > 3*len(c.row) {
		c.resize(max(8, 2*len(c.row)))
	}
	at := c.find(row)
	wide := int64(c.weight[at]) + int64(weight)
	if int64(int32(wide)) != wide {
		return c.weight[at], false
	}
	switch {
	case wide == 0:
		if c.row[at] != None {
			c.vacate(at)
			c.n--
			if len(c.row) > 8 && 8*c.n < len(c.row) {
				c.resize(len(c.row) / 2)
			}
		}
		return 0, true
	case c.row[at] == None:
		c.row[at] = row
		c.n++
	}
	c.weight[at] = int32(wide)
	return int32(wide), true
}

// each calls yield with every row.
func (c *counts) each(yield func(row uint32, weight int32)) {
	for i, row := range c.row {
		if row != None {
			yield(row, c.weight[i])
		}
	}
}

func (c *counts) home(row uint32) int {
	return int(mix(0, uint64(row))) & (len(c.row) - 1)
}

// find returns where a row is, or the empty place where it belongs.
func (c *counts) find(row uint32) int {
	at := c.home(row)
	for c.row[at] != None && c.row[at] != row {
		at = (at + 1) & (len(c.row) - 1)
	}
	return at
}

// vacate empties a place and closes the gap in the probe sequences over it.
func (c *counts) vacate(gap int) {
	mask := len(c.row) - 1
	for at := (gap + 1) & mask; c.row[at] != None; at = (at + 1) & mask {
		if (at-c.home(c.row[at]))&mask >= (at-gap)&mask {
			c.row[gap], c.weight[gap] = c.row[at], c.weight[at]
			gap = at
		}
	}
	c.row[gap], c.weight[gap] = None, 0
}

func (c *counts) resize(size int) {
	old := *c
	c.row, c.weight = make([]uint32, size), make([]int32, size)
	for i := range c.row {
		c.row[i] = None
	}
	for i, row := range old.row {
		if row != None {
			at := c.find(row)
			c.row[at], c.weight[at] = row, old.weight[i]
		}
	}
}

func (c *counts) bytes() int { return 4*cap(c.row) + 4*cap(c.weight) }
