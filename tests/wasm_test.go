package tests

import (
	"errors"
	"slices"
	"testing"

	"millrace.dev/millrace/jsbridge/msgpack"
)

// interfaceOf returns the sorted names of a module's imports, with their
// namespaces, and of its exports. It reads the two sections of the binary
// format itself: what hosts must provide is not left to what one of them shows.
func interfaceOf(t *testing.T, module []byte) (imports, exports []string) {
	t.Helper()
	const importSection, exportSection = 2, 7
	r := wasmReader{t: t, rest: module}
	r.take(8) // magic number and version
	for len(r.rest) > 0 {
		id := r.take(1)[0]
		section := wasmReader{t: t, rest: r.take(r.number())}
		switch id {
		case importSection:
			for range section.number() {
				namespace, name := section.name(), section.name()
				imports = append(imports, namespace+"."+name)
				if kind := section.take(1)[0]; kind != 0 {
					t.Fatalf("import %s.%s is no function but of kind %d", namespace, name, kind)
				}
				section.number()
			}
		case exportSection:
			for range section.number() {
				exports = append(exports, section.name())
				section.take(1)
				section.number()
			}
		}
	}
	slices.Sort(imports)
	slices.Sort(exports)
	return imports, exports
}

// wasmReader is a cursor over a part of a module.
type wasmReader struct {
	t    *testing.T
	rest []byte
}

func (r *wasmReader) take(n int) []byte {
	if n > len(r.rest) {
		r.t.Fatalf("the module ends early: %d bytes of %d", len(r.rest), n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// number reads an unsigned LEB128 number.
func (r *wasmReader) number() int {
	n := 0
	for shift := 0; ; shift += 7 {
		b := r.take(1)[0]
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

func (r *wasmReader) name() string { return string(r.take(r.number())) }

// silentHost refuses everything.
type silentHost struct{}

var errSilent = errors.New("nobody answers")

func (silentHost) Ask([]byte) ([]byte, error)            { return nil, errSilent }
func (silentHost) Equal(_, _, _, _ uint32) (bool, error) { return false, errSilent }
func (silentHost) Compare(_, _, _ uint32) (int, error)   { return 0, errSilent }

// columnHost answers every request for a column or for keys with numbers counting down.
type columnHost struct {
	silentHost
	asked  int
	refuse bool
	nested func()
	answer msgpack.Writer
	slots  []uint32
}

func (h *columnHost) Ask(request []byte) ([]byte, error) {
	if h.nested != nil {
		h.nested()
	}
	if h.refuse {
		return nil, errSilent
	}
	h.asked++
	var r msgpack.Reader
	r.Reset(request)
	for range r.Array() - 1 {
		r.Skip() // the ids come last, in requests for a column and for keys alike
	}
	h.slots = r.BlockU32(h.slots)
	if r.Err() != nil {
		return nil, r.Err()
	}
	vals := make([]float64, len(h.slots))
	for i, slot := range h.slots {
		vals[i] = -float64(slot)
	}
	w := &h.answer
	w.Reset()
	w.Array(2)
	w.Array(2)
	w.Int(3) // all are numbers
	w.BlockF64(vals)
	w.Nil()
	return w.Bytes(), nil
}

// Equal finds no two rows equal.
func (h *columnHost) Equal(_, _, _, _ uint32) (bool, error) { return false, nil }

// loadedRoot returns the commands that make root 1 with n rows.
func loadedRoot(n int) [][]byte {
	triples := make([]uint32, 0, 3*n)
	for i := range uint32(n) {
		triples = append(triples, 0, i, i)
	}
	return [][]byte{
		command(func(w *msgpack.Writer) {
			w.Array(4)
			w.Int(1)
			w.Int(1)
			w.Array(2)
			w.Int(6)
			w.Int(0)
			w.Int(0)
		}),
		command(func(w *msgpack.Writer) {
			w.Array(2)
			w.Int(2)
			w.Int(1)
		}),
		command(func(w *msgpack.Writer) {
			w.Array(9)
			w.Int(6)
			w.Int(1)
			w.Int(0)
			w.Int(0)
			w.BlockU32(triples)
			w.Nil()
			w.Nil()
			w.Array(0)
			w.Nil()
		}),
	}
}

// orderedQuery returns the command that keeps root 1 ordered by a column as
// live collection col.
func orderedQuery(col int64, path ...string) []byte {
	if len(path) == 0 {
		path = []string{"rank"}
	}
	return command(func(w *msgpack.Writer) {
		w.Array(6)
		w.Int(8)
		w.Int(col)
		w.Int(1)
		w.Array(2)
		w.Int(6)
		w.Int(0)
		w.Array(5)
		w.Array(0)
		w.Nil()
		w.Array(1)
		w.Array(4)
		w.Array(2)
		w.Int(0)
		w.Array(len(path))
		for _, name := range path {
			w.Str(name)
		}
		w.Int(0)
		w.Int(0)
		w.Int(0)
		w.Nil()
		w.Int(50)
		w.Nil()
	})
}

func command(write func(w *msgpack.Writer)) []byte {
	var w msgpack.Writer
	write(&w)
	return w.Bytes()
}
