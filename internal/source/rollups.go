package source

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/internal/vsphere/measure"
)

type (
	// Rollups are the averages that a server keeps longer than samples.
	Rollups = measure.Rollups
	// RollupInterval is an interval of them.
	RollupInterval = measure.RollupInterval
	// RollupQuery selects rollups.
	RollupQuery = measure.RollupQuery
	// RollupFigure is a figure that rollups are read for.
	RollupFigure = measure.RollupFigure
)

// Rollups reads which rollups the server keeps, and which hosts and VMs it has.
func (s *Server) Rollups(ctx context.Context) (*Rollups, *Roster, error) {
	roster, err := ReadRoster(ctx, s.Session)
	if err != nil {
		return nil, nil, err
	}
	r, err := measure.ReadRollups(ctx, roster.Roster)
	if err != nil {
		return nil, nil, fmt.Errorf("reading rollups: %w", err)
	}
	return r, roster, nil
}
