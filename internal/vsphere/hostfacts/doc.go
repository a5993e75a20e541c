// Package hostfacts says how each fact of a host is read from its properties, one file a kind of thing that a host has.
package hostfacts
