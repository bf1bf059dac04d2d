package d2

// Strategy is how a window keeps its rows. The deltas do not tell which.
type Strategy uint8

const (
	Retained         Strategy = iota // hold everything
	Windowed                         // hold a prefix and fetch, from what there is
	ArrangeAndWindow                 // the same, after the rows have been arranged in order
)

// Prospect is what a planner knows of a window when it chooses.
type Prospect struct {
	Limited bool // it has a limit
	// Ordered: the order is that of the driving source's columns, passed on by
	// operators that keep it, and all on the way can fetch. It is false for orders
	// by an aggregate, a computed value or the other side of a join, over what is
	// distinct by value, over unions and over full and right joins.
	Ordered bool
	// Arranged: the source is arranged in this order already.
	Arranged bool
	// Reused: others will read in this order, too.
	Reused bool
	Need   int     // offset + limit
	Spare  int     // the cushion
	Rows   int     // of the driving source
	Sel    float64 // share of them that is expected to reach the window
}

const (
	prefixShare   = 4   // a prefix of more than a quarter of the rows saves too little
	arrangeForSel = 0.2 // below, sorting what passes costs less than arranging all rows
)

// Choose returns the strategy for a window. A prefix that is pulled in order
// costs the rows it holds, to fill and to keep; everything costs all rows that
// pass. The steps are as fast either way, so what decides is whether the rows
// can be read in order: from an arrangement that exists, or from one that is
// worth making because others read it or most rows pass.
func Choose(p Prospect) Strategy {
	if !p.Limited || !p.Ordered || prefixShare*(p.Need+p.Spare) > p.Rows {
		return Retained
	}
	switch {
	case p.Arranged:
		return Windowed
	case p.Reused, p.Sel > arrangeForSel:
		return ArrangeAndWindow
	}
	return Retained
}
