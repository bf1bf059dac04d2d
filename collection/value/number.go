package value

import (
	"math"
	"strconv"
)

// ToNumber is JavaScript's StringToNumber on WTF-8 text: white space is trimmed,
// nothing left is 0, 0x/0o/0b literals take no sign, decimals may lack either side
// of the point, Infinity may carry a sign; anything else is NaN, underscores and
// the n suffix included. Linear; at most one small allocation.
func ToNumber(text []byte) float64 {
	text = trimSpace(text)
	if len(text) == 0 {
		return 0
	}
	if shift := radixShift(text); shift != 0 {
		return radixFloat(text[2:], shift)
	}
	body := text
	if body[0] == '-' || body[0] == '+' {
		body = body[1:]
	}
	if string(body) == "Infinity" {
		if text[0] == '-' {
			return math.Inf(-1)
		}
		return math.Inf(1)
	}
	if !isDecimalLiteral(body) {
		return math.NaN()
	}
	// Out of range is an error to strconv, but the value it comes with, an infinity,
	// is what JavaScript answers.
	v, _ := strconv.ParseFloat(string(text), 64)
	return v
}

// isDecimalLiteral reports whether text is an unsigned StrDecimalLiteral, which is
// narrower than what strconv takes.
func isDecimalLiteral(text []byte) bool {
	whole := countDigits(text)
	text = text[whole:]
	fraction := 0
	if len(text) > 0 && text[0] == '.' {
		fraction = countDigits(text[1:])
		text = text[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if len(text) == 0 {
		return true
	}
	if text[0]|0x20 != 'e' {
		return false
	}
	text = text[1:]
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	return len(text) > 0 && countDigits(text) == len(text)
}

func countDigits(text []byte) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// trimSpace drops JavaScript's white space and line terminators from both ends.
func trimSpace(text []byte) []byte {
	for len(text) > 0 {
		n := spaceAt(text)
		if n == 0 {
			break
		}
		text = text[n:]
	}
	for len(text) > 0 {
		n := spaceBefore(text)
		if n == 0 {
			break
		}
		text = text[:len(text)-n]
	}
	return text
}

func isASCIISpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// spaceAt is the length in bytes of the white space character text starts with, 0
// when it starts with none.
func spaceAt(text []byte) int {
	switch {
	case isASCIISpace(text[0]):
		return 1
	case len(text) >= 2 && text[0] == 0xc2 && text[1] == 0xa0: // U+00A0
		return 2
	case len(text) >= 3 && isWideSpace(text[0], text[1], text[2]):
		return 3
	}
	return 0
}

// spaceBefore is the length in bytes of the white space character text ends with.
func spaceBefore(text []byte) int {
	n := len(text)
	switch {
	case isASCIISpace(text[n-1]):
		return 1
	case n >= 2 && text[n-2] == 0xc2 && text[n-1] == 0xa0:
		return 2
	case n >= 3 && isWideSpace(text[n-3], text[n-2], text[n-1]):
		return 3
	}
	return 0
}

func isWideSpace(a, b, c byte) bool {
	switch a {
	case 0xe1: // U+1680
		return b == 0x9a && c == 0x80
	case 0xe2: // U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F
		return b == 0x80 && (c >= 0x80 && c <= 0x8a || c == 0xa8 || c == 0xa9 || c == 0xaf) ||
			b == 0x81 && c == 0x9f
	case 0xe3: // U+3000
		return b == 0x80 && c == 0x80
	case 0xef: // U+FEFF
		return b == 0xbb && c == 0xbf
	}
	return false
}
