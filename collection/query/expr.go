package query

import (
	"math"
	"strconv"

	"millrace.dev/millrace/collection/value"
)

// Op is the kind of an expression node.
type Op uint8

// The expression kinds. The first four come over the wire under these numbers.
const (
	OpRef    Op = iota // a path into the source row
	OpConst            // a constant cell
	OpCall             // a function of its arguments
	OpList             // a list of constants, only as the right side of in
	OpExists           // whether Sub has rows; not, if Negated
	OpAgg              // aggregate Name of Args[0] over a group
	OpPull             // the value at Path of what callback Of says of a row, or with Live of the row live collection Of shows
)

// Fn names a function. The numbers are internal; the wire carries names.
type Fn uint8

// The functions of the language, and internal ones that resolving a path through
// a select needs.
const (
	FnEq Fn = iota
	FnGt
	FnGte
	FnLt
	FnLte
	FnIn
	FnLike
	FnILike
	FnIsNull
	FnIsUndefined
	FnAnd
	FnOr
	FnNot
	// The functions so far are conditions: true, false or unknown. Those that
	// follow are values; up to FnCoalesce all operands are evaluated first.
	FnUpper
	FnLower
	FnLength
	FnConcat
	FnAdd
	FnSubtract
	FnMultiply
	FnDivide
	FnDate
	FnDatetime
	FnStrftime
	FnCoalesce
	FnCaseWhen

	// fnInto(a, b) is b, or a where a is null or undefined: navigation stops there.
	fnInto
	// fnElse(a, b) is a, or b where a is undefined: a spread over an earlier
	// field covers it only where the spread row has the field.
	fnElse
	// fnWithin(a, b) is b, or undefined where a is null or undefined: spreading
	// nothing lays nothing.
	fnWithin
	// fnPick(a, b, c) is b, or c where a is undefined: fnElse for what lies deeper
	// in the field a.
	fnPick
)

var fnNames = [...]string{
	FnEq: "eq", FnGt: "gt", FnGte: "gte", FnLt: "lt", FnLte: "lte", FnIn: "in", FnLike: "like", FnILike: "ilike",
	FnIsNull: "isNull", FnIsUndefined: "isUndefined", FnAnd: "and", FnOr: "or", FnNot: "not",
	FnUpper: "upper", FnLower: "lower", FnLength: "length", FnConcat: "concat", FnAdd: "add", FnSubtract: "subtract",
	FnMultiply: "multiply", FnDivide: "divide", FnDate: "date", FnDatetime: "datetime", FnStrftime: "strftime",
	FnCoalesce: "coalesce", FnCaseWhen: "caseWhen",
	fnInto: "#into", fnElse: "#else",
	fnWithin: "#within", fnPick: "#pick",
}

// FnByName returns the function of the language with that name, and the
// numbers of arguments it takes.
func FnByName(name []byte) (fn Fn, minArgs, maxArgs int, ok bool) {
	for f := FnEq; f < fnInto; f++ {
		if fnNames[f] != string(name) {
			continue
		}
		switch f {
		case FnAnd, FnOr, FnConcat, FnCoalesce:
			return f, 0, 1 << 16, true
		case FnCaseWhen:
			return f, 2, 1 << 16, true
		case FnNot, FnIsNull, FnIsUndefined, FnUpper, FnLower, FnLength, FnDate, FnDatetime:
			return f, 1, 1, true
		}
		return f, 2, 2, true
	}
	return 0, 0, 0, false
}

// Expr is an expression. Trees are immutable once built and may share nodes.
//
// In a plan a reference begins with an alias. Once compiled it is over the rows
// of a space (docs/queries.md): Leaf says which of its leaves, and Path begins
// there; the empty path of a leaf that is a value is that value.
type Expr struct {
	Op      Op
	Fn      Fn
	Leaf    uint32
	Path    []string
	Cell    value.Cell
	Args    []*Expr
	List    []value.Cell
	Name    string // OpAgg
	Sub     *Plan  // OpExists
	Negated bool   // OpExists
	Of      uint32 // OpPull
	Live    bool   // OpPull
	Said    bool   // OpRef: the leaf is what a callback says
}

// Ref returns a reference to path.
func Ref(path ...string) *Expr { return &Expr{Op: OpRef, Path: path} }

// Const returns a constant.
func Const(c value.Cell) *Expr { return &Expr{Op: OpConst, Cell: c} }

// Call returns fn applied to args.
func Call(fn Fn, args ...*Expr) *Expr { return &Expr{Op: OpCall, Fn: fn, Args: args} }

// Entry is one field of a select. With Spread, the fields of the object at Expr
// (a reference, or nil for the source row itself) are laid into Path.
type Entry struct {
	Path   []string
	Expr   *Expr
	Spread bool
}

// Computed tells whether the entry's value is computed by the engine rather
// than taken from the row.
func (e Entry) Computed() bool { return !e.Spread && e.Expr.Op == OpCall }

// Term is one order term.
type Term struct {
	Expr *Expr
	value.Term
}

// Unlimited is the Limit of a query without one.
const Unlimited = ^uint32(0)

// Query is a query over one source.
type Query struct {
	Where     []*Expr
	HasSelect bool
	Select    []Entry
	Order     []Term
	Offset    uint32
	Limit     uint32 // Unlimited for none
	Bounded   bool   // an offset or a limit was given
}

// Code classifies an Error; the numbers are those of the protocol.
type Code uint32

// The faults of queries, found when they are compiled or, like the values they
// fail on, later.
const (
	CodeLimitOffsetRequireOrderBy Code = 5
	CodeUnknownFunction           Code = 6
	CodeUnknownExpression         Code = 7
	CodeEmptyReferencePath        Code = 8
	CodeUnsafeAliasPath           Code = 9
	CodeQueryFailed               Code = 11
	CodeJoinCondition             Code = 14
	CodeGroup                     Code = 15
	CodeAggregate                 Code = 16
	CodeNotCongruent              Code = 17
	CodeNegativeWeight            Code = 18
	CodeUnsupported               Code = 19
)

// Error is a fault of a query: its code, where in the query, and what to do.
type Error struct {
	Code Code
	Path string
	Text string
}

func (e *Error) Error() string { return e.Path + ": " + e.Text }

// Check looks for everything that can be wrong with a query whatever its
// source is. Paths in errors name the clause and the position in it.
func (q *Query) Check() error {
	if q.Bounded && len(q.Order) == 0 {
		return &Error{CodeLimitOffsetRequireOrderBy, "limit", "LIMIT and OFFSET require an ORDER BY clause to ensure deterministic results"}
	}
	for i, w := range q.Where {
		if err := w.check(Place{"where", i}); err != nil {
			return err
		}
	}
	for i, t := range q.Order {
		if err := t.Expr.check(Place{"orderBy", i}); err != nil {
			return err
		}
	}
	for i, e := range q.Select {
		where := Place{"select", i}
		for _, name := range e.Path {
			if name == "__proto__" || name == "prototype" || name == "constructor" {
				return &Error{CodeUnsafeAliasPath, where.String(), "a field named \"" + name + "\" could reach the prototype of the result row; choose another name"}
			}
		}
		if len(e.Path) == 0 && !e.Spread {
			return &Error{CodeUnknownExpression, where.String(), "a selected field needs a name"}
		}
		if e.Expr != nil && !e.Spread {
			if err := e.Expr.check(where); err != nil {
				return err
			}
		}
	}
	return nil
}

// check looks at an expression where any value may stand: a list may not.
func (e *Expr) check(where Place) error {
	switch e.Op {
	case OpList:
		return &Error{CodeUnknownExpression, where.String(), "a list of values can only be the right side of in"}
	case OpRef:
		if len(e.Path) == 0 {
			return &Error{CodeEmptyReferencePath, where.String(), "Reference path cannot be empty"}
		}
	case OpCall:
		for i, a := range e.Args {
			if a.Op == OpList && e.Fn == FnIn && i == 1 {
				continue
			}
			if err := a.check(where); err != nil {
				return err
			}
		}
	}
	return nil
}

// Place names a part of a query in errors: which clause, and which of its
// parts. Its text is made only when there is something to report.
type Place struct {
	Clause string
	At     int
}

func (p Place) String() string { return p.Clause + "[" + strconv.Itoa(p.At) + "]" }

// appendID appends text that is equal for two expressions over one space exactly
// when they are the same expression.
func (e *Expr) appendID(b []byte) []byte {
	switch e.Op {
	case OpRef, OpPull:
		mark, of := byte('r'), e.Leaf
		if e.Op == OpPull {
			mark, of = 'f', e.Of
			if e.Live {
				mark = 'l'
			}
		}
		b = appendNumber(append(b, mark), of)
		b = appendNumber(b, uint32(len(e.Path)))
		for _, p := range e.Path {
			b = append(appendNumber(b, uint32(len(p))), p...)
		}
	case OpConst:
		b = appendCell(append(b, 'c'), e.Cell)
	case OpList:
		b = append(b, '[')
		for _, c := range e.List {
			b = appendCell(b, c)
		}
		b = append(b, ']')
	case OpCall:
		b = append(append(b, fnNames[e.Fn]...), '(')
		for _, a := range e.Args {
			b = append(a.appendID(b), ',')
		}
		b = append(b, ')')
	}
	return b
}

func appendNumber(b []byte, n uint32) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func appendCell(b []byte, c value.Cell) []byte {
	b = append(b, c.Kind)
	bits := math.Float64bits(c.Val)
	for shift := 0; shift < 64; shift += 8 {
		b = append(b, byte(bits>>shift))
	}
	return b
}

// ID is a text that is equal for two expressions over one space exactly when
// they are the same expression. Subqueries and aggregates have none.
func (e *Expr) ID() string { return string(e.appendID(nil)) }

// EachCell calls visit for every constant in the tree.
func (e *Expr) EachCell(visit func(value.Cell)) {
	switch e.Op {
	case OpConst:
		visit(e.Cell)
	case OpList:
		for _, c := range e.List {
			visit(c)
		}
	}
	for _, a := range e.Args {
		a.EachCell(visit)
	}
}

// EachCell calls visit for every constant in the query.
func (q *Query) EachCell(visit func(value.Cell)) {
	for _, w := range q.Where {
		w.EachCell(visit)
	}
	for _, t := range q.Order {
		t.Expr.EachCell(visit)
	}
	for _, e := range q.Select {
		if e.Expr != nil {
			e.Expr.EachCell(visit)
		}
	}
}
