// Package sheet reads tables row by row from xlsx workbooks and from CSV files. What it unpacks is bounded, and of a workbook it keeps
// only the shared texts in memory.
package sheet

import (
	"errors"
	"fmt"
	"time"
)

// Book is a set of named tables.
type Book interface {
	// Names returns the names of the tables, in their order.
	Names() []string
	// Rows calls each for the rows of a table, header first. A row is valid only during the call.
	Rows(name string, each func(*Row) error) error
	// Created returns when the book was written by the program that made it; zero if it does not say.
	Created() time.Time
	// Close closes files.
	Close() error
}

// Row is one row of a table. The zero value is empty.
type Row struct {
	cells  []cell
	buffer []byte
	shared []string
}

// cell is a text: an entry of the shared texts, or a part of the row's buffer.
type cell struct {
	isShared bool
	from, to int // with isShared, from is the index of the text
}

// Len returns the number of cells.
func (r *Row) Len() int { return len(r.cells) }

// Text returns the text of a cell, or "" for a cell that the row does not have.
func (r *Row) Text(i int) string {
	if i < 0 || i >= len(r.cells) {
		return ""
	}
	c := r.cells[i]
	if c.isShared {
		return r.shared[c.from]
	}
	return string(r.buffer[c.from:c.to])
}

func (r *Row) reset() { r.cells, r.buffer = r.cells[:0], r.buffer[:0] }

// pad adds empty cells before column i.
func (r *Row) pad(i int) {
	for len(r.cells) < i {
		r.cells = append(r.cells, cell{})
	}
}

// Limits bound the work that a file can cause.
type Limits struct {
	// Unpacked is the largest number of bytes that a book may unpack to in total, and the largest size of a CSV file.
	Unpacked int64
	// Shared is the largest total size of the shared texts of a workbook, in its file and in memory, in bytes.
	Shared int64
}

// DefaultLimits hold several times the export of the largest vCenter: one of 30,000 VMs unpacks to about 300 MB.
var DefaultLimits = Limits{Unpacked: 4 << 30, Shared: 512 << 20}

// maxText is the largest size of one text in bytes: a cell has at most 32,767 characters.
const maxText = 1 << 20

// maxShared is the largest number of shared texts of a workbook, and bytesPerText the memory that each takes beside its characters.
const (
	maxShared    = 8 << 20
	bytesPerText = 32
)

// maxRows is the largest number of rows of a sheet in Excel.
const maxRows = 1 << 20

// maxColumns is the largest number of columns of a sheet in Excel.
const maxColumns = 16384

// ErrTooLarge is returned for a file that unpacks to more than the limits.
var ErrTooLarge = errors.New("it unpacks to more than an export can have")

// ErrEncoding is returned for a CSV file that is neither UTF-8 nor UTF-16.
var ErrEncoding = errors.New("the file is not in UTF-8, but perhaps in an encoding of Windows such as Windows-1252; save it as CSV UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8")

// ErrKind is returned for a file of another kind; the error says which.
var ErrKind = errors.New("not an xlsx workbook")

func wrongKind(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrKind, fmt.Sprintf(format, arguments...))
}
