package batch

import (
	"bytes"
	"strconv"

	"github.com/vperf/vperf/pkg/esxtop"
)

// csvPlan lists the fields to read of every row.
type csvPlan struct {
	fields []csvField
	hosts  []csvFrames
	used   [][]float64 // of the row before, where memory is used again
}

// csvField is a field to read, and its destination.
type csvField struct {
	field, host, to int32
	leak            bool
	positive        bool // a negative value is invalid
}

// csvFrames creates the frames of a host.
type csvFrames struct {
	host    *csvHost
	rows    [esxtop.NumObjects][]esxtop.Row
	has     esxtop.Objects
	metrics *esxtop.MetricSet
	from    [esxtop.NumObjects]int // where the values of an object's rows begin
	values  []float64              // before any was read
	used    [esxtop.NumObjects][]esxtop.Row
}

func newCSVPlan(c *csvColumns, wanted esxtop.Objects, metrics map[*esxtop.Metric]bool) *csvPlan {
	wanted = wanted.WithParents()
	p := &csvPlan{hosts: make([]csvFrames, len(c.hosts))}
	for i, h := range c.hosts {
		f := &p.hosts[i]
		f.host, f.metrics = h, new(esxtop.MetricSet)
		for o := range esxtop.NumObjects {
			if len(h.rows[o]) == 0 || !wanted.Has(o) {
				continue
			}
			f.has |= 1 << o
			f.from[o] = len(f.values)
			for _, r := range h.rows[o] {
				f.rows[o] = append(f.rows[o], r.Row)
				f.values = append(f.values, r.values...)
			}
		}
	}
	for _, at := range c.list {
		f := &p.hosts[at.host]
		if !f.has.Has(at.object) || metrics != nil && !metrics[at.metric] {
			continue
		}
		f.metrics.Add(at.object, at.metric)
		width := at.object.Width()
		to := f.from[at.object] + int(at.row)*width + at.metric.Slot(at.object)
		p.fields = append(p.fields, csvField{at.field, at.host, int32(to), at.leak, at.metric.Kind != esxtop.Gauge})
	}
	return p
}

// values returns the values of a row before it is read.
func (p *csvPlan) values(reuse bool) [][]float64 {
	values := p.used
	if !reuse || values == nil {
		values = make([][]float64, len(p.hosts))
	}
	for i := range p.hosts {
		values[i] = append(values[i][:0], p.hosts[i].values...)
	}
	if reuse {
		p.used = values
	}
	return values
}

// unreadable counts the fields of a row that are not numbers, and has the first one.
type unreadable struct {
	n     int
	field int32
	text  string
}

func (u *unreadable) add(field int32, text []byte) {
	if u.n++; u.n == 1 {
		u.field, u.text = field, string(text[:min(len(text), 40)])
	}
}

// read reads a row once. It only counts fields that are not wanted.
func (p *csvPlan) read(line []byte, sep byte, values [][]float64) (bad unreadable) {
	at, field := 0, int32(0)
	for _, f := range p.fields {
		for ; field < f.field; field++ {
			for line[at] != sep { // it is known to have as many
				at++
			}
			at++
		}
		end := at
		for end < len(line) && line[end] != sep {
			end++
		}
		text := csvValue(line[at:end], f.leak)
		v, ok := parseNumber(text)
		if !ok && sep != ',' {
			v, ok = parseComma(text)
		}
		switch {
		case ok && (v >= 0 || !f.positive):
			values[f.host][f.to] = v
		case ok || !noNumber(text):
			bad.add(f.field, text)
		}
	}
	return bad
}

// parseComma parses a number with a decimal comma. Three digits after the comma may be thousands: esxtop has at most
// two decimals.
func parseComma(b []byte) (float64, bool) {
	comma := bytes.IndexByte(b, ',')
	if comma < 0 || len(b)-comma-1 == 3 {
		return 0, false
	}
	point := bytes.Clone(b)
	point[comma] = '.'
	return parseNumber(point)
}

// csvValue returns the text of a field, or the text that leaked from the previous one, which is before the first quote.
func csvValue(field []byte, leak bool) []byte {
	quote := bytes.IndexByte(field, '"')
	switch {
	case quote == 0 && len(field) > 1 && field[len(field)-1] == '"' && !leak:
		return field[1 : len(field)-1]
	case quote < 0 || leak && quote > 0:
		if quote > 0 {
			field = field[:quote]
		}
		return bytes.TrimSpace(field)
	case leak:
		return nil
	case quote == len(field)-1:
		return bytes.Trim(field, "\" ") // its first quote is lost
	}
	return bytes.Trim(field[quote:], "\" ")
}

// noNumber reports whether a text stands for a missing value.
func noNumber(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || len(text) == 1 && text[0] == '-'
}

var tens = [...]float64{1, 10, 100, 1000, 10000, 100000, 1000000}

// parseNumber is strconv.ParseFloat for esxtop's numbers, and equally exact: it divides digits that a float64 can hold
// once.
func parseNumber(b []byte) (float64, bool) {
	digits := b
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		digits = b[1:]
	}
	v, ok := parseDecimal(digits)
	if !ok {
		return parseFloat(b)
	}
	if negative {
		v = -v
	}
	return v, true
}

// parseDecimal parses digits with an optional point; ok is false for other texts and for too many digits.
func parseDecimal(digits []byte) (float64, bool) {
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	n, point := uint64(0), -1
	for i, d := range digits {
		switch {
		case d >= '0' && d <= '9':
			n = n*10 + uint64(d-'0')
		case d == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if point < 0 {
		return float64(n), true
	}
	after := len(digits) - point - 1
	if after >= len(tens) || len(digits) == 1 {
		return 0, false
	}
	return float64(n) / tens[after], true
}

func parseFloat(b []byte) (float64, bool) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || len(b) > 400 || len(bytes.Trim(b, "0123456789+-.eE")) > 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil
}

// frame creates a frame of the values of a row.
func (c *csvFrames) frame(values []float64, reuse bool) *esxtop.Frame {
	f := &esxtop.Frame{Host: c.host.name, Origin: esxtop.Capture, Figures: c.metrics}
	for o := range esxtop.NumObjects {
		if !c.has.Has(o) {
			continue
		}
		rows := c.used[o]
		if !reuse || rows == nil {
			rows = make([]esxtop.Row, len(c.rows[o]))
		}
		if reuse {
			c.used[o] = rows
		}
		copy(rows, c.rows[o])
		width := o.Width()
		for i := range rows {
			from := c.from[o] + i*width
			rows[i].Keep(values[from : from+width : from+width])
		}
		f.Put(o, rows)
	}
	return f
}
