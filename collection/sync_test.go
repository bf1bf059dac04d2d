package collection

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

func v(x any) row { return row{"v": x} }

func TestApply_NetChanges(t *testing.T) {
	for name, c := range map[string]struct {
		truncate bool
		ops      []op
		want     string
	}{
		"nothing":                          {false, nil, ""},
		"insert, update and delete":        {false, []op{ins("n", v(1)), put("a", v(9)), del("b")}, "n - 1, a 1 9, b 2 -"},
		"changes come in order of mention": {false, []op{put("c", v(8)), put("a", v(9)), put("c", v(7))}, "c 3 7, a 1 9"},
		"equal rows do not change":         {false, []op{put("a", v(1)), put("b", v(5))}, "b 2 5"},
		"delete then equal insert":         {false, []op{del("a"), ins("a", v(1))}, ""},
		"delete then other insert":         {false, []op{del("a"), ins("a", v(4))}, "a 1 4"},
		"insert then delete":               {false, []op{ins("n", v(1)), del("n")}, ""},
		"insert, delete, insert":           {false, []op{ins("n", v(1)), del("n"), ins("n", v(2))}, "n - 2"},
		"update then delete":               {false, []op{put("a", v(5)), del("a")}, "a 1 -"},
		"away and back":                    {false, []op{put("a", v(5)), put("a", v(1))}, ""},
		"deletion of nothing":              {false, []op{del("n")}, ""},
		"two puts of a new key":            {false, []op{put("n", v(1)), put("n", v(2))}, "n - 2"},
		"truncate":                         {true, nil, "a 1 -, b 2 -, c 3 -"},
		"truncate and rewrite":             {true, []op{ins("b", v(2)), ins("n", v(4)), put("a", v(7))}, "a 1 7, c 3 -, n - 4"},
		"truncate, write and delete":       {true, []op{ins("a", v(1)), del("a"), ins("c", v(3))}, "a 1 -, b 2 -"},
	} {
		b := newBench(t)
		b.do(ins("a", v(1)), ins("b", v(2)), ins("c", v(3)))
		before := b.root.Len()
		changes, err := b.sync(c.truncate, c.ops...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := b.told(changes); got != c.want {
			t.Errorf("%s: told %q, want %q", name, got, c.want)
		}
		for _, ch := range changes {
			if ch.Old == none {
				before++
			}
			if ch.New == none {
				before--
			}
		}
		b.end()
		used := 0
		for _, s := range b.slots {
			if s != nil {
				used++
			}
		}
		if b.root.Len() != before || used != before {
			t.Errorf("%s: %d rows and %d slots, want %d", name, b.root.Len(), used, before)
		}
	}
}

// A memory of WebAssembly stays as large as it ever was: what a load takes
// for itself, the rows would have to carry.
func TestApply_ALoadTakesLittleMoreThanItsRows(t *testing.T) {
	const rows = 100_000
	ops := make([]uint32, 0, 3*rows)
	for i := range uint32(rows) {
		ops = append(ops, OpInsert, i, i)
	}
	b := newBench(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for at := 0; at < len(ops); at += 3 * 50_000 {
		changes, _, err := b.root.Apply(&Sync{Ops: ops[at : at+3*50_000]}, b)
		if err != nil || len(changes) != 50_000 {
			t.Fatal(len(changes), err)
		}
		b.root.Retire()
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / rows; per > 48 {
		t.Errorf("a row takes %d bytes, with all that was thrown away", per)
	}
	if b.root.Len() != rows {
		t.Error(b.root.Len())
	}
}

// state is everything of a root that a refusal must leave alone.
func (b *bench) state() string {
	var out strings.Builder
	r := b.root
	fmt.Fprintln(&out, r.live, len(r.deadKeys), r.zombies, r.freed, b.dict.Live())
	for id, s := range r.slotOf {
		if s != none {
			fmt.Fprintln(&out, id, s, r.keyOf[s])
		}
	}
	for s, k := range r.keyOf {
		if k != none {
			fmt.Fprintln(&out, s, k)
		}
	}
	for _, c := range r.columns {
		for s, k := range r.keyOf {
			if k != none {
				fmt.Fprintln(&out, c.At(uint32(s)))
			}
		}
	}
	for _, o := range r.orders {
		fmt.Fprintln(&out, b.content(o))
	}
	for _, n := range b.dict.refs {
		if n > 0 {
			fmt.Fprint(&out, n, " ")
		}
	}
	return out.String()
}

func TestApply_RefusalsLeaveEverythingAsItWas(t *testing.T) {
	one := func(k uint8, x float64) Cells { return Cells{N: 1, Kinds: []uint8{k}, Vals: []float64{x}} }
	text := uint8(value.KindString)
	for name, c := range map[string]struct {
		tx   Sync
		path string
	}{
		"a list that is no triples":   {Sync{Ops: []uint32{1, 0}}, "ops[2]"},
		"an operation there is not":   {Sync{Ops: []uint32{4, 0, 9}, Content: Content{Columns: []Cells{one(text, 0)}}}, "ops[0]"},
		"a key id far away":           {Sync{Ops: []uint32{1, 1 << 20, 9}, Content: Content{Columns: []Cells{one(text, 0)}}}, "ops[0]"},
		"a slot far away":             {Sync{Ops: []uint32{2, 0, none, 1, 1, 1 << 20}, Content: Content{Columns: []Cells{one(text, 0)}}}, "ops[1]"},
		"a slot in use":               {Sync{Ops: []uint32{1, 0, 1}, Content: Content{Columns: []Cells{one(text, 0)}}}, "ops[0]"},
		"a slot that appears twice":   {Sync{Ops: []uint32{1, 0, 5, 1, 1, 5}, Content: Content{Columns: []Cells{{N: 2, Uniform: value.KindNull}}}}, "ops[1]"},
		"no columns":                  {Sync{Ops: []uint32{1, 0, 5}}, "columns[0]"},
		"too many columns":            {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{one(text, 0), one(text, 0)}}}, "columns[2]"},
		"a column of another length":  {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{{N: 2}}}}, "columns[0]"},
		"a kind there is not":         {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{one(11, 0)}}}, "columns[0]"},
		"a text id that is negative":  {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{one(text, -1)}}}, "columns[0]"},
		"a text id that is no whole":  {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{one(text, 1.5)}}}, "columns[0]"},
		"a text id that is too large": {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{one(text, MaxText)}}}, "columns[0]"},
		"keys without cells":          {Sync{Content: Content{NewKeys: []uint32{7}, Columns: []Cells{{}}}}, "newKeys[0]"},
		"a new key far away":          {Sync{Content: Content{NewKeys: []uint32{1 << 30}, Keys: one(text, 0), Columns: []Cells{{}}}}, "newKeys[0]"},
		"a duplicate":                 {Sync{Ops: []uint32{1, 9, 5, 2, 1, none, 0, 0, 6}, Content: Content{NewKeys: []uint32{9}, Keys: one(value.KindNumber, 4), Columns: []Cells{{N: 2, Uniform: text, Vals: []float64{0, 1}}}}}, "0"},
		"a text without its bytes":    {Sync{Ops: []uint32{1, 0, 5}, Content: Content{Columns: []Cells{one(text, 90)}}}, "columns[0]"},
	} {
		for _, keyed := range []bool{true, false} {
			b := newBench(t)
			b.do(ins("a", v("x")), ins("b", v("y")))
			if _, err := b.lease().Column([]string{"v"}, true); err != nil {
				t.Fatal(err)
			}
			if keyed {
				if _, err := b.lease().Order(nil, true); err != nil {
					t.Fatal(err)
				}
			}
			before := b.state()
			_, _, err := b.root.Apply(&c.tx, b)
			var refusal *SyncError
			if !errors.As(err, &refusal) || refusal.Path != c.path || refusal.Duplicate != (name == "a duplicate") {
				t.Errorf("%s: %v", name, err)
				continue
			}
			b.root.Finish(b)
			b.dict.Sweep(nil)
			if after := b.state(); after != before {
				t.Errorf("%s: before\n%s\nafter\n%s", name, before, after)
			}
			if got := b.told(b.do(put("a", v("z")), ins("c", v("y")))); got != "a freed z, c - y" {
				t.Errorf("%s: afterwards told %q", name, got)
			}
		}
	}
}

func TestApply_ADuplicateFreesTheTextsItBrought(t *testing.T) {
	b := newBench(t)
	b.do(ins("a", v("x")))
	if _, err := b.lease().Column([]string{"v"}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := b.sync(false, ins("n", v("fresh")), ins("a", v("other"))); err == nil {
		t.Fatal("a duplicate was taken")
	}
	b.end()
	if b.texts[b.dictID("x")] != "x" || slices.Contains(b.texts, "fresh") || slices.Contains(b.texts, "other") {
		t.Errorf("texts are %q", b.texts)
	}
}

func (b *bench) dictID(s string) uint32 { return b.cell(s).ID() }

func TestApply_AVouchedInsertIsNotChecked(t *testing.T) {
	b := newBench(t)
	b.do(ins("a", v(1)))
	b.slots = append(b.slots, v(2))
	changes, _, err := b.root.Apply(&Sync{Vouched: true, Ops: []uint32{OpInsert, 0, uint32(len(b.slots) - 1)}}, b)
	if err != nil || b.told(changes) != "a 1 2" {
		t.Errorf("%v %v", b.told(changes), err)
	}
}

func TestApply_RowsThatCannotBeComparedCountAsChanged(t *testing.T) {
	b := newBench(t)
	b.do(ins("a", v(1)))
	b.blind = true
	changes, err := b.sync(false, put("a", v(1)))
	if err != nil || b.told(changes) != "a 1 1" {
		t.Errorf("%v %v", b.told(changes), err)
	}
}

func TestKeys_ThatDoNotStayAreFreedInBatches(t *testing.T) {
	b := newBench(t)
	b.do(ins("stays", v(0)))
	for i := range 200 {
		b.do(ins(i, v(i)))
		b.do(del(i))
	}
	if b.lostKeys != 0 {
		t.Errorf("%d keys were freed early", b.lostKeys)
	}
	// Keys that never became visible count as well.
	for i := range 200 {
		b.do(ins(1000+i, v(i)), del(1000+i))
		b.do(del(2000 + i))
	}
	if b.lostKeys < 257 || len(b.keys) > 400 {
		t.Errorf("%d keys freed, %d names in use", b.lostKeys, len(b.keys))
	}
	if b.keyIDs["stays"] != 0 || b.root.Len() != 1 {
		t.Error("the living key is gone")
	}
}

// A key that was deleted before keys were asked for, and not freed since, is no
// new key when it comes back.
func TestKeys_OfDeadRowsAreReadWithThoseOfLivingOnes(t *testing.T) {
	b := newBench(t)
	b.do(ins("z", v(1)), ins("a", v(1)), ins("m", v(1)))
	b.do(del("a"), put("gone", v(1)), del("gone"))
	o, err := b.lease().Order(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	b.do(ins("gone", v(1)), ins("a", v(1)), ins("b", v(1)))
	if got := b.content(o); got != "a b gone m z" {
		t.Errorf("order is %s", got)
	}
}

func TestKeys_OfPinnedVersionsAreKept(t *testing.T) {
	b := newBench(t)
	o, err := b.lease().Order([]query.Term{asc("v")}, true)
	if err != nil {
		t.Fatal(err)
	}
	b.do(ins("pinned", v("text")), ins("x", v("y")))
	slot := b.root.SlotOf(b.keyIDs["pinned"])
	b.root.Pin(slot)
	b.root.Pin(slot)
	b.do(del("pinned"))
	for i := range 300 {
		b.do(ins(i, v(i)))
	}
	for i := range 300 {
		b.do(del(i))
	}
	if b.lostKeys == 0 {
		t.Fatal("nothing was freed")
	}
	b.root.Unpin(slot)
	b.end()
	other := b.root.SlotOf(b.keyIDs["x"])
	if o.Compare(slot, other) >= 0 || b.root.KeyOf(slot) != b.keyIDs["pinned"] || b.slots[slot] == nil {
		t.Error("a pinned version cannot be read")
	}
	b.root.Unpin(slot)
	b.end()
	if b.slots[slot] != nil || slices.Contains(b.texts, "text") {
		t.Error("the version outlived its pins")
	}
}

func TestStatus_Transitions(t *testing.T) {
	// One row per origin: idle, loading, ready, failed, cleaned up.
	want := [5][5]int{
		Idle:      {1, 1, 0, 1, 1},
		Loading:   {0, 1, 1, 1, 1},
		Ready:     {0, 0, 1, 1, 1},
		Failed:    {1, 0, 1, 1, 1},
		CleanedUp: {0, 1, 0, 1, 1},
	}
	for from := Idle; from <= CleanedUp; from++ {
		for to := Idle; to <= CleanedUp; to++ {
			if from.May(to) != (want[from][to] == 1) {
				t.Errorf("from %d to %d: %v", from, to, from.May(to))
			}
		}
	}
}

func TestFilter_TellsEachSubscriptionWhatItsModeSays(t *testing.T) {
	in, up, out := d2.Change{Key: 1, Old: none, New: 5}, d2.Change{Key: 1, Old: 5, New: 6}, d2.Change{Key: 1, Old: 6, New: none}
	other := d2.Change{Key: 2, Old: 7, New: 8}
	type batch = []d2.Change
	for name, c := range map[string]struct {
		mode Mode
		in   []batch
		want []batch // nil: as it came
	}{
		"all of everything":                            {All, []batch{{up}, {out}}, []batch{nil, nil}},
		"initial and everything":                       {Initial, []batch{{out, other}}, []batch{nil}},
		"a life seen from its beginning":               {Told, []batch{{in}, {up}, {out}}, []batch{nil, nil, nil}},
		"an update of an unknown is an insert":         {Told, []batch{{up}, {out}}, []batch{{{Key: 1, Old: none, New: 6}}, nil}},
		"a deletion of an unknown is nothing":          {Told, []batch{{out}}, []batch{{}}},
		"what comes before the first difference stays": {Told, []batch{{in}, {up, other}}, []batch{nil, {up, {Key: 2, Old: none, New: 8}}}},
		"what comes after it stays too":                {Told, []batch{{in}, {{Key: 3, Old: 1, New: none}, up}}, []batch{nil, {up}}},
		"a deleted key is unknown again":               {Told, []batch{{in}, {{Key: 1, Old: 5, New: none}}, {{Key: 1, Old: 5, New: none}}}, []batch{nil, nil, {}}},
	} {
		s := &Subscription{Mode: c.mode}
		for i, changes := range c.in {
			given := slices.Clone(changes)
			got, same := s.Filter(changes)
			if !reflect.DeepEqual(given, changes) {
				t.Errorf("%s: the batch was written to", name)
			}
			if same != (c.want[i] == nil) || !same && !slices.Equal(got, c.want[i]) {
				t.Errorf("%s, batch %d: %v %v, want %v", name, i, got, same, c.want[i])
			}
		}
	}
}

func TestFilter_ForgetsWithTheContent(t *testing.T) {
	b := newBench(t)
	b.root.Subscribe(4, Told, nil)
	if b.root.Subscribe(4, All, nil) != nil {
		t.Error("an id was taken twice")
	}
	b.root.subs[0].Filter([]d2.Change{{Key: 1, Old: none, New: 5}})
	b.root.Clear(b)
	if got, same := b.root.subs[0].Filter([]d2.Change{{Key: 1, Old: 5, New: none}}); same || len(got) != 0 {
		t.Errorf("told %v after the content went", got)
	}
	if b.root.Unsubscribe(4) == nil || b.root.Unsubscribe(4) != nil || b.root.Subscriptions() != 0 {
		t.Error("a subscription ends once")
	}
}

func TestApply_OnceKeysAreCarriedEachHasItsOwn(t *testing.T) {
	b := newBench(t)
	b.do(ins("a", v(1)), ins("b", v(2)))
	if _, err := b.lease().Order(nil, true); err != nil {
		t.Fatal(err)
	}
	for name, tx := range map[string]Sync{"a new key without its cell": {Ops: []uint32{0, 7, 9}}, "another key for an id": {Content: Content{NewKeys: []uint32{0}, Keys: Cells{N: 1, Uniform: value.KindNumber, Vals: []float64{3}}}}} {
		var refusal *SyncError
		if _, _, err := b.root.Apply(&tx, b); !errors.As(err, &refusal) || refusal.Path != "newKeys[0]" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
