package collection

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

func TestDeliver_ReachesExactlyThePlansAChangeCanMatterTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := chance(rapid.Uint64().Draw(t, "seed"))
		b := newBench(t)
		l := b.lease()
		paths := []string{"v", "w"}
		type plan struct {
			target *Target
			path   string
			cells  []value.Cell
		}
		var plans []plan
		for range rapid.SampledFrom([]int{3, 10, 50}).Draw(t, "steps") {
			switch c.intn(4) {
			case 0:
				p := plan{path: paths[c.intn(2)]}
				for range c.intn(4) {
					if x := b.cell(c.scalar()); !slices.Contains(p.cells, x) {
						p.cells = append(p.cells, x)
						b.dict.Ref(x)
					}
				}
				col, err := l.Column([]string{p.path}, false)
				if err != nil {
					t.Fatalf("%v", err)
				}
				p.target = b.root.Route(d2.NodeID(len(plans)), col, p.cells)
				plans = append(plans, p)
			case 1:
				if n := len(plans); n > 0 {
					plans[n-1].target.Close()
					plans = plans[:n-1]
				}
			}
			ops := make([]op, c.intn(5))
			for i := range ops {
				if k := c.key(); c.intn(4) == 0 {
					ops[i] = del(k)
				} else {
					ops[i] = put(k, c.row())
				}
			}
			changes, err := b.sync(false, ops...)
			if err != nil {
				t.Fatalf("%v", err)
			}
			reached := slices.Clone(b.root.Deliver(changes))
			for _, p := range plans {
				var want []d2.Change
				for _, ch := range changes {
					matters := false
					for _, s := range []uint32{ch.Old, ch.New} {
						matters = matters || s != none && slices.Contains(p.cells, b.cell(b.slots[s][p.path]))
					}
					if matters {
						want = append(want, ch)
					}
				}
				if !slices.Equal(p.target.Batch, want) {
					t.Fatalf("plan over %s for %v got %v, want %v", p.path, p.cells, p.target.Batch, want)
				}
				n := 0
				for _, r := range reached {
					if r == p.target {
						n++
					}
				}
				if n != 0 && len(want) == 0 || n != 1 && len(want) > 0 {
					t.Fatalf("a plan with %d changes is listed %d times", len(want), n)
				}
				p.target.Batch = p.target.Batch[:0]
			}
			b.end()
		}
		for _, p := range plans {
			p.target.Close()
		}
		if len(b.root.routes) != 0 {
			t.Fatalf("%d routed columns are left", len(b.root.routes))
		}
	})
}
