package value_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
)

// matches is like as its definition reads, by recursion.
func matches(pattern, text []uint16) bool {
	switch {
	case len(pattern) == 0:
		return len(text) == 0
	case pattern[0] == '%':
		return matches(pattern[1:], text) || len(text) > 0 && matches(pattern, text[1:])
	}
	return len(text) > 0 && (pattern[0] == '_' || pattern[0] == text[0]) && matches(pattern[1:], text[1:])
}

func TestLike_MatchesByDefinition(t *testing.T) {
	alphabet := []uint16{'a', 'b', 'b', '%', '%', '_', 0xe9, 0xd83d, 0xde00, '\n'}
	text := rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		p, s := text.Draw(t, "pattern"), text.Draw(t, "text")
		if got, want := value.Like([]byte(wtf8(p)), []byte(wtf8(s)), false), matches(p, s); got != want {
			t.Fatalf("%x against %x = %v, want %v", p, s, got, want)
		}
	})
}

func TestLike_StaysCheapOnHostilePatterns(t *testing.T) {
	pattern := []byte(strings.Repeat("%a", 500) + "%b")
	text := bytes.Repeat([]byte("a"), 5000)
	start := time.Now()
	if value.Like(pattern, text, false) || value.Like(append(pattern, "_é"...), text, true) {
		t.Error("matched")
	}
	if spent := time.Since(start); spent > 10*time.Second {
		t.Errorf("took %v", spent)
	}
}

func FuzzLike(f *testing.F) {
	for _, seed := range [][2]string{{"", ""}, {"%", "\U0001f600"}, {"a_%", "ab"}, {"\xed\xa0\xbd%", "\U0001f600"}, {"Σ", "ς"}, {"\xff_", "\xff\xc0"}, {"%İ", "i̇"}} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, pattern, text []byte) {
		value.Like(pattern, text, true)
		got := value.Like(pattern, text, false)
		if len(pattern)+len(text) > 24 || !utf8.Valid(pattern) || !utf8.Valid(text) {
			return
		}
		if want := matches(utf16.Encode([]rune(string(pattern))), utf16.Encode([]rune(string(text)))); got != want {
			t.Errorf("Like(%q, %q) = %v", pattern, text, got)
		}
	})
}

func FuzzToNumber(f *testing.F) {
	for _, seed := range []string{"", " 1 ", "0xff", "-.5e-7", "1_000", "Infinity", "\u00a0\ufeff3\u2003", "\xff", "\xe2\x80", "0b12"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v := value.ToNumber(text)
		padded := append([]byte("\u2003\n"), text...)
		padded = append(padded, "\ufeff "...)
		if w := value.ToNumber(padded); v != w && (v == v || w == w) && utf8.Valid(text) {
			t.Errorf("white space turned %q from %v into %v", text, v, w)
		}
	})
}

func FuzzCompareUTF16(f *testing.F) {
	f.Add([]byte("\U0001f600"), []byte("\xed\xa0\xbd"))
	f.Add([]byte("\xed"), []byte("\xf0\x9f"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if got, back := value.CompareUTF16(a, b), value.CompareUTF16(b, a); sign(got) != -sign(back) {
			t.Errorf("%q against %q: %d and %d", a, b, got, back)
		}
	})
}
