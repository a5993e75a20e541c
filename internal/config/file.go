package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
)

// File is the config file: contexts, which of them is current, which objects have which profile, which are never changed,
// and what the exporter samples.
type File struct {
	Path     string
	Current  string
	Contexts []*Context
	Profiles []advice.Assignment
	Protect  []string // patterns of names of objects that are never changed
	// IncludeVMs are the VMs that do not run and are judged by every rule.
	IncludeVMs []advice.VMState
	Exporter   Exporter

	// doc is the file as it was written, so that editing it keeps what people put there, comments too.
	doc *yaml.Node
}

// Path is where the config file is: $VPERF_CONFIG, or vperf/config.yaml below $XDG_CONFIG_HOME or ~/.config.
func Path() (string, error) {
	if p := os.Getenv("VPERF_CONFIG"); p != "" {
		return filepath.Abs(p)
	}
	// The XDG specification has relative paths ignored.
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("looking for the config file: %w; name it in VPERF_CONFIG", err)
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "vperf", "config.yaml"), nil
}

// Load reads the config file; one that does not exist is empty. A file that others may write is refused: it names a
// server that a password is sent to, and a command that is run.
func Load() (*File, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	text, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return &File{Path: path}, nil
	}
	return parse(path, text)
}

// readConfig is the text of the file; nil where there is none.
func readConfig(path string) ([]byte, error) {
	text, err := readOwn(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the config file: %w", err)
	}
	return text, nil
}

const othersMayWrite = 0o022

// readOwn asks the open file for its mode, so that it is the file that was checked which is read.
func readOwn(path string) ([]byte, error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && runtime.GOOS != "windows" && info.Mode().Perm()&othersMayWrite != 0 {
		return nil, fmt.Errorf("%s may be written by others (mode %04o): check what it says, then chmod go-w %s", path, info.Mode().Perm(), path)
	}
	return io.ReadAll(file)
}

// Exists reports whether there is a file.
func (f *File) Exists() bool { return f.doc != nil }

// Names lists the contexts in the file's order.
func (f *File) Names() []string {
	names := make([]string, len(f.Contexts))
	for i, c := range f.Contexts {
		names[i] = c.Name
	}
	return names
}

// Find is the context of that name, or an UnknownContextError.
func (f *File) Find(name string) (*Context, error) {
	i := slices.IndexFunc(f.Contexts, func(c *Context) bool { return c.Name == name })
	if i < 0 {
		return nil, f.unknown(name)
	}
	return f.Contexts[i], nil
}
