// Package query is what a live query says, and how the engine evaluates it.
//
// A query arrives as an intermediate form (Query, Expr) whose references are
// paths into the rows of its source. A source that is itself a live query has a
// Shape, and resolving a path through it gives an expression over the rows of
// the root collection: a query over a query over a query is therefore always
// evaluated on the columns of one root, and no row of an intermediate result is
// ever built here.
//
// Expressions are compiled to kernels that run column at a time over a list of
// slots (Program). Truth is three-valued: an operand that is null or undefined
// makes a comparison Unknown, and a filter keeps a row only when the answer is
// True. Values compare by package value and by nothing else.
//
// The package holds no state and asks nobody: it imports neither the
// collection nor the graph.
package query
