// Package d2 is the dataflow engine: operators over differences of keyed rows,
// run to quiescence once per transaction.
//
// # Model
//
// A row version is a [Slot], a public key a [Key]; both are dense integers
// whose meaning belongs to the caller. A [Change] takes one key from an old
// version to a new one, [None] standing for "no row". A batch is consolidated:
// it holds at most one Change per key. Operators form an acyclic [Graph] in
// which every node but an input has exactly one source. The package reads row
// contents only through the interfaces it is given ([Order], [Predicate],
// [Keys], [Source]) and never learns what a column is.
//
// # Runs
//
// [Graph.Push] stages batches, [Graph.Run] visits every affected operator once,
// after everything that can reach it, and hands the results to the sinks when
// nothing is left to do. Operators that receive nothing are never looked at, so
// the cost of a run depends on what changed, not on the size of the graph.
// Pushing, building or running from inside a run is refused with [ErrRunning].
//
// # Contracts on versions
//
// While a run is under way the columns of the old and the new version of every
// change must be readable, and stored rows must already be in the state after
// the change. A slot leaves the package for good when a change with it as Old
// has been run; a window additionally keeps its frontier readable through
// [Pins].
//
// # Ownership
//
// Batches given to Push are copied. Slices handed to a [Sink] or returned by a
// hydration belong to the graph and stay valid until its next call that runs
// or changes the node. After warm-up a run allocates nothing.
//
// # What it refuses to do
//
// No goroutines, clocks, maps or reflection; no joins, groups or iteration; no
// retry of a failed operator. Failure of one operator marks it and what it
// feeds; every other node stays exact.
package d2
