package collection

import (
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// Mode says which changes a subscription is told of.
type Mode uint8

// The subscription modes.
const (
	// Told: only of keys it has been told of; the first it hears of a key is an insert.
	Told Mode = iota
	// Initial: of the content at the start, then of everything.
	Initial
	// All: of everything from now on.
	All
)

// Subscription is one listener of a collection. In mode Told it remembers the
// keys it was told of that are still there; in the other modes nothing.
type Subscription struct {
	ID    uint32
	Mode  Mode
	Where []*query.Expr // all must be true of a row; none: every row
	told  map[uint32]struct{}
	prog  *query.Program // Where, bound to columns while there are any
	lease Held
	met   []d2.Change // scratch of crossings
}

// Bind gives the subscription's condition, compiled over columns that lease holds.
func (s *Subscription) Bind(prog *query.Program, lease Held) { s.prog, s.lease = prog, lease }

// Bound tells whether the condition can be evaluated.
func (s *Subscription) Bound() bool { return len(s.Where) == 0 || s.prog != nil }

// Unbind gives back the columns of the condition.
func (s *Subscription) Unbind(out Effects) {
	if s.lease != nil {
		s.lease.GiveBack(out)
	}
	s.prog, s.lease = nil, nil
}

// meets tells whether a row satisfies the condition. One that it cannot be
// evaluated for does not.
func (s *Subscription) meets(slot uint32) bool {
	if slot == d2.None || s.prog == nil {
		return false
	}
	t, err := s.prog.Truth(slot)
	return err == nil && t == value.True
}

// crossings turns changes into those of the rows that satisfy the condition.
func (s *Subscription) crossings(changes []d2.Change) []d2.Change {
	met := s.met[:0]
	for _, c := range changes {
		if !s.meets(c.Old) {
			c.Old = d2.None
		}
		if !s.meets(c.New) {
			c.New = d2.None
		}
		if c.Old != c.New {
			met = append(met, c)
		}
	}
	s.met = met
	return met
}

// Filter turns a collection's net changes into what this subscription is to be
// told. same means: exactly the changes as they are. The result may be empty; with a
// condition it is nil if there is nothing to tell.
func (s *Subscription) Filter(changes []d2.Change) (out []d2.Change, same bool) {
	if len(s.Where) > 0 {
		if changes = s.crossings(changes); len(changes) == 0 {
			return nil, false
		}
		if out, same = s.known(changes); same {
			return changes, false
		}
		if len(out) == 0 {
			out = nil
		}
		return out, false
	}
	return s.known(changes)
}

// known turns changes into what a subscription in mode Told is to hear of them.
func (s *Subscription) known(changes []d2.Change) (out []d2.Change, same bool) {
	if s.Mode != Told {
		return nil, true
	}
	if s.told == nil {
		s.told = map[uint32]struct{}{}
	}
	same = true
	for i, c := range changes {
		_, known := s.told[c.Key]
		to := c
		switch {
		case c.New == d2.None:
			delete(s.told, c.Key)
			if !known {
				to = d2.Change{}
			}
		case !known:
			s.told[c.Key] = struct{}{}
			to.Old = d2.None
		}
		if to != c && same {
			same = false
			out = append(make([]d2.Change, 0, len(changes)), changes[:i]...)
		}
		if !same && to != (d2.Change{}) {
			out = append(out, to)
		}
	}
	return out, same
}

// Learn notes that a subscription in mode Told is told of a key, and tells
// whether that is news to it.
func (s *Subscription) Learn(key uint32) bool {
	if _, known := s.told[key]; known {
		return false
	}
	if s.told == nil {
		s.told = map[uint32]struct{}{}
	}
	s.told[key] = struct{}{}
	return true
}

// forget drops what the subscription remembers: the collection is empty.
func (s *Subscription) forget() { s.told = nil }
