package value

import (
	"encoding/json"
	"os"
	"testing"
	"unicode/utf16"
)

func TestAppendLower_IsToLowerCase(t *testing.T) {
	raw, err := os.ReadFile("testdata/lower.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors [][2][]uint16
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		got := appendText(nil, appendLower(nil, textOf(v[0])))
		if string(utf16.Decode(got)) != string(utf16.Decode(v[1])) || len(got) != len(v[1]) {
			t.Errorf("lower case of %x is %x, want %x", v[0], got, v[1])
		}
	}
}

// textOf is the WTF-8 form of UTF-16 code units.
func textOf(units []uint16) (text []byte) {
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if i+1 < len(units) {
			if pair := utf16.DecodeRune(r, rune(units[i+1])); pair != '\ufffd' {
				r = pair
				i++
			}
		}
		text = appendRune(text, r)
	}
	return text
}

func TestAppendLower_KeepsBytesThatAreNotText(t *testing.T) {
	for _, text := range []string{"\xff", "\xed\xa0", "\xf0\x9f", "a\x80b", "\xcf"} {
		if got := string(appendLower(nil, []byte(text))); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
