package includes

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// fetcher reads a window's rows from an arrangement of the root; it implements
// d2.Source.
type fetcher struct {
	order *collection.Ordering
	prog  *query.Program
	keep  []uint32
}

// Fetch implements d2.Source.
func (f *fetcher) Fetch(after d2.Slot, want int, yield func(d2.Slot) bool) (scanned int, end bool) {
	if err := f.order.Usable(); err != nil {
		panic(d2.SourceFault{Err: err})
	}
	tree := f.order.Tree
	from := tree.SeekAfter(after)
	left, stopped := want, false
	tree.Scan(from, func(block []uint32) bool {
		for len(block) > 0 && left > 0 {
			// Look at about as many rows as are wanted: a block is 512.
			n := min(len(block), max(left, 32))
			part := block[:n]
			if f.keep == nil {
				f.keep = make([]uint32, 0, n)
			}
			block = block[n:]
			var err error
			f.keep, err = f.prog.Select(part, f.keep[:0])
			if err != nil {
				panic(d2.SourceFault{Err: err})
			}
			scanned += n
			for _, s := range f.keep {
				if left == 0 {
					return false
				}
				left--
				if !yield(s) {
					stopped = true
					return false
				}
			}
		}
		return left > 0
	})
	return scanned, !stopped && left > 0
}
