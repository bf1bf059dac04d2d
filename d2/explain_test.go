package d2

import (
	"strconv"
	"strings"
	"testing"
)

// telling writes infos a line each: what feeds a node, and what it has done.
func telling(infos []NodeInfo) string {
	var b strings.Builder
	at := map[NodeID]int{}
	for i, n := range infos {
		at[n.ID] = i
		b.WriteString(strconv.Itoa(i) + " " + n.Name)
		for _, f := range n.Inputs {
			b.WriteString(" <" + strconv.Itoa(at[f.From]))
			if f.Feedback {
				b.WriteString("*")
			}
		}
		b.WriteString(" visits " + strconv.Itoa(n.Visits) + " changes " + strconv.Itoa(n.Changes) + " retained " + strconv.Itoa(n.Retained) + "\n")
	}
	return b.String()
}

func TestExplain_TellsOfWhatFeedsANodeAndNothingElse(t *testing.T) {
	g := NewGraph()
	add := func(op Operator, ins ...NodeID) NodeID {
		id, err := g.Add(op, ins...)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	in := add(NewInput(nil))
	plain := add(NewNegate(), in)
	both := add(NewConcat(), in)
	other := add(NewDistinct(), in)
	if err := g.Extend(func(b *Builder) { b.Connect(plain, both, 0) }); err != nil {
		t.Fatal(err)
	}
	sink := &last{}
	out := add(NewOutput(OutputSpec{Sink: sink}), both)
	if err := g.Push(in, 0, []Diff{{1, 1}, {2, 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(); err != nil {
		t.Fatal(err)
	}
	got := telling(g.Explain(out))
	if strings.Contains(got, "distinct") || strings.Count(got, "\n") != 4 || !strings.Contains(got, "negate <0 visits 1 changes 2") {
		t.Errorf("\n%s", got)
	}
	if alone := telling(g.Explain(other)); !strings.Contains(alone, "1 distinct <0 visits 1 changes 2 retained 2") {
		t.Errorf("\n%s", alone)
	}
	if g.Explain(99) != nil {
		t.Error("a node that does not exist has a plan")
	}
}

func TestExplain_ACycleComesWhole(t *testing.T) {
	g := NewGraph()
	var base, variable NodeID
	err := g.Extend(func(b *Builder) {
		base = b.Add(NewInput(nil))
		variable = b.Iterate(base, func(x NodeID) NodeID { return b.Add(NewDistinct(), x) })
	})
	if err != nil {
		t.Fatal(err)
	}
	got := g.Explain(variable)
	cyclic := 0
	for _, n := range got {
		if n.Cyclic {
			cyclic++
		}
	}
	if len(got) != 3 || cyclic != 2 {
		t.Errorf("\n%s", telling(got))
	}
}
