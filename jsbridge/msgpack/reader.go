package msgpack

import (
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// A Reader is a cursor over one message. A read that fails returns the zero
// value and leaves a sticky error: from then on every read returns zero values,
// so a decoder may read a whole structure and look at Err once.
type Reader struct {
	buf []byte
	pos int
	err *Error
}

// Reset starts reading msg, which must not change while it is read.
func (r *Reader) Reset(msg []byte) { r.buf, r.pos, r.err = msg, 0, nil }

// Err returns the first error, an *Error, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Failed tells whether a read failed.
func (r *Reader) Failed() bool { return r.err != nil }

// Pos returns the offset of the next item in bytes.
func (r *Reader) Pos() int { return r.pos }

// Left returns the number of bytes that have not been read.
func (r *Reader) Left() int { return len(r.buf) - r.pos }

// Done tells whether the message is read to its end, or reading failed.
func (r *Reader) Done() bool { return r.err != nil || r.pos >= len(r.buf) }

// Fail records an error of the decoder that uses r, at offset at, unless there
// is one already: a value that is well formed but means nothing.
func (r *Reader) Fail(at int, want, got string) {
	if r.err == nil {
		r.err = &Error{At: at, Want: want, Got: got}
	}
}

// Kind returns the kind of the next item.
func (r *Reader) Kind() Kind {
	if r.err != nil || r.pos >= len(r.buf) {
		return KindEnd
	}
	return kindOf(r.buf[r.pos])
}

// Nil takes nil if it is next and tells whether it was.
func (r *Reader) Nil() bool {
	if r.Kind() != KindNil {
		return false
	}
	r.pos++
	return true
}

// Bool reads a bool.
func (r *Reader) Bool() bool {
	if !r.expect(KindBool) {
		return false
	}
	r.pos++
	return r.buf[r.pos-1] == tagTrue
}

// Int reads an integer.
func (r *Reader) Int() int64 { return r.IntRange(math.MinInt64, math.MaxInt64) }

// U32 reads an integer from 0 to 2^32-1.
func (r *Reader) U32() uint32 { return uint32(r.IntRange(0, math.MaxUint32)) }

// IntRange reads an integer from lo to hi; any other is an error.
func (r *Reader) IntRange(lo, hi int64) int64 {
	if !r.expect(KindInt) {
		return 0
	}
	start := r.pos
	v, fits := r.integer()
	if r.err == nil && (!fits || v < lo || v > hi) {
		got := strconv.FormatInt(v, 10)
		if !fits {
			got = strconv.FormatUint(uint64(v), 10)
		}
		r.pos = start
		r.Fail(start, "an integer from "+strconv.FormatInt(lo, 10)+" to "+strconv.FormatInt(hi, 10), got)
	}
	if r.err != nil {
		return 0
	}
	return v
}

// integer reads an integer item; fits is false when it is over 2^63-1.
func (r *Reader) integer() (v int64, fits bool) {
	tag := r.buf[r.pos]
	if tag < tagFixMap || tag >= tagNegative {
		r.pos++
		return int64(int8(tag)), true
	}
	u := r.be(1 << (tag & 3)) // both families count 1, 2, 4, 8 bytes in their last two bits
	switch tag {
	case tagInt8:
		return int64(int8(u)), true
	case tagInt16:
		return int64(int16(u)), true
	case tagInt32:
		return int64(int32(u)), true
	case tagInt64:
		return int64(u), true
	}
	return int64(u), u <= math.MaxInt64
}

// F64 reads a float or an integer.
func (r *Reader) F64() float64 {
	if r.Kind() == KindInt {
		v, fits := r.integer()
		switch {
		case r.err != nil:
			return 0
		case !fits:
			return float64(uint64(v))
		}
		return float64(v)
	}
	if !r.expect(KindFloat) {
		return 0
	}
	if r.buf[r.pos] == tagFloat32 {
		return float64(math.Float32frombits(uint32(r.be(4))))
	}
	return math.Float64frombits(r.be(8))
}

// Str reads a string: its bytes, in place.
func (r *Reader) Str() []byte {
	if !r.expect(KindStr) {
		return nil
	}
	tag := r.buf[r.pos]
	if tag < tagNil {
		r.pos++
		return r.take(uint64(tag & 0x1f))
	}
	return r.take(r.be(1 << (tag - tagStr8)))
}

// Bin reads bytes, in place.
func (r *Reader) Bin() []byte {
	if !r.expect(KindBin) {
		return nil
	}
	return r.take(r.be(1 << (r.buf[r.pos] - tagBin8)))
}

// Text reads a string or bytes, in place, and tells which.
func (r *Reader) Text() (text []byte, bin bool) {
	if r.Kind() == KindBin {
		return r.Bin(), true
	}
	return r.Str(), false
}

// Array reads the header of an array and returns the number of its items, which
// is never more than the bytes that are left.
func (r *Reader) Array() int { return r.container(KindArray, tagFixStr, tagArray16, 1) }

// ArrayOf reads the header of an array that must have n items.
func (r *Reader) ArrayOf(n int) {
	start := r.pos
	if got := r.Array(); r.err == nil && got != n {
		r.Fail(start, "an array of "+strconv.Itoa(n), strconv.Itoa(got)+" items")
	}
}

// Map reads the header of a map and returns the number of its pairs.
func (r *Reader) Map() int { return r.container(KindMap, tagFixArray, tagMap16, 2) }

func (r *Reader) container(kind Kind, fixEnd, tag16 byte, itemBytes uint64) int {
	if !r.expect(kind) {
		return 0
	}
	start, n := r.pos, uint64(0)
	if tag := r.buf[r.pos]; tag < fixEnd {
		r.pos++
		n = uint64(tag & 0x0f)
	} else {
		n = r.be(2 << (tag - tag16))
	}
	if left := uint64(len(r.buf) - r.pos); r.err == nil && n*itemBytes > left {
		r.Fail(start, strconv.FormatUint(n*itemBytes, 10)+" items", strconv.FormatUint(left, 10)+" bytes")
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// BlockU32 reads a block of words, appending them to dst[:0].
func (r *Reader) BlockU32(dst []uint32) []uint32 {
	data := r.block(4)
	n := len(data) / 4
	dst = slices.Grow(dst[:0], n)[:n]
	copy(bytesOf32(dst), data)
	if !littleEndian {
		swap32(dst)
	}
	return dst
}

// LongBlockU32 reads a block of words: one of many in place, where the machine
// allows, and any other into buf. A block in place is gone with the message.
func (r *Reader) LongBlockU32(buf *[]uint32) []uint32 {
	from := r.pos
	if data := r.block(4); len(data) >= inPlace && littleEndian {
		if at := unsafe.Pointer(&data[0]); uintptr(at)%4 == 0 {
			return unsafe.Slice((*uint32)(at), len(data)/4)
		}
	}
	if r.err != nil {
		return nil
	}
	r.pos = from
	*buf = r.BlockU32((*buf)[:0])
	return *buf
}

// inPlace is from how many bytes on a copy of a block is worth avoiding.
const inPlace = 1 << 14

// BlockF64 reads a block of doubles, appending them to dst[:0].
func (r *Reader) BlockF64(dst []float64) []float64 {
	data := r.block(8)
	n := len(data) / 8
	dst = slices.Grow(dst[:0], n)[:n]
	copy(bytesOf64(dst), data)
	if !littleEndian {
		swap64(wordsOf64(dst))
	}
	return dst
}

// BlockBytes reads a block of bytes, in place.
func (r *Reader) BlockBytes() []byte { return r.block(1) }

// block reads a block of elements of the given size, in place. Its data must
// begin at a multiple of 8 and its padding must be shorter than that.
func (r *Reader) block(elem int) []byte {
	if !r.expect(KindBlock) {
		return nil
	}
	start := r.pos
	n := r.be(4)
	if r.err != nil {
		return nil
	}
	body := r.take(n + 1) // the type is not counted
	if r.err != nil {
		return nil
	}
	if body[0] == blockType && n > 0 {
		pad := int(body[1])
		data := r.pos - int(n) + 1 + pad
		if pad < 8 && pad < int(n) && data%8 == 0 && (r.pos-data)%elem == 0 {
			return r.buf[data:r.pos:r.pos]
		}
	}
	r.pos = start
	r.Fail(start, "an aligned block of "+strconv.Itoa(elem)+"-byte elements", "another extension item")
	return nil
}

// Skip passes over the next item and whatever it holds, at most MaxDepth deep.
func (r *Reader) Skip() { r.skip(0) }

func (r *Reader) skip(depth int) {
	if depth >= MaxDepth {
		r.Fail(r.pos, "nesting of at most "+strconv.Itoa(MaxDepth), "more")
		return
	}
	items := 0
	switch r.Kind() {
	case KindNil, KindBool:
		r.pos++
	case KindInt:
		r.integer()
	case KindFloat:
		r.F64()
	case KindStr:
		r.Str()
	case KindBin:
		r.Bin()
	case KindBlock:
		r.block(1)
	case KindArray:
		items = r.Array()
	case KindMap:
		items = 2 * r.Map()
	default:
		r.mismatch("an item of the protocol")
	}
	for ; items > 0 && r.err == nil; items-- {
		r.skip(depth + 1)
	}
}

// be reads the tag under the cursor and the n-byte big-endian number after it.
func (r *Reader) be(n int) uint64 {
	if len(r.buf)-r.pos < 1+n {
		r.Fail(r.pos, strconv.Itoa(1+n)+" bytes", strconv.Itoa(len(r.buf)-r.pos))
		return 0
	}
	var v uint64
	for _, b := range r.buf[r.pos+1 : r.pos+1+n] {
		v = v<<8 | uint64(b)
	}
	r.pos += 1 + n
	return v
}

// take returns the next n bytes and moves behind them.
func (r *Reader) take(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	if left := uint64(len(r.buf) - r.pos); n > left {
		r.Fail(r.pos, strconv.FormatUint(n, 10)+" bytes", strconv.FormatUint(left, 10))
		return nil
	}
	end := r.pos + int(n)
	b := r.buf[r.pos:end:end]
	r.pos = end
	return b
}

// expect tells whether an item of the kind is next; if not, reading fails.
func (r *Reader) expect(kind Kind) bool {
	if r.Kind() == kind {
		return true
	}
	r.mismatch(kind.String())
	return false
}

func (r *Reader) mismatch(want string) {
	if r.err == nil {
		r.Fail(r.pos, want, r.Kind().String())
	}
}
