package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Reader reads the batch CSV of esxtop, row by row.
type Reader struct {
	lines   *csvLines
	columns *csvColumns
	bias    time.Duration
	wanted  esxtop.Objects
	metrics map[*esxtop.Metric]bool // nil: all
	plan    *csvPlan
	where   csvPlace
	report  csvReport
	reuse   bool
}

// csvPlace is the position of a reader, with everything needed to continue there.
type csvPlace struct {
	offset  int64
	line    int
	rows    int // that were good, until here
	columns *csvColumns
	bias    time.Duration
	cr      bool
	sep     byte
	last    time.Time
	days    int // midnights passed, for stamps without a date
	first   bool

	dayFirst bool // dates begin with the day
}

// csvRowText is a row that matches the header.
type csvRowText struct {
	place    csvPlace // before it
	line     []byte
	time     time.Time
	interval time.Duration
	ended    bool
}

// NewReader reads a batch CSV up to its first row. The file may be compressed with gzip or bzip2, in UTF-8 or UTF-16.
// Of the rows, the reader decodes the wanted objects, and of those the named metrics, or all; skipped fields cost
// almost nothing.
func NewReader(r io.Reader, wanted esxtop.Objects, metrics ...string) (*Reader, error) {
	plain, _, err := plainText(r)
	if err != nil {
		return nil, fmt.Errorf("reading CSV: %w", err)
	}
	c := &Reader{lines: newCSVLines(plain, 0)}
	for _, id := range metrics {
		m := esxtop.Lookup(id)
		if m == nil {
			return nil, fmt.Errorf("reading CSV: no metric is called %q", id)
		}
		if c.metrics == nil {
			c.metrics = map[*esxtop.Metric]bool{}
		}
		c.metrics[m] = true
		for _, other := range m.Takes() {
			c.metrics[other] = true
		}
	}
	c.wanted = wanted
	if err := c.header(); err != nil {
		return nil, fmt.Errorf("reading CSV: %w", err)
	}
	return c, nil
}

func (c *Reader) header() error {
	h, err := c.lines.header()
	if err != nil {
		return err
	}
	c.columns, c.bias = newCSVColumns(h.fields), h.bias
	c.report.header(h, c.columns)
	if len(c.columns.list) == 0 {
		return c.columns.none()
	}
	c.where.first, c.where.last, c.where.days = true, time.Time{}, 0
	c.plan = nil
	return nil
}

// Hosts returns the hosts in the header.
func (c *Reader) Hosts() (names []string) {
	for _, h := range c.columns.hosts {
		names = append(names, h.name)
	}
	return names
}

// Report returns the defects found in the file so far.
func (c *Reader) Report() []string { return c.report.lines() }

// Reuse makes the next rounds share their memory: each is valid only until the next call of Next. Reading a large file
// from beginning to end then creates no garbage.
func (c *Reader) Reuse() { c.reuse = true }

// Next returns the next row as a round; io.EOF after the last one.
func (c *Reader) Next() (*esxtop.Round, error) {
	row, err := c.advance()
	if err != nil {
		return nil, err
	}
	return c.round(row), nil
}

// ask changes the objects of the next rounds.
func (c *Reader) ask(wanted esxtop.Objects) {
	if wanted != c.wanted {
		c.wanted, c.plan = wanted, nil
	}
}

// advance finds the next valid row, checking only its length and its time.
func (c *Reader) advance() (row csvRowText, err error) {
	for {
		place := c.place()
		line, ended, err := c.lines.next()
		switch {
		case errors.Is(err, io.EOF), damage(err) != "":
			if !errors.Is(err, io.EOF) {
				c.report.note("%s", damage(err))
			}
			if c.where.rows == 0 {
				return row, fmt.Errorf("reading CSV: no samples: %s", c.report.noSamples())
			}
			return row, io.EOF
		case err != nil:
			return row, fmt.Errorf("reading CSV: %w", err)
		}
		c.report.selectLine(c.lines.line)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if bytes.Contains(line[:min(len(line), 200)], []byte(csvTag)) {
			if err := c.again(place); err != nil {
				return row, fmt.Errorf("reading CSV: line %d: %w", c.lines.line, err)
			}
			continue
		}
		row = csvRowText{place: place, line: line, ended: ended}
		if c.check(&row) {
			c.where.rows++
			c.where.first = false
			return row, nil
		}
	}
}

// again reads a header in the middle of a file: the capture was restarted into the same file.
func (c *Reader) again(place csvPlace) error {
	c.lines.at = int(place.offset - c.lines.base)
	c.lines.line = place.line
	c.report.note("line %d begins another capture, with a header of its own", place.line+1)
	return c.header()
}

func (c *Reader) place() csvPlace {
	p := c.where
	p.offset, p.line, p.cr, p.sep = c.lines.offset(), c.lines.line, c.lines.cr, c.lines.sep
	p.columns, p.bias = c.columns, c.bias
	return p
}

// resume continues at a position, with lines from r.
func (c *Reader) resume(p csvPlace, r io.Reader) {
	c.lines = newCSVLines(r, p.offset)
	c.lines.line, c.lines.cr, c.lines.sep = p.line, p.cr, p.sep
	if c.columns != p.columns {
		c.columns, c.plan = p.columns, nil
	}
	c.bias, c.where = p.bias, p
}

// check reports whether a row is complete, and sets its time.
func (c *Reader) check(row *csvRowText) bool {
	if !c.isWhole(row) {
		return false
	}
	field, _, _ := bytes.Cut(row.line, []byte{c.lines.sep})
	stamp, ok := c.stamp(string(bytes.Trim(field[:min(len(field), 100)], "\" ")))
	if !ok {
		c.report.drop("its time is %q", field[:min(len(field), 40)])
		return false
	}
	c.takeTime(row, stamp)
	return true
}

// isWhole reports whether a row has all fields of the header, including the end of the last one.
func (c *Reader) isWhole(row *csvRowText) bool {
	n := bytes.Count(row.line, []byte{c.lines.sep}) + 1
	want := c.columns.fields
	last := row.line[bytes.LastIndexByte(row.line, c.lines.sep)+1:]
	if n == want+1 && len(bytes.Trim(last, "\" ")) == 0 {
		n-- // esxtop ends lines with a comma
	}
	switch {
	case n != want:
		c.report.drop("it has %d of %d fields%s", n, want, whyFields(row.line, n, want))
	case !row.ended && cutQuote(last):
		c.report.drop("its last field is cut off")
	default:
		return true
	}
	return false
}

// takeTime sets a row's time, and the interval since the previous row.
func (c *Reader) takeTime(row *csvRowText, stamp csvStamp) {
	row.time = stamp.time.Add(c.bias).AddDate(0, 0, c.where.days)
	before := c.where.last
	if !stamp.date {
		c.report.timeOnly = true
		if !before.IsZero() && before.Sub(row.time) > 12*time.Hour { // past midnight
			c.where.days++
			row.time = row.time.AddDate(0, 0, 1)
		}
	}
	switch {
	case !stamp.seconds:
		c.report.minutes = true // the rows of one minute, or an incomplete first minute, cannot be distinguished
	case before.IsZero():
	case !row.time.After(before):
		c.report.wentBack()
	default:
		row.interval = row.time.Sub(before)
	}
	c.where.last = row.time
}

// stamp parses a time. If the first one is valid only with the day first, all are parsed so: esxtop writes the month
// first, a spreadsheet the format of its locale.
func (c *Reader) stamp(text string) (csvStamp, bool) {
	st, ok := parseStamp(text, c.where.dayFirst)
	if !ok && c.where.rows == 0 && !c.where.dayFirst {
		if st, ok = parseStamp(text, true); ok {
			c.where.dayFirst = true
		}
	}
	c.report.dayFirst = c.report.dayFirst || ok && (st.points || c.where.dayFirst && st.date)
	return st, ok
}

// whyFields explains why a row has too many fields, if it can.
func whyFields(line []byte, n, want int) string {
	if n > want && bytes.Count(line, []byte(`","`))+1 == want {
		return ", since its figures have commas: save it with decimal points, or with semicolons between the fields"
	}
	return ""
}

// cutQuote reports whether the last field has an opening quote but no closing one.
func cutQuote(field []byte) bool {
	return bytes.Count(field, []byte{'"'})%2 == 1 && !bytes.HasSuffix(field, []byte{'"'}) || len(field) == 1 && field[0] == '"'
}

// round decodes the figures of a row.
func (c *Reader) round(row csvRowText) *esxtop.Round {
	if c.plan == nil {
		c.plan = newCSVPlan(c.columns, c.wanted, c.metrics)
	}
	values := c.plan.values(c.reuse)
	c.report.unread(c.plan.read(row.line, c.lines.sep, values))
	round := &esxtop.Round{Time: row.time}
	for i := range c.plan.hosts {
		f := c.plan.hosts[i].frame(values[i], c.reuse)
		f.Time, f.Interval = row.time, row.interval
		f.SettleCapture(row.place.first)
		round.Frames = append(round.Frames, f)
	}
	slices.SortStableFunc(round.Frames, func(a, b *esxtop.Frame) int { return strings.Compare(a.Host, b.Host) })
	return round
}
