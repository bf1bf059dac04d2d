package d2_test

import (
	"fmt"
	"math"

	"millrace.dev/millrace/d2"
)

// tasks and teams are tables of row versions, by slot.
type tasks struct {
	id, team []uint32
	hours    []float64
}

func (t *tasks) put(id, team uint32, hours float64) uint32 {
	t.id, t.team, t.hours = append(t.id, id), append(t.team, team), append(t.hours, hours)
	return uint32(len(t.id) - 1)
}

func (t *tasks) KeyOf(slot uint32) uint32 { return t.id[slot] }

// byTeam keys tasks by the team they belong to.
type byTeam struct{ *tasks }

func (t byTeam) Key(slot uint32) (class uint8, bits uint64, ok bool) {
	return 1, uint64(t.team[slot]), true
}

type teams struct {
	id   []uint32
	name []string
}

// byID keys teams by what tasks refer to.
type byID struct{ *teams }

func (t byID) Key(slot uint32) (class uint8, bits uint64, ok bool) {
	return 1, uint64(t.id[slot]), true
}

// joined reads the columns of a task joined with its team.
type joined struct {
	pairs *d2.Pairs
	tasks *tasks
	teams *teams
}

func (j joined) Key(row uint32) (class uint8, bits uint64, ok bool) {
	return 1, uint64(j.teams.id[j.pairs.Right(row)]), true
}

func (j joined) Number(row uint32) d2.Number {
	return d2.Number{Kind: d2.NumberFloat, Bits: math.Float64bits(j.tasks.hours[j.pairs.Left(row)])}
}

// totals reads the columns of a group: the team and the sum of its hours.
type totals struct {
	table  *d2.Table
	layout d2.GroupLayout
}

func (t totals) team(row uint32) uint32 {
	_, bits := t.layout.Key(t.table, row)
	return uint32(bits)
}

func (t totals) hours(row uint32) float64 {
	_, bits := t.layout.Result(t.table, row, 0)
	return math.Float64frombits(bits)
}

func (t totals) KeyOf(row uint32) uint32 { return t.team(row) }

// Compare orders by hours, most first, then by team.
func (t totals) Compare(a, b uint32) int {
	switch x, y := t.hours(a), t.hours(b); {
	case x > y:
		return -1
	case x < y:
		return 1
	}
	return int(t.team(a)) - int(t.team(b))
}

// board prints what changes about the two busiest teams.
type board struct{ rows totals }

func (b board) Receive(r *d2.Result) {
	for _, l := range r.Delta.Leaves {
		fmt.Println("  leave", l.At, "team", l.Key)
	}
	for _, m := range r.Delta.Moves {
		fmt.Println("  move", m.From, "to", m.To, "team", m.Key, "now", b.rows.hours(m.New))
	}
	for _, e := range r.Delta.Enters {
		fmt.Println("  enter", e.At, "team", e.Key, "with", b.rows.hours(e.New))
	}
	for _, u := range r.Delta.Updates {
		fmt.Println("  update", u.At, "team", u.Key, "now", b.rows.hours(u.New))
	}
}

func (b board) Fail(err error) { fmt.Println(err) }

// The two busiest teams: tasks joined with teams, hours summed per team, the
// two greatest sums in order.
func Example_walk() {
	work, who := &tasks{}, &teams{}
	g := d2.NewGraph()

	taskInput, _ := g.Add(d2.NewInput(nil))
	teamInput, _ := g.Add(d2.NewInput(nil))
	taskSide, _ := g.Add(d2.NewArrange(byTeam{work}), taskInput)
	teamSide, _ := g.Add(d2.NewArrange(byID{who}), teamInput)
	pairs := d2.NewPairs(nil, nil)
	join, _ := g.Add(d2.NewJoin(d2.JoinSpec{Rows: pairs}), taskSide, teamSide)

	columns := joined{pairs, work, who}
	layout := d2.GroupLayout{Results: 1}
	sums := totals{d2.NewTable(layout.Width()), layout}
	group, _ := g.Add(d2.NewSum(columns, sums.table, columns, nil), join)

	top, err := d2.NewWindow(d2.WindowSpec{Order: sums, Keys: sums, Limit: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	window, _ := g.Add(top, group)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: board{sums}, Keys: sums}), window)

	run := func(title string) {
		fmt.Println(title)
		stats, _ := g.Run()
		fmt.Println(" ", stats.Visits, "operators visited,", stats.Changes, "differences taken in")
	}
	for i, name := range []string{"red", "green", "blue"} {
		who.id, who.name = append(who.id, uint32(i)), append(who.name, name)
		_ = g.PushChanges(teamInput, []d2.Change{{Key: uint32(i), Old: d2.None, New: uint32(i)}})
	}
	first := work.put(1, 0, 5)
	for _, slot := range []uint32{first, work.put(2, 1, 3), work.put(3, 1, 4), work.put(4, 2, 1)} {
		_ = g.PushChanges(taskInput, []d2.Change{{Key: work.id[slot], Old: d2.None, New: slot}})
	}
	run("load")

	longer := work.put(1, 0, 9)
	_ = g.PushChanges(taskInput, []d2.Change{{Key: 1, Old: first, New: longer}})
	run("task 1 takes 9 hours instead of 5")

	_ = g.PushChanges(taskInput, []d2.Change{{Key: 1, Old: longer, New: work.put(1, 2, 9)}})
	run("task 1 goes to team 2")
	// Output:
	// load
	//   enter 0 team 1 with 7
	//   enter 1 team 0 with 5
	//   6 operators visited, 23 differences taken in
	// task 1 takes 9 hours instead of 5
	//   move 1 to 0 team 0 now 9
	//   5 operators visited, 10 differences taken in
	// task 1 goes to team 2
	//   leave 0 team 0
	//   enter 0 team 2 with 10
	//   5 operators visited, 11 differences taken in
}
