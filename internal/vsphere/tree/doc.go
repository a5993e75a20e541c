// Package tree identifies objects: their names and inventory paths, whether the server's data about them is current, and which
// hosts a [Scope] selects.
package tree
