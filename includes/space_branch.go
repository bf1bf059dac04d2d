package includes

import (
	"millrace.dev/millrace/collection/value"
	"millrace.dev/millrace/d2"
)

// branchSpace is the space of a union: the number of a branch and a row of it.
// Its first leaf is the number, the next tell
// which branch it is.
type branchSpace struct {
	interned
	branches []space
	all      []leaf
}

func newBranchSpace(e *Engine, branches []space) *branchSpace {
	s := &branchSpace{interned: newInterned(e, d2.NewTable(1), 1), branches: branches}
	s.all = []leaf{{cells: &cellSpace{numbers: s.table}}}
	for i := range branches {
		s.all = append(s.all, leaf{walk: []hop{{table: s.table, kind: stepBranch, tag: uint32(i)}}, there: true})
	}
	for i, b := range branches {
		s.all = behind(hop{table: s.table, kind: stepBranch, tag: uint32(i)}, b.leaves(), s.all)
	}
	s.table.Made = func(row uint32) {
		branch, of := s.split(row)
		branches[branch].ref(of)
		s.made(row, uint64(branch)<<32|uint64(branches[branch].KeyOf(of)))
	}
	s.table.Freed = func(row uint32) {
		branch, of := s.split(row)
		branches[branch].unref(of)
		s.freed(row)
	}
	return s
}

func (s *branchSpace) split(row uint32) (branch, of uint32) {
	word := s.table.Word(row, 0)
	return uint32(word >> 32), uint32(word)
}

// Pin implements d2.Pins.
func (s *branchSpace) Pin(row uint32) {
	s.table.Ref(row)
	branch, of := s.split(row)
	s.branches[branch].Pin(of)
}

// Unpin implements d2.Pins.
func (s *branchSpace) Unpin(row uint32) {
	branch, of := s.split(row)
	s.branches[branch].Unpin(of)
	s.unref(row)
}

func (s *branchSpace) leaves() []leaf { return s.all }

func (s *branchSpace) ready() error {
	for _, b := range s.branches {
		if err := b.ready(); err != nil {
			return err
		}
	}
	return nil
}

func (s *branchSpace) compareKeys(a, b uint32) int {
	i, x := s.split(a)
	j, y := s.split(b)
	if i != j {
		return int(i) - int(j)
	}
	return s.branches[i].compareKeys(x, y)
}

// branchMapper makes rows of a union of those of one branch.
type branchMapper struct {
	space  *branchSpace
	branch uint32
}

// Map implements d2.Mapper.
func (m branchMapper) Map(row uint32) uint32 {
	return m.space.table.Intern1(uint64(m.branch)<<32 | uint64(row))
}

// Injective implements d2.Injective.
func (branchMapper) Injective() bool { return true }

// number is the cell of a row's branch.
func number(table *d2.Table, row uint32) value.Cell {
	return value.Number(float64(table.Word(row, 0) >> 32))
}
