package value

// rootOrder is printable ASCII in the order of the root collation of CLDR, as
// Intl.Collator("en") applies it: punctuation, symbols, digits, letters. Nothing in
// this range is ignorable, contracts or expands.
const rootOrder = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

// asciiWeights holds per byte its primary weight doubled, plus one for an upper-case
// letter; 0 outside printable ASCII.
var asciiWeights = rootWeights()

func rootWeights() (weights [256]uint8) {
	var weight uint8
	for i := range len(rootOrder) {
		c := rootOrder[i]
		if c >= 'A' && c <= 'Z' {
			weights[c] = weight | 1
			continue
		}
		weight += 2
		weights[c] = weight
	}
	return weights
}

// CompareASCII answers what Intl.Collator("en") with default options answers for
// two strings of printable ASCII (0x20 to 0x7e): <0, 0, >0. Letters compare without
// case over the whole strings first; only then does lower case precede upper, at
// the first place they differ. ok is false when either text has a byte outside
// that range, since a combining mark or a contraction may undo an earlier
// difference: the caller then needs the collator. Linear, without allocation.
func CompareASCII(a, b []byte) (order int, ok bool) {
	n := min(len(a), len(b))
	primary, tertiary := 0, 0
	for i := range n {
		x, y := asciiWeights[a[i]], asciiWeights[b[i]]
		if x == 0 || y == 0 {
			return 0, false
		}
		if x == y {
			continue
		}
		if primary == 0 {
			primary = int(x>>1) - int(y>>1)
		}
		if tertiary == 0 {
			tertiary = int(x&1) - int(y&1)
		}
	}
	for _, c := range a[n:] {
		if asciiWeights[c] == 0 {
			return 0, false
		}
	}
	for _, c := range b[n:] {
		if asciiWeights[c] == 0 {
			return 0, false
		}
	}
	switch {
	case primary != 0:
		return primary, true
	case len(a) != len(b):
		return len(a) - len(b), true
	}
	return tertiary, true
}
