package d2

// Projection makes the row of a match of a left and a right row. Equal matches
// must make equal rows. None stands for the missing side of an outer join.
type Projection interface {
	Project(left, right uint32) uint32
}

// Pairs interns rows made of a left and a right row, either of which may be
// None. It is the [Projection] of a join whose readers want both sides, and the
// [Pins] of its rows: who pins a pair pins its parts.
type Pairs struct {
	table       *Table
	left, right Pins
}

// NewPairs returns an empty table of pairs. The pins of a side keep its rows
// readable; nil if they need no pinning.
func NewPairs(left, right Pins) *Pairs {
	return &Pairs{NewTable(1), left, right}
}

// Table returns the table that holds the pairs.
func (p *Pairs) Table() *Table { return p.table }

// Pair returns the row of a left and a right row. A new one is loose.
func (p *Pairs) Pair(left, right uint32) uint32 {
	return p.table.Intern1(uint64(left)<<32 | uint64(right))
}

// Project is Pair.
func (p *Pairs) Project(left, right uint32) uint32 { return p.Pair(left, right) }

// Left returns the left row of a pair, or None.
func (p *Pairs) Left(pair uint32) uint32 { return uint32(p.table.Word(pair, 0) >> 32) }

// Right returns the right row of a pair, or None.
func (p *Pairs) Right(pair uint32) uint32 { return uint32(p.table.Word(pair, 0)) }

// Pin keeps a pair and its parts readable.
func (p *Pairs) Pin(pair Slot) {
	p.table.Ref(pair)
	if left := p.Left(pair); p.left != nil && left != None {
		p.left.Pin(left)
	}
	if right := p.Right(pair); p.right != nil && right != None {
		p.right.Pin(right)
	}
}

// Unpin takes back what Pin gave.
func (p *Pairs) Unpin(pair Slot) {
	if left := p.Left(pair); p.left != nil && left != None {
		p.left.Unpin(left)
	}
	if right := p.Right(pair); p.right != nil && right != None {
		p.right.Unpin(right)
	}
	p.table.Unref(pair)
}

// Sweep frees the pairs nobody refers to, and parts likewise.
func (p *Pairs) Sweep() {
	p.table.Sweep()
	for _, part := range [2]Pins{p.left, p.right} {
		if s, ok := part.(Sweeper); ok {
			s.Sweep()
		}
	}
}
