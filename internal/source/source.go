// Package source composes facts and counters from where they are: one server, several servers, a saved snapshot, captures of
// esxtop. Commands and the exporter read through it. It knows no flags and no config file.
package source

import (
	"context"
	"errors"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/tuning"
)

// Source provides facts. Servers provide counters too: they are audit.Measurer and audit.Filler.
type Source interface {
	audit.Source
	// Watch sets how counters are watched.
	Watch(Watch)
	// Servers identifies the servers that are read. A saved snapshot has none.
	Servers(context.Context) []tuning.Server
	// Close ends sessions.
	Close()
}

// ErrInterrupted means that the user ended the command before there was a result.
var ErrInterrupted = errors.New("interrupted")

// CounterSource is where counters are to come from.
type CounterSource = measure.CounterSource

// Sources of counters.
const (
	CountersAuto        = measure.CountersAuto        // whichever fits
	CountersEsxtop      = measure.CountersEsxtop      // the Esxtop service of the hosts: everything, from two seconds on
	CountersPerformance = measure.CountersPerformance // the PerformanceManager: less, every 20 seconds
)

// Replay is the clock of a server whose past is replayed.
type Replay = measure.Replay

// Watch configures how counters are watched. The zero value is for an audit.
type Watch struct {
	From   CounterSource
	Local  bool                // the server runs on this machine
	Frames func(*esxtop.Frame) // optional: also gets the frames, with the figures of hot spots, of several servers concurrently
	Replay Replay              // moves the server's clock instead of waiting; nil: the clock runs by itself
	Note   func(string)        // gets notes about the counters, of several servers concurrently; nil: notes are warnings
}
