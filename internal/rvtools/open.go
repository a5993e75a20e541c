package rvtools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/rvtools/sheet"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
)

// wanted ends the errors about files of other kinds.
const wanted = "vperf reads RVTools exports: a workbook (.xlsx) with the sheets vInfo and vHost, or a folder with RVTools_tabvInfo.csv and RVTools_tabvHost.csv"

// IsExport reports whether a path is to be read as an export: a folder, a workbook or another Office document, or a CSV file that is
// no capture of esxtop.
func IsExport(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return true
	}
	file, err := userfile.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it was only read
	head := make([]byte, 16)
	n, _ := io.ReadFull(file, head)
	return IsHead(head[:n]) || isCSV(path) && !bytes.Contains(head[:n], []byte("(PDH-CSV"))
}

// IsHead reports whether a file begins like a workbook or another Office document.
func IsHead(head []byte) bool { return sheet.IsZip(head) || sheet.IsCompound(head) }

func isCSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// Load reads an export from a workbook, a folder of CSV files, or one CSV file.
func Load(ctx context.Context, path string) (*inventory.Snapshot, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() || isCSV(path) {
		return loadTables(ctx, path, info)
	}
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return LoadWorkbook(ctx, file, info.Size(), path, info.ModTime())
}

// LoadWorkbook reads an export from a workbook. Modified is the date of the file, zero if it is unknown; it stands for the date of
// the export if the workbook does not have that.
func LoadWorkbook(ctx context.Context, from io.ReaderAt, size int64, name string, modified time.Time) (*inventory.Snapshot, error) {
	return load(func() (sheet.Book, error) { return sheet.OpenWorkbook(ctx, from, size, sheet.DefaultLimits) }, name, modified)
}

func explained(err error) error {
	switch {
	case errors.Is(err, sheet.ErrKind):
		return fmt.Errorf("%w; %s", err, wanted)
	case errors.Is(err, sheet.ErrTooLarge):
		return fmt.Errorf("%w; if it is an export of RVTools, export fewer sheets, or to CSV files", err)
	}
	return err
}

// loadTables reads CSV files. The file of the VMs gives the date.
func loadTables(ctx context.Context, path string, info os.FileInfo) (*inventory.Snapshot, error) {
	files := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		files = nil
		for _, f := range entries {
			if !f.IsDir() && isCSV(f.Name()) {
				files = append(files, filepath.Join(path, f.Name()))
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("the folder has no CSV files; %s", wanted)
		}
	}
	paths, names := map[string]string{}, []string{}
	var modified time.Time
	for _, file := range files {
		name := sheetOf(file)
		if name == "" {
			continue
		}
		if paths[name] != "" {
			return nil, fmt.Errorf("%s and %s are both sheet %s: put each export into its own folder", filepath.Base(paths[name]), filepath.Base(file), name)
		}
		paths[name], names = file, append(names, name)
		if i, err := os.Stat(file); err == nil && (modified.IsZero() || name == "vInfo") {
			modified = i.ModTime()
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no CSV file is named after a sheet of RVTools; %s", wanted)
	}
	return load(func() (sheet.Book, error) { return sheet.OpenTables(ctx, names, paths, sheet.DefaultLimits), nil }, path, modified)
}

// sheetNames are all sheets that an export can have.
var sheetNames = func() (all []string) {
	for _, p := range parts {
		all = append(all, p.sheet)
	}
	return append(all, unusedSheets...)
}()

// sheetOf returns the sheet that a file is named after: RVTools_tabvInfo.csv, vInfo.csv, vcenter01-vInfo.csv.
func sheetOf(file string) string {
	base := filepath.Base(file)
	base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	for _, name := range sheetNames {
		rest, found := strings.CutSuffix(base, strings.ToLower(name))
		if found && (rest == "" || strings.HasSuffix(rest, "tab") || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, " ")) {
			return name
		}
	}
	return ""
}

// load reads the sheets of a book. A sheet that cannot be read costs that sheet: load then starts again without it, so that nothing
// depends on the rows before the damage.
func load(open func() (sheet.Book, error), name string, modified time.Time) (*inventory.Snapshot, error) {
	for lost := (lostSheets{}); ; {
		before := len(lost)
		s, err := loadWithout(lost, open, name, modified)
		if err != nil || len(lost) == before {
			return s, err
		}
	}
}

// loadWithout reads all sheets that are not lost, and adds those that cannot be read to the lost ones.
func loadWithout(lost lostSheets, open func() (sheet.Book, error), name string, modified time.Time) (*inventory.Snapshot, error) {
	book, err := open()
	if err != nil {
		return nil, explained(err)
	}
	defer func() { _ = book.Close() }() // it was only read
	at := map[string]string{}           // sheet → its name in the book
	for _, n := range book.Names() {
		for _, known := range sheetNames {
			if !strings.EqualFold(n, known) && !strings.EqualFold(n, "tab"+known) {
				continue
			}
			if at[known] != "" {
				lost[known] = fmt.Errorf("the workbook has it more than once, as %s and %s: remove one", quoted(at[known]), quoted(n))
			}
			at[known] = n
		}
	}
	if at["vInfo"] == "" && at["vHost"] == "" {
		return nil, fmt.Errorf("it has neither vInfo nor vHost, but %s; %s", listed(book.Names()), wanted)
	}
	x := &estate{name: filepath.Base(name), lost: lost, has: map[string]bool{}, byUUID: map[string]*endpoint{}, byServer: map[string]*endpoint{}}
	if err := x.date(book, at["vMetaData"], modified); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if at[p.sheet] == "" || lost[p.sheet] != nil {
			continue
		}
		x.has[p.sheet] = true
		err := x.readSheet(book, at[p.sheet], p.sheet, p.need, p.read)
		switch {
		case err == nil:
		case costsSheet(err):
			lost[p.sheet] = err
		default:
			return nil, explained(err)
		}
	}
	if err := lost.usable(at); err != nil {
		return nil, err
	}
	return x.finish()
}

// listed names up to five sheets of a book.
func listed(names []string) string {
	var all []string
	for _, n := range names[:min(len(names), 5)] {
		all = append(all, quoted(n))
	}
	if len(names) > 5 {
		all = append(all, fmt.Sprintf("%d more", len(names)-5))
	}
	return "the sheets " + strings.Join(all, ", ")
}

// readSheet reads the rows of a sheet. The first row is its header.
func (x *estate) readSheet(book sheet.Book, name, of string, need []string, read func(*estate, *endpoint, *row) error) error {
	r := &row{keys: map[string]string{}}
	return book.Rows(name, func(cells *sheet.Row) error {
		r.Row = cells
		if r.table == nil {
			r.table = newTable(of, cells)
			return r.check(need)
		}
		if blank(cells) {
			return nil
		}
		return read(x, x.endpointOf(r), r)
	})
}

func blank(cells *sheet.Row) bool {
	for i := range cells.Len() {
		if strings.TrimSpace(cells.Text(i)) != "" {
			return false
		}
	}
	return true
}

// check refuses a table without the columns that identify its rows.
func (t *table) check(need []string) error {
	for _, name := range need {
		if t.has(name) {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(t.at)) {
			if strings.HasPrefix(key, strings.ToLower(t.sheet)) {
				return fmt.Errorf("there is no column %s, but %s, a name of RVTools' database form; export with the usual names of columns", name, quoted(key))
			}
		}
		return fmt.Errorf("there is no column %s", name)
	}
	return nil
}

// date finds the date of the export: that of its sheet vMetaData, or of the document, or of the file. A damaged vMetaData is as none.
func (x *estate) date(book sheet.Book, metadata string, modified time.Time) error {
	if metadata != "" {
		err := x.readSheetPlain(book, metadata, func(r *row) {
			if t, ok := sheet.Date(r.text("xlsx creation datetime")); ok && t.After(x.taken) {
				x.taken = t
			}
		})
		if err != nil && !costsSheet(err) {
			return explained(err)
		}
	}
	for _, t := range []time.Time{book.Created(), modified} {
		if x.taken.IsZero() {
			x.taken = t.UTC().Truncate(time.Second)
		}
	}
	if x.taken.IsZero() {
		return errors.New("the export has no date (sheet vMetaData), which ages are computed with; name it as a file, whose date vperf then uses")
	}
	return nil
}

func (x *estate) readSheetPlain(book sheet.Book, name string, read func(*row)) error {
	r := &row{keys: map[string]string{}}
	return book.Rows(name, func(cells *sheet.Row) error {
		if r.Row = cells; r.table == nil {
			r.table = newTable(name, cells)
			return nil
		}
		read(r)
		return nil
	})
}

// Merge makes one estate of several snapshots, which were read from files of these names. A vCenter may be in one of them only.
func Merge(all []*inventory.Snapshot, files []string) (*inventory.Snapshot, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	merged := &inventory.Snapshot{Schema: inventory.SnapshotSchema}
	var sources []string
	in := map[string]string{} // vCenter → file
	for i, s := range all {
		for _, v := range s.VCenters {
			if other, twice := in[v.Name]; twice {
				return nil, fmt.Errorf("%s and %s are both of %s; to compare two exports of one vCenter, use the command diff", other, files[i], quoted(v.Name))
			}
			in[v.Name] = files[i]
			merged.VCenters = append(merged.VCenters, v)
		}
		sources = append(sources, s.Source)
	}
	merged.Source = strings.Join(sources, ", ")
	merged.Link()
	return merged, nil
}
