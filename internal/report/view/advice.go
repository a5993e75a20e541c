package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// AdviceSchema is the version of the JSON form of advice.
const AdviceSchema = "vperf.advice/v1"

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
}

// ProfileName is the profile asked for, or auto.
func (a Advice) ProfileName() string { return cmp.Or(string(a.Profile), "auto") }

// measured reports whether there are counters.
func (a Advice) measured() bool { return !a.From.IsZero() && a.To.After(a.From) }

// Showing are the things to do of which something shows in the counters now.
func (a Advice) Showing() []*advice.Recommendation { return a.recommended(true) }

// Latent are the things that are wrong in the configuration, while nothing shows of them now.
func (a Advice) Latent() []*advice.Recommendation { return a.recommended(false) }

func (a Advice) recommended(showing bool) []*advice.Recommendation {
	return slices.DeleteFunc(slices.Clone(a.Advice.Recommendations), func(r *advice.Recommendation) bool {
		return (len(r.Diagnoses) > 0) != showing
	})
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
