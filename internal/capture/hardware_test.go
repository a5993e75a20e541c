package capture_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/pkg/inventory"
)

// threaded returns a host of two cores with two threads each, 64 GB, a NIC and a disk.
func threaded() *batch {
	b := newBatch("esx01").vm(100, "web", 2).vm(200, "db", 4)
	for i, util := range []int{40, 20, 60, 40} {
		b.add(fmt.Sprintf(`Physical Cpu(%d)\%% Util Time`, i), util)
	}
	b.add(`Physical Cpu(_Total)\% Util Time`, 40)
	for core, util := range []int{50, 70} {
		b.add(fmt.Sprintf(`Physical Cpu(%d)\%% Core Util Time`, 2*core), util)
	}
	const nic, lun = `Network Port(vSwitch0:33554434:vmnic0)\`, `Physical Disk SCSI Device(naa.1)\`
	return b.add(`Memory\Machine MBytes`, 65_536).add(`Memory\Free MBytes`, 16_384).add(`Power\Power Usage Now Watts`, 200).
		add(nic+`Link Speed (Mb/s)`, 10_000).add(nic+`Link Up?`, 1).
		add(nic+`Packets Received/sec`, 100_000).add(nic+`MBits Received/sec`, 953.6743).
		add(nic+`Packets Transmitted/sec`, 50_000).add(nic+`MBits Transmitted/sec`, 190.7349).
		add(lun+`Commands/sec`, 100).add(lun+`Average Driver MilliSec/Command`, 6).add(lun+`Average Kernel MilliSec/Command`, 2).
		add(lun+`Average Guest MilliSec/Command`, 8).add(lun+`Average Queue MilliSec/Command`, 1)
}

// figuresOf returns the figures of the host and of its worst disk, by id.
func figuresOf(s *inventory.Snapshot) map[string]efficiency.Figure {
	all := map[string]efficiency.Figure{}
	for _, f := range efficiency.Of(s) {
		all[f.ID] = f
	}
	return all
}

// TestEfficiencyOfACapture checks the figures that follow from counters alone, with their inputs.
func TestEfficiencyOfACapture(t *testing.T) {
	s := read(t, &capture.Source{Paths: []string{threaded().file(t, "x.csv", 5)}}, inventory.Targets{})
	host := onlyHost(t, s)
	require.Equal(t, []any{inventory.Known(int64(2)), inventory.Known(int64(4)), inventory.Known(int64(65_536))}, []any{host.Cores, host.CPUThreads, host.MemoryMB})
	got := figuresOf(s)
	for id, want := range map[string]struct {
		value float64
		from  []string
	}{
		"vcpus-per-core":  {3, []string{"6 vCPUs of 2 running VMs, according to the counters", "2 physical cores, according to the counters"}},
		"gbps-per-core":   {1, []string{"1.2 Gb/s through the NICs on average, 1 received and 0.2 sent", "1.2 cores in use on average"}},
		"cores-per-gbps":  {1, []string{"1.2 cores in use on average", "1.2 Gb/s through the NICs on average, 1 received and 0.2 sent"}},
		"mbps-per-watt":   {6, []string{"1.2 Gb/s through the NICs on average, 1 received and 0.2 sent", "200 W on average"}},
		"packets-rx":      {100_000, []string{"100000 packets/s received on average"}},
		"packet-size-rx":  {1250, []string{"1000 Mb/s received on average", "100000 packets/s received on average"}},
		"packet-size-tx":  {500, []string{"200 Mb/s sent on average", "50000 packets/s sent on average"}},
		"latency-device":  {75, []string{"6 ms in the array", "8 ms of latency as guests see it, on average"}},
		"latency-kernel":  {25, []string{"2 ms in the VMkernel", "8 ms of latency as guests see it, on average"}},
		"latency-queue":   {12.5, []string{"1 ms waiting in the queue", "8 ms of latency as guests see it, on average"}},
		"headroom-cores":  {0.8, []string{"2 physical cores, according to the counters", "1.2 cores in use at the 95th percentile"}},
		"headroom-memory": {16, []string{"64 GiB of memory, according to the counters", "48 GiB of memory taken at the 95th percentile"}},
		"headroom":        {25, []string{"40 % of the cores left", "25 % of the memory left", "bound by memory"}},
	} {
		value, known := got[id].Value.Value()
		require.True(t, known, id)
		require.InDelta(t, want.value, value, want.value*1e-3, id)
		require.Equal(t, want.from, got[id].From, id)
	}
	_, _, reason := got["mhz-per-watt"].Value.Get()
	require.Equal(t, capture.Unread, reason, "no counter has the nominal clock")
}

// TestBuiltUnknown has captures without enough data about the host's hardware: it remains unknown.
func TestBuiltUnknown(t *testing.T) {
	known := inventory.Known[int64]
	unread := inventory.Fact[int64]{}
	for name, tc := range map[string]struct {
		change         func(b *batch)
		cores, threads inventory.Fact[int64]
	}{
		"as it is": {func(*batch) {}, known(2), known(4)},
		"both threads have the core's": {func(b *batch) {
			b.add(`Physical Cpu(1)\% Core Util Time`, 50).add(`Physical Cpu(3)\% Core Util Time`, 70)
		}, known(2), known(4)},
		"no cores":                     {func(b *batch) { b.without("Core Util") }, unread, known(4)},
		"cut down to two CPUs":         {func(b *batch) { b.without("Cpu(2)").without("Cpu(3)") }, unread, unread},
		"one in the middle is missing": {func(b *batch) { b.without("Cpu(1)") }, unread, unread},
		"no mean":                      {func(b *batch) { b.without("_Total") }, unread, unread},
		"idle, so that the mean is 0":  {func(b *batch) { b.with(`Physical Cpu(_Total)\% Util Time`, 0) }, unread, unread},
		"a mean of others":             {func(b *batch) { b.with(`Physical Cpu(_Total)\% Util Time`, 40.02) }, unread, unread},
		"rounded":                      {func(b *batch) { b.with(`Physical Cpu(_Total)\% Util Time`, 40.01) }, known(2), known(4)},
		"no processors at all":         {func(b *batch) { b.without("Physical Cpu") }, unread, unread},
		"used works as well as util":   {func(b *batch) { b.rename("% Util", "% Processor") }, known(2), known(4)},
	} {
		t.Run(name, func(t *testing.T) {
			b := threaded()
			tc.change(b)
			host := onlyHost(t, read(t, &capture.Source{Paths: []string{b.file(t, "x.csv", 3)}}, inventory.Targets{}))
			require.Equal(t, []any{tc.cores, tc.threads}, []any{host.Cores, host.CPUThreads})
		})
	}
	host := onlyHost(t, read(t, &capture.Source{Paths: []string{threaded().without("Machine").file(t, "x.csv", 3)}}, inventory.Targets{}))
	require.Equal(t, unread, host.MemoryMB)
}
