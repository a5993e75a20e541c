// Package capture reads batch CSVs of esxtop as a source of facts: alone, when all but counters is unread, or beside a saved
// snapshot, whose hosts and VMs are found by name.
package capture

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
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

// Spots are the worst instances of each metric, of what Read read.
func (s *Source) Spots() *hotspot.Spots { return &s.spots }

// Notes are what a reader has to know: rows that were left out, hosts and VMs that the snapshot does not have.
func (s *Source) Notes() []string { return s.notes }

// Span is the time that the captures tell of.
func (s *Source) Span() (from, to time.Time) { return s.from, s.to }
