package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
)

// file is a capture. It is opened twice, first for what it is of, then for what it says: the memory that many wide headers
// take is not needed at once.
type file struct {
	path   string
	size   int64
	start  time.Time
	first  []*esxtop.Frame
	hosts  []string // that its headers name, of several headers those of the first
	report []string
}

// wanted are the objects that are read.
func wanted() esxtop.Objects {
	spots, _ := hotspot.Needs()
	return live.Needs() | spots
}

// look finds out which hosts files are of, and puts them in the order of time.
func look(ctx context.Context, paths []string) ([]*file, error) {
	if len(paths) == 0 {
		return nil, errors.New("reading captures: no file is named; give a batch CSV that esxtop -b wrote")
	}
	var files []*file
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &file{path: path}
		if err := f.look(); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b *file) int { return a.start.Compare(b.start) })
	return files, nil
}

func (f *file) look() error {
	return f.open(func(r *esxtop.CSVReader, _ *counter) error {
		round, err := r.Next()
		if err != nil {
			return err
		}
		f.start, f.first, f.hosts = round.Time, round.Frames, r.Hosts()
		return nil
	})
}

// open opens the file for a while.
func (f *file) open(read func(r *esxtop.CSVReader, read *counter) error) (err error) {
	defer func() {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			err = &FileError{f.path, err}
		}
	}()
	in, err := os.Open(f.path)
	if err != nil {
		if wrapped, ok := errors.AsType[*os.PathError](err); ok {
			err = wrapped.Err // the path is told already
		}
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	if info, err := in.Stat(); err == nil {
		f.size = info.Size()
	}
	c := &counter{from: in}
	r, err := esxtop.ReadCSV(c, wanted())
	if err != nil {
		return err
	}
	return read(r, c)
}

// counter counts the bytes of a file that were read.
type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	return n, err
}

// notes are what was odd about the file, with its name where there are others.
func (f *file) notes(named bool) []string {
	notes := slices.Clone(f.report)
	for i := range notes {
		if named {
			notes[i] = filepath.Base(f.path) + ": " + notes[i]
		}
	}
	return notes
}

// counted is a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// some names a few of many.
func some(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d others", len(names)-few)
}
