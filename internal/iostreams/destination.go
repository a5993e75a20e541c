package iostreams

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Stdout is the file name that means standard output.
const Stdout = "-"

// Destination is a file or stream for a result. A file gets its name only when it is complete: an old one survives a full
// disk, and no reader sees half of a new one.
type Destination struct {
	io.Writer

	file *os.File // nil: standard output, which is not ours to close
	path string   // the final name of the file; empty if it is written in place
	Open bool     // all users may read the file
}

// OpenDestination makes sure that a result can be written, before anybody works for it.
func OpenDestination(path string, stdout io.Writer) (*Destination, error) {
	if path == Stdout {
		return &Destination{Writer: stdout}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // the file does not exist, or creating it will report the error
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return openInPlace(path)
	default:
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link stays a link
			return nil, err
		}
	}
	return openTemporary(path)
}

// openInPlace is for pipes and devices: to put a file where /dev/null was would be no favour.
func openInPlace(path string) (*Destination, error) {
	for tries := 0; ; tries++ {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // to open a pipe waits for its reader, whatever signals come
		switch {
		case err == nil:
			return &Destination{Writer: f, file: f}, nil
		case !errors.Is(err, syscall.ENXIO):
			return nil, err
		case tries == readerTries:
			return nil, errors.New("it is a pipe that nobody reads: start its reader first")
		}
		time.Sleep(readerPause)
	}
}

// A shell starts the reader of a pipe at the same time as vperf.
const (
	readerTries = 20
	readerPause = 100 * time.Millisecond
)

// openTemporary makes a file for our eyes only, on the same disk as the one it will be. Its name is none that anybody looks for.
func openTemporary(path string) (*Destination, error) {
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, ".vperf-*")
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("cannot create a file in %s: %w", folder, p.Err) // its own name says nothing
	}
	if err != nil {
		return nil, err
	}
	return &Destination{Writer: f, file: f, path: path}, nil
}

// Save lets write fill the destination and gives the file its name.
func (d *Destination) Save(write func(io.Writer) error) error {
	if err := write(d.Writer); err != nil || d.file == nil {
		return err
	}
	if d.Open && d.path != "" {
		if err := d.file.Chmod(0o644); err != nil {
			return err
		}
	}
	if err := d.file.Close(); err != nil {
		return err
	}
	if d.path != "" {
		if err := os.Rename(d.file.Name(), d.path); err != nil {
			return err
		}
	}
	d.file = nil // Discard has no more file to remove
	return nil
}

// Discard removes an unsaved file.
func (d *Destination) Discard() {
	if d == nil || d.file == nil {
		return
	}
	_ = d.file.Close() // best effort: the error that matters was the first
	if d.path != "" {
		_ = os.Remove(d.file.Name())
	}
}
