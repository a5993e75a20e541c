package exposition

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"time"
)

// Format is a format that Prometheus reads.
type Format int

// Formats.
const (
	Text        Format = iota // text/plain; version=0.0.4
	OpenMetrics               // application/openmetrics-text; version=1.0.0
)

// Kind is the type of a family.
type Kind int

// Kinds.
const (
	Gauge Kind = iota
	Counter
)

// Family is a metric. Its name is the one that its series are asked for by: a counter's ends in _total.
type Family struct {
	Name, Help string
	Kind       Kind
}

// Writer writes families, one after the other, each with its series. A family without series is not written.
type Writer struct {
	to     *bufio.Writer
	format Format
	family Family
	begun  bool
	err    error
}

// NewWriter writes to w in a format.
func NewWriter(w io.Writer, f Format) *Writer {
	return &Writer{to: bufio.NewWriterSize(w, 64<<10), format: f}
}

// Family begins a family. Each is begun once.
func (w *Writer) Family(f Family) { w.family, w.begun = f, false }

// Sample writes a series of the family.
func (w *Writer) Sample(l Labels, v float64) { w.SampleAt(l, v, time.Time{}) }

// SampleAt writes a series with a time stamp, unless that is zero.
func (w *Writer) SampleAt(l Labels, v float64, at time.Time) {
	if !w.begun {
		w.begun = true
		kind := "gauge"
		if w.family.Kind == Counter {
			kind = "counter"
		}
		_, w.err = w.to.WriteString("# HELP " + w.family.Name + " " + w.family.Help + "\n# TYPE " + w.family.Name + " " + kind + "\n")
	}
	value := strconv.FormatFloat(v, 'g', -1, 64)
	if math.IsInf(v, 1) {
		value = "+Inf"
	}
	_, w.err = w.to.WriteString(w.family.Name + string(l) + " " + value + "\n")
}

// Close ends the page. It does not close what is written to.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	return w.to.Flush()
}
