// Package userfile reads files that the user names, each up to a limit, and has the error for mistakes in them.
package userfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Error is a mistake in a file that the user named, or in its name.
type Error struct{ err error }

// Errorf makes an Error, as fmt.Errorf makes errors.
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }

// Kind is a kind of file.
type Kind struct {
	Name  string // such as "a baseline"
	Limit int64  // of its size, decompressed, in bytes
	Try   string // what to do with a larger one
}

// SizeError reports a file above the limit of its kind. Callers add its name.
type SizeError struct{ Kind Kind }

func (e *SizeError) Error() string {
	return fmt.Sprintf("it is larger than %s, the limit of %s: %s", size(e.Kind.Limit), e.Kind.Name, e.Kind.Try)
}

func size(n int64) string {
	const mebi, gibi = 1 << 20, 1 << 30
	switch {
	case n >= gibi:
		return fmt.Sprintf("%d GiB", n/gibi)
	case n >= mebi:
		return fmt.Sprintf("%d MiB", n/mebi)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// Read reads a regular file of text in UTF-8.
func (k Kind) Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return k.ReadOpen(f, path)
}

// ReadOpen reads an open file of text in UTF-8. Errors have its path.
func (k Kind) ReadOpen(f fs.File, path string) ([]byte, error) {
	text, err := io.ReadAll(Text(k.Bound(f)))
	switch err.(type) { //nolint:errorlint // they come from Text and Bound, unwrapped
	case *SizeError, *Error:
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return text, err
}

// Bound limits a reader: beyond the limit, its error is a SizeError. A file that is too large is not read at all.
func (k Kind) Bound(r io.Reader) io.Reader {
	left := k.Limit
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > k.Limit {
			left = -1
		}
	}
	return &bounded{from: r, left: left, kind: k}
}

type bounded struct {
	from io.Reader
	left int64 // bytes; negative: the limit is exceeded
	kind Kind
}

// Read implements io.Reader. It reads one byte more than the limit to tell a file of exactly that size from a larger one.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, &SizeError{b.kind}
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, &SizeError{b.kind}
	}
	return n, err
}

// FS limits the files of a tree.
func (k Kind) FS(tree fs.FS) fs.FS { return boundedTree{tree, k} }

// Folder is the tree of a folder, whose files are opened as Open does.
func (k Kind) Folder(path string) fs.FS { return k.FS(folder{os.DirFS(path), path}) }

type folder struct {
	fs.FS

	path string
}

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(f.FS, name); err != nil || info.IsDir() {
		return f.FS.Open(name)
	}
	return Open(filepath.Join(f.path, filepath.FromSlash(name)))
}

type boundedTree struct {
	fs.FS

	kind Kind
}

// ReadFile implements fs.ReadFileFS, so that no reader makes room for a whole file first.
func (t boundedTree) ReadFile(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return t.kind.ReadOpen(f, name)
}

// Stat implements fs.StatFS as the tree does.
func (t boundedTree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

// ReadDir implements fs.ReadDirFS as the tree does.
func (t boundedTree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.FS, name) }
