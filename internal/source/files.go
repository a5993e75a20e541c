package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/rvtools"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
)

// FileError is an error about one of the files that facts are read from.
type FileError struct {
	Name  string // as the user typed it, or StdinName
	Cause error
}

// Error names the file.
func (e *FileError) Error() string { return e.Name + ": " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Cause }

// LoadFiles reads facts from files: saved snapshots, which may be compressed with gzip, and exports of RVTools. Several are one
// estate. A path that is Stdin is read from stdin.
func LoadFiles(ctx context.Context, paths []string, stdin io.Reader) (Saved, error) {
	all := make([]*inventory.Snapshot, 0, len(paths))
	for _, path := range paths {
		s, err := loadFile(ctx, path, stdin)
		if err != nil {
			return Saved{}, err
		}
		all = append(all, s)
	}
	merged, err := rvtools.Merge(all, paths)
	return Saved{merged}, err
}

// LoadFile reads one file of LoadFiles.
func LoadFile(ctx context.Context, path string, stdin io.Reader) (*inventory.Snapshot, error) {
	return loadFile(ctx, path, stdin)
}

func loadFile(ctx context.Context, path string, stdin io.Reader) (*inventory.Snapshot, error) {
	if path == Stdin {
		s, err := loadStream(ctx, userfile.Stream(ctx, stdin))
		if err != nil {
			return nil, &FileError{StdinName, err}
		}
		return s, nil
	}
	if rvtools.IsExport(path) {
		s, err := rvtools.Load(ctx, path)
		if err != nil {
			return nil, &FileError{path, err}
		}
		return s, nil
	}
	file, err := userfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kindOf(path), err)
	}
	defer func() { _ = file.Close() }() // it was only read
	s, err := Load(ctx, file)
	if err != nil {
		return nil, &FileError{path, err}
	}
	return s.snapshot, nil
}

// kindOf returns what a file would be by its name, where its content cannot be read.
func kindOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".xlsx", ".csv":
		return "RVTools export"
	case ".json", ".gz":
		return "snapshot"
	}
	return "snapshot or RVTools export"
}

// mostStreamed is the largest workbook that is read from a stream: it is kept in memory, because a workbook is not read in order.
const mostStreamed = 256 << 20

func loadStream(ctx context.Context, in io.Reader) (*inventory.Snapshot, error) {
	b := bufio.NewReader(in)
	if head, _ := b.Peek(8); !rvtools.IsHead(head) {
		s, err := Load(ctx, b)
		return s.snapshot, err
	}
	all, err := io.ReadAll(io.LimitReader(b, mostStreamed+1))
	if err != nil {
		return nil, err
	}
	if len(all) > mostStreamed {
		return nil, errors.New("the workbook is too large for a pipe; name it as a file")
	}
	return rvtools.LoadWorkbook(ctx, bytes.NewReader(all), int64(len(all)), StdinName, time.Time{})
}

// IsExport reports whether a path is read as an export of RVTools.
func IsExport(path string) bool { return path != Stdin && rvtools.IsExport(filepath.Clean(path)) }
