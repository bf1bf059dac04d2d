// Package workload generates reproducible histories of changes to an ordered
// table: the ones windows over a prefix are good or bad at, and layouts of such
// a table over shards. It knows nothing of the engine, so that the tests of
// package d2 and its benchmark play the same histories, each on rows of its own.
package workload
