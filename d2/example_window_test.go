package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// scores is a table of players; a row is a version of a player's score.
type scores []struct {
	player string
	key    uint32
	points int
}

// Compare sorts by points, most first, then by key.
func (s scores) Compare(a, b d2.Slot) int {
	if s[a].points != s[b].points {
		return s[b].points - s[a].points
	}
	return int(s[a].key) - int(s[b].key)
}

func (s scores) KeyOf(row d2.Slot) d2.Key { return s[row].key }

type podium struct{ s scores }

func (p podium) Receive(r *d2.Result) {
	for _, x := range r.Delta.Leaves {
		fmt.Printf("%s leaves place %d\n", p.s[x.Old].player, x.At+1)
	}
	for _, x := range r.Delta.Moves {
		fmt.Printf("%s moves from %d to %d\n", p.s[x.New].player, x.From+1, x.To+1)
	}
	for _, x := range r.Delta.Enters {
		fmt.Printf("%s enters at %d\n", p.s[x.New].player, x.At+1)
	}
	for _, x := range r.Delta.Updates {
		fmt.Printf("%s has %d points at %d\n", p.s[x.New].player, p.s[x.New].points, x.At+1)
	}
}
func (p podium) Fail(err error) { fmt.Println(err) }

// The best two players.
func ExampleWindow() {
	s := scores{
		{"Ada", 0, 50}, {"Bob", 1, 40}, {"Cy", 2, 30}, // at first
		{"Cy", 2, 45}, {"Ada", 0, 55}, // later
	}
	window, _ := d2.NewWindow(d2.WindowSpec{Order: s, Keys: s, Limit: 2})
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	top, _ := g.Add(window, in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: podium{s}}), top)

	_ = g.PushChanges(in, []d2.Change{{Key: 0, Old: d2.None, New: 0}, {Key: 1, Old: d2.None, New: 1}, {Key: 2, Old: d2.None, New: 2}})
	_, _ = g.Run()
	_ = g.PushChanges(in, []d2.Change{{Key: 2, Old: 2, New: 3}, {Key: 0, Old: 0, New: 4}})
	_, _ = g.Run()
	// Output:
	// Ada enters at 1
	// Bob enters at 2
	// Bob leaves place 2
	// Cy enters at 2
	// Ada has 55 points at 1
}
