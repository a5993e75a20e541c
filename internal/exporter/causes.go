package exporter

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// causes are the reasons that samples are missed for now.
type causes struct {
	lasting map[string]*cause
	missed  map[string]uint64 // after the last round
}

type cause struct {
	since, last time.Time
	missed      uint64 // before
}

// causeEnds is how long a cause has to be absent to be over.
const causeEnds = 3 * interval

// noteCauses logs why samples are missed: one line for each reason when that begins, and one with the total when it is over. VMs
// that move and hosts that are known to be down are no news.
func (t *Target) noteCauses(r *esxtop.Round, here present, missed map[string]uint64, moved []string) {
	words, now := map[string]string{}, t.clock()
	add := func(reason, text string) {
		if _, there := words[reason]; !there {
			words[reason] = text
		}
	}
	if len(moved) > 0 {
		add("clock", "the clocks of hosts were set: "+strings.Join(moved[:min(len(moved), 3)], ", "))
	}
	for _, trouble := range r.Troubles {
		if trouble.Err != nil && !here.down(trouble.MoID) {
			add(session.MissReason(trouble.Err), trouble.Host+": "+trouble.Err.Error())
		}
	}
	for reason, n := range missed {
		if before, known := t.causes.missed[reason]; known && n > before && reason != "moved" && reason != session.ReasonHostDown {
			add(reason, fmt.Sprintf("%d samples", n-before))
		}
	}
	if t.causes.lasting == nil {
		t.causes.lasting = map[string]*cause{}
	}
	for reason, text := range words {
		c := t.causes.lasting[reason]
		if c == nil {
			c = &cause{since: now, missed: t.causes.missed[reason]}
			t.causes.lasting[reason] = c
			t.trace.warn("samples are missing (%s): %s", reason, text)
		}
		c.last = now
	}
	for reason, c := range t.causes.lasting {
		if now.Sub(c.last) > causeEnds {
			delete(t.causes.lasting, reason)
			t.trace.note(slog.LevelInfo, "no more samples are missing (%s): %d in %s", reason, missed[reason]-c.missed, c.last.Sub(c.since).Round(time.Second))
		}
	}
	t.causes.missed = missed
}
