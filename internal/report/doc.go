// Package report renders what an audit found: one renderer a format, each a pure function of data and a writer. It
// decides nothing.
package report
