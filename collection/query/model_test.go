package query

import (
	"bytes"
	"errors"
	"strings"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

// dictionary interns texts; temporals compare by their text.
type dictionary struct {
	texts [][]byte
	ids   map[string]uint32
	asked []string // functions it was asked to apply
}

func newDictionary() *dictionary {
	d := &dictionary{ids: map[string]uint32{}}
	for _, s := range []string{"", "remote", "local"} {
		d.id(s)
	}
	return d
}

func (d *dictionary) id(s string) uint32 {
	id, ok := d.ids[s]
	if !ok {
		id = uint32(len(d.texts))
		d.ids[s] = id
		d.texts = append(d.texts, []byte(s))
	}
	return id
}

func (d *dictionary) cell(k value.Kind, s string) value.Cell {
	return value.Cell{Kind: k, Val: float64(d.id(s))}
}

func (d *dictionary) Text(id uint32) []byte { return d.texts[id] }

func (d *dictionary) Compare(_, a, b uint32) (int, error) {
	if bytes.HasPrefix(d.texts[a], []byte("MonthDay\x00")) {
		return 0, errors.New("no order")
	}
	return bytes.Compare(d.texts[a], d.texts[b]), nil
}

// pool is every kind of value an expression can meet.
func (d *dictionary) pool(temporals bool) []value.Cell {
	cells := []value.Cell{
		{Kind: value.KindUndefined},
		{Kind: value.KindNull},
		value.Bool(false), value.Bool(true),
		value.Number(0), value.Number(1), value.Number(1.5), value.Number(-3),
		{Kind: value.KindNaN},
		value.Date(0), value.Date(1), d.cell(value.KindString, ""), d.cell(value.KindString, "a"),
		d.cell(value.KindString, "A%"), d.cell(value.KindString, "ab"), d.cell(value.KindString, "1"),
		d.cell(value.KindBigInt, "0"), d.cell(value.KindBigInt, "1"), d.cell(value.KindBytes, "a"),
		{Kind: value.KindRef, Val: 0},
		{Kind: value.KindRef, Val: 1},
	}
	if temporals {
		cells = append(cells, d.cell(value.KindTemporal, "Date\x002020"), d.cell(value.KindTemporal, "Date\x002021"), d.cell(value.KindTemporal, "Time\x0012"))
	}
	return cells
}

func nullish(c value.Cell) bool { return c.Kind == value.KindNull || c.Kind == value.KindUndefined }

// eval is the language as its table states it: operands from left to right,
// and and or stop where they are decided.
func eval(e *Expr, read func(*Expr) value.Cell, d *dictionary) (value.Cell, error) {
	null := value.Cell{Kind: value.KindNull}
	switch e.Op {
	case OpRef, OpPull:
		return read(e), nil
	case OpConst:
		return e.Cell, nil
	}
	if e.Fn == FnCoalesce || e.Fn == FnCaseWhen {
		return choice(e, read, d)
	}
	var args []value.Cell
	sawNull := false
	for i, a := range e.Args {
		if e.Fn == FnIn && i == 1 {
			break
		}
		c, err := eval(a, read, d)
		if err != nil {
			return null, err
		}
		args = append(args, c)
		sawNull = sawNull || nullish(c)
		if e.Fn == FnAnd && c == value.Bool(false) || e.Fn == FnOr && c == value.Bool(true) {
			return c, nil
		}
	}
	switch e.Fn {
	case FnAnd, FnOr:
		if sawNull {
			return null, nil
		}
		return value.Bool(e.Fn == FnAnd), nil
	case FnIsNull:
		return value.Bool(args[0].Kind == value.KindNull), nil
	case FnIsUndefined:
		return value.Bool(args[0].Kind == value.KindUndefined), nil
	}
	if e.Fn > FnNot {
		return d.call(fnNames[e.Fn], args)
	}
	if sawNull {
		return null, nil
	}
	switch e.Fn {
	case FnNot:
		return value.Bool(!value.Truthy(args[0], d)), nil
	case FnEq:
		return value.Bool(value.Same(args[0], args[1])), nil
	case FnIn:
		for _, m := range e.Args[1].List {
			if !nullish(m) && value.Same(args[0], m) {
				return value.Bool(true), nil
			}
		}
		return value.Bool(false), nil
	case FnLike, FnILike:
		if args[0].Kind != value.KindString || args[1].Kind != value.KindString {
			return value.Bool(false), nil
		}
		return value.Bool(value.Like(d.Text(args[1].ID()), d.Text(args[0].ID()), e.Fn == FnILike)), nil
	}
	op := map[Fn]value.Op{FnGt: value.Gt, FnGte: value.Gte, FnLt: value.Lt, FnLte: value.Lte}[e.Fn]
	t, err := value.Relate(op, args[0], args[1], d)
	return value.CellOf(t), err
}

// genExpr draws an expression over refs; leaves are mostly constants of pool.
func genExpr(t *rapid.T, pool []value.Cell, refs []*Expr, depth int) *Expr {
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") < 2 {
		if rapid.Bool().Draw(t, "ref") {
			return rapid.SampledFrom(refs).Draw(t, "ref")
		}
		return Const(rapid.SampledFrom(pool).Draw(t, "const"))
	}
	return genCall(t, pool, refs, depth)
}

func genCall(t *rapid.T, pool []value.Cell, refs []*Expr, depth int) *Expr {
	fn := Fn(rapid.IntRange(int(FnEq), int(FnCaseWhen)).Draw(t, "fn"))
	sub := func() *Expr { return genExpr(t, pool, refs, depth-1) }
	switch fn {
	case FnAnd, FnOr, FnConcat, FnCoalesce, FnCaseWhen:
		least := 0
		if fn == FnCaseWhen {
			least = 2
		}
		e := Call(fn)
		for range rapid.IntRange(least, least+3).Draw(t, "args") {
			e.Args = append(e.Args, sub())
		}
		return e
	case FnNot, FnIsNull, FnIsUndefined, FnUpper, FnLower, FnLength, FnDate, FnDatetime:
		return Call(fn, sub())
	case FnIn:
		list := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 4).Draw(t, "list")
		return Call(fn, sub(), &Expr{Op: OpList, List: list})
	}
	return Call(fn, sub(), sub())
}

// table is columns by path. It refuses what no plan may ask for.
type table struct {
	cols   map[string]*Column
	texted map[string]bool
}

func (b *table) Column(path []string, needText bool) (*Column, error) {
	name := strings.Join(path, ".")
	c := b.cols[name]
	if c == nil {
		return nil, errors.New("no column " + name)
	}
	if needText {
		b.texted[name] = true
	}
	return c, nil
}

// chance makes many choices from one drawn seed.
type chance uint64

func (c *chance) intn(n int) int {
	*c += 0x9e3779b97f4a7c15
	x := uint64(*c)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) >> 33 % uint64(n))
}
