//go:build !js

package main

import (
	"fmt"
	"runtime"
	"time"
)

// figures are what a workload has come to.
type figures struct {
	Micros   float64 `json:"micros"` // per run, the least mean of a batch
	Runs     int     `json:"runs"`   // in a batch
	Rounds   int     `json:"rounds"` // batches
	Visits   int     `json:"visits"` // of the last run
	Allocs   float64 `json:"allocs"` // per run
	Checksum uint32  `json:"checksum"`
	Rows     int     `json:"rows"`
	Bytes    int     `json:"bytes"`
}

// A batch takes at least this long; batches go on until the best has stood still
// for so many of them and so long. npm/bench/d2/measure.mjs has the same rule.
const (
	batchTime    = 3 * time.Millisecond
	patience     = 20
	patienceTime = 400 * time.Millisecond
	longest      = 4 * time.Second
)

// measure builds a workload and times it.
func measure(w workload) (f figures) {
	s := w.make()
	f.Checksum = w.check(s)
	runtime.GC()
	clock, cost := cpuNow, time.Duration(0)
	if w.Steps {
		clock, cost = func() time.Duration { return time.Duration(s.step) }, time.Duration(clockCost())
	}
	timed := func(n int) time.Duration {
		start := clock()
		s.runs(n)
		return max(clock()-start-time.Duration(n)*cost, 0)
	}
	n := w.Cycle
	for began := time.Now(); timed(n) < batchTime && time.Since(began) < patienceTime; {
		n *= 2
	}
	best := float64(0)
	began := time.Now()
	stood, since := 0, began
	for stood <= patience || time.Since(since) < patienceTime {
		mean := float64(timed(n)) / float64(n) / 1e3
		f.Rounds++
		stood++
		if best == 0 || mean < best {
			if best == 0 || mean < best*0.99 {
				stood, since = 0, time.Now()
			}
			best = mean
		}
		if time.Since(began) > longest {
			break
		}
	}
	f.Micros, f.Runs = best, n
	if !w.Builds {
		before := s.read(readMallocs)
		s.runs(n)
		f.Allocs = (s.read(readMallocs) - before) / float64(n)
	}
	f.Visits = s.graph.LastRun().Visits
	if w.Visits != 0 && f.Visits != w.Visits {
		panic(fmt.Sprintf("%s: %d operators were visited, %d should be", w.Name, f.Visits, w.Visits))
	}
	f.Rows, f.Bytes = int(s.read(readRows)), int(s.read(readBytes))
	return f
}
