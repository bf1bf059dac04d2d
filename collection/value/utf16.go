package value

import "unicode/utf8"

// CompareUTF16 orders two WTF-8 texts as JavaScript's `<` orders the strings they
// stand for, by UTF-16 code units: <0, 0, >0. That is byte order, except that
// characters beyond U+FFFF sort as their surrogates, below U+E000. Linear, without
// allocation; any bytes are accepted.
func CompareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	// Where the texts first differ inside a character, both share its first byte, and
	// bytes decide; only the first bytes of a four-byte character (0xf0 and up) and
	// of one from U+D800 on (0xed to 0xef) can be in another order than the units.
	x, y := a[i], b[i]
	if x < 0xed || y < 0xed || (x >= 0xf0) == (y >= 0xf0) {
		return int(x) - int(y)
	}
	var uBuf, vBuf [2]uint16
	u, v := leadingUnits(uBuf[:0], a[i:]), leadingUnits(vBuf[:0], b[i:])
	if u[0] != v[0] {
		return int(u[0]) - int(v[0])
	}
	if len(u) == len(v) { // both malformed
		return int(x) - int(y)
	}
	// The same surrogate, alone on one side and half of a pair on the other.
	return int(second(u, a[i:])) - int(second(v, b[i:]))
}

// second is the code unit after the first of text, -1 at its end.
func second(first []uint16, text []byte) int32 {
	if len(first) == 2 {
		return int32(first[1])
	}
	_, size := decode(text)
	if size == len(text) {
		return -1
	}
	var buf [2]uint16
	return int32(leadingUnits(buf[:0], text[size:])[0])
}

func leadingUnits(dst []uint16, text []byte) []uint16 {
	r, _ := decode(text)
	return appendUnits(dst, r)
}

// decode reads the first character of WTF-8 text: as utf8.DecodeRune does, but a
// surrogate decodes to itself. A byte that belongs to no character decodes to
// U+FFFD of size 1. text is not empty.
func decode(text []byte) (r rune, size int) {
	if text[0] < utf8.RuneSelf {
		return rune(text[0]), 1
	}
	if isSurrogate(text) {
		return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), 3
	}
	return utf8.DecodeRune(text)
}

// isSurrogate reports whether text starts with a lone surrogate.
func isSurrogate(text []byte) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 && text[1] <= 0xbf &&
		text[2] >= 0x80 && text[2] <= 0xbf
}

// appendRune appends the WTF-8 form of r, which may be a surrogate.
func appendRune(dst []byte, r rune) []byte {
	if r >= 0xd800 && r <= 0xdfff {
		return append(dst, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(dst, r)
}

// appendUnits appends the one or two UTF-16 code units of r.
func appendUnits(dst []uint16, r rune) []uint16 {
	if r < 0x10000 {
		return append(dst, uint16(r))
	}
	r -= 0x10000
	return append(dst, 0xd800|uint16(r>>10), 0xdc00|uint16(r&0x3ff))
}

// appendText appends the UTF-16 code units of WTF-8 text.
func appendText(dst []uint16, text []byte) []uint16 {
	for len(text) > 0 {
		r, size := decode(text)
		dst = appendUnits(dst, r)
		text = text[size:]
	}
	return dst
}

// Units is the length of WTF-8 text as JavaScript counts it, in UTF-16 code
// units. Linear.
func Units(text []byte) int {
	n := 0
	for _, c := range text {
		// Every character has one first byte; those of four bytes are two units.
		if c&0xc0 != 0x80 {
			n++
		}
		if c >= 0xf0 {
			n++
		}
	}
	return n
}
