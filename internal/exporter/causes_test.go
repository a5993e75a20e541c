package exporter

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// noValueError is the trouble of a host whose samples have no values.
type noValueError struct{}

func (noValueError) Error() string  { return "no values" }
func (noValueError) Reason() string { return session.ReasonNoValue }

// TestCauses: what is missing has a reason and one line in the log, the end of it has another one, and a target is up only if there
// is something new.
func TestCauses(t *testing.T) {
	var log bytes.Buffer
	now := time.Date(2026, 11, 20, 12, 0, 2, 0, time.UTC)
	target := idle(t, TargetConfig{Modules: []module.Name{module.Basic}, Clock: source.Clock{Now: func() time.Time { return now }}})
	target.trace.log = slog.New(slog.NewTextHandler(&log, nil))
	host := source.Host{MoID: "host-1", Name: "esx01"}
	target.now.here = present{hosts: []source.Host{host}, asked: []source.Host{host}, whole: 1}
	target.now.session = new(session.Session)
	target.ledger.Expect([]ledger.Host{{MoID: "host-1", Name: "esx01", Up: true}}, nil)
	l := &link{Target: target}
	off := time.Duration(0)
	// round takes what a round has: values, an empty sample, nothing, or an error.
	round := func(what string) map[string]float64 {
		now = now.Add(interval)
		r := &esxtop.Round{Time: now.Truncate(interval)}
		f := &esxtop.Frame{Host: "esx01", MoID: "host-1", Time: r.Time.Add(off), Interval: interval, Origin: esxtop.Performance}
		row := esxtop.NewRow(esxtop.Host, "esx01", "esx01")
		row.MoID = "host-1"
		switch what {
		case "values":
			row.Set(esxtop.Lookup("host.uptime"), float64(now.Unix()))
		case "empty":
			r.Troubles = []esxtop.Trouble{{Host: "esx01", MoID: "host-1", Err: noValueError{}}}
		default:
			r.Troubles = []esxtop.Trouble{{Host: "esx01", MoID: "host-1", Err: errors.New(what)}}
		}
		if f.Put(esxtop.Host, []esxtop.Row{row}); what == "values" || what == "empty" {
			r.Frames = []*esxtop.Frame{f}
		}
		l.addRound(r, time.Second, 1)
		return series(t, textOf(t, target))
	}
	const uptime = `esxi_host_uptime_seconds{host="esx01",moid="host-1"}`
	lines := func(of string) int { return strings.Count(log.String(), of) }
	shows := func(page map[string]float64) {
		t.Helper()
		require.InDelta(t, 1, page["vperf_up"], 0)
		require.InDelta(t, float64(now.Unix()), page[uptime], 0)
	}

	page := round("empty")
	require.Zero(t, page["vperf_up"], "nothing was ever read")
	for range 9 {
		page = round("empty")
	}
	require.InDelta(t, 10, page[`vperf_samples_missed_total{reason="no_value"}`], 0)
	require.Zero(t, page[`vperf_collector_success{collector="performance"}`])
	require.Equal(t, 1, lines("samples are missing (no_value): esx01: no values"))
	for range 6 {
		shows(round("values"))
	}
	require.Equal(t, 1, lines("no more samples are missing (no_value): 10 in 3m0s"), log.String())

	page = round("empty")
	require.Zero(t, page["vperf_up"], "nothing is current")
	require.NotContains(t, page, uptime)
	require.Equal(t, 2, lines("\"samples are missing (no_value)"))

	for _, by := range []time.Duration{4 * time.Minute, -4 * time.Minute, -time.Hour, time.Hour} {
		for range 5 {
			shows(round("values"))
		}
		off += by
		for range 20 {
			shows(round("values"))
		}
	}
	require.Equal(t, 3, lines(`"samples are missing (clock): the clocks of hosts were set: esx01 by `), "one while it lasts: %s", log.String())
	require.Zero(t, page[`vperf_samples_missed_total{reason="not_kept"}`])
	for n := range 6 {
		page = round("refused")
		require.Zero(t, page["vperf_up"])
		require.Equal(t, n < 2, page[uptime] != 0, "after a minute it is not shown again")
	}
	require.Equal(t, 1, lines("esx01: refused"), log.String())
}
