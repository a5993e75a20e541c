package sheet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	"unicode/utf16"
)

// Tables are CSV files, one for each table.
type Tables struct {
	paths  map[string]string
	names  []string
	limits Limits
}

// OpenTables returns the tables in files by name.
func OpenTables(names []string, paths map[string]string, limits Limits) *Tables {
	return &Tables{paths, names, limits}
}

// Names returns the names of the tables.
func (t *Tables) Names() []string { return t.names }

// Created returns zero: CSV files carry no date.
func (*Tables) Created() time.Time { return time.Time{} }

// Close does nothing.
func (*Tables) Close() error { return nil }

// Rows reads a file.
func (t *Tables) Rows(name string, each func(*Row) error) error {
	file, err := os.Open(t.paths[name])
	if err != nil {
		return fmt.Errorf("reading table %s: %w", name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if err := ReadCSV(&bounded{file, t.limits.Unpacked}, each); err != nil {
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
	c := csv.NewReader(in)
	c.Comma, c.FieldsPerRecord, c.ReuseRecord = separator(head), -1, true
	var row Row
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		row.reset()
		for _, text := range record {
			at := len(row.buffer)
			row.buffer = append(row.buffer, text...)
			row.cells = append(row.cells, cell{from: at, to: len(row.buffer)})
		}
		if err := each(&row); err != nil {
			return err
		}
	}
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
