// Package workload generates reproducible histories of changes to an ordered
// table: the ones windows over a prefix are good or bad at, and layouts of such
// a table over shards. It knows nothing of the engine; tests and benchmarks
// drive the same histories through it.
package workload
