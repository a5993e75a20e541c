package view

import (
	"cmp"
	"time"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Advice is the data that all formats of advice and the HTML report render.
type Advice struct {
	Source     string    // source of facts and counters, without credentials
	TakenAt    time.Time // the server's clock, or the end of the captures
	From, To   time.Time // period of the counters; zero without counters
	Profile    advice.Profile
	Snapshot   *inventory.Snapshot // with live counters and their tracks
	Result     *advice.Result
	Advice     *advice.Advice
	Efficiency []efficiency.Figure
	Spots      []hotspot.Spot
	Notes      []string // notes about the source
	// Rules are the evaluated rules, by id, and Version is vperf's own; only the HTML report shows them.
	Rules   []*advice.Rule
	Version string
	// Changes are the runs that changed these servers, newest first; only the HTML report shows them.
	Changes []*tuning.Run
	// Since is what changed since a kept snapshot; nil if that was not asked for. Only the HTML report shows it.
	Since *diff.Diff
	// MeasuredHere are the trials that were made of these rules, newest first.
	MeasuredHere []MeasuredHere
	Whole        bool // show complete lists
	// Captured means that the counters are from captures: their hot spots are always shown.
	Captured bool
	// Typed is the source of the invocation, which the commands repeat.
	Typed typed.Source
	// Replayed means that the counters are a replay of the demo fleet's past, not a live measurement.
	Replayed bool
}

// ProfileName returns the requested profile, or auto.
func (a Advice) ProfileName() string { return cmp.Or(string(a.Profile), "auto") }

// Measured reports whether there are counters.
func (a Advice) Measured() bool { return !a.From.IsZero() && a.To.After(a.From) }

// ReplayNote returns the note that the measurement is a replay, to append to its time, or "".
func (a Advice) ReplayNote() string {
	if !a.Replayed || !a.Measured() {
		return ""
	}
	return " (replayed from the demo fleet's last hour, not watched live)"
}

// Held returns the number of rules that were evaluated against at least one object.
func (a Advice) Held() int {
	n := 0
	for _, c := range a.Result.Rules {
		if c.Checked > c.Skipped {
			n++
		}
	}
	return n
}

// NothingWrong reports whether there are no recommendations and no unexplained symptoms. Some data may still be
// unread.
func (a Advice) NothingWrong() bool {
	return len(a.Advice.Recommendations)+len(a.Advice.Unexplained) == 0 && a.Held() > 0
}
