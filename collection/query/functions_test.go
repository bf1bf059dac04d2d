package query

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"millrace.dev/millrace/collection/value"
)

// errType is JavaScript's refusal to calculate with a value.
var errType = errors.New("TypeError")

// choice is coalesce and caseWhen: what decides first is evaluated, the rest is not.
func choice(e *Expr, read func(*Expr) value.Cell, d *dictionary) (value.Cell, error) {
	args := e.Args
	for len(args) > 0 {
		c, err := eval(args[0], read, d)
		switch {
		case err != nil:
			return c, err
		case e.Fn == FnCoalesce:
			if !nullish(c) {
				return c, nil
			}
			args = args[1:]
		case len(args) == 1:
			return c, nil
		case value.Truthy(c, d):
			return eval(args[1], read, d)
		default:
			args = args[2:]
		}
	}
	return value.Cell{Kind: value.KindNull}, nil
}

// str is String(x). Objects with an even number are arrays.
func (d *dictionary) str(c value.Cell) string {
	switch c.Kind {
	case value.KindBool:
		return strconv.FormatBool(c.Val == 1)
	case value.KindNumber:
		return strconv.FormatFloat(c.Val, 'g', -1, 64)
	case value.KindDate:
		return "day " + strconv.FormatFloat(c.Val, 'g', -1, 64)
	case value.KindString, value.KindBigInt, value.KindBytes, value.KindTemporal:
		return string(d.Text(c.ID()))
	}
	return "kind " + strconv.Itoa(int(c.Kind))
}

// call is the table of functions on values, of every kind of operand.
func (d *dictionary) call(name string, args []value.Cell) (value.Cell, error) {
	text := func(s string) (value.Cell, error) { return d.cell(value.KindString, s), nil }
	null := value.Cell{Kind: value.KindNull}
	switch name {
	case "upper", "lower":
		if args[0].Kind != value.KindString {
			return args[0], nil
		}
		if name == "upper" {
			return text(strings.ToUpper(d.str(args[0])))
		}
		return text(strings.ToLower(d.str(args[0])))
	case "length":
		n := 0
		switch a := args[0]; {
		case a.Kind == value.KindString:
			for _, r := range d.str(a) {
				n++
				if r > 0xffff {
					n++
				}
			}
		case a.Kind == value.KindRef && int(a.Val)%2 == 0:
			n = 3
		}
		return value.Number(float64(n)), nil
	case "concat":
		s := ""
		for _, a := range args {
			if !nullish(a) {
				s += d.str(a)
			}
		}
		return text(s)
	case "date", "datetime":
		if args[0].Kind != value.KindDate {
			return null, nil
		}
		return text(name + " " + d.str(args[0]))
	case "strftime":
		if args[1].Kind != value.KindDate {
			return null, nil
		}
		return text(d.str(args[0]) + " of " + d.str(args[1]))
	}
	return d.calculate(name, args[0], args[1])
}

func (d *dictionary) calculate(name string, a, b value.Cell) (value.Cell, error) {
	zero := value.Number(0)
	if name == "divide" && (nullish(b) || b == zero) {
		return value.Cell{Kind: value.KindNull}, nil
	}
	if nullish(a) {
		a = zero
	}
	if nullish(b) {
		b = zero
	}
	if a.Kind == value.KindTemporal || b.Kind == value.KindTemporal {
		return zero, errType
	}
	if name == "add" {
		for _, c := range []value.Cell{a, b} {
			switch c.Kind {
			case value.KindString, value.KindDate, value.KindBytes, value.KindRef:
				return d.cell(value.KindString, d.str(a)+d.str(b)), nil
			}
		}
	}
	if a.Kind == value.KindBigInt || b.Kind == value.KindBigInt {
		x, y := new(big.Int), new(big.Int)
		x.SetString(d.str(a), 10)
		y.SetString(d.str(b), 10)
		if a.Kind != b.Kind || name == "divide" && y.Sign() == 0 {
			return zero, errType
		}
		op := map[string]func(*big.Int, *big.Int) *big.Int{"add": x.Add, "subtract": x.Sub, "multiply": x.Mul, "divide": x.Quo}[name]
		return d.cell(value.KindBigInt, op(x, y).String()), nil
	}
	x, y := d.number(a), d.number(b)
	return value.Number(map[string]float64{"add": x + y, "subtract": x - y, "multiply": x * y, "divide": x / y}[name]), nil
}

func (d *dictionary) number(c value.Cell) float64 {
	switch c.Kind {
	case value.KindBool, value.KindNumber, value.KindDate:
		return c.Val
	case value.KindString:
		return value.ToNumber(d.Text(c.ID()))
	}
	return math.NaN()
}

// Apply implements Applier.
func (d *dictionary) Apply(name string, n int, kinds [][]uint8, vals [][]float64) ([]uint8, []float64, error) {
	d.asked = append(d.asked, name)
	rk, rv := make([]uint8, n), make([]float64, n)
	args := make([]value.Cell, len(kinds))
	for i := range n {
		for j := range args {
			if len(kinds[j]) != n || len(vals[j]) != n {
				return nil, nil, errors.New("columns of another length")
			}
			args[j] = value.Cell{Kind: kinds[j][i], Val: vals[j][i]}
		}
		c, err := d.call(name, args)
		if err != nil {
			return nil, nil, err
		}
		rk[i], rv[i] = c.Kind, c.Val
	}
	return rk, rv, nil
}

func TestFunctions_AskTheShellForNothingButItsOwn(t *testing.T) {
	d := newDictionary()
	text := func(s string) *Expr { return Const(d.cell(value.KindString, s)) }
	num := func(v float64) *Expr { return Const(value.Number(v)) }
	day, null, yes := Const(value.Date(5)), Const(nullCell), Const(value.Bool(true))
	big, object := Const(d.cell(value.KindBigInt, "7")), Const(value.Cell{Kind: value.KindRef, Val: 4})
	for name, c := range map[string]struct {
		e     *Expr
		want  value.Cell
		asked string
	}{
		"numbers":                     {Call(FnAdd, num(1), Call(FnMultiply, num(2), num(3))), value.Number(7), ""},
		"what is missing is zero":     {Call(FnSubtract, null, Const(undefinedCell)), value.Number(0), ""},
		"nothing divided is nothing":  {Call(FnDivide, null, num(2)), value.Number(0), ""},
		"division by nothing":         {Call(FnDivide, num(2), null), nullCell, ""},
		"division by zero":            {Call(FnDivide, big, num(0)), nullCell, ""},
		"truth is one":                {Call(FnAdd, yes, yes), value.Number(2), ""},
		"division by false":           {Call(FnDivide, num(1), Const(value.Bool(false))), value.Number(math.Inf(1)), ""},
		"no negative zero":            {Call(FnMultiply, num(0), num(-1)), value.Number(0), ""},
		"a sum of no number":          {Call(FnAdd, Const(value.Number(math.NaN())), num(1)), value.Number(math.NaN()), ""},
		"days between dates":          {Call(FnSubtract, day, Const(value.Date(2))), value.Number(3), ""},
		"a date and a number":         {Call(FnAdd, day, num(2)), d.cell(value.KindString, "day 52"), "add"},
		"texts":                       {Call(FnAdd, text("a"), num(2)), d.cell(value.KindString, "a2"), "add"},
		"texts that are numbers":      {Call(FnSubtract, text("5"), num(2)), value.Number(3), "subtract"},
		"bigints":                     {Call(FnMultiply, big, big), d.cell(value.KindBigInt, "49"), "multiply"},
		"length of text":              {Call(FnLength, text("a😀")), value.Number(3), ""},
		"length of no text":           {Call(FnLength, day), value.Number(0), ""},
		"length of a list":            {Call(FnLength, object), value.Number(3), "length"},
		"length of a select's object": {Call(FnLength, Const(opaque)), value.Number(0), ""},
		"upper":                       {Call(FnUpper, text("ab")), d.cell(value.KindString, "AB"), "upper"},
		"upper of no text":            {Call(FnUpper, object), value.Cell{Kind: value.KindRef, Val: 4}, ""},
		"the first that is there":     {Call(FnCoalesce, null, num(0), text("a")), value.Number(0), ""},
		"nothing is there":            {Call(FnCoalesce, null, Const(undefinedCell)), nullCell, ""},
		"the first case":              {Call(FnCaseWhen, text(""), num(1), yes, num(2), num(3)), value.Number(2), ""},
		"no case":                     {Call(FnCaseWhen, num(0), num(1)), nullCell, ""},
		"the default is as it is":     {Call(FnCaseWhen, num(0), num(1), Const(undefinedCell)), undefinedCell, ""},
		"a case not taken":            {Call(FnCaseWhen, yes, num(1), Call(FnAdd, big, num(1)), num(2)), value.Number(1), ""},
	} {
		p, err := Compile([]*Expr{c.e}, &table{}, d)
		if err != nil {
			t.Fatal(err)
		}
		d.asked = nil
		got, err := p.Cell(0)
		if err != nil || got != c.want || strings.Join(d.asked, " ") != c.asked {
			t.Errorf("%s: %v (%v), asked for %v; want %v", name, got, err, d.asked, c.want)
		}
	}
}

// Rows that need no JavaScript are not sent.
func TestFunctions_SendTheRowsThatNeedIt(t *testing.T) {
	d := newDictionary()
	col := &Column{}
	for i := range 5 {
		c := value.Number(float64(i))
		if i%2 == 1 {
			c = d.cell(value.KindString, "t")
		}
		col.Kinds, col.Vals = append(col.Kinds, c.Kind), append(col.Vals, c.Val)
	}
	p, err := Compile([]*Expr{Call(FnAdd, Ref("a"), Const(value.Number(1)))}, &table{cols: map[string]*Column{"a": col}, texted: map[string]bool{}}, counting{d, t, 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []value.Cell
	err = p.Cells([]uint32{0, 1, 2, 3, 4}, func(_ int, c value.Cell) { got = append(got, c) })
	t1 := d.cell(value.KindString, "t1")
	if want := []value.Cell{value.Number(1), t1, value.Number(3), t1, value.Number(5)}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}

// counting wants to be asked for n rows at a time.
type counting struct {
	*dictionary
	t *testing.T
	n int
}

func (c counting) Apply(name string, n int, kinds [][]uint8, vals [][]float64) ([]uint8, []float64, error) {
	if n != c.n {
		c.t.Errorf("asked for %d rows", n)
	}
	return c.dictionary.Apply(name, n, kinds, vals)
}

// textsOnly is a dictionary that no shell stands behind.
type textsOnly struct{ value.Texts }

func TestFunctions_WithoutAShellAreRefused(t *testing.T) {
	d := newDictionary()
	p, err := Compile([]*Expr{Call(FnUpper, Const(d.cell(value.KindString, "a")))}, &table{}, textsOnly{d})
	if err != nil {
		t.Fatal(err)
	}
	var fault *Error
	if _, err := p.Cell(0); !errors.As(err, &fault) || fault.Code != CodeUnsupported || fault.Path != "upper" {
		t.Errorf("%v", err)
	}
}

func TestFnByName_KnowsAllFunctionsAndNoOther(t *testing.T) {
	for name, want := range map[string][2]int{
		"eq": {2, 2}, "not": {1, 1}, "and": {0, 1 << 16}, "concat": {0, 1 << 16}, "coalesce": {0, 1 << 16}, "caseWhen": {2, 1 << 16},
		"upper": {1, 1}, "lower": {1, 1}, "length": {1, 1}, "date": {1, 1}, "datetime": {1, 1}, "strftime": {2, 2},
		"add": {2, 2}, "subtract": {2, 2}, "multiply": {2, 2}, "divide": {2, 2},
	} {
		fn, least, most, ok := FnByName([]byte(name))
		if !ok || fnNames[fn] != name || least != want[0] || most != want[1] {
			t.Errorf("%s: %v %d to %d, %v", name, fn, least, most, ok)
		}
	}
	for _, name := range []string{"", "#into", "count", "EQ"} {
		if _, _, _, ok := FnByName([]byte(name)); ok {
			t.Errorf("%q is known", name)
		}
	}
}
