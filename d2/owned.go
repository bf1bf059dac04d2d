package d2

import "errors"

// Errors of building an operator whose rows are owned.
var (
	// ErrNotLinear refuses to keep account of an operator with state of its own.
	ErrNotLinear = errors.New("d2: only rows of operators without state can be owned; give the operator its table")
	// ErrNoTable refuses to keep rows in no table.
	ErrNoTable = errors.New("d2: owned rows need the table they are interned in")
)

// Owned is an operator without state whose output rows are interned: out is
// that of the operator within, each row of it referred to as long as it is part
// of the output. State is 4 bytes a row of the table and, in cycles, 12 to 32
// per row and iteration; it shrinks with the table.
type Owned struct {
	op    Operator
	owner owner
}

// NewOwned returns an operator, a [Map] or the like, that keeps the rows it puts
// out in home, where its function interns them.
func NewOwned(op Operator, home *Table) *Owned { return &Owned{op, owner{table: home}} }

// Name is that of the operator within.
func (o *Owned) Name() string { return o.op.Name() }

// Ports is that of the operator within.
func (o *Owned) Ports() int { return o.op.Ports() }

// Bind refuses an operator with state, and to do without a table.
func (o *Owned) Bind(at Place) error {
	if o.owner.table == nil {
		return ErrNoTable
	}
	if _, ok := o.op.(Keeper); ok {
		return ErrNotLinear
	}
	o.owner.cyclic = at.Cyclic
	if b, ok := o.op.(Binder); ok {
		return b.Bind(at)
	}
	return nil
}

// Apply accounts for what the operator within emits.
func (o *Owned) Apply(v *Visit, out *Out) error {
	if err := o.op.Apply(v, out); err != nil {
		return err
	}
	for _, d := range out.diffs {
		o.owner.add(d.Row, v.Iter, d.Weight)
	}
	for _, d := range out.later {
		o.owner.add(d.Row, d.iter, d.Weight)
	}
	o.owner.sweepAfter(v)
	return nil
}

// Derive implements [Deriver].
func (o *Owned) Derive(v *Visit, out *Out) error { return o.op.Apply(v, out) }

// Retained returns the rows referred to.
func (o *Owned) Retained() int { return o.owner.held }

// Bytes returns the memory held, that of the table not included.
func (o *Owned) Bytes() int { return o.owner.bytes() }

// Clear gives all rows back.
func (o *Owned) Clear() { o.owner.clear() }
