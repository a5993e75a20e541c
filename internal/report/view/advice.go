package view

import (
	"cmp"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Advice is what all formats of advice, and the HTML report, render.
type Advice struct {
	Source     string    // where facts and counters came from, without credentials
	TakenAt    time.Time // the server's clock, or the end of the captures
	From, To   time.Time // of the counters; zero: nothing was measured
	Profile    advice.Profile
	Snapshot   *inventory.Snapshot // with live counters and their tracks
	Result     *advice.Result
	Advice     *advice.Advice
	Efficiency []efficiency.Figure
	Spots      []hotspot.Spot
	Notes      []string // of the source: what a reader has to know
	// Rules are those that were held, by id, and Version is vperf's own; only the HTML report shows them.
	Rules   []*advice.Rule
	Version string
	// Changes are the runs that changed these servers, newest first; only the HTML report shows them.
	Changes []*tuning.Run
	Whole   bool // show lists whole
	// Captured says that the counters are of captures: their hot spots are told always.
	Captured bool
	// Replayed says that the counters are a replay of the demo fleet's past, which took no time to watch.
	Replayed bool
}

// ProfileName is the profile asked for, or auto.
func (a Advice) ProfileName() string { return cmp.Or(string(a.Profile), "auto") }

// Measured reports whether there are counters.
func (a Advice) Measured() bool { return !a.From.IsZero() && a.To.After(a.From) }

// ReplayNote says behind the time of the measurement that nobody watched it; "" where somebody did.
func (a Advice) ReplayNote() string {
	if !a.Replayed || !a.Measured() {
		return ""
	}
	return " (replayed from the demo fleet's last hour, not watched live)"
}

// Held is how many rules were held against something: a rule that is not meant for anything there says nothing of it.
func (a Advice) Held() int {
	n := 0
	for _, c := range a.Result.Rules {
		if c.Checked > c.Skipped {
			n++
		}
	}
	return n
}

// NothingWrong reports that nothing is to be done and nothing shows that is not explained. It does not say that everything
// was seen.
func (a Advice) NothingWrong() bool {
	return len(a.Advice.Recommendations)+len(a.Advice.Unexplained) == 0 && a.Held() > 0
}
