package includes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// row is a row of the fake shell: numbers, and temporals as "tag text".
type row map[string]any

// stage drives an engine, records the effects of each command, and mirrors what
// they install. Public keys are numbers and equal to their key ids.
type stage struct {
	t       *testing.T
	e       *Engine
	rows    map[uint32]map[uint32]row // by root and slot
	next    map[uint32]uint32
	carried map[uint32][]string
	fields  map[uint32][]string // what a template shows
	texts   map[string]uint32
	names   []string
	refuse  bool
	log     []string
	mirror  map[uint32][]uint32 // pairs of key and slot
	ordered map[uint32]bool
	says    map[uint32]func(slots []uint32, cells []value.Cell) any // callbacks
	keyed   map[uint32]string                                       // fields that have the keys
	shows   func(a, b uint32) bool                                  // whether two versions look the same
	asked   int                                                     // rows callbacks were asked about
}

// Call implements collection.Foreign. What a callback says of a path is what it
// says; of an error it fails.
func (s *stage) Call(kind, id uint32, path []string, _ uint32, n int, slots []uint32, cells []collection.Cells) (collection.Cells, error) {
	values := make([]any, n)
	width := len(slots) / max(n, 1)
	if kind == collection.CallRow {
		id += 1000
	}
	for i := range values {
		row := make([]value.Cell, len(cells))
		for j := range cells {
			row[j] = cells[j].At(i)
		}
		s.asked++
		v := s.says[id](slots[i*width:(i+1)*width], row)
		if err, ok := v.(error); ok {
			return collection.Cells{}, err
		}
		for _, name := range path {
			v = v.(map[string]any)[name]
		}
		values[i] = v
	}
	return s.cells(values), nil
}

// KeyPath implements collection.Keyed.
func (s *stage) KeyPath(col uint32) ([]string, error) {
	if path := s.keyed[col]; path != "" {
		return []string{path}, nil
	}
	return nil, nil
}

// Apply implements collection.Foreign.
func (s *stage) Apply(name string, n int, cells []collection.Cells) (collection.Cells, error) {
	values := make([]any, n)
	for i := range values {
		text := ""
		for j := range cells {
			text += s.show(cells[j].At(i))
		}
		if name == "upper" {
			text = strings.ToUpper(text)
		}
		values[i] = text
	}
	return s.cells(values), nil
}

// SameRows implements collection.Foreign: rows look the same if the slots of all
// collections have the same row but for field "hidden".
func (s *stage) SameRows(col uint32, slots []uint32, _ []collection.Cells) (bool, error) {
	n := len(slots) / 2
	for i := range n {
		a, b := slots[i], slots[n+i]
		if a == b {
			continue
		}
		if a == d2.None || b == d2.None || s.shows == nil || !s.shows(a, b) {
			return false, nil
		}
	}
	return true, nil
}

func newStage(t *testing.T) *stage {
	s := &stage{
		t: t, rows: map[uint32]map[uint32]row{}, next: map[uint32]uint32{}, carried: map[uint32][]string{},
		fields: map[uint32][]string{}, texts: map[string]uint32{}, mirror: map[uint32][]uint32{}, ordered: map[uint32]bool{}, says: map[uint32]func([]uint32, []value.Cell) any{},
		names: []string{"", "remote", "local"},
	}
	s.e = New(s)
	return s
}

func (s *stage) cell(v any) value.Cell {
	switch x := v.(type) {
	case nil:
		return value.Cell{}
	case int:
		return value.Number(float64(x))
	case bool:
		return value.Bool(x)
	}
	text := v.(string)
	id, ok := s.texts[text]
	if !ok {
		id = uint32(len(s.names))
		s.names = append(s.names, text)
		s.texts[text] = id
	}
	s.e.Dict.Put(id, []byte(strings.Replace(text, " ", "\x00", 1)))
	kind := value.KindString
	if strings.Contains(text, " ") {
		kind = value.KindTemporal
	}
	return value.Cell{Kind: kind, Val: float64(id)}
}

func (s *stage) cells(values []any) collection.Cells {
	c := collection.Cells{N: len(values), Kinds: []uint8{}, Vals: []float64{}}
	for _, v := range values {
		x := s.cell(v)
		c.Kinds, c.Vals = append(c.Kinds, x.Kind), append(c.Vals, x.Val)
	}
	return c
}

var errShell = errors.New("the shell refuses")

func (s *stage) ReadColumn(col, index uint32, path []string, _ bool, slots []uint32) (collection.Cells, error) {
	if s.refuse {
		return collection.Cells{}, errShell
	}
	name := strings.Join(path, ".")
	s.carried[col] = append(s.carried[col], name)
	values := make([]any, len(slots))
	for i, slot := range slots {
		values[i] = s.rows[col][slot][name]
	}
	return s.cells(values), nil
}

func (s *stage) ReadKeys(_ uint32, ids []uint32) (collection.Cells, error) {
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = int(id)
	}
	return s.cells(values), nil
}

func (s *stage) Equal(col, tmpl, a, b uint32) (bool, error) {
	x, y := s.rows[col][a], s.rows[col][b]
	if tmpl == 0 {
		return maps.Equal(x, y), nil
	}
	for _, f := range s.fields[tmpl] {
		if x[f] != y[f] {
			return false, nil
		}
	}
	return true, nil
}

func (s *stage) Compare(_, a, b uint32) (int, error) {
	return strings.Compare(s.names[a], s.names[b]), nil
}

// do runs one command and returns its effects, or "refused CODE".
func (s *stage) do(command func() error) string {
	s.log = nil
	s.e.Begin(s)
	err := command()
	s.e.End()
	var refusal *Refusal
	var fault *query.Error
	switch {
	case errors.As(err, &refusal):
		s.log = []string{fmt.Sprintf("refused %d", refusal.Code)}
	case errors.As(err, &fault):
		s.log = []string{fmt.Sprintf("fault %d", fault.Code)}
	case err != nil:
		s.log = []string{"error " + err.Error()}
	}
	return strings.Join(s.log, "; ")
}

func (s *stage) want(what, got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// root declares and starts a root.
func (s *stage) root(col uint32) {
	s.rows[col] = map[uint32]row{}
	s.do(func() error { return s.e.CreateRoot(col, s.cell("root"), false) })
	s.do(func() error { return s.e.Start(col) })
}

func (s *stage) ready(col uint32) string { return s.do(func() error { return s.e.MarkReady(col) }) }
func (s *stage) cleanup(col uint32) string {
	return s.do(func() error { return s.e.Cleanup(col) })
}
func (s *stage) read(col uint32) string { return s.do(func() error { return s.e.ReadOrder(col) }) }
func (s *stage) window(col, offset, limit uint32) string {
	return s.do(func() error { return s.e.SetWindow(col, offset, limit) })
}

func (s *stage) subscribe(col, sub uint32, mode collection.Mode) string {
	return s.do(func() error { return s.e.Subscribe(col, sub, mode, nil) })
}

func (s *stage) start(col, src uint32, q query.Query) string {
	if q.Limit == 0 && !q.Bounded {
		q.Limit = query.Unlimited
	}
	delete(s.ordered, col)
	if len(q.Order) > 0 {
		s.ordered[col] = true
	}
	return s.plan(col, planOf(src, &q))
}

// sync puts rows, and deletes those that are nil, in order of their keys.
func (s *stage) sync(col uint32, rows map[uint32]row) string {
	tx := &collection.Sync{}
	var keys []uint32
	for k := range rows {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var all []any
	values := make([][]any, len(s.carried[col]))
	for _, k := range keys {
		if rows[k] == nil {
			tx.Ops = append(tx.Ops, collection.OpDelete, k, d2.None)
			continue
		}
		slot := s.next[col]
		s.next[col]++
		s.rows[col][slot] = rows[k]
		tx.Ops = append(tx.Ops, collection.OpPut, k, slot)
		for i, name := range s.carried[col] {
			values[i] = append(values[i], rows[k][name])
		}
	}
	for _, k := range keys {
		tx.NewKeys = append(tx.NewKeys, k)
		all = append(all, int(k))
	}
	tx.Keys = s.cells(all)
	for _, v := range values {
		tx.Columns = append(tx.Columns, s.cells(v))
	}
	return s.do(func() error { return s.e.Sync(col, tx) })
}

func (s *stage) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

// parts writes what rows are made of: their slots, then their cells by row.
func (s *stage) parts(p *collection.Parts) string {
	if p == nil {
		return ""
	}
	rows := make([]string, p.N)
	width := 0
	if p.N > 0 {
		width = len(p.Slots) / p.N
	}
	for i := range rows {
		var all []string
		for _, slot := range p.Slots[i*width : (i+1)*width] {
			if slot == d2.None {
				all = append(all, "none")
			} else {
				all = append(all, fmt.Sprint("#", slot))
			}
		}
		for j := range p.Cells {
			all = append(all, s.show(p.Cells[j].At(i)))
		}
		rows[i] = strings.Join(all, ",")
	}
	return " (" + strings.Join(rows, " ") + ")"
}

func (s *stage) show(c value.Cell) string {
	switch c.Kind {
	case value.KindUndefined:
		return "undefined"
	case value.KindNull:
		return "null"
	case value.KindBool:
		return fmt.Sprint(c.Val == 1)
	case value.KindNumber:
		return fmt.Sprint(c.Val)
	case value.KindNaN:
		return "NaN"
	case value.KindDate:
		return fmt.Sprint("@", c.Val)
	case value.KindRef:
		return fmt.Sprint("&", c.Val)
	}
	return s.names[c.ID()]
}

func signs(changes []d2.Change) string {
	var out []string
	for _, c := range changes {
		sign := "~"
		switch {
		case c.Old == d2.None:
			sign = "+"
		case c.New == d2.None:
			sign = "-"
		}
		out = append(out, fmt.Sprint(sign, c.Key))
	}
	return strings.Join(out, " ")
}

func (s *stage) set(col uint32, changes []d2.Change) {
	for _, c := range changes {
		at := -1
		for i := 0; i < len(s.mirror[col]); i += 2 {
			if s.mirror[col][i] == c.Key {
				at = i
			}
		}
		switch {
		case at < 0 != (c.Old == d2.None), at >= 0 && s.mirror[col][at+1] != c.Old:
			s.t.Errorf("collection %d: change %v does not fit %v", col, c, s.mirror[col])
		case at < 0:
			s.mirror[col] = append(s.mirror[col], c.Key, c.New)
		case c.New == d2.None:
			s.mirror[col] = slices.Delete(s.mirror[col], at, at+2)
		default:
			s.mirror[col][at+1] = c.New
		}
	}
}

func (s *stage) Install(col uint32, changes []d2.Change, parts *collection.Parts) {
	shown := s.parts(parts)
	s.note("install %d [%s]%s", col, signs(changes), shown)
	s.set(col, changes)
}

func (s *stage) Rebind(col uint32, changes []d2.Change, parts *collection.Parts) {
	s.note("rebind %d [%s]%s", col, signs(changes), s.parts(parts))
	s.set(col, changes)
}

// Layout puts the rows of the mirror, already installed, in order.
func (s *stage) Layout(col uint32, d *d2.Delta) {
	s.note("layout %d", col)
	if int(d.NewLen) != len(s.mirror[col])/2 {
		s.t.Errorf("collection %d: layout of %d rows for %d", col, d.NewLen, len(s.mirror[col])/2)
	}
}

func (s *stage) Rows(col uint32, pairs []uint32, parts *collection.Parts) {
	var keys []string
	for i := 0; i < len(pairs); i += 2 {
		keys = append(keys, fmt.Sprint(pairs[i]))
	}
	shown := s.parts(parts)
	s.note("rows %d [%s]%s", col, strings.Join(keys, " "), shown)
	s.mirror[col] = slices.Clone(pairs)
}

func (s *stage) Status(col uint32, from, to collection.Status, message string) {
	if message != "" {
		message = " because"
	}
	s.note("status %d %d>%d%s", col, from, to, message)
}

func (s *stage) Emit(col, sub uint32, what collection.What, given []d2.Change) {
	s.note("emit %d/%d %s", col, sub, []string{"install", "[" + signs(given) + "]", "content", "empty"}[what])
}

func (s *stage) Empty(col uint32) {
	s.note("empty %d", col)
	delete(s.mirror, col)
}
func (s *stage) Truncated(col uint32)         { s.note("truncated %d", col) }
func (s *stage) DropColumn(col, index uint32) { s.note("drop %d", col) }
func (s *stage) FreeKeys(uint32, []uint32)    {}
func (s *stage) Below(uint32, []uint32)       {}
func (s *stage) Local(uint32, []uint32)       {}
func (s *stage) Parked(uint32, uint32)        {}
func (s *stage) Applied(uint32, []uint32)     {}
func (s *stage) Alone(uint32)                 {}
func (s *stage) Found(col uint32, pairs []uint32) {
	var keys []string
	for i := 0; i < len(pairs); i += 2 {
		keys = append(keys, fmt.Sprint(pairs[i]))
	}
	s.note("found %d [%s]", col, strings.Join(keys, " "))
}

func (s *stage) Compose(uint32, []uint32, int, int) ([]uint32, []collection.Cells, error) {
	return nil, nil, errors.New("nothing here is composed")
}

func (s *stage) FreeSlots(col uint32, slots []uint32) {
	for _, x := range slots {
		delete(s.rows[col], x)
	}
}

// content is the keys a mirror holds; unordered ones ascending.
func (s *stage) content(col uint32) string {
	var keys []int
	for i := 0; i < len(s.mirror[col]); i += 2 {
		keys = append(keys, int(s.mirror[col][i]))
	}
	sort.Ints(keys)
	out := fmt.Sprint(keys)
	return out[1 : len(out)-1]
}

// shown reads a live collection anew and checks that the mirror held the same.
func (s *stage) shown(col uint32) string {
	s.t.Helper()
	was := s.content(col)
	got := s.read(col)
	if now := s.content(col); now != was {
		s.t.Errorf("collection %d had %s installed and holds %s", col, was, now)
	}
	got, _, _ = strings.Cut(got, "]")
	return strings.TrimPrefix(got, fmt.Sprintf("rows %d [", col))
}

// plan starts a live collection.
func (s *stage) plan(col uint32, p *query.Plan) string {
	return s.do(func() error { return s.e.StartQuery(col, s.cell("live"), p) })
}

// planOf is a query over one collection as a plan.
func planOf(src uint32, q *query.Query) *query.Plan {
	p := &query.Plan{
		From: &query.From{Kind: query.FromCollection, Alias: "r", Col: src}, HasSelect: q.HasSelect,
		Offset: q.Offset, Limit: q.Limit, Bounded: q.Bounded,
	}
	for _, w := range q.Where {
		p.Where = append(p.Where, over(w))
	}
	for _, e := range q.Select {
		if e.Expr == nil {
			e.Expr = query.Ref()
		}
		e.Expr = over(e.Expr)
		p.Select = append(p.Select, e)
	}
	for _, t := range q.Order {
		p.Order = append(p.Order, query.Term{Expr: over(t.Expr), Term: t.Term})
	}
	return p
}

// over is an expression over a row as one over the alias r.
func over(e *query.Expr) *query.Expr {
	out := *e
	if e.Op == query.OpRef {
		out.Path = append([]string{"r"}, e.Path...)
	}
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, over(a))
	}
	return &out
}

func eq(path string, n int) *query.Expr {
	return query.Call(query.FnEq, query.Ref(path), query.Const(value.Number(float64(n))))
}

func gt(path string, n int) *query.Expr {
	return query.Call(query.FnGt, query.Ref(path), query.Const(value.Number(float64(n))))
}
func by(path string) []query.Term        { return []query.Term{{Expr: query.Ref(path)}} }
func where(e ...*query.Expr) query.Query { return query.Query{Where: e} }
func window(path string, offset, limit uint32, e ...*query.Expr) query.Query {
	return query.Query{Where: e, Order: by(path), Offset: offset, Limit: limit, Bounded: true}
}

func pick(fields ...string) query.Query {
	q := query.Query{HasSelect: true}
	for _, f := range fields {
		q.Select = append(q.Select, query.Entry{Path: []string{f}, Expr: query.Ref(f)})
	}
	return q
}

// partsOf returns the parts a log begins with.
func (s *stage) partsOf(log string) string {
	at := strings.Index(log, "(")
	if at < 0 {
		return log
	}
	return log[at : strings.Index(log, ")")+1]
}

// nothingLeft cleans up live collections, in order, and then every root: all
// counters are zero.
func (s *stage) nothingLeft(lives ...uint32) {
	s.t.Helper()
	for _, l := range lives {
		s.cleanup(l)
	}
	for len(s.e.order) > 0 {
		col := s.e.order[0].ID
		s.cleanup(col)
		s.do(func() error { return s.e.Forget(col) })
	}
	s.want("in common", fmt.Sprint(len(s.e.commons)), "0")
	s.want("in the end", stats(s), "{Roots:0 Lives:0 Rows:0 Columns:0 Arrangements:0 Nodes:0 Retained:0 Pinned:0 Texts:0}")
}
