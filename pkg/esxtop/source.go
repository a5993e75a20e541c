package esxtop

import (
	"context"
	"time"
)

// Source returns frames, in rounds. The Esxtop service, the PerformanceManager and captures all implement it.
type Source interface {
	// Next waits for the next round. It returns io.EOF after the last one of a capture. A host that does not respond is
	// not an error: the round lists it as trouble.
	Next(ctx context.Context) (*Round, error)
	// Configure changes the content of the next rounds. It may be called while Next waits.
	Configure(Request)
	// About describes the source in its current state.
	About() About
	// Close frees resources on servers. Later calls do nothing.
	Close(ctx context.Context) error
}

// Request configures a source.
type Request struct {
	Interval time.Duration // frames may omit others
	Objects  Objects       // others may be left out of frames
	Figures  *MetricSet    // others may be left out of rows; nil: all. It must not change
}

// Round is the data of one interval.
type Round struct {
	Time     time.Time // when the round ended, by the hosts' clocks: the latest of its frames
	Frames   []*Frame  // of the hosts that have a new one, by name
	Troubles []Trouble // of the others
	Past     bool      // it was kept by the source from before the start
	More     bool      // rounds follow that are ready, also of other hosts for the same time
}

// Trouble says why a host is not in a round.
type Trouble struct {
	Host  string
	MoID  string    // of the host; empty in captures
	Since time.Time // of the last frame by the local clock; zero: there was none yet
	Err   error     // nil: its newest samples have not been read yet
}

// About describes a source.
type About struct {
	Origin   Origin
	Hosts    []string
	Interval time.Duration // between rounds, after adjustment by the source
	Note     string        // why this source is used, or what it does not provide; shown once
}

// Seeker is a source that can go back, such as a capture.
type Seeker interface {
	Source
	// Seek makes the next round the one with that number, counted from 0. Past the end, it is the last one.
	Seek(n int) error
	// Position returns the number of the next round, and the number of rounds; total is -1 until the end was reached.
	Position() (next, total int)
}
