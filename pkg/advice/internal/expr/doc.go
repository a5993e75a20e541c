// Package expr is the language of rules: CEL over the fact types of package inventory, with functions of our own.
//
// Reading an unread fact yields a CEL unknown that carries the fact ([Unread], [GapsOf]); reading an absent one yields an error
// that is [ErrAbsent]. What would answer for facts that nobody read is not in the language.
package expr
