package msgpack_test

import (
	"bytes"
	"math"
	"testing"

	vm "github.com/vmihailenco/msgpack/v5"

	"millrace.dev/millrace/jsbridge/msgpack"
)

// FuzzReader feeds any bytes: reading must not panic, and must agree with the
// other implementation about what is a valid item and where it ends, as far as
// both support its type.
func FuzzReader(f *testing.F) {
	var w msgpack.Writer
	w.Array(6)
	w.Int(-70000)
	w.Str("text")
	w.Bin([]byte{1, 2, 3})
	w.F64(1e100)
	w.BlockU32([]uint32{1, 2, 3})
	w.Map(1)
	w.Str("key")
	w.Bool(true)
	for n := range w.Len() + 1 {
		f.Add(w.Bytes()[:n])
	}
	for tag := 0x80; tag < 0x100; tag++ {
		f.Add([]byte{byte(tag), 0, 1, 2, 3, 4, 5, 6, 7, 8})
		f.Add(bytes.Repeat([]byte{byte(tag)}, 70))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		var r msgpack.Reader
		r.Reset(message)
		r.Skip()
		rest := bytes.NewReader(message)
		err := vm.NewDecoder(rest).Skip()
		switch {
		case r.Err() == nil && err != nil:
			t.Fatalf("we accept %x, they say %v", message, err)
		case r.Err() == nil && rest.Len() != len(message)-r.Pos():
			t.Fatalf("%x ends at %d for us, at %d for them", message, r.Pos(), len(message)-rest.Len())
		case r.Err() != nil && err == nil && supported(message):
			t.Fatalf("they accept %x, we say %v", message, r.Err())
		}
		readEveryWay(message)
	})
}

// supported tells whether an item accepted by the other implementation has only
// types and depths that the protocol uses. It knows nothing of Reader.
func supported(message []byte) bool {
	for _, b := range message {
		switch b {
		case 0xc1, 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
			return false // an extension or unused tag may be among the items, so they may differ
		}
	}
	depth := 0
	for _, b := range message {
		if b >= 0x80 && b < 0xa0 || b >= 0xdc && b < 0xe0 {
			depth++
		}
	}
	return depth < msgpack.MaxDepth
}

// readEveryWay calls every read at every offset.
func readEveryWay(message []byte) {
	reads := []func(r *msgpack.Reader){
		func(r *msgpack.Reader) { r.Bool() },
		func(r *msgpack.Reader) { r.Int() },
		func(r *msgpack.Reader) { r.U32() },
		func(r *msgpack.Reader) { r.F64() },
		func(r *msgpack.Reader) { r.Text() },
		func(r *msgpack.Reader) { r.Array() },
		func(r *msgpack.Reader) { r.Map() },
		func(r *msgpack.Reader) { r.BlockU32(nil) },
		func(r *msgpack.Reader) { r.LongBlockU32(new([]uint32)) },
		func(r *msgpack.Reader) { r.BlockF64(nil) },
		func(r *msgpack.Reader) { r.BlockBytes() },
		func(r *msgpack.Reader) { r.Nil() },
		func(r *msgpack.Reader) { r.Skip() },
	}
	for from := range min(len(message), 64) {
		for _, read := range reads {
			var r msgpack.Reader
			r.Reset(message[from:])
			for at := -1; r.Pos() > at && !r.Done(); read(&r) {
				at = r.Pos()
			}
		}
	}
}

// FuzzWriter writes what the fuzzer composes and reads it back with both.
func FuzzWriter(f *testing.F) {
	f.Add(int64(-129), uint64(1<<40), 0.5, "text", []byte{1, 2})
	f.Add(int64(31), uint64(255), math.Copysign(0, -1), "", []byte{})
	f.Fuzz(func(t *testing.T, i int64, u uint64, n float64, s string, b []byte) {
		value := []any{i, n, s, b, nil, []any{s}}
		var w msgpack.Writer
		write(&w, value)
		w.Uint(u)
		w.BlockBytes(b)
		d := vm.NewDecoder(bytes.NewReader(w.Bytes()))
		theirs, err := d.DecodeInterface()
		if err != nil || !equal(value, theirs) {
			t.Fatalf("they read %#v, %v", theirs, err)
		}
		if got, err := d.DecodeUint64(); err != nil || got != u {
			t.Fatalf("they read %d, %v, want %d", got, err, u)
		}
		var r msgpack.Reader
		r.Reset(w.Bytes())
		if ours := read(&r); !equal(value, ours) {
			t.Fatalf("we read %#v", ours)
		}
		r.Skip()
		if got := r.BlockBytes(); !bytes.Equal(got, b) || r.Err() != nil {
			t.Fatalf("block %x, %v", got, r.Err())
		}
	})
}
