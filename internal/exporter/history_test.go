package exporter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/pkg/esxtop"
)

// told is a source that returns rounds, and then blocks or ends.
type told struct {
	esxtop.Source

	rounds []*esxtop.Round
	end    error
}

func (s *told) Next(context.Context) (*esxtop.Round, error) {
	if len(s.rounds) == 0 {
		return nil, s.end
	}
	r := s.rounds[0]
	s.rounds = s.rounds[1:]
	return r, nil
}

var historyBegan = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// pastFrame returns the nth sample of a host with a VM, with power in watts and ready time in percent.
func pastFrame(host, vm string, n int, watts, ready float64) *esxtop.Frame {
	f := &esxtop.Frame{Host: host, MoID: host, Time: historyBegan.Add(time.Duration(n) * 20 * time.Second), Interval: 20 * time.Second, Origin: esxtop.Performance}
	h := esxtop.NewRow(esxtop.Host, host, host)
	h.MoID = host
	h.Set(esxtop.Lookup("power.usage"), watts)
	h.Set(esxtop.Lookup("power.energy"), watts)
	f.Put(esxtop.Host, []esxtop.Row{h})
	g := esxtop.NewRow(esxtop.Group, vm, vm)
	g.VM, g.MoID, g.VCPUs = true, vm, 1
	g.Set(esxtop.Lookup("cpu.ready"), ready)
	f.Put(esxtop.Group, []esxtop.Row{g})
	return f
}

func pastRound(past bool, frames ...*esxtop.Frame) *esxtop.Round {
	return &esxtop.Round{Time: frames[len(frames)-1].Time, Frames: frames, Past: past}
}

func historyOptions(until int) HistoryOptions {
	return HistoryOptions{
		Hosts:   []ledger.Host{{MoID: "host-1", Name: `a"b`, Up: true}, {MoID: "host-2", Name: "esx02", Up: true}},
		VMs:     []ledger.VM{{MoID: "vm-1", Name: "db", Host: "host-1", On: true}, {MoID: "vm-2", Name: "web", Host: "host-2", On: true}},
		Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group),
		Until:   historyBegan.Add(time.Duration(until) * 20 * time.Second),
		Labels:  []string{"job", "vperf", "instance", "vc"},
	}
}

// written is the lines of a history that are about a metric.
func written(t *testing.T, source esxtop.Source, o HistoryOptions, metric string) (lines []string) {
	var b bytes.Buffer
	require.NoError(t, History(t.Context(), source, o, &b))
	require.True(t, strings.HasSuffix(b.String(), "\n# EOF\n"), b.String())
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, metric+"{") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestHistory(t *testing.T) {
	source := func() *told {
		return &told{end: io.EOF, rounds: []*esxtop.Round{
			pastRound(true, pastFrame("host-1", "vm-1", 1, 100, 10), pastFrame("host-2", "vm-2", 1, 200, 20)),
			pastRound(true, pastFrame("host-1", "vm-1", 2, 110, 10)),
			// host-2 was late: its frames of two times come at once.
			pastRound(true, pastFrame("host-1", "vm-1", 3, 120, 30), pastFrame("host-2", "vm-2", 2, 210, 20), pastFrame("host-2", "vm-2", 3, 220, 20)),
			pastRound(true, pastFrame("host-1", "vm-1", 3, 120, 30)), // again
		}}
	}
	require.Equal(t, []string{
		`esxi_host_power_watts{instance="vc",job="vperf",host="a\"b",moid="host-1"} 100.0 1.77788882e+09`,
		`esxi_host_power_watts{instance="vc",job="vperf",host="a\"b",moid="host-1"} 110.0 1.77788884e+09`,
		`esxi_host_power_watts{instance="vc",job="vperf",host="a\"b",moid="host-1"} 120.0 1.77788886e+09`,
		`esxi_host_power_watts{instance="vc",job="vperf",host="esx02",moid="host-2"} 200.0 1.77788882e+09`,
		`esxi_host_power_watts{instance="vc",job="vperf",host="esx02",moid="host-2"} 210.0 1.77788884e+09`,
		`esxi_host_power_watts{instance="vc",job="vperf",host="esx02",moid="host-2"} 220.0 1.77788886e+09`,
	}, written(t, source(), historyOptions(9), "esxi_host_power_watts"))
	require.Equal(t, []string{
		`esxi_vm_cpu_ready_seconds_total{instance="vc",job="vperf",moid="vm-1",vm="db"} 2.0 1.77788882e+09`,
		`esxi_vm_cpu_ready_seconds_total{instance="vc",job="vperf",moid="vm-1",vm="db"} 4.0 1.77788884e+09`,
		`esxi_vm_cpu_ready_seconds_total{instance="vc",job="vperf",moid="vm-1",vm="db"} 10.0 1.77788886e+09`,
		`esxi_vm_cpu_ready_seconds_total{instance="vc",job="vperf",moid="vm-2",vm="web"} 4.0 1.77788882e+09`,
		`esxi_vm_cpu_ready_seconds_total{instance="vc",job="vperf",moid="vm-2",vm="web"} 8.0 1.77788884e+09`,
		`esxi_vm_cpu_ready_seconds_total{instance="vc",job="vperf",moid="vm-2",vm="web"} 12.0 1.77788886e+09`,
	}, written(t, source(), historyOptions(9), "esxi_vm_cpu_ready_seconds_total"))

	plain := historyOptions(9)
	plain.Labels = nil
	require.Contains(t, written(t, source(), plain, "esxi_host_energy_joules_total"), `esxi_host_energy_joules_total{host="esx02",moid="host-2"} 12600.0 1.77788886e+09`)
}

// TestHistoryEnds: it ends without waiting for the next sample, and omits samples that are too new.
func TestHistoryEnds(t *testing.T) {
	var rounds []*esxtop.Round
	for n := 1; n <= 5; n++ {
		rounds = append(rounds, pastRound(true, pastFrame("host-1", "vm-1", n, 100, 10)))
	}
	never := errors.New("asked again")
	for name, tc := range map[string]struct {
		rounds []*esxtop.Round
		until  int
		want   int
	}{
		"at the time":         {rounds, 3, 3},
		"before a next one":   {append(rounds[:3:3], pastRound(true, pastFrame("host-1", "vm-1", 7, 1, 1))), 5, 3},
		"of now":              {append(rounds[:2:2], pastRound(false, pastFrame("host-1", "vm-1", 3, 1, 1))), 9, 3},
		"only troubles is on": {append(append(rounds[:1:1], &esxtop.Round{}), rounds[1:]...), 5, 5},
	} {
		require.Len(t, written(t, &told{rounds: tc.rounds, end: never}, historyOptions(tc.until), "esxi_host_power_watts"), tc.want, name)
	}
	require.ErrorIs(t, History(t.Context(), &told{end: never}, historyOptions(1), io.Discard), never)
	require.ErrorContains(t, History(t.Context(), &told{rounds: rounds, end: io.EOF}, historyOptions(9), full{}), "writing the history: no room")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestHistoryInPrometheus: its own tool makes blocks of it, and gives back every sample.
func TestHistoryInPrometheus(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: Debian has it in the package prometheus")
	}
	source := &told{end: io.EOF}
	for n := range 100 {
		source.rounds = append(source.rounds, pastRound(true, pastFrame("host-1", "vm-1", n, 100+float64(n), 10), pastFrame("host-2", "vm-2", n, 200, 20)))
	}
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "history.om"))
	require.NoError(t, err)
	require.NoError(t, History(t.Context(), source, historyOptions(200), file))
	require.NoError(t, file.Close())
	run := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	run("tsdb", "create-blocks-from", "openmetrics", file.Name(), filepath.Join(dir, "data"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data", "wal"), 0o700)) // as a server has it
	dump := run("tsdb", "dump", filepath.Join(dir, "data"))
	require.Equal(t, 200, strings.Count(dump, `__name__="esxi_host_power_watts"`))
	require.Contains(t, dump, `{__name__="esxi_vm_cpu_ready_seconds_total", instance="vc", job="vperf", moid="vm-1", vm="db"} 200 `)
}
