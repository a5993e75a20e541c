package capture

import (
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/esxtop"
)

// pace is how far the samples of a capture are apart.
type pace struct {
	recent []time.Duration // the last few
}

const (
	paceOf   = 5 // samples
	gapTimes = 4 // as far apart as is usual
	leastGap = time.Minute
)

// usual is how far samples are apart; 0: nobody knows yet.
func (p *pace) usual() time.Duration {
	if len(p.recent) < paceOf/2+1 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.recent))
	return sorted[len(sorted)/2]
}

// count takes a round. One that comes much later than others stands for no more time than they: esxtop was stopped for a while,
// or the clock was set forward, which nobody can tell apart.
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

// gap is a time of which the captures of a host say nothing.
type gap struct {
	from, to time.Time
}

func (g gap) long() time.Duration { return g.to.Sub(g.from) }

// gaps are those of a host.
type gaps struct {
	n       int
	all     time.Duration
	longest gap
	usual   time.Duration // between samples, before the gap
}

// look finds a gap before a frame, behind the last one.
func (g *gaps) look(last time.Time, f *esxtop.Frame) {
	if f.Interval > 0 {
		g.usual = f.Interval
	}
	between := gap{last, f.Time.Add(-f.Interval)}
	if last.IsZero() || g.usual <= 0 || between.long() <= max(gapTimes*g.usual, leastGap) {
		return
	}
	g.n++
	g.all += between.long()
	if between.long() > g.longest.long() {
		g.longest = between
	}
}

// mostGaps is how many hosts are told of by themselves.
const mostGaps = 3

// tell says it of one host; empty: there are none.
func (g *gaps) tell(host string) string {
	if g.n == 0 {
		return ""
	}
	const layout = "2006-01-02 15:04:05"
	s := fmt.Sprintf("%s: nothing is told of %s in %s", host, g.all.Round(time.Second), plural.Count(g.n, "gap"))
	if g.n > 1 {
		s += ", the longest"
	}
	return s + fmt.Sprintf(" from %s to %s", g.longest.from.UTC().Format(layout), g.longest.to.UTC().Format(layout))
}
