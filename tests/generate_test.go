package tests

import (
	"math"
	"math/big"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge/shell"
	"millrace.dev/millrace/tests/model"
)

// The values that rows and constants are drawn from: few of each sort, so that
// ties and matches are common, and every kind there is.
var (
	numbers = []any{
		0.0, math.Copysign(0, -1), 1.0, 2.0, 2.0, 3.0, -1.0, 1.5, 10.0, 1e9, math.NaN(), math.Inf(1), math.Inf(-1),
	}
	strs  = []any{"", "a", "b", "B", "aa", "ab", "a%b", "a_b", "10", "9", " 2 ", "é", "e", "z", "Ä", "😀", "\uffff", "remote", "x y"}
	bools = []any{true, false}
	dates = []any{time.UnixMilli(0), time.UnixMilli(1), time.UnixMilli(2), time.UnixMilli(1e12)}
	bigs  = []any{big.NewInt(0), big.NewInt(2), big.NewInt(-3), new(big.Int).Lsh(big.NewInt(1), 70)}
	blobs = []any{[]byte{}, []byte{1}, []byte{1, 2}, []byte("a")}
	gone  = []any{nil, model.Undefined}

	opaques = []any{&struct{ n int }{1}, &struct{ n int }{2}}

	temporals = []any{
		model.Temporal{Type: "PlainDate", Text: "2024-02-29"},
		model.Temporal{Type: "PlainDate", Text: "2025-01-01"},
		model.Temporal{Type: "PlainTime", Text: "12:00"},
	}
)

func concat(lists ...[]any) []any {
	var out []any
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

var mixed = concat(numbers, strs, bools, dates, bigs, blobs, gone)

// schema says which fields rows have; every field may also be null or missing.
type schema map[string][]any

var allFields = schema{
	"n": concat(numbers, gone), "k": concat(numbers[:5], gone), "s": concat(strs, gone), "b": concat(bools, gone),
	"d": concat(dates, numbers[:4], gone), "m": mixed, "r": concat(opaques, gone),
}

func drawSchema(t *rapid.T, withTemporals bool) schema {
	s := schema{"k": allFields["k"]}
	for _, name := range []string{"n", "s", "b", "d", "m", "r"} {
		if rapid.Bool().Draw(t, "has "+name) {
			s[name] = allFields[name]
		}
	}
	if withTemporals {
		s["t"] = concat(temporals[:2], temporals[:2], temporals[:2], temporals, gone)
	}
	return s
}

func (s schema) names() []string {
	var names []string
	for _, n := range []string{"k", "n", "s", "b", "d", "m", "r", "t"} {
		if s[n] != nil {
			names = append(names, n)
		}
	}
	return names
}

// row draws an object; a field that is Undefined is left out.
func (s schema) row(t *rapid.T) map[string]any {
	row := map[string]any{}
	fill := func(into map[string]any, name string) {
		v := rapid.SampledFrom(s[name]).Draw(t, name)
		if v != model.Undefined {
			into[name] = v
		}
	}
	for _, name := range s.names() {
		fill(row, name)
	}
	switch rapid.IntRange(0, 5).Draw(t, "nested") {
	case 0, 1, 2, 3:
		o := map[string]any{}
		fill(o, "k")
		if s["s"] != nil {
			fill(o, "s")
		}
		row["o"] = o
	case 4:
		row["o"] = nil
	}
	return row
}

// paths are what queries over a source may name: fields, fields of results, and some
// that are not there.
func (s schema) paths() [][]string {
	var out [][]string
	for _, n := range s.names() {
		if n != "r" {
			out = append(out, []string{n})
		}
	}
	return append(out, []string{"o", "k"}, []string{"o", "s"}, []string{"p"}, []string{"q"}, []string{"w", "x"}, []string{"w", "k"},
		[]string{"c"}, []string{"nowhere"}, []string{"k", "deep"}, []string{"$key"}, []string{"$collectionId"}, []string{"$origin"})
}

func drawRef(t *rapid.T, s schema) model.Expr {
	return model.Expr{Path: rapid.SampledFrom(s.paths()).Draw(t, "path")}
}

func drawConst(t *rapid.T, pool []any) model.Expr {
	return model.Expr{Value: rapid.SampledFrom(pool).Draw(t, "constant")}
}

// drawCondition draws an expression that is a condition, at most depth calls deep.
func drawCondition(t *rapid.T, s schema, depth int) model.Expr {
	fns := []string{"eq", "eq", "gt", "gte", "lt", "lte", "in", "like", "ilike", "isNull", "isUndefined", "value"}
	if depth > 0 {
		fns = append(fns, "and", "or", "not", "and", "or", "not")
	}
	fn := rapid.SampledFrom(fns).Draw(t, "function")
	call := model.Expr{Fn: fn}
	pool := concat(mixed, mixed, opaques)
	if s["t"] != nil {
		pool = append(pool, temporals...)
	}
	switch fn {
	case "value":
		return drawRef(t, s)
	case "and", "or":
		for range rapid.IntRange(0, 3).Draw(t, "operands") {
			call.Args = append(call.Args, drawCondition(t, s, depth-1))
		}
	case "not":
		call.Args = []model.Expr{drawCondition(t, s, depth-1)}
	case "isNull", "isUndefined":
		call.Args = []model.Expr{drawRef(t, s)}
	case "in":
		call.Args = []model.Expr{drawRef(t, s)}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			call.List = append(call.List, drawConst(t, pool).Value)
		}
	case "like", "ilike":
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune("aAbB%_é1 ")), 0, 4, -1).Draw(t, "pattern")
		call.Args = []model.Expr{drawRef(t, s), {Value: pattern}}
	default:
		a, b := drawRef(t, s), drawConst(t, pool)
		switch rapid.IntRange(0, 5).Draw(t, "sides") {
		case 0:
			a, b = b, a
		case 1:
			b = drawRef(t, s)
		}
		if pool := s[strings.Join(a.Path, ".")]; pool != nil && b.Path == nil && rapid.Bool().Draw(t, "of the column") {
			b = drawConst(t, pool)
		}
		call.Args = []model.Expr{a, b}
	}
	return call
}

// Locales that order terms may name.
var locales = []string{"", "", "en", "sv", "de"}

func collator(locale string) func(a, b string) int {
	if locale == "" {
		return nil
	}
	return collate.New(language.MustParse(locale)).CompareString
}

// drawnQuery is a query in both forms.
type drawnQuery struct {
	model  model.Query
	locale []string // by order term
}

func drawQuery(t *rapid.T, s schema, name string) drawnQuery {
	q := drawnQuery{model: model.Query{Name: name, Limit: -1}}
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		q.model.Where = append(q.model.Where, drawCondition(t, s, 2))
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3}).Draw(t, "terms") {
		term := model.Term{Expr: drawRef(t, s)}
		if rapid.IntRange(0, 5).Draw(t, "computed term") == 0 {
			term.Expr = drawCondition(t, s, 1)
		}
		term.Desc = rapid.Bool().Draw(t, "desc")
		term.NullsLast = rapid.Bool().Draw(t, "nulls last")
		locale := rapid.SampledFrom(locales).Draw(t, "locale")
		term.Collate = collator(locale)
		q.model.Order, q.locale = append(q.model.Order, term), append(q.locale, locale)
	}
	if len(q.model.Order) > 0 {
		q.model.Limit = rapid.SampledFrom([]int{-1, -1, 0, 1, 2, 3, 5}).Draw(t, "limit")
		q.model.Offset = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 50}).Draw(t, "offset")
	}
	q.model.Select = drawSelect(t, s)
	return q
}

func drawSelect(t *rapid.T, s schema) []model.Field {
	if rapid.Bool().Draw(t, "whole rows") {
		return nil
	}
	fields := []model.Field{}
	add := func(f model.Field) { fields = append(fields, f) }
	on := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }
	if on("spread") {
		add(model.Field{Spread: true})
	}
	if on("spread of an object") {
		add(model.Field{Spread: true, Ref: []string{"o"}})
	}
	if on("spread into") {
		add(model.Field{Path: []string{"w"}, Spread: true, Ref: []string{"o"}})
	}
	if on("nested") {
		add(model.Field{Path: []string{"w", "x"}, Expr: drawRef(t, s)})
	}
	if on("computed") {
		if e := drawCondition(t, s, 1); e.Fn != "" {
			add(model.Field{Path: []string{"c"}, Expr: e})
		}
	}
	if on("constant") {
		add(model.Field{Path: []string{"q"}, Expr: drawConst(t, []any{1.0, "a", nil, true})})
	}
	for _, name := range []string{"k", "p", "s", "o"} {
		if on(name) {
			ref := drawRef(t, s)
			if name == "o" {
				ref.Path = []string{"o"}
			}
			add(model.Field{Path: []string{name}, Expr: ref})
		}
	}
	return fields
}

// The same things as the shell has them.

func shellValue(v any) any {
	switch x := v.(type) {
	case model.Temporal:
		return shell.Temporal(x)
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, f := range x {
			out[name] = shellValue(f)
		}
		return out
	}
	if v == model.Undefined {
		return shell.Undefined
	}
	return v
}

func shellExpr(e model.Expr) shell.Expr {
	if e.Path != nil {
		return shell.Ref(e.Path...)
	}
	if e.Fn == "" {
		return shell.Val(shellValue(e.Value))
	}
	if e.Fn == "in" {
		list := make([]any, len(e.List))
		for i, v := range e.List {
			list[i] = shellValue(v)
		}
		return shell.In(shellExpr(e.Args[0]), list...)
	}
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		args[i] = shellExpr(a)
	}
	return shell.Call(e.Fn, args...)
}

func (q drawnQuery) over(source shell.Source) shell.Query {
	out := shell.From(source).Named(q.model.Name)
	for _, w := range q.model.Where {
		out = out.Where(shellExpr(w))
	}
	for i, term := range q.model.Order {
		options := []shell.Order{shell.Locale(q.locale[i])}
		if term.Desc {
			options = append(options, shell.Desc)
		}
		if term.NullsLast {
			options = append(options, shell.NullsLast)
		}
		out = out.OrderBy(shellExpr(term.Expr), options...)
	}
	if q.model.Offset > 0 {
		out = out.Offset(uint32(q.model.Offset))
	}
	if q.model.Limit >= 0 {
		out = out.Limit(uint32(q.model.Limit))
	}
	if q.model.Select != nil {
		var fields []shell.Field
		for _, f := range q.model.Select {
			if f.Spread {
				fields = append(fields, shell.SpreadInto(strings.Join(f.Path, "."), f.Ref...))
			} else {
				fields = append(fields, shell.As(strings.Join(f.Path, "."), shellExpr(f.Expr)))
			}
		}
		out = out.Select(fields...)
	}
	return out
}
