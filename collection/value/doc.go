// Package value gives the engine's scalars their meaning: which are equal, how
// they compare, how they sort, and what they are worth as conditions.
//
// A value is a Cell, sixteen bytes without a pointer: a kind and a number. Short
// values are held in the number; strings, bigints, bytes and temporals by a text
// id of the session's dictionary; everything else by a reference id. Three
// relations are kept apart because queries need all three:
//
//   - Equal is the eq of expressions, three-valued: an absent operand makes it
//     Unknown.
//   - Same is identity for grouping, indexes and change detection, two-valued:
//     null is the same as null. Where both operands are present, Same and Equal
//     agree, so that a filter, an index and a join never disagree on a match.
//   - Term.Compare is the total order behind orderBy and ordered indexes. It is
//     coarser than Same where a collation is (two spellings of é), and it puts
//     1, 1n and the Date of millisecond 1 in one place; ties are the caller's to
//     break.
//
// Relate, the gt/gte/lt/lte of expressions, is not that order: it coerces as
// JavaScript's `<` does, and its answers on mixed kinds need not be transitive.
//
// Costs: everything on numbers, dates, booleans and equal ids is free of
// allocation and of calls to Texts. Strings cost two dictionary look-ups and a
// byte comparison. Only a collation or a temporal may ask the shell.
//
// Ownership: the package keeps no state; slices from Texts are read, never kept.
//
// Sources: ECMA-262, abstract operations IsLessThan, StringToNumber,
// StringToBigInt and String.prototype.toLowerCase; the root collation of CLDR for
// CompareASCII; the documented behaviour of @tanstack/db for the rest. The package
// does without fmt, time, reflect and math/big, which would double the module.
package value
