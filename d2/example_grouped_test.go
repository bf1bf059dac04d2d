package d2_test

import (
	"fmt"

	"millrace.dev/millrace/d2"
)

// orders is a table of versions of orders; a version's number is its slot.
type orders []struct {
	id, customer, day uint32
}

// Compare sorts the latest first, then by id.
func (o orders) Compare(a, b d2.Slot) int {
	if o[a].day != o[b].day {
		return int(o[b].day) - int(o[a].day)
	}
	return int(o[a].id) - int(o[b].id)
}

func (o orders) KeyOf(slot d2.Slot) d2.Key { return o[slot].id }

// Key groups orders by customer.
func (o orders) Key(slot uint32) (class uint8, bits uint64, ok bool) {
	return 0, uint64(o[slot].customer), true
}

// latest prints what has become of the windows.
type latest struct {
	table orders
	op    *d2.Grouped
}

func (l latest) Receive(*d2.Result) {
	for i := range l.op.Deltas().Len() {
		_, customer := l.op.Deltas().Group(i)
		d := l.op.Deltas().Delta(i)
		fmt.Printf("customer %d:", customer)
		for _, x := range d.Leaves {
			fmt.Printf(" order %d leaves %d", x.Key, x.At)
		}
		for _, x := range d.Moves {
			fmt.Printf(" order %d moves from %d to %d", x.Key, x.From, x.To)
		}
		for _, x := range d.Enters {
			fmt.Printf(" order %d enters at %d", x.Key, x.At)
		}
		fmt.Println()
	}
}

func (l latest) Fail(err error) { fmt.Println(err) }

// The two latest orders of each customer.
func ExampleGrouped() {
	table := orders{
		{id: 1, customer: 7, day: 10},
		{id: 2, customer: 7, day: 11},
		{id: 3, customer: 7, day: 12},
		{id: 4, customer: 9, day: 10},
		{id: 3, customer: 9, day: 12}, // order 3 turns out to be another customer's
		{id: 4, customer: 9, day: 13}, // order 4 is put off
	}
	op, err := d2.NewGrouped(d2.GroupedSpec{Order: table, Keys: table, Group: table, Limit: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	g := d2.NewGraph()
	in, _ := g.Add(d2.NewInput(nil))
	windows, _ := g.Add(op, in)
	_, _ = g.Add(d2.NewOutput(d2.OutputSpec{Sink: latest{table, op}}), windows)

	_ = g.Push(in, 0, []d2.Diff{{Row: 0, Weight: 1}, {Row: 1, Weight: 1}, {Row: 2, Weight: 1}, {Row: 3, Weight: 1}})
	_, _ = g.Run()
	fmt.Println("then")
	_ = g.PushChanges(in, []d2.Change{{Key: 3, Old: 2, New: 4}, {Key: 4, Old: 3, New: 5}})
	_, _ = g.Run()

	// Output:
	// customer 7: order 3 enters at 0 order 2 enters at 1
	// customer 9: order 4 enters at 0
	// then
	// customer 7: order 3 leaves 0 order 1 enters at 1
	// customer 9: order 3 enters at 1
}
