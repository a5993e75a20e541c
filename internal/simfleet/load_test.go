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

	"github.com/vperf/vperf/pkg/esxtop"
)

// slotsOfADay are some slots at all hours of the day of noon.
func slotsOfADay() (list []int64) {
	first := slotOf(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	for n := range int64(24) {
		list = append(list, first+n*180+n*7)
	}
	return list
}

// eachHost calls f for each host of a fleet.
func eachHost(f *Fleet, do func(l *loads, e *esxi, host string)) {
	for _, s := range f.servers {
		for _, e := range s.built.hostOrder {
			do(s.built.loads, e, e.host.Self.Value)
		}
	}
}

// Who asks twice gets the same, from another fleet as well, and no two slots are alike.
func TestLoadIsAFunctionOfItsSlot(t *testing.T) {
	t.Parallel()
	first, second := common(t), startAll(t, Config{Now: noon})
	eachHost(first, func(l *loads, e *esxi, host string) {
		for _, s := range second.servers {
			other := s.built.hosts[e.row.name]
			if other == nil {
				continue
			}
			seen := map[int64]bool{}
			for _, slot := range slotsOfADay() {
				a, b := l.host(host, slot), s.built.loads.host(other.host.Self.Value, slot)
				require.Equal(t, a.cpu, b.cpu, e.row.name)
				require.Equal(t, a.mem, b.mem, e.row.name)
				require.Equal(t, a.devices, b.devices, e.row.name)
				require.Equal(t, a.all(slot), b.all(slot), e.row.name)
				seen[a.cpu.ready<<40+a.cpu.run] = true
			}
			if len(l.history.running(host)) > 0 {
				require.Greater(t, len(seen), 20, "%s repeats itself", e.row.name)
			}
		}
	})
}

func requireWhole(w *worldFigures, t *testing.T, vcpus int64) {
	t.Helper()
	require.Equal(t, vcpus*slotMillis, w.run+w.ready+w.costop+w.wait)
	require.LessOrEqual(t, w.idle+w.swapWait, w.wait)
	require.GreaterOrEqual(t, w.latency, w.ready-w.maxLimited+w.costop)
	require.LessOrEqual(t, w.maxLimited, w.ready)
	require.LessOrEqual(t, w.swapWait, w.memLatency)
	require.GreaterOrEqual(t, min(w.run, w.ready, w.costop, w.wait, w.idle, w.used, w.maxLimited), int64(0))
}

// What belongs together adds up, for each VM and host at any hour.
func TestLoadAddsUp(t *testing.T) {
	t.Parallel()
	eachHost(common(t), func(l *loads, e *esxi, host string) {
		for _, slot := range slotsOfADay() {
			f := l.host(host, slot)
			var mhz, balloon, reads, writes, tx, rx int64
			for i, v := range f.all(slot) {
				var sum worldFigures
				for k := range v.vcpus {
					requireWhole(&v.vcpus[k], t, 1)
					sum.plus(&v.vcpus[k], whole)
				}
				require.Equal(t, v.cpu, sum)
				mhz += v.usedMHz
				m := v.mem
				balloon += m.balloon
				require.Equal(t, m.granted, m.local+m.remote)
				nodes := int64(0)
				for _, kb := range m.nodes {
					nodes += kb
				}
				require.Equal(t, m.granted, nodes, "%s on its nodes", f.stays[i].settings.name)
				require.LessOrEqual(t, m.active, m.granted)
				require.LessOrEqual(t, m.granted+m.balloon+m.swapped+m.zipped, m.size)
				require.LessOrEqual(t, m.balloon, m.balloonMax)
				require.GreaterOrEqual(t, min(m.granted, m.consumed, m.active, m.swapped), int64(0))
				for k := range v.issue {
					reads, writes = reads+v.issue[k].reads, writes+v.issue[k].writes
					require.LessOrEqual(t, v.issue[k].readTotal, v.disks[k].readTotal, "a guest waits for the device and longer")
				}
				for k := range v.nics {
					if !f.stays[i].settings.nics[k].bypass {
						tx, rx = tx+v.nics[k].txBytes, rx+v.nics[k].rxBytes
					}
				}
			}
			require.Equal(t, f.usedMHz, mhz+f.ownMHz)
			require.LessOrEqual(t, mhz, int64(float64(f.host.capacityMHz())*1.5), "%s gives no more than it has", e.row.name)
			m := f.mem
			require.Equal(t, m.balloon, balloon)
			require.Equal(t, m.physical, m.kernel+m.other+m.free, e.row.name)
			require.Equal(t, m.managed, m.reserved+m.unreserved)
			free := int64(0)
			for _, kb := range f.nodes {
				free += kb
			}
			require.Equal(t, m.free, free)
			for i := range f.devices {
				d, paths := f.devices[i], ioCounters{}
				for k := range f.paths[i] {
					paths.plus(&f.paths[i][k], whole)
				}
				if len(f.paths[i]) > 0 {
					require.Equal(t, d, paths, "%s of %s", f.host.devices[i].name, e.row.name)
				}
				require.LessOrEqual(t, d.reads+d.writes, d.commands)
				require.LessOrEqual(t, d.readIssue+d.readQueue, d.readTotal+d.reads)
				reads, writes = reads-d.reads+f.own[i].reads, writes-d.writes+f.own[i].writes
			}
			require.Zero(t, reads, "%s: what its VMs read is read from its devices", e.row.name)
			require.Zero(t, writes)
			for i := range f.pnics {
				tx, rx = tx-f.pnics[i].txBytes, rx-f.pnics[i].rxBytes
			}
			for i, v := range f.host.vmks() {
				if v.uplink >= 0 {
					tx, rx = tx+f.vmks[i].txBytes, rx+f.vmks[i].rxBytes
				}
			}
			require.Zero(t, tx, "%s: what its ports send goes through its NICs", e.row.name)
			require.Zero(t, rx)
			require.Len(t, f.lcpus, f.host.cores*f.host.perCore)
			requireCPUs(f, t, e.row.name)
		}
	})
}

// requireCPUs checks that the host's CPUs did what its worlds ran, each in its own way, and what threads of a core have in common.
func requireCPUs(f *hostFigures, t *testing.T, name string) {
	t.Helper()
	h := f.host
	ran, sum, used, awake := f.cpu.run+f.cpu.sys, int64(0), int64(0), int64(0)
	for _, micros := range f.ownRun {
		ran += micros / 1000
	}
	alike := map[int64]bool{}
	for i := 0; i < len(f.lcpus); i += h.perCore {
		threads, both := f.lcpus[i:i+h.perCore], int64(0)
		for _, c := range threads {
			sum, used, both = sum+c.busy, used+c.used, both+c.busy
			require.Equal(t, threads[0].core, c.core, "%s: a core is one", name)
			require.LessOrEqual(t, c.busy, c.core)
			require.LessOrEqual(t, c.core, slotMillis)
			require.LessOrEqual(t, c.used, c.clocked+1)
			require.LessOrEqual(t, c.used, slotMillis*115/100)
			require.GreaterOrEqual(t, min(c.busy, c.used, c.deep, c.slow, c.busy-c.slow), int64(0))
			require.LessOrEqual(t, c.busy+c.deep, slotMillis)
			if c.busy > 100 {
				require.InDelta(t, f.speed, float64(c.clocked)/float64(c.busy), .08, "%s: the clock of %d", name, i)
			}
			alike[c.busy] = true
		}
		require.LessOrEqual(t, threads[0].core, both)
		awake += threads[0].core
	}
	require.InDelta(t, f.speed, float64(used)/float64(max(awake, 1)), .01, "%s runs at its speed", name)
	most := int64(len(f.lcpus)) * slotMillis
	require.InDelta(t, min(ran, most), sum, float64(len(f.ownRun)+1), "%s: its CPUs do what its worlds run", name)
	if sum*10 < most*9 && sum*50 > most {
		require.Greater(t, len(alike), len(f.lcpus)/2, "%s: each CPU has its own", name)
	}
}

// What a CPU did is the same in the statistics and in the Esxtop service.
func TestViewsOfCPUsAgree(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	clock.forward(4 * time.Second)
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	next := reader(t, c, "host06.demo.local")
	next()
	clock.forward(realtimeInterval * time.Second)
	frame, s := next(), newStatistics(t, c)
	spec := s.spec(hostNamed(t, c, "host06").Reference(), realtimeInterval, "cpu.utilization.average|*", "cpu.coreUtilization.average|*", "cpu.usage.average|*")
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

// hourOf is an hour of a host's or VM's samples, ordered.
func hourOf(end time.Time, of func(slot int64) float64) (list []float64) {
	last := slotOf(end) - 1
	for slot := last - 179; slot <= last; slot++ {
		list = append(list, of(slot))
	}
	slices.Sort(list)
	return list
}

func (f *Fleet) runs(name string) (*loads, *stay) {
	for _, s := range f.servers {
		for _, e := range s.built.hostOrder {
			for _, one := range s.built.loads.history.running(e.host.Self.Value) {
				if one.settings.name == name {
					return s.built.loads, one
				}
			}
		}
	}
	return nil, nil
}

func (f *Fleet) hostBy(short string) (*loads, string) {
	for _, s := range f.servers {
		if e := s.built.hosts[short+".demo.local"]; e != nil {
			return s.built.loads, e.host.Self.Value
		}
	}
	return nil, ""
}

const (
	median = 90
	p95    = 171
	worst  = 179
)

// ofOneVCPU is milliseconds of all vCPUs in percent of one.
func ofOneVCPU(f *vmFigures, ms int64) float64 {
	return float64(ms) / float64(slotMillis) * 100 / float64(len(f.vcpus))
}

func dropped(list []traffic) float64 {
	var sum traffic
	for i := range list {
		sum.plus(&list[i], whole)
	}
	return float64(sum.droppedRx) * 100 / float64(max(1, sum.droppedRx+sum.rxPackets))
}

// What is wrong with a VM shows in its counters, by night and by day, and its clean twin shows none of it. The limits are those of
// the rules that ask for live counters.
func TestPlantedFaultsOfVMsShow(t *testing.T) {
	t.Parallel()
	f := common(t)
	ready := func(f *vmFigures) float64 { return ofOneVCPU(f, f.cpu.ready-f.cpu.maxLimited) }
	limited := func(f *vmFigures) float64 { return ofOneVCPU(f, f.cpu.maxLimited) }
	costop := func(f *vmFigures) float64 { return ofOneVCPU(f, f.cpu.costop) }
	balloon := func(f *vmFigures) float64 { return float64(f.mem.balloon) * 100 / float64(f.mem.size) }
	swapIn := func(f *vmFigures) float64 { return float64(f.mem.swapIn) }
	unzip := func(f *vmFigures) float64 { return float64(f.mem.unzip) }
	remote := func(f *vmFigures) float64 { return 100 - float64(f.mem.local)*100/float64(f.mem.granted) }
	drops := func(f *vmFigures) float64 { return dropped(f.nics) }
	unused := func(f *vmFigures) float64 { // in percent of what it has, where siblings are stopped
		if f.cpu.costop == 0 {
			return 0
		}
		return 100 - ofOneVCPU(f, f.cpu.used)
	}
	busy := func(f *vmFigures) float64 { return ofOneVCPU(f, f.cpu.used) }
	past := func(f *vmFigures) float64 {
		return float64(f.mem.swapped) / float64(1+f.mem.swapIn+f.mem.swapOut+f.mem.unzip)
	}
	idle := func(f *vmFigures) float64 {
		return balloon(f) - float64(f.mem.active)*100/float64(f.mem.size) - swapIn(f)
	}
	latency := func(f *vmFigures) float64 {
		return float64(f.disks[1].readTotal) / float64(max(f.disks[1].reads, 1)) / 1000
	}
	for what, c := range map[string]struct {
		fault, clean []string
		of           func(*vmFigures) float64
		at           int
		limit        float64
	}{
		"more vCPUs than cores":               {[]string{"desk-01", "desk-25", "lab-farm-03"}, []string{"web-03", "app-clean-01", "db-sql-02", "db-ora-02"}, ready, p95, 5},
		"low latency without a reservation":   {[]string{"trade-lat-01", "trade-lat-02", "edge-lat-02", "nfv-core-02"}, []string{"trade-gw-01", "trade-gw-02", "trade-smt-01", "edge-lat-01", "rt-ctrl-01"}, ready, p95, 1},
		"a CPU limit below what is wanted":    {[]string{"db-oltp-01"}, []string{"db-sql-01", "db-my-01"}, limited, median, 5},
		"a CPU limit of its pool":             {[]string{"app-build-01"}, []string{"replay-01", "web-01", "web-03"}, limited, median, 5},
		"more to do than it can":              {[]string{"app-clean-01"}, []string{"db-my-01", "db-sql-01"}, busy, median, 80},
		"swapped long ago":                    {[]string{"app-iis-01"}, []string{"web-03", "db-sql-02"}, past, median, 0},
		"a balloon that nobody misses":        {[]string{"vdi-clone-01"}, []string{"web-03", "db-sql-02"}, idle, median, 5},
		"too wide for its host":               {[]string{"spark-01", "spark-02", "hpc-monster-01"}, []string{"hpc-monster-02", "app-clean-01", "db-sql-01"}, costop, p95, 3},
		"vCPUs that it does not use":          {[]string{"spark-01", "spark-02"}, []string{"web-03", "hpc-monster-01"}, unused, p95, 70},
		"a memory limit, the balloon":         {[]string{"db-pg-02"}, []string{"db-ora-01", "app-cache-02"}, balloon, median, 5},
		"a memory limit, swap":                {[]string{"db-pg-02"}, []string{"db-ora-01", "app-cache-02"}, swapIn, p95, 0},
		"a host that is short, the balloon":   {[]string{"desk-07", "hpc-mesh-01", "lab-farm-01"}, []string{"web-03", "hpc-monster-02"}, balloon, median, 5},
		"a host that is short, swap":          {[]string{"desk-07", "hpc-mesh-01", "lab-farm-01"}, []string{"web-03", "hpc-monster-02"}, swapIn, p95, 0},
		"a host that is short, compression":   {[]string{"desk-07", "lab-farm-01"}, []string{"web-03", "hpc-monster-02"}, unzip, p95, 0},
		"kept away from its memory":           {[]string{"feed-pin-01", "feed-pin-03", "hpc-monster-03", "db-ora-01", "db-ora-02", "app-prefer-01"}, []string{"trade-gw-01", "feed-rx-01", "hpc-monster-02", "db-ora-03", "web-03"}, remote, median, 20},
		"an emulated NIC":                     {[]string{"web-01", "web-02", "edge-web-01", "lab-web-01"}, []string{"web-03", "app-clean-01", "trade-gw-01"}, drops, worst, 0},
		"one queue for many packets":          {[]string{"feed-rx-01", "feed-rx-02"}, []string{"feed-keys-01", "feed-keys-02"}, drops, worst, 0},
		"a disk that cannot do what is asked": {[]string{"db-pile-01", "vdi-clone-02"}, []string{"db-spread-01", "vdi-clone-01"}, latency, median, 20},
	} {
		for _, hour := range []int{3, 12, 20} {
			end := time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)
			value := func(name string) float64 {
				l, s := f.runs(name)
				require.NotNil(t, s, name)
				return hourOf(end, func(slot int64) float64 { return c.of(l.vm(s, slot)) })[c.at]
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
	t.Parallel()
	f := common(t)
	device := func(of ioView) func(*hostSample) float64 {
		return func(f *hostSample) (most float64) {
			for i := range f.devices {
				most = max(most, float64(of(&f.devices[i])))
			}
			return most
		}
	}
	state := func(f *hostSample) float64 { return float64(f.mem.state) }
	swapIn := func(f *hostSample) float64 { return float64(f.sum.swapIn) }
	full := func(f *hostSample) float64 { return float64(f.lcpu(0).core) * 100 / float64(slotMillis) }
	slower := func(f *hostSample) float64 { return 1 - f.speed }
	drops := func(f *hostSample) float64 {
		var all []traffic
		for i := range f.pnics {
			all = append(all, *f.nic(i))
		}
		return dropped(all)
	}
	onPort := func(name string) func(*hostSample) float64 {
		return func(f *hostSample) float64 {
			i := slices.IndexFunc(f.host.pnics, func(n pnicSettings) bool { return n.name == name })
			return dropped([]traffic{*f.nic(i)})
		}
	}
	for what, c := range map[string]struct {
		fault, clean []string
		of           func(*hostSample) float64
		at           int
		limit        float64
	}{
		"no room left":          {[]string{"host16", "esxi-b"}, []string{"host06", "host08", "host04"}, full, median, 84},
		"short of memory":       {[]string{"host14", "host16", "esxi-b"}, []string{"host06", "host05", "host08"}, state, p95, 0},
		"swaps":                 {[]string{"host14", "host16", "esxi-b"}, []string{"host06", "host08", "host01"}, swapIn, p95, 0},
		"a small ring":          {[]string{"host01", "host07"}, []string{"host03", "host06", "host08", "host05"}, drops, worst, 0},
		"a slow link":           {[]string{"host07"}, []string{"host06", "host08"}, onPort("vmnic1"), worst, 0},
		"a slow array":          {[]string{"host06"}, []string{"host08", "host07"}, device(ioViews["deviceLatency"]), p95, 25},
		"a short queue":         {[]string{"host04"}, []string{"host08", "host05", "host01"}, device(ioViews["kernelLatency"]), p95, 2},
		"commands given up":     {[]string{"host06"}, []string{"host08", "host04"}, device(ioViews["commandsAborted"]), worst, 0},
		"cores that run slowly": {[]string{"host05", "host06", "host10"}, []string{"host02", "host07"}, slower, median, 0},
	} {
		for _, hour := range []int{3, 12, 20} {
			end := time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)
			value := func(name string) float64 {
				l, host := f.hostBy(name)
				return hourOf(end, func(slot int64) float64 { return c.of(&hostSample{l.host(host, slot), l, host, slot}) })[c.at]
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

// What is written changes the slots that begin later, and no other.
func TestLoadFollowsSettings(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	figures := func(vm string, slot int64) *vmFigures {
		l, s := f.runs(vm)
		for _, one := range l.history.ofVM(s.vm) {
			if one.covers(slot) {
				return l.vm(one, slot)
			}
		}
		return nil
	}
	before := map[int64]*vmFigures{}
	slot := slotOf(clock.now())
	names := []string{"db-oltp-01", "db-pg-02", "trade-lat-01", "feed-pin-01", "app-files-01"}
	for back := range int64(10) {
		for i, name := range names {
			before[(slot-back)*10+int64(i)] = figures(name, slot-back)
		}
	}
	rdy := func(name string, slot int64) int64 { return figures(name, slot).cpu.ready }
	require.Positive(t, figures("db-oltp-01", slot).cpu.maxLimited)

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
	low, host := hostNamed(t, c, "host05"), f.vcenter().built.hosts["host05.demo.local"].host.Self.Value
	require.NoError(t, setPower(t, low, policyStatic))
	clock.forward(time.Minute)

	for key, want := range before {
		name := names[key%10]
		require.Equal(t, want, figures(name, key/10), "%s %d slots ago", name, slot-key/10)
	}
	now := slotOf(clock.now())
	require.Zero(t, figures("db-oltp-01", now).cpu.maxLimited)
	require.Zero(t, figures("db-pg-02", now).mem.balloon+figures("db-pg-02", now).mem.swapIn)
	require.Less(t, rdy("trade-lat-01", now), rdy("trade-lat-01", slot)/2)
	require.Less(t, figures("feed-pin-01", now).mem.remote, figures("feed-pin-01", slot).mem.remote/5)
	l := f.vcenter().built.loads
	require.Less(t, l.host(host, slot).speed, .85)
	require.Greater(t, l.host(host, now).speed, 1.0)
	require.Greater(t, l.host(host, now).watts, l.host(host, slot).watts, "at rest it needs more")

	require.Len(t, figures("db-my-01", slot).vcpus, 4)
	require.Len(t, figures("db-my-01", now).vcpus, 8)
	ofHost := func(name string, of func(*hostFigures) float64) (before, after float64) {
		l, ref := f.hostBy(name)
		for n := range int64(60) {
			before, after = before+of(l.host(ref, slot-n)), after+of(l.host(ref, now+n))
		}
		return before, after
	}
	waits := func(from int64) (micros int64) {
		for n := range int64(60) {
			f := figures("app-files-01", from+n)
			micros += f.disks[0].readTotal / max(f.disks[0].reads, 1)
		}
		return micros
	}
	require.Greater(t, waits(slot-59), 2*waits(now), "a limit of I/Os")
	before1, after1 := ofHost("host01", func(f *hostFigures) float64 { return float64(f.lost[0]) })
	require.Positive(t, before1)
	require.Zero(t, after1, "a large ring loses nothing")
	before4, after4 := ofHost("host04", func(f *hostFigures) float64 { return f.pressure.devices[1].queue })
	require.Positive(t, before4)
	require.Zero(t, after4, "nothing waits in a long queue")
}

// unlimited is a VM's first disk without a limit.
func unlimited(t *testing.T, c *vim25.Client, name string) *types.VirtualDisk {
	t.Helper()
	devices, err := vmNamed(t, c, name).Device(t.Context())
	require.NoError(t, err)
	d := devices.SelectByType((*types.VirtualDisk)(nil))[0].(*types.VirtualDisk)
	d.StorageIOAllocation.Limit = new(int64(noLimit))
	return d
}

// At sixty times the speed the curves are where they would be after ten times as long, and clocks are as they were.
func TestSpeedOfLoad(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	once, fast := start(t, Config{Now: clock.now}), start(t, Config{Now: clock.now, Speed: 60})
	curve := func(f *Fleet) (list []int64) {
		l, s := f.runs("batch-etl-01")
		from := slotOf(clock.now())
		for n := range int64(72) { // 24 minutes
			list = append(list, l.vm(s, from+n).usedMHz)
		}
		return list
	}
	slowly, quickly := curve(once), curve(fast)
	require.Less(t, slices.Max(slowly), 2*slices.Min(slowly), "nothing happens in 24 minutes")
	require.Greater(t, slices.Max(quickly), 3*slices.Min(quickly), "a day passes")
	host := fast.vcenter().built.hostOrder[0].host.Self.Value
	a, _ := fast.vcenter().built.loads.counters(host, clock.now())
	clock.forward(20 * time.Second)
	b, _ := fast.vcenter().built.loads.counters(host, clock.now())
	require.EqualValues(t, 20_000_000, b.uptime-a.uptime)
	require.Error(t, Config{Speed: -1}.Check())
}

// What is counted over a slot is what the statistics say of it, and no moment in it is less than the one before.
func TestCountersAreTheSumsOfTheirSlots(t *testing.T) {
	t.Parallel()
	eachHost(common(t), func(of *loads, _ *esxi, host string) {
		l := newLoads(of.history, 1, 0) // nobody else counts on it
		slot := slotOf(noon())
		at := slotStart(slot)
		last, ok := l.counters(host, at)
		require.True(t, ok)
		first := last
		for _, step := range []time.Duration{2000333 * time.Microsecond, 5 * time.Second, 9998777 * time.Microsecond, 3000890 * time.Microsecond} {
			at = at.Add(step)
			next, _ := l.counters(host, at)
			requireLater(t, last, next)
			last = next
		}
		require.True(t, at.Equal(slotStart(slot+1)))
		want := l.host(host, slot)
		vms := want.all(slot)
		for i, st := range want.stays {
			a, b := countersOf(first, st.vm), countersOf(last, st.vm)
			var got worldFigures
			for k := range b.worlds {
				if w, old := b.worlds[k], a.worlds[k]; w.vcpu >= 0 {
					got.run, got.ready = got.run+w.run-old.run, got.ready+w.ready-old.ready
					got.used, got.wait, got.idle = got.used+w.used-old.used, got.wait+w.wait-old.wait, got.idle+w.idle-old.idle
				}
			}
			require.Equal(t, vms[i].cpu.run*1000, got.run)
			require.Equal(t, vms[i].cpu.ready*1000, got.ready)
			require.Equal(t, vms[i].cpu.used*1000, got.used)
			require.Equal(t, vms[i].cpu.wait*1000, got.wait)
			require.Equal(t, vms[i].cpu.idle*1000, got.idle)
			require.Equal(t, vms[i].mem.swapIn*slotSeconds, b.mem.swapRead-a.mem.swapRead)
		}
		for i := range want.devices {
			require.Equal(t, want.devices[i].commands, last.devices[i].io.commands-first.devices[i].io.commands)
			require.Equal(t, want.devices[i].readIssue, last.devices[i].io.readIssue-first.devices[i].io.readIssue)
		}
		before, _ := l.counters(host, at.Add(-time.Hour))
		require.Equal(t, last.uptime, before.uptime, "it does not go back")
	})
}

func countersOf(c hostCounters, ref string) groupCounters {
	return c.groups[slices.IndexFunc(c.groups, func(g groupCounters) bool { return g.ref == ref })]
}

// requireLater compares two moments of a host on which nothing has changed.
func requireLater(t *testing.T, a, b hostCounters) {
	t.Helper()
	for i, g := range b.groups {
		old := a.groups[i]
		require.Equal(t, old.id, g.id)
		for k, w := range g.worlds {
			o := old.worlds[k]
			require.Equal(t, o.id, w.id)
			require.Equal(t, w.up, w.run+w.ready+w.costop+w.wait, "%s of %s", w.name, g.display)
			require.LessOrEqual(t, w.idle, w.wait)
			require.LessOrEqual(t, w.maxLimited, w.ready)
			require.GreaterOrEqual(t, w.latency, w.ready-w.maxLimited+w.costop)
			for n, pair := range [][2]int64{
				{o.up, w.up}, {o.run, w.run}, {o.used, w.used}, {o.sys, w.sys}, {o.ready, w.ready}, {o.costop, w.costop},
				{o.maxLimited, w.maxLimited}, {o.wait, w.wait}, {o.idle, w.idle}, {o.swapWait, w.swapWait}, {o.latency, w.latency},
				{o.switches, w.switches}, {o.wakeups, w.wakeups},
			} {
				require.LessOrEqual(t, pair[0], pair[1], "%s of %s, %d", w.name, g.display, n)
			}
		}
	}
	paths, devices := map[string]ioCounters{}, map[string]ioCounters{}
	for i, p := range b.paths {
		require.LessOrEqual(t, a.paths[i].io.commands, p.io.commands)
		sum := paths[p.device]
		sum.plus(&p.io, whole)
		paths[p.device] = sum
	}
	for i, d := range b.devices {
		require.LessOrEqual(t, a.devices[i].io.readTotal, d.io.readTotal)
		if len(b.paths) > 0 {
			devices[d.name] = d.io
		}
	}
	require.Equal(t, devices, paths, "a device is the sum of its paths")
	for i, c := range b.lcpus {
		old := a.lcpus[i]
		require.Equal(t, b.uptime, c.cstates[0]+c.cstates[1]+c.cstates[2])
		for _, pair := range [][2]int64{{old.used, c.used}, {old.halt, c.halt}, {old.coreHalt, c.coreHalt}, {old.aperf, c.aperf}, {old.mperf, c.mperf}, {old.cstates[1], c.cstates[1]}} {
			require.LessOrEqual(t, pair[0], pair[1])
		}
		require.LessOrEqual(t, c.coreHalt, c.halt)
	}
	ids := map[int64]bool{}
	for i, set := range b.portsets {
		ofUplinks, ofPorts := int64(0), int64(0)
		for k, p := range set.ports {
			old := a.portsets[i].ports[k]
			require.Equal(t, old.id, p.id)
			require.False(t, ids[p.id], "port %d twice", p.id)
			ids[p.id] = true
			require.LessOrEqual(t, old.traffic.rxBytes, p.traffic.rxBytes)
			require.LessOrEqual(t, old.traffic.droppedRx, p.traffic.droppedRx)
			switch {
			case p.uplink:
				ofUplinks += p.traffic.rxBytes
			default:
				ofPorts += p.traffic.rxBytes
			}
		}
		require.Equal(t, ofUplinks, ofPorts, "%s", set.name)
	}
}

// The views of one figure agree: statistics, quick stats and the command line of the host.
func TestViewsOfLoadAgree(t *testing.T) {
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

	got := s.of(s.spec(host.Reference(), realtimeInterval, "cpu.usagemhz.average", "mem.consumed.average", "net.packetsRx.summation|vmnic0", "net.droppedRx.summation|vmnic0"))
	newest := func(name string) int64 {
		list := got.series[name]
		return list[len(list)-1]
	}
	quick := hostProperties(t, host, "summary").Summary.QuickStats
	require.EqualValues(t, newest("cpu.usagemhz.average|"), quick.OverallCpuUsage)
	require.EqualValues(t, newest("mem.consumed.average|")>>10, quick.OverallMemoryUsage)
	booted := f.vcenter().built.hosts["host07.demo.local"].row.booted
	require.Equal(t, clock.now().Sub(booted).Truncate(time.Second), time.Duration(quick.Uptime)*time.Second)

	// the two times 20 seconds lie across three slots, of which the statistics have two whole ones
	l, ref := f.hostBy("host07")
	slot := slotOf(noon())
	part := func(n int64) int64 { return l.host(ref, slot+n).pnics[0].rxPackets }
	require.InDelta(t, float64(part(0))*4/20+float64(part(1))*16/20, float64(after["Packetsreceived"]-before["Packetsreceived"]), 3)
	require.InDelta(t, float64(part(1))*4/20+float64(part(2))*16/20, float64(last["Packetsreceived"]-after["Packetsreceived"]), 3)
	require.Equal(t, part(1), newest("net.packetsRx.summation|vmnic0"))
	require.Equal(t, l.host(ref, slot+1).lost[0], newest("net.droppedRx.summation|vmnic0"))
	lost := func(n int64) float64 { return float64(l.host(ref, slot+n).lost[0]) }
	require.InDelta(t, lost(0)*4/20+lost(1)*16/20, float64(after["Receivepacketsdropped"]-before["Receivepacketsdropped"]), 3)

	for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name", "summary", "runtime") {
		q := vm.Summary.QuickStats
		if vm.Runtime.PowerState != types.VirtualMachinePowerStatePoweredOn {
			require.Zero(t, q.OverallCpuUsage+q.GuestMemoryUsage+q.UptimeSeconds, vm.Name)
			continue
		}
		got := s.of(s.spec(vm.Self, realtimeInterval, "cpu.usagemhz.average", "mem.active.average", "mem.vmmemctl.average", "mem.swapped.average", "cpu.ready.summation", "sys.uptime.latest"))
		at := len(got.stamps) - 1
		if got.series["cpu.usagemhz.average|"][at] == noSample {
			continue
		}
		require.EqualValues(t, got.series["cpu.usagemhz.average|"][at], q.OverallCpuUsage, vm.Name)
		require.EqualValues(t, got.series["mem.active.average|"][at]>>10, q.GuestMemoryUsage)
		require.EqualValues(t, got.series["mem.vmmemctl.average|"][at]>>10, q.BalloonedMemory)
		require.EqualValues(t, got.series["mem.swapped.average|"][at]>>10, q.SwappedMemory)
		require.InDelta(t, got.series["sys.uptime.latest|"][at], q.UptimeSeconds, 20)
	}
}
