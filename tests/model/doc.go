// Package model says what a live query's result is, in the most direct way
// there is: evaluate the query over all rows, from scratch, with no index, no
// column and no state. It is the oracle of the property tests and is written to be
// read. It shares nothing with the engine, its notion of values included.
//
// Values are Go values: nil is null, Undefined undefined; bool, float64, string,
// time.Time (a date in milliseconds), *big.Int, []byte, Temporal; objects are
// map[string]any; anything else is opaque and equal only to itself.
package model
