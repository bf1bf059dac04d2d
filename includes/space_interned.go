package includes

import "millrace.dev/millrace/d2"

// interned is what spaces of rows in a table have in common: the rows' key
// ids, which are counted by the rows that have them.
type interned struct {
	engine *Engine
	table  *d2.Table
	keys   *d2.Table // a row is a key id; nil if the rows are their own
	keyOf  []uint32  // by row
	noted  bool      // among the engine's loose ones
	watchers
}

// newInterned returns what a space of rows in table keeps; a key is told by
// words words, one or two.
func newInterned(e *Engine, table *d2.Table, words int) interned {
	s := interned{engine: e, table: table}
	if words > 0 {
		s.keys = d2.NewTable(words)
	}
	return s
}

// KeyOf implements d2.Keys.
func (s *interned) KeyOf(row uint32) uint32 {
	if s.keys == nil {
		return row
	}
	return s.keyOf[row]
}

func (s *interned) ref(row uint32) { s.table.Ref(row) }

func (s *interned) unref(row uint32) {
	s.table.Unref(row)
	s.loosen()
}

// made gives a row its key.
func (s *interned) made(row uint32, words ...uint64) {
	key := s.keys.Intern(words)
	s.keys.Ref(key)
	for int(row) >= len(s.keyOf) {
		s.keyOf = append(s.keyOf, d2.None)
	}
	s.keyOf[row] = key
}

// freed takes a row's key.
func (s *interned) freed(row uint32) {
	s.forget(row)
	if s.keys != nil {
		s.keys.Unref(s.keyOf[row])
		s.keyOf[row] = d2.None
	}
	s.loosen()
}

// loosen notes that there may be rows or keys nothing refers to.
func (s *interned) loosen() {
	if !s.noted {
		s.noted = true
		s.engine.loosened = append(s.engine.loosened, s)
	}
}

// sweep frees the rows and keys nothing refers to any more, in all spaces.
func (e *Engine) sweep() {
	defer func() {
		for _, t := range e.looseKeys {
			t.Sweep()
		}
		e.looseKeys = e.looseKeys[:0]
	}()
	for len(e.loosened) > 0 {
		s := e.loosened[len(e.loosened)-1]
		e.loosened = e.loosened[:len(e.loosened)-1]
		s.noted = false
		s.table.Sweep()
		if s.keys != nil {
			s.keys.Sweep()
		}
		if s.table.Len() == 0 {
			s.keyOf = nil
		}
	}
}
