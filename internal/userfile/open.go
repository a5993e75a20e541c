package userfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"syscall"
	"unicode/utf8"
)

// Open opens a regular file to read it. Pipes, sockets and devices are refused, because a read of them may wait forever or never end;
// the null device reads as an empty file.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Clean(path), os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would wait for a writer
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && (info.Mode().IsRegular() || isNull(info)) {
			return f, nil
		}
		_ = f.Close() // nothing was read
	}
	if info, failed := os.Stat(path); failed == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: kindError(info.Mode())}
	}
	return nil, err
}

func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func kindError(mode fs.FileMode) error {
	if mode.IsDir() {
		return Errorf("it is a folder, not a file")
	}
	kind := "device"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		kind = "pipe"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	}
	return Errorf("it is a %s, and vperf reads only regular files: copy the content into a file, and name that", kind)
}

// Await returns the result of read, or the error of ctx if ctx ends first. Then read goes on in the background.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// Stream returns a reader of a stream, such as standard input, whose reads end with ctx.
func Stream(ctx context.Context, from io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		part, err := Await(ctx, func() ([]byte, error) {
			own := make([]byte, min(len(p), 64*kibi)) // p belongs to the caller again when ctx ends
			n, err := from.Read(own)
			return own[:n], err
		})
		return copy(p, part), err
	})
}

type readFunc func([]byte) (int, error)

// Read implements io.Reader.
func (r readFunc) Read(p []byte) (int, error) { return r(p) }

// Text returns a reader of a text in UTF-8, without the byte order mark that some editors write before it. A byte that is not UTF-8 is an
// error with its position: with a replacement character, it would be another name or password.
func Text(from io.Reader) io.Reader {
	t := &text{from: from}
	return readFunc(t.read)
}

type text struct {
	from  io.Reader
	begun bool
	at    int64  // bytes that are checked
	rest  []byte // the beginning of a character that goes on in the next read
}

func (t *text) read(p []byte) (int, error) {
	if !t.begun {
		if err := t.begin(); err != nil {
			return 0, err
		}
	}
	n, err := t.from.Read(p)
	part := p[:n]
	if len(t.rest) > 0 {
		part = append(t.rest, part...)
	}
	good := 0
	if utf8.Valid(part) {
		good = len(part)
	}
	for good < len(part) {
		if r, size := utf8.DecodeRune(part[good:]); r != utf8.RuneError || size > 1 {
			good += size
			continue
		}
		if utf8.FullRune(part[good:]) || errors.Is(err, io.EOF) {
			return 0, Errorf("byte %d is not UTF-8: save the file in UTF-8", t.at+int64(good)+1)
		}
		break
	}
	t.at, t.rest = t.at+int64(good), slices.Clone(part[good:])
	return n, err
}

// begin drops the mark of UTF-8 and refuses those of UTF-16. It reads a second byte only after the first of a mark: a terminal may have no
// more than a line of one character.
func (t *text) begin() error {
	t.begun = true
	head := make([]byte, 3)
	n, _ := io.ReadFull(t.from, head[:1]) // the next read returns the error
	if n == 1 && head[0] >= 0xef {
		more, _ := io.ReadFull(t.from, head[1:])
		n += more
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return Errorf("byte 1 begins UTF-16: save the file in UTF-8")
	}
	if bytes.Equal(head, []byte("\ufeff")) {
		head, t.at = nil, 3
	}
	t.from = io.MultiReader(bytes.NewReader(head), t.from)
	return nil
}

// Watched returns a reader of a file with a Watch of its own.
func Watched(ctx context.Context, from io.Reader) io.Reader { return NewWatch(ctx).Reader(from) }

// Watch ends reading when its context ends, and once the heap has grown by much more than what was read explains: a list of empty objects
// needs a hundred times its own size.
type Watch struct {
	ctx                context.Context //nolint:containedctx // of one reading
	before, read, next int64           // bytes
}

// NewWatch returns a Watch for files that are read together.
func NewWatch(ctx context.Context) *Watch { return &Watch{ctx: ctx, before: heap()} }

// Reader returns a reader that is watched.
func (w *Watch) Reader(from io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		if err := w.check(); err != nil {
			return 0, err
		}
		n, err := from.Read(p)
		w.read += int64(n)
		return n, err
	})
}

func (w *Watch) check() error {
	if err := w.ctx.Err(); err != nil || w.read < w.next {
		return err
	}
	limit := w.before + memoryBase + memoryFactor*w.read
	w.next = w.read + 256*kibi
	if heap() <= limit {
		return nil
	}
	runtime.GC() // most of it may be garbage
	if heap() > limit {
		return Errorf("%d KiB of it need more than %d MiB of memory, which no file that vperf or RVTools wrote does: %s", w.read/kibi, (limit-w.before)/mebi, wrongFile)
	}
	w.next = 2 * w.read
	return nil
}

// A file may need memoryBase bytes of memory, and memoryFactor times its own size. Snapshots need about their own size.
const (
	memoryBase   = 512 * mebi
	memoryFactor = 16
)

func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) //nolint:gosec // it fits
}
