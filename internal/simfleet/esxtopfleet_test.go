package simfleet

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/pkg/esxtop"
)

// fetched is a decoded answer of a host.
type fetched struct {
	t *testing.T
	*esxtop.Sample
}

// sample fetches from a host, checks the text, and decodes it as vperf does.
func sample(t *testing.T, c *vim25.Client, host, _ string) fetched {
	t.Helper()
	service := esxtopOf(t, c, host)
	info, err := ask(t.Context(), c, service, "CounterInfo")
	require.NoError(t, err)
	schema, err := esxtop.ParseSchema(info)
	require.NoError(t, err)
	text := fetch(t, c, service)
	checkSchema(t, info, text)
	s, err := schema.Parse(text, esxtop.AllObjects)
	require.NoError(t, err)
	return fetched{t, s}
}

func (f fetched) rows(group string) int { return f.Block(group).Len() }

func (f fetched) number(group string, row int, field string) int64 {
	f.t.Helper()
	b := f.Block(group)
	n, ok := b.Signed(row, b.Group.Field(field))
	f.is(ok, "%s.%s", group, field)
	return n
}

func (f fetched) word(group string, row int, field string) string {
	f.t.Helper()
	b := f.Block(group)
	s, ok := b.Text(row, b.Group.Field(field))
	f.is(ok, "%s.%s", group, field)
	return s
}

// is is a fast check for hundreds of thousands of conditions, for which require is too slow.
func (f fetched) is(yes bool, format string, args ...any) {
	f.t.Helper()
	if !yes {
		f.t.Fatalf(format, args...)
	}
}

// vms returns the rows of VM groups by name.
func (f fetched) vms() map[string]int {
	f.t.Helper()
	rows := map[string]int{}
	for i := range f.rows("SchedGroup") {
		if f.number("SchedGroup", i, "IsVM") == 1 {
			require.NotContains(f.t, rows, f.word("SchedGroup", i, "VMName"))
			rows[f.word("SchedGroup", i, "VMName")] = i
		}
	}
	return rows
}

// worlds returns the ids of the worlds of a group.
func (f fetched) worlds(group int) (ids []int64) {
	clients := f.Block("VCPU")
	for i := range clients.Len() {
		if f.Block("CPUClient").Parent(clients.Parent(i)) == group {
			ids = append(ids, f.number("VCPU", i, "VCPUID"))
		}
	}
	return ids
}

// The values of every host of the fleet are consistent, and belong to the VMs that run on it.
func TestFetchesOfAllHosts(t *testing.T) {
	t.Parallel()
	f := common(t)
	for _, site := range f.Endpoints() {
		c := loginTo(t, f, site.Name)
		running := map[string]map[string]int32{}
		for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name", "runtime", "config.hardware.numCPU") {
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				on := vm.Runtime.Host.Value
				if running[on] == nil {
					running[on] = map[string]int32{}
				}
				running[on][vm.Name] = vm.Config.Hardware.NumCPU
			}
		}
		for _, h := range retrieve[mo.HostSystem](t, c, "HostSystem", "name", "config.product.version", "hardware", "config.network") {
			t.Run(h.Name, func(t *testing.T) {
				s := sample(t, c, h.Name, h.Config.Product.Version)
				s.requireTopology(h)
				s.requireVMs(running[h.Self.Value])
				s.requireWorlds()
				s.requireUnique("SchedGroup", "GroupID")
				s.requireUnique("VCPU", "VCPUID")
				s.requireUnique("NetPort", "PortID")
				s.requireDisks()
				s.requirePorts(h)
				s.requirePower()
			})
		}
	}
}

func (f fetched) requireTopology(h mo.HostSystem) {
	f.t.Helper()
	cpu := h.Hardware.CpuInfo
	require.EqualValues(f.t, cpu.NumCpuThreads, f.rows("LCPU"))
	require.EqualValues(f.t, cpu.NumCpuThreads, f.number("PCPU", 0, "NumOfLCPUs"))
	require.EqualValues(f.t, cpu.NumCpuCores, f.number("PCPU", 0, "NumOfCores"))
	require.EqualValues(f.t, cpu.NumCpuPackages, f.number("PCPU", 0, "NumOfPackages"))
	require.Equal(f.t, h.Hardware.MemorySize>>10, f.number("PMem", 0, "PhysicalMemInKB"))
	require.EqualValues(f.t, f.rows("SchedGroup"), f.number("Sched", 0, "NumOfSchedGroups"))
	require.EqualValues(f.t, 2_000_000, f.number("Server", 0, "MinFetchIntervalInUsec"))
}

func (f fetched) requireVMs(want map[string]int32) {
	f.t.Helper()
	got := f.vms()
	require.Len(f.t, got, len(want))
	for name, row := range got {
		require.Contains(f.t, want, name)
		vcpus, hidden := int32(0), int32(0)
		for i := range f.rows("VCPU") {
			if client := f.Block("VCPU").Parent(i); f.Block("CPUClient").Parent(client) == row &&
				strings.HasPrefix(f.word("VCPU", i, "WorldName"), "vmx-vcpu-") {
				require.EqualValues(f.t, want[name], f.number("CPUClient", client, "NumOfVCPUs"), "all vCPUs are one client")
				require.True(f.t, strings.HasSuffix(f.word("VCPU", i, "WorldName"), ":"+name))
				vcpus++
			}
		}
		for i := range f.rows("HiddenWorld") {
			if f.Block("HiddenWorld").Parent(i) == row {
				require.Equal(f.t, fmt.Sprintf("vmm%d:%s", hidden, name), f.word("HiddenWorld", i, "HiddenWorldName"))
				hidden++
			}
		}
		require.Equal(f.t, want[name], vcpus, name)
		require.Equal(f.t, want[name], hidden, name)
		require.Equal(f.t, fmt.Sprintf("vm.%d", f.number("SchedGroup", row, "GroupLeaderID")), f.word("SchedGroup", row, "GroupName"))
		require.EqualValues(f.t, 1, f.number("SchedGroup", row, "HasMemClient"))
	}
	valid := 0
	for i := range f.rows("VMem") {
		if f.number("VMem", i, "IsValid") == 1 {
			valid++
		}
	}
	require.Equal(f.t, 3*len(want), valid, "the VM, its process and its monitor")
}

func (f fetched) requireWorlds() {
	f.t.Helper()
	for i := range f.rows("VCPU") {
		of := func(field string) int64 { return f.number("VCPU", i, field) }
		name, up, wait := f.word("VCPU", i, "WorldName"), of("UpTimeInUsec"), of("TotalWaitTimeInUsec")
		f.is(up == of("RunTimeInUsec")+wait+of("CoStopTimeInUsec")+of("ReadyTimeInUsec"), "%s: its times do not add up to its uptime", name)
		f.is(wait == of("WaitTimeInUsec")+of("BusyWaitTimeInUsec"), "%s: waits do not add up", name)
		f.is(of("IdleTimeInUsec") <= wait, "%s: idle for longer than it waited", name)
		f.is(of("MaxLimitedTimeInUsec") <= of("ReadyTimeInUsec"), "%s: limited for longer than it was ready", name)
		f.is(of("CpuLatencyInUsec") >= of("ReadyTimeInUsec")-of("MaxLimitedTimeInUsec"), "%s: less latency than it was ready", name)
	}
}

func (f fetched) requireUnique(group, field string) {
	f.t.Helper()
	seen := map[int64]bool{}
	for i := range f.rows(group) {
		id := f.number(group, i, field)
		f.is(!seen[id], "%s %d is there twice", group, id)
		seen[id] = true
	}
}

// requireDisks checks that devices are the sum of their paths, that all adapters have names, and which VMs have virtual disks.
func (f fetched) requireDisks() {
	f.t.Helper()
	adapters := map[string]bool{}
	for i := range f.rows("Adapter") {
		adapters[f.word("Adapter", i, "AdapterName")] = true
	}
	for d := range f.rows("SCSIDevice") {
		name := f.word("SCSIDevice", d, "DeviceName")
		for _, field := range []string{
			"NumOfCommands", "NumOfReadOps", "NumOfWriteOps", "NumOfBlocksRead", "NumOfBlocksWritten",
			"IssueTimeInUsec", "QueueTimeInUsec", "TotalTimeInUsec", "NumOfAborts", "NumOfTotalResets",
		} {
			sum := int64(0)
			for p := range f.rows("Path") {
				if f.word("Path", p, "DeviceName") == name {
					sum += f.number("Path", p, field)
				}
			}
			f.is(sum == f.number("SCSIDevice", d, field), "%s of %s is not that of its paths", field, name)
		}
		require.LessOrEqual(f.t, f.number("SCSIDevice", d, "QueueTimeInUsec"), f.number("SCSIDevice", d, "LayerTimeInUsec"))
	}
	for p := range f.rows("Path") {
		adapter, _, _ := strings.Cut(f.word("Path", p, "PathName"), ":")
		require.True(f.t, adapters[adapter], adapter)
	}
	groups := map[int64]bool{}
	for _, row := range f.vms() {
		groups[f.number("SchedGroup", row, "GroupID")] = true
	}
	for i := range f.rows("VscsiGroup") {
		require.True(f.t, groups[f.number("VscsiGroup", i, "GroupId")])
	}
	require.Equal(f.t, len(groups), f.rows("VscsiGroup"))
	hidden := f.hidden()
	for i := range f.rows("WorldPerDev") {
		require.Contains(f.t, hidden, f.number("WorldPerDev", i, "WorldID"))
	}
}

// hidden returns the hidden worlds of VMs, with the VM's name.
func (f fetched) hidden() map[int64]string {
	f.t.Helper()
	all := map[int64]string{}
	for name, row := range f.vms() {
		for i := range f.rows("HiddenWorld") {
			if f.Block("HiddenWorld").Parent(i) == row {
				all[f.number("HiddenWorld", i, "HiddenWorldID")] = name
			}
		}
	}
	return all
}

func (f fetched) requirePorts(h mo.HostSystem) {
	f.t.Helper()
	hidden, uplinks, clients := f.hidden(), map[int64]string{}, map[string]bool{}
	for i := range f.rows("NetPort") {
		client := f.word("NetPort", i, "ClientName")
		clients[client] = true
		switch leader := f.number("NetPort", i, "WorldLeader"); {
		case leader != 0:
			require.Contains(f.t, hidden, leader)
			require.True(f.t, strings.HasPrefix(client, hidden[leader]+".eth"), client)
		case f.number("NetPort", i, "IsUplink") == 1:
			require.Equal(f.t, "-", f.word("NetPort", i, "TeamUplink"))
			uplinks[f.number("NetPort", i, "PortID")] = client
		}
	}
	for i := range f.rows("PNIC") {
		if port := f.number("PNIC", i, "UplinkPort"); port != 0 {
			require.Equal(f.t, f.word("PNIC", i, "PNICName"), uplinks[port])
			require.True(f.t, clients["Shadow of "+uplinks[port]])
		}
	}
	for _, field := range []string{"NumOfSendPackets", "NumOfSendBytes", "NumOfRecvPackets", "NumOfRecvBytes"} {
		through, wire := map[string]int64{}, map[string]int64{}
		for i := range f.rows("NetPort") {
			if f.number("NetPort", i, "IsUplink") == 1 {
				wire[f.word("NetPort", i, "ClientName")] = f.number("NetPort", i, field)
			} else {
				through[f.word("NetPort", i, "TeamUplink")] += f.number("NetPort", i, field)
			}
		}
		for nic, n := range wire {
			require.Equal(f.t, n, through[nic], "%s of %s are those of the ports that go through it", field, nic)
		}
	}
	require.Equal(f.t, len(h.Config.Network.Pnic), f.rows("PNIC"))
	require.True(f.t, clients["vmk0"])
	require.True(f.t, clients["Management"])
}

// requirePower checks that each CPU's C-state times add up to the whole interval.
func (f fetched) requirePower() {
	f.t.Helper()
	for _, group := range []string{"CState", "PState", "TState"} {
		spent := map[int]int64{}
		for i := range f.rows(group) {
			spent[f.Block(group).Parent(i)] += f.number(group, i, "ResidentTimeInUsec")
		}
		for cpu, sum := range spent {
			require.Equal(f.t, f.number("LCPU", cpu, "ElapsedTimeInUsec"), sum, "%s of CPU %d", group, cpu)
		}
	}
}

// gauges are fields that may decrease; all other numbers increase or are constant.
var gauges = map[string]bool{
	"FreeMemInKB": true, "NonkernelUsedInKB": true, "PShareSharedInKB": true, "PShareCommonInKB": true, "SchedReservedInKB": true, "SchedAvailInKB": true,
	"SchedState": true, "MemCtlCurInKB": true, "MemCtlTgtInKB": true, "SwapUsedInKB": true, "SwapTgtInKB": true, "ZippedInKB": true, "ZipSavedInKB": true,
	"MemOvercommitInPct1Min": true, "MemOvercommitInPct5Min": true, "MemOvercommitInPct15Min": true, "FreeInPages": true,
	"HostCPUInPct1Min": true, "HostCPUInPct5Min": true, "HostCPUInPct15Min": true, "HomeNodes": true, "RemoteMemoryInKB": true, "LocalMemoryInKB": true,
	"LocalityPct": true, "PowerInWatt": true, "LCPU": true, "EffectiveMin": true, "CpuDemandInPct": true, "GuestMemInKB": true, "OverheadMemInKB": true,
	"NumOfActiveCmds": true, "NumOfQueuedCmds": true, "NumOfActiveCommands": true, "NumOfQueuedCommands": true, "UsageNowInWatt": true,
}

// requireGrown checks that no counter decreased from one sample to the next. Memory clients are skipped, because most of their
// fields are gauges.
func (f fetched) requireGrown(before fetched) {
	f.t.Helper()
	for kind := range schemaFields(esxtopservice.CounterInfo("8.0.3")) {
		b, old := f.Block(kind), before.Block(kind)
		require.Equal(f.t, old.Len(), b.Len(), kind)
		if b == nil || kind == "VMem" || strings.HasPrefix(kind, "Interrupt") {
			continue
		}
		for n, field := range b.Group.Fields {
			if gauges[field.Name] || field.Type == "B" {
				continue
			}
			for row := range b.Len() {
				now, ok := b.Signed(row, n)
				was, _ := old.Signed(row, n)
				if ok && now < was && (field.Type != "U32" || was-now < 1<<31) {
					f.t.Fatalf("%s.%s of row %d fell from %d to %d", kind, field.Name, row, was, now)
				}
			}
		}
	}
}

// Counters do not decrease, even when a client changes the host.
func TestCountersGrow(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	for _, host := range []string{"host05.demo.local", "host10.demo.local", "host06.demo.local"} {
		version := f.vcenter().built.hosts[host].Row.Version
		before := sample(t, c, host, version)
		grow := func() {
			for range 4 { // across the end of a slot
				clock.forward(7 * time.Second)
				now := sample(t, c, host, version)
				require.Equal(t, 7*time.Second, now.Clock-before.Clock)
				require.Equal(t, clock.now().Unix(), now.Time.Unix())
				now.requireGrown(before)
				now.requireWorlds()
				now.requirePower()
				before = now
			}
		}
		grow()
		if host == fleetTables.CloneHost {
			for _, policy := range []int32{esxi.PolicyStatic, esxi.PolicyLow} {
				require.NoError(t, setPower(t, hostNamed(t, c, "host06"), policy))
				grow()
			}
		}
	}
}

// A restarted VM has new worlds; a powered-off one has none; one that moves appears on its new host.
func TestVMsComeAndGo(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	on := func(host string) fetched {
		clock.forward(perf.Interval * time.Second)
		return sample(t, c, host+".demo.local", "8.0.3")
	}
	vm := ofVM{t, object.NewVirtualMachine(c, vmRef(t, c, "web-03"))}
	before := on("host06")
	old := before.worlds(before.vms()["web-03"])
	require.NotEmpty(t, old)
	vm.turns(false)
	require.NotContains(t, sample(t, c, "host06.demo.local", "8.0.3").vms(), "web-03", "at once")
	vm.turns(true)
	after := on("host06")
	again := after.worlds(after.vms()["web-03"])
	require.Len(t, again, len(old))
	for _, id := range again {
		require.NotContains(t, old, id)
	}
	task, err := vm.vm.Migrate(t.Context(), nil, hostNamed(t, c, "host07"), types.VirtualMachineMovePriorityDefaultPriority, "")
	finish(t, task, err)
	require.NotContains(t, on("host06").vms(), "web-03")
	there := on("host07")
	require.Contains(t, there.vms(), "web-03")
	there.requireWorlds()
	task, err = vm.vm.Rename(t.Context(), "web (03), at: host07")
	finish(t, task, err)
	require.Contains(t, on("host07").vms(), "web (03), at: host07", "names go in as they are")
}

// The clock of a restarted host starts from zero.
func TestClockAfterAReboot(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now, RebootTakes: time.Millisecond})
	c := login(t, f)
	before := sample(t, c, "host06.demo.local", "8.0.3")
	require.Greater(t, before.Clock, 24*time.Hour)
	h := hostNamed(t, c, "host06")
	old := *hostProperties(t, h, "runtime").Runtime.BootTime
	task, err := reboot(t, c, h, true)
	finish(t, task, err)
	bootedAfter(t, h, old)
	clock.forward(10 * time.Second)
	after := sample(t, c, "host06.demo.local", "8.0.3")
	require.Less(t, after.Clock, time.Minute)
	after.requireWorlds()
}

// Concurrent clients get complete answers while VMs change.
func TestManyFetchesAtOnce(t *testing.T) {
	t.Parallel()
	f := start(t, Config{})
	vm := ofVM{t, object.NewVirtualMachine(login(t, f), vmRef(t, login(t, f), "web-03"))}
	var all sync.WaitGroup
	for range 4 {
		c := login(t, f)
		service := esxtopOf(t, c, "host06.demo.local")
		all.Go(func() {
			for range 5 {
				text, err := ask(t.Context(), c, service, "FetchStats")
				if err != nil || !strings.HasPrefix(text, "==NUM-OF-OBJ==\n|Server|") || !strings.Contains(text, "\n|Vsan|0|\n") {
					t.Errorf("%d bytes, %v", len(text), err)
				}
			}
		})
	}
	for range 3 {
		vm.turns(false)
		vm.turns(true)
	}
	all.Wait()
}

// BenchmarkFetch measures one fetch without the transport: of a usual host, and of one with 344 logical CPUs.
func BenchmarkFetch(b *testing.B) {
	f, err := Start(Config{})
	require.NoError(b, err)
	b.Cleanup(f.Close)
	for _, s := range f.servers {
		for _, e := range s.built.hostOrder {
			if name := e.Row.Name; name != "host06.demo.local" && name != "esxi-c.demo.local" && name != "host01.demo.local" {
				continue
			}
			service := esxtopservice.NewCommand(e.Host, s.built.loads, time.Now, nil)
			b.Run(e.Row.Name, func(b *testing.B) {
				for b.Loop() {
					text, ok := service.Fetch()
					require.True(b, ok)
					b.SetBytes(int64(len(text)))
				}
			})
		}
	}
}
