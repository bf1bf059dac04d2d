package msgpack

import (
	"math"
	"unsafe"
)

// A Writer writes one message into a buffer that it owns and reuses. The buffer
// starts at an address that is a multiple of 8, so the data of blocks are
// aligned in memory as they are in the message. The zero Writer is ready.
type Writer struct {
	buf []byte
}

// Reset starts an empty message, keeping the buffer.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

// Release starts an empty message and drops the buffer if it is larger than
// keep bytes.
func (w *Writer) Release(keep int) {
	w.Reset()
	if cap(w.buf) > keep {
		w.buf = nil
	}
}

// Bytes returns the message so far, valid until the next write.
func (w *Writer) Bytes() []byte { return w.buf }

// Len returns the bytes written.
func (w *Writer) Len() int { return len(w.buf) }

// Truncate takes the message back to its first n bytes.
func (w *Writer) Truncate(n int) { w.buf = w.buf[:n] }

// Nil writes nil.
func (w *Writer) Nil() { w.byte(tagNil) }

// Bool writes a bool.
func (w *Writer) Bool(v bool) {
	if v {
		w.byte(tagTrue)
	} else {
		w.byte(tagFalse)
	}
}

// Int writes an integer in the shortest form.
func (w *Writer) Int(v int64) {
	switch {
	case v >= 0:
		w.Uint(uint64(v))
	case v >= -0x20:
		w.byte(byte(v))
	case v >= math.MinInt8:
		w.head8(tagInt8, byte(v))
	case v >= math.MinInt16:
		w.head16(tagInt16, uint16(v))
	case v >= math.MinInt32:
		w.head32(tagInt32, uint32(v))
	default:
		w.head64(tagInt64, uint64(v))
	}
}

// Uint writes a non-negative integer in the shortest form.
func (w *Writer) Uint(v uint64) {
	switch {
	case v < tagFixMap:
		w.byte(byte(v))
	case v <= math.MaxUint8:
		w.head8(tagUint8, byte(v))
	case v <= math.MaxUint16:
		w.head16(tagUint16, uint16(v))
	case v <= math.MaxUint32:
		w.head32(tagUint32, uint32(v))
	default:
		w.head64(tagUint64, v)
	}
}

// F64 writes a float64, whatever the value.
func (w *Writer) F64(v float64) { w.head64(tagFloat64, math.Float64bits(v)) }

// Num writes v as an integer if it is one that a float64 holds exactly (and not
// -0), else as a float64.
func (w *Writer) Num(v float64) {
	const safe = 1<<53 - 1
	if v == math.Trunc(v) && v >= -safe && v <= safe && (v != 0 || !math.Signbit(v)) {
		w.Int(int64(v))
	} else {
		w.F64(v)
	}
}

// Str writes a string.
func (w *Writer) Str(s string) {
	w.strHeader(len(s))
	w.buf = append(w.buf, s...)
}

// StrBytes writes the string whose bytes are s.
func (w *Writer) StrBytes(s []byte) {
	w.strHeader(len(s))
	w.buf = append(w.buf, s...)
}

// Bin writes bytes.
func (w *Writer) Bin(b []byte) {
	n := len(b)
	w.need(5 + n)
	switch {
	case n <= math.MaxUint8:
		w.head8(tagBin8, byte(n))
	case n <= math.MaxUint16:
		w.head16(tagBin16, uint16(n))
	default:
		w.head32(tagBin32, uint32(n))
	}
	w.buf = append(w.buf, b...)
}

// Array writes the header of an array; its n items follow.
func (w *Writer) Array(n int) { w.container(n, tagFixArray, tagArray16, tagArray32) }

// Map writes the header of a map; n pairs of key and value follow.
func (w *Writer) Map(n int) { w.container(n, tagFixMap, tagMap16, tagMap32) }

// OpenArray writes the header of an array whose length is not known yet and
// returns the mark that CloseArray takes.
func (w *Writer) OpenArray() int {
	w.head32(tagArray32, 0)
	return len(w.buf) - 4
}

// CloseArray sets the length of the array opened with mark.
func (w *Writer) CloseArray(mark, n int) { put32(w.buf[mark:mark+4], uint32(n)) }

// BlockU32 writes a block of words.
func (w *Writer) BlockU32(v []uint32) {
	dst := w.BlockU32Space(len(v))
	copy(dst, v)
	if !littleEndian {
		swap32(dst)
	}
}

// BlockU32Space writes a block of n words for the caller to fill before the
// next write; their content is undefined until then. On a big-endian machine
// only BlockU32 may be used.
func (w *Writer) BlockU32Space(n int) []uint32 {
	b := w.block(4 * n)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), n)
}

// BlockF64 writes a block of doubles.
func (w *Writer) BlockF64(v []float64) {
	dst := w.block(8 * len(v))
	copy(dst, bytesOf64(v))
	if !littleEndian && len(v) > 0 {
		swap64(unsafe.Slice((*uint64)(unsafe.Pointer(&dst[0])), len(v)))
	}
}

// BlockBytes writes a block of bytes.
func (w *Writer) BlockBytes(v []byte) { copy(w.block(len(v)), v) }

// BlockBytesSpace writes a block of n bytes for the caller to fill before the
// next write; their content is undefined until then.
func (w *Writer) BlockBytesSpace(n int) []byte { return w.block(n) }

// Raw appends the bytes of a message as they are and returns them where they
// now lie. Blocks stay aligned if nothing was written before.
func (w *Writer) Raw(message []byte) []byte {
	w.need(len(message))
	at := len(w.buf)
	w.buf = append(w.buf, message...)
	return w.buf[at:]
}

// block writes the header and padding of a block of n bytes and returns the
// place of its data.
func (w *Writer) block(n int) []byte {
	head := len(w.buf) + 7
	pad := -head & 7
	w.need(7 + pad + n)
	w.head32(tagExt32, uint32(1+pad+n))
	w.buf = append(w.buf, blockType, byte(pad))
	for range pad {
		w.buf = append(w.buf, 0)
	}
	at := len(w.buf)
	w.buf = w.buf[:at+n]
	return w.buf[at : at+n : at+n]
}

func (w *Writer) strHeader(n int) {
	w.need(5 + n)
	switch {
	case n < 32:
		w.byte(tagFixStr | byte(n))
	case n <= math.MaxUint8:
		w.head8(tagStr8, byte(n))
	case n <= math.MaxUint16:
		w.head16(tagStr16, uint16(n))
	default:
		w.head32(tagStr32, uint32(n))
	}
}

func (w *Writer) container(n int, fix, tag16, tag32 byte) {
	switch {
	case n < 16:
		w.byte(fix | byte(n))
	case n <= math.MaxUint16:
		w.head16(tag16, uint16(n))
	default:
		w.head32(tag32, uint32(n))
	}
}

func (w *Writer) byte(b byte) {
	w.need(1)
	w.buf = append(w.buf, b)
}

func (w *Writer) head8(tag, v byte) {
	w.need(2)
	w.buf = append(w.buf, tag, v)
}

func (w *Writer) head16(tag byte, v uint16) {
	w.need(3)
	w.buf = append(w.buf, tag, byte(v>>8), byte(v))
}

func (w *Writer) head32(tag byte, v uint32) {
	w.need(5)
	w.buf = append(w.buf, tag, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func (w *Writer) head64(tag byte, v uint64) {
	w.need(9)
	w.buf = append(w.buf, tag, byte(v>>56), byte(v>>48), byte(v>>40), byte(v>>32),
		byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

// need makes room for n more bytes, keeping the buffer's address a multiple of 8.
func (w *Writer) need(n int) {
	if len(w.buf)+n > cap(w.buf) {
		w.grow(n)
	}
}

func (w *Writer) grow(n int) {
	size := max(2*cap(w.buf), len(w.buf)+n, 512)
	words := make([]uint64, (size+7)/8)
	buf := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	w.buf = buf[:copy(buf, w.buf)]
}

func put32(b []byte, v uint32) {
	b[0], b[1], b[2], b[3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
}
