package d2

import "errors"

// interner is an operator whose output rows are interned.
type interner interface {
	// interned returns the table they are in, or nil.
	interned() *Table
}

func (o *Owned) interned() *Table     { return o.owner.table }
func (j *Join) interned() *Table      { return j.matched.owner.table }
func (j *OuterJoin) interned() *Table { return j.matched.owner.table }
func (j *JoinOne) interned() *Table   { return j.spec.Pairs.table }
func (g *Group) interned() *Table     { return g.home }

func (r *Reduce) interned() *Table {
	if r.owner == nil {
		return nil
	}
	return r.owner.table
}

// sweepTables frees what the rows of dropped operators have left in their
// tables: no run may follow that would.
func sweepTables(dropped []*node) {
	for _, n := range dropped {
		if i, ok := n.op.(interner); ok {
			if t := i.interned(); t != nil && len(t.loose) > 0 {
				t.Sweep()
			}
		}
	}
}

// ErrLent refuses a reader that would keep rows which nobody keeps for it.
var ErrLent = errors.New("d2: the rows of a join to one live for a run; read them by a window with Hold, or put the join into NewOwned")

// lender is an operator whose rows are interned for the run alone.
type lender interface{ lends() }

// borrower is an operator that can keep rows of its input; holds tells whether
// it refers to those it keeps.
type borrower interface{ holds() bool }

func (*JoinOne) lends() {}

// What an Owned puts out is referred to, and of what comes in it keeps nothing.
func (*Owned) holds() bool { return true }

func (o *Window) holds() bool  { return o.w.hold != nil }
func (g *Grouped) holds() bool { return g.spec.Hold != nil }
func (o *Merge) holds() bool   { return o.m.hold != nil }

// lends tells whether the rows a node puts out are interned for the run alone,
// by itself or by what it passes on from its first port.
func (n *node) lends() bool {
	for {
		if _, ok := n.op.(lender); ok {
			return true
		}
		_, keeps := n.op.(borrower)
		if _, passes := n.op.(Passer); !passes || keeps || len(n.ins) == 0 {
			return false
		}
		n = n.ins[0].from
	}
}

// borrows tells whether an operator can read such rows.
func (n *node) borrows() bool {
	if b, ok := n.op.(borrower); ok {
		return b.holds()
	}
	_, passes := n.op.(Passer)
	return passes
}
