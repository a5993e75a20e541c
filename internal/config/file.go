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
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
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

// unknown makes the error for a name that is not there.
func (f *File) unknown(name string) error {
	return &UnknownContextError{Name: name, Near: inventory.Near(name, f.Names()), File: f.Path, None: len(f.Contexts) == 0}
}

// Exporter is what the config file says of vperf exporter: its targets, and how they are sampled unless they say otherwise.
type Exporter struct {
	Sampling
	Targets []ExporterTarget
}

// ExporterTarget is a server that is sampled.
type ExporterTarget struct {
	Sampling
	Name    string // what scrapes ask for; the context's where the file gives none
	Context string // the server
}

// Sampling is how a target is sampled. What is zero is not said: the exporter's own default counts.
type Sampling struct {
	Modules          []Word
	Include, Exclude []Match
	MaxSeries        int
	Stale            time.Duration
	SurveyEvery      time.Duration
	History          time.Duration
	TagCategories    []string
	EsxtopHosts      []string
	Rules            []Word // ids; none: all
	RuleFiles        []Word
	Profile          advice.Profile
}

// Match is a pattern of objects, by name, by path in the inventory, by tag as CATEGORY:NAME. What is empty matches all.
type Match struct{ Name, Path, Tag string }
