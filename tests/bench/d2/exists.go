package main

import "millrace.dev/millrace/d2"

// Existence two and three levels deep: the first ten of 2,000 issues that have a
// comment whose author (whose author's organisation, at depth 3) is a bot. Each
// run renames the one author, or organisation, that all of them depend on, away
// and back in turn; fifty further issues depend on another and stay.

const (
	chainIssues    = 2000
	chainSurvivors = 50
	chainLimit     = 10
)

// Names of authors and organisations, in column b.
const (
	nameOther = iota
	nameBot
)

// named passes the rows of a table with a name.
type named struct{ *rows }

func (n named) Select(slots, keep []uint32) ([]uint32, error) {
	for _, s := range slots {
		if n.b[s] == nameBot {
			keep = append(keep, s)
		}
	}
	return keep, nil
}

// level is a table of the chain with the indexes its readers need.
type level struct {
	*rows
	in      d2.NodeID
	store   *d2.Store
	ordered *d2.Ordered
	hashes  []hashed
}

func newLevel(t *rows, keys ...d2.Keyer) *level {
	l := &level{rows: t, store: d2.NewStore(t)}
	for _, by := range keys {
		h := newHashed(t, by)
		l.hashes = append(l.hashes, h)
		l.store.AddKey(by, h.set)
	}
	return l
}

func (l *level) follow(c d2.Change) {
	for _, h := range l.hashes {
		h.follow(c)
	}
	if l.ordered != nil {
		follow(l.ordered, c)
	}
}

// chained builds the chain: issues (key), comments (issue in a, author in b),
// authors (organisation in a, name in b), organisations (name in b).
func chained(depth int) *scene {
	total := uint32(chainIssues + chainSurvivors)
	issues, comments := newRows(int(total)), newRows(int(total))
	last := newRows(2) // authors at depth 2, organisations at depth 3
	authors := newRows(int(total))
	for k := range total {
		of := uint32(0)
		if k >= chainIssues {
			of = 1
		}
		issues.put(k, int64(k), 0)
		if depth == 2 {
			comments.put(k, int64(k), of)
		} else {
			comments.put(k, int64(k), k)
			authors.put(k, int64(of), 0)
		}
	}
	last.put(0, 0, nameBot)
	last.put(1, 0, nameBot)

	top := newLevel(issues, byKey{issues})
	top.ordered = issues.sorted()
	top.store.AddOrder(issues, top.ordered)
	middle := newLevel(comments, byA{comments}, byB{comments})
	bottom := newLevel(last, byKey{last})

	s := newScene(issues.checksum)
	var shown *d2.Exists
	var out d2.NodeID
	s.extend(func(b *d2.Builder) {
		bottom.in = b.Add(bottom.store)
		bots := b.Add(d2.NewFilter(named{last}), bottom.in)
		if depth == 3 {
			between := newLevel(authors, byKey{authors}, byA{authors})
			bots = exists(b, b.Add(between.store), bots, byA{authors}, bottom.hashes[0].by)
			bots = exists(b, b.Add(middle.store), bots, byB{comments}, between.hashes[0].by)
		} else {
			bots = exists(b, b.Add(middle.store), bots, byB{comments}, bottom.hashes[0].by)
		}
		shown = must1(d2.NewExists(d2.ExistsSpec{ParentKey: top.hashes[0].by, ChildKey: middle.hashes[0].by}))
		out = b.Add(shown, b.Add(top.store), bots)
	})
	// What a window can be pulled from is known once that has its place.
	window := must1(d2.NewWindow(d2.WindowSpec{
		Order: issues, Keys: issues, Limit: chainLimit,
		Source: must1(d2.NewPull(shown, issues)), Pins: issues,
	}))
	s.held = func() (int, int) { return window.Retained(), window.Bytes() }
	s.extend(func(b *d2.Builder) {
		out = b.Add(window, out)
		s.output(b, out)
	})
	must(s.graph.Hydrate(out))
	name := uint32(nameOther)
	batch := make([]d2.Change, 1)
	s.run = func() {
		batch[0] = last.put(0, 0, name)
		bottom.follow(batch[0])
		s.changes(bottom.in, batch)
		s.rest()
		last.settle(batch)
		name = nameBot - name
	}
	return s
}

// exists adds a semi-join of a level with its children.
func exists(b *d2.Builder, parents, children d2.NodeID, parentKey, childKey d2.Keyer) d2.NodeID {
	op := must1(d2.NewExists(d2.ExistsSpec{ParentKey: parentKey, ChildKey: childKey}))
	return b.Add(op, parents, children)
}
