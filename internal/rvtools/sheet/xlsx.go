package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/userfile"
)

// Workbook is an xlsx file.
type Workbook struct {
	files   map[string]*zip.File
	names   []string
	parts   map[string]string // sheet → its file
	created time.Time
	texts   string // the file of the shared texts, or ""
	shared  []string
	loaded  bool
	limits  Limits
	left    int64 // bytes that may still be unpacked
	watch   *userfile.Watch
	close   func() error
}

// Close closes the file.
func (w *Workbook) Close() error {
	if w.close == nil {
		return nil
	}
	return w.close()
}

// Names returns the names of the sheets.
func (w *Workbook) Names() []string { return w.names }

// Created returns the date in the properties of the document.
func (w *Workbook) Created() time.Time { return w.created }

// Compound files are old Office documents (.xls) and all encrypted ones.
var (
	compoundMagic = []byte{0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1}
	zipMagic      = []byte("PK\x03\x04")
	emptyZip      = []byte("PK\x05\x06")
)

// IsZip reports whether a file that begins with head can be a workbook.
func IsZip(head []byte) bool {
	return bytes.HasPrefix(head, zipMagic) || bytes.HasPrefix(head, emptyZip)
}

// IsCompound reports whether a file that begins with head is an old or an encrypted document.
func IsCompound(head []byte) bool { return bytes.HasPrefix(head, compoundMagic) }

// OpenWorkbook reads the table of contents of a workbook.
func OpenWorkbook(ctx context.Context, from io.ReaderAt, size int64, limits Limits) (*Workbook, error) {
	head := make([]byte, 8)
	n, err := from.ReadAt(head, 0)
	switch head = head[:n]; {
	case size == 0:
		return nil, wrongKind("it is empty")
	case IsCompound(head):
		return nil, wrongKind("it is password-protected, or an old .xls file; save it as .xlsx without a password")
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	}
	z, err := zip.NewReader(from, size)
	if err != nil {
		return nil, wrongKind("it is no zip archive, or it is cut off (%v)", err)
	}
	w := &Workbook{files: map[string]*zip.File{}, parts: map[string]string{}, limits: limits, left: limits.Unpacked, watch: userfile.NewWatch(ctx)}
	for _, f := range z.File {
		w.files[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f
	}
	if err := w.readContents(); err != nil {
		return nil, err
	}
	return w, nil
}

type contents struct {
	Sheets []struct {
		Name string `xml:"name,attr"`
		ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		Any  string `xml:"id,attr"` // of documents in the strict form
	} `xml:"sheets>sheet"`
}

type relationships struct {
	All []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// maxContents is the largest size of the parts of a workbook that only describe it.
const maxContents = 8 << 20

func (w *Workbook) readContents() error {
	if w.files["xl/workbook.xml"] == nil {
		return w.otherKind()
	}
	var c contents
	if err := w.decode("xl/workbook.xml", &c); err != nil {
		return err
	}
	var r relationships
	if err := w.decode("xl/_rels/workbook.xml.rels", &r); err != nil {
		return err
	}
	targets := map[string]string{}
	for _, x := range r.All {
		part, isAbsolute := strings.CutPrefix(x.Target, "/")
		if !isAbsolute {
			part = path.Join("xl", part)
		}
		part = strings.ToLower(part)
		targets[x.ID] = part
		if strings.HasSuffix(x.Type, "/sharedStrings") {
			w.texts = part
		}
	}
	for _, s := range c.Sheets {
		id := s.ID
		if id == "" {
			id = s.Any
		}
		if part := targets[id]; w.files[part] != nil {
			w.names, w.parts[s.Name] = append(w.names, s.Name), part
		}
	}
	if len(w.names) == 0 {
		return wrongKind("the workbook has no sheets")
	}
	var p struct {
		Created string `xml:"created"`
	}
	if w.files["docprops/core.xml"] != nil && w.decode("docprops/core.xml", &p) == nil {
		w.created, _ = time.Parse(time.RFC3339, strings.TrimSpace(p.Created))
	}
	return nil
}

// otherKind says which other kind of archive it is.
func (w *Workbook) otherKind() error {
	csv := 0
	for name := range w.files {
		switch {
		case strings.HasPrefix(name, "word/"):
			return wrongKind("it is a Word document")
		case strings.HasPrefix(name, "ppt/"):
			return wrongKind("it is a presentation")
		case strings.HasSuffix(name, ".csv"), strings.HasSuffix(name, ".xlsx"):
			csv++
		}
	}
	if csv > 0 {
		return wrongKind("it is a zip archive with %d exports or tables; unpack it, and name the folder or the files", csv)
	}
	if w.files["xl/workbook.bin"] != nil {
		return wrongKind("it is a binary workbook (.xlsb); save it as .xlsx")
	}
	return wrongKind("it is a zip archive without a workbook")
}

func (w *Workbook) decode(part string, into any) error {
	if w.files[part] == nil {
		return wrongKind("the archive has no %s", part)
	}
	in, err := w.open(part)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	if err := xml.NewDecoder(&bounded{in, maxContents}).Decode(into); err != nil {
		return fmt.Errorf("reading %s of the workbook: %w", part, err)
	}
	return nil
}

// bounded returns ErrTooLarge after so many bytes.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

// budget counts what a workbook unpacks to in total.
type budget struct {
	io.Reader
	io.Closer

	of *Workbook
}

func (b *budget) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.of.left -= int64(n); b.of.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

func (w *Workbook) open(part string) (io.ReadCloser, error) {
	in, err := w.files[part].Open()
	if err != nil {
		return nil, fmt.Errorf("unpacking %s of the workbook: %w", part, err)
	}
	return &budget{w.watch.Reader(in), in, w}, nil
}

// Rows reads a sheet.
func (w *Workbook) Rows(name string, each func(*Row) error) error {
	part := w.parts[name]
	if part == "" {
		return fmt.Errorf("the workbook has no sheet %s", name)
	}
	if err := w.loadShared(); err != nil {
		return fmt.Errorf("reading the texts of the workbook: %w", err)
	}
	in, err := w.open(part)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	r := &sheetReader{scanner: newScanner(in), row: Row{shared: w.shared}, each: each}
	if err := r.read(); err != nil {
		return fmt.Errorf("sheet %s, row %d: %w", name, r.number+1, err)
	}
	return nil
}

// loadShared reads the texts that cells of all sheets refer to by their number.
func (w *Workbook) loadShared() error {
	if w.loaded || w.texts == "" || w.files[w.texts] == nil {
		return nil
	}
	in, err := w.open(w.texts)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	s := newScanner(&bounded{in, w.limits.Shared})
	var text []byte
	var memory int64
	phonetic := false // readings of Asian texts
	for {
		switch err := s.next(); {
		case errors.Is(err, io.EOF):
			w.loaded = true
			return nil
		case err != nil:
			return err
		}
		switch {
		case s.starts("rPh"):
			phonetic = !s.empty
		case s.ends("rPh"):
			phonetic = false
		case s.close && s.ends("t") && !phonetic:
			if text = appendExcel(text, s.text); len(text) > maxText {
				return errLongCell
			}
		case s.ends("si"):
			if memory += int64(len(text)) + bytesPerText; memory > w.limits.Shared || len(w.shared) >= maxShared {
				return ErrTooLarge
			}
			w.shared, text = append(w.shared, string(text)), text[:0]
		}
	}
}

// sheetReader reads the rows of one sheet.
type sheetReader struct {
	*scanner

	row    Row
	each   func(*Row) error
	number int // rows read

	column int
	kind   string // of the cell: s, inlineStr, str, b, e, n or d
	value  []byte // of the cell
}

func (r *sheetReader) read() error {
	for {
		if err := r.next(); err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case r.ends("sheetData"):
			return nil
		case r.starts("row"):
			r.row.reset()
		case r.starts("c"):
			if err := r.begin(); err != nil {
				return err
			}
		case r.close && r.ends("v"), r.close && r.ends("t"):
			if r.value = appendExcel(r.value, r.text); len(r.value) > maxText || len(r.row.buffer)+len(r.value) > maxRow {
				return errLongCell
			}
		}
		if r.ends("c") {
			if err := r.end(); err != nil {
				return err
			}
		}
		if r.ends("row") {
			if err := r.each(&r.row); err != nil {
				return err
			}
			if r.number++; r.number > maxRows {
				return ErrTooLarge
			}
			r.row.reset()
		}
	}
}

// begin starts a cell. Cells without a reference follow each other.
func (r *sheetReader) begin() error {
	r.column = r.row.Len()
	if at := r.attribute("r"); at != nil {
		r.column = columnOf(at)
	}
	if r.column < r.row.Len() || r.column >= maxColumns {
		return fmt.Errorf("%w: a cell is in the wrong place", errNoXML)
	}
	r.value = r.value[:0]
	switch kind := r.attribute("t"); string(kind) {
	case "s":
		r.kind = "s"
	case "b":
		r.kind = "b"
	case "e":
		r.kind = "e"
	default:
		r.kind = ""
	}
	return nil
}

// columnOf returns the column of a reference such as AB12, from 0; -1 for one that is none.
func columnOf(reference []byte) int {
	n := 0
	for i, b := range reference {
		switch {
		case b >= 'A' && b <= 'Z':
			n = n*26 + int(b-'A') + 1
		case b >= 'a' && b <= 'z':
			n = n*26 + int(b-'a') + 1
		default:
			if i == 0 {
				return -1
			}
			return n - 1
		}
		if n > maxColumns {
			return n
		}
	}
	return n - 1
}

func (r *sheetReader) end() error {
	r.row.pad(r.column)
	switch r.kind {
	case "s":
		if len(bytes.TrimSpace(r.value)) == 0 { // RVTools writes empty text as a reference to no text
			r.row.cells = append(r.row.cells, cell{})
			return nil
		}
		i, err := strconv.Atoi(string(bytes.TrimSpace(r.value)))
		if err != nil || i < 0 || i >= len(r.row.shared) {
			return fmt.Errorf("%w: a cell refers to a text that is not there", errNoXML)
		}
		r.row.cells = append(r.row.cells, cell{isShared: true, from: i})
		return nil
	case "e": // a formula that failed is no value
		r.value = r.value[:0]
	case "b":
		r.value = append(r.value[:0], map[bool]string{true: "True", false: "False"}[string(r.value) == "1"]...)
	}
	from := len(r.row.buffer)
	r.row.buffer = append(r.row.buffer, r.value...)
	r.row.cells = append(r.row.cells, cell{from: from, to: len(r.row.buffer)})
	return nil
}
