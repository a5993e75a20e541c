package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
)

// Stdin is the file name that means standard input, and StdinName is its name in messages.
const (
	Stdin     = "-"
	StdinName = "standard input"
)

// Captures are files of esxtop's batch CSV. Standard input is copied to a temporary file, since a capture is read twice.
type Captures struct {
	Paths []string

	spooled string
	remove  func()
}

// OpenCaptures makes standard input a file, if it is among the paths.
func OpenCaptures(ctx context.Context, stdin io.Reader, paths []string) (*Captures, error) {
	c := &Captures{Paths: paths, remove: func() {}}
	i := slices.Index(paths, Stdin)
	if i < 0 {
		return c, nil
	}
	var err error
	if c.spooled, c.remove, err = spool(ctx, stdin); err != nil {
		return nil, err
	}
	c.Paths = slices.Clone(paths)
	c.Paths[i] = c.spooled
	return c, nil
}

// Replay opens the captures as one time line, which closes them.
func (c *Captures) Replay(r esxtop.Request) (*Counters, error) {
	source, err := batch.OpenReplay(c.Paths...)
	if err != nil {
		c.Close()
		if c.spooled != "" {
			err = errors.New(c.Named(err.Error()))
		}
		return nil, err
	}
	source.Configure(r)
	return &Counters{Source: source, close: func() {
		_ = source.Close(context.Background())
		c.Close()
	}}, nil
}

// Named replaces file names in text with those that the user typed.
func (c *Captures) Named(text string) string {
	if c.spooled == "" {
		return text
	}
	return strings.ReplaceAll(text, c.spooled, StdinName)
}

// Close removes temporary files.
func (c *Captures) Close() { c.remove() }

// spool copies a stream that cannot seek into a file, still compressed, because a capture is read twice. The file has the
// name of standard input, in its own folder; remove deletes both.
func spool(ctx context.Context, in io.Reader) (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "vperf-capture-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	path = filepath.Join(folder, StdinName)
	done := make(chan error, 1)
	go func() { done <- copyTo(path, in) }() // a pipe in which nothing moves holds up no Ctrl-C
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("reading %s into a file of %s: %w", StdinName, os.TempDir(), err)
	}
	return path, remove, nil
}

func copyTo(path string, in io.Reader) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close())
}
