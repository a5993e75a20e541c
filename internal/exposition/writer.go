package exposition

import (
	"fmt"
	"io"
	"time"
)

// Writer writes families, one after the other, each with its series. A family without series is not written. After an
// error nothing is written, and Close returns the error.
type Writer struct {
	to     io.Writer
	format Format
	family Family
	begun  bool                // the header of the family is written
	names  map[string]struct{} // of the families so far
	twice  string              // a family that was begun twice
	buf    []byte
	err    error
	only   func(name string) bool // families to write; nil: all
	skip   bool                   // the family is not among them
	// each receives series instead of to; nil: they are written.
	each func(f Family, l Labels, v float64, at time.Time)
}

// full is the size at which the buffer is written.
const full = 64 << 10

// NewWriter returns a Writer for a format.
func NewWriter(w io.Writer, f Format) *Writer {
	return &Writer{to: w, format: f, names: map[string]struct{}{}, buf: make([]byte, 0, full+full/8)}
}

// NewCollector returns a Writer that calls each with every series instead of writing it. The time is zero for a series
// without time stamp.
func NewCollector(each func(f Family, l Labels, v float64, at time.Time)) *Writer {
	return &Writer{names: map[string]struct{}{}, each: each}
}

// Only makes the writer skip the families, by their full names, for which keep returns false. It applies to families that
// are begun later.
func (w *Writer) Only(keep func(name string) bool) { w.only = keep }

// Family begins a family. Each family must be begun only once: its series must be together, and no other family may
// have its name, with or without _total.
func (w *Writer) Family(f Family) {
	w.family, w.begun = f, false
	w.skip = w.only != nil && !w.only(f.Name)
	name, _ := f.plainName()
	if _, again := w.names[name]; again && w.twice == "" {
		w.twice = f.Name
	}
	w.names[name] = struct{}{}
}

// Sample writes a series of the family.
func (w *Writer) Sample(l Labels, v float64) { w.SampleAt(l, v, time.Time{}) }

// SampleAt writes a series with a time stamp, unless that is zero.
func (w *Writer) SampleAt(l Labels, v float64, at time.Time) {
	if w.skip {
		return
	}
	if w.each != nil {
		w.each(w.family, l, v, at)
		w.begun = true
		return
	}
	w.line(l, v)
	if !at.IsZero() {
		w.buf = appendTime(append(w.buf, ' '), at, w.format)
	}
	w.end()
}

func (w *Writer) line(l Labels, v float64) {
	if !w.begun {
		w.begin()
	}
	w.buf = append(append(append(w.buf, w.family.Name...), l...), ' ')
	w.buf = appendValue(w.buf, v, w.format)
}

func (w *Writer) end() {
	if w.buf = append(w.buf, '\n'); len(w.buf) >= full {
		w.flush()
	}
}

// begin writes the header before the first series of a family.
func (w *Writer) begin() {
	w.begun = true
	name, kind := w.family.Name, "gauge"
	if w.family.Kind == Counter {
		kind = "counter"
	}
	if w.format == OpenMetrics {
		plain, counts := w.family.plainName()
		if name = plain; w.family.Kind == Counter && !counts {
			kind = "unknown" // OpenMetrics requires _total for counters
		}
	}
	w.buf = append(append(append(w.buf, "# HELP "...), name...), ' ')
	w.buf = appendEscaped(w.buf, w.family.Help, w.format == OpenMetrics)
	w.buf = append(append(append(append(w.buf, "\n# TYPE "...), name...), ' '), kind...)
	w.buf = append(w.buf, '\n')
}

func (w *Writer) flush() {
	if w.err == nil {
		_, w.err = w.to.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// Close ends the page. It does not close the underlying writer. A family that was begun twice is an error, although all
// of it has been written.
func (w *Writer) Close() error {
	if w.each == nil {
		if w.format == OpenMetrics {
			w.buf = append(w.buf, "# EOF\n"...)
		}
		w.flush()
	}
	if w.err == nil && w.twice != "" {
		return fmt.Errorf("writing metrics: %s was begun twice", w.twice)
	}
	return w.err
}
