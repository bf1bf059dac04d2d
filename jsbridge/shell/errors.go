package shell

import (
	"errors"
	"fmt"
)

// Code classifies an Error. The numbers are the protocol's.
type Code uint32

// The codes.
const (
	CodeBadMessage Code = 1 + iota
	CodeUnknownCollection
	CodeStatusTransition
	CodeDuplicateKey
	CodeLimitOffsetRequireOrderBy
	CodeUnknownFunction
	CodeUnknownExpression
	CodeEmptyReferencePath
	CodeUnsafeAliasPath
	CodePullFailed
	CodeQueryFailed
	CodeLimitExceeded
	CodeEngineBroken
	CodeJoinCondition
	CodeGroup
	CodeAggregate
	CodeNotCongruent
	CodeNegativeWeight
	CodeUnsupported
)

var codeNames = [...]string{
	"?", "BadMessage", "UnknownCollection", "StatusTransition", "DuplicateKey", "LimitOffsetRequireOrderBy", "UnknownFunction",
	"UnknownExpression", "EmptyReferencePath", "UnsafeAliasPath", "PullFailed", "QueryFailed", "LimitExceeded", "EngineBroken",
	"JoinCondition", "Group", "Aggregate", "NotCongruent", "NegativeWeight", "Unsupported",
}

// String is the name of the code.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("code %d", uint32(c))
}

// Error is a command that the engine refused; everything is as before it.
type Error struct {
	Code    Code
	Path    string // where in the command: a clause of a query, a collection, a key
	Message string
	// Cause is what failed here while the engine asked for values, if that was the reason.
	Cause error
}

// Error names the code, the place and the reason.
func (e *Error) Error() string {
	text := "millrace: " + e.Code.String()
	if e.Path != "" {
		text += " at " + e.Path
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an Error of the same code, so that errors.Is
// works with the values below.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Code == e.Code && t.Path == "" && t.Message == ""
}

// What an Error can be compared with by errors.Is.
var (
	ErrUnknownCollection         = &Error{Code: CodeUnknownCollection}
	ErrStatusTransition          = &Error{Code: CodeStatusTransition}
	ErrDuplicateKey              = &Error{Code: CodeDuplicateKey}
	ErrLimitOffsetRequireOrderBy = &Error{Code: CodeLimitOffsetRequireOrderBy}
	ErrUnknownFunction           = &Error{Code: CodeUnknownFunction}
	ErrUnsafeAliasPath           = &Error{Code: CodeUnsafeAliasPath}
	ErrEmptyReferencePath        = &Error{Code: CodeEmptyReferencePath}
	ErrPullFailed                = &Error{Code: CodePullFailed}
	ErrQueryFailed               = &Error{Code: CodeQueryFailed}
	ErrEngineBroken              = &Error{Code: CodeEngineBroken}
	ErrJoinCondition             = &Error{Code: CodeJoinCondition}
	ErrGroup                     = &Error{Code: CodeGroup}
	ErrAggregate                 = &Error{Code: CodeAggregate}
	ErrNotCongruent              = &Error{Code: CodeNotCongruent}
	ErrUnsupported               = &Error{Code: CodeUnsupported}
)

// ErrNested is returned when a row's getter or a key function calls into the
// database that is asking it.
var ErrNested = errors.New("millrace: a command was issued while the engine asked for values; do it after the call has returned")

// ErrClosed is returned by a DB that was closed.
var ErrClosed = errors.New("millrace: the database is closed")

// PanicError is a panic of a subscriber or of a row's getter, contained.
type PanicError struct {
	Value any    // what it panicked with
	Where string // whose code it was
}

// Error names the place and the value.
func (e *PanicError) Error() string {
	return fmt.Sprintf("millrace: panic in %s: %v", e.Where, e.Value)
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// contained runs f and returns what it panics with.
func contained(where string, f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Where: where}
		}
	}()
	f()
	return nil
}
