package msgpack

import (
	"strconv"
	"unsafe"
)

// Tags of the forms that have one. Small integers, short strings and small
// containers live inside their tag.
const (
	tagFixMap   = 0x80
	tagFixArray = 0x90
	tagFixStr   = 0xa0
	tagNil      = 0xc0
	tagFalse    = 0xc2
	tagTrue     = 0xc3
	tagBin8     = 0xc4
	tagBin16    = 0xc5
	tagBin32    = 0xc6
	tagExt32    = 0xc9
	tagFloat32  = 0xca
	tagFloat64  = 0xcb
	tagUint8    = 0xcc
	tagUint16   = 0xcd
	tagUint32   = 0xce
	tagUint64   = 0xcf
	tagInt8     = 0xd0
	tagInt16    = 0xd1
	tagInt32    = 0xd2
	tagInt64    = 0xd3
	tagStr8     = 0xd9
	tagStr16    = 0xda
	tagStr32    = 0xdb
	tagArray16  = 0xdc
	tagArray32  = 0xdd
	tagMap16    = 0xde
	tagMap32    = 0xdf
	tagNegative = 0xe0 // and above: -32 to -1
)

// blockType is the extension type of a block.
const blockType = 1

// MaxDepth is how deep items may nest.
const MaxDepth = 64

// Kind is the type of an item.
type Kind uint8

// The kinds of items. KindOther is what the protocol does not use.
const (
	KindEnd Kind = iota // no item: the message is over, or reading failed
	KindNil
	KindBool
	KindInt
	KindFloat
	KindStr
	KindBin
	KindArray
	KindMap
	KindBlock // an ext item with a 32-bit length; whether it is a block shows when it is read
	KindOther
)

var kindNames = [...]string{
	"end of message", "nil", "bool", "integer", "float", "string", "bytes", "array", "map", "block", "unsupported type",
}

// String names the kind as error texts do.
func (k Kind) String() string { return kindNames[k] }

func kindOf(tag byte) Kind {
	switch {
	case tag < tagFixMap, tag >= tagNegative:
		return KindInt
	case tag < tagFixArray:
		return KindMap
	case tag < tagFixStr:
		return KindArray
	case tag < tagNil:
		return KindStr
	}
	return tagKinds[tag-tagNil]
}

var tagKinds = [...]Kind{
	KindNil, KindOther, KindBool, KindBool,
	KindBin, KindBin, KindBin, KindOther,
	KindOther, KindBlock, KindFloat, KindFloat,
	KindInt, KindInt, KindInt, KindInt,
	KindInt, KindInt, KindInt, KindInt,
	KindOther, KindOther, KindOther, KindOther,
	KindOther, KindStr, KindStr, KindStr,
	KindArray, KindArray, KindMap, KindMap,
}

// Error says where a message is not what its reader expected.
type Error struct {
	At   int    // byte offset from the start of the message
	Want string // what was expected there
	Got  string // what was found
}

// Error implements error.
func (e *Error) Error() string {
	return "message byte " + strconv.Itoa(e.At) + ": expected " + e.Want + ", found " + e.Got
}

// littleEndian tells whether blocks have the byte order of this machine. It
// holds wherever the engine ships; the other way round works, element by element.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// swap32 and swap64 turn elements read or written as little-endian memory into
// numbers of a big-endian machine, in place and back.
func swap32(s []uint32) {
	for i, v := range s {
		s[i] = v>>24 | v>>8&0xff00 | v<<8&0xff0000 | v<<24
	}
}

func swap64(s []uint64) {
	for i, v := range s {
		v = v>>32 | v<<32
		v = v>>16&0x0000ffff0000ffff | v&0x0000ffff0000ffff<<16
		s[i] = v>>8&0x00ff00ff00ff00ff | v&0x00ff00ff00ff00ff<<8
	}
}

func bytesOf32(s []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

func bytesOf64(s []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}

func wordsOf64(s []float64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
