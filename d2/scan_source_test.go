package d2

// ScanSource reads an ordered arrangement, through a predicate if there is one,
// as the source of windows in the same order. It keeps no rows of its own.
type ScanSource struct {
	rows *Ordered
	pred Predicate
	keep []uint32
}

// NewScanSource returns a source over rows; pred may be nil.
func NewScanSource(rows *Ordered, pred Predicate) *ScanSource {
	return &ScanSource{rows: rows, pred: pred}
}

// Fetch implements [Source]. It looks at no more rows than wanted at first, then
// at as many as the share that passed so far lets expect it needs.
func (s *ScanSource) Fetch(after Slot, want int, yield func(Slot) bool) (scanned int, end bool) {
	rank := s.rows.SeekAfter(after)
	stride := max(want, 16)
	got := 0
	for rank < s.rows.Len() {
		if got >= want {
			return scanned, false
		}
		block := s.rows.BlockAt(rank)
		chunk := block[:min(len(block), stride)]
		if s.pred == nil {
			chunk = chunk[:min(len(chunk), want-got)]
		}
		keep := chunk
		if s.pred != nil {
			if s.keep == nil {
				s.keep = make([]uint32, 0, len(chunk))
			}
			var err error
			keep, err = s.pred.Select(chunk, s.keep[:0])
			s.keep = keep[:0]
			if err != nil {
				panic(SourceFault{err})
			}
		}
		rank += len(chunk)
		scanned += len(chunk)
		before := got
		for i, slot := range keep {
			if got == want {
				return scanned, false
			}
			got++
			if !yield(slot) {
				return scanned, rank >= s.rows.Len() && i == len(keep)-1
			}
		}
		if got == before {
			stride *= 2
		} else {
			stride = max(scanned*(want-got)/got, 16)
		}
	}
	return scanned, true
}
