// Package tree knows objects by name: what they are called, where they lie in the inventory, whether what the server says
// of them counts, and which hosts a [Scope] means.
package tree
