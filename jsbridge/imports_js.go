//go:build js && wasm

package jsbridge

import (
	"errors"
	"unsafe"

	"millrace.dev/millrace/jsbridge/msgpack"
)

//go:wasmimport millrace ask
func importAsk(n int32) int32

//go:wasmimport millrace equal
func importEqual(col, tmpl, a, b uint32) int32

//go:wasmimport millrace compare
func importCompare(collation, a, b uint32) int32

// The ways a pull can fail. What the shell threw stays in the shell.
var (
	errShellThrew = errors.New("the shell threw while the engine pulled from it")
	errAnswerSize = errors.New("the shell's answer is longer than the answer buffer")
	errBadVerdict = errors.New("the shell's verdict is out of range")
)

// moduleHost is the Host of the module's session: it pulls through the imports.
type moduleHost struct {
	pulling bool
	answer  buffer
	aligned msgpack.Writer
}

// Ask implements Host. The answer lies in the answer buffer.
func (h *moduleHost) Ask(req []byte) ([]byte, error) {
	ptr := address(req)
	if ptr%8 != 0 {
		// The host reads blocks through aligned views, so the request must be aligned as a message is.
		h.aligned.Reset()
		req = h.aligned.Raw(req)
		ptr = address(req)
	}
	header[headerAskPtr], header[headerAskLen] = ptr, uint32(len(req))
	h.pulling = true
	n := importAsk(int32(len(req)))
	h.pulling = false
	switch {
	case n < 0:
		return nil, errShellThrew
	case int(n) > h.answer.size():
		return nil, errAnswerSize
	}
	return h.answer.bytes(int(n)), nil
}

// Equal implements Host.
func (h *moduleHost) Equal(col, tmpl, a, b uint32) (bool, error) {
	switch importEqual(col, tmpl, a, b) {
	case 0:
		return false, nil
	case 1:
		return true, nil
	case -1:
		return false, errShellThrew
	}
	return false, errBadVerdict
}

// Compare implements Host.
func (h *moduleHost) Compare(collation, a, b uint32) (int, error) {
	order := importCompare(collation, a, b)
	switch {
	case order == -1:
		return 0, errShellThrew
	case order < 0 || order > 2:
		return 0, errBadVerdict
	}
	return int(order) - 1, nil
}

// address returns where b starts in linear memory. The heap does not move, so
// the address holds as long as b is referenced.
func address(b []byte) uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// buffer is memory that the host writes into, at an address that is a multiple of 8.
type buffer struct {
	words []uint64
}

func (b *buffer) size() int { return 8 * len(b.words) }

// bytes returns the first n bytes.
func (b *buffer) bytes(n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.words))), b.size())[:n:n]
}

// address returns where the buffer starts.
func (b *buffer) address() uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b.words))))
}

// reserve makes the buffer hold at least n bytes, keeping nothing. One larger
// than idleBytes that is hardly used is given back.
func (b *buffer) reserve(n int) {
	switch size := b.size(); {
	case n > size, size == 0:
		n = max(n, min(2*size, maxMessage), minBuffer)
	case size > idleBytes && n < size/8:
		n = max(n, minBuffer)
	default:
		return
	}
	b.words = nil
	b.words = make([]uint64, (n+7)/8)
}

const (
	maxMessage = 1 << 30
	minBuffer  = 4 << 10
	idleBytes  = 256 << 10
)
