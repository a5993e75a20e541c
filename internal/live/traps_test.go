package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

type window = live.Window

func group(values figures) esxtop.Row { return ofVM(row(esxtop.Group, "7", values), "vm-1") }

// TestByVCPU: figures that the source has for all worlds together are divided by the number of vCPUs, or missing.
func TestByVCPU(t *testing.T) {
	sums := figures{"cpu.run": 120, "cpu.system": 8, "cpu.overlap": 4, "cpu.memLatency": 2}
	four := group(sums)
	four.VCPUs = 4
	_, vm := measured(frame(four))
	require.Equal(t, figures{"cpu.run": 30, "cpu.system": 2, "cpu.overlap": 1, "cpu.memLatency": 0.5}, worst(vm))

	_, vm = measured(frame(group(sums)))
	require.Empty(t, vm, "the number of vCPUs is unknown")
}

// TestMemoryLatencyOfTheWholeVM: the PerformanceManager has it for the VM, already per vCPU.
func TestMemoryLatencyOfTheWholeVM(t *testing.T) {
	r := group(figures{"mem.latency": 3})
	r.VCPUs = 4
	_, vm := measured(frame(r))
	require.Equal(t, figures{"cpu.memLatency": 3}, worst(vm))
}

// TestTurbo: a core that runs faster than its nominal clock is not limited to it.
func TestTurbo(t *testing.T) {
	_, vm := measured(frame(group(figures{"cpu.usedPerVCPU": 131})))
	require.InDelta(t, 131, vm.Of("cpu.usage").Worst, 0)
}

func TestMemoryOfNodes(t *testing.T) {
	node := func(id string) esxtop.Row { return row(esxtop.Node, id, nil) }
	other := ofVM(row(esxtop.Group, "9", figures{"numa.homeNodes": 2}), "vm-2")
	far := ofVM(row(esxtop.Group, "9", figures{"numa.remote": 512}), "vm-2")
	const value, none, absent = "value", "none", "absent"
	for name, test := range map[string]struct {
		rows []esxtop.Row
		want string
	}{
		"two nodes":                      {[]esxtop.Row{group(figures{"numa.local": 60, "numa.remote": 1, "mem.granted": 9}), node("0"), node("1")}, value},
		"all of it far":                  {[]esxtop.Row{group(figures{"numa.local": 0, "numa.remote": 1, "mem.granted": 9}), node("0"), node("1")}, value},
		"one node":                       {[]esxtop.Row{group(figures{"numa.local": 0, "numa.remote": 0, "mem.granted": 9}), node("0")}, none},
		"one node that says all is near": {[]esxtop.Row{group(figures{"numa.local": 100, "numa.remote": 0, "mem.granted": 9}), node("0")}, none},
		"one node that says nothing":     {[]esxtop.Row{group(figures{"mem.granted": 9}), node("0")}, none},
		"memory that was never touched":  {[]esxtop.Row{group(figures{"numa.local": 100, "numa.remote": 0, "mem.granted": 0}), node("0"), node("1")}, none},
		"memory on no node":              {[]esxtop.Row{group(figures{"numa.remote": 0, "mem.granted": 9}), node("0"), node("1")}, none},
		"a source without nodes":         {[]esxtop.Row{group(figures{"mem.granted": 9})}, absent},
		"nodes not listed, 0":            {[]esxtop.Row{group(figures{"numa.local": 0, "numa.remote": 0, "mem.granted": 9, "numa.homeNodes": 1})}, none},
		"nodes not listed, a figure":     {[]esxtop.Row{group(figures{"numa.local": 70})}, value},
		"another VM lives elsewhere":     {[]esxtop.Row{group(figures{"numa.local": 0, "mem.granted": 9}), other}, value},
		"another VM has far memory":      {[]esxtop.Row{group(figures{"numa.local": 0, "mem.granted": 9}), far}, value},
	} {
		_, vm := measured(frame(test.rows...))
		s, there := vm.Get("numa.local")
		got := absent
		if there {
			got = map[bool]string{true: value, false: none}[s.Samples > 0]
		}
		require.Equal(t, test.want, got, name)
	}
}

// TestNodesOfTheInventory: the inventory may have a host's number of NUMA nodes when its counters do not.
func TestNodesOfTheInventory(t *testing.T) {
	for nodes, samples := range map[int]int64{1: 0, 2: 1} {
		var w window
		w.Add(frame(group(figures{"numa.local": 100, "mem.granted": 9})))
		v := fleet()
		v.Hosts[0].NUMANodes = inventory.Known(make([]*inventory.NUMANode, nodes))
		w.Put(v)
		require.NotNil(t, v.VMs[0].Live.Lookup("numa.local"))
		require.Equal(t, samples, v.VMs[0].Live.Of("numa.local").Samples, nodes)
		require.EqualValues(t, 1, v.VMs[0].Live.Of("mem.granted").Samples, "which is on no node")
		require.Equal(t, nodes == 1, len(v.VMs[0].Live) > 2, "whatever the source knows of nodes, there is nothing to measure on one")
	}
	var w window
	v := fleet()
	v.Hosts[0].NUMANodes = inventory.Known(make([]*inventory.NUMANode, 1))
	w.Put(v)
	require.Nil(t, v.VMs[0].Live, "the VM was not measured")
}

// TestClockOfBusyProcessors: idle processors are slow on purpose.
func TestClockOfBusyProcessors(t *testing.T) {
	cpu := func(util, clock float64) esxtop.Row {
		return row(esxtop.PCPU, "0", figures{"pcpu.util": util, "pcpu.aperfMperf": clock})
	}
	clock := func(rows ...esxtop.Row) (inventory.Series, bool) {
		host, _ := measured(frame(rows...))
		s, there := host.Get("cpu.clock")
		return s, there
	}
	s, _ := clock(cpu(100, 120), cpu(80, 70), cpu(79.9, 30), cpu(95, 90))
	require.InDelta(t, 70, s.Worst, 0)
	require.True(t, s.Below)
	s, there := clock(cpu(10, 30))
	require.True(t, there)
	require.Zero(t, s.Samples, "no processor is busy")
	for _, half := range []string{"pcpu.util", "pcpu.aperfMperf"} {
		_, there = clock(row(esxtop.PCPU, "0", figures{half: 100}))
		require.False(t, there, "the source has %s alone", half)
	}
}

// TestMeanOfCores: if a source has each core but no mean, cores are still not threads.
func TestMeanOfCores(t *testing.T) {
	cpu := func(id string, values figures) esxtop.Row { return row(esxtop.PCPU, id, values) }
	f := frame(row(esxtop.Host, "", figures{"pcpu.utilAvg": 30}),
		cpu("0", figures{"pcpu.util": 40, "pcpu.coreUtil": 80}), cpu("1", figures{"pcpu.util": 40}),
		cpu("2", figures{"pcpu.util": 20, "pcpu.coreUtil": 40}), cpu("3", figures{"pcpu.util": 20}))
	host, _ := measured(f)
	require.InDelta(t, 60, host.Of("cpu.coreUtilization").Worst, 0)
}

// TestFiguresOfHosts: each is read from its own metric, in its declared unit.
func TestFiguresOfHosts(t *testing.T) {
	host, _ := measured(frame(row(esxtop.Host, "", figures{
		"host.load1": 1.2, "pcpu.utilAvg": 50, "pcpu.usedAvg": 40, "pcpu.coreUtilAvg": 60, "power.usage": 166, "mem.state": 1,
		"mem.overcommit1": 0.3, "mem.free": 4000, "mem.hostBalloon": 5, "mem.hostSwapUsed": 6, "mem.hostSwapRead": 1, "mem.hostSwapWrite": 2,
		"mem.hostZipped": 7,
	})))
	require.Equal(t, figures{
		"cpu.load": 1.2, "cpu.utilization": 50, "cpu.used": 40, "cpu.coreUtilization": 60, "power.watts": 166, "mem.state": 1,
		"mem.overcommit": 0.3, "mem.free": 4000, "mem.balloon": 5, "mem.swapped": 6, "mem.swapIn": 1024, "mem.swapOut": 2048, "mem.compressed": 7,
	}, worst(host))
}

func TestFiguresOfVMs(t *testing.T) {
	_, vm := measured(frame(group(figures{
		"cpu.contentionPerVCPU": 1, "cpu.readyPerVCPU": 2, "cpu.maxLimitedPerVCPU": 3, "cpu.costopPerVCPU": 4, "cpu.swapWaitPerVCPU": 5,
		"cpu.vmWaitPerVCPU": 6, "cpu.latencyPerVCPU": 7, "cpu.timers": 8, "mem.swapIn": 1, "mem.swapOut": 2, "mem.swapped": 9,
		"mem.balloon": 10, "mem.compress": 3, "mem.decompress": 4, "mem.cacheUsed": 11, "mem.granted": 12, "mem.touched": 13,
		"numa.migrationsDelta": 14, "numa.migrations": 1000, "numa.remote": 15, "mem.active": 99,
	})))
	require.Equal(t, figures{
		"cpu.ready": 1, "cpu.readyTotal": 2, "cpu.maxLimited": 3, "cpu.costop": 4, "cpu.swapWait": 5,
		"cpu.vmWait": 6, "cpu.latency": 7, "cpu.timers": 8, "mem.swapIn": 1024, "mem.swapOut": 2048, "mem.swapped": 9,
		"mem.balloon": 10, "mem.compress": 3072, "mem.decompress": 4096, "mem.compressed": 11, "mem.granted": 12, "mem.active": 13,
		"numa.migrations": 14, "numa.remote": 15, "numa.local": 0,
	}, worst(vm))
	require.Zero(t, vm.Of("numa.local").Samples)
}
