package sheet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vperf/vperf/internal/userfile"
)

// Tables are CSV files, one for each table.
type Tables struct {
	paths  map[string]string
	names  []string
	limits Limits
	watch  *userfile.Watch
}

// OpenTables returns the tables in files by name.
func OpenTables(ctx context.Context, names []string, paths map[string]string, limits Limits) *Tables {
	return &Tables{paths, names, limits, userfile.NewWatch(ctx)}
}

// Names returns the names of the tables.
func (t *Tables) Names() []string { return t.names }

// Created returns zero: CSV files carry no date.
func (*Tables) Created() time.Time { return time.Time{} }

// Close does nothing.
func (*Tables) Close() error { return nil }

// Rows reads a file.
func (t *Tables) Rows(name string, each func(*Row) error) error {
	file, err := userfile.Open(t.paths[name])
	if err != nil {
		return fmt.Errorf("reading table %s: %w", name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if err := ReadCSV(&bounded{t.watch.Reader(file), t.limits.Unpacked}, each); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(t.paths[name]), err)
	}
	return nil
}

// ReadCSV reads a table in UTF-8, or in UTF-16 with a byte order mark, whose cells are separated by commas, semicolons or tabs: the
// header decides which.
func ReadCSV(from io.Reader, each func(*Row) error) error {
	in := bufio.NewReaderSize(decoded(from), 64<<10)
	head, err := in.Peek(64 << 10)
	if len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return errors.New("it is empty")
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // it was peeked
		head = head[3:]
	}
	rows := &rowLimit{from: in}
	c := csv.NewReader(rows)
	c.Comma, c.FieldsPerRecord, c.ReuseRecord = separator(head), -1, true
	var row Row
	for number := 1; ; number++ {
		if number > maxRows {
			return ErrTooLarge
		}
		rows.left = maxRow
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errLongRow) {
			return fmt.Errorf("row %d: %w", number, err)
		}
		if err != nil {
			return err
		}
		row.reset()
		for i, text := range record {
			if len(text) > maxText || i >= maxColumns {
				return fmt.Errorf("row %d, column %d: %w", number, i+1, errLongCell)
			}
			if !utf8.ValidString(text) {
				return fmt.Errorf("row %d, column %d: %w", number, i+1, ErrEncoding)
			}
			at := len(row.buffer)
			row.buffer = append(row.buffer, text...)
			row.cells = append(row.cells, cell{from: at, to: len(row.buffer)})
		}
		if err := each(&row); err != nil {
			return err
		}
	}
}

// maxRow is the largest size of a row in bytes. A quote that is not closed takes the rest of the file into one cell.
const maxRow = 16 << 20

var (
	errLongRow  = fmt.Errorf("it is longer than %d MiB; a quote may not be closed", maxRow>>20)
	errLongCell = fmt.Errorf("a table has no more than %d columns, and no cell has more than %d MiB", maxColumns, maxText>>20)
)

// rowLimit returns errLongRow if more bytes are read than are left for a row.
type rowLimit struct {
	from io.Reader
	left int
}

func (r *rowLimit) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLongRow
	}
	n, err := r.from.Read(p)
	r.left -= n
	return n, err
}

// separator returns the separator that the first line has most of.
func separator(head []byte) rune {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	best, most := ',', 0
	for _, s := range ",;\t" {
		if n := bytes.Count(line, []byte(string(s))); n > most {
			best, most = s, n
		}
	}
	return best
}

// decoded returns UTF-16 text as UTF-8.
func decoded(from io.Reader) io.Reader {
	b := bufio.NewReaderSize(from, 64<<10)
	mark, _ := b.Peek(2)
	var order binary.ByteOrder
	switch {
	case bytes.Equal(mark, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.Equal(mark, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return b
	}
	_, _ = b.Discard(2) // it was peeked
	return &wide{from: b, order: order}
}

// wide decodes UTF-16.
type wide struct {
	from  *bufio.Reader
	order binary.ByteOrder
	out   []byte
}

func (w *wide) Read(p []byte) (int, error) {
	if len(w.out) == 0 {
		r, err := w.unit()
		if err != nil {
			return 0, err
		}
		if utf16.IsSurrogate(r) {
			low, err := w.unit()
			if err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
			r = utf16.DecodeRune(r, low)
		}
		w.out = append(w.out[:0], string(r)...)
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

func (w *wide) unit() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(w.from, b[:]); err != nil {
		return 0, unexpectedHalf(err)
	}
	return rune(w.order.Uint16(b[:])), nil
}

// unexpectedHalf treats half a character at the end as the end.
func unexpectedHalf(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}
