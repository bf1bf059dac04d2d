package shell

import (
	"reflect"
	"runtime"
	"unsafe"
	"weak"
)

type textKey struct {
	kind uint8
	text string
}

// texts is the session's dictionary: ids for strings, bigints, bytes and
// temporals, and for references.
type texts struct {
	ids   map[textKey]uint32
	keys  []textKey // by id
	known []bool    // by id: the engine has the bytes
	free  []uint32
	refs  references
}

// Texts both sides know from the start.
var reservedTexts = [...]string{"", "remote", "local"}

func newTexts() *texts {
	t := &texts{ids: map[textKey]uint32{}}
	for _, s := range reservedTexts {
		t.known[t.id(kindString, s)] = true
	}
	return t
}

func (t *texts) id(kind uint8, text string) uint32 {
	k := textKey{kind, text}
	if id, ok := t.ids[k]; ok {
		return id
	}
	var id uint32
	if n := len(t.free); n > 0 {
		id, t.free = t.free[n-1], t.free[:n-1]
		t.keys[id] = k
	} else {
		id = uint32(len(t.keys))
		t.keys, t.known = append(t.keys, k), append(t.known, false)
	}
	t.ids[k] = id
	return id
}

// claim reports whether the bytes of id have yet to be sent, and notes that
// they are.
func (t *texts) claim(id uint32) bool {
	if t.known[id] {
		return false
	}
	t.known[id] = true
	return true
}

// forget takes back ids that the engine freed.
func (t *texts) forget(ids []uint32) {
	for _, id := range ids {
		delete(t.ids, t.keys[id])
		t.keys[id], t.known[id] = textKey{}, false
		t.free = append(t.free, id)
	}
}

// cell is how the engine sees v.
func (t *texts) cell(v any) (kind uint8, val float64) {
	kind, num, text := classify(v)
	switch {
	case kind >= kindString && kind <= kindTemporal:
		return kind, float64(t.id(kind, text))
	case kind == kindRef:
		return kind, float64(t.refs.id(v))
	}
	return kind, num
}

// references gives ids to values that have an identity. A value is remembered
// while something else refers to it; ids are never reused. Values without an
// identity, structs and arrays held directly, are remembered as what they are.
type references struct {
	next     uint32
	pointers map[identity]uint32
	values   map[any]uint32
	sweepAt  int
}

type identity struct {
	typ  reflect.Type
	at   weak.Pointer[byte]
	size int // of a slice: two slices of one array differ
}

func (r *references) id(v any) uint32 {
	if r.pointers == nil {
		r.pointers, r.values = map[identity]uint32{}, map[any]uint32{}
	}
	x := reflect.ValueOf(v)
	switch x.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.UnsafePointer, reflect.Slice:
		where := identity{typ: x.Type(), at: weak.Make((*byte)(unsafe.Pointer(x.Pointer())))}
		if x.Kind() == reflect.Slice {
			where.size = x.Len()
		}
		runtime.KeepAlive(v)
		id, ok := r.pointers[where]
		if !ok {
			id = r.fresh()
			r.sweep()
			r.pointers[where] = id
		}
		return id
	}
	if !x.Comparable() {
		return r.fresh() // a func, or a struct around one: equal to nothing
	}
	id, ok := r.values[v]
	if !ok {
		id = r.fresh()
		r.values[v] = id
	}
	return id
}

func (r *references) fresh() uint32 {
	r.next++
	return r.next
}

// sweep drops references to values that are gone, when their number has doubled
// since the last time.
func (r *references) sweep() {
	if len(r.pointers) < max(r.sweepAt, 1024) {
		return
	}
	for k := range r.pointers {
		if k.at.Value() == nil {
			delete(r.pointers, k)
		}
	}
	r.sweepAt = 2 * len(r.pointers)
}
