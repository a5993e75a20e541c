// Package hostfacts defines how each fact of a host is read from its properties, with one file for each kind of component.
package hostfacts
