// Package capture reads batch CSVs of esxtop as a source of facts: alone, with all facts other than counters unread, or
// together with a saved snapshot, whose hosts and VMs are found by name.
package capture

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source reads captures for audits.
type Source struct {
	Paths []string // files, compressed or not, and folders; several form one time line
	// ReadConfiguration reads the snapshot with the configuration of hosts and VMs; nil: there is none.
	ReadConfiguration func(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error)
	// ReadPerHost reads facts of the snapshot that need a call to each host; nil: this is not possible.
	ReadPerHost func(ctx context.Context, s *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error
	// OnProgress receives progress texts; it may be nil.
	OnProgress func(string)

	spots    hotspot.Spots
	notes    []string
	from, to time.Time
}

// Fill implements audit.Filler. It skips hosts of which only counters are known.
func (s *Source) Fill(ctx context.Context, snapshot *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	known := slices.DeleteFunc(slices.Clone(hosts), func(h *inventory.Host) bool { return h.Unread != "" })
	if s.ReadPerHost == nil || len(known) == 0 {
		return nil
	}
	if err := s.ReadPerHost(ctx, snapshot, known, needs); err != nil {
		return fmt.Errorf("reading the configuration of the captured hosts: %w", err)
	}
	return nil
}

// Spots returns the worst instances of each metric found by Read.
func (s *Source) Spots() *hotspot.Spots { return &s.spots }

// Notes returns notes for the reader: skipped rows, and hosts and VMs that the snapshot does not have.
func (s *Source) Notes() []string { return s.notes }

// Span returns the period that the captures cover.
func (s *Source) Span() (from, to time.Time) { return s.from, s.to }
