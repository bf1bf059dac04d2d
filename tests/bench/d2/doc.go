// Command d2 measures the dataflow engine by itself: graphs of package d2 over
// rows in plain columns, without collections, queries or JavaScript objects.
//
// One list of workloads serves two programs. Built for this machine the command
// measures itself and prints figures as JSON; built for js/wasm it only exports
// numbers (build a workload, run it n times, read a counter), and the process
// that loaded it holds the clock. `make bench-d2` drives both, and a third
// engine with the same workloads written for it, and compares what they put
// out. docs/performance.md tells how to read the result.
//
// A run is one batch of changes taken to rest. Columns are kept here as a
// collection would keep them, in their state after the changes before a run
// starts; where an index belongs to a workload its upkeep is part of the run.
package main
