//go:build js && wasm

package main

import "runtime"

// The exports take and give nothing but numbers. A failure ends the program.
// Loaders call export run once, as for any Go program, before anything else.

var (
	all []workload
	now *scene
)

func main() { select {} }

// bench_build makes a workload, given by number, the current one.
//
//go:wasmexport bench_build
func benchBuild(number int32) {
	if all == nil {
		all = workloads()
	}
	now = all[number].make()
	// A collection that building has begun goes on only while the program idles,
	// and makes everything slower until it ends.
	runtime.GC()
}

// bench_runs runs the current workload so many times.
//
//go:wasmexport bench_runs
func benchRuns(n int32) { now.runs(int(n)) }

// bench_read returns a counter of the current workload.
//
//go:wasmexport bench_read
func benchRead(counter int32) float64 { return now.read(int(counter)) }

// bench_clock returns the cost of a look at the clock, in nanoseconds.
//
//go:wasmexport bench_clock
func benchClock() float64 { return float64(clockCost()) }
