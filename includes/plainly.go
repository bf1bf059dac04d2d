package includes

import (
	"errors"

	"millrace.dev/millrace/collection/query"
	"millrace.dev/millrace/d2"
)

// notUnique is what a query fails with that took a column for the public keys of a
// collection, because the shell said so.
var notUnique = &query.Error{
	Code: query.CodeQueryFailed, Path: "join",
	Text: "two rows of a joined collection have the same value in the field its getKey reads: getKey must depend on nothing else",
}

// plainly says of what a graph fails with what to do about it.
func plainly(err error) error {
	switch {
	case errors.Is(err, d2.ErrIterationLimit):
		return recursionError("the recursion goes on without end: give it a maxDepth, or leave out of its select what differs with every step")
	case errors.Is(err, d2.ErrNotUnique):
		return notUnique
	case errors.Is(err, d2.ErrNegative):
		return errNegative
	}
	return err
}
