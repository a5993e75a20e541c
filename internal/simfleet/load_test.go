package simfleet

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/pkg/esxtop"
)

// slotsOfADay returns some slots at all hours of the day of noon.
func slotsOfADay() (list []int64) {
	first := load.SlotOf(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	for n := range int64(24) {
		list = append(list, first+n*180+n*7)
	}
	return list
}

// eachHost calls do for each host of a fleet.
func eachHost(f *Fleet, do func(l *load.Model, e *esxi.Host, host string)) {
	for _, s := range f.servers {
		for _, e := range s.built.hostOrder {
			do(s.built.loads, e, e.System.Self.Value)
		}
	}
}

// Repeated requests return the same values, in another fleet as well, and slots differ.
func TestLoadIsAFunctionOfItsSlot(t *testing.T) {
	t.Parallel()
	first, second := common(t), startAll(t, Config{Now: noon})
	eachHost(first, func(l *load.Model, e *esxi.Host, host string) {
		for _, s := range second.servers {
			other := s.built.hosts[e.Row.Name]
			if other == nil {
				continue
			}
			seen := map[int64]bool{}
			for _, slot := range slotsOfADay() {
				a, b := l.Host(host, slot), s.built.loads.Host(other.System.Self.Value, slot)
				require.Equal(t, a.CPU, b.CPU, e.Row.Name)
				require.Equal(t, a.Mem, b.Mem, e.Row.Name)
				require.Equal(t, a.Devices, b.Devices, e.Row.Name)
				require.Equal(t, a.All(slot), b.All(slot), e.Row.Name)
				seen[a.CPU.Ready<<40+a.CPU.Run] = true
			}
			if len(l.History.Running(host)) > 0 {
				require.Greater(t, len(seen), 20, "%s repeats itself", e.Row.Name)
			}
		}
	})
}

func requireWhole(w *load.WorldFigures, t *testing.T, vcpus int64) {
	t.Helper()
	require.Equal(t, vcpus*load.SlotMillis, w.Run+w.Ready+w.Costop+w.Wait)
	require.LessOrEqual(t, w.Idle+w.SwapWait, w.Wait)
	require.GreaterOrEqual(t, w.Latency, w.Ready-w.MaxLimited+w.Costop)
	require.LessOrEqual(t, w.MaxLimited, w.Ready)
	require.LessOrEqual(t, w.SwapWait, w.MemLatency)
	require.GreaterOrEqual(t, min(w.Run, w.Ready, w.Costop, w.Wait, w.Idle, w.Used, w.MaxLimited), int64(0))
}

// Related values add up, for each VM and host at any hour.
func TestLoadAddsUp(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	eachHost(common(t), func(l *load.Model, e *esxi.Host, host string) {
		for _, slot := range slotsOfADay() {
			f := l.Host(host, slot)
			var mhz, balloon, reads, writes, tx, rx int64
			for i, v := range f.All(slot) {
				var sum load.WorldFigures
				for k := range v.VCPUs {
					requireWhole(&v.VCPUs[k], t, 1)
					sum.Plus(&v.VCPUs[k], load.Whole)
				}
				require.Equal(t, v.CPU, sum)
				mhz += v.UsedMHz
				m := v.Mem
				balloon += m.Balloon
				require.Equal(t, m.Granted, m.Local+m.Remote)
				nodes := int64(0)
				for _, kb := range m.Nodes {
					nodes += kb
				}
				require.Equal(t, m.Granted, nodes, "%s on its nodes", f.Residencies[i].Settings.Name)
				require.LessOrEqual(t, m.Active, m.Granted)
				require.LessOrEqual(t, m.Granted+m.Balloon+m.Swapped+m.Zipped, m.Size)
				require.LessOrEqual(t, m.Balloon, m.BalloonMax)
				require.GreaterOrEqual(t, min(m.Granted, m.Consumed, m.Active, m.Swapped), int64(0))
				for k := range v.Issue {
					reads, writes = reads+v.Issue[k].Reads, writes+v.Issue[k].Writes
					require.LessOrEqual(t, v.Issue[k].ReadTotal, v.Disks[k].ReadTotal, "a guest waits for the device and longer")
				}
				for k := range v.NICs {
					if !f.Residencies[i].Settings.NICs[k].Bypass {
						tx, rx = tx+v.NICs[k].TxBytes, rx+v.NICs[k].RxBytes
					}
				}
			}
			require.Equal(t, f.UsedMHz, mhz+f.OwnMHz)
			require.LessOrEqual(t, mhz, int64(float64(f.Host.CapacityMHz())*1.5), "%s gives no more than it has", e.Row.Name)
			m := f.Mem
			require.Equal(t, m.Balloon, balloon)
			require.Equal(t, m.Physical, m.Kernel+m.Other+m.Free, e.Row.Name)
			require.Equal(t, m.Managed, m.Reserved+m.Unreserved)
			free := int64(0)
			for _, kb := range f.Nodes {
				free += kb
			}
			require.Equal(t, m.Free, free)
			for i := range f.Devices {
				d, paths := f.Devices[i], load.IO{}
				for k := range f.Paths[i] {
					paths.Plus(&f.Paths[i][k], load.Whole)
				}
				if len(f.Paths[i]) > 0 {
					require.Equal(t, d, paths, "%s of %s", f.Host.Devices[i].Name, e.Row.Name)
				}
				require.LessOrEqual(t, d.Reads+d.Writes, d.Commands)
				require.LessOrEqual(t, d.ReadIssue+d.ReadQueue, d.ReadTotal+d.Reads)
				reads, writes = reads-d.Reads+f.Own[i].Reads, writes-d.Writes+f.Own[i].Writes
			}
			require.Zero(t, reads, "%s: reads of its VMs are reads of its devices", e.Row.Name)
			require.Zero(t, writes)
			for i := range f.PNICs {
				tx, rx = tx-f.PNICs[i].TxBytes, rx-f.PNICs[i].RxBytes
			}
			for i, v := range f.Host.VMKs() {
				if v.Uplink >= 0 {
					tx, rx = tx+f.VMKs[i].TxBytes, rx+f.VMKs[i].RxBytes
				}
			}
			require.Zero(t, tx, "%s: traffic of its ports is traffic of its NICs", e.Row.Name)
			require.Zero(t, rx)
			require.Len(t, f.LCPUs, f.Host.Cores*f.Host.PerCore)
			requireCPUs(f, t, e.Row.Name)
		}
	})
}

// requireCPUs checks that each counter of the host's CPUs agrees with its worlds' run time, and which values the threads of a
// core share.
func requireCPUs(f *load.HostFigures, t *testing.T, name string) {
	t.Helper()
	h := f.Host
	ran, sum, used, awake := f.CPU.Run+f.CPU.Sys, int64(0), int64(0), int64(0)
	for _, micros := range f.OwnRun {
		ran += micros / 1000
	}
	alike := map[int64]bool{}
	for i := 0; i < len(f.LCPUs); i += h.PerCore {
		threads, both := f.LCPUs[i:i+h.PerCore], int64(0)
		for _, c := range threads {
			sum, used, both = sum+c.Busy, used+c.Used, both+c.Busy
			require.Equal(t, threads[0].Core, c.Core, "%s: a core is one", name)
			require.LessOrEqual(t, c.Busy, c.Core)
			require.LessOrEqual(t, c.Core, load.SlotMillis)
			require.LessOrEqual(t, c.Used, c.Clocked+1)
			require.LessOrEqual(t, c.Used, load.SlotMillis*115/100)
			require.GreaterOrEqual(t, min(c.Busy, c.Used, c.Deep, c.Slow, c.Busy-c.Slow), int64(0))
			require.LessOrEqual(t, c.Busy+c.Deep, load.SlotMillis)
			if c.Busy > 100 {
				require.InDelta(t, f.Speed, float64(c.Clocked)/float64(c.Busy), .08, "%s: the clock of %d", name, i)
			}
			alike[c.Busy] = true
		}
		require.LessOrEqual(t, threads[0].Core, both)
		awake += threads[0].Core
	}
	require.InDelta(t, f.Speed, float64(used)/float64(max(awake, 1)), .01, "%s runs at its speed", name)
	most := int64(len(f.LCPUs)) * load.SlotMillis
	require.InDelta(t, min(ran, most), sum, float64(len(f.OwnRun)+1), "%s: its CPUs do what its worlds run", name)
	if sum*10 < most*9 && sum*50 > most {
		require.Greater(t, len(alike), len(f.LCPUs)/2, "%s: each CPU has its own", name)
	}
}

// CPU times are the same in the statistics and in the Esxtop service.
func TestViewsOfCPUsAgree(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	clock.forward(4 * time.Second)
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	next := reader(t, c, "host06.demo.local")
	next()
	clock.forward(perf.Interval * time.Second)
	frame, s := next(), newStatistics(t, c)
	spec := s.spec(hostNamed(t, c, "host06").Reference(), perf.Interval, "cpu.utilization.average|*", "cpu.coreUtilization.average|*", "cpu.usage.average|*")
	spec.MaxSample = 1
	got := s.of(spec).series
	for i := range frame.Rows(esxtop.PCPU) {
		row, one := &frame.Rows(esxtop.PCPU)[i], "|"+strconv.Itoa(i)
		require.InDelta(t, float64(got["cpu.utilization.average"+one][0])/100, figure(t, row, "pcpu.util"), .02)
		require.InDelta(t, float64(got["cpu.usage.average"+one][0])/100, figure(t, row, "pcpu.used"), .02)
		if i%2 == 0 {
			require.InDelta(t, float64(got["cpu.coreUtilization.average"+one][0])/100, figure(t, row, "pcpu.coreUtil"), .02)
		}
	}
	require.InDelta(t, float64(got["cpu.utilization.average|"][0])/100, figure(t, &frame.Rows(esxtop.Host)[0], "pcpu.utilAvg"), .02)
}

// hourOf returns an hour of a host's or VM's samples, sorted.
func hourOf(end time.Time, of func(slot int64) float64) (list []float64) {
	last := load.SlotOf(end) - 1
	for slot := last - 179; slot <= last; slot++ {
		list = append(list, of(slot))
	}
	slices.Sort(list)
	return list
}

func (f *Fleet) runs(name string) (*load.Model, *load.Residency) {
	for _, s := range f.servers {
		for _, e := range s.built.hostOrder {
			for _, one := range s.built.loads.History.Running(e.System.Self.Value) {
				if one.Settings.Name == name {
					return s.built.loads, one
				}
			}
		}
	}
	return nil, nil
}

func (f *Fleet) hostBy(short string) (*load.Model, string) {
	for _, s := range f.servers {
		if e := s.built.hosts[short+".demo.local"]; e != nil {
			return s.built.loads, e.System.Self.Value
		}
	}
	return nil, ""
}

const (
	median = 90
	p95    = 171
	worst  = 179
)

// ofOneVCPU converts milliseconds of all vCPUs to percent of one.
func ofOneVCPU(f *load.VMFigures, ms int64) float64 {
	return float64(ms) / float64(load.SlotMillis) * 100 / float64(len(f.VCPUs))
}

func dropped(list []load.Traffic) float64 {
	var sum load.Traffic
	for i := range list {
		sum.Plus(&list[i], load.Whole)
	}
	return float64(sum.DroppedRx) * 100 / float64(max(1, sum.DroppedRx+sum.RxPackets))
}

// A VM's fault shows in its counters, day and night, and a healthy VM of the same kind does not show it. The limits are those of
// the rules over live counters.
func TestPlantedFaultsOfVMsShow(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	f := common(t)
	ready := func(f *load.VMFigures) float64 { return ofOneVCPU(f, f.CPU.Ready-f.CPU.MaxLimited) }
	limited := func(f *load.VMFigures) float64 { return ofOneVCPU(f, f.CPU.MaxLimited) }
	costop := func(f *load.VMFigures) float64 { return ofOneVCPU(f, f.CPU.Costop) }
	balloon := func(f *load.VMFigures) float64 { return float64(f.Mem.Balloon) * 100 / float64(f.Mem.Size) }
	swapIn := func(f *load.VMFigures) float64 { return float64(f.Mem.SwapIn) }
	unzip := func(f *load.VMFigures) float64 { return float64(f.Mem.Unzip) }
	remote := func(f *load.VMFigures) float64 { return 100 - float64(f.Mem.Local)*100/float64(f.Mem.Granted) }
	drops := func(f *load.VMFigures) float64 { return dropped(f.NICs) }
	unused := func(f *load.VMFigures) float64 { // in percent of its CPU time, if siblings are stopped
		if f.CPU.Costop == 0 {
			return 0
		}
		return 100 - ofOneVCPU(f, f.CPU.Used)
	}
	busy := func(f *load.VMFigures) float64 { return ofOneVCPU(f, f.CPU.Used) }
	past := func(f *load.VMFigures) float64 {
		return float64(f.Mem.Swapped) / float64(1+f.Mem.SwapIn+f.Mem.SwapOut+f.Mem.Unzip)
	}
	idle := func(f *load.VMFigures) float64 {
		return balloon(f) - float64(f.Mem.Active)*100/float64(f.Mem.Size) - swapIn(f)
	}
	latency := func(f *load.VMFigures) float64 {
		return float64(f.Disks[1].ReadTotal) / float64(max(f.Disks[1].Reads, 1)) / 1000
	}
	for what, c := range map[string]struct {
		fault, clean []string
		of           func(*load.VMFigures) float64
		at           int
		limit        float64
	}{
		"more vCPUs than cores":             {[]string{"desk-01", "desk-25", "lab-farm-03"}, []string{"web-03", "app-clean-01", "db-sql-02", "db-ora-02"}, ready, p95, 5},
		"low latency without a reservation": {[]string{"trade-lat-01", "trade-lat-02", "edge-lat-02", "nfv-core-02"}, []string{"trade-gw-01", "trade-gw-02", "trade-smt-01", "edge-lat-01", "rt-ctrl-01"}, ready, p95, 1},
		"a CPU limit below the demand":      {[]string{"db-oltp-01"}, []string{"db-sql-01", "db-my-01"}, limited, median, 5},
		"a CPU limit of its pool":           {[]string{"app-build-01"}, []string{"replay-01", "web-01", "web-03"}, limited, median, 5},
		"more to do than it can":            {[]string{"app-clean-01"}, []string{"db-my-01", "db-sql-01"}, busy, median, 80},
		"swapped long ago":                  {[]string{"app-iis-01"}, []string{"web-03", "db-sql-02"}, past, median, 0},
		"a balloon without effect":          {[]string{"vdi-clone-01"}, []string{"web-03", "db-sql-02"}, idle, median, 5},
		"too wide for its host":             {[]string{"spark-01", "spark-02", "hpc-monster-01"}, []string{"hpc-monster-02", "app-clean-01", "db-sql-01"}, costop, p95, 3},
		"vCPUs that it does not use":        {[]string{"spark-01", "spark-02"}, []string{"web-03", "hpc-monster-01"}, unused, p95, 70},
		"a memory limit, the balloon":       {[]string{"db-pg-02"}, []string{"db-ora-01", "app-cache-02"}, balloon, median, 5},
		"a memory limit, swap":              {[]string{"db-pg-02"}, []string{"db-ora-01", "app-cache-02"}, swapIn, p95, 0},
		"a host that is short, the balloon": {[]string{"desk-07", "hpc-mesh-01", "lab-farm-01"}, []string{"web-03", "hpc-monster-02"}, balloon, median, 5},
		"a host that is short, swap":        {[]string{"desk-07", "hpc-mesh-01", "lab-farm-01"}, []string{"web-03", "hpc-monster-02"}, swapIn, p95, 0},
		"a host that is short, compression": {[]string{"desk-07", "lab-farm-01"}, []string{"web-03", "hpc-monster-02"}, unzip, p95, 0},
		"kept away from its memory":         {[]string{"feed-pin-01", "feed-pin-03", "hpc-monster-03", "db-ora-01", "db-ora-02", "app-prefer-01"}, []string{"trade-gw-01", "feed-rx-01", "hpc-monster-02", "db-ora-03", "web-03"}, remote, median, 20},
		"an emulated NIC":                   {[]string{"web-01", "web-02", "edge-web-01", "lab-web-01"}, []string{"web-03", "app-clean-01", "trade-gw-01"}, drops, worst, 0},
		"one queue for many packets":        {[]string{"feed-rx-01", "feed-rx-02"}, []string{"feed-keys-01", "feed-keys-02"}, drops, worst, 0},
		"a disk with too much load":         {[]string{"db-pile-01", "vdi-clone-02"}, []string{"db-spread-01", "vdi-clone-01"}, latency, median, 20},
	} {
		for _, hour := range []int{3, 12, 20} {
			end := time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)
			value := func(name string) float64 {
				l, s := f.runs(name)
				require.NotNil(t, s, name)
				return hourOf(end, func(slot int64) float64 { return c.of(l.VM(s, slot)) })[c.at]
			}
			for _, name := range c.fault {
				require.Greater(t, value(name), c.limit, "%s: %s at %d", what, name, hour)
			}
			for _, name := range c.clean {
				require.LessOrEqual(t, value(name), c.limit, "%s: %s at %d is clean", what, name, hour)
			}
		}
	}
}

func TestPlantedFaultsOfHostsShow(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	f := common(t)
	device := func(of func(*load.IO) int64) func(*load.HostFigures) float64 {
		return func(f *load.HostFigures) (most float64) {
			for i := range f.Devices {
				most = max(most, float64(of(&f.Devices[i])))
			}
			return most
		}
	}
	state := func(f *load.HostFigures) float64 { return float64(f.Mem.State) }
	swapIn := func(f *load.HostFigures) float64 { return float64(f.Sum.SwapIn) }
	full := func(f *load.HostFigures) float64 { return float64(f.LCPU(0).Core) * 100 / float64(load.SlotMillis) }
	slower := func(f *load.HostFigures) float64 { return 1 - f.Speed }
	drops := func(f *load.HostFigures) float64 {
		var all []load.Traffic
		for i := range f.PNICs {
			all = append(all, *f.NIC(i))
		}
		return dropped(all)
	}
	onPort := func(name string) func(*load.HostFigures) float64 {
		return func(f *load.HostFigures) float64 {
			i := slices.IndexFunc(f.Host.PNICs, func(n load.PNIC) bool { return n.Name == name })
			return dropped([]load.Traffic{*f.NIC(i)})
		}
	}
	for what, c := range map[string]struct {
		fault, clean []string
		of           func(*load.HostFigures) float64
		at           int
		limit        float64
	}{
		"no room left":          {[]string{"host16", "esxi-b"}, []string{"host06", "host08", "host04"}, full, median, 84},
		"short of memory":       {[]string{"host14", "host16", "esxi-b"}, []string{"host06", "host05", "host08"}, state, p95, 0},
		"swaps":                 {[]string{"host14", "host16", "esxi-b"}, []string{"host06", "host08", "host01"}, swapIn, p95, 0},
		"a small ring":          {[]string{"host01", "host07"}, []string{"host03", "host06", "host08", "host05"}, drops, worst, 0},
		"a slow link":           {[]string{"host07"}, []string{"host06", "host08"}, onPort("vmnic1"), worst, 0},
		"a slow array":          {[]string{"host06"}, []string{"host08", "host07"}, device(perf.IOFigures["deviceLatency"]), p95, 25},
		"a short queue":         {[]string{"host04"}, []string{"host08", "host05", "host01"}, device(perf.IOFigures["kernelLatency"]), p95, 2},
		"aborted commands":      {[]string{"host06"}, []string{"host08", "host04"}, device(perf.IOFigures["commandsAborted"]), worst, 0},
		"cores that run slowly": {[]string{"host05", "host06", "host10"}, []string{"host02", "host07"}, slower, median, 0},
	} {
		for _, hour := range []int{3, 12, 20} {
			end := time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)
			value := func(name string) float64 {
				l, host := f.hostBy(name)
				return hourOf(end, func(slot int64) float64 { return c.of(l.Host(host, slot)) })[c.at]
			}
			for _, name := range c.fault {
				require.Greater(t, value(name), c.limit, "%s: %s at %d", what, name, hour)
			}
			for _, name := range c.clean {
				require.LessOrEqual(t, value(name), c.limit, "%s: %s at %d is clean", what, name, hour)
			}
		}
	}
}

// A write changes only the slots that begin after it.
func TestLoadFollowsSettings(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	figures := func(vm string, slot int64) *load.VMFigures {
		l, s := f.runs(vm)
		for _, one := range l.History.OfVM(s.VM) {
			if one.Covers(slot) {
				return l.VM(one, slot)
			}
		}
		return nil
	}
	before := map[int64]*load.VMFigures{}
	slot := load.SlotOf(clock.now())
	names := []string{"db-oltp-01", "db-pg-02", "trade-lat-01", "feed-pin-01", "app-files-01"}
	for back := range int64(10) {
		for i, name := range names {
			before[(slot-back)*10+int64(i)] = figures(name, slot-back)
		}
	}
	rdy := func(name string, slot int64) int64 { return figures(name, slot).CPU.Ready }
	require.Positive(t, figures("db-oltp-01", slot).CPU.MaxLimited)

	change := func(name string, spec types.VirtualMachineConfigSpec) {
		t.Helper()
		job, err := vmNamed(t, c, name).Reconfigure(t.Context(), spec)
		finish(t, job, err)
	}
	change("db-oltp-01", types.VirtualMachineConfigSpec{CpuAllocation: &types.ResourceAllocationInfo{Limit: new(int64(noLimit))}})
	change("db-pg-02", types.VirtualMachineConfigSpec{MemoryAllocation: &types.ResourceAllocationInfo{Limit: new(int64(noLimit))}})
	change("trade-lat-01", types.VirtualMachineConfigSpec{LatencySensitivity: &types.LatencySensitivity{Level: normal}})
	change("feed-pin-01", types.VirtualMachineConfigSpec{CpuAffinity: &types.VirtualMachineAffinityInfo{AffinitySet: []int32{}}})
	change("db-my-01", types.VirtualMachineConfigSpec{NumCPUs: 8})
	change("app-files-01", types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{
		Operation: types.VirtualDeviceConfigSpecOperationEdit, Device: unlimited(t, c, "app-files-01"),
	}}})
	small, short := hostNamed(t, c, "host01"), hostNamed(t, c, "host04")
	_, err := esxcliRun(t, c, small, "network", "nic", "ring", "current", "set", "-n", "vmnic0", "-r", "8192")
	require.NoError(t, err)
	_, err = esxcliRun(t, c, small, "network", "nic", "ring", "current", "set", "-n", "vmnic0", "-r", "8193")
	require.Error(t, err, "more than the driver takes")
	_, err = esxcliRun(t, c, short, "storage", "core", "device", "set", "-d", sanDisk, "-O", "64")
	require.NoError(t, err)
	low, host := hostNamed(t, c, "host05"), f.vcenter().built.hosts["host05.demo.local"].System.Self.Value
	require.NoError(t, setPower(t, low, esxi.PolicyStatic))
	clock.forward(time.Minute)

	for key, want := range before {
		name := names[key%10]
		require.Equal(t, want, figures(name, key/10), "%s %d slots ago", name, slot-key/10)
	}
	now := load.SlotOf(clock.now())
	require.Zero(t, figures("db-oltp-01", now).CPU.MaxLimited)
	require.Zero(t, figures("db-pg-02", now).Mem.Balloon+figures("db-pg-02", now).Mem.SwapIn)
	require.Less(t, rdy("trade-lat-01", now), rdy("trade-lat-01", slot)/2)
	require.Less(t, figures("feed-pin-01", now).Mem.Remote, figures("feed-pin-01", slot).Mem.Remote/5)
	l := f.vcenter().built.loads
	require.Less(t, l.Host(host, slot).Speed, .85)
	require.Greater(t, l.Host(host, now).Speed, 1.0)
	require.Greater(t, l.Host(host, now).Watts, l.Host(host, slot).Watts, "at rest it needs more")

	require.Len(t, figures("db-my-01", slot).VCPUs, 4)
	require.Len(t, figures("db-my-01", now).VCPUs, 8)
	ofHost := func(name string, of func(*load.HostFigures) float64) (before, after float64) {
		l, ref := f.hostBy(name)
		for n := range int64(60) {
			before, after = before+of(l.Host(ref, slot-n)), after+of(l.Host(ref, now+n))
		}
		return before, after
	}
	waits := func(from int64) (micros int64) {
		for n := range int64(60) {
			f := figures("app-files-01", from+n)
			micros += f.Disks[0].ReadTotal / max(f.Disks[0].Reads, 1)
		}
		return micros
	}
	require.Greater(t, waits(slot-59), 2*waits(now), "a limit of I/Os")
	before1, after1 := ofHost("host01", func(f *load.HostFigures) float64 { return float64(f.Lost[0]) })
	require.Positive(t, before1)
	require.Zero(t, after1, "a large ring loses nothing")
	before4, after4 := ofHost("host04", func(f *load.HostFigures) float64 { return f.Pressure.Devices[1].Queue })
	require.Positive(t, before4)
	require.Zero(t, after4, "nothing waits in a long queue")
}

// unlimited returns a VM's first disk without a limit.
func unlimited(t *testing.T, c *vim25.Client, name string) *types.VirtualDisk {
	t.Helper()
	devices, err := vmNamed(t, c, name).Device(t.Context())
	require.NoError(t, err)
	d := devices.SelectByType((*types.VirtualDisk)(nil))[0].(*types.VirtualDisk)
	d.StorageIOAllocation.Limit = new(int64(noLimit))
	return d
}

// At sixty times the speed the load curves are where they would be after sixty times the duration, and clocks are unchanged.
func TestSpeedOfLoad(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	once, fast := start(t, Config{Now: clock.now}), start(t, Config{Now: clock.now, Speed: 60})
	curve := func(f *Fleet) (list []int64) {
		l, s := f.runs("batch-etl-01")
		from := load.SlotOf(clock.now())
		for n := range int64(72) { // 24 minutes
			list = append(list, l.VM(s, from+n).UsedMHz)
		}
		return list
	}
	slowly, quickly := curve(once), curve(fast)
	require.Less(t, slices.Max(slowly), 2*slices.Min(slowly), "nothing happens in 24 minutes")
	require.Greater(t, slices.Max(quickly), 3*slices.Min(quickly), "a day passes")
	host := fast.vcenter().built.hostOrder[0].System.Self.Value
	a, _ := fast.vcenter().built.loads.Counters(host, clock.now())
	clock.forward(20 * time.Second)
	b, _ := fast.vcenter().built.loads.Counters(host, clock.now())
	require.EqualValues(t, 20_000_000, b.Uptime-a.Uptime)
	require.Error(t, Config{Speed: -1}.Check())
}

// The growth of the counters over a slot equals the statistics, and counters never decrease.
func TestCountersAreTheSumsOfTheirSlots(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	eachHost(common(t), func(of *load.Model, _ *esxi.Host, host string) {
		l := load.New(of.History, 1, 0, load.Noise{}) // a model that no other test uses
		slot := load.SlotOf(noon())
		at := load.SlotStart(slot)
		last, ok := l.Counters(host, at)
		require.True(t, ok)
		first := last
		for _, step := range []time.Duration{2000333 * time.Microsecond, 5 * time.Second, 9998777 * time.Microsecond, 3000890 * time.Microsecond} {
			at = at.Add(step)
			next, _ := l.Counters(host, at)
			requireLater(t, last, next)
			last = next
		}
		require.True(t, at.Equal(load.SlotStart(slot+1)))
		want := l.Host(host, slot)
		vms := want.All(slot)
		for i, st := range want.Residencies {
			a, b := countersOf(first, st.VM), countersOf(last, st.VM)
			var got load.WorldFigures
			for k := range b.Worlds {
				if w, old := b.Worlds[k], a.Worlds[k]; w.VCPU >= 0 {
					got.Run, got.Ready = got.Run+w.Run-old.Run, got.Ready+w.Ready-old.Ready
					got.Used, got.Wait, got.Idle = got.Used+w.Used-old.Used, got.Wait+w.Wait-old.Wait, got.Idle+w.Idle-old.Idle
				}
			}
			require.Equal(t, vms[i].CPU.Run*1000, got.Run)
			require.Equal(t, vms[i].CPU.Ready*1000, got.Ready)
			require.Equal(t, vms[i].CPU.Used*1000, got.Used)
			require.Equal(t, vms[i].CPU.Wait*1000, got.Wait)
			require.Equal(t, vms[i].CPU.Idle*1000, got.Idle)
			require.Equal(t, vms[i].Mem.SwapIn*load.SlotSeconds, b.Mem.SwapRead-a.Mem.SwapRead)
		}
		for i := range want.Devices {
			require.Equal(t, want.Devices[i].Commands, last.Devices[i].IO.Commands-first.Devices[i].IO.Commands)
			require.Equal(t, want.Devices[i].ReadIssue, last.Devices[i].IO.ReadIssue-first.Devices[i].IO.ReadIssue)
		}
		before, _ := l.Counters(host, at.Add(-time.Hour))
		require.Equal(t, last.Uptime, before.Uptime, "it does not go back")
	})
}

func countersOf(c load.HostCounters, ref string) load.GroupCounters {
	return c.Groups[slices.IndexFunc(c.Groups, func(g load.GroupCounters) bool { return g.Ref == ref })]
}

// requireLater compares two moments of an unchanged host.
func requireLater(t *testing.T, a, b load.HostCounters) {
	t.Helper()
	for i, g := range b.Groups {
		old := a.Groups[i]
		require.Equal(t, old.ID, g.ID)
		for k, w := range g.Worlds {
			o := old.Worlds[k]
			require.Equal(t, o.ID, w.ID)
			require.Equal(t, w.Up, w.Run+w.Ready+w.Costop+w.Wait, "%s of %s", w.Name, g.Display)
			require.LessOrEqual(t, w.Idle, w.Wait)
			require.LessOrEqual(t, w.MaxLimited, w.Ready)
			require.GreaterOrEqual(t, w.Latency, w.Ready-w.MaxLimited+w.Costop)
			for n, pair := range [][2]int64{
				{o.Up, w.Up}, {o.Run, w.Run}, {o.Used, w.Used}, {o.Sys, w.Sys}, {o.Ready, w.Ready}, {o.Costop, w.Costop},
				{o.MaxLimited, w.MaxLimited}, {o.Wait, w.Wait}, {o.Idle, w.Idle}, {o.SwapWait, w.SwapWait}, {o.Latency, w.Latency},
				{o.Switches, w.Switches}, {o.Wakeups, w.Wakeups},
			} {
				require.LessOrEqual(t, pair[0], pair[1], "%s of %s, %d", w.Name, g.Display, n)
			}
		}
	}
	paths, devices := map[string]load.IO{}, map[string]load.IO{}
	for i, p := range b.Paths {
		require.LessOrEqual(t, a.Paths[i].IO.Commands, p.IO.Commands)
		sum := paths[p.Device]
		sum.Plus(&p.IO, load.Whole)
		paths[p.Device] = sum
	}
	for i, d := range b.Devices {
		require.LessOrEqual(t, a.Devices[i].IO.ReadTotal, d.IO.ReadTotal)
		if len(b.Paths) > 0 {
			devices[d.Name] = d.IO
		}
	}
	require.Equal(t, devices, paths, "a device is the sum of its paths")
	for i, c := range b.LCPUs {
		old := a.LCPUs[i]
		require.Equal(t, b.Uptime, c.Cstates[0]+c.Cstates[1]+c.Cstates[2])
		for _, pair := range [][2]int64{{old.Used, c.Used}, {old.Halt, c.Halt}, {old.CoreHalt, c.CoreHalt}, {old.Aperf, c.Aperf}, {old.Mperf, c.Mperf}, {old.Cstates[1], c.Cstates[1]}} {
			require.LessOrEqual(t, pair[0], pair[1])
		}
		require.LessOrEqual(t, c.CoreHalt, c.Halt)
	}
	ids := map[int64]bool{}
	for i, set := range b.Portsets {
		ofUplinks, ofPorts := int64(0), int64(0)
		for k, p := range set.Ports {
			old := a.Portsets[i].Ports[k]
			require.Equal(t, old.ID, p.ID)
			require.False(t, ids[p.ID], "port %d twice", p.ID)
			ids[p.ID] = true
			require.LessOrEqual(t, old.Traffic.RxBytes, p.Traffic.RxBytes)
			require.LessOrEqual(t, old.Traffic.DroppedRx, p.Traffic.DroppedRx)
			switch {
			case p.Uplink:
				ofUplinks += p.Traffic.RxBytes
			default:
				ofPorts += p.Traffic.RxBytes
			}
		}
		require.Equal(t, ofUplinks, ofPorts, "%s", set.Name)
	}
}

// Statistics, quick stats and the host's command line agree.
func TestViewsOfLoadAgree(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	s := newStatistics(t, c)
	host := hostNamed(t, c, "host07")
	stats := func() map[string]int64 {
		rows := esxcliRows(t, c, host, "network nic stats get", "-n", "vmnic0")
		require.Len(t, rows, 1)
		all := map[string]int64{}
		for _, name := range []string{"Packetsreceived", "Receivepacketsdropped"} {
			n, err := strconv.ParseInt(rows[0].Value(name), 10, 64)
			require.NoError(t, err)
			all[name] = n
		}
		return all
	}
	before := stats()
	clock.forward(20 * time.Second)
	after := stats()
	clock.forward(20 * time.Second)
	last := stats()

	got := s.of(s.spec(host.Reference(), perf.Interval, "cpu.usagemhz.average", "mem.consumed.average", "net.packetsRx.summation|vmnic0", "net.droppedRx.summation|vmnic0"))
	newest := func(name string) int64 {
		list := got.series[name]
		return list[len(list)-1]
	}
	quick := hostProperties(t, host, "summary").Summary.QuickStats
	require.EqualValues(t, newest("cpu.usagemhz.average|"), quick.OverallCpuUsage)
	require.EqualValues(t, newest("mem.consumed.average|")>>10, quick.OverallMemoryUsage)
	booted := f.vcenter().built.hosts["host07.demo.local"].Row.Booted
	require.Equal(t, clock.now().Sub(booted).Truncate(time.Second), time.Duration(quick.Uptime)*time.Second)

	// 40 seconds span three slots, two of which are complete in the statistics
	l, ref := f.hostBy("host07")
	slot := load.SlotOf(noon())
	part := func(n int64) int64 { return l.Host(ref, slot+n).PNICs[0].RxPackets }
	require.InDelta(t, float64(part(0))*4/20+float64(part(1))*16/20, float64(after["Packetsreceived"]-before["Packetsreceived"]), 3)
	require.InDelta(t, float64(part(1))*4/20+float64(part(2))*16/20, float64(last["Packetsreceived"]-after["Packetsreceived"]), 3)
	require.Equal(t, part(1), newest("net.packetsRx.summation|vmnic0"))
	require.Equal(t, l.Host(ref, slot+1).Lost[0], newest("net.droppedRx.summation|vmnic0"))
	lost := func(n int64) float64 { return float64(l.Host(ref, slot+n).Lost[0]) }
	require.InDelta(t, lost(0)*4/20+lost(1)*16/20, float64(after["Receivepacketsdropped"]-before["Receivepacketsdropped"]), 3)

	for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name", "summary", "runtime") {
		q := vm.Summary.QuickStats
		if vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
			require.Zero(t, q.OverallCpuUsage+q.GuestMemoryUsage+q.UptimeSeconds, vm.Name)
			continue
		}
		got := s.of(s.spec(vm.Self, perf.Interval, "cpu.usagemhz.average", "mem.active.average", "mem.vmmemctl.average", "mem.swapped.average", "cpu.ready.summation", "sys.uptime.latest"))
		at := len(got.stamps) - 1
		if got.series["cpu.usagemhz.average|"][at] == perf.NoSample {
			continue
		}
		require.EqualValues(t, got.series["cpu.usagemhz.average|"][at], q.OverallCpuUsage, vm.Name)
		require.EqualValues(t, got.series["mem.active.average|"][at]>>10, q.GuestMemoryUsage)
		require.EqualValues(t, got.series["mem.vmmemctl.average|"][at]>>10, q.BalloonedMemory)
		require.EqualValues(t, got.series["mem.swapped.average|"][at]>>10, q.SwappedMemory)
		require.InDelta(t, got.series["sys.uptime.latest|"][at], q.UptimeSeconds, 20)
	}
}
