package esxtop

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeriveRealHost checks the figures of a real host's single sample.
func TestDeriveRealHost(t *testing.T) {
	var d Deriver
	f := d.Frame(realSample(t), AllObjects)
	for o, rows := range map[Object]int{
		PCPU: 56, Node: 2, Group: 60, World: 833, GroupNode: 2, Adapter: 3, Device: 7, Path: 97, Partition: 10, DeviceWorld: 7,
		DiskVM: 1, VDisk: 1, Port: 13, Vector: 85, VectorCPU: 4760, CState: 112, TState: 448, PState: 0, NFS: 0, Dom: 0, Host: 1,
	} {
		require.Len(t, f.Rows(o), rows, o)
		require.True(t, f.Has(o), o)
	}
	inMemory := 0
	for i := range f.Rows(Group) {
		if said(t, &f.Rows(Group)[i], "mem.size") != "-" {
			inMemory++
		}
	}
	require.Equal(t, 55, inMemory)

	host := &f.Rows(Host)[0]
	vm := rowNamed(t, f, Group, "frigo001")
	for _, tc := range []struct {
		row     *Row
		figures string // in whole megabytes, as on the screen
	}{
		{host, "mem.physical 262018 mem.kernel 3398 mem.nonKernel 28344 mem.free 230276 mem.managed 261633 mem.minFree 3231 mem.reserved 11157 mem.unreserved 250475"},
		{host, "mem.pshareShared 785 mem.pshareCommon 69 mem.pshareSaving 717 power.usage 166 host.vms 1 host.vcpus 42 host.worlds 833"},
		{one(t, f, Node, "0"), "numa.total 130945 numa.free 112564"},
		{one(t, f, Node, "1"), "numa.total 131072 numa.free 117328"},
		{vm, "cpu.members 50 mem.size 200488 mem.granted 28444 mem.touched 10380 mem.shared 720 mem.overhead 389 mem.overheadMax 1343 mem.active 6"},
		{vm, "mem.balloonDriver 1 mem.balloonMax 127901 numa.homeNodes 3 numa.migrations 0 numa.localMemory 28420 numa.remote 0 numa.local 100 cpu.power 6"},
	} {
		for want := range pairs(tc.figures) {
			v := figureOf(t, tc.row, want[0])
			require.InDelta(t, toFloat(t, want[1]), v, 0.51, want[0])
		}
	}
	require.Equal(t, "1.25 0.69 0.30", strings.Join([]string{said(t, host, "host.load1"), said(t, host, "host.load5"), said(t, host, "host.load15")}, " "))
	require.Equal(t, "high -", said(t, host, "mem.stateWord")+" "+said(t, host, "power.cap"))
	require.Equal(t, 42, vm.VCPUs)
	require.True(t, vm.VM)
	require.Equal(t, vm.Leader, rowNamed(t, f, Port, "frigo001.eth1").Leader)
	require.Equal(t, vm.ID, f.Rows(DiskVM)[0].ID)
	uplink := rowNamed(t, f, Port, "vmnic0")
	require.Equal(t, "1.00 10000.00", said(t, uplink, "net.linkUp")+" "+said(t, uplink, "net.linkSpeed"))
	require.Equal(t, "376.51", said(t, vm, "cpu.timers"))
}

func toFloat(t testing.TB, s string) float64 {
	t.Helper()
	var v float64
	for _, digit := range s {
		v = v*10 + float64(digit-'0')
	}
	return v
}

// TestDeriveRealHostSincePowerOn: if all counters of the previous sample are 0, shares are those since power-on.
func TestDeriveRealHostSincePowerOn(t *testing.T) {
	now := realDump(t)
	before := now.clone()
	for i, r := range before.rows {
		if r[0] != "VCPU" {
			continue
		}
		if strings.HasPrefix(r[2], "vmx-vcpu-21:") {
			up := now.number(i, "UpTimeInUsec")
			before.set("Server", 0, "TimeStampInUsec", int(now.number(now.row("Server", 0), "TimeStampInUsec")-up))
		}
		for field, name := range before.schema.byName["VCPU"].Fields {
			if strings.Contains(name.Name, "InUsec") {
				r[field+1] = "0"
			}
		}
	}
	f := now.frame(before)
	busiest := rowNamed(t, f, World, "vmx-vcpu-21:frigo001")
	require.InDelta(t, 58.5, figureOf(t, busiest, "cpu.run"), 0.06)
	require.InDelta(t, 71.9, figureOf(t, busiest, "cpu.used"), 0.06)
	require.InDelta(t, 0.002, figureOf(t, busiest, "cpu.ready"), 0.0006)
}

// TestRealDumpIdentities checks invariants of the host's own sums since its start, which involve only parsing.
func TestRealDumpIdentities(t *testing.T) {
	s := realSample(t)
	of := func(b *Block, i int, field string) float64 {
		t.Helper()
		n, ok := b.Number(i, b.Group.Field(field))
		require.True(t, ok, field)
		return float64(n)
	}
	worlds, seen := s.Block("VCPU"), map[float64]bool{}
	for i := range worlds.Len() {
		up, ready, costop := of(worlds, i, "UpTimeInUsec"), of(worlds, i, "ReadyTimeInUsec"), of(worlds, i, "CoStopTimeInUsec")
		wait, busy := of(worlds, i, "TotalWaitTimeInUsec"), of(worlds, i, "BusyWaitTimeInUsec")
		name := valueOf(t, worlds, i, "WorldName")
		require.InEpsilon(t, up, of(worlds, i, "RunTimeInUsec")+wait+costop+ready, 1e-8, name)
		require.InDelta(t, wait, of(worlds, i, "WaitTimeInUsec")+busy, 1, name)
		require.LessOrEqual(t, of(worlds, i, "IdleTimeInUsec"), wait, name)
		require.GreaterOrEqual(t, of(worlds, i, "CpuLatencyInUsec")+1e-8*up, ready+costop, name)
		seen[of(worlds, i, "VCPUID")] = true
	}
	require.Len(t, seen, 833, "ids are of one world each")

	devices, paths := s.Block("SCSIDevice"), s.Block("Path")
	for i := range devices.Len() {
		sums := map[string]float64{}
		for p := range paths.Len() {
			if valueOf(t, paths, p, "DeviceName") == valueOf(t, devices, i, "DeviceName") {
				for _, field := range []string{"NumOfReadOps", "NumOfWriteOps", "NumOfCommands"} {
					sums[field] += of(paths, p, field)
				}
			}
		}
		require.InDelta(t, sums["NumOfReadOps"], of(devices, i, "NumOfReadOps"), 0)
		require.InDelta(t, sums["NumOfWriteOps"], of(devices, i, "NumOfWriteOps"), 0)
		require.LessOrEqual(t, of(devices, i, "NumOfCommands"), sums["NumOfCommands"], "paths are probed as well")
	}

	memory, pmem := s.Block("VMem"), s.Block("PMem")
	valid := 0.0
	for i := range memory.Len() {
		valid += of(memory, i, "IsValid")
	}
	require.InDelta(t, 3, valid, 0)
	require.InDelta(t, of(pmem, 0, "SchedManagedInKB"), of(pmem, 0, "SchedReservedInKB")+of(pmem, 0, "SchedAvailInKB"), 0)
	text := shared(t, "api-fetchstats.dsv")
	require.Equal(t, 11_467, strings.Count(text, "\n"))
	hierarchy, _, _ := strings.Cut(text, valuePart)
	require.Equal(t, 2_582, strings.Count(hierarchy, "\n")-1)
	require.Equal(t, 833, strings.Count(hierarchy, "\n|CPUClient|"))
}

// TestDeriveRealHostIdentities checks all worlds of a real host, and its paths.
func TestDeriveRealHostIdentities(t *testing.T) {
	before := realDump(t)
	now := before.grown(rand.New(rand.NewPCG(3, 4)), 5)
	shuffled := now.clone()
	first, last := shuffled.row("Path", 0), shuffled.row("Path", 96)
	slices.Reverse(shuffled.rows[first : last+1])
	// A device's activity is the sum of its paths.
	for _, i := range now.of("SCSIDevice") {
		for _, field := range []string{"NumOfReadOps", "NumOfWriteOps"} {
			var sum int64
			for _, p := range now.of("Path") {
				if now.rows[p][2] == now.rows[i][1] {
					sum += now.number(p, field) - before.number(p, field)
				}
			}
			*now.value(i, field) = *before.value(i, field)
			now.add(i, field, sum)
			*shuffled.value(i, field) = *now.value(i, field)
		}
	}
	for _, d := range []*dump{now, shuffled} {
		f := d.frame(before)
		requireIdentities(t, f, 1)
		require.Len(t, f.Rows(World), 833)
		byAdapter := map[int]float64{}
		for i := range f.Rows(Path) {
			byAdapter[f.Rows(Path)[i].Parent] += figureOf(t, &f.Rows(Path)[i], "disk.reads")
		}
		devices, adapters := 0.0, 0.0
		for i := range f.Rows(Adapter) {
			reads := figureOf(t, &f.Rows(Adapter)[i], "disk.reads")
			require.InDelta(t, byAdapter[i], reads, 1e-6)
			adapters += reads
		}
		for i := range f.Rows(Device) {
			devices += figureOf(t, &f.Rows(Device)[i], "disk.reads")
		}
		_, orphans := byAdapter[-1]
		require.False(t, orphans)
		require.Positive(t, devices)
		require.InDelta(t, adapters, devices+pathsWithoutDevice(t, d, f), 1e-6)
	}
}

// pathsWithoutDevice: enclosures and tapes have paths, but esxtop does not show them as devices.
func pathsWithoutDevice(t *testing.T, d *dump, f *Frame) (reads float64) {
	t.Helper()
	for i, p := range d.of("Path") {
		known := slices.ContainsFunc(f.Rows(Device), func(r Row) bool { return r.ID == d.rows[p][2] })
		if !known {
			reads += figureOf(t, &f.Rows(Path)[i], "disk.reads")
		}
	}
	return reads
}

// BenchmarkDerive is one round of 64 hosts of the real one's size.
func BenchmarkDerive(b *testing.B) {
	for _, bc := range []struct {
		name   string
		wanted Objects
	}{
		{"all", AllObjects},
		{"default", AllObjects &^ ObjectsOf(Vector, VectorCPU, TState)},
		{"cpu", ObjectsOf(Host, PCPU, Group)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			before := largeDump(b)
			now := before.grown(rand.New(rand.NewPCG(1, 1)), 5)
			was, is := before.sample(bc.wanted), now.sample(bc.wanted)
			derivers := make([]Deriver, 64)
			for i := range derivers {
				derivers[i].Frame(was, bc.wanted)
			}
			b.ReportAllocs()
			for b.Loop() {
				for i := range derivers {
					derivers[i].last = was
					derivers[i].Frame(is, bc.wanted)
				}
			}
		})
	}
}

// largeDump returns a host of the real one's size: 56 logical CPUs, 1,120 groups, 833 worlds, 97 paths, 85 vectors.
func largeDump(t testing.TB) *dump {
	t.Helper()
	d := exampleDump(t, "t0")
	repeat := func(group string, n int, id string, below ...string) {
		first := d.row(group, 0)
		end := first + 1
		for end < len(d.rows) && slices.Contains(below, d.rows[end][0]) {
			end++
		}
		block := slices.Clone(d.rows[first:end])
		for i := range n {
			more := make([][]string, len(block))
			for k, r := range block {
				more[k] = slices.Clone(r)
				for field, name := range map[string]string{"VCPU": "VCPUID", "VMem": "MemClientID", "HiddenWorld": "HiddenWorldID", group: id} {
					if r[0] != field {
						continue
					}
					at := d.schema.byName[r[0]].Field(name) + 1
					more[k][at] += itoa(i)
				}
			}
			d.rows = slices.Insert(d.rows, end+i*len(block), more...)
		}
	}
	repeat("VCPU", 13, "VCPUID")
	repeat("SchedGroup", 59, "GroupID", "VMNUMANodeMem", "CPUClient", "VCPU", "HiddenWorld", "VMem")
	repeat("LCPU", 54, "LCPUID")
	repeat("Path", 96, "PathName")
	repeat("InterruptPerCPU", 54, "CPUID")
	repeat("InterruptVector", 84, "VectorID", "InterruptPerCPU")
	repeat("LCPUPower", 54, "LCPUID", "CState", "TState")
	return d
}

func itoa(i int) string { return string(rune('1'+i/10)) + string(rune('0'+i%10)) }
