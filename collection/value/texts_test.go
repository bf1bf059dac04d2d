package value_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"millrace.dev/millrace/collection/value"
)

// foldCollation orders strings without regard to ASCII case, so that distinct
// texts tie, as locale collations let them.
const foldCollation = 2

var errUnordered = errors.New("type has no order")

// dictionary is a text dictionary that interns, and counts what it is asked.
type dictionary struct {
	texts    [][]byte
	ids      map[string]uint32
	compares int
}

func newDictionary() *dictionary {
	d := &dictionary{ids: map[string]uint32{}}
	d.intern("")
	return d
}

func (d *dictionary) intern(text string) uint32 {
	id, ok := d.ids[text]
	if !ok {
		id = uint32(len(d.texts))
		d.ids[text] = id
		d.texts = append(d.texts, []byte(text))
	}
	return id
}

func (d *dictionary) cell(kind value.Kind, text string) value.Cell {
	return value.Cell{Kind: kind, Val: float64(d.intern(text))}
}

func (d *dictionary) Text(id uint32) []byte { return d.texts[id] }

func (d *dictionary) Compare(collation, a, b uint32) (int, error) {
	d.compares++
	x, y := d.texts[a], d.texts[b]
	if collation == value.CollationTemporal {
		if bytes.HasPrefix(x, []byte("PlainMonthDay\x00")) {
			return 0, errUnordered
		}
		return bytes.Compare(x, y), nil
	}
	return bytes.Compare(bytes.ToUpper(x), bytes.ToUpper(y)), nil
}

// readVectors reads a file written by testdata/generate.mjs.
func readVectors(t *testing.T, name string) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	decodeJSON(t, raw, &out)
	return out
}

func decodeJSON(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// wtf8 is the text of a string given by its UTF-16 code units, built apart from the
// package under test.
func wtf8(units []uint16) string {
	var out []byte
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		if u&0xfc00 == 0xd800 && i+1 < len(units) && units[i+1]&0xfc00 == 0xdc00 {
			i++
			out = append(out, string(0x10000+(u&0x3ff)<<10+rune(units[i])&0x3ff)...)
		} else if u&0xf800 == 0xd800 {
			out = append(out, 0xed, byte(0x80|u>>6&0x3f), byte(0x80|u&0x3f))
		} else {
			out = append(out, string(u)...)
		}
	}
	return string(out)
}
