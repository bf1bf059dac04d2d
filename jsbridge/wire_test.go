package jsbridge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	vm "github.com/vmihailenco/msgpack/v5"

	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/jsbridge/msgpack"
)

// Blocks of a command, by element.
type (
	words   []uint32
	doubles []float64
	octets  []byte
	list    []any
)

// write writes a command item.
func write(w *msgpack.Writer, v any) {
	switch x := v.(type) {
	case nil:
		w.Nil()
	case int:
		w.Int(int64(x))
	case float64:
		w.Num(x)
	case string:
		w.Str(x)
	case bool:
		w.Bool(x)
	case words:
		w.BlockU32(x)
	case doubles:
		w.BlockF64(x)
	case octets:
		w.BlockBytes(x)
	case []byte:
		w.Bin(x)
	case list:
		w.Array(len(x))
		for _, item := range x {
			write(w, item)
		}
	default:
		panic(fmt.Sprintf("no item: %T", v))
	}
}

func encode(items ...any) []byte {
	var w msgpack.Writer
	write(&w, list(items))
	return bytes.Clone(w.Bytes())
}

// block is a block as another implementation sees it.
type block struct{ data []byte }

func init() {
	vm.RegisterExtDecoder(1, &block{}, func(d *vm.Decoder, v reflect.Value, n int) error {
		body := make([]byte, n)
		if err := d.ReadFull(body); err != nil {
			return err
		}
		if int(body[0]) >= n || body[0] > 7 {
			return errors.New("a block's padding is out of range")
		}
		v.Interface().(*block).data = body[1+int(body[0]):]
		return nil
	})
}

// decode reads a message with the other implementation: blocks become words
// where they can be.
func decode(t *testing.T, message []byte) []any {
	t.Helper()
	d := vm.NewDecoder(bytes.NewReader(message))
	v, err := d.DecodeInterface()
	if err != nil {
		t.Fatalf("effects %x: %v", message, err)
	}
	if d.Buffered() != nil {
		var rest [1]byte
		if n, _ := d.Buffered().Read(rest[:]); n > 0 {
			t.Fatal("bytes after the end")
		}
	}
	return plain(v).([]any)
}

func plain(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
		return x
	case *block:
		if len(x.data)%4 != 0 || len(x.data) == 0 {
			return x.data
		}
		out := make([]uint32, len(x.data)/4)
		for i := range out {
			out[i] = binary.LittleEndian.Uint32(x.data[4*i:])
		}
		return out
	}
	if n := reflect.ValueOf(v); n.CanInt() {
		return int(n.Int())
	} else if n.CanUint() {
		return int(n.Uint())
	}
	return v
}

// rig is a session over a host whose rows hold numbers and strings.
type rig struct {
	t       *testing.T
	s       *Session
	rows    map[uint32]map[string]any
	texts   []string
	onAsk   func(request []any) ([]byte, error)
	onEqual func() (bool, error)
	onOrder func() (int, error)
	asked   []string
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, rows: map[uint32]map[string]any{}, texts: []string{"", "remote", "local", "root", "live"}}
	r.s = NewSession(r)
	return r
}

var errHost = errors.New("the host threw")

func (r *rig) text(s string) int {
	for i, x := range r.texts {
		if x == s {
			return i
		}
	}
	r.texts = append(r.texts, s)
	return len(r.texts) - 1
}

// cells is a cells item of numbers, strings and holes, temporals being those
// strings that hold a NUL.
func (r *rig) cells(values ...any) (cells list, texts list) {
	kinds, vals := octets{}, doubles{}
	for _, v := range values {
		switch x := v.(type) {
		case nil:
			kinds, vals = append(kinds, value.KindUndefined), append(vals, 0)
		case int:
			kinds, vals = append(kinds, value.KindNumber), append(vals, float64(x))
		case string:
			kind := uint8(value.KindString)
			if strings.Contains(x, "\x00") {
				kind = value.KindTemporal
			}
			kinds, vals = append(kinds, kind), append(vals, float64(r.text(x)))
			texts = append(texts, r.text(x), x)
		}
	}
	return list{kinds, vals}, texts
}

func (r *rig) Ask(request []byte) ([]byte, error) {
	q := decode(r.t, request)
	r.asked = append(r.asked, fmt.Sprint(q))
	if r.onAsk != nil {
		return r.onAsk(q)
	}
	return r.answer(q), nil
}

func (r *rig) answer(q []any) []byte {
	var values []any
	ids, _ := q[len(q)-1].([]uint32)
	for _, id := range ids {
		if q[0] == 3 {
			values = append(values, int(id))
		} else {
			values = append(values, r.rows[id][fmt.Sprint(q[3].([]any)[0])])
		}
	}
	cells, texts := r.cells(values...)
	return encode(cells, texts)
}

func (r *rig) Equal(_, _, a, b uint32) (bool, error) {
	if r.onEqual != nil {
		return r.onEqual()
	}
	return reflect.DeepEqual(r.rows[a], r.rows[b]), nil
}

func (r *rig) Compare(_, a, b uint32) (int, error) {
	if r.onOrder != nil {
		return r.onOrder()
	}
	return strings.Compare(r.texts[a], r.texts[b]), nil
}

// run runs a command that must end with a status and returns its effects.
func (r *rig) run(want int32, message []byte) []any {
	r.t.Helper()
	status, out := r.s.Command(message)
	if status != want {
		r.t.Errorf("status %d instead of %d: %q", status, want, out)
	}
	if out == nil {
		return nil
	}
	return decode(r.t, out)
}

func (r *rig) do(items ...any) []any {
	r.t.Helper()
	return r.run(Done, encode(items...))
}

// stats is the state as the counters tell it, those of calls left out.
func (r *rig) stats() string {
	r.t.Helper()
	effects := r.do(opStats)
	m := effects[len(effects)-1].([]any)[1].(map[string]any)
	for _, name := range []string{"commands", "pulls", "bytes", "scanned", "visits", "refills"} {
		if _, ok := m[name]; !ok {
			r.t.Errorf("no counter %s", name)
		}
		delete(m, name)
	}
	return fmt.Sprint(m)
}

var field = list{0, list{"v"}}

func call(name string, args ...any) list { return append(list{2, name}, args...) }
func num(v float64) list                 { return list{1, int(value.KindNumber), v} }
func noQuery() list                      { return list{list{}, nil, list{}, nil, nil} }
func whereQuery(e ...any) list           { return list{list(e), nil, list{}, nil, nil} }
func orderQuery(collation int, limit any) list {
	return list{list{}, nil, list{list{field, 0, 0, collation}}, nil, limit}
}

// open declares, starts and fills root 1 with keys 0 to n-1 in slots of the
// same numbers.
func (r *rig) open(rows ...map[string]any) {
	r.t.Helper()
	r.do(opCreateRoot, 1, list{int(value.KindString), 3}, 0)
	r.do(opStart, 1)
	ops := words{}
	for i, row := range rows {
		r.rows[uint32(i)] = row
		ops = append(ops, 0, uint32(i), uint32(i))
	}
	r.do(opSync, 1, 77, 0, ops, nil, nil, list{}, nil)
	r.do(opMarkReady, 1)
}

func live(op, col, src int, query list) []any { return []any{op, col, src, list{6, 4}, query, nil} }

func v(x any) map[string]any { return map[string]any{"v": x} }
