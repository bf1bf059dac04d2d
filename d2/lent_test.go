package d2_test

import (
	"errors"
	"testing"

	"millrace.dev/millrace/d2"
)

func TestJoinOne_ItsRowsAreGivenToNobodyWhoWouldKeepThem(t *testing.T) {
	s := &songs{title: []string{"Up", "Down"}, artist: []uint64{0, 1}, index: d2.NewHash()}
	for row := range s.title {
		s.index.Add(0, s.artist[row], uint32(row))
	}
	a := &artists{present: []bool{true, true}}
	store := d2.NewStore(s)
	store.AddKey(s, s.index)
	g := d2.NewGraph()
	songsIn, _ := g.Add(store)
	artistsIn, _ := g.Add(d2.NewStore(a))
	pairs := d2.NewPairs(nil, nil)
	one, err := d2.NewJoinOne(d2.JoinOneSpec{LeftKey: s, RightKey: a, Pairs: pairs})
	if err != nil {
		t.Fatal(err)
	}
	join, err := g.Add(one, songsIn, artistsIn)
	if err != nil {
		t.Fatal(err)
	}
	all, err := g.Add(d2.NewFilter(everything{}), join)
	if err != nil {
		t.Fatal(err)
	}
	for _, below := range []d2.NodeID{join, all} {
		for _, op := range []d2.Operator{
			d2.NewOutput(d2.OutputSpec{Sink: printPairs{s, pairs}}), d2.NewDistinct(), d2.NewConcat(),
		} {
			if _, err := g.Add(op, below); !errors.Is(err, d2.ErrLent) {
				t.Errorf("%s: %v", op.Name(), err)
			}
		}
	}
}

// everything passes all rows.
type everything struct{}

func (everything) Select(rows, keep []uint32) ([]uint32, error) { return append(keep, rows...), nil }
