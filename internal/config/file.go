package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// File is the config file: contexts, the current context, profiles of objects, protected objects, and the targets of
// the exporter.
type File struct {
	Path     string
	Current  string
	Contexts []*Context
	Profiles []advice.Assignment
	Protect  []string // patterns of names of objects that must not be changed
	// IncludeVMs are the states of VMs that every rule evaluates although they are not running.
	IncludeVMs []advice.VMState
	Exporter   Exporter

	// doc is the file as it was written, so that editing it keeps comments and unknown content.
	doc *yaml.Node
}

// readConfig returns the text of the file; nil if there is no file.
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

// readOwn checks the mode of the open file, so that the checked file is the one that is read.
func readOwn(path string) ([]byte, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := userfile.Allows(path, info, userfile.OthersWrite); err != nil {
		return nil, err
	}
	return userfile.Config.ReadOpen(file, path)
}

// Exists reports whether the file exists.
func (f *File) Exists() bool { return f.doc != nil }

// Names lists the contexts in the file's order.
func (f *File) Names() []string {
	names := make([]string, len(f.Contexts))
	for i, c := range f.Contexts {
		names[i] = c.Name
	}
	return names
}

// Find returns the context with that name, or an UnknownContextError.
func (f *File) Find(name string) (*Context, error) {
	i := slices.IndexFunc(f.Contexts, func(c *Context) bool { return c.Name == name })
	if i < 0 {
		return nil, f.unknown(name)
	}
	return f.Contexts[i], nil
}

// unknown returns the error for an unknown name.
func (f *File) unknown(name string) error {
	return &UnknownContextError{Name: name, Near: inventory.Near(name, f.Names()), File: f.Path, None: len(f.Contexts) == 0}
}

// Exporter is the section for vperf exporter: its targets, and the defaults for their sampling.
type Exporter struct {
	Sampling
	Targets []ExporterTarget
}

// ExporterTarget is a server that is sampled.
type ExporterTarget struct {
	Sampling
	Name    string // the name in scrapes; by default that of the context
	Context string // the server
}

// Sampling says how a target is sampled. Zero fields are not set: the exporter's defaults apply.
type Sampling struct {
	Modules          []Word
	Include, Exclude []Match
	MaxSeries        int
	Stale            time.Duration
	SurveyEvery      time.Duration
	History          time.Duration
	TagCategories    []string
	CustomAttributes []string
	IncludeMetrics   []string // patterns of names
	ExcludeMetrics   []string
	EsxtopHosts      []string
	Rules            []Word // ids; none: all
	RuleFiles        []Word
	Profile          advice.Profile
}

// Match is a pattern of objects, by name, by inventory path, or by tag as CATEGORY:NAME. Empty fields match all.
type Match struct{ Name, Path, Tag string }
