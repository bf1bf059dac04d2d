package d2

// Cushion sets how many rows beyond offset+limit a window keeps, so that rows
// may leave without a fetch. Zero fields take the defaults.
type Cushion struct {
	Start  uint32 // rows at first; default a fifth of offset+limit, at least 8
	Target uint32 // changes there should be between two fetches; default 1000
	Min    uint32 // default 4
	Max    uint32 // default 8 times the limit
	Fixed  bool   // keep Start, 0 included, whatever happens
}

// cushionState is the controller: it grows the cushion when fetches come too
// soon after one another and shrinks it when most of it stays unused.
type cushionState struct {
	set    Cushion
	rows   int // the cushion
	max    int
	since  int // changes since the last fetch
	idle   int // changes since the last look at low
	low    int // least slack seen
	filled bool
}

const noLow = int(^uint(0) >> 1)

func (c *cushionState) init(set Cushion, need int, limit uint32) {
	if set.Target == 0 {
		set.Target = 1000
	}
	if set.Min == 0 {
		set.Min = 4
	}
	c.set = set
	c.rows = int(set.Start)
	if c.rows == 0 && !set.Fixed {
		c.rows = max(8, need/5)
	}
	c.low = noLow
	c.bound(limit)
}

// bound follows a change of the limit.
func (c *cushionState) bound(limit uint32) {
	c.max = int(c.set.Max)
	if c.max == 0 {
		c.max = 8 * int(limit)
	}
	c.max = max(c.max, int(c.set.Min))
	if !c.set.Fixed {
		c.rows = min(max(c.rows, int(c.set.Min)), c.max)
	}
}

// onRefill is called when rows have left faster than the cushion could bear.
func (c *cushionState) onRefill() {
	target := int(c.set.Target)
	if !c.set.Fixed && c.filled && c.since < target {
		by := 2
		if c.since*8 < target {
			by = 4
		}
		c.rows = min(c.max, max(1, c.rows)*by)
	}
	c.filled = true
	c.since, c.idle, c.low = 0, 0, noLow
}

// onRun is called with the changes of a run and the rows held beyond need.
func (c *cushionState) onRun(changes, slack int) {
	c.since += changes
	c.idle += changes
	c.low = min(c.low, slack)
	if c.set.Fixed || c.idle < 2*int(c.set.Target) {
		return
	}
	if c.low > c.rows/2 {
		c.rows = max(int(c.set.Min), c.rows-max(1, min(c.low, c.rows)/2))
	}
	c.idle, c.low = 0, noLow
}
