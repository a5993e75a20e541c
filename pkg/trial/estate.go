package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Estate is the outside world of a trial.
type Estate struct {
	Switch  Switch
	Samples Samples
	Events  Events // nil: none are heard
}

// Switch makes and reverts the change.
type Switch interface {
	// Set brings the change into force on the units with true, and reverts it on the others. It returns after the
	// values were read back; at is that moment by the clock of the samples. A [*ForeignError] means that somebody
	// else changed a setting.
	Set(ctx context.Context, treated []bool) (at time.Time, err error)
}

// Samples returns rounds of frames; every [esxtop.Source] does.
type Samples interface {
	Next(ctx context.Context) (*esxtop.Round, error)
}

// Events returns what happened to the units.
type Events interface {
	// Since returns events later than a moment, by the clock of the samples. It may return one again.
	Since(ctx context.Context, after time.Time) ([]Event, error)
}

// EventKind says what an event does to a trial.
type EventKind string

// Kinds of events.
const (
	// Contaminates: its block and the other one of the pair do not count. A vMotion, an action of DRS or HA, a
	// snapshot or backup, maintenance mode, a new alarm.
	Contaminates EventKind = "contaminates"
	// Stops: the trial ends. A host disconnects, a red alarm, a dead path, an uplink down, a VM reset.
	Stops EventKind = "stops"
)

// Event is something that happened to units.
type Event struct {
	Time  time.Time `json:"time"`
	Units []int     `json:"units,omitempty"` // by index; empty: all
	Kind  EventKind `json:"kind"`
	Text  string    `json:"text"`
}

// ForeignError reports that somebody else changed a setting of the trial while it ran.
type ForeignError struct {
	Unit string // its name; empty: Text has it
	Text string // which setting, and what it is now
}

// Error says who and what.
func (e *ForeignError) Error() string {
	if e.Unit == "" {
		return e.Text
	}
	return fmt.Sprintf("somebody else changed a setting of %s: %s", e.Unit, e.Text)
}
