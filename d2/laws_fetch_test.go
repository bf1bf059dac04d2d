package d2

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Law 10, fetch: whatever is asked of an operator, it answers what filtering, sorting and
// slicing its output by hand gives, for every position to start after, and a
// flipped or keyed way gives the same as any other.
func TestLaw_Fetch(t *testing.T) {
	asked := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		for range 8 {
			fetchHistory(t, ch, asked)
		}
	})
	t.Log(asked)
	for _, kind := range []string{"ordered", "keyed", "among keys", "tied", "cut short", "refused"} {
		if asked[kind] == 0 {
			t.Errorf("nothing was asked that is %s", kind)
		}
	}
}

func fetchHistory(t *rapid.T, ch *chance, asked map[string]int) {
	l := newLibrary(t, ch)
	p := l.plan(3)
	g := NewGraph()
	c := &buildPlan{t: t, g: g, stores: map[*shelf]NodeID{}, known: map[*term]*stage{}, way: way{retained: ch.intn(2) == 0}}
	c.build(p)
	for s, id := range c.stores {
		for i, row := range s.current {
			if row != None {
				_ = g.PushChanges(id, []Change{{uint32(i), None, row}})
			}
		}
	}
	_, _ = g.Run()
	for range 3 {
		for s, batch := range l.change() {
			if id, ok := c.stores[s]; ok {
				_ = g.PushChanges(id, batch)
			}
		}
		_, _ = g.Run()
		for _, b := range c.all {
			for range 3 {
				b.askSomething(t, ch, asked)
			}
		}
	}
}

// askSomething makes a random request and checks the answer.
func (b *stage) askSomething(t *rapid.T, ch *chance, asked map[string]int) {
	r := Everything(nil)
	desc := ch.intn(2) == 0
	if ch.intn(3) > 0 {
		r.Order = b.order(desc)
	}
	eqs := map[int]int{}
	for range ch.intn(3) {
		col, value := []int{colID, colG, colH, colX}[ch.intn(4)], ch.intn(3)
		eqs[col] = value
	}
	for col, value := range eqs {
		r.Eq = append(r.Eq, Eq{b.keyer(col), 1, uint64(value)})
	}
	inCol, in := colG, map[int]bool{}
	if ch.intn(3) == 0 {
		inCol = []int{colID, colG, colH}[ch.intn(3)]
		r.In = In{b.keyer(inCol), &KeySet{}}
		for range ch.intn(4) {
			value := ch.intn(4)
			in[value] = true
			r.In.Keys.Add(1, uint64(value))
		}
	}
	r.Limit = []int{0, 0, 1, 2, 5}[ch.intn(5)]
	// Positions are rows of the driving table, in the output or not.
	before := func(a, c tuple) int { return (&term{shelf: b.shelf, desc: desc}).compare(a, c) }
	var after, upto tuple
	if r.Order != nil && b.shelf.n > 0 {
		if ch.intn(2) == 0 {
			r.After, after = b.position(ch)
			r.Ties = ch.intn(3) == 0
		}
		if ch.intn(4) == 0 {
			r.Upto, upto = b.position(ch)
		}
	}
	if _, ok := b.op.Plan(&r); !ok {
		asked["refused"]++
		return
	}
	want := []string{}
	rows := b.rows()
	slices.SortFunc(rows, before)
	for _, row := range rows {
		fits := true
		for col, value := range eqs {
			fits = fits && b.shelf.at(row[0], col) == value
		}
		if r.In.By != nil {
			fits = fits && in[b.shelf.at(row[0], inCol)]
		}
		if after != nil && r.Ties {
			x, y := b.shelf.at(row[0], colV), b.shelf.at(after[0], colV)
			fits = fits && (x == y || x > y != desc)
		} else if after != nil {
			fits = fits && before(row, after) > 0
		}
		if upto != nil {
			fits = fits && before(row, upto) <= 0
		}
		if fits {
			want = append(want, row.String())
		}
	}
	got := []string{}
	stop := 0
	if ch.intn(4) == 0 {
		stop = 1 + ch.intn(3)
	}
	fc := &FetchCtx{}
	end := b.op.Fetch(fc, &r, func(row uint32) bool {
		got = append(got, b.item(row).String())
		return len(got) != stop
	})
	most := len(want)
	for _, n := range []int{r.Limit, stop} {
		if n > 0 {
			most = min(most, n)
		}
	}
	if r.Order == nil {
		slices.Sort(want)
		slices.Sort(got)
		for _, row := range got {
			if _, ok := slices.BinarySearch(want, row); !ok {
				t.Fatalf("%s answered %s, which is not asked for\n%s", b.kind, row, b.describe(0))
			}
		}
		if len(slices.Compact(slices.Clone(got))) != most || len(got) != most {
			t.Fatalf("%s answered %v, want %d of %v\n%s", b.kind, got, most, want, b.describe(0))
		}
	} else if !slices.Equal(got, want[:most]) {
		t.Fatalf("%s answered %v, want %v of %v; after %v upto %v ties %v keys %v in %v\n%s", b.kind, got, want[:most], want,
			after, upto, r.Ties, eqs, in, b.describe(0))
	}
	if end == EndOfInput && len(got) != len(want) || end != EndOfInput && len(got) < most {
		t.Fatalf("%s ended with %d after %d of %d", b.kind, end, len(got), len(want))
	}
	if r.Order != nil {
		asked["ordered"]++
	}
	if len(r.Eq) > 0 {
		asked["keyed"]++
	}
	if r.In.By != nil {
		asked["among keys"]++
	}
	if r.Ties {
		asked["tied"]++
	}
	if most < len(want) {
		asked["cut short"]++
	}
}

// position returns some row of the driving table as a position here.
func (b *stage) position(ch *chance) (uint32, tuple) {
	for {
		if row := b.shelf.current[ch.intn(len(b.shelf.current))]; row != None {
			return b.lift(row), tuple{row}
		}
	}
}

// lift makes a position of the rows here from a row of the driving table.
func (b *stage) lift(row uint32) uint32 {
	switch b.kind {
	case "shelf":
		return row
	case "join":
		return b.pairs.Pair(b.in.lift(row), None)
	}
	return b.in.lift(row)
}

// Law 11, epoch: nothing is fetched from an operator that is still to be visited.
func TestLaw_Epoch(t *testing.T) {
	s := newShelf("a", 4)
	s.put(0, 1, 0, 0, 0)
	g := NewGraph()
	source, _ := g.Add(s.store)
	below := NewFilter(&stage{term: &term{kind: "shelf", shelf: s, x: 0}})
	early := &peeping{from: below}
	_, _ = g.Add(early, source)
	if _, err := g.Add(below, source); err != nil {
		t.Fatal(err)
	}
	_ = g.PushChanges(source, []Change{{0, None, s.current[0]}})
	_, _ = g.Run()
	if !errors.Is(g.Failed(1), ErrUnsettled) {
		t.Fatalf("peeping below ended with %v", g.Failed(1))
	}
}

// peeping fetches from an operator it does not stand on.
type peeping struct{ from Fetchable }

func (*peeping) Name() string { return "peeping" }
func (*peeping) Ports() int   { return 1 }
func (p *peeping) Apply(*Visit, *Out) error {
	r := Everything(nil)
	p.from.Fetch(&FetchCtx{}, &r, func(uint32) bool { return true })
	return nil
}

func TestWindow_RefusesASourceItDoesNotStandOn(t *testing.T) {
	a, b := newShelf("a", 2), newShelf("b", 2)
	o := shelfOrder{a, false}
	a.arrange(o)
	g := NewGraph()
	_, _ = g.Add(a.store)
	other, _ := g.Add(b.store)
	pull, err := NewPull(a.store, o)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := NewWindow(WindowSpec{Order: o, Keys: a, Pins: a, Limit: 1, Source: pull})
	if _, err := g.Add(w, other); !errors.Is(err, ErrNotAbove) {
		t.Fatalf("got %v", err)
	}
}
