package measure

import (
	"slices"
	"time"
)

// perfTurns reads hosts one group after the other, each with all samples that it has not returned yet. A series then repeats its
// names once for the whole time instead of once per sample, which is most of an answer. By the end of a pass, all hosts had their
// turn; those that failed had another.
type perfTurns struct {
	left  []*perfHost // of this pass
	again map[*perfHost]bool
	begun bool // a group was read before in this pass
}

// more reports whether hosts of this pass have not been read yet.
func (t *perfTurns) more() bool { return len(t.left) > 0 }

// begin starts a pass, unless one is under way.
func (t *perfTurns) begin(hosts []*perfHost) {
	if t.begun = t.more(); !t.begun {
		*t = perfTurns{left: slices.Clone(hosts), again: map[*perfHost]bool{}}
	}
}

// next returns the next hosts, up to a total number of values, but at least one.
func (t *perfTurns) next(values int, of func(*perfHost) int) []*perfHost {
	n := 0
	for ; n < len(t.left); n++ {
		if values -= of(t.left[n]); values < 0 && n > 0 {
			break
		}
	}
	group := t.left[:n:n]
	t.left = t.left[n:]
	return group
}

// close ends the turn of a group. Hosts with more samples stay first. Hosts that failed come last, once.
func (t *perfTurns) close(asks []*perfAsk) {
	var unfinished []*perfHost
	for _, a := range asks {
		switch h := a.host; {
		case a.err == nil && a.more:
			unfinished = append(unfinished, h)
		case a.err != nil && !t.again[h]:
			t.again[h] = true
			t.left = append(t.left, h)
		}
	}
	t.left = append(unfinished, t.left...)
}

// valuesOf returns about how many values a host has that were not returned yet.
func (p *performance) valuesOf(h *perfHost, now time.Time) int {
	return (p.plan.host.series + len(h.vms)*p.plan.vm.series) * missingSamples(h.last, now)
}

// missingSamples returns about how many samples there are after the last one.
func missingSamples(last, now time.Time) int {
	if last.IsZero() {
		return 1
	}
	return min(max(1, int(now.Sub(last)/perfInterval)), mostSamples)
}

// mostSamples is how many samples hosts keep.
const mostSamples = int(KeptSamples/perfInterval) + 1

// nextHosts returns the hosts to read now.
func (p *performance) nextHosts() []*perfHost {
	if p.behindOnly {
		return slices.DeleteFunc(slices.Clone(p.hosts), func(h *perfHost) bool { return !h.behind })
	}
	if !p.byHost {
		return p.hosts
	}
	p.turns.begin(p.hosts)
	now := p.serverNow()
	return p.turns.next(p.atOnce, func(h *perfHost) int { return p.valuesOf(h, now) })
}
