package live_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

const interval = 20 * time.Second

func row(o esxtop.Object, id string, values map[string]float64) esxtop.Row {
	r := esxtop.NewRow(o, id, id)
	for id, v := range values {
		r.Set(esxtop.Lookup(id), v)
	}
	return r
}

func ofVM(r esxtop.Row, moid string) esxtop.Row {
	r.VM, r.MoID = true, moid
	return r
}

// frame returns a frame of a host with some rows.
func frame(rows ...esxtop.Row) *esxtop.Frame {
	f := &esxtop.Frame{Host: "host01", MoID: "host-1", Interval: interval}
	byObject := map[esxtop.Object][]esxtop.Row{}
	for _, r := range rows {
		byObject[r.Object] = append(byObject[r.Object], r)
	}
	for o, list := range byObject {
		f.Put(o, list)
	}
	return f
}

func fleet() *inventory.VCenter {
	h, vm := new(inventory.Host), new(inventory.VM)
	h.ID, vm.ID = "host-1", "vm-1"
	h.PNICs = inventory.Known([]*inventory.PNIC{{Device: "vmnic0"}, {Device: "vmnic1"}})
	h.LUNs = inventory.Known([]*inventory.LUN{{Device: "naa.1"}, {Device: "mpx.cdrom"}})
	vm.HostID = inventory.Known("host-1")
	vm.Disks = inventory.Known([]*inventory.VDisk{{Address: inventory.Known("scsi0:0")}, {Address: inventory.Known("scsi0:1")}, {}})
	return &inventory.VCenter{Hosts: []*inventory.Host{h}, VMs: []*inventory.VM{vm}}
}

// read returns a fleet with the measurements of frames.
func read(frames ...*esxtop.Frame) *inventory.VCenter {
	var w live.Window
	for _, f := range frames {
		w.Add(f)
	}
	v := fleet()
	w.Put(v)
	return v
}

// measured returns the measurements of the host and the VM.
func measured(frames ...*esxtop.Frame) (host, vm inventory.Live) {
	v := read(frames...)
	return v.Hosts[0].Live, v.VMs[0].Live
}

// devices returns the fleet's devices.
func devices(v *inventory.VCenter) (nics []*inventory.PNIC, luns []*inventory.LUN, disks []*inventory.VDisk) {
	nics, _ = v.Hosts[0].PNICs.Value()
	luns, _ = v.Hosts[0].LUNs.Value()
	disks, _ = v.VMs[0].Disks.Value()
	return nics, luns, disks
}

// summed returns a series without its samples.
func summed(s inventory.Series) inventory.Series {
	s.Track = nil
	return s
}

func TestEveryLiveMetricIsMeasured(t *testing.T) {
	var names []string
	for _, m := range inventory.LiveMetrics() {
		names = append(names, string(m.Scope)+" "+m.Name)
	}
	slices.Sort(names)
	require.Equal(t, names, live.Names(), "pkg/inventory and internal/live list the same metrics")
}

func TestQuantilesAreOfSamples(t *testing.T) {
	var frames []*esxtop.Frame
	for n := range 20 {
		frames = append(frames, frame(
			ofVM(row(esxtop.Group, "7", map[string]float64{"cpu.contentionPerVCPU": float64(20 - n), "numa.local": float64(81 + n)}), "vm-1"),
			row(esxtop.Host, "", map[string]float64{"mem.hostSwapRead": float64(n)})))
	}
	host, vm := measured(frames...)
	require.Equal(t, inventory.Series{Median: 10, P95: 19, Worst: 20, Mean: 10.5, Samples: 20}, summed(vm.Of("cpu.ready")))
	require.Equal(t, inventory.Series{Median: 91, P95: 82, Worst: 81, Mean: 90.5, Samples: 20, Below: true}, summed(vm.Of("numa.local")), "the lowest is the worst")
	require.Equal(t, inventory.Series{Median: 9216, P95: 18430, Worst: 19460, Mean: 9728, Samples: 20}, summed(host.Of("mem.swapIn")), "KB/s, in four digits")
}

func TestTheFirstSampleHasNoRates(t *testing.T) {
	f := frame(row(esxtop.Host, "", map[string]float64{"mem.hostSwapRead": 1, "mem.state": 2}))
	f.Interval = 0
	host, _ := measured(f)
	require.Empty(t, host)
}

func TestGroupsThatAreNoVMsHaveNoFacts(t *testing.T) {
	system := row(esxtop.Group, "1", map[string]float64{"cpu.contentionPerVCPU": 2400})
	system.MoID = "vm-1" // no source sets one
	_, vm := measured(frame(system,
		ofVM(row(esxtop.Group, "7", map[string]float64{"cpu.contentionPerVCPU": 3}), ""))) // of two VMs with the same name
	require.Empty(t, vm)
}

func TestUsageOfTheServiceIsUsedByVCPU(t *testing.T) {
	_, vm := measured(frame(ofVM(row(esxtop.Group, "7", map[string]float64{"cpu.usedPerVCPU": 12}), "vm-1")))
	require.InDelta(t, 12, vm.Of("cpu.usage").Median, 0)
	_, vm = measured(frame(ofVM(row(esxtop.Group, "7", map[string]float64{"cpu.usedPerVCPU": 12, "cpu.usage": 10}), "vm-1")))
	require.InDelta(t, 10, vm.Of("cpu.usage").Median, 0)
}

// TestCoresOfOneThread: the service has no figures of cores if each has one thread; a server without the counter has
// none either.
func TestCoresOfOneThread(t *testing.T) {
	host := func(from esxtop.Origin, values map[string]float64) inventory.Live {
		f := frame(row(esxtop.Host, "h", values))
		f.Origin = from
		host, _ := measured(f)
		return host
	}
	const name = "cpu.coreUtilization"
	require.InDelta(t, 30, host(esxtop.Service, map[string]float64{"pcpu.utilAvg": 20, "pcpu.coreUtilAvg": 30}).Of(name).Worst, 0)
	require.InDelta(t, 20, host(esxtop.Service, map[string]float64{"pcpu.utilAvg": 20}).Of(name).Worst, 0)
	require.InDelta(t, 30, host(esxtop.Performance, map[string]float64{"pcpu.utilAvg": 20, "pcpu.coreUtilAvg": 30}).Of(name).Worst, 0)
	require.Nil(t, host(esxtop.Performance, map[string]float64{"pcpu.utilAvg": 20}).Lookup(name))
}

func TestLatencyIsOfDevicesInUse(t *testing.T) {
	device := func(id string, commands, latency float64) esxtop.Row {
		return row(esxtop.Device, id, map[string]float64{"disk.commands": commands, "disk.deviceLatency": latency, "disk.aborts": 0.5})
	}
	host, _ := measured(frame(device("naa.1", 200, 4), device("naa.2", 10, 7), device("mpx.cdrom", 0.4, 32), device("naa.3", 20, 5)))
	require.InDelta(t, 7, host.Of("disk.deviceLatency").Worst, 0)
	require.InDelta(t, 2, host.Of("disk.aborts").Worst, 0, "all devices together")

	host, _ = measured(frame(device("mpx.cdrom", 0.4, 32)))
	require.Equal(t, inventory.Series{}, host.Of("disk.deviceLatency"), "nothing to measure")

	v := read(frame(row(esxtop.Device, "naa.1", map[string]float64{"disk.commands": 200})))
	_, luns, _ := devices(v)
	require.Equal(t, inventory.Series{}, luns[0].Live.Of("disk.deviceLatency"), "a mean of nothing")

	host, _ = measured(frame(row(esxtop.Host, "", map[string]float64{"mem.state": 0})))
	require.Nil(t, host.Lookup("disk.deviceLatency"), "the source has no devices")
}

func TestDropsAreAShareOfAllPorts(t *testing.T) {
	port := func(id string, uplink, packets, dropped float64) esxtop.Row {
		return row(esxtop.Port, id, map[string]float64{"net.uplink": uplink, "net.packetsRx": packets, "net.droppedRxRate": dropped})
	}
	host, vm := measured(frame(
		port("1", 1, 900, 100), port("2", 1, 1000, 0),
		ofVM(port("3", 0, 97, 3), "vm-1"), ofVM(port("4", 0, 100, 0), "vm-1")))
	require.InDelta(t, 5, host.Of("net.droppedRx").Worst, 1e-9)
	require.InDelta(t, 1.5, vm.Of("net.droppedRx").Worst, 1e-9)

	host, vm = measured(frame(port("1", 1, 0, 0), ofVM(port("3", 0, 0, 0), "vm-1")))
	require.Equal(t, inventory.Series{}, host.Of("net.droppedRx"), "nothing came")
	require.Equal(t, inventory.Series{}, vm.Of("net.droppedRx"))
}

// TestHalfOfAFigure: a metric that needs two figures is missing if there is only one.
func TestHalfOfAFigure(t *testing.T) {
	host, vm := measured(frame(
		ofVM(row(esxtop.Port, "1", map[string]float64{"net.packetsRx": 100}), "vm-1"),
		row(esxtop.Device, "naa", map[string]float64{"disk.deviceLatency": 30})))
	require.Nil(t, vm.Lookup("net.droppedRx"))
	require.Nil(t, host.Lookup("disk.deviceLatency"))
}

func TestNothingIsMeasuredOfAnEmptyWindow(t *testing.T) {
	host, vm := measured()
	require.Empty(t, host)
	require.Empty(t, vm)
}

func TestNeedsWhatItReads(t *testing.T) {
	for _, o := range []esxtop.Object{esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.Device, esxtop.Port} {
		require.True(t, live.Needs().Has(o), o)
	}
	for _, o := range []esxtop.Object{esxtop.VectorCPU, esxtop.World} { // most of a server's rows
		require.False(t, live.Needs().Has(o), o)
	}
}

func TestColumnsAreOfTheCatalogue(t *testing.T) {
	for _, m := range inventory.LiveMetrics() {
		ids := live.Columns(m.Name)
		require.NotEmpty(t, ids, m.Name)
		for _, id := range ids {
			require.NotNil(t, esxtop.Lookup(id), id)
			require.True(t, live.Reads(m.Name, esxtop.Lookup(id)))
		}
	}
	require.False(t, live.Reads("cpu.ready", esxtop.Lookup("cpu.run")))
}

// TestSpan has frames of two hosts: the span is from the beginning of the first to the end of the last.
func TestSpan(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var frames []*esxtop.Frame
	for i, host := range []string{"host-1", "host-1", "host-2"} {
		f := frame()
		f.MoID, f.Time = host, at.Add(time.Duration(i)*time.Minute)
		frames = append(frames, f)
	}
	for _, order := range [][]int{{2, 0, 1}, {0, 2, 1}, {0, 1, 2}} {
		v := read(frames[order[0]], frames[order[1]], frames[order[2]])
		require.Equal(t, at.Add(-interval), v.LiveFrom)
		require.Equal(t, at.Add(2*time.Minute), v.LiveTo)
	}
	v := read(frames[0], frames[1])
	require.Equal(t, at.Add(time.Minute), v.LiveTo)
	require.Zero(t, read().LiveFrom)
}
