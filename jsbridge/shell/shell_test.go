package shell

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unicode/utf16"

	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge/msgpack"
)

// TestMessage_ReadsAsWritten: what this codec writes, the engine's reads.
func TestMessage_ReadsAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		words := rapid.SliceOf(rapid.Uint32()).Draw(t, "words")
		num := rapid.Float64().Draw(t, "number")
		vals := rapid.SliceOfN(rapid.Float64(), 1, 20).Draw(t, "values")
		m := newMessage()
		m.array(5)
		m.str(name)
		m.blockU32(words)
		m.num(num)
		c := cells{}
		for i, v := range vals {
			c.add([]uint8{kindNumber, kindDate}[i%2], v)
		}
		c.write(m)
		m.nil()
		var in msgpack.Reader
		in.Reset(m.buf.Bytes())
		in.ArrayOf(5)
		if s := string(in.Str()); s != name {
			t.Fatalf("text %q, not %q", s, name)
		}
		if w := in.BlockU32(nil); !slices.Equal(w, words) {
			t.Fatalf("words %v, not %v", w, words)
		}
		if f := in.F64(); f != num {
			t.Fatalf("number %v, not %v", f, num)
		}
		in.ArrayOf(2)
		if len(vals) == 1 {
			in.Int()
		} else if n := len(in.BlockBytes()); n != len(vals) {
			t.Fatalf("%d kinds of %d", n, len(vals))
		}
		if f := in.BlockF64(nil); !slices.Equal(f, vals) {
			t.Fatalf("values %v, not %v", f, vals)
		}
		if !in.Nil() || !in.Done() || in.Err() != nil {
			t.Fatalf("the rest does not read: %v", in.Err())
		}
	})
}

func TestClassify_TellsHowQueriesSeeValues(t *testing.T) {
	type status string
	type level int8
	three := 3
	var nobody *int
	for _, test := range []struct {
		value any
		kind  uint8
		num   float64
		text  string
	}{
		{nil, kindNull, 0, ""},
		{nobody, kindNull, 0, ""},
		{[]byte(nil), kindNull, 0, ""},
		{map[string]any(nil), kindNull, 0, ""},
		{Undefined, kindUndefined, 0, ""},
		{true, kindBool, 1, ""},
		{level(-3), kindNumber, -3, ""},
		{uint16(7), kindNumber, 7, ""},
		{float32(0.5), kindNumber, 0.5, ""},
		{&three, kindNumber, 3, ""},
		{math.NaN(), kindNaN, 0, ""},
		{status("open"), kindString, 0, "open"},
		{time.UnixMilli(5).Add(time.Microsecond), kindDate, 5, ""},
		{big.NewInt(-12), kindBigInt, 0, "-12"},
		{[]byte("ab"), kindBytes, 0, "ab"},
		{Temporal{"PlainDate", "2025-01-01"}, kindTemporal, 0, "PlainDate\x002025-01-01"},
		{&struct{}{}, kindRef, 0, ""},
		{[]string{"a"}, kindRef, 0, ""},
	} {
		if kind, num, text := classify(test.value); kind != test.kind || num != test.num || text != test.text {
			t.Errorf("%T %v is of kind %d, %v, %q", test.value, test.value, kind, num, text)
		}
	}
	if _, num, _ := classify(math.Copysign(0, -1)); math.Signbit(num) {
		t.Error("-0 crosses as -0")
	}
}

func TestFieldOf_FollowsTagsMapsAndGetters(t *testing.T) {
	type inner struct{ City string }
	type row struct {
		Own    int `millrace:"own" json:"other"`
		Tagged int `json:"tagged,omitempty"`
		Hidden int `json:"-"`
		Plain  *inner
		secret int
	}
	v := &row{1, 2, 3, &inner{"Oslo"}, 4}
	for _, test := range []struct {
		path []string
		want any
	}{
		{[]string{"own"}, 1},
		{[]string{"other"}, Undefined},
		{[]string{"tagged"}, 2},
		{[]string{"Hidden"}, Undefined},
		{[]string{"secret"}, Undefined},
		{[]string{"Plain", "City"}, "Oslo"},
		{[]string{"Plain", "City", "deep"}, Undefined},
	} {
		if have := valueAt(v, test.path); have != test.want {
			t.Errorf("%v is %v, not %v", test.path, have, test.want)
		}
	}
	if have := valueAt(map[string]int{"a": 1}, []string{"a"}); have != 1 {
		t.Errorf("a typed map gives %v", have)
	}
	if have := valueAt(map[string]any{"a": nil}, []string{"a", "b"}); have != nil {
		t.Errorf("a path into null gives %v, not null", have)
	}
}

func TestDeepEqual_GoesByContent(t *testing.T) {
	type row struct {
		At   time.Time
		Data []byte
		N    *big.Int
		Any  any
	}
	at := time.Date(2025, 1, 1, 0, 0, 0, 5_000, time.UTC)
	a := row{at, []byte{1}, big.NewInt(5), []any{1, math.NaN()}}
	b := row{at.In(time.FixedZone("", 3600)).Add(1), []byte{1}, big.NewInt(5), []any{1.0, math.NaN()}}
	if !deepEqual(a, b) || !deepEqual(&a, &b) {
		t.Error("rows with equal contents differ")
	}
	for _, c := range []row{{at.Add(time.Millisecond), a.Data, a.N, a.Any}, {at, nil, a.N, a.Any}, {at, a.Data, big.NewInt(6), a.Any}, {at, a.Data, a.N, nil}} {
		if deepEqual(a, c) {
			t.Errorf("%v equals %v", a, c)
		}
	}
	if deepEqual(map[string]any{"a": Undefined}, map[string]any{"b": Undefined}) {
		t.Error("maps with other fields are equal")
	}
}

func TestKeyLess_IsTheOrderOfCodeUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) < 0
		if keyLess(a, b) != want {
			t.Fatalf("%q < %q is %v", a, b, !want)
		}
	})
	if !keyLess("z", 1.0) || keyLess(1.0, "z") || !keyLess(-1.0, 1.0) {
		t.Error("strings do not come before numbers, or numbers are out of order")
	}
}

// TestSpace_IDsFollowWhatLives: after a long history over few rows the tables are
// small, and empty once everything is gone.
func TestSpace_IDsFollowWhatLives(t *testing.T) {
	db, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := db.Collection(Config{Key: func(row any) any { return row.(map[string]any)["id"] }})
	check(err)
	live, err := db.Query(From(c).Where(Like(Ref("name"), "%1%")).OrderBy(Ref("name")).Limit(5))
	check(err)
	random := rand.New(rand.NewPCG(1, 2))
	var keys []string
	for i := range 5000 {
		tx := c.Begin()
		key := fmt.Sprint("key ", i)
		tx.Insert(map[string]any{"id": key, "name": fmt.Sprint("name ", i), "of": &struct{ n int }{i}})
		keys = append(keys, key)
		if i%7 == 0 {
			tx.Insert(map[string]any{"id": "passing " + key}).Delete("passing " + key)
		}
		if len(keys) > 40 {
			at := random.IntN(len(keys))
			tx.Delete(keys[at])
			keys = slices.Delete(keys, at, at+1)
		}
		check(tx.Commit())
	}
	if n := len(c.keys); n > 40+1024 {
		t.Errorf("%d key ids for %d rows", n, c.Len())
	}
	if n := len(c.slots); n > 40+64 {
		t.Errorf("%d slots for %d rows", n, c.Len())
	}
	if n := len(db.texts.keys); n > 2*(40+1024)+64 {
		t.Errorf("%d text ids for %d rows", n, c.Len())
	}
	check(live.Cleanup())
	check(c.Cleanup())
	check(c.Forget())
	if n := len(db.texts.ids); n != len(reservedTexts) {
		t.Errorf("%d texts are left: %v", n, db.texts.ids)
	}
	if n := len(db.relations); n != 0 {
		t.Errorf("%d relations are left", n)
	}
	stats, err := db.Stats()
	check(err)
	if stats["texts"] != 0 || stats["rows"] != 0 {
		t.Errorf("the engine holds %v", stats)
	}
}

func TestReferences_AreByIdentity(t *testing.T) {
	var r references
	a, b := &struct{ n int }{1}, &struct{ n int }{1}
	list := []string{"a"}
	first, again, other := r.id(a), r.id(a), r.id(b)
	if first != again || first == other {
		t.Errorf("one pointer is %d and %d, another %d", first, again, other)
	}
	first, again, other = r.id(list), r.id(list), r.id([]string{"a"})
	if first != again || first == other {
		t.Errorf("one slice is %d and %d, another %d", first, again, other)
	}
	for range 5000 {
		r.id(bytes.NewBuffer(nil))
	}
	if n := len(r.pointers); n > 6000 {
		t.Errorf("%d references are remembered", n)
	}
}

func TestClosed_DatabasesSaySo(t *testing.T) {
	db, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Collection(Config{Key: func(any) any { return 1 }}); err != ErrClosed {
		t.Errorf("%v", err)
	}
}
