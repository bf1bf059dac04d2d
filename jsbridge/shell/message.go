package shell

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/vmihailenco/msgpack/v5"
)

const (
	none     = math.MaxUint32 // no slot
	extBlock = 1
	codeExt  = 0xc9 // ext with a 32-bit length
)

// message is a command or an answer being written. Writing into memory cannot
// fail, so errors of the encoder are dropped.
type message struct {
	buf bytes.Buffer
	enc *msgpack.Encoder
}

func newMessage() *message {
	m := &message{}
	m.enc = msgpack.NewEncoder(&m.buf)
	return m
}

func command(op, items int) *message {
	m := newMessage()
	m.array(items + 1)
	m.uint(uint64(op))
	return m
}

func (m *message) array(n int)   { _ = m.enc.EncodeArrayLen(n) }
func (m *message) uint(n uint64) { _ = m.enc.EncodeUint(n) }
func (m *message) u32(n uint32)  { _ = m.enc.EncodeUint(uint64(n)) }
func (m *message) nil()          { _ = m.enc.EncodeNil() }
func (m *message) str(s string)  { _ = m.enc.EncodeString(s) }

// num writes an integer where v is one, else a float64.
func (m *message) num(v float64) {
	if v == math.Trunc(v) && v >= 0 && v < 1<<53 {
		m.uint(uint64(v))
		return
	}
	_ = m.enc.EncodeFloat64(v)
}

// block writes an extension of type block whose data begin at a multiple of 8.
func (m *message) block(data []byte) {
	pad := (8 - (m.buf.Len()+7)%8) % 8
	m.buf.WriteByte(codeExt)
	_ = binary.Write(&m.buf, binary.BigEndian, uint32(1+pad+len(data)))
	m.buf.WriteByte(extBlock)
	m.buf.WriteByte(byte(pad))
	m.buf.Write(make([]byte, pad))
	m.buf.Write(data)
}

func (m *message) blockU32(words []uint32) {
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	m.block(data)
}

// cells collects values as the engine sees them.
type cells struct {
	kinds []byte
	vals  []float64
}

func (c *cells) add(kind uint8, val float64) {
	c.kinds, c.vals = append(c.kinds, kind), append(c.vals, val)
}

// write writes a cells item: one kind for all where they agree, no values where
// none says anything.
func (c *cells) write(m *message) {
	uniform, valued := true, false
	for _, k := range c.kinds {
		uniform = uniform && k == c.kinds[0]
		valued = valued || (k != kindUndefined && k != kindNull && k != kindNaN)
	}
	m.array(2)
	switch {
	case len(c.kinds) == 0:
		m.uint(kindUndefined)
	case uniform:
		m.uint(uint64(c.kinds[0]))
	default:
		m.block(c.kinds)
	}
	if !valued {
		m.nil()
		return
	}
	data := make([]byte, 0, 8*len(c.vals))
	for _, v := range c.vals {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	m.block(data)
}

// textsItem writes the bytes behind ids, those the engine has left out.
func (t *texts) write(m *message, ids []uint32) {
	fresh := ids[:0:0]
	for _, id := range ids {
		if t.claim(id) {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		m.nil()
		return
	}
	m.array(2 * len(fresh))
	for _, id := range fresh {
		m.u32(id)
		if k := t.keys[id]; k.kind == kindBytes {
			_ = m.enc.EncodeBytes([]byte(k.text))
		} else {
			m.str(k.text)
		}
	}
}

// reader reads effects and requests. The first failure sticks.
type reader struct {
	dec *msgpack.Decoder
	err error
}

func newReader(data []byte) *reader {
	return &reader{dec: msgpack.NewDecoder(bytes.NewReader(data))}
}

func (r *reader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) array() int {
	n, err := r.dec.DecodeArrayLen()
	r.note(err)
	return max(n, 0)
}

func (r *reader) u32() uint32 {
	n, err := r.dec.DecodeUint32()
	r.note(err)
	return n
}

// str reads a string; nil is "".
func (r *reader) str() string {
	s, err := r.dec.DecodeString()
	r.note(err)
	return s
}

// block reads a block, or nil.
func (r *reader) block() []byte {
	if r.err != nil {
		return nil
	}
	if c, err := r.dec.PeekCode(); err == nil && c == 0xc0 {
		r.note(r.dec.DecodeNil())
		return nil
	}
	typ, n, err := r.dec.DecodeExtHeader()
	r.note(err)
	if r.err == nil && (typ != extBlock || n < 1) {
		r.note(&Error{Code: CodeBadMessage, Message: "an extension that is no block"})
	}
	if r.err != nil {
		return nil
	}
	data := make([]byte, n)
	r.note(r.dec.ReadFull(data))
	pad := int(data[0])
	if 1+pad > n {
		r.note(&Error{Code: CodeBadMessage, Message: "a block shorter than its padding"})
		return nil
	}
	return data[1+pad:]
}

func (r *reader) blockU32() []uint32 {
	data := r.block()
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}
