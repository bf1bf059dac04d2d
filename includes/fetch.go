package includes

import (
	"millrace.dev/millrace/collection"
	"millrace.dev/millrace/d2"
)

// fetcher reads a window's rows from an arrangement of the root, building that
// anew if a comparison had failed in it; it implements d2.Source.
type fetcher struct {
	order *collection.Ordering
	scan  *d2.ScanSource
}

// Fetch implements d2.Source.
func (f *fetcher) Fetch(after d2.Slot, want int, yield func(d2.Slot) bool) (scanned int, end bool) {
	if err := f.order.Usable(); err != nil {
		panic(d2.SourceFault{Err: err})
	}
	return f.scan.Fetch(after, want, yield)
}
