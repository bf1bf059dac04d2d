package value

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
)

// decimal is a bigint in decimal: digits without leading zeros, none at all for
// zero, which is never negative.
type decimal struct {
	neg    bool
	digits []byte
}

// parseDecimal reads a bigint's text, or any optionally signed run of digits.
func parseDecimal(text []byte) decimal {
	var d decimal
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		d.neg = text[0] == '-'
		text = text[1:]
	}
	for len(text) > 0 && text[0] == '0' {
		text = text[1:]
	}
	d.digits = text
	d.neg = d.neg && len(text) > 0
	return d
}

// CompareBigInt orders two bigints given as decimal texts: <0, 0, >0. Linear in
// the digits, without allocation.
func CompareBigInt(a, b []byte) int {
	return compareDecimal(parseDecimal(a), parseDecimal(b))
}

func compareDecimal(a, b decimal) int {
	switch {
	case a.neg && !b.neg:
		return -1
	case !a.neg && b.neg:
		return 1
	case a.neg:
		a, b = b, a
	}
	if len(a.digits) != len(b.digits) {
		return len(a.digits) - len(b.digits)
	}
	return bytes.Compare(a.digits, b.digits)
}

// CompareBigIntNumber orders a bigint, given as its decimal text, against a number
// by their exact mathematical values: <0, 0, >0. v is not NaN. It allocates nothing
// while the bigint has at most 18 digits.
func CompareBigIntNumber(text []byte, v float64) int {
	d := parseDecimal(text)
	switch {
	case v >= 0x1p63 && len(d.digits) <= 18, math.IsInf(v, 1):
		return -1
	case v < -0x1p63 && len(d.digits) <= 18, math.IsInf(v, -1):
		return 1
	}
	whole := math.Trunc(v)
	var order int
	if len(d.digits) <= 18 {
		order = compareInt(d.int64(), int64(whole))
	} else {
		var buf [400]byte // 309 digits at most, and a sign
		order = compareDecimal(d, parseDecimal(strconv.AppendFloat(buf[:0], whole, 'f', 0, 64)))
	}
	switch {
	case order != 0 || whole == v:
		return order
	case v > whole:
		return -1
	}
	return 1
}

// int64 is the value of a decimal of at most 18 digits.
func (d decimal) int64() int64 {
	var n int64
	for _, c := range d.digits {
		n = n*10 + int64(c-'0')
	}
	if d.neg {
		return -n
	}
	return n
}

func compareInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// parseBigInt is JavaScript's StringToBigInt: white space is trimmed, nothing left
// is 0n, a sign may precede decimal digits but not a 0x, 0o or 0b literal; neither
// fractions nor exponents nor the n suffix. ok is false where JavaScript answers
// undefined. Only the prefixed forms allocate.
func parseBigInt(text []byte) (d decimal, ok bool) {
	text = trimSpace(text)
	if shift := radixShift(text); shift != 0 {
		return decimalFromRadix(text[2:], shift)
	}
	body := text
	if len(body) > 0 && (body[0] == '-' || body[0] == '+') {
		body = body[1:]
		if len(body) == 0 {
			return decimal{}, false
		}
	}
	for _, c := range body {
		if c < '0' || c > '9' {
			return decimal{}, false
		}
	}
	return parseDecimal(text), true
}

// decimalFromRadix converts digits of 1<<shift each. Quadratic in their number.
func decimalFromRadix(digits []byte, shift uint) (d decimal, ok bool) {
	const limbBase = 1_000_000_000
	var limbs []uint32 // little-endian, base 10^9
	for _, c := range digits {
		v := digitValue(c)
		if v>>shift != 0 {
			return decimal{}, false
		}
		carry := uint64(v)
		for i, limb := range limbs {
			carry += uint64(limb) << shift
			limbs[i] = uint32(carry % limbBase)
			carry /= limbBase
		}
		if carry > 0 {
			limbs = append(limbs, uint32(carry))
		}
	}
	if len(digits) == 0 {
		return decimal{}, false
	}
	out := make([]byte, 0, len(limbs)*9)
	for i := len(limbs) - 1; i >= 0; i-- {
		var group [9]byte
		n := limbs[i]
		for j := 8; j >= 0; j-- {
			group[j] = '0' + byte(n%10)
			n /= 10
		}
		out = append(out, group[:]...)
	}
	return parseDecimal(out), true
}

// radixShift is the bits per digit of a literal that starts with 0x, 0o or 0b in
// either case, or 0.
func radixShift(text []byte) uint {
	if len(text) < 2 || text[0] != '0' {
		return 0
	}
	switch text[1] | 0x20 {
	case 'x':
		return 4
	case 'o':
		return 3
	case 'b':
		return 1
	}
	return 0
}

// digitValue is the value of a hexadecimal digit, or 255.
func digitValue(c byte) uint8 {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// radixFloat is the number closest to digits of 1<<shift each, ties to even; NaN
// when a digit does not belong or there is none.
func radixFloat(digits []byte, shift uint) float64 {
	if len(digits) == 0 {
		return math.NaN()
	}
	var mant uint64
	var exp int
	var sticky uint64
	for _, c := range digits {
		v := digitValue(c)
		if v>>shift != 0 {
			return math.NaN()
		}
		if bits.Len64(mant)+int(shift) <= 63 {
			mant = mant<<shift | uint64(v)
			continue
		}
		// The mantissa holds 60 bits or more: what follows matters only for a tie.
		exp += int(shift)
		if v != 0 {
			sticky = 1
		}
	}
	return math.Ldexp(float64(mant|sticky), exp)
}
