package jsbridge

import (
	"math"
	"strconv"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
	"millrace.dev/millrace/includes"
	"millrace.dev/millrace/jsbridge/msgpack"
)

// maxDepth bounds the nesting of expressions.
const maxDepth = 64

// errTooDeep is the refusal of an expression that nests deeper. Reading stops
// there, and yet it is no matter of malformed bytes.
var errTooDeep error = &includes.Refusal{
	Code: includes.CodeLimitExceeded, Path: "query", Text: "expressions nest at most " + strconv.Itoa(maxDepth) + " deep",
}

// cellBuffers are reused from message to message.
type cellBuffers struct {
	ops, keys, touched []uint32
	vals               [][]float64
	cols               []collection.Cells
	tx                 collection.Sync
	write              collection.Write
}

// keepOps bounds what a bulk load leaves behind in these buffers, in words.
const keepOps = 1 << 14

// trim drops buffers that only a bulk load needs.
func (b *cellBuffers) trim() {
	if cap(b.ops) > keepOps {
		*b = cellBuffers{}
	}
}

// buffer returns the i-th buffer of doubles.
func (b *cellBuffers) buffer(i int) *[]float64 {
	for len(b.vals) <= i {
		b.vals = append(b.vals, nil)
	}
	return &b.vals[i]
}

// readCells reads a cells item of n values into buf.
func readCells(in *msgpack.Reader, n int, buf *[]float64) collection.Cells {
	c := collection.Cells{N: n}
	in.ArrayOf(2)
	if in.Kind() == msgpack.KindInt {
		c.Uniform = uint8(in.IntRange(0, int64(value.KindRef)))
	} else {
		at := in.Pos()
		c.Kinds = in.BlockBytes()
		if len(c.Kinds) != n {
			in.Fail(at, strconv.Itoa(n)+" kinds", strconv.Itoa(len(c.Kinds)))
		}
		if c.Kinds == nil {
			c.Kinds = []byte{}
		}
	}
	if in.Nil() {
		return c
	}
	at := in.Pos()
	*buf = in.BlockF64((*buf)[:0])
	c.Vals = *buf
	if len(c.Vals) != n {
		in.Fail(at, strconv.Itoa(n)+" values", strconv.Itoa(len(c.Vals)))
	}
	return c
}

// cell reads a single cell.
func (s *Session) cell() value.Cell {
	s.in.ArrayOf(2)
	return s.cellItems()
}

// cellItems reads the two items of a single cell.
func (s *Session) cellItems() value.Cell {
	at := s.in.Pos()
	kind := uint8(s.in.IntRange(0, int64(value.KindRef)))
	v := s.in.F64()
	switch {
	case kind == value.KindUndefined || kind == value.KindNull || kind == value.KindNaN || v != v && !collection.IsText(kind):
		if v != v {
			kind = value.KindNaN
		}
		v = 0
	case collection.IsText(kind) && (!(v >= 0 && v < float64(s.engine.Dict.Limit(1<<16))) || v != math.Trunc(v)):
		s.in.Fail(at, "a text id", "another number")
		return value.Cell{}
	}
	c := value.Cell{Kind: kind, Val: v + 0}
	s.engine.Dict.Touch(c)
	return c
}

// sync reads the fields of a sync transaction after the collection.
func (s *Session) sync() *collection.Sync {
	b, in := &s.cells, &s.in
	b.tx = collection.Sync{Tx: in.U32()}
	flags := in.U32()
	b.tx.Truncate, b.tx.Vouched, b.tx.Immediate = flags&1 != 0, flags&2 != 0, flags&4 != 0
	ops := in.LongBlockU32(&b.ops)
	b.tx.Ops = ops
	if !in.Nil() {
		b.touched = in.BlockU32(b.touched[:0])
		b.tx.Touched = b.touched
	}
	rows := 0
	for i := 0; i+2 < len(ops); i += 3 {
		if op := ops[i]; op != collection.OpDelete && op != collection.OpMerge {
			rows++
		}
	}
	s.content(&b.tx.Content, rows)
	return &b.tx
}

// write reads the fields of a Mutate after its flags.
func (s *Session) write() *collection.Write {
	b, in := &s.cells, &s.in
	b.ops = in.BlockU32(b.ops[:0])
	b.write = collection.Write{Ops: b.ops}
	rows := 0
	for i := 0; i+3 < len(b.ops); i += 4 {
		if b.ops[i] == collection.WriteInsert {
			rows++
		}
		if b.ops[i+3] != d2.None {
			rows++
		}
	}
	s.content(&b.write.Content, rows)
	return &b.write
}

// content reads new keys, the columns of so many rows, and texts.
func (s *Session) content(c *collection.Content, rows int) {
	b, in := &s.cells, &s.in
	if !in.Nil() {
		in.ArrayOf(2)
		b.keys = in.BlockU32(b.keys[:0])
		c.NewKeys = b.keys
		c.Keys = readCells(in, len(b.keys), b.buffer(0))
	}
	b.cols = readColumns(in, rows, b.cols[:0], func(i int) *[]float64 { return b.buffer(i + 1) })
	c.Columns = b.cols
	s.pulls.texts(in)
}

// readColumns reads an array of cells items of n values each.
func readColumns(in *msgpack.Reader, n int, cols []collection.Cells, buffer func(i int) *[]float64) []collection.Cells {
	for i, m := 0, in.Array(); i < m && !in.Failed(); i++ {
		cols = append(cols, readCells(in, n, buffer(i)))
	}
	return cols
}

// settlement reads the fields of a Settle.
func (s *Session) settlement() ([]includes.Outcome, []includes.Open) {
	b, in := &s.cells, &s.in
	at := in.Pos()
	b.ops = in.BlockU32(b.ops[:0])
	if len(b.ops)%2 != 0 {
		in.Fail(at, "pairs of transaction and outcome", strconv.Itoa(len(b.ops))+" words")
		return nil, nil
	}
	outcomes := make([]includes.Outcome, 0, len(b.ops)/2)
	for i := 0; i < len(b.ops); i += 2 {
		outcomes = append(outcomes, includes.Outcome{Tx: b.ops[i], How: b.ops[i+1]})
	}
	var open []includes.Open
	if !in.Nil() {
		for i, n := 0, in.Array(); i < n && !in.Failed(); i++ {
			in.ArrayOf(2)
			o := includes.Open{Col: in.U32()}
			o.Keys = in.BlockU32(nil)
			open = append(open, o)
		}
	}
	return outcomes, open
}

// subscribe reads and carries out a Subscribe.
func (s *Session) subscribe() error {
	in := &s.in
	col, sub, mode := in.U32(), in.U32(), in.U32()
	var where []*query.Expr
	if !in.Nil() {
		for i, n := 0, in.Array(); i < n && !in.Failed(); i++ {
			where = append(where, s.expr(query.Place{Clause: "where", At: i}, 0))
		}
	}
	s.pulls.texts(in)
	if err := s.ended(opSubscribe); err != nil {
		return err
	}
	// Who comes later is not told of what the present content contains.
	s.engine.TellHeld()
	s.out.mark()
	return s.engine.Subscribe(col, sub, collection.Mode(min(mode, 255)), where)
}

// query reads a query. Faults of meaning are kept in queryErr, so that they are
// reported as what they are and not as malformed bytes.
func (s *Session) query() *query.Query {
	in := &s.in
	q := &query.Query{Limit: query.Unlimited}
	in.ArrayOf(5)
	for i, n := 0, in.Array(); i < n && !in.Failed(); i++ {
		q.Where = append(q.Where, s.expr(query.Place{Clause: "where", At: i}, 0))
	}
	if !in.Nil() {
		q.HasSelect = true
		for i, n := 0, in.Array(); i < n && !in.Failed(); i++ {
			q.Select = append(q.Select, s.entry(query.Place{Clause: "select", At: i}))
		}
	}
	for i, n := 0, in.Array(); i < n && !in.Failed(); i++ {
		in.ArrayOf(4)
		t := query.Term{Expr: s.expr(query.Place{Clause: "orderBy", At: i}, 0)}
		t.Desc = in.IntRange(0, 1) == 1
		t.NullsLast = in.IntRange(0, 1) == 1
		t.Collation = in.U32()
		q.Order = append(q.Order, t)
	}
	if !in.Nil() {
		q.Offset, q.Bounded = in.U32(), true
	}
	if !in.Nil() {
		q.Limit, q.Bounded = min(in.U32(), query.Unlimited-1), true
	}
	return q
}

func (s *Session) entry(where query.Place) query.Entry {
	in := &s.in
	n := in.Array()
	e := query.Entry{Path: s.path()}
	if n == 3 {
		if !in.Nil() {
			in.Fail(in.Pos(), "nil in a spread", "something else")
		}
		e.Spread = true
		if path := s.path(); len(path) > 0 {
			e.Expr = query.Ref(path...)
		}
		return e
	}
	if n != 2 {
		in.Fail(in.Pos(), "two or three items of a select entry", strconv.Itoa(n))
		return e
	}
	e.Expr = s.expr(where, 0)
	return e
}

func (s *Session) path() []string {
	n := s.in.Array()
	path := make([]string, 0, min(n, 16))
	for i := 0; i < n && !s.in.Failed(); i++ {
		path = append(path, string(s.in.Str()))
	}
	return path
}

// expr reads an expression; it never returns nil.
func (s *Session) expr(where query.Place, depth int) *query.Expr {
	in := &s.in
	n := in.Array()
	tag := in.Int()
	if in.Failed() {
		return query.Const(value.Cell{})
	}
	if depth >= maxDepth {
		s.fault(errTooDeep)
		in.Fail(in.Pos(), "at most "+strconv.Itoa(maxDepth)+" levels", "more")
		return query.Const(value.Cell{})
	}
	switch {
	case tag == int64(query.OpRef) && n == 2:
		return query.Ref(s.path()...)
	case tag == int64(query.OpConst) && n == 3:
		return query.Const(s.cellItems())
	case tag == int64(query.OpList):
		list := make([]value.Cell, 0, min(n, 64))
		for i := 1; i < n && !in.Failed(); i++ {
			list = append(list, s.cell())
		}
		return &query.Expr{Op: query.OpList, List: list}
	case tag == int64(query.OpCall) && n >= 2:
		return s.call(where, n-2, depth)
	}
	s.fault(&query.Error{Code: query.CodeUnknownExpression, Path: where.String(), Text: "Unknown expression type: " + strconv.FormatInt(tag, 10)})
	for i := 1; i < n && !in.Failed(); i++ {
		in.Skip()
	}
	return query.Const(value.Cell{})
}

func (s *Session) call(where query.Place, n, depth int) *query.Expr {
	in := &s.in
	name := in.Str()
	fn, least, most, ok := query.FnByName(name)
	if !ok {
		s.fault(&query.Error{Code: query.CodeUnknownFunction, Path: where.String(), Text: "Unknown function: " + string(name)})
	} else if n < least || n > most {
		s.fault(&query.Error{Code: query.CodeUnknownExpression, Path: where.String(), Text: "function " + string(name) + " does not take " + strconv.Itoa(n) + " arguments"})
	}
	e := &query.Expr{Op: query.OpCall, Fn: fn, Args: make([]*query.Expr, 0, min(n, 8))}
	for i := 0; i < n && !in.Failed(); i++ {
		e.Args = append(e.Args, s.expr(where, depth+1))
	}
	return e
}

// fault keeps the first fault of meaning.
//
//go:noinline
func (s *Session) fault(err error) {
	if s.queryErr == nil {
		s.queryErr = err
	}
}
