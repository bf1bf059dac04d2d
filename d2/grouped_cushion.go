package d2

// noSlack is a slack never seen.
const noSlack = ^uint16(0)

// groupedCushion is the controller of [Cushion] in six bytes, for operators
// that have one for each of many groups. It acts as the one of a single window
// does, up to 65,535 rows and targets of 32,767 changes.
type groupedCushion struct {
	rows  uint16 // the cushion
	quiet uint16 // changes since the last refill or look at low
	low   uint16 // least slack seen
}

// groupedRule is what the controllers of all groups have in common.
type groupedRule struct {
	set    Cushion
	target uint16
}

func newGroupedRule(set Cushion) groupedRule {
	if set.Target == 0 {
		set.Target = 1000
	}
	if set.Min == 0 {
		set.Min = 4
	}
	set.Min = min(set.Min, uint32(noSlack))
	return groupedRule{set: set, target: uint16(min(set.Target, uint32(noSlack)/2))}
}

func (r *groupedRule) most(limit uint32) uint16 {
	most := uint64(r.set.Max)
	if most == 0 {
		most = 8 * uint64(limit)
	}
	return uint16(min(max(most, uint64(r.set.Min)), uint64(noSlack)))
}

// first is the cushion of a group that has just been made.
func (r *groupedRule) first(need int, limit uint32) groupedCushion {
	rows := int(r.set.Start)
	if rows == 0 && !r.set.Fixed {
		rows = max(8, need/5)
	}
	c := groupedCushion{rows: uint16(min(rows, int(noSlack))), low: noSlack}
	r.bound(&c, limit)
	return c
}

// bound follows a change of the limit.
func (r *groupedRule) bound(c *groupedCushion, limit uint32) {
	if !r.set.Fixed {
		c.rows = min(max(c.rows, uint16(r.set.Min)), r.most(limit))
	}
}

// onRefill is called when rows have left faster than the cushion could bear.
// It returns the flags of the group.
func (r *groupedRule) onRefill(c *groupedCushion, limit uint32, flags uint8) uint8 {
	early := flags&(groupFilled|groupCalm) == groupFilled && c.quiet < r.target
	if early && !r.set.Fixed {
		by := 2
		if 8*int(c.quiet) < int(r.target) {
			by = 4
		}
		c.rows = uint16(min(int(r.most(limit)), max(1, int(c.rows))*by))
	}
	c.quiet, c.low = 0, noSlack
	return flags&^groupCalm | groupFilled
}

// onRun is called with the changes of a run and the rows held beyond need. It
// returns the flags of the group.
func (r *groupedRule) onRun(c *groupedCushion, changes, slack int, flags uint8) uint8 {
	c.quiet = uint16(min(int(c.quiet)+changes, int(noSlack)))
	c.low = min(c.low, uint16(min(max(slack, 0), int(noSlack)-1)))
	if r.set.Fixed || int(c.quiet) < 2*int(r.target) {
		return flags
	}
	if c.low > c.rows/2 {
		c.rows = max(uint16(r.set.Min), c.rows-max(1, min(c.low, c.rows)/2))
	}
	c.quiet, c.low = 0, noSlack
	return flags | groupCalm
}
