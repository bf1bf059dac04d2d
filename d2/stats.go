package d2

// RunStats counts the work of one run. The numbers depend on the graph and the
// changes alone, so tests may assert them exactly.
type RunStats struct {
	Visits      int // operators that took part; inputs are not counted
	Changes     int // changes those operators took in
	Refills     int // fetches by windows that ran short
	Refetches   int // windows that were read again instead of stepped
	RowsFetched int // rows returned by sources
	RowsScanned int // rows sources looked at
	Failed      int // operators that failed by themselves
}

// Counters describes what a graph holds. All are zero once everything has been
// dropped, Bytes apart from small change.
type Counters struct {
	Nodes    int // live nodes
	Failed   int // of these, not to be trusted
	Retained int // rows held by windows
	Pinned   int // frontiers pinned by windows
	Bytes    int // memory of arrangements, buffers and the scheduler
}

func (s *RunStats) add(o RunStats) {
	s.Visits += o.Visits
	s.Changes += o.Changes
	s.Refills += o.Refills
	s.Refetches += o.Refetches
	s.RowsFetched += o.RowsFetched
	s.RowsScanned += o.RowsScanned
	s.Failed += o.Failed
}
