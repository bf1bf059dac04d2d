package jsbridge

import (
	"fmt"
	"testing"
)

// refusal checks that effects begin with an error and returns code and path.
func (r *rig) refusal(what string, effects []any) (code int, path string) {
	r.t.Helper()
	if len(effects) == 0 || effects[0].([]any)[0] != effError {
		r.t.Errorf("%s: effects %v begin with no error", what, effects)
		return 0, ""
	}
	e := effects[0].([]any)
	if e[3] == "" {
		r.t.Errorf("%s: an error without a text", what)
	}
	for _, x := range effects[1:] {
		if op := x.([]any)[0]; op != effFreeTexts && op != effDropColumn {
			r.t.Errorf("%s: effect %v of a refused command", what, x)
		}
	}
	return e[1].(int), e[2].(string)
}

func TestCommand_BytesThatAreNoCommandAreRefused(t *testing.T) {
	r := newRig(t)
	r.open(v(1), v(2))
	r.do(live(opStartQuery, 2, 1, orderQuery(0, 2))...)
	before := r.stats()
	name := list{6, 4}
	sync := func(flags, ops any, rest ...any) list {
		return append(list{opSync, 1, 77, flags, ops, nil}, rest...)
	}
	query := func(q any) list { return list{opStartQuery, 9, 1, name, q, nil} }
	expr := func(e any) list { return query(whereQuery(e)) }
	one := list{3, doubles{1}}
	put := words{1, 0, 7}
	for what, c := range map[string]any{
		"no array":                        7,
		"an empty array":                  list{},
		"no number":                       list{"x"},
		"command 0":                       list{0},
		"command 21":                      list{21},
		"a negative command":              list{-1},
		"a huge command":                  list{1 << 40},
		"too few items":                   list{opStart},
		"too many items":                  list{opStart, 1, 1},
		"a collection that is no id":      list{opStart, "1"},
		"a collection beyond ids":         list{opStart, 1 << 33},
		"a negative collection":           list{opCleanup, -1},
		"a name that is no cell":          list{opCreateRoot, 5, 3, 0},
		"a name of another kind":          list{opCreateRoot, 5, list{3, 3}, 0},
		"a name of no kind":               list{opCreateRoot, 5, list{11, 3}, 0},
		"a name that is no id":            list{opCreateRoot, 5, list{6, 1.5}, 0},
		"a name far away":                 list{opCreateRoot, 5, list{6, float64(1 << 40)}, 0},
		"a taken id":                      list{opCreateRoot, 1, name, 0},
		"a subscription that is no id":    list{opSubscribe, 2, nil, 0, nil, nil},
		"a mode there is not":             list{opSubscribe, 2, 1, 3, nil, nil},
		"a mode of another type":          list{opSubscribe, 2, 1, "all", nil, nil},
		"a window without an offset":      list{opSetWindow, 2, nil, 1},
		"a collation below the first":     list{opCollation, 1, 0},
		"a collation beyond the last":     list{opCollation, 1 << 20, 0},
		"flags that are none":             sync("x", put, nil, list{one}, nil),
		"operations that are no block":    sync(0, list{1, 0, 7}, nil, list{one}, nil),
		"operations of bytes":             sync(0, octets{1, 2, 3}, nil, list{one}, nil),
		"operations that are no triple":   sync(0, words{1, 0}, nil, list{one}, nil),
		"an operation there is not":       sync(0, words{4, 0, 7}, nil, list{one}, nil),
		"a slot in use":                   sync(0, words{1, 0, 0}, nil, list{one}, nil),
		"a slot far away":                 sync(0, words{1, 0, 1 << 30}, nil, list{one}, nil),
		"a key far away":                  sync(0, words{1, 1 << 30, 7}, nil, list{one}, nil),
		"columns that are missing":        sync(0, put, nil, list{}, nil),
		"columns that are nil":            sync(0, put, nil, nil, nil),
		"a column of no kind":             sync(0, put, nil, list{list{11, doubles{1}}}, nil),
		"a column too long":               sync(0, put, nil, list{list{3, doubles{1, 2}}}, nil),
		"a column too short":              sync(0, put, nil, list{list{octets{3, 3}, doubles{1}}}, nil),
		"a column of kinds there are not": sync(0, put, nil, list{list{octets{99}, doubles{1}}}, nil),
		"a column of texts far away":      sync(0, put, nil, list{list{6, doubles{1 << 30}}}, nil),
		"a column of half a text":         sync(0, put, nil, list{list{6, doubles{0.5}}}, nil),
		"new keys without cells":          sync(0, put, list{words{5}}, list{one}, nil),
		"new keys with too many cells":    sync(0, put, list{words{5}, list{3, doubles{1, 2}}}, list{one}, nil),
		"new keys far away":               sync(0, put, list{words{1 << 30}, one}, list{one}, nil),
		"texts that are no array":         sync(0, put, nil, list{one}, 5),
		"texts of half a pair":            sync(0, put, nil, list{one}, list{5}),
		"texts of no text":                sync(0, put, nil, list{one}, list{5, 5}),
		"texts far away":                  sync(0, put, nil, list{one}, list{1 << 30, "x"}),
		"a query that is none":            query(nil),
		"a query of four":                 query(list{list{}, nil, list{}, nil}),
		"a where that is none":            query(list{nil, nil, list{}, nil, nil}),
		"a select that is none":           query(list{list{}, 1, list{}, nil, nil}),
		"an entry of one":                 query(list{list{}, list{list{list{"a"}}}, list{}, nil, nil}),
		"an entry of four":                query(list{list{}, list{list{list{"a"}, nil, list{}, nil}}, list{}, nil, nil}),
		"a spread that is none":           query(list{list{}, list{list{list{"a"}, 1, list{}}}, list{}, nil, nil}),
		"an order of three":               query(list{list{}, nil, list{list{field, 0, 0}}, nil, nil}),
		"a direction there is not":        query(list{list{}, nil, list{list{field, 2, 0, 0}}, nil, nil}),
		"an undeclared collation":         query(orderQuery(7, nil)),
		"a negative limit":                query(orderQuery(0, -1)),
		"a limit that is no whole":        query(orderQuery(0, 1.5)),
		"an expression that is none":      expr("v"),
		"an empty expression":             expr(list{}),
		"a reference to no path":          expr(list{0, "v"}),
		"a path of numbers":               expr(list{0, list{1}}),
		"a constant of no kind":           expr(list{1, 11, 0}),
		"a constant of half a text":       expr(list{1, 6, 0.5}),
		"a function without a name":       expr(list{2, 5, field}),
		"a list of no cells":              expr(call("in", field, list{3, 5})),
	} {
		message := encode(c)
		message = message[1:] // encode wraps its items in an array
		effects := r.run(Refused, message)
		if code, path := r.refusal(what, effects); code != 1 || path == "" {
			t.Errorf("%s: code %d at %q", what, code, path)
		}
	}
	if after := r.stats(); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
}

func TestCommand_EveryPrefixAndEveryTailIsRefused(t *testing.T) {
	r := newRig(t)
	r.open(v("a"), v("b"))
	cells, texts := r.cells("c")
	q := list{
		list{call("like", field, list{1, 6, r.text("a%")}), call("in", field, list{3, list{3, 1.0}, list{6, 0}})},
		list{list{list{"x"}, field}, list{list{"y"}, nil, list{"o"}}, list{list{"z"}, call("not", field)}},
		list{list{field, 1, 1, 0}},
		1, 5,
	}
	for _, command := range [][]any{
		{opCreateRoot, 7, list{6, 3}, 0},
		{opStart, 7},
		{opMarkReady, 7},
		{opMarkError, 7},
		{opCheckQuery, q},
		{opStartQuery, 2, 1, list{6, 4}, q, list{r.text("a%"), "a%"}},
		{opSync, 1, 77, 2, words{1, 2, 2}, nil, list{words{2}, list{3, doubles{2}}}, list{cells}, texts},
		{opSubscribe, 2, 5, 1, nil, nil},
		{opSubscribe, 1, 6, 1, list{call("like", field, list{1, 6, r.text("a%")})}, list{r.text("a%"), "a%"}},
		{opUnsubscribe, 1, 6},
		{opMutate, 1, 5, 3, words{0, 3, 5, none, 256, 4, none, none}, list{words{3, 4}, list{3, doubles{3, 4}}}, list{cells}, nil},
		{opFlush},
		{opPersist, 5},
		{opFind, 1, orderQuery(0, 2), nil},
		{opSettle, words{5, 0}, list{list{1, words{0}}}},
		{opReadOrder, 2},
		{opSetWindow, 2, 0, 3},
		{opUnsubscribe, 2, 5},
		{opCollation, 2, 1},
		{opStats},
		{opCleanup, 7},
		{opForget, 7},
	} {
		r.rows[2], r.rows[5] = v("c"), v("c")
		message := encode(command...)
		before := r.stats()
		for n := range message {
			if code, path := r.refusal("a prefix", r.run(Refused, message[:n])); code != 1 || path == "" {
				t.Errorf("command %v, %d of %d bytes: code %d at %q", command, n, len(message), code, path)
			}
		}
		code, _ := r.refusal("a tail", r.run(Refused, append(append([]byte{}, message...), 0xc0)))
		if code != 1 {
			t.Errorf("command %v with a tail: code %d", command, code)
		}
		if after := r.stats(); after != before {
			t.Errorf("command %v: before %s\nafter  %s", command, before, after)
		}
		r.run(Done, message)
	}
}

func TestQuery_FaultsOfMeaningHaveTheirCodes(t *testing.T) {
	r := newRig(t)
	r.open(v(1))
	before := r.stats()
	deep := func(n int) any {
		var e any = field
		for range n {
			e = call("not", e)
		}
		return e
	}
	selected := func(path list, e any) list { return list{list{}, list{list{path, e}}, list{}, nil, nil} }
	for what, c := range map[string]struct {
		q    list
		code int
		path string
	}{
		"a limit without an order":      {list{list{}, nil, list{}, nil, 5}, 5, "limit"},
		"an offset without an order":    {list{list{}, nil, list{}, 0, nil}, 5, "limit"},
		"an unknown function":           {whereQuery(field, call("soundex", field)), 6, "where[1]"},
		"an internal function":          {whereQuery(call("#into", field)), 6, "where[0]"},
		"an unknown function in a call": {whereQuery(call("not", call("soundex", field, field))), 6, "where[0]"},
		"an unknown expression":         {list{list{}, nil, list{list{list{9, 1, list{2}}, 0, 0, 0}}, nil, nil}, 7, "orderBy[0]"},
		"too few arguments":             {whereQuery(call("eq", field)), 7, "where[0]"},
		"too many arguments":            {whereQuery(call("not", field, field)), 7, "where[0]"},
		"a list outside of in":          {whereQuery(list{3, list{3, 1.0}}), 7, "where[0]"},
		"an empty reference":            {whereQuery(list{0, list{}}), 8, "where[0]"},
		"a field that is a prototype":   {selected(list{"a", "__proto__"}, field), 9, "select[0]"},
		"a field without a name":        {selected(list{}, field), 7, "select[0]"},
		"nesting beyond the limit":      {whereQuery(deep(64)), 12, "query"},
		"nesting far beyond the limit":  {whereQuery(deep(5000)), 12, "query"},
	} {
		for _, command := range [][]any{{opCheckQuery, c.q}, live(opStartQuery, 2, 1, c.q)} {
			if code, path := r.refusal(what, r.run(Refused, encode(command...))); code != c.code || path != c.path {
				t.Errorf("%s: code %d at %s", what, code, path)
			}
		}
	}
	r.do(opCheckQuery, whereQuery(deep(63)))
	if after := r.stats(); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
}

func TestSync_ADuplicateNamesItsKey(t *testing.T) {
	r := newRig(t)
	r.open(v("a"), v("b"))
	r.do(live(opStartQuery, 2, 1, whereQuery(call("eq", field, num(1))))...)
	cells, texts := r.cells("new", "other")
	before := r.stats()
	effects := r.run(Refused, encode(opSync, 1, 77, 0, words{0, 2, 2, 0, 1, 3}, nil, nil, list{cells}, texts))
	if code, path := r.refusal("duplicate", effects); code != 4 || path != "1" {
		t.Errorf("code %d at %s", code, path)
	}
	want := []uint32{uint32(r.text("new")), uint32(r.text("other"))}
	if got := fmt.Sprint(effects[1:]); got != fmt.Sprint([]any{[]any{effFreeTexts, want}}) {
		t.Errorf("then %s", got)
	}
	if after := r.stats(); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
	r.do(opSync, 1, 77, 1, words{0, 1, 2}, nil, nil, list{list{3, doubles{1}}}, nil)
}
