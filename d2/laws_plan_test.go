package d2

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// term is a plan as its oracle sees it. It is built into a graph once for each
// way to run it.
type term struct {
	kind          string // shelf, filter, exists, join, window
	shelf         *shelf // the driving table
	in, other     *term
	x             int
	on, to        int // columns of the keys compared
	negated       bool
	flip          Flip
	outer         bool
	desc, tied    bool
	offset, limit uint32
	cushion       uint32
	mode          refetchMode
}

// rows evaluates a plan by its definition.
func (p *term) rows() []tuple {
	out := []tuple{}
	switch p.kind {
	case "shelf":
		for _, row := range p.shelf.current {
			if row != None {
				out = append(out, tuple{row})
			}
		}
	case "filter":
		for _, r := range p.in.rows() {
			if p.shelf.at(r[0], colX) == p.x {
				out = append(out, r)
			}
		}
	case "exists":
		others := p.other.rows()
		for _, r := range p.in.rows() {
			found := slices.ContainsFunc(others, func(o tuple) bool { return p.match(r, o) })
			if found != p.negated {
				out = append(out, r)
			}
		}
	case "join":
		others := p.other.rows()
		for _, r := range p.in.rows() {
			i := slices.IndexFunc(others, func(o tuple) bool { return p.match(r, o) })
			switch {
			case i >= 0:
				out = append(out, slices.Concat(r, tuple{pairSeparator}, others[i]))
			case p.outer:
				out = append(out, slices.Concat(r, tuple{pairSeparator, None}))
			}
		}
	case "window":
		out = p.in.rows()
		slices.SortFunc(out, p.compare)
		from := min(int(p.offset), len(out))
		out = out[from:min(uint64(len(out)), uint64(from)+uint64(p.limit))]
	}
	return out
}

// pairSeparator keeps the items of nested pairs apart.
const pairSeparator = None - 1

func (p *term) match(r, o tuple) bool {
	a := p.shelf.at(r[0], p.on)
	return a != absentValue && a == p.other.shelf.at(o[0], p.to)
}

func (p *term) compare(a, b tuple) int {
	x, y := p.shelf.at(a[0], colV), p.shelf.at(b[0], colV)
	if p.desc {
		x, y = y, x
	}
	if x != y {
		return x - y
	}
	if p.tied {
		a, b = b, a
	}
	return p.shelf.at(a[0], colID) - p.shelf.at(b[0], colID)
}

// library is a set of tables and the graph over them.
type library struct {
	t       *rapid.T
	ch      *chance
	shelves []*shelf
	values  int
	groups  int
	made    []*term
}

func newLibrary(t *rapid.T, ch *chance) *library {
	l := &library{t: t, ch: ch, values: ch.intn(4), groups: 1 + ch.intn(2)}
	for i := range 2 + ch.intn(2) {
		s := newShelf(string(rune('a'+i)), 2+ch.intn(7))
		for range ch.intn(4) {
			switch ch.intn(5) {
			case 0, 1:
				s.arrange(shelfOrder{s, ch.intn(3) == 0})
			case 2:
				s.index(colID)
			case 3:
				s.index(colG)
			default:
				s.index(colH)
			}
		}
		l.shelves = append(l.shelves, s)
		for id := range s.current {
			if ch.intn(4) > 0 {
				l.put(s, id)
			}
		}
	}
	return l
}

func (l *library) group() int { return l.ch.intn(l.groups+1) - 1 }

func (l *library) put(s *shelf, id int) Change {
	return s.put(id, l.ch.intn(l.values+1), l.ch.intn(2), l.group(), l.group())
}

// change prepares a run on some tables: toggles, drains, rekeys.
func (l *library) change() map[*shelf][]Change {
	batches := map[*shelf][]Change{}
	for _, s := range l.shelves {
		if l.ch.intn(2) == 0 {
			continue
		}
		style := l.ch.intn(5)
		most := []int{1, 1, 2, len(s.current)}[l.ch.intn(4)]
		picked := map[int]bool{}
		for range most {
			id := l.ch.intn(len(s.current))
			if picked[id] {
				continue
			}
			picked[id] = true
			row := s.current[id]
			var c Change
			switch {
			case row != None && (style < 2 || l.ch.intn(4) == 0):
				c = s.del(id)
			case style == 0: // drain
				continue
			case row != None && style == 2: // payload only
				c = s.put(id, s.at(row, colV), l.ch.intn(2), s.at(row, colG), s.at(row, colH))
			default:
				c = l.put(s, id)
			}
			batches[s] = append(batches[s], c)
		}
	}
	return batches
}

// plan makes a random plan over the tables.
func (l *library) plan(depth int) *term {
	if len(l.made) > 0 && l.ch.intn(5) == 0 {
		return l.made[l.ch.intn(len(l.made))] // more than one reader
	}
	p := l.freshPlan(depth)
	l.made = append(l.made, p)
	return p
}

func (l *library) freshPlan(depth int) *term {
	ch := l.ch
	kind := ch.intn(8)
	if depth == 0 {
		kind = 0
	}
	switch kind {
	case 0:
		return &term{kind: "shelf", shelf: l.shelves[ch.intn(len(l.shelves))]}
	case 1:
		in := l.plan(depth - 1)
		return &term{kind: "filter", shelf: in.shelf, in: in, x: ch.intn(2)}
	case 2:
		in, other := l.plan(depth-1), l.plan(depth-1)
		return &term{kind: "join", shelf: in.shelf, in: in, other: other, on: colG + ch.intn(2), to: colID, outer: ch.intn(2) == 0}
	case 3:
		return l.window(depth)
	}
	in, other := l.plan(depth-1), l.plan(depth-1)
	return &term{
		kind: "exists", shelf: in.shelf, in: in, other: other, negated: ch.intn(3) == 0,
		on: []int{colID, colG, colG, colH}[ch.intn(4)], to: []int{colID, colG, colG, colH}[ch.intn(4)], flip: Flip(ch.intn(3)),
	}
}

func (l *library) window(depth int) *term {
	ch := l.ch
	in := l.plan(depth - 1)
	return &term{
		kind: "window", shelf: in.shelf, in: in, desc: ch.intn(3) == 0, tied: ch.intn(4) == 0,
		offset: uint32([]int{0, 0, 0, 1}[ch.intn(4)]), limit: uint32([]int{0, 1, 1, 2, 2, 3}[ch.intn(6)]),
		cushion: uint32(ch.intn(2)), mode: []refetchMode{refetchByCost, refetchNever, refetchNever, refetchAlways}[ch.intn(4)],
	}
}

// fanOut makes a plan in which one row of a table decides on many of another,
// under a short window that reads by index: where fan-outs are cut.
func (l *library) fanOut() *term {
	ch := l.ch
	s := newShelf("wide", 6+ch.intn(7))
	s.arrange(shelfOrder{s, false})
	if ch.intn(2) == 0 {
		s.index(colG)
	}
	l.shelves[0], l.groups = s, 1+ch.intn(2)
	for id := range s.current {
		l.put(s, id)
	}
	p := &term{kind: "shelf", shelf: s}
	for range 1 + ch.intn(3) {
		switch ch.intn(5) {
		case 0:
			p = &term{kind: "filter", shelf: s, in: p, x: ch.intn(2)}
		case 1:
			p = &term{kind: "join", shelf: s, in: p, other: l.plan(0), on: colG + ch.intn(2), to: colID, outer: ch.intn(3) == 0}
		default:
			other := l.plan(ch.intn(2))
			if ch.intn(4) == 0 {
				other = p // both sides hear the same
			}
			p = &term{
				kind: "exists", shelf: s, in: p, other: other, negated: ch.intn(4) == 0,
				on: colG + ch.intn(2), to: colG + ch.intn(2), flip: Flip(ch.intn(3)),
			}
		}
	}
	return &term{
		kind: "window", shelf: s, in: p, offset: uint32(ch.intn(2)), limit: uint32(ch.intn(3)),
		cushion: uint32(ch.intn(2)), mode: refetchMode(ch.intn(2)),
	}
}

// watcher checks one way to run a plan against the oracle.
type watcher struct {
	name  string
	b     *stage
	last  string  // the delta told in this run
	items []tuple // a mirror of the window
}

func (w *watcher) Receive(r *Result) {
	w.last = told(r.Delta)
	w.items = nil
	for _, row := range w.b.win.w.rows(nil) {
		w.items = append(w.items, w.b.item(row))
	}
}
func (w *watcher) Fail(err error) { panic(err) }

func (p *term) seq() []seqRow {
	out := []seqRow{}
	for _, r := range p.rows() {
		out = append(out, seqRow{p.shelf.at(r[0], colID), p.shelf.at(r[0], colV), r.String()})
	}
	return out
}

var noDelta = definedDelta(nil, nil)

// Law 8, plans: random plans over random arrangements, or none, emit the delta
// their definition gives, whether windows hold everything or fetch.
func TestLaw_Plans(t *testing.T) {
	seen := checkPlans(t, 10, way{name: "retained", retained: true}, way{name: "windowed"})
	if seen.cuts == 0 || seen.fetches == 0 || seen.nested == 0 {
		t.Errorf("the hard cases did not happen: %+v", seen)
	}
}

// Law 9, interest: a window that says what it needs to hear of tells the same as
// one that hears everything, and hears no more than that.
func TestLaw_Interest(t *testing.T) {
	seen := checkPlans(t, 6, way{name: "windowed"}, way{name: "deaf", deaf: true})
	if seen.less == 0 {
		t.Errorf("nothing was left out: %+v", seen)
	}
}

// planCounts tells how often what the laws are about has happened.
type planCounts struct {
	cuts, fetches, nested int
	less                  int // rows not delivered for want of interest
}

func checkPlans(t *testing.T, histories int, ways ...way) planCounts {
	var seen planCounts
	rapid.Check(t, func(t *rapid.T) {
		ch := newChance(t)
		for range histories {
			planHistory(t, ch, ways, &seen)
		}
	})
	t.Logf("%+v", seen)
	return seen
}

func planHistory(t *rapid.T, ch *chance, ways []way, seen *planCounts) {
	l := newLibrary(t, ch)
	p := l.window(3)
	if ch.intn(2) == 0 {
		p = l.fanOut()
	}
	g := NewGraph()
	stores := map[*shelf]NodeID{}
	var watchers []*watcher
	var plans []*buildPlan
	for _, way := range ways {
		c := &buildPlan{t: t, g: g, stores: stores, way: way, known: map[*term]*stage{}}
		b := c.build(p)
		w := &watcher{name: way.name, b: b}
		c.add(NewOutput(OutputSpec{Sink: w, Keys: b}), b.node)
		plans = append(plans, c)
		watchers = append(watchers, w)
	}
	seen.nested += len(plans[1].meters) - 1
	// Everything the tables hold arrives, by hydration or as a first batch.
	if ch.intn(2) == 0 {
		var fresh []NodeID
		for _, c := range plans {
			for _, b := range c.all {
				if b.kind != "shelf" {
					fresh = append(fresh, b.node)
				}
				if b.meter != nil {
					fresh = append(fresh, g.nodes[b.node].ins[0].from.id)
				}
			}
		}
		if err := g.Hydrate(fresh...); err != nil {
			t.Fatal(err)
		}
	} else {
		for s, id := range stores {
			for i, row := range s.current {
				if row != None {
					_ = g.PushChanges(id, []Change{{uint32(i), None, row}})
				}
			}
		}
		_, _ = g.Run()
	}
	old := []seqRow{}
	check := func(what any) {
		now := p.seq()
		want := definedDelta(old, now)
		if want == noDelta {
			want = ""
		}
		for _, w := range watchers {
			got := w.last
			if got == noDelta {
				got = ""
			}
			if got != want {
				t.Fatalf("%s: %v\n old %v\n now %v\n got  %s\n want %s\n%s", w.name, what, old, now, got, want, p.describe(0))
			}
			w.last = ""
			for i, it := range w.items {
				if now[i].row != it.String() {
					t.Fatalf("%s: shows %v, want %v", w.name, w.items, now)
				}
			}
		}
		old = now
	}
	check("at first")
	for range 6 + ch.intn(20) {
		batches := l.change()
		for s, batch := range batches {
			if id, ok := stores[s]; ok {
				_ = g.PushChanges(id, batch)
			}
		}
		if ch.intn(8) == 0 {
			p.offset, p.limit = uint32(ch.intn(2)), uint32(ch.intn(4))
			for _, w := range watchers {
				_ = g.SetWindow(w.b.node, p.offset, p.limit)
			}
		}
		for _, c := range plans {
			for _, m := range c.meters {
				m.rows = 0
			}
		}
		stats, err := g.Run()
		if err != nil {
			t.Fatal(err)
		}
		seen.fetches += stats.Refills
		check(batches)
		for i, m := range plans[0].meters {
			deaf := plans[1].meters[i]
			if !deaf.deaf {
				break
			}
			if m.rows > deaf.rows {
				t.Fatalf("delivered %d rows, %d to one that needs all, of %v\n%s", m.rows, deaf.rows, batches, p.describe(0))
			}
			seen.less += deaf.rows - m.rows
		}
		for s, batch := range batches {
			s.forget(batch)
		}
	}
	for _, c := range plans {
		for _, m := range c.meters {
			seen.cuts += m.cuts
		}
	}
	for _, id := range stores {
		_ = g.Drop(id)
	}
	for _, s := range l.shelves {
		if s.pinned() != 0 {
			t.Fatalf("%d pins left", s.pinned())
		}
	}
}

func (p *term) describe(depth int) string {
	pad := "                "[:2*depth]
	s := pad + p.kind
	switch p.kind {
	case "shelf":
		return s + " " + p.shelf.name + "\n"
	case "filter":
		s += " x=" + string(rune('0'+p.x))
	case "exists", "join":
		s += " on " + string(rune('0'+p.on)) + "=" + string(rune('0'+p.to))
		if p.negated {
			s += " negated"
		}
		if p.outer {
			s += " outer"
		}
		if p.flip == FlipAlways {
			s += " flipped"
		}
	case "window":
		s += " " + string(rune('0'+p.offset)) + "+" + string(rune('0'+p.limit)) + " c" + string(rune('0'+p.cushion))
		if p.tied {
			s += " tied"
		}
		if p.desc {
			s += " desc"
		}
	}
	s += "\n" + p.in.describe(depth+1)
	if p.other != nil {
		s += p.other.describe(depth + 1)
	}
	return s
}
