package value

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
		return match(pattern, text, fold)
	}
	if fold {
		var patternBuf, textBuf [128]byte
		pattern, text = appendLower(patternBuf[:0], pattern), appendLower(textBuf[:0], text)
	}
	// Whole characters match as bytes do, since no character's bytes occur within
	// another's; units are needed where half a character may have to match.
	if !splitsCharacters(pattern) {
		return match(pattern, text, false)
	}
	var patternBuf, textBuf [128]uint16
	return match(appendText(patternBuf[:0], pattern), appendText(textBuf[:0], text), false)
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

// match is Like over bytes or UTF-16 code units, of which _ takes one; fold is for
// ASCII.
func match[T uint8 | uint16](pattern, text []T, fold bool) bool {
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

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func lowerASCII[T uint8 | uint16](c T) T {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
