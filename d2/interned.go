package d2

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
