// Package d2 is the dataflow engine: operators over weighted multisets, kept up
// to date by differences, run to rest once per transaction. Recursive relations
// are cycles of the same operators.
//
// # Model
//
// A row is a 32-bit id: a [Slot], the version of a stored row, or the id of a
// derived row interned in a [Table], equal words being one id. What a row
// contains is read through interfaces the caller gives ([Order], [Predicate],
// [Keyer], [Keys], [Mapper], …); the package never learns what a column is.
//
// A [Diff] is a row with a weight: so many copies more, or fewer. A batch is
// consolidated: one entry per row, none of weight 0. The sum of all batches that
// passed an edge is the relation there, and every [Operator] keeps
//
//	output = f(inputs)
//
// by answering a batch with the difference of its output. Update is −old +new;
// there is no other kind of change. For example, with two copies of row 7 in,
//
//	map x→x/2      {7: −1}  gives  {3: −1}     linear: the batch alone tells
//	distinct       {7: −1}  gives  nothing     it knows that a copy is left
//	join           {7: −1}  gives  −1 for each match in the other arrangement
//
// # Graph and runs
//
// A [Graph] is built by [Graph.Extend], all of a build or nothing. Its strongly
// connected components are numbered in topological order: ranks. What is built
// over existing nodes is numbered behind them, so nothing else moves.
//
// [Graph.Push] stages batches, [Graph.Run] visits the smallest rank with
// something to do until there is none, then calls the sinks. When a node is
// visited all that can reach it has been: its input is whole and what stands
// above is at rest, so one visit is enough, and an operator may read
// arrangements above in their state after the run's changes. A node whose input
// sums to nothing is not visited. A run costs its visits and their batches,
// whatever the size of the graph; after warm-up it allocates nothing.
//
// What sinks or operators push meanwhile is another run, which follows at once.
// Everything else is refused with [ErrRunning].
//
// # Cycles
//
// A cycle is closed by a feedback edge ([Builder.Iterate], [Builder.Feedback]),
// which leads to the next iteration. The relation is the limit of
//
//	x₀ = base    xᵢ₊₁ = base + body(xᵢ)
//
// Inside a cycle differences carry the iteration at which they happen. Nodes are
// visited in the order of (iteration, place), once per iteration at most, and
// operators with state answer for the sum of what they have up to each
// iteration. So a fact is supported by facts of the iteration before: two that
// support only each other have no first iteration, and are gone with the last
// support from outside. A change costs the iterations it alters, not those there
// are. What leaves a cycle is summed over all iterations; what enters, enters at
// 0. A batch fed back that sums to nothing ends the iteration; a cycle that does
// not come to rest fails with [ErrIterationLimit]. Recursion over cyclic data
// needs a [Distinct] or another reduction on every way around.
//
// # Contracts on versions
//
// Sources bring their tables and indexes to the new state before they push. While
// a run is under way the old and new version of every change must be readable;
// when it is over an old one may be reused, unless it is pinned ([Pins]). A
// derived row lives while an operator's output has it; what has lost its last
// reference is swept after the sinks were called.
//
// # Hydration
//
// New nodes are empty. [Graph.Hydrate] gives them, and everything they feed, the
// present output of the settled nodes above as one batch: that of operators
// that can tell it ([Snapshotter]), and of operators without state computed from
// further up. Ports whose arrangement the operator reads itself are left out
// ([Stager]). What was staged before runs first, past the nodes that are about
// to get it as content. Sinks get the whole, marked [Result.Fresh], or with
// [OutputSpec.Retain] the difference from what they were told.
//
// # Failure
//
// An operator that returns an error or panics is failed, with its cycle and what
// they feed: their batches are dropped, their sinks told once, pushes to them
// ignored. All others finish the run exactly. A sink gets all of a run or
// nothing. [Graph.Reset] and [Graph.Hydrate] bring failed nodes back as if it
// had not happened. With Retain that needs rows told to keep their ids and
// columns meanwhile, which [OutputSpec.Hold] sees to. A panic of the scheduler itself ends the graph:
// [ErrGraphPoisoned].
//
// # Ownership
//
// Batches given to Push are copied. Slices handed to a [Sink] or to Apply belong
// to the graph: they are valid during the call, or as long as their comment
// says. Every node is held once by who added it; [Graph.Hold] and
// [Graph.Release] count further owners of shared nodes. A node nobody holds
// that feeds nothing is removed, of a cycle all nodes together; [Graph.Drop]
// takes what it feeds along. When everything is dropped [Graph.Counters] is zero.
//
// # What it refuses to do
//
// No goroutines, clocks or reflection, no partial order of times: one
// transaction is open at a time. No loop inside a loop, and no window or output
// inside one. An existing node cannot be given what its operator was not built
// for, a cycle or another source ([ErrBound]). No retry of a failed operator.
package d2
