package msgpack_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unsafe"

	vm "github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"

	"millrace.dev/millrace/jsbridge/msgpack"
)

// write writes a value in the shape that the other implementation decodes into.
func write(w *msgpack.Writer, v any) {
	switch v := v.(type) {
	case nil:
		w.Nil()
	case bool:
		w.Bool(v)
	case int64:
		w.Int(v)
	case uint64:
		w.Uint(v)
	case float64:
		w.F64(v)
	case string:
		w.Str(v)
	case []byte:
		w.Bin(v)
	case []any:
		w.Array(len(v))
		for _, item := range v {
			write(w, item)
		}
	case map[string]any:
		w.Map(len(v))
		for key, item := range v {
			w.StrBytes([]byte(key))
			write(w, item)
		}
	}
}

// read reads any value into that shape.
func read(r *msgpack.Reader) any {
	switch r.Kind() {
	case msgpack.KindNil:
		r.Nil()
		return nil
	case msgpack.KindBool:
		return r.Bool()
	case msgpack.KindInt:
		return r.Int()
	case msgpack.KindFloat:
		return r.F64()
	case msgpack.KindStr:
		return string(r.Str())
	case msgpack.KindBin:
		return append([]byte{}, r.Bin()...)
	case msgpack.KindArray:
		items := []any{}
		for range r.Array() {
			items = append(items, read(r))
		}
		return items
	case msgpack.KindMap:
		items := map[string]any{}
		for range r.Map() {
			key := string(r.Str())
			items[key] = read(r)
		}
		return items
	}
	r.Skip()
	return nil
}

// equal compares values of the shape above; the other implementation returns
// integers in whatever type they were written in.
func equal(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			if !equal(x[key], y[key]) {
				return false
			}
		}
		return true
	case []byte:
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	case float64:
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	}
	x, isInt := asInt(a)
	y, alsoInt := asInt(b)
	return isInt == alsoInt && x == y && (isInt || a == b)
}

func asInt(v any) (int64, bool) {
	switch v := v.(type) {
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), true
	}
	return 0, false
}

func values() *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.Int64().AsAny(),
		rapid.Int64Range(-300, 300).AsAny(),
		rapid.Float64().AsAny(),
		rapid.String().AsAny(),
		rapid.SliceOfN(rapid.Byte(), 0, 300).AsAny(),
	}
	value := rapid.OneOf(scalars...)
	for range 3 {
		inner := value
		value = rapid.OneOf(append(scalars,
			rapid.SliceOfN(inner, 0, 20).AsAny(),
			rapid.MapOfN(rapid.String(), inner, 0, 20).AsAny())...)
	}
	return value
}

func TestCodec_AgreesWithAnotherImplementationInBothDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := values().Draw(t, "value")
		var w msgpack.Writer
		write(&w, value)
		var theirs any
		if err := vm.Unmarshal(w.Bytes(), &theirs); err != nil {
			t.Fatalf("they refuse what we wrote: %v", err)
		}
		if !equal(value, theirs) {
			t.Fatalf("they read %#v", theirs)
		}

		encoded, err := vm.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range [][]byte{encoded, w.Bytes()} {
			var r msgpack.Reader
			r.Reset(message)
			if ours := read(&r); r.Err() != nil || !r.Done() || !equal(value, ours) {
				t.Fatalf("we read %#v, %v", ours, r.Err())
			}
			r.Reset(message)
			if r.Skip(); r.Err() != nil || !r.Done() {
				t.Fatalf("skipped to %d of %d: %v", r.Pos(), len(message), r.Err())
			}
		}
	})
}

func TestInteger_TakesTheShortestForm(t *testing.T) {
	for _, c := range []struct {
		value int64
		bytes int
	}{
		{0, 1},
		{127, 1},
		{128, 2},
		{255, 2},
		{256, 3},
		{65535, 3},
		{65536, 5},
		{math.MaxUint32, 5},
		{1 << 32, 9},
		{math.MaxInt64, 9},
		{-1, 1},
		{-32, 1},
		{-33, 2},
		{-128, 2},
		{-129, 3},
		{-32768, 3},
		{-32769, 5},
		{math.MinInt32, 5},
		{math.MinInt32 - 1, 9},
		{math.MinInt64, 9},
	} {
		var w msgpack.Writer
		w.Int(c.value)
		var r msgpack.Reader
		r.Reset(w.Bytes())
		if got := r.Int(); got != c.value || w.Len() != c.bytes {
			t.Errorf("%d came back as %d in %d bytes, want %d", c.value, got, w.Len(), c.bytes)
		}
	}
}

func TestNum_KeepsIntegersShortAndMinusZeroApart(t *testing.T) {
	var w msgpack.Writer
	for _, v := range []float64{0, -7, 1<<53 - 1, math.Copysign(0, -1), 0.5, 1 << 60, math.Inf(1)} {
		w.Num(v)
	}
	var r msgpack.Reader
	r.Reset(w.Bytes())
	want := []msgpack.Kind{
		msgpack.KindInt, msgpack.KindInt, msgpack.KindInt,
		msgpack.KindFloat, msgpack.KindFloat, msgpack.KindFloat, msgpack.KindFloat,
	}
	for i, kind := range want {
		if got := r.Kind(); got != kind {
			t.Errorf("value %d is written as %v, want %v", i, got, kind)
		}
		r.F64()
	}
}

func TestF64_ReadsIntegersAndShortFloats(t *testing.T) {
	var r msgpack.Reader
	r.Reset([]byte{0xca, 0x3f, 0xc0, 0, 0, 0x05, 0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	if a, b, c := r.F64(), r.F64(), r.F64(); a != 1.5 || b != 5 || c != math.MaxUint64 || r.Err() != nil {
		t.Errorf("got %v %v %v, %v", a, b, c, r.Err())
	}
}

func TestBlocks_AlignTheirDataWhateverStandsBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.IntRange(0, 40).Draw(t, "items before")
		words := rapid.SliceOf(rapid.Uint32()).Draw(t, "words")
		doubles := rapid.SliceOf(rapid.Float64()).Draw(t, "doubles")
		octets := rapid.SliceOf(rapid.Byte()).Draw(t, "octets")

		var w msgpack.Writer
		for range before {
			w.Nil()
		}
		w.BlockBytes(octets)
		w.BlockF64(doubles)
		w.BlockU32(words)
		copy(w.BlockU32Space(len(words)), words)
		copy(w.BlockBytesSpace(len(octets)), octets)
		if address := uintptr(unsafe.Pointer(&w.Bytes()[0])); address%8 != 0 {
			t.Fatalf("the message starts at %#x", address)
		}

		var r msgpack.Reader
		r.Reset(w.Bytes())
		for range before {
			r.Nil()
		}
		gotOctets := r.BlockBytes()
		if len(octets) > 0 {
			if offset := uintptr(unsafe.Pointer(&gotOctets[0])) - uintptr(unsafe.Pointer(&w.Bytes()[0])); offset%8 != 0 {
				t.Fatalf("data at offset %d", offset)
			}
		}
		gotDoubles := r.BlockF64(nil)
		gotWords := r.BlockU32(make([]uint32, 3))
		again := r.BlockU32(nil)
		if !bytes.Equal(gotOctets, octets) || !bytes.Equal(r.BlockBytes(), octets) || r.Err() != nil || !r.Done() {
			t.Fatalf("octets %v, error %v", gotOctets, r.Err())
		}
		if len(gotWords) != len(words) || len(again) != len(words) || len(gotDoubles) != len(doubles) {
			t.Fatalf("lengths %d %d %d", len(gotWords), len(again), len(gotDoubles))
		}
		for i, v := range words {
			if gotWords[i] != v || again[i] != v {
				t.Fatalf("word %d is %d and %d, want %d", i, gotWords[i], again[i], v)
			}
		}
		for i, v := range doubles {
			if math.Float64bits(gotDoubles[i]) != math.Float64bits(v) {
				t.Fatalf("double %d is %v, want %v", i, gotDoubles[i], v)
			}
		}

		r.Reset(w.Bytes())
		for range before + 5 {
			r.Skip()
		}
		if r.Err() != nil || !r.Done() {
			t.Fatalf("skipping ends at %d of %d: %v", r.Pos(), w.Len(), r.Err())
		}
	})
}

func TestOpenArray_TakesItsLengthAfterwards(t *testing.T) {
	var w msgpack.Writer
	w.Nil()
	mark := w.OpenArray()
	w.Int(1)
	cut := w.Len()
	w.Int(2)
	w.Truncate(cut)
	w.CloseArray(mark, 1)
	var r msgpack.Reader
	r.Reset(w.Bytes())
	r.Nil()
	if n, v := r.Array(), r.Int(); n != 1 || v != 1 || !r.Done() {
		t.Errorf("read %d items, first %d", n, v)
	}
}

func TestReader_KeepsTheFirstErrorAndReturnsZeroValues(t *testing.T) {
	var w msgpack.Writer
	w.Array(3)
	w.Int(-5)
	w.Str("text")
	w.Int(7)
	for _, c := range []struct {
		name string
		read func(r *msgpack.Reader)
		want string
	}{
		{"another type", func(r *msgpack.Reader) { r.Array(); r.Str() }, "message byte 1: expected string, found integer"},
		{"out of range", func(r *msgpack.Reader) { r.Array(); r.U32() }, "message byte 1: expected an integer from 0 to 4294967295, found -5"},
		{"another length", func(r *msgpack.Reader) { r.ArrayOf(2) }, "message byte 0: expected an array of 2, found 3 items"},
		{"past the end", func(r *msgpack.Reader) { r.Skip(); r.Bool() }, "message byte 8: expected bool, found end of message"},
		{"a decoder's own", func(r *msgpack.Reader) { r.Fail(4, "a known name", "text") }, "message byte 4: expected a known name, found text"},
	} {
		var r msgpack.Reader
		r.Reset(w.Bytes())
		c.read(&r)
		if r.Err() == nil || r.Err().Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.name, r.Err(), c.want)
		}
		if r.Int() != 0 || r.Array() != 0 || r.Str() != nil || r.F64() != 0 || r.Nil() || !r.Done() || r.Kind() != msgpack.KindEnd ||
			len(r.BlockU32(nil)) != 0 || r.Err().Error() != c.want {
			t.Errorf("%s: reading went on after the error", c.name)
		}
	}
}

func TestReader_RefusesWhatTheProtocolDoesNotUse(t *testing.T) {
	for name, message := range map[string][]byte{
		"an array longer than the message": {0xdd, 0xff, 0xff, 0xff, 0xff},
		"a map longer than the message":    {0xdf, 0x80, 0, 0, 0},
		"a string longer than the message": {0xdb, 0xff, 0xff, 0xff, 0xff, 'a'},
		"a block with no padding byte":     {0xc9, 0, 0, 0, 0, 1},
		"a block of another type":          {0xc9, 0, 0, 0, 1, 2, 0},
		"a block that is not aligned":      {0xc9, 0, 0, 0, 2, 1, 0, 0},
		"a block padded too far":           {0xc9, 0, 0, 0, 10, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"a short extension item":           {0xd4, 1, 0},
		"the unused tag":                   {0xc1},
		"nesting that is too deep":         bytes.Repeat([]byte{0x91}, 100),
	} {
		var r msgpack.Reader
		r.Reset(message)
		if r.Skip(); r.Err() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestReader_LongBlocksAreReadInPlace(t *testing.T) {
	for _, n := range []int{0, 3, 10_000} {
		var w msgpack.Writer
		words := make([]uint32, n)
		for i := range words {
			words[i] = uint32(i) * 2_654_435_761
		}
		w.BlockU32(words)
		// A message that does not lie where words can be read is copied.
		for _, shift := range []int{0, 1} {
			message := make([]byte, len(w.Bytes())+shift)[shift:]
			copy(message, w.Bytes())
			var r msgpack.Reader
			r.Reset(message)
			buf := []uint32{9}
			if got := r.LongBlockU32(&buf); !slices.Equal(got, words) || !r.Done() {
				t.Errorf("%d words, %d bytes off: %d words, %v", n, shift, len(got), r.Err())
			}
			r.Reset(message[:len(message)-1])
			if got := r.LongBlockU32(&buf); len(got) != 0 || r.Err() == nil {
				t.Errorf("%d words and a byte too few: %d words, %v", n, len(got), r.Err())
			}
		}
	}
}

func TestWriterAndReader_AllocateNothingOnceWarm(t *testing.T) {
	var w msgpack.Writer
	var r msgpack.Reader
	words, got := []uint32{1, 2, 3}, make([]uint32, 3)
	if n := testing.AllocsPerRun(100, func() {
		w.Reset()
		w.Array(4)
		w.Int(1000)
		w.Str("text")
		w.F64(0.5)
		w.BlockU32(words)
		r.Reset(w.Bytes())
		r.ArrayOf(4)
		r.U32()
		r.Str()
		r.F64()
		got = r.BlockU32(got)
	}); n != 0 || r.Err() != nil {
		t.Errorf("%v allocations, %v", n, r.Err())
	}
}
