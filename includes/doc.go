// Package includes compiles live queries into one dataflow graph, runs it, and
// publishes what came out as one coherent step.
//
// Every live collection is a chain of nodes over its source: a filter where
// there is a where clause, a window where there is an order, an output. A source that
// is itself a live collection feeds the chain from its output. All expressions
// are over the columns of the root collection at the bottom, so a row is
// evaluated where its cells are, at whatever depth the query stands.
//
// A filter directly over a root that asks for an equality is not fed by the
// root's input but by the root's predicate index: a change reaches only the
// queries whose value it has or had.
//
// A command that changes rows has three phases. The root takes the transaction
// into its tables and arrangements (post-state everywhere), the graph runs once
// to rest, and then everything is published: installs of all collections first,
// then statuses, then batches to subscribers, then what is free again. A query
// that fails in the run keeps what it last published, is marked failed with the
// cause, and stays out of further runs; the others do not notice.
//
// Invariants: the visible content of a live collection is a function of the
// root's visible rows; an unordered one keeps no state but its size; what was
// installed plus what is emitted is always the content.
package includes
