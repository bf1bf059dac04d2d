package d2

// Join is the inner join of port 0 with port 1 by equal keys: each pair of rows
// with one key, as often as the product of their weights says.
//
// Both ports must stand on arranged operators, whose arrangements it reads;
// its own state is the account of the rows it has put out, and shrinks with
// them. A visit costs the batches and their matches. It may stand in a cycle.
type Join struct {
	sides   sides
	matched matched
	product product
}

// NewJoin returns a join whose output rows are as spec says.
func NewJoin(spec JoinSpec) *Join {
	j := &Join{}
	j.matched.init(spec)
	j.product.sides, j.product.matched = &j.sides, &j.matched
	return j
}

// Name returns "join".
func (j *Join) Name() string { return "join" }

// Ports returns 2.
func (j *Join) Ports() int { return 2 }

// Rows returns what makes the output rows; a *Pairs unless the spec had another.
func (j *Join) Rows() Projection { return j.matched.rows }

// Bind takes the two arrangements. It fails with [ErrNotArranged].
func (j *Join) Bind(at Place) error {
	j.matched.owner.cyclic = at.Cyclic
	return j.sides.bind(at)
}

// Stage tells that a batch of the left side is enough to fill the join.
func (j *Join) Stage(port int) bool { return port == 0 }

// Apply emits the matches that come and go.
func (j *Join) Apply(v *Visit, out *Out) error {
	left, right := v.In(0), v.In(1)
	j.matched.begin(out)
	j.product.apply(v.Iter, left, right)
	j.matched.end(v)
	if j.product.tidy(left, right) {
		out.Tidy()
	}
	return nil
}

// Snapshot emits every match.
func (j *Join) Snapshot(out *Out) error {
	j.product.snapshot(out)
	return nil
}

// Retained returns the number of rows accounted for.
func (j *Join) Retained() int { return j.matched.owner.held }

// Bytes returns the memory held, that of the rows' table not included.
func (j *Join) Bytes() int { return j.matched.owner.bytes() + j.product.marks.bytes() }

// Clear gives back the references to the rows put out.
func (j *Join) Clear() {
	j.matched.clear()
	j.product.marks = marks{}
}
