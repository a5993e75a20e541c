// Package userfile reads files that the user names, and has the error for mistakes in them.
package userfile

import "fmt"

// Error is a mistake in a file that the user named, or in its name.
type Error struct{ err error }

// Errorf makes an Error, as fmt.Errorf makes errors.
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }
