package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// songs is a table of songs; the number of a song is its row. artist is what a
// song refers to.
type songs struct {
	title  []string
	artist []uint64
	order  *d2.Ordered
	index  *d2.Hash
}

func (s *songs) Len() int                 { return len(s.title) }
func (s *songs) Compare(a, b d2.Slot) int { return int(a) - int(b) }
func (s *songs) KeyOf(row d2.Slot) d2.Key { return row }
func (s *songs) Pin(d2.Slot)              {}
func (s *songs) Unpin(d2.Slot)            {}
func (s *songs) Each(yield func(uint32) bool) {
	for row := range s.title {
		if !yield(uint32(row)) {
			return
		}
	}
}

func (s *songs) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, s.artist[row], true }

// artists are identified by their rows; present tells which are there.
type artists struct{ present []bool }

func (a *artists) Len() int { return len(a.present) }
func (a *artists) Each(yield func(uint32) bool) {
	for row, ok := range a.present {
		if ok && !yield(uint32(row)) {
			return
		}
	}
}

func (a *artists) Key(row uint32) (class uint8, bits uint64, ok bool) { return 0, uint64(row), true }

// chart prints what has become of a window of songs.
type chart struct{ s *songs }

func (c chart) Receive(r *d2.Result) {
	for _, x := range r.Delta.Leaves {
		fmt.Println("leaves:", c.s.title[x.Old])
	}
	for _, x := range r.Delta.Enters {
		fmt.Println("enters:", c.s.title[x.New])
	}
}
func (c chart) Fail(err error) { fmt.Println(err) }

// The first two songs whose artist is known. Nothing is kept but those two: the
// operators read the tables, and so does the window.
func ExampleExists() {
	s := &songs{title: []string{"Up", "Down", "Left", "Right"}, artist: []uint64{0, 1, 0, 1}, index: d2.NewHash()}
	s.order = d2.NewOrdered(s)
	for row := range s.title {
		s.order.Insert(uint32(row))
		s.index.Add(0, s.artist[row], uint32(row))
	}
	a := &artists{present: []bool{true, true}}

	songStore, artistStore := d2.NewStore(s), d2.NewStore(a)
	songStore.AddOrder(s, s.order)
	songStore.AddKey(s, s.index)
	known, _ := d2.NewExists(d2.ExistsSpec{ParentKey: s, ChildKey: a})

	g := d2.NewGraph()
	songsIn, _ := g.Add(songStore)
	artistsIn, _ := g.Add(artistStore)
	node, _ := g.Add(known, songsIn, artistsIn)
	source, _ := d2.NewPull(known, s)
	window, _ := d2.NewWindow(d2.WindowSpec{Order: s, Keys: s, Pins: s, Source: source, Limit: 2})
	top, _ := g.Add(window, node)
	out, _ := g.Add(d2.NewOutput(d2.OutputSpec{Sink: chart{s}}), top)
	_ = g.Hydrate(node, top, out)

	// Artist 0 goes, and all songs with it.
	a.present[0] = false
	_ = g.Push(artistsIn, 0, []d2.Diff{{Row: 0, Weight: -1}})
	stats, _ := g.Run()
	fmt.Println("rows looked at:", stats.RowsScanned)
	// Output:
	// enters: Up
	// enters: Down
	// leaves: Up
	// enters: Right
	// rows looked at: 3
}

// Songs with their artists: a pair is updated when its artist changes.
func ExampleJoinOne() {
	s := &songs{title: []string{"Up", "Down"}, artist: []uint64{0, 1}, index: d2.NewHash()}
	for row := range s.title {
		s.index.Add(0, s.artist[row], uint32(row))
	}
	a := &artists{present: []bool{true, false}}
	songStore, artistStore := d2.NewStore(s), d2.NewStore(a)
	songStore.AddKey(s, s.index)
	pairs := d2.NewPairs(nil, nil)
	join, _ := d2.NewJoinOne(d2.JoinOneSpec{LeftKey: s, RightKey: a, Outer: true, Pairs: pairs})

	g := d2.NewGraph()
	songsIn, _ := g.Add(songStore)
	artistsIn, _ := g.Add(artistStore)
	node, _ := g.Add(d2.NewOwned(join, pairs.Table()), songsIn, artistsIn)
	out, _ := g.Add(d2.NewOutput(d2.OutputSpec{Sink: printPairs{s, pairs}}), node)
	_ = g.Hydrate(node, out)

	a.present[1] = true
	_ = g.Push(artistsIn, 0, []d2.Diff{{Row: 1, Weight: 1}})
	_, _ = g.Run()
	// Output:
	// +1 Up by artist 0
	// +1 Down by nobody
	// -1 Down by nobody
	// +1 Down by artist 1
}

type printPairs struct {
	s     *songs
	pairs *d2.Pairs
}

func (p printPairs) Receive(r *d2.Result) {
	for _, d := range r.Diffs {
		by := "nobody"
		if a := p.pairs.Right(d.Row); a != d2.None {
			by = fmt.Sprint("artist ", a)
		}
		fmt.Printf("%+d %s by %s\n", d.Weight, p.s.title[p.pairs.Left(d.Row)], by)
	}
}
func (p printPairs) Fail(err error) { fmt.Println(err) }
