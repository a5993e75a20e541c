package capture

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
)

// file is a capture. It is opened twice, first to find its hosts, then to read it, because many wide headers in memory
// at once would take too much.
type file struct {
	path      string
	size      int64
	start     time.Time
	first     []*esxtop.Frame
	hosts     []string // hosts in its headers; of several headers those of the first
	report    []string
	pace      pace
	hostNames map[string]string // names for hosts that share theirs with others
}

// objectsToRead returns the objects to read.
func objectsToRead() esxtop.Objects {
	spots, _ := hotspot.Needs()
	return live.Needs() | spots
}

// findFiles finds the hosts of files, and sorts the files by time. A file that is not a capture is an error if it was named,
// and skipped if its folder was.
func findFiles(ctx context.Context, paths []string) (files []*file, notes []string, err error) {
	if len(paths) == 0 {
		return nil, nil, errors.New("reading captures: no file is named; give a batch CSV that esxtop -b wrote")
	}
	all, notes, err := expand(paths)
	if err != nil {
		return nil, nil, err
	}
	var left error
	for _, n := range all {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		f := &file{path: n.path}
		switch err := f.inspect(); {
		case err == nil:
			files = append(files, f)
		case !n.folder:
			return nil, nil, err
		default:
			left = cmp.Or(left, err)
			notes = append(notes, "skipped: "+err.Error())
		}
	}
	if len(files) == 0 {
		return nil, nil, left
	}
	slices.SortStableFunc(files, func(a, b *file) int { return a.start.Compare(b.start) })
	return files, append(notes, renameDuplicates(files)...), nil
}

func (f *file) inspect() error {
	return f.open(func(r *batch.Reader, _ *counter) error {
		round, err := r.Next()
		if err != nil {
			return err
		}
		f.start, f.first, f.hosts = round.Time, round.Frames, r.Hosts()
		return nil
	})
}

// open opens the file and calls read.
func (f *file) open(read func(r *batch.Reader, read *counter) error) (err error) {
	defer func() {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			err = &FileError{f.path, err}
		}
	}()
	in, err := userfile.Open(f.path)
	if err != nil {
		return reasonOf(err)
	}
	defer func() { _ = in.Close() }() // the file was only read
	if info, err := in.Stat(); err == nil {
		f.size = info.Size()
	}
	c := &counter{from: in}
	r, err := batch.NewReader(c, objectsToRead())
	if err != nil {
		return err
	}
	return read(r, c)
}

// counter counts the bytes read from a file.
type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	return n, err
}

// notes returns the defects of the file, with its name if there are several files.
func (f *file) notes(named bool) []string {
	notes := slices.Clone(f.report)
	for i := range notes {
		if named {
			notes[i] = filepath.Base(f.path) + ": " + notes[i]
		}
	}
	return notes
}
