package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// TestMissReasonOfTroubles checks the reasons of errors as sources return them.
func TestMissReasonOfTroubles(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 1, everySample)
	patience, brief := source.patience, source.brief
	source.session.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
	nextRound(t, source)
	for reason, strike := range map[string]func(){
		"refused":    func() { p.broken = true },
		"connection": func() { p.breaks = true },
		"timeout": func() {
			p.hangs[source.hosts[0].moid] = true
			source.patience, source.brief = 700*time.Millisecond, 700*time.Millisecond
		},
	} {
		p.set(strike)
		for _, h := range source.hosts {
			h.alone, h.again = false, time.Time{}
		}
		r := nextRound(t, source)
		require.NotEmpty(t, r.Troubles, reason)
		require.Equal(t, reason, session.MissReason(r.Troubles[0].Err), "%v", r.Troubles[0].Err)
		source.patience, source.brief = patience, brief
		p.set(func() { p.broken, p.breaks = false, false; clear(p.hangs) })
	}
}
