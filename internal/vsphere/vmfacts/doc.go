// Package vmfacts defines how each fact of a virtual machine is read from its properties, with one file for each kind of
// component.
package vmfacts
