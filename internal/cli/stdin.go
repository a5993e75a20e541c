package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
)

// stdinName is what people write for standard input where a file is wanted.
const stdinName = "-"

// stdinFile is what standard input is called in words.
const stdinFile = "standard input"

// oneReader refuses standard input for two things: what one has read the other has not. uses are flags and their values.
func oneReader(uses ...[2]string) error {
	var all []string
	for _, u := range uses {
		if u[1] == stdinName {
			all = append(all, u[0]+" "+stdinName)
		}
	}
	if len(all) > 1 {
		return fmt.Errorf("%s: standard input can be read once; give the others as files", strings.Join(all, " and "))
	}
	return nil
}

// piped refuses a terminal as a file: nobody types a capture, and a program that waits without a word looks as if it hung.
func piped(streams *iostreams.IO, flag string) error {
	if !streams.InTTY() {
		return nil
	}
	return fmt.Errorf("%s %s: standard input is a terminal; pipe a file into vperf, or name it: %s FILE", flag, stdinName, flag)
}

// spool puts what cannot go back, as a capture is read twice, into a file that can, packed as it is. It is called as standard
// input is, in a folder of its own that remove takes away.
func spool(ctx context.Context, in io.Reader) (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "vperf-capture-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	path = filepath.Join(folder, stdinFile)
	done := make(chan error, 1)
	go func() { done <- copyTo(path, in) }() // a pipe in which nothing moves holds up no Ctrl-C
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("reading %s into a file of %s: %w", stdinFile, os.TempDir(), err)
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
