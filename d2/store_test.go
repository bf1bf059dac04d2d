package d2

import (
	"errors"
	"slices"
	"testing"
)

// stocked is a table of n rows in order, arranged and indexed by group.
func stocked(n, groups int) (*shelf, shelfOrder) {
	s := newShelf("s", n)
	o := shelfOrder{s, false}
	s.arrange(o)
	s.index(colG)
	for id := range n {
		s.put(id, id, 0, id%groups, 0)
	}
	return s, o
}

func fetchAll(f Fetchable, r FetchReq) (rows []uint32, scanned int, end FetchEnd) {
	fc := FetchCtx{}
	end = f.Fetch(&fc, &r, func(row uint32) bool {
		rows = append(rows, row)
		return true
	})
	return rows, fc.Scanned, end
}

func TestStore_TakesTheCheaperWay(t *testing.T) {
	for _, c := range []struct {
		name      string
		groups    int
		change    func(r *FetchReq)
		rows, see int
	}{
		{"few of a key are gathered and sorted", 1000, func(r *FetchReq) { r.Limit = 10 }, 2, 2},
		{"many of a key are met in order", 2, func(r *FetchReq) { r.Limit = 10 }, 10, 19},
		{"some, all of them wanted, are gathered", 100, func(*FetchReq) {}, 20, 20},
		{"between two positions only these are looked at", 2, func(r *FetchReq) { r.After, r.Upto = 100, 110 }, 5, 10},
		{"a key is not needed in order", 2, func(r *FetchReq) { r.Order, r.Limit = nil, 3 }, 3, 3},
		{"no key", 2, func(r *FetchReq) { r.Eq, r.Limit = nil, 3 }, 3, 3},
		{"a key nobody has", 2, func(r *FetchReq) { r.Eq[0].Bits = 7 }, 0, 0},
	} {
		s, o := stocked(2000, c.groups)
		r := Everything(o)
		r.Eq = []Eq{{shelfKey{s, colG}, 1, 0}}
		c.change(&r)
		rows, scanned, _ := fetchAll(s.store, r)
		if len(rows) != c.rows || scanned != c.see {
			t.Errorf("%s: %d rows of %d looked at, want %d of %d", c.name, len(rows), scanned, c.rows, c.see)
		}
		if r.Order != nil && !slices.IsSortedFunc(rows, o.Compare) {
			t.Errorf("%s: %v", c.name, rows)
		}
	}
}

func TestStore_PlansWithoutSorting(t *testing.T) {
	s, o := stocked(100, 10)
	other := shelfOrder{s, true}
	eq := []Eq{{By: shelfKey{s, colG}}}
	for _, c := range []struct {
		name string
		r    FetchReq
		ok   bool
	}{
		{"all in an arranged order", Everything(o), true},
		{"all in another", Everything(other), false},
		{"a key in another", FetchReq{Eq: eq, Order: other, After: None, Upto: None}, true},
		{"all in any", Everything(nil), true},
	} {
		if _, ok := s.store.Plan(&c.r); ok != c.ok {
			t.Errorf("%s: %v", c.name, ok)
		}
	}
	s.store.DropOrder(o)
	r := Everything(o)
	if _, ok := s.store.Plan(&r); ok {
		t.Error("the order was withdrawn")
	}
	s.store.DropKey(shelfKey{s, colG})
	r = Everything(nil)
	r.Eq, r.Limit = []Eq{{shelfKey{s, colG}, 1, 3}}, 1
	if rows, scanned, _ := fetchAll(s.store, r); len(rows) != 1 || scanned != 4 {
		t.Errorf("without an index %d rows were looked at", scanned)
	}
}

func TestStore_TellsThatNotAllIsLoaded(t *testing.T) {
	s, o := stocked(10, 1)
	s.store.SetPartial(true)
	pull, _ := NewPull(filterOver(s), o)
	got := 0
	_, end := pull.Fetch(None, 20, func(Slot) bool { got++; return true })
	if !end || got != 10 || pull.Ended() != EndOfLocal {
		t.Errorf("%d rows, end %v, %d", got, end, pull.Ended())
	}
	if _, end := pull.Fetch(None, 5, func(Slot) bool { return true }); end || pull.Ended() != LimitReached {
		t.Errorf("end %v, %d", end, pull.Ended())
	}
}

// filterOver is a filter that keeps everything, bound without a graph.
func filterOver(s *shelf) *Filter {
	f := NewFilter(&stage{term: &term{kind: "shelf", shelf: s}})
	_ = f.Bind(Place{In: []Operator{s.store}})
	return f
}

// bare is an order that cannot tell its values from its key.
type bare struct{ o shelfOrder }

func (b bare) Compare(x, y Slot) int { return b.o.Compare(x, y) }

type tiedTo struct {
	shelfOrder
	to Order
}

func (o tiedTo) Driving() Order { return o.to }

func TestPull_NeedsAnOrderThatCanBeRead(t *testing.T) {
	s, o := stocked(10, 1)
	if _, err := NewPull(s.store, shelfOrder{s, true}); !errors.Is(err, ErrNoFetch) {
		t.Error(err)
	}
	if _, err := NewPull(s.store, tiedTo{shelfOrder{s, true}, shelfOrder{s, true}}); !errors.Is(err, ErrNoFetch) {
		t.Error(err)
	}
	if _, err := NewPull(s.store, tiedTo{shelfOrder{s, true}, bare{o}}); !errors.Is(err, ErrNoTies) {
		t.Error(err)
	}
	if _, err := NewPull(s.store, tiedTo{shelfOrder{s, true}, o}); err != nil {
		t.Error(err)
	}
}

// Groups of equal order values are read to their end, and no further.
func TestPull_CompletesTheGroupOfTheLastRow(t *testing.T) {
	s := newShelf("s", 100)
	s.arrange(shelfOrder{s, false})
	for id := range 100 {
		s.put(id, id/10, 0, 0, 0)
	}
	b := &stage{term: &term{kind: "shelf", shelf: s}}
	pull, err := NewPull(s.store, tiedOrder{b, false})
	if err != nil {
		t.Fatal(err)
	}
	keys := []Key{}
	take := func(row Slot) bool { keys = append(keys, s.KeyOf(row)); return true }
	scanned, _ := pull.Fetch(None, 3, take)
	if !slices.Equal(keys, []Key{9, 8, 7}) || scanned != 11 {
		t.Errorf("%v by looking at %d", keys, scanned)
	}
	keys = keys[:0]
	scanned, _ = pull.Fetch(s.current[7], 9, take)
	if !slices.Equal(keys, []Key{6, 5, 4, 3, 2, 1, 0, 19, 18}) || scanned != 21 {
		t.Errorf("%v by looking at %d", keys, scanned)
	}
}
