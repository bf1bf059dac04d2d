package d2

// pageRows is the number of rows whose counts lie together.
const pageRows = 64

// rowCounts is a weight for each row: pages of 64 counts in one slab, of which
// only those with a count that is not 0 exist, and a table of pages by row.
// Nothing in it is a pointer. Dense rows take 4 bytes each, scattered ones at
// most 256, and the table 4 for every 64 ids up to the largest; memory is given
// back as rows leave.
type rowCounts struct {
	pages []uint32 // by row / pageRows; None: no page
	slab  []int32
	used  []uint8 // by page: counts that are not 0
	free  []uint32
	n     int // rows whose count is not 0
}

func (c *rowCounts) bytes() int {
	return 4*(cap(c.pages)+cap(c.slab)+cap(c.free)) + cap(c.used)
}

// add changes the count of a row and returns it before and after.
func (c *rowCounts) add(row uint32, by int32) (before, after int32) {
	if by == 0 {
		return 0, 0
	}
	at := int(row / pageRows)
	for at >= len(c.pages) {
		c.pages = append(c.pages, None)
	}
	page := c.pages[at]
	if page == None {
		page = c.newPage()
		c.pages[at] = page
	}
	count := &c.slab[page*pageRows+row%pageRows]
	before = *count
	after = addWeights(before, by)
	*count = after
	if before == 0 {
		c.used[page]++
		c.n++
	} else if after == 0 {
		c.n--
		if c.used[page]--; c.used[page] == 0 {
			c.pages[at] = None
			c.free = append(c.free, page)
			c.shrink()
		}
	}
	return before, after
}

// get returns the count of a row.
func (c *rowCounts) get(row uint32) int32 {
	if at := int(row / pageRows); at < len(c.pages) && c.pages[at] != None {
		return c.slab[c.pages[at]*pageRows+row%pageRows]
	}
	return 0
}

func (c *rowCounts) newPage() uint32 {
	if f := len(c.free); f > 0 {
		page := c.free[f-1]
		c.free = c.free[:f-1]
		return page
	}
	page := len(c.used)
	c.used = append(c.used, 0)
	need := (page + 1) * pageRows
	if need > cap(c.slab) {
		grown := make([]int32, len(c.slab), max(need, len(c.slab)+len(c.slab)/2))
		copy(grown, c.slab)
		c.slab = grown
	}
	c.slab = c.slab[:need]
	return uint32(page)
}

// shrink copies the pages in use together once three quarters are not, and
// drops the end of the table that leads to none.
func (c *rowCounts) shrink() {
	live := len(c.used) - len(c.free)
	if live == 0 && len(c.used) > fewRows/8 {
		*c = rowCounts{}
		return
	}
	if len(c.used) <= fewRows/8 || 4*live > len(c.used) {
		return
	}
	top := len(c.pages)
	for top > 0 && c.pages[top-1] == None {
		top--
	}
	old := *c
	room := live + live/2
	c.pages = make([]uint32, top)
	c.slab = make([]int32, 0, room*pageRows)
	c.used = make([]uint8, 0, room)
	c.free = nil
	for at, page := range old.pages[:top] {
		c.pages[at] = None
		if page != None {
			c.pages[at] = uint32(len(c.used))
			c.used = append(c.used, old.used[page])
			c.slab = append(c.slab, old.slab[page*pageRows:(page+1)*pageRows]...)
		}
	}
}

// each calls yield for every row whose count is not 0, in order.
func (c *rowCounts) each(yield func(row uint32, count int32)) {
	for at, page := range c.pages {
		if page == None {
			continue
		}
		for i, count := range c.slab[page*pageRows : (page+1)*pageRows] {
			if count != 0 {
				yield(uint32(at*pageRows+i), count)
			}
		}
	}
}
