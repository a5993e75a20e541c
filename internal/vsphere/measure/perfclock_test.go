package measure

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// setClock sets the clock of a host by some time. It has no samples of the time that it skips.
func (p *perfServer) setClock(host string, by time.Duration) {
	p.set(func() {
		p.off[host] += by
		p.floor[host] = time.Time{}
		if by > 0 {
			p.floor[host] = p.clock.now().Add(p.off[host])
		}
	})
}

// TestProveHostClocks: the clock of one host is set, before the first sample or later, and perhaps set right again. Within a minute,
// its samples come again, each once and the newest in each round; the other hosts lose nothing and wait for nothing.
func TestProveHostClocks(t *testing.T) {
	var cases []func(t *testing.T)
	for _, by := range []time.Duration{-2 * time.Hour, -time.Hour, -4 * time.Minute, -time.Second, time.Second, 4 * time.Minute, time.Hour} {
		for _, every := range []bool{true, false} {
			for _, when := range [][2]int{{0, 0}, {0, 4}, {3, 0}, {3, 9}} {
				cases = append(cases, func(t *testing.T) {
					t.Run(fmt.Sprint(by, every, when), func(t *testing.T) { hostClocks(t, by, every, when) })
				})
			}
		}
	}
	for _, one := range proof.Sample(t, 14, cases) {
		one(t)
	}
}

func hostClocks(t *testing.T, by time.Duration, every bool, when [2]int) {
	p := servePerf(t, 2)
	o := everySample
	o.EverySample = every
	source := p.open(t, 2, o)
	odd, right := source.hosts[0].moid, source.hosts[1].moid
	if when[0] == 0 {
		p.setClock(odd, by)
	}
	silent, at := 0, p.clock.now()
	for n := 1; n <= 16; n++ {
		if n == when[0] {
			p.setClock(odd, by)
		}
		if n == when[1] {
			p.setClock(odd, -by)
		}
		newest, others := false, 0
		for more := true; more; more = len(source.rounds) > 0 {
			r := nextRound(t, source)
			source.stale.Store(false)
			for _, f := range r.Frames {
				late := p.clock.now().Add(p.off[f.MoID]).Sub(f.Time)
				newest = newest || f.MoID == odd && f.Age == 0 && late >= 0 && late < 2*perfInterval
				if f.MoID == right {
					require.Zero(t, f.Age)
					others++
				}
			}
		}
		require.Equal(t, 1, others, "round %d: the other host has one new sample", n)
		require.Less(t, p.clock.now().Sub(at), 2*perfInterval, "round %d: nothing is waited for", n)
		at = p.clock.now()
		if silent++; newest {
			silent = 0
		}
		require.LessOrEqual(t, silent, 2, "round %d", n)
	}
	require.Zero(t, silent)
}

// TestProveSamplesWithoutValues: what has samples without any value is a trouble of its host, and has a row without figures.
func TestProveSamplesWithoutValues(t *testing.T) {
	for _, value := range []string{"-1", ""} {
		for _, which := range []string{"host", "VM", "all", "none"} {
			t.Run(which+value, func(t *testing.T) {
				p := servePerf(t, 2)
				source := p.open(t, 2, everySample)
				odd := source.hosts[0]
				mute := map[string][]string{"host": {odd.moid}, "VM": {vmOfHost(odd, 1)}, "all": {odd.moid, vmOfHost(odd, 0), vmOfHost(odd, 1)}}[which]
				for _, moid := range mute {
					p.set(func() { p.mute[moid] = value })
				}
				r := nextRound(t, source)
				for range emptyInARow {
					if which == "VM" {
						require.Empty(t, r.Troubles, "it may be starting, or have lost one")
						r = nextRound(t, source)
					}
				}
				if which == "none" {
					require.Empty(t, r.Troubles)
				} else {
					require.Len(t, r.Troubles, 1)
					require.Equal(t, odd.moid, r.Troubles[0].MoID)
					require.Equal(t, session.ReasonNoValue, session.Reason(r.Troubles[0].Err))
				}
				with := map[string]bool{}
				for _, f := range r.Frames {
					for _, o := range []esxtop.Object{esxtop.Host, esxtop.Group} {
						rows := f.Rows(o)
						for i := range rows {
							for _, m := range esxtop.MetricsOf(o) {
								_, has := rows[i].Value(m)
								with[rows[i].MoID] = with[rows[i].MoID] || has
							}
						}
					}
				}
				require.Len(t, with, 6, "each has a row")
				for _, moid := range mute {
					require.False(t, with[moid], moid)
					delete(with, moid)
				}
				for moid, has := range with {
					require.True(t, has, moid)
				}
			})
		}
	}
}
