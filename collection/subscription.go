package collection

import "millrace.dev/millrace/d2"

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
	ID   uint32
	Mode Mode
	told map[uint32]struct{}
}

// Filter turns a collection's net changes into what this subscription is to be
// told. same means: exactly the changes as they are. The result may be empty.
func (s *Subscription) Filter(changes []d2.Change) (out []d2.Change, same bool) {
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

// forget drops what the subscription remembers: the collection is empty.
func (s *Subscription) forget() { s.told = nil }
