// Package collection is the Collection as the engine sees it: which version of
// which key is visible, the columns that plans refer to, the indexes over them,
// subscriptions and what each is told, and the lifecycle.
//
// A root collection is fed by sync transactions. Its rows stay in the shell; a
// row version is a slot, a public key a key id, both dense numbers the shell
// hands out and the engine hands back. The engine pulls the values of a column
// once, when the first plan refers to it; afterwards every transaction brings
// the cells of the registered columns along.
//
// One Root owns at most one ordered arrangement per order and one hash
// arrangement per column, shared by every live query and counted by reference;
// those nobody uses stay warm in a short list, since applications mount and
// unmount the same lists over and over, and go when they are crowded out or the
// collection is cleaned up.
//
// Cost: applying a transaction is proportional to its operations times the
// registered columns and indexes (O(log n) for an ordered one), never to the
// size of the collection, except for truncation.
//
// The package knows nothing of graphs' inner state or of messages: it hands net
// changes to package includes, which runs the graph.
package collection
