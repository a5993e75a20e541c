package batch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// replay returns the rounds of captures in order, or from any position. It stores where each row begins, and keeps a
// few rounds, because going back in a compressed file means reading it again.
type replay struct {
	mu       sync.Mutex
	files    []*replayFile
	index    []replayRow // of the rows that were seen, from the first one on
	whole    bool        // the end was seen
	next     int         // the round that is given next
	at       int         // the row that the readers read next
	wanted   esxtop.Objects
	kept     []keptRound
	interval time.Duration
	closed   bool
}

// replayRow is the position of a row.
type replayRow struct {
	file  int
	place csvPlace
}

type keptRound struct {
	n     int
	round *esxtop.Round
}

// mostKept is how many rounds are kept: enough to step back manually.
const mostKept = 32

// replayFile is a capture that can be read again.
type replayFile struct {
	path   string
	file   *os.File
	made   bool // its text was converted
	reader *Reader
	start  time.Time
}

// OpenReplay opens captures: batch CSVs of esxtop, compressed or not. Several captures form one time line, in the order
// of their first samples.
func OpenReplay(paths ...string) (esxtop.Seeker, error) {
	r := &replay{wanted: esxtop.AllObjects}
	for _, path := range paths {
		f, err := openReplayFile(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening capture %s: %w", path, err), r.closeFiles())
		}
		r.files = append(r.files, f)
	}
	if len(r.files) == 0 {
		return nil, errors.New("opening captures: none is named")
	}
	slices.SortStableFunc(r.files, func(a, b *replayFile) int { return a.start.Compare(b.start) })
	if err := r.measure(); err != nil {
		return nil, errors.Join(err, r.closeFiles())
	}
	return r, nil
}

func openReplayFile(path string) (*replayFile, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would wait for a writer
	if err == nil {
		if info, failed := file.Stat(); failed == nil && !info.Mode().IsRegular() {
			_ = file.Close() // nothing was read
			if info.IsDir() {
				return nil, syscall.EISDIR
			}
			return nil, errors.New("it is a pipe or a device, and vperf reads only regular files: copy the content into a file, and name that; - reads standard input")
		}
	}
	if err != nil {
		if wrapped := (*os.PathError)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // the error of the caller contains the path
		}
		return nil, err
	}
	f := &replayFile{path: path, file: file}
	if err := f.open(); err != nil {
		_ = file.Close()
		return nil, err
	}
	return f, nil
}

// open reads the header, and the first row for its time.
func (f *replayFile) open() (err error) {
	_, f.made, _ = plainText(io.NewSectionReader(f.file, 0, math.MaxInt64)) // NewReader reports the error
	if f.reader, err = NewReader(f.file, esxtop.AllObjects); err != nil {
		return err
	}
	begin := f.reader.place()
	row, err := f.reader.advance()
	if err != nil {
		return err
	}
	f.start = row.time
	return f.seek(begin)
}

// seek moves the reader to a position.
func (f *replayFile) seek(p csvPlace) error {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var from io.Reader = f.file
	if f.made {
		plain, _, err := plainText(f.file)
		if err == nil {
			_, err = io.CopyN(io.Discard, plain, p.offset)
		}
		if err != nil {
			return err
		}
		from = plain
	} else {
		if _, err := f.file.Seek(p.offset, io.SeekStart); err != nil {
			return err
		}
		from = bufio.NewReaderSize(from, 64<<10)
	}
	f.reader.resume(p, from)
	return nil
}

// measure determines the interval between the first rounds.
func (r *replay) measure() error {
	for range 3 {
		row, ok, err := r.step()
		if err != nil || !ok {
			return err
		}
		r.interval = max(r.interval, row.interval)
	}
	return nil
}

// step reads one row, and stores its position. ok is false after the last row.
func (r *replay) step() (row csvRowText, ok bool, err error) {
	if r.at < len(r.index) && r.at > 0 && r.index[r.at].file != r.index[r.at-1].file {
		if err := r.goTo(r.at); err != nil {
			return row, false, err
		}
	}
	file := r.file()
	for {
		row, err = r.files[file].reader.advance()
		if err == nil {
			break
		}
		if !errors.Is(err, io.EOF) {
			return row, false, fmt.Errorf("capture %s: %w", r.files[file].path, err)
		}
		if file++; file == len(r.files) {
			r.whole = true
			return row, false, nil
		}
	}
	if r.at == len(r.index) {
		r.index = append(r.index, replayRow{file, row.place})
	}
	r.at++
	return row, true, nil
}

// file returns the index of the file whose reader is at the row.
func (r *replay) file() int {
	switch {
	case r.at < len(r.index):
		return r.index[r.at].file
	case r.at > 0:
		return r.index[r.at-1].file
	}
	return 0
}

// goTo moves to a row that was read before.
func (r *replay) goTo(n int) error {
	to := r.index[n]
	if err := r.files[to.file].seek(to.place); err != nil {
		return fmt.Errorf("going back in capture %s: %w", r.files[to.file].path, err)
	}
	r.at = n
	return nil
}

// Next returns the next round; io.EOF after the last one.
func (r *replay) Next(ctx context.Context) (*esxtop.Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.closed {
		return nil, errors.New("reading a capture: it was closed")
	}
	if i := slices.IndexFunc(r.kept, func(k keptRound) bool { return k.n == r.next }); i >= 0 {
		r.next++
		return r.kept[i].round, nil
	}
	if err := r.reach(ctx, r.next); err != nil {
		return nil, err
	}
	row, ok, err := r.step()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, io.EOF
	}
	reader := r.files[r.index[r.next].file].reader
	reader.ask(r.wanted)
	round := reader.round(row)
	if len(r.kept) == mostKept {
		r.kept = r.kept[1:]
	}
	r.kept = append(r.kept, keptRound{r.next, round})
	r.next++
	return round, nil
}

// reach moves to row n, or to the end if there are fewer rows.
func (r *replay) reach(ctx context.Context, n int) error {
	if n != r.at && n < len(r.index) {
		return r.goTo(n)
	}
	if n > r.at && r.at < len(r.index) && len(r.index) > 0 {
		if err := r.goTo(len(r.index) - 1); err != nil {
			return err
		}
	}
	for r.at < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, ok, err := r.step(); err != nil || !ok {
			return err
		}
	}
	return nil
}

// Seek moves to the round with that number, or to the last one.
func (r *replay) Seek(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errors.New("going on in a capture: it was closed")
	}
	n = max(0, n)
	if n >= len(r.index) && !r.whole {
		if err := r.reach(context.Background(), n+1); err != nil {
			return err
		}
	}
	r.next = max(0, min(n, len(r.index)-1))
	return nil
}

// Position returns the number of the next round, and the total.
func (r *replay) Position() (next, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.whole {
		return r.next, -1
	}
	return r.next, len(r.index)
}

// Configure changes the objects of the next rounds. The interval of a capture is fixed.
func (r *replay) Configure(q esxtop.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.Objects != 0 && q.Objects != r.wanted {
		r.wanted, r.kept = q.Objects, nil
	}
}

// About describes the captures, and the defects found so far.
func (r *replay) About() esxtop.About {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := esxtop.About{Origin: esxtop.Capture, Interval: r.interval}
	var notes []string
	for _, f := range r.files {
		a.Hosts = append(a.Hosts, f.reader.Hosts()...)
		for _, note := range f.reader.Report() {
			if len(r.files) > 1 {
				note = f.path + ": " + note
			}
			notes = append(notes, note)
		}
	}
	slices.Sort(a.Hosts)
	a.Hosts = slices.Compact(a.Hosts)
	a.Note = strings.Join(notes, "; ")
	return a
}

// Close closes the files.
func (r *replay) Close(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	return r.closeFiles()
}

func (r *replay) closeFiles() (err error) {
	for _, f := range r.files {
		err = errors.Join(err, f.file.Close())
	}
	return err
}
