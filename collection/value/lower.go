package value

import "unicode"

// appendLower appends text as JavaScript's toLowerCase leaves it: the simple
// mapping of each character, and the two unconditional or contextual entries of
// Unicode's SpecialCasing.txt that hold in every locale. The tables are those of
// unicode.Version; a host with newer ones knows a few more letters.
func appendLower(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, size := decode(text[i:])
		switch {
		case r == 'İ':
			dst = append(dst, "i̇"...)
		case r == 'Σ' && isFinal(text[:i], text[i+size:]):
			dst = append(dst, "ς"...)
		case size == 1 && r == unicode.ReplacementChar:
			dst = append(dst, text[i]) // not WTF-8: kept as it is
		default:
			dst = appendRune(dst, unicode.ToLower(r))
		}
		i += size
	}
	return dst
}

// isFinal is Unicode's Final_Sigma: the nearest characters that are not
// case-ignorable are a cased letter before and none after.
func isFinal(before, after []byte) bool {
	for {
		if len(before) == 0 {
			return false
		}
		start := len(before) - 1
		for start > 0 && len(before)-start < 4 && before[start]&0xc0 == 0x80 {
			start--
		}
		r, _ := decode(before[start:])
		if !caseIgnorable(r) {
			if !cased(r) {
				return false
			}
			break
		}
		before = before[:start]
	}
	for len(after) > 0 {
		r, size := decode(after)
		if !caseIgnorable(r) {
			return !cased(r)
		}
		after = after[size:]
	}
	return true
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// caseIgnorable is Unicode's derived property: marks, format characters, modifiers,
// and the word-break classes MidLetter, MidNumLet and Single_Quote.
func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019, 0x2024, 0x2027,
		0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
