package shell

import (
	"slices"
	"strings"
)

type exprOp uint8

const (
	opRef   exprOp = 0
	opConst exprOp = 1
	opCall  exprOp = 2
	opList  exprOp = 3
)

// Expr is an expression over the rows of a query's source.
type Expr struct {
	op    exprOp
	path  []string
	value any
	name  string
	args  []Expr
	list  []any
}

// Ref is the value at a path of the row: Ref("address", "city"). The virtual names
// $key, $collectionId, $synced and $origin are there in every row.
func Ref(path ...string) Expr { return Expr{op: opRef, path: path} }

// Val is a constant. Operands that are no Expr are constants by themselves.
func Val(v any) Expr { return Expr{op: opConst, value: v} }

func operand(v any) Expr {
	if e, ok := v.(Expr); ok {
		return e
	}
	return Val(v)
}

// Call is a function by name, for what the functions below do not cover.
func Call(name string, args ...any) Expr {
	e := Expr{op: opCall, name: name}
	for _, a := range args {
		e.args = append(e.args, operand(a))
	}
	return e
}

// Comparisons are null where an operand is null or undefined, and a query keeps
// a row only when its condition is true.

// Eq is equality: dates equal the number of their milliseconds, bytes and big
// integers compare by content, NaN equals NaN.
func Eq(a, b any) Expr { return Call("eq", a, b) }

// Gt is a > b.
func Gt(a, b any) Expr { return Call("gt", a, b) }

// Gte is a >= b.
func Gte(a, b any) Expr { return Call("gte", a, b) }

// Lt is a < b.
func Lt(a, b any) Expr { return Call("lt", a, b) }

// Lte is a <= b.
func Lte(a, b any) Expr { return Call("lte", a, b) }

// In tells whether x equals one of values.
func In(x any, values ...any) Expr {
	return Expr{op: opCall, name: "in", args: []Expr{operand(x), {op: opList, list: values}}}
}

// Like matches a string against a pattern of % (any run) and _ (any one).
func Like(x, pattern any) Expr { return Call("like", x, pattern) }

// ILike is Like without regard to case.
func ILike(x, pattern any) Expr { return Call("ilike", x, pattern) }

// IsNull tells whether x is null, and not undefined.
func IsNull(x any) Expr { return Call("isNull", x) }

// IsUndefined tells whether x is undefined, and not null.
func IsUndefined(x any) Expr { return Call("isUndefined", x) }

// And is true when every operand is.
func And(args ...any) Expr { return Call("and", args...) }

// Or is true when one operand is.
func Or(args ...any) Expr { return Call("or", args...) }

// Not is the negation; of null it is null.
func Not(x any) Expr { return Call("not", x) }

// Field is one entry of a select.
type Field struct {
	path   []string
	expr   Expr
	spread bool
	ref    []string
}

// As selects an expression as the field called name; dots in name make nested
// objects.
func As(name string, value any) Field {
	return Field{path: strings.Split(name, "."), expr: operand(value)}
}

// Spread lays the fields of the source row, virtual ones included, into the
// result.
func Spread() Field { return Field{spread: true} }

// SpreadInto lays the fields of the object at ref (none: the source row) into
// the object called name (empty: the result itself).
func SpreadInto(name string, ref ...string) Field {
	f := Field{spread: true, ref: ref}
	if name != "" {
		f.path = strings.Split(name, ".")
	}
	return f
}

// Order is one term of an order; see OrderBy.
type Order func(*term)

type term struct {
	expr   Expr
	desc   bool
	last   bool
	locale string
}

// Desc orders from the largest to the smallest.
func Desc(t *term) { t.desc = true }

// NullsLast puts null and undefined at the end, whatever the direction.
func NullsLast(t *term) { t.last = true }

// Locale orders strings as the language does, instead of by code unit.
func Locale(tag string) Order { return func(t *term) { t.locale = tag } }

// Query is a query over one source. Every method returns another query; the
// original stays as it is.
type Query struct {
	source Source
	where  []Expr
	fields []Field
	terms  []term
	offset *uint32
	limit  *uint32
	name   string
}

// From is the query of all rows of a collection or live query.
func From(source Source) Query { return Query{source: source} }

// Named sets the public id of the live query. Without it, "live-query-" and a
// number.
func (q Query) Named(id string) Query {
	q.name = id
	return q
}

// Where keeps the rows for which every condition is true.
func (q Query) Where(conditions ...any) Query {
	q.where = slices.Clone(q.where)
	for _, c := range conditions {
		q.where = append(q.where, operand(c))
	}
	return q
}

// Select makes result rows of type map[string]any out of fields; a later field
// covers an earlier one of the same name. A value that is undefined becomes nil.
// Without Select, result rows are the source's.
func (q Query) Select(fields ...Field) Query {
	q.fields = append([]Field{}, fields...)
	return q
}

// OrderBy appends an order term: ascending, null first and strings by code unit,
// unless options say otherwise. The key decides what all terms leave open.
func (q Query) OrderBy(value any, options ...Order) Query {
	t := term{expr: operand(value)}
	for _, o := range options {
		o(&t)
	}
	q.terms = append(slices.Clone(q.terms), t)
	return q
}

// Limit keeps the first n rows of the order.
func (q Query) Limit(n uint32) Query {
	q.limit = &n
	return q
}

// Offset leaves out the first n rows of the order.
func (q Query) Offset(n uint32) Query {
	q.offset = &n
	return q
}
