package collection

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// chance makes many choices from one drawn seed.
type chance uint64

func (c *chance) intn(n int) int {
	*c += 0x9e3779b97f4a7c15
	x := uint64(*c)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) >> 33 % uint64(n))
}

func (c *chance) scalar() any {
	switch c.intn(6) {
	case 0:
		return nil
	case 1:
		return c.intn(4)
	case 2:
		return c.intn(2) == 0
	}
	return []string{"", "a", "B", "b", "remote", "ß", "z"}[c.intn(7)]
}

func (c *chance) row() row { return row{"v": c.scalar(), "w": c.scalar()} }

func (c *chance) key() any {
	if k := c.intn(24); k%2 == 0 {
		return k
	} else if k < 20 {
		return "k" + string(rune('a'+k))
	}
	return "2"
}

// held is a lease of the history with what it was taken for.
type held struct {
	lease *Lease
	path  string
	col   *query.Column
	order *Ordering
	terms []query.Term
	hash  *Hashing
}

// take leases a column or an arrangement.
func (b *bench) take(c *chance) *held {
	h := &held{lease: b.lease(), path: []string{"v", "w"}[c.intn(2)]}
	var err error
	switch c.intn(5) {
	case 0:
		h.col, err = h.lease.Column([]string{h.path}, c.intn(2) == 0)
	case 1:
		h.hash, err = h.lease.Hash([]string{h.path})
	case 2:
		h.order, err = h.lease.Order(nil, true)
	default:
		h.terms = []query.Term{asc(h.path)}
		if c.intn(2) == 0 {
			h.terms = append(h.terms, desc("w"))
		}
		if c.intn(3) == 0 {
			h.terms[0] = query.Term{Expr: query.Call(query.FnIsNull, query.Ref(h.path))}
		}
		if c.intn(3) == 0 {
			h.terms[0].NullsLast = true
		}
		h.order, err = h.lease.Order(h.terms, true)
	}
	if err != nil {
		b.t.Fatalf("%v", err)
	}
	return h
}

// compare orders two public keys as the order of terms does.
func (b *bench) compare(terms []query.Term, x, y any) int {
	for _, t := range terms {
		read := func(k any) value.Cell {
			r := b.visible[k]
			if t.Expr.Op == query.OpCall {
				return value.Bool(false) // rows hold undefined, never null
			}
			return b.cell(r[t.Expr.Path[0]])
		}
		if o, _ := t.Compare(read(x), read(y), (*benchTexts)(b)); o != 0 {
			return o
		}
	}
	i, xNumber := x.(int)
	j, yNumber := y.(int)
	switch {
	case xNumber && yNumber:
		return cmp.Compare(i, j)
	case xNumber:
		return 1
	case yNumber:
		return -1
	}
	return cmp.Compare(x.(string), y.(string))
}

// benchTexts are the shell's own texts, as opposed to the engine's copies.
type benchTexts bench

func (b *benchTexts) Text(id uint32) []byte { return []byte(b.texts[id]) }
func (b *benchTexts) Compare(_, x, y uint32) (int, error) {
	return bytes.Compare(b.Text(x), b.Text(y)), nil
}

func (b *bench) keysInOrder(terms []query.Term) (keys []any) {
	for k := range b.visible {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y any) int { return b.compare(terms, x, y) })
	return keys
}

// check holds the root against the rows it should show.
func (b *bench) check(leases []*held, pinned []uint32) {
	r := b.root
	if r.Len() != len(b.visible) || len(r.Slots(nil)) != len(b.visible) {
		b.t.Fatalf("%d rows, want %d", r.Len(), len(b.visible))
	}
	for k, want := range b.visible {
		slot := r.SlotOf(b.keyIDs[k])
		if slot == none || r.KeyOf(slot) != b.keyIDs[k] || !maps.Equal(b.slots[slot], want) {
			b.t.Fatalf("row %v is not as it should be", k)
		}
	}
	for _, h := range leases {
		switch {
		case h.col != nil:
			for _, s := range append(r.Slots(nil), pinned...) {
				if b.root.SlotOf(r.KeyOf(s)) == s && h.col.At(s) != b.cell(b.slots[s][h.path]) {
					b.t.Fatalf("cell %s of slot %d is %v", h.path, s, h.col.At(s))
				}
			}
		case h.order != nil:
			want := b.keysInOrder(h.terms)
			if got := b.content(h.order); got != join(want) || h.order.Err != nil {
				b.t.Fatalf("order %v is %s, want %s", h.terms, got, join(want))
			}
		case h.hash != nil:
			n := 0
			for _, x := range []any{nil, "a", "", 1, true} {
				for _, s := range h.hash.Slots([]value.Cell{b.cell(x)}, nil) {
					if b.slots[s][h.path] != x {
						b.t.Fatalf("slot %d is listed under %v", s, x)
					}
					n++
				}
			}
			for _, row := range b.visible {
				if slices.Contains([]any{nil, "a", "", 1, true}, row[h.path]) {
					n--
				}
			}
			if n != 0 {
				b.t.Fatalf("%d slots too many or few in the hash", n)
			}
		}
	}
	used := 0
	for _, s := range b.slots {
		if s != nil {
			used++
		}
	}
	zombies := map[uint32]bool{}
	for _, s := range pinned {
		if r.SlotOf(r.KeyOf(s)) != s {
			zombies[s] = true
		}
	}
	if used != len(b.visible)+len(zombies) {
		b.t.Fatalf("%d slots in use for %d rows and %d pinned versions", used, len(b.visible), len(zombies))
	}
	b.checkTexts()
}

// checkTexts counts the cells that hold each text.
func (b *bench) checkTexts() {
	r := b.root
	want := make([]uint32, len(b.dict.refs))
	count := func(c value.Cell) {
		if IsText(c.Kind) {
			want[c.ID()]++
		}
	}
	for id := range reserved {
		want[id]++
	}
	count(r.Name)
	for _, c := range r.columns {
		for s, k := range r.keyOf {
			if k != none {
				count(c.At(uint32(s)))
			}
		}
	}
	if r.hasKeys {
		for id := range r.keys.Kinds {
			count(r.keys.At(uint32(id)))
		}
	}
	if !slices.Equal(want, b.dict.refs) {
		b.t.Fatalf("texts are counted %v, want %v", b.dict.refs, want)
	}
	for id, n := range want {
		if s := b.texts[id]; n > 0 && (s == "\x00free" || b.dict.Known(uint32(id)) && string(b.dict.Text(uint32(id))) != s) {
			b.t.Fatalf("text %d is %q here and %q in the shell", id, b.dict.Text(uint32(id)), s)
		}
	}
}

func join(keys []any) string {
	s := fmt.Sprint(keys)
	return s[1 : len(s)-1]
}

// transact draws a transaction, applies it to the model and to the root.
func (b *bench) transact(c *chance) {
	truncate := c.intn(12) == 0
	next := maps.Clone(b.visible)
	if truncate {
		next = map[any]row{}
	}
	deleted := map[any]bool{}
	var ops []op
	var mentioned []any
	duplicate := false
	for range c.intn(8) {
		k := c.key()
		switch c.intn(4) {
		case 0:
			ops = append(ops, del(k))
			delete(next, k)
			deleted[k] = true
		case 1:
			if _, live := b.visible[k]; live && !truncate && !deleted[k] && c.intn(3) > 0 {
				continue
			} else if live && !truncate && !deleted[k] {
				duplicate = true
			}
			next[k] = c.row()
			ops = append(ops, ins(k, next[k]))
		default:
			next[k] = c.row()
			if old := b.visible[k]; old != nil && c.intn(3) == 0 {
				next[k] = maps.Clone(old)
			}
			ops = append(ops, put(k, next[k]))
		}
		mentioned = append(mentioned, k)
	}
	changes, err := b.sync(truncate, ops...)
	if (err != nil) != duplicate {
		b.t.Fatalf("duplicate %v, but %v", duplicate, err)
	}
	if err != nil {
		b.end()
		return
	}
	b.audit(changes, next, mentioned, truncate)
	b.visible = next
	b.end()
}

// audit checks net changes against the rows before and after.
func (b *bench) audit(changes []d2.Change, next map[any]row, mentioned []any, truncate bool) {
	last := -1
	seen := map[any]bool{}
	for _, ch := range changes {
		k := b.keys[ch.Key]
		if seen[k] {
			b.t.Fatalf("key %v changes twice", k)
		}
		seen[k] = true
		old, before := b.visible[k]
		now, after := next[k]
		if (ch.Old != none) != before || (ch.New != none) != after || before && after && maps.Equal(old, now) {
			b.t.Fatalf("change %v of key %v from %v to %v", ch, k, old, now)
		}
		if !truncate {
			at := slices.Index(mentioned, k)
			if at <= last {
				b.t.Fatalf("key %v comes out of order", k)
			}
			last = at
		}
	}
	for k, old := range b.visible {
		if now, ok := next[k]; !seen[k] && (!ok || !maps.Equal(old, now)) {
			b.t.Fatalf("the change of key %v is missing", k)
		}
	}
	for k := range next {
		if _, ok := b.visible[k]; !seen[k] && !ok {
			b.t.Fatalf("the insert of key %v is missing", k)
		}
	}
}

func TestRoot_ShowsWhatTheTransactionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := chance(rapid.Uint64().Draw(t, "seed"))
		b := newBench(t)
		var leases []*held
		var pinned []uint32
		for range rapid.SampledFrom([]int{3, 12, 40, 120}).Draw(t, "steps") {
			switch c.intn(8) {
			case 0:
				leases = append(leases, b.take(&c))
				b.end()
			case 1:
				if n := len(leases); n > 0 {
					i := c.intn(n)
					leases[i].lease.Release()
					leases = slices.Delete(leases, i, i+1)
					b.end()
				}
			case 2:
				if live := b.root.Slots(nil); len(live) > 0 && len(pinned) < 4 {
					pinned = append(pinned, live[c.intn(len(live))])
					b.root.Pin(pinned[len(pinned)-1])
				} else if n := len(pinned); n > 0 {
					b.root.Unpin(pinned[n-1])
					pinned = pinned[:n-1]
					b.end()
				}
			default:
				b.transact(&c)
			}
			b.check(leases, pinned)
		}
		for _, h := range leases {
			h.lease.Release()
		}
		b.root.Clear(b)
		b.root.Drop()
		b.dict.Sweep(nil)
		if n := b.dict.Live(); n != 0 || len(b.carried) != 0 {
			t.Fatalf("%d texts and columns %v outlive the collection", n, b.carried)
		}
		if columns, arrangements, _ := b.root.Held(); columns+arrangements != 0 {
			t.Fatalf("%d columns and %d arrangements are left", columns, arrangements)
		}
	})
}
