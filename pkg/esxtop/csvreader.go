package esxtop

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// CSVReader reads the batch CSV of esxtop, a row at a time.
type CSVReader struct {
	lines   *csvLines
	columns *csvColumns
	bias    time.Duration
	wanted  Objects
	metrics map[*Metric]bool // nil: all
	plan    *csvPlan
	where   csvPlace
	report  csvReport
	reuse   bool
}

// csvPlace is where a reader stands: what it has to know to go on from there.
type csvPlace struct {
	offset  int64
	line    int
	rows    int // that were good, until here
	columns *csvColumns
	bias    time.Duration
	cr      bool
	last    time.Time
	days    int // that stamps without a date went past midnight
	first   bool
}

// csvRowText is a row that fits the header.
type csvRowText struct {
	place    csvPlace // before it
	line     []byte
	time     time.Time
	interval time.Duration
	ended    bool
}

// ReadCSV reads a batch CSV up to its first row, compressed or not. Of the rows it reads the wanted objects, and of those
// the metrics named, or all; what is not wanted costs next to nothing.
func ReadCSV(r io.Reader, wanted Objects, metrics ...string) (*CSVReader, error) {
	plain, _, err := decompressed(r)
	if err != nil {
		return nil, fmt.Errorf("reading CSV: %w", err)
	}
	c := &CSVReader{lines: newCSVLines(plain, 0)}
	for _, id := range metrics {
		m := Lookup(id)
		if m == nil {
			return nil, fmt.Errorf("reading CSV: no metric is called %q", id)
		}
		if c.metrics == nil {
			c.metrics = map[*Metric]bool{}
		}
		c.metrics[m] = true
		for _, other := range takes(m) {
			c.metrics[other] = true
		}
	}
	c.wanted = wanted
	if err := c.header(); err != nil {
		return nil, fmt.Errorf("reading CSV: %w", err)
	}
	return c, nil
}

// decompressed knows gzip by its first bytes.
func decompressed(r io.Reader) (plain io.Reader, packed bool, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, false, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, true, fmt.Errorf("decompressing: %w", err)
	}
	return z, true, nil
}

func (c *CSVReader) header() error {
	h, err := c.lines.header()
	if err != nil {
		return err
	}
	c.columns, c.bias = newCSVColumns(h.fields), h.bias
	c.report.header(h, c.columns)
	if len(c.columns.list) == 0 {
		return errors.New(`the header names no counter of esxtop, such as \\host\Memory\Free MBytes`)
	}
	c.where.first, c.where.last, c.where.days = true, time.Time{}, 0
	c.plan = nil
	return nil
}

// Hosts are those that the header names.
func (c *CSVReader) Hosts() (names []string) {
	for _, h := range c.columns.hosts {
		names = append(names, h.name)
	}
	return names
}

// Report tells what was odd about the file so far.
func (c *CSVReader) Report() []string { return c.report.lines() }

// Reuse makes the next rounds share their memory: each is good until the next one is asked for, and no longer. Who reads a large
// file from its beginning to its end leaves no garbage then.
func (c *CSVReader) Reuse() { c.reuse = true }

// Next gives the next row as a round; io.EOF after the last one.
func (c *CSVReader) Next() (*Round, error) {
	row, err := c.advance()
	if err != nil {
		return nil, err
	}
	return c.round(row), nil
}

// ask changes what the next rounds hold.
func (c *CSVReader) ask(wanted Objects) {
	if wanted != c.wanted {
		c.wanted, c.plan = wanted, nil
	}
}

// advance finds the next row that is good, and looks at nothing but its length and its time.
func (c *CSVReader) advance() (row csvRowText, err error) {
	for {
		place := c.place()
		line, ended, err := c.lines.next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if !errors.Is(err, io.EOF) {
				c.report.note("the file ends early: it was cut off while it was compressed")
			}
			if c.where.rows == 0 {
				return row, fmt.Errorf("reading CSV: no samples: %s", c.report.noSamples())
			}
			return row, io.EOF
		case err != nil:
			return row, fmt.Errorf("reading CSV: %w", err)
		}
		c.report.look(c.lines.line)
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

// again reads a header in the middle: the capture was started again into the same file.
func (c *CSVReader) again(place csvPlace) error {
	c.lines.at = int(place.offset - c.lines.base)
	c.lines.line = place.line
	c.report.note("line %d begins another capture, with a header of its own", place.line+1)
	return c.header()
}

func (c *CSVReader) place() csvPlace {
	p := c.where
	p.offset, p.line, p.cr = c.lines.offset(), c.lines.line, c.lines.cr
	p.columns, p.bias = c.columns, c.bias
	return p
}

// resume goes on from a place; the lines come from there.
func (c *CSVReader) resume(p csvPlace, r io.Reader) {
	c.lines = newCSVLines(r, p.offset)
	c.lines.line, c.lines.cr = p.line, p.cr
	if c.columns != p.columns {
		c.columns, c.plan = p.columns, nil
	}
	c.bias, c.where = p.bias, p
}

// check reports whether a row is whole, and takes its time.
func (c *CSVReader) check(row *csvRowText) bool {
	n := bytes.Count(row.line, []byte{','}) + 1
	want := c.columns.fields
	if n == want+1 && len(bytes.Trim(row.line[bytes.LastIndexByte(row.line, ',')+1:], "\" ")) == 0 {
		n-- // esxtop ends lines with a comma
	}
	if n != want {
		c.report.drop("it has %d of %d fields", n, want)
		return false
	}
	if !row.ended && cutQuote(row.line) {
		c.report.drop("its last field is cut off")
		return false
	}
	field, _, _ := bytes.Cut(row.line, []byte{','})
	stamp, ok := parseStamp(string(bytes.Trim(field[:min(len(field), 100)], "\" ")))
	if !ok {
		c.report.drop("its time is %q", field[:min(len(field), 40)])
		return false
	}
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
		c.report.minutes = true // the rows of one minute cannot be told apart, nor the first minute from a whole one
	case before.IsZero():
	case row.time.Before(before):
		c.report.wentBack()
	default:
		row.interval = row.time.Sub(before)
	}
	c.where.last = row.time
	return true
}

// cutQuote reports whether the last field has a first quote and no second one.
func cutQuote(line []byte) bool {
	field := line[bytes.LastIndexByte(line, ',')+1:]
	return bytes.Count(field, []byte{'"'})%2 == 1 && !bytes.HasSuffix(field, []byte{'"'}) || len(field) == 1 && field[0] == '"'
}

// round reads the figures of a row.
func (c *CSVReader) round(row csvRowText) *Round {
	if c.plan == nil {
		c.plan = newCSVPlan(c.columns, c.wanted, c.metrics)
	}
	values := c.plan.values(c.reuse)
	c.report.unread(c.plan.read(row.line, values))
	round := &Round{Time: row.time}
	for i := range c.plan.hosts {
		f := c.plan.hosts[i].frame(values[i], c.reuse)
		f.Time, f.Interval = row.time, row.interval
		f.dropFileZeros(row.place.first)
		f.dropMeansOfNothing()
		f.complete()
		round.Frames = append(round.Frames, f)
	}
	slices.SortStableFunc(round.Frames, func(a, b *Frame) int { return strings.Compare(a.Host, b.Host) })
	return round
}
