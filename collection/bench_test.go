package collection

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// row is a row as the shell has it: a scalar per name; strings stand for texts.
type row map[string]any

// bench is a shell with one root collection in an engine of nothing else. It
// keeps to the protocol strictly and complains where the root does not.
type bench struct {
	t    interface{ Fatalf(string, ...any) }
	root *Root
	dict *Dict

	texts   []string // by text id; freed ones are "\x00free"
	textIDs map[string]uint32
	free    []uint32

	slots     []row // by slot; nil: free
	freeSlots []uint32
	keys      []any // by key id; nil: free
	keyIDs    map[any]uint32
	freeKeys  []uint32

	carried  []carriedColumn
	carries  bool // keys
	visible  map[any]row
	dropped  []uint32
	lostKeys int
	reads    []string
	refuse   bool // pulls fail
	blind    bool // rows cannot be compared
	compares int
}

type carriedColumn struct {
	index uint32
	path  string
}

func newBench(t interface{ Fatalf(string, ...any) }) *bench {
	b := &bench{t: t, textIDs: map[string]uint32{}, keyIDs: map[any]uint32{}, visible: map[any]row{}}
	for i, s := range reserved {
		b.texts, b.textIDs[s] = append(b.texts, s), uint32(i)
	}
	b.dict = NewDict(b)
	name := b.cell("the collection")
	b.dict.Touch(name)
	b.root = NewRoot(1, name, false, b, b.dict)
	return b
}

var errShell = errors.New("the shell refuses")

// cell interns a scalar.
func (b *bench) cell(v any) value.Cell {
	switch x := v.(type) {
	case nil:
		return value.Cell{}
	case string:
		id, ok := b.textIDs[x]
		if !ok {
			if n := len(b.free); n > 0 {
				id, b.free = b.free[n-1], b.free[:n-1]
				b.texts[id] = x
			} else {
				id = uint32(len(b.texts))
				b.texts = append(b.texts, x)
			}
			b.textIDs[x] = id
		}
		return value.Cell{Kind: value.KindString, Val: float64(id)}
	case int:
		return value.Number(float64(x))
	case float64:
		return value.Number(x)
	case bool:
		return value.Bool(x)
	}
	return v.(value.Cell)
}

// message puts values as cells, with their texts.
func (b *bench) message(values []any, text bool) Cells {
	c := Cells{N: len(values), Kinds: []uint8{}, Vals: []float64{}}
	for _, v := range values {
		x := b.cell(v)
		c.Kinds, c.Vals = append(c.Kinds, x.Kind), append(c.Vals, x.Val)
		if s, ok := v.(string); ok && text {
			b.dict.Put(x.ID(), []byte(s))
		}
	}
	return c
}

func (b *bench) ReadColumn(col, index uint32, path []string, text bool, slots []uint32) (Cells, error) {
	name := strings.Join(path, ".")
	b.reads = append(b.reads, fmt.Sprintf("%d:%s text=%v rows=%d", index, name, text, len(slots)))
	if b.refuse {
		return Cells{}, errShell
	}
	values := make([]any, len(slots))
	for i, s := range slots {
		if b.slots[s] == nil {
			b.t.Fatalf("column of slot %d, which is free", s)
		}
		values[i] = b.slots[s][name]
	}
	b.carried = append(b.carried, carriedColumn{index, name})
	return b.message(values, text), nil
}

func (b *bench) ReadKeys(col uint32, ids []uint32) (Cells, error) {
	b.reads = append(b.reads, fmt.Sprintf("keys %d", len(ids)))
	if b.refuse {
		return Cells{}, errShell
	}
	b.carries = true
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = b.keys[id]
	}
	return b.message(values, true), nil
}

func (b *bench) Equal(col, tmpl, x, y uint32) (bool, error) {
	if b.blind {
		return false, errShell
	}
	return maps.Equal(b.slots[x], b.slots[y]), nil
}

func (b *bench) Compare(collation, x, y uint32) (int, error) {
	b.compares++
	if b.refuse {
		return 0, errShell
	}
	return strings.Compare(strings.ToLower(b.texts[x]), strings.ToLower(b.texts[y])), nil
}

// op is one operation of a transaction on a public key.
type op struct {
	code uint32
	key  any
	row  row
}

// sync applies a transaction and publishes it, but for the end of the command.
func (b *bench) sync(truncate bool, ops ...op) ([]d2.Change, error) {
	tx := &Sync{Truncate: truncate}
	var fresh []any
	var rows []row
	var taken []uint32
	for _, o := range ops {
		id, ok := b.keyIDs[o.key]
		if !ok {
			if n := len(b.freeKeys); n > 0 {
				id, b.freeKeys = b.freeKeys[n-1], b.freeKeys[:n-1]
				b.keys[id] = o.key
			} else {
				id = uint32(len(b.keys))
				b.keys = append(b.keys, o.key)
			}
			b.keyIDs[o.key] = id
			tx.NewKeys = append(tx.NewKeys, id)
			fresh = append(fresh, o.key)
		}
		slot := none
		if o.code != OpDelete {
			if n := len(b.freeSlots); n > 0 {
				slot, b.freeSlots = b.freeSlots[n-1], b.freeSlots[:n-1]
				b.slots[slot] = o.row
			} else {
				slot = uint32(len(b.slots))
				b.slots = append(b.slots, o.row)
			}
			taken = append(taken, slot)
			rows = append(rows, o.row)
		}
		tx.Ops = append(tx.Ops, o.code, id, slot)
	}
	if b.carries {
		tx.Keys = b.message(fresh, true)
	} else {
		tx.NewKeys = nil
	}
	for _, c := range b.carried {
		values := make([]any, len(rows))
		for i, r := range rows {
			values[i] = r[c.path]
		}
		tx.Columns = append(tx.Columns, b.message(values, true))
	}
	changes, _, err := b.root.Apply(tx, b)
	if err != nil {
		for _, s := range taken {
			b.slots[s] = nil
			b.freeSlots = append(b.freeSlots, s)
		}
		for _, k := range fresh {
			id := b.keyIDs[k]
			delete(b.keyIDs, k)
			b.keys[id] = nil
			b.freeKeys = append(b.freeKeys, id)
		}
	}
	return changes, err
}

// end ends a command: old versions are retired, and what is free is freed.
func (b *bench) end() {
	b.root.Retire()
	b.root.Finish(b)
	for _, id := range b.dict.Sweep(nil) {
		if b.texts[id] == "\x00free" {
			b.t.Fatalf("text %d is freed twice", id)
		}
		delete(b.textIDs, b.texts[id])
		b.texts[id] = "\x00free"
		b.free = append(b.free, id)
	}
}

// do is a whole command that must succeed.
func (b *bench) do(ops ...op) []d2.Change {
	changes, err := b.sync(false, ops...)
	if err != nil {
		b.t.Fatalf("%v", err)
	}
	changes = slices.Clone(changes)
	b.end()
	return changes
}

func put(key any, r row) op { return op{OpPut, key, r} }
func ins(key any, r row) op { return op{OpInsert, key, r} }
func del(key any) op        { return op{OpDelete, key, nil} }

func (b *bench) FreeSlots(col uint32, slots []uint32) {
	for _, s := range slots {
		if b.slots[s] == nil {
			b.t.Fatalf("slot %d is freed twice", s)
		}
		b.slots[s] = nil
		b.freeSlots = append(b.freeSlots, s)
	}
}

func (b *bench) FreeKeys(col uint32, ids []uint32) {
	for _, id := range ids {
		if b.keys[id] == nil {
			b.t.Fatalf("key %d is freed twice", id)
		}
		delete(b.keyIDs, b.keys[id])
		b.keys[id] = nil
		b.freeKeys = append(b.freeKeys, id)
		b.lostKeys++
	}
}

func (b *bench) DropColumn(col, index uint32) {
	b.dropped = append(b.dropped, index)
	at := slices.IndexFunc(b.carried, func(c carriedColumn) bool { return c.index == index })
	if at < 0 {
		b.t.Fatalf("column %d is dropped, but not carried", index)
	}
	b.carried = slices.Delete(b.carried, at, at+1)
}

func (b *bench) Install(uint32, []d2.Change, *Parts)    {}
func (b *bench) Rebind(uint32, []d2.Change, *Parts)     {}
func (b *bench) Layout(uint32, *d2.Delta)               {}
func (b *bench) Rows(uint32, []uint32, *Parts)          {}
func (b *bench) Status(uint32, Status, Status, string)  {}
func (b *bench) Emit(uint32, uint32, What, []d2.Change) {}
func (b *bench) Empty(uint32)                           {}
func (b *bench) Truncated(uint32)                       {}

// lease is a lease of the root whose effects come here.
func (b *bench) lease() *Lease { return b.root.NewLease().During(b) }

func asc(path string) query.Term { return query.Term{Expr: query.Ref(path)} }
func desc(path string) query.Term {
	return query.Term{Expr: query.Ref(path), Term: value.Term{Desc: true}}
}

// told prints changes by public key and the rows' field v.
func (b *bench) told(changes []d2.Change) string {
	var out []string
	for _, c := range changes {
		s := fmt.Sprint(b.keys[c.Key])
		for _, slot := range []uint32{c.Old, c.New} {
			switch {
			case slot == none:
				s += " -"
			case b.slots[slot] == nil:
				s += " freed"
			default:
				s += " " + fmt.Sprint(b.slots[slot]["v"])
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// content prints the keys of an arrangement in order.
func (b *bench) content(o *Ordering) string {
	var out []string
	o.Tree.Scan(0, func(block []uint32) bool {
		for _, s := range block {
			out = append(out, fmt.Sprint(b.keys[b.root.KeyOf(s)]))
		}
		return true
	})
	return strings.Join(out, " ")
}

func number(i int) string { return strconv.Itoa(i) }

func (b *bench) Below(uint32, []uint32)   {}
func (b *bench) Local(uint32, []uint32)   {}
func (b *bench) Parked(uint32, uint32)    {}
func (b *bench) Applied(uint32, []uint32) {}
func (b *bench) Found(uint32, []uint32)   {}
func (b *bench) Alone(uint32)             {}

func (b *bench) Compose(uint32, []uint32, int, int) ([]uint32, []Cells, error) {
	b.t.Fatalf("nothing here is composed")
	return nil, nil, nil
}
