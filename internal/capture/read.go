package capture

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
)

// Read streams the captures once, and returns a snapshot with their measurements: that of the hosts in the captures,
// limited to the targets. It reads headers and first samples before, because everything else depends on which hosts
// there are.
func (s *Source) Read(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	s.spots, s.notes, s.from, s.to = hotspot.Spots{}, nil, time.Time{}, time.Time{}
	files, notes, err := findFiles(ctx, s.Paths)
	if err != nil {
		return nil, err
	}
	s.notes = notes
	e := newEstate(files)
	if err := s.readConfiguration(ctx, e, needs); err != nil {
		return nil, err
	}
	for _, f := range files {
		for _, frame := range f.first {
			e.hostOf(frame)
		}
		f.first = nil
	}
	if err := e.narrow(targets); err != nil {
		return nil, err
	}
	if err := s.stream(ctx, e, files); err != nil {
		return nil, err
	}
	return s.finish(e, files)
}

// finish stores the measurements in the objects.
func (s *Source) finish(e *estate, files []*file) (*inventory.Snapshot, error) {
	if s.to.IsZero() {
		return nil, &FileError{strings.Join(s.Paths, ", "), errOnlyFirstSamples}
	}
	e.snapshot.Source = sourceOf(s.Paths, e.configSource)
	e.store(s.to)
	for _, f := range files {
		s.notes = append(s.notes, f.notes(len(files) > 1)...)
	}
	s.notes = append(s.notes, e.hostNotes(files)...)
	return e.snapshot, nil
}

var errOnlyFirstSamples = errors.New("there are only first samples, which esxtop writes before it measures: " +
	"use a capture with at least two samples, such as esxtop -b -d 5 -n 60 writes")

// sourceOf describes where facts came from.
func sourceOf(paths []string, configSource string) string {
	source := "capture " + filepath.Base(paths[0])
	if len(paths) > 1 {
		source = plural.Count(len(paths), "capture")
	}
	if configSource != "" {
		source += " beside " + configSource
	}
	return source
}
