package capture

import (
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/esxtop"
)

// pace is the interval between samples of a capture.
type pace struct {
	recent []time.Duration // the last few
}

const (
	paceOf   = 5 // samples
	gapTimes = 4 // as far apart as is usual
	leastGap = time.Minute
)

// usual returns the usual interval between samples; 0: unknown.
func (p *pace) usual() time.Duration {
	if len(p.recent) < paceOf/2+1 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.recent))
	return sorted[len(sorted)/2]
}

// count adds a round. A round that comes much later than usual counts for the usual interval only: esxtop was stopped
// for a while, or the clock was set forward, which cannot be distinguished.
func (p *pace) count(r *esxtop.Round) {
	for i, f := range r.Frames {
		if f.Interval <= 0 {
			return
		}
		usual := p.usual()
		if i == 0 {
			if p.recent = append(p.recent, f.Interval); len(p.recent) > paceOf {
				p.recent = p.recent[1:]
			}
		}
		if usual > 0 && f.Interval > max(gapTimes*usual, leastGap) {
			f.Interval = usual
		}
	}
}

// gap is a period without samples of a host.
type gap struct {
	from, to time.Time
}

func (g gap) duration() time.Duration { return g.to.Sub(g.from) }

// gaps are the gaps of a host.
type gaps struct {
	n       int
	all     time.Duration
	longest gap
	usual   time.Duration // between samples, before the gap
}

// check finds a gap between the last frame and f.
func (g *gaps) check(last time.Time, f *esxtop.Frame) {
	if f.Interval > 0 {
		g.usual = f.Interval
	}
	between := gap{last, f.Time.Add(-f.Interval)}
	if last.IsZero() || g.usual <= 0 || between.duration() <= max(gapTimes*g.usual, leastGap) {
		return
	}
	g.n++
	g.all += between.duration()
	if between.duration() > g.longest.duration() {
		g.longest = between
	}
}

// mostGaps is the maximum number of hosts with a note of their own.
const mostGaps = 3

// note returns a note about one host; empty if it has no gaps.
func (g *gaps) note(host string) string {
	if g.n == 0 {
		return ""
	}
	const layout = "2006-01-02 15:04:05"
	s := fmt.Sprintf("%s: no samples for %s in %s", host, g.all.Round(time.Second), plural.Count(g.n, "gap"))
	if g.n > 1 {
		s += ", the longest"
	}
	return s + fmt.Sprintf(" from %s to %s", g.longest.from.UTC().Format(layout), g.longest.to.UTC().Format(layout))
}
