package tuning

import (
	"fmt"
	"strings"
	"time"
)

// Options are the user's approvals and limits for a run, and the user's identity.
type Options struct {
	User    string // the user and machine that run vperf, and the account at the server
	Version string // of vperf
	Reason  string
	Ticket  string
	// Window is the time of day in which steps may begin; nil is any time.
	Window *Window
	// PowerCycle allows VMs to be shut down and started, HostReboot allows maintenance mode and restarts of hosts.
	PowerCycle, HostReboot bool
	// OverrideOwner allows writes that their owner will revert, AcceptIrreversible those that cannot be undone.
	OverrideOwner, AcceptIrreversible bool
	// Hints are texts about how to allow the changes that Options forbid.
	Hints Hints
	// RollbackOnError undoes the whole run if a step fails; otherwise the run stops and keeps its changes.
	RollbackOnError bool
	// Batch is how many objects are changed between two checks of their hosts' health; 0 means 5. The first object is a
	// batch of its own.
	Batch int
	// OnProgress receives every event of the run as it happens; it may be nil.
	OnProgress func(Progress)
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	restores string // the damaged run whose values the run restores; "" if it is none
}

// Hints are appended to refusals, so that the caller can say how its user allows more; empty ones are omitted.
type Hints struct{ PowerCycle, OverrideOwner, AcceptIrreversible string }

// Progress is an event that has just happened or is beginning.
type Progress struct {
	Step   int    // 0: no step
	Target Target // zero: no target
	Text   string // for display; contains untrusted text
}

// Window is a part of every day, such as 22:00-04:00, in the local time of vperf.
type Window struct{ From, To time.Duration } // since midnight; a window with From after To includes midnight

// ParseWindow parses a window such as 22:00-04:00.
func ParseWindow(s string) (*Window, error) {
	from, to, ok := strings.Cut(s, "-")
	start, errFrom := timeOfDay(from)
	end, errTo := timeOfDay(to)
	if !ok || errFrom != nil || errTo != nil || start == end {
		return nil, fmt.Errorf("window %q: write two different times of day, such as 22:00-04:00", s)
	}
	return &Window{From: start, To: end}, nil
}

func timeOfDay(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(s))
	return sinceMidnight(t), err
}

// sinceMidnight returns the time of day that the clock shows, also on days when daylight saving time starts or ends.
func sinceMidnight(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second
}

// Contains reports whether a step may begin at t. The end is not part of the window.
func (w *Window) Contains(t time.Time) bool {
	now := sinceMidnight(t)
	if w.From <= w.To {
		return w.From <= now && now < w.To
	}
	return now >= w.From || now < w.To
}

// String formats the window as ParseWindow reads it.
func (w *Window) String() string { return clockTime(w.From) + "-" + clockTime(w.To) }

func clockTime(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60)
}
