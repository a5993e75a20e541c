package capture

import (
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// minutes counts samples whose times have no seconds, as in files saved by Excel. The number of samples in a minute
// gives the interval in the next one. The first minute may be incomplete, so intervals are known only from the third
// minute on.
type minutes struct {
	minute time.Time // that samples are of now
	n      int       // of them
	before int       // of the previous minute, which was complete; 0: unknown
	at     time.Time // of the sample before, as counted
	whole  bool      // this minute is complete
	spread bool      // times were computed from counts
}

// count sets the time and the interval of a round from its position in its minute.
func (m *minutes) count(r *esxtop.Round) {
	if !r.Time.Equal(r.Time.Truncate(time.Minute)) || slices.ContainsFunc(r.Frames, func(f *esxtop.Frame) bool { return f.Interval > 0 }) {
		*m = minutes{spread: m.spread}
		return
	}
	switch gone := r.Time.Sub(m.minute); {
	case m.minute.IsZero() || gone < 0:
		m.n, m.before, m.whole = 0, 0, false
	case gone == time.Minute:
		m.before = 0
		if m.whole {
			m.before = m.n
		}
		m.n, m.whole = 0, true
	case gone > time.Minute:
		m.n, m.before, m.whole = 0, 0, true
	}
	m.minute = r.Time
	m.n++
	if m.before == 0 {
		return
	}
	m.spread = true
	interval := time.Minute / time.Duration(m.before)
	m.at = within(m.at.Add(interval), m.minute, m.minute.Add(time.Minute))
	for _, f := range r.Frames {
		f.Time, f.Interval = m.at, interval
	}
}

// within limits t to the range between two times.
func within(t, from, to time.Time) time.Time {
	switch {
	case t.Before(from):
		return from
	case t.After(to):
		return to
	}
	return t
}

// amend changes the report about times without seconds.
func (m *minutes) amend(report []string) []string {
	const lacking = "times have no seconds: intervals are not known"
	for i, line := range report {
		if line == lacking && m.spread {
			report[i] = strings.Replace(line, "intervals are not known", "samples were counted by minute, those of the first two minutes are skipped", 1)
		}
	}
	return report
}
