package esxtop

import (
	"context"
	"time"
)

// Source gives frames, in rounds: the Esxtop service, the PerformanceManager and captures look the same from here.
type Source interface {
	// Next waits for the next round. It ends with io.EOF after the last one of a capture. A host that does not answer
	// is no error: the round goes without it and says so.
	Next(ctx context.Context) (*Round, error)
	// Ask changes what the next rounds are to tell. It may be called while Next waits.
	Ask(Request)
	// About tells what the source is, as it is now.
	About() About
	// Close frees what servers keep for us. Calls after the first do nothing.
	Close(ctx context.Context) error
}

// Request is what a source is asked for.
type Request struct {
	Interval time.Duration // between rounds; a source raises what is too short for it
	Objects  Objects       // others may be left out of frames
}

// Round is what there is after an interval.
type Round struct {
	Time     time.Time // when the round ended, by the hosts' clocks: the latest of its frames
	Frames   []*Frame  // of the hosts that have a new one, by name
	Troubles []Trouble // of the others
	Past     bool      // it was kept by the source from before the start
}

// Trouble is why a host is not in a round.
type Trouble struct {
	Host  string
	MoID  string    // of the host; empty in captures
	Since time.Time // of the last frame by our clock; zero: there was none yet
	Err   error     // nil: it has not answered yet
}

// About is what a source says of itself.
type About struct {
	Origin   Origin
	Hosts    []string
	Interval time.Duration // between rounds, after what the source made of the request
	Note     string        // why it is this source, or what it lacks; said once
}

// Seeker is a source that can go back, as captures do.
type Seeker interface {
	Source
	// Seek makes the next round the one with that number, counted from 0. Past the end it is the last one.
	Seek(n int) error
	// Position is the number of the round that Next gives next, and how many there are; total is -1 until the end was seen.
	Position() (next, total int)
}
