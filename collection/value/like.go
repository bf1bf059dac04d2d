package value

import "bytes"

// Like matches the whole of text against a pattern in which % stands for any run of
// characters, none included, and _ for exactly one; a line break is a character
// like any other and nothing escapes the two. With fold both sides are lower-cased
// first, as ilike does.
//
// One character is one UTF-16 code unit, as in a regular expression without the
// u flag: an emoji takes two _, and % may end inside it.
//
// At worst the cost is the product of the two lengths, whatever the number of %:
// only the last one passed is ever moved. It allocates when fold meets more than
// ASCII, and when _ or a lone surrogate in the pattern meets a long text beyond
// ASCII.
func Like(pattern, text []byte, fold bool) bool {
	if isASCII(pattern) && isASCII(text) {
		return likeBytes(pattern, text, fold)
	}
	if fold {
		var patternBuf, textBuf [128]byte
		pattern, text = appendLower(patternBuf[:0], pattern), appendLower(textBuf[:0], text)
	}
	// Whole characters match as bytes do, since no character's bytes occur within
	// another's; units are needed where half a character may have to match.
	if !splitsCharacters(pattern) {
		return likeBytes(pattern, text, false)
	}
	var patternBuf, textBuf [128]uint16
	return likeUnits(appendText(patternBuf[:0], pattern), appendText(textBuf[:0], text))
}

// splitsCharacters reports whether a pattern can match half of a surrogate pair.
func splitsCharacters(pattern []byte) bool {
	for i, c := range pattern {
		if c == '_' || c == 0xed && isSurrogate(pattern[i:]) {
			return true
		}
	}
	return false
}

// likeBytes matches byte for byte; _ takes one byte, fold is for ASCII.
func likeBytes(pattern, text []byte, fold bool) bool {
	if !fold && bytes.IndexByte(pattern, '_') < 0 && bytes.IndexByte(pattern, '%') < 0 {
		return bytes.Equal(pattern, text)
	}
	p, i := 0, 0
	star, mark := -1, 0 // the last % passed and where its run ends so far
	for i < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '_' || pattern[p] == text[i] ||
			fold && lowerASCII(pattern[p]) == lowerASCII(text[i])):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern)
}

// likeUnits is likeBytes over UTF-16 code units. It is written out because a
// generic version would read both through a dictionary.
func likeUnits(pattern, text []uint16) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '_' || pattern[p] == text[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern)
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
