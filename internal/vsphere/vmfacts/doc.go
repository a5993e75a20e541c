// Package vmfacts says how each fact of a virtual machine is read from its properties, one file a kind of thing that it has.
package vmfacts
