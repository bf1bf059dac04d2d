package main

import "runtime"

// Counters of a scene, by number.
const (
	readVisits   = iota // of the last run
	readChecksum        // of everything put out
	readMallocs         // of the process so far
	readStep            // nanoseconds in what the workload times itself
	readRows            // held by the operator the workload is about
	readBytes           // the same in memory
)

func (s *scene) read(counter int) float64 {
	switch counter {
	case readVisits:
		return float64(s.graph.LastRun().Visits)
	case readChecksum:
		return float64(s.sink.sum)
	case readMallocs:
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.Mallocs)
	case readStep:
		return float64(s.step)
	}
	if s.held == nil {
		return 0
	}
	rows, bytes := s.held()
	if counter == readRows {
		return float64(rows)
	}
	return float64(bytes)
}

// clockCost is the least time between two looks at the clock workloads use.
func clockCost() int64 {
	least := int64(1e9)
	for range 2000 {
		start := wallNow()
		least = min(least, wallNow()-start)
	}
	return least
}
