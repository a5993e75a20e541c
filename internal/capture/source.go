// Package capture reads batch CSVs of esxtop as a source of facts: alone, when all but counters is unread, or beside a saved
// snapshot, whose hosts and VMs are found by name.
package capture

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source is captures as a source of audits.
type Source struct {
	Paths []string // files, packed or not, and folders of them; several are one time line
	// Beside reads the snapshot that says how hosts and VMs are configured; nil: there is none.
	Beside func(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error)
	// Again goes back for facts of the snapshot that take a call to each host; nil: nobody can be asked again.
	Again func(ctx context.Context, s *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error
	// Tell is told how far reading is, in words; nil: nobody listens.
	Tell func(string)

	spots    hotspot.Spots
	notes    []string
	from, to time.Time
}

// Read streams the captures once, and gives the snapshot with what was measured: that of the hosts in the captures, of them
// those that targets name. Headers and first samples are read before, since the rest follows from which hosts there are.
func (s *Source) Read(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	s.spots, s.notes, s.from, s.to = hotspot.Spots{}, nil, time.Time{}, time.Time{}
	files, notes, err := look(ctx, s.Paths)
	if err != nil {
		return nil, err
	}
	s.notes = notes
	e := newEstate(files)
	if err := s.ask(ctx, e, needs); err != nil {
		return nil, err
	}
	for _, f := range files {
		for _, frame := range f.first {
			e.meet(frame)
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

// Fill implements audit.Filler. Hosts of which there are counters alone are none that could be asked.
func (s *Source) Fill(ctx context.Context, snapshot *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	known := slices.DeleteFunc(slices.Clone(hosts), func(h *inventory.Host) bool { return h.Unread != "" })
	if s.Again == nil || len(known) == 0 {
		return nil
	}
	if err := s.Again(ctx, snapshot, known, needs); err != nil {
		return fmt.Errorf("reading the configuration of what is captured: %w", err)
	}
	return nil
}

var errFirstAlone = errors.New("there are first samples alone, which esxtop writes before it has measured anything: " +
	"give a capture of two samples or more, such as esxtop -b -d 5 -n 60 writes")

// finish gives objects what was measured of them.
func (s *Source) finish(e *estate, files []*file) (*inventory.Snapshot, error) {
	if s.to.IsZero() {
		return nil, &FileError{strings.Join(s.Paths, ", "), errFirstAlone}
	}
	e.snapshot.Source = sourceOf(s.Paths, e.beside)
	e.put(s.to)
	for _, f := range files {
		s.notes = append(s.notes, f.notes(len(files) > 1)...)
	}
	s.notes = append(s.notes, e.tell(files)...)
	return e.snapshot, nil
}

// sourceOf says where facts came from.
func sourceOf(paths []string, beside string) string {
	source := "capture " + filepath.Base(paths[0])
	if len(paths) > 1 {
		source = plural.Count(len(paths), "capture")
	}
	if beside != "" {
		source += " beside " + beside
	}
	return source
}

// Spots are the worst instances of each metric, of what Read read.
func (s *Source) Spots() *hotspot.Spots { return &s.spots }

// Notes are what a reader has to know: rows that were left out, hosts and VMs that the snapshot does not have.
func (s *Source) Notes() []string { return s.notes }

// Span is the time that the captures tell of.
func (s *Source) Span() (from, to time.Time) { return s.from, s.to }
