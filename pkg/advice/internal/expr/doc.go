// Package expr is the language of rules: CEL over the fact types of package inventory, with additional functions.
//
// Reading an unread fact yields a CEL unknown that carries the fact ([Unread], [GapsOf]); reading an absent one yields
// an error that wraps [ErrAbsent]. The language has no operators that give unread facts a value.
package expr
