package esxtop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDeriveExample(t *testing.T) {
	before, now := examplePair(t)
	f := now.frame(before)
	require.Equal(t, 5*time.Second, f.Interval)
	require.Equal(t, time.Unix(1700000005, 0).UTC(), f.Time)
	require.Equal(t, Service, f.Origin)

	for _, tc := range []struct {
		object  Object
		id      string
		figures string
	}{
		{PCPU, "0", "pcpu.used 30.00 pcpu.util 50.00 pcpu.coreUtil 80.00 pcpu.aperfMperf 120.00"},
		{PCPU, "1", "pcpu.used 20.00 pcpu.util 30.00 pcpu.coreUtil - pcpu.aperfMperf -"},
		{Host, "", "pcpu.usedAvg 25.00 pcpu.utilAvg 40.00 pcpu.coreUtilAvg 80.00 host.load1 0.45 host.load5 0.40 host.load15 0.38"},
		{Host, "", "host.worlds 2.00 host.vms 1.00 host.vcpus 1.00 mem.stateWord high power.usage 120.00 power.cap - host.uptime 1005.00"},
		{Host, "", "mem.physical 4096.00 mem.kernel 485.50 mem.nonKernel 1562.50 mem.free 2048.00 mem.pshareSaving 64.00"},
		{Node, "0", "numa.total 4096.00 numa.free 2048.00"},
		{World, "2100510", "cpu.run 40.00 cpu.used 44.00 cpu.system 1.00 cpu.overlap 0.20"},
		{World, "2100510", "cpu.ready 8.00 cpu.costop 0.00 cpu.maxLimited 0.00 cpu.swapWait 1.00"},
		{World, "2100510", "cpu.wait 52.00 cpu.idle 50.00 cpu.vmWait 2.00"},
		{World, "2100510", "cpu.latency 8.00 cpu.memLatency 1.00 cpu.demand 48.00 cpu.effectiveMin 1000.00"},
		{World, "2100510", "cpu.switches 500.00 cpu.migrations 1.00 cpu.quantumExpires 0.00 cpu.wakeups 300.00"},
		{World, "2100510", "cpu.allocMax -1.00 cpu.allocShares 1000.00 cpu.allocUnits pct cpu.affinity 0-1 cpu.physical 0.00"},
		{World, "2100500", "cpu.wait 100.00 cpu.idle 0.00 cpu.vmWait -"},
		{Group, "7001", "cpu.members 2.00 cpu.run 40.00 cpu.wait 152.00 cpu.ready 8.00 cpu.timers 100.00 cpu.vmWait 2.00 cpu.effectiveMin 1100.00"},
		{Group, "7001", "cpu.allocMin 0.00 cpu.allocMax -1.00 cpu.allocShares -3.00 cpu.allocMinLimit -1.00 cpu.allocUnits mhz cpu.power 4.00"},
		{Group, "7001", "cpu.usedPerVCPU 44.00 cpu.readyPerVCPU 8.00 cpu.contentionPerVCPU 8.00 cpu.swapWaitPerVCPU 1.00 cpu.latencyPerVCPU 8.00"},
		{Group, "7001", "mem.size 2068.00 mem.granted 2048.00 mem.touched 512.00 mem.swapped 4.00 mem.overhead 20.00 mem.consumed 2008.00"},
		{Group, "7001", "mem.swapIn 2.00 mem.swapOut 0.00 mem.pagesPerShare -1.00 mem.balloonDriver 1.00 mem.allocUnits kb"},
		{Group, "7001", "numa.homeNodes 1.00 numa.migrations 2.00 numa.migrationsDelta 0.00 numa.remote 512.00 numa.localMemory 1536.00 numa.local 75.00"},
		{GroupNode, "0", "numa.guest 1536.00 numa.overhead 20.00"},
		{Device, naa, "disk.commands 200.00 disk.reads 120.00 disk.writes 78.00 disk.readRate 4.00 disk.writeRate 2.00"},
		{Device, naa, "disk.deviceLatency 4.00 disk.guestLatency 4.30 disk.kernelLatency 0.30 disk.queueLatency 0.10"},
		{Device, naa, "disk.active 3.00 disk.queued 0.00 disk.queueDepth 128.00 disk.usedQueue 2.00 disk.load 0.02 disk.paths 1.00"},
		{Device, naa, "vaai.cloneLatency - vaai.zeroLatency - vaai.ats 0.00"},
		{DeviceWorld, "2100500", "disk.shares 1000.00 disk.active 3.00 disk.queueDepth 128.00 disk.usedQueue 2.00 disk.commands 200.00"},
		{Partition, "1", "disk.commands 200.00 disk.readRate 4.00 disk.guestLatency 4.30"},
		{Adapter, "vmhba0", "disk.adapterQueueDepth 1024.00 disk.paths 1.00 disk.commands 200.00 disk.guestLatency 4.30 disk.kernelLatency 0.30"},
		{VDisk, "scsi0:0", "vdisk.reads 100.00 vdisk.writes 60.00 vdisk.commands 160.00 vdisk.readRate 2.00 vdisk.writeRate 1.00 vdisk.readLatency 3.00 vdisk.writeLatency 1.00"},
		{DiskVM, "7001", "vdisk.disks 1.00 vdisk.reads 100.00 vdisk.readLatency 3.00"},
		{Port, "50331660", "net.packetsTx 1318.80 net.rateTx 3.65 net.sizeTx 363.00 net.packetsRx 198.00 net.rateRx 0.76 net.sizeRx 500.00"},
		{Port, "50331660", "net.droppedTx 0.00 net.droppedRx 1.00 net.uplink 0.00 net.linkUp - net.team vmnic0 net.portset vSwitch0"},
		{Port, "50331652", "net.uplink 1.00 net.linkUp 1.00 net.linkSpeed 10000.00 net.fullDuplex 1.00 net.usedBy vmnic0"},
		{Vector, "0x21", "int.count 300.00 int.time 3.33 int.devices vmk_timer"},
		{VectorCPU, "1", "int.count 200.00 int.time 4.00"},
		{CState, "1", "power.cstate 50.00"},
		{TState, "0", "power.tstate 100.00"},
	} {
		r := one(t, f, tc.object, tc.id)
		for want := range pairs(tc.figures) {
			require.Equal(t, want[1], said(t, r, want[0]), "%s of %s %s", want[0], tc.object, tc.id)
		}
	}
}

const naa = "naa.600000000000000000000000000000aa"

// pairs iterates over "cpu.run 40.00 cpu.used 44.00".
func pairs(s string) func(func([2]string) bool) {
	words := strings.Fields(s)
	return func(yield func([2]string) bool) {
		for i := 0; i+1 < len(words); i += 2 {
			if !yield([2]string{words[i], words[i+1]}) {
				return
			}
		}
	}
}

func TestDeriveWhatRowsAre(t *testing.T) {
	before, now := examplePair(t)
	f := now.frame(before)
	group := one(t, f, Group, "7001")
	require.Equal(t, "web 01 (prod)", group.Name)
	require.True(t, group.VM)
	require.Equal(t, 1, group.VCPUs)
	require.Equal(t, "2100500", group.Leader)

	port := one(t, f, Port, "50331660")
	require.True(t, port.VM)
	require.Equal(t, group.Leader, port.Leader)
	require.Equal(t, "2100501:web 01 (prod).eth0", said(t, port, "net.usedBy"))
	require.False(t, one(t, f, Port, "50331652").VM)

	require.Equal(t, "web 01 (prod)", one(t, f, DiskVM, "7001").Name)
	require.True(t, one(t, f, VDisk, "scsi0:0").VM)
	require.True(t, one(t, f, World, "2100510").VM)
	require.Equal(t, "1", one(t, f, VectorCPU, "1").Name)
	for _, o := range []Object{World, GroupNode, Path, DeviceWorld, Partition, VDisk, VectorCPU} {
		require.Equal(t, 0, f.Rows(o)[0].Parent, o)
	}
	states := f.Rows(CState)
	require.Len(t, states, 4)
	require.Equal(t, []int{0, 0, 1, 1}, []int{states[0].Parent, states[1].Parent, states[2].Parent, states[3].Parent})
	require.Equal(t, []string{"C0", "C1"}, []string{states[2].Name, states[3].Name})
	require.Equal(t, "30.00 70.00", said(t, &states[2], "power.cstate")+" "+said(t, &states[3], "power.cstate"))
	for o := range objects {
		require.Equal(t, o.rawGroup() != "", f.Has(o), o)
	}
}

// TestFormulasHaveFields: every formula finds its fields in a host's schema, for every object that has it.
func TestFormulasHaveFields(t *testing.T) {
	schema := exampleSchema(t)
	seen := map[string]bool{}
	for o := range objects {
		if o.rawGroup() == "" {
			continue
		}
		own := schema.byName[o.rawGroup()]
		require.NotNil(t, own, o)
		b := &binder{schema: schema, object: o, table: &table{sources: []source{{own, itself}}}}
		for _, m := range catalogue.of[o] {
			f := m.Formula
			if f.op == opOwn {
				seen[f.own] = true
				require.NotEqual(t, ownNumbers[f.own] == nil, ownTexts[f.own] == nil, "%s has one function", m.ID)
				require.Equal(t, m.Kind == Text, ownTexts[f.own] != nil, m.ID)
			} else {
				require.Equal(t, m.Kind == Text, f.op == opText, m.ID)
			}
			for _, names := range [][]string{f.fields, f.by} {
				if len(names) == 0 {
					continue
				}
				for _, name := range names {
					_, ok := b.find([]string{name})
					require.True(t, ok || f.op != opOwn && len(names) > 1, "%s of %s: %s is not there", m.ID, o, name)
				}
				_, ok := b.find(names)
				require.True(t, ok, "%s of %s: none of %v is there", m.ID, o, names)
			}
		}
	}
	for name := range ownNumbers {
		require.True(t, seen[name], "no metric has formula %s", name)
	}
	for name := range ownTexts {
		require.True(t, seen[name], "no metric has formula %s", name)
	}
}

// richPair returns the example, with the objects that it does not have added.
func richPair(t testing.TB) (before, now *dump) {
	before, _ = examplePair(t)
	before.insert(before.row("Nfs", 0), "|NfsClient|/vmfs/nfs1|100|1000|5000|200|2000|9000|0|1|")
	before.insert(before.row("Vsan", 0), "|Dom|owner|100|1000|500000|5000|100|1000|500000|5000|100|1000|500000|5000|")
	before.insert(before.row("CState", 1), "|PState|0|2400|1000|")
	now = before.grown(rand.New(rand.NewPCG(1, 2)), 5)
	now.set("LCPUPower", 0, "Aperf", "600001200").set("LCPUPower", 0, "Mperf", "500001000")
	now.set("Dom", 0, "SqSumReadLatencyInUsec", "500000000")
	return before, now
}

// TestEveryFormulaTells: every metric of the service has a value on some host.
func TestEveryFormulaTells(t *testing.T) {
	before, now := richPair(t)
	for _, f := range []string{"NumOfFailedCloneOps", "NumOfFailedAtsOps", "NumOfFailedZeroOps"} {
		now.add(now.row("SCSIDevice", 0), f, 10)
	}
	now.set("Power", 0, "UsageCapInWatt", 300)
	f := now.frame(before)
	for o := range objects {
		for _, m := range catalogue.of[o] {
			tells := false
			for i := range f.Rows(o) {
				tells = tells || said(t, &f.Rows(o)[i], m.ID) != "-"
			}
			require.Equal(t, m.Formula.op != opNone, tells, "%s of %s", m.ID, o)
		}
	}
}

func TestDeriveFirstSample(t *testing.T) {
	_, now := examplePair(t)
	var d Deriver
	f := d.Frame(now.sample(AllObjects), AllObjects)
	require.Zero(t, f.Interval)
	onlyGauges(t, f)
}

// onlyGauges checks that figures that need two samples are absent, and that others are there.
func onlyGauges(t *testing.T, f *Frame) {
	t.Helper()
	for o := range objects {
		for i := range f.Rows(o) {
			for _, m := range catalogue.of[o] {
				if m.Kind != Gauge && m.Kind != Flag && m.Kind != Text {
					require.Equal(t, "-", said(t, &f.Rows(o)[i], m.ID), "%s of %s", m.ID, o)
				}
			}
		}
	}
	require.Equal(t, "2068.00", said(t, one(t, f, Group, "7001"), "mem.size"))
	require.Equal(t, "128.00", said(t, one(t, f, Device, naa), "disk.queueDepth"))
}

func TestDeriveHostClock(t *testing.T) {
	for name, tc := range map[string]struct {
		clock string
		rates bool
	}{
		"stands still": {"1000000000", false},
		"goes back":    {"4000000", false},
		"goes on":      {"1005000000", true},
	} {
		t.Run(name, func(t *testing.T) {
			before, now := examplePair(t)
			now.set("Server", 0, "TimeStampInUsec", tc.clock)
			if f := now.frame(before); tc.rates {
				require.Equal(t, "40.00", said(t, one(t, f, World, "2100510"), "cpu.run"))
			} else {
				onlyGauges(t, f)
			}
		})
	}

	before, now := examplePair(t)
	now.set("Server", 0, "Time", "1600000000") // the time of day was adjusted
	f := now.frame(before)
	require.Equal(t, 5*time.Second, f.Interval)
	require.Equal(t, "40.00", said(t, one(t, f, World, "2100510"), "cpu.run"))

	now.schema = exampleSchema(t) // requested again: it may be another one
	onlyGauges(t, now.frame(before))
}

// TestDeriveGoesOn: after a sample that could not be compared, the next one can.
func TestDeriveGoesOn(t *testing.T) {
	before, now := examplePair(t)
	var d Deriver
	late := now.clone().set("Server", 0, "TimeStampInUsec", "900000000000")
	d.Frame(late.sample(AllObjects), AllObjects)
	require.Zero(t, d.Frame(before.sample(AllObjects), AllObjects).Interval)
	f := d.Frame(now.sample(AllObjects), AllObjects)
	require.Equal(t, "40.00", said(t, one(t, f, World, "2100510"), "cpu.run"))
}

func TestDeriveCounters(t *testing.T) {
	const mostU32 = "4294967295"
	for name, tc := range map[string]struct {
		change  func(before, now *dump)
		object  Object
		id      string
		figures string
	}{
		"32 bits, over the end": {func(before, now *dump) {
			before.set("VCPU", 1, "NumOfWakeups", mostU32)
			now.set("VCPU", 1, "NumOfWakeups", 1499)
		}, World, "2100510", "cpu.wakeups 300.00 cpu.switches 500.00"},
		"32 bits, started again": {func(_, now *dump) { now.set("VCPU", 1, "NumOfWakeups", 5) },
			World, "2100510", "cpu.wakeups - cpu.switches 500.00"},
		"32 bits, started again from high": {func(before, now *dump) {
			before.set("VCPU", 1, "NumOfWakeups", "4000000000")
			now.set("VCPU", 1, "NumOfWakeups", 5)
		}, World, "2100510", "cpu.wakeups -"},
		"KB over the end": {func(before, now *dump) {
			before.set("VMem", 0, "SwapReadInKB", mostU32)
			now.set("VMem", 0, "SwapReadInKB", 10239)
		}, Group, "7001", "mem.swapIn 2.00"},
		"memory of a group started again": {func(_, now *dump) { now.set("VMem", 0, "SwapReadInKB", 1) },
			Group, "7001", "mem.swapIn - mem.swapOut 0.00"},
		"64 bits, less": {func(_, now *dump) { now.set("VCPU", 1, "CpuLatencyInUsec", 1) },
			World, "2100510", "cpu.latency - cpu.run 40.00"},
		"64 bits never go over the end": {func(before, _ *dump) { before.set("VCPU", 1, "CpuLatencyInUsec", "4325367295") },
			World, "2100510", "cpu.latency -"},
		"signed, from below zero": {func(before, now *dump) {
			before.set("CState", 0, "ResidentTimeInUsec", -1000)
			now.set("CState", 0, "ResidentTimeInUsec", 2499000)
		}, CState, "0", "power.cstate 50.00"},
		"no time, no mean": {func(_, now *dump) { now.set("SCSIDevice", 0, "IssueTimeInUsec", "") },
			Device, naa, "disk.deviceLatency - disk.kernelLatency - disk.guestLatency 4.30"},
		"aperf hardly grows": {func(before, now *dump) {
			*now.value(now.row("LCPUPower", 0), "Aperf") = *before.value(before.row("LCPUPower", 0), "Aperf")
		}, PCPU, "0", "pcpu.aperfMperf -"},
		"a world waits no more than the time": {func(_, now *dump) { now.set("VCPU", 1, "TotalWaitTimeInUsec", "579000000") },
			World, "2100510", "cpu.wait 100.00 cpu.vmWait 100.00"},
		"a service console":    {func(_, now *dump) { now.set("PMem", 0, "COSMemInKB", 1024) }, Host, "", "mem.kernel 484.50"},
		"no word of a console": {func(_, now *dump) { now.set("PMem", 0, "COSMemInKB", "") }, Host, "", "mem.kernel 485.50"},
		"lost on the way out": {func(_, now *dump) { now.set("NetPort", 1, "NumOfDroppedSend", 6594) },
			Port, "50331660", "net.droppedTx 50.00 net.droppedTxRate 1318.80"},
		"a switch without a name": {func(_, now *dump) { now.set("NetPortset", 0, "PortsetName", "") },
			Port, "50331660", "net.portset vSwitch0"},
		"signed, less": {func(_, now *dump) { now.set("CState", 0, "ResidentTimeInUsec", 1) },
			CState, "0", "power.cstate -"},
		"a world's id is another world's": {func(_, now *dump) { now.set("VCPU", 1, "UpTimeInUsec", 4000000) },
			World, "2100510", "cpu.run - cpu.ready - cpu.switches - cpu.demand 48.00"},
		"a device that started again": {func(_, now *dump) { now.set("SCSIDevice", 0, "NumOfCommands", 3) },
			Device, naa, "disk.commands - disk.reads - disk.guestLatency - disk.active 3.00"},
		"a port that started again": {func(_, now *dump) { now.set("NetPort", 1, "NumOfRecvPackets", 3) },
			Port, "50331660", "net.packetsTx - net.packetsRx - net.droppedRx -"},
		"migrations counted anew": {func(_, now *dump) { now.set("SchedGroup", 0, "NumOfBalanceMigrations", 1) },
			Group, "7001", "numa.migrationsDelta - numa.migrations 1.00"},
		"no value is not zero": {func(_, now *dump) { now.set("VCPU", 1, "ReadyTimeInUsec", "") },
			World, "2100510", "cpu.ready - cpu.run 40.00"},
		"a row that is not valid was not there": {func(before, _ *dump) { before.set("VCPU", 1, "IsValid", 0) },
			World, "2100510", "cpu.run - cpu.demand 48.00"},
		"no operations": {func(before, now *dump) {
			now.rows[now.row("SCSIDevice", 0)] = before.rows[before.row("SCSIDevice", 0)]
		}, Device, naa, "disk.commands 0.00 disk.deviceLatency - disk.kernelLatency - disk.guestLatency - disk.queueLatency -"},
		"device latency above the guest's": {func(_, now *dump) { now.set("SCSIDevice", 0, "IssueTimeInUsec", "29000000") },
			Device, naa, "disk.deviceLatency 9.00 disk.guestLatency 4.30 disk.kernelLatency 0.00"},
		"blocks of 4 KB": {func(_, now *dump) { now.set("SCSIDevice", 0, "BlockSizeInBytes", 4096) },
			Device, naa, "disk.readRate 32.00 disk.writeRate 16.00"},
		"no depth, no share of it": {func(_, now *dump) { now.set("SCSIDevice", 0, "QueueDepth", 0) },
			Device, naa, "disk.usedQueue - disk.load -"},
		"no packets": {func(before, now *dump) { now.rows[now.row("NetPort", 1)] = before.rows[before.row("NetPort", 1)] },
			Port, "50331660", "net.packetsTx 0.00 net.sizeTx - net.droppedTx -"},
		"turbo": {func(_, now *dump) { now.set("VCPU", 1, "UsedTimeInUsec", "306500000") },
			World, "2100510", "cpu.used 130.00"},
		"a world is not more than the time": {func(_, now *dump) { now.set("VCPU", 1, "IdleTimeInUsec", "565095000") },
			World, "2100510", "cpu.idle 100.00"},
		"a group's idle is": {func(_, now *dump) { now.set("VCPU", 1, "IdleTimeInUsec", "565095000") },
			Group, "7001", "cpu.idle 101.90 cpu.vmWait 0.00"},
		"a group's wait is not": {func(_, now *dump) { now.set("VCPU", 1, "TotalWaitTimeInUsec", "579000000") },
			Group, "7001", "cpu.wait 200.00 cpu.vmWait 130.00"},
		"ready is not below limited": {func(_, now *dump) { now.set("VCPU", 1, "MaxLimitedTimeInUsec", 500000) },
			Group, "7001", "cpu.contentionPerVCPU 0.00 cpu.maxLimitedPerVCPU 10.00"},
		"no NUMA": {func(_, now *dump) { now.set("SchedGroup", 0, "IsNUMAValid", 0) },
			Group, "7001", "numa.homeNodes - numa.migrations - numa.migrationsDelta - numa.remote - numa.localMemory - numa.local -"},
		"no memory on any node": {func(_, now *dump) {
			now.set("SchedGroup", 0, "LocalMemoryInKB", 0).set("SchedGroup", 0, "RemoteMemoryInKB", 0).set("SchedGroup", 0, "LocalityPct", 0)
		}, Group, "7001", "numa.local - numa.remote 0.00"},
		"everything on another node": {func(_, now *dump) {
			now.set("SchedGroup", 0, "LocalMemoryInKB", 0).set("SchedGroup", 0, "LocalityPct", 0)
		}, Group, "7001", "numa.local 0.00"},
		"no timer": {func(_, now *dump) { now.set("SchedGroup", 0, "TimerPeriod", 0) }, Group, "7001", "cpu.timers 0.00"},
		"one thread a core": {func(_, now *dump) { now.set("PCPU", 0, "NumOfCores", 2) },
			PCPU, "0", "pcpu.coreUtil - pcpu.util 50.00"},
		"one thread a core: no average": {func(_, now *dump) { now.set("PCPU", 0, "NumOfCores", 2) },
			Host, "", "pcpu.coreUtilAvg - pcpu.utilAvg 40.00"},
		"halted longer than there was time": {func(_, now *dump) { now.set("LCPU", 0, "HaltTimeInUsec", "605000900") },
			PCPU, "0", "pcpu.util 0.00"},
		"aperf nonsense":  {func(_, now *dump) { now.set("LCPUPower", 0, "Aperf", "1034537672000629384") }, PCPU, "0", "pcpu.aperfMperf -"},
		"no power sensor": {func(_, now *dump) { now.set("Power", 0, "UsageNowInWatt", 0) }, Host, "", "power.usage -"},
	} {
		t.Run(name, func(t *testing.T) {
			before, now := examplePair(t)
			tc.change(before, now)
			r := one(t, now.frame(before), tc.object, tc.id)
			for want := range pairs(tc.figures) {
				require.Equal(t, want[1], said(t, r, want[0]), want[0])
			}
		})
	}
}

func TestDeriveComeAndGo(t *testing.T) {
	const worker = "|VCPU|2100520|vmx-mks:web 01 (prod)|1|0-1|0|-1|1000|0|pct|1|100|0|0|0|5000000|1000000|0|0|1000000|4000000|0|4000000|0|0|0|0|7|0|0|0|0|"
	before, now := examplePair(t)
	now.insert(now.row("CPUClient", 1)-1, worker) // between the two that were there: below the first client
	now.set("CPUClient", 0, "NumOfVCPUs", 2)
	f := now.frame(before)
	require.Len(t, f.Rows(World), 3)
	fresh := one(t, f, World, "2100520")
	require.Equal(t, "- - 7.00", strings.Join([]string{said(t, fresh, "cpu.run"), said(t, fresh, "cpu.wakeups"), said(t, fresh, "cpu.demand")}, " "))
	require.Equal(t, "40.00", said(t, one(t, f, World, "2100510"), "cpu.run"))
	require.Equal(t, "40.00", said(t, one(t, f, Group, "7001"), "cpu.run"))
	require.Equal(t, "3.00", said(t, one(t, f, Group, "7001"), "cpu.members"))

	f = before.clone().set("Server", 0, "TimeStampInUsec", "1009000000").frame(now) // gone again
	require.Len(t, f.Rows(World), 2)

	before, now = examplePair(t)
	now.set("VCPU", 0, "IsValid", 0).set("VMem", 0, "IsValid", 0) // the flag for memory of user worlds
	f = now.frame(before)
	require.Len(t, f.Rows(World), 1)
	require.Equal(t, "2068.00", said(t, one(t, f, Group, "7001"), "mem.size"))

	before, now = examplePair(t)
	before.drop(before.row("SCSIDevice", 0)) // its world and its partition then belong to another device, or to none
	f = now.frame(before)
	require.Equal(t, "-", said(t, one(t, f, Device, naa), "disk.commands"))
	require.Equal(t, "-", said(t, one(t, f, Partition, "1"), "disk.commands"))
	require.Equal(t, "128.00", said(t, one(t, f, Device, naa), "disk.queueDepth"))
	require.Equal(t, "200.00", said(t, one(t, f, Path, "vmhba0:C0:T0:L0"), "disk.commands"))
}

// TestDeriveJoinsByID: figures do not depend on the order of rows.
func TestDeriveJoinsByID(t *testing.T) {
	before, now := examplePair(t)
	now.rows[now.row("LCPU", 0)], now.rows[now.row("LCPU", 1)] = now.rows[now.row("LCPU", 1)], now.rows[now.row("LCPU", 0)]
	now.rows[now.row("NetPort", 0)], now.rows[now.row("NetPort", 1)] = now.rows[now.row("NetPort", 1)], now.rows[now.row("NetPort", 0)]
	for range 2 { // a world with its client
		from := now.row("CPUClient", 1)
		moved := now.rows[from]
		now.drop(from)
		now.rows = append(now.rows[:now.row("CPUClient", 0)], append([][]string{moved}, now.rows[now.row("CPUClient", 0):]...)...)
	}
	f := now.frame(before)
	require.Equal(t, "30.00", said(t, one(t, f, PCPU, "0"), "pcpu.used"))
	require.Equal(t, "80.00", said(t, one(t, f, PCPU, "0"), "pcpu.coreUtil"))
	require.Equal(t, "20.00", said(t, one(t, f, PCPU, "1"), "pcpu.used"))
	require.Equal(t, "1.00", said(t, one(t, f, Port, "50331660"), "net.droppedRx"))
	require.Equal(t, "40.00", said(t, one(t, f, World, "2100510"), "cpu.run"))
}

func TestDeriveGroups(t *testing.T) {
	before, now := examplePair(t)
	for _, d := range []*dump{before, now} {
		end := d.row("SCSI", 0) - 1
		for i, line := range []string{
			"|SchedGroup|7002|uw.2100500|1|0|web 01 (prod)|10000|0|-1|0|0|0|pct|0|-1|-3|-1|4|kb|0|0|0|0|0|0|0|0|0|0|1|0|1|0|",
			"|HiddenWorld|2100501|vmm0:web 01 (prod)|", // lists the VM's world, and is not the VM
			"|VMem|2100500|1|4096|0|2048|0|0|0|524288|0|2117632|0|2097152|65536|0|40960|20480|40960|0|0|0|4611686018427387904|25|0|0|0|0|0|0|0|0|1|0|0|1363148|0|0|0|",
			"|SchedGroup|7003|hostd.67528|1|0|hostd.67528|0|0|-1|1000|0|0|pct|0|-1|-3|-1|4|kb|0|0|0|0|0|0|0|0|0|1|0|0|1|67528|",
			"|CPUClient|67528|1|1|",
			"|VCPU|67528|hostd-worker|1|0-1|0|-1|1000|0|pct|1|100|0|0|0|900000000|1000000|0|0|1000000|899000000|0|899000000|0|0|0|0|0|0|0|0|0|",
			"|VMem|67528|0|0|0|0|0|0|0|2048|0|20480|0|10240|0|0|0|0|0|0|0|0|4611686018427387904|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|",
		} {
			d.insert(end+i, line)
		}
	}
	now.set("VCPU", 2, "ReadyTimeInUsec", 500000)
	now.set("SchedGroup", 2, "VMName", "").set("SchedGroup", 2, "GroupLeaderID", 0)
	f := now.frame(before)
	require.Len(t, f.Rows(Group), 2)
	require.Equal(t, "7001", rowNamed(t, f, Group, "web 01 (prod)").ID)
	hostd := rowNamed(t, f, Group, "hostd.67528")
	require.False(t, hostd.VM)
	require.Zero(t, hostd.VCPUs)
	require.Empty(t, hostd.Leader)
	for want := range pairs("cpu.vmWait - cpu.readyPerVCPU - mem.size 20.00 mem.granted 10.00 cpu.members 1.00 numa.local - cpu.ready 10.00") {
		require.Equal(t, want[1], said(t, hostd, want[0]), want[0])
	}
	require.Equal(t, "1.00 3.00", said(t, &f.Rows(Host)[0], "host.vms")+" "+said(t, &f.Rows(Host)[0], "host.worlds"))
	require.Equal(t, "2100500", one(t, f, Port, "50331660").Leader)

	now.drop(now.row("HiddenWorld", 0)) // only the other group lists it now
	require.Empty(t, now.frame(before).Rows(Port)[1].Leader)
}

// TestDeriveSums: an adapter has the sum of its paths, a VM that of its disks, and a mean is over all operations.
func TestDeriveSums(t *testing.T) {
	before, now := examplePair(t)
	for _, d := range []*dump{before, now} {
		d.insert(d.row("Path", 0), "|vmhba0:C0:T1:L0|")
		d.rows[d.row("Path", 0)+1] = append([]string{"Path", "vmhba1:C0:T1:L0"}, d.rows[d.row("Path", 0)][2:]...)
		d.insert(d.row("Path", 0), "|")
		d.rows[d.row("Path", 0)+1] = append([]string{"Path", "vmhba0:C0:T1:L0"}, d.rows[d.row("Path", 0)][2:]...)
		d.insert(d.row("VscsiDisk", 0), "|VscsiDisk|scsi0:1|5000|1000000000|9000000|3000|500000000|3000000|")
	}
	now.set("Path", 1, "TotalTimeInUsec", "23150000") // twice the commands of the other path, so half the latency here: 2.15 ms
	now.set("VscsiDisk", 1, "NumOfReads", 5100).set("VscsiDisk", 1, "LatencyReads", "9900000")
	f := now.frame(before)
	require.Len(t, f.Rows(Path), 3)
	adapter := one(t, f, Adapter, "vmhba0")
	for want := range pairs("disk.paths 2.00 disk.commands 400.00 disk.guestLatency 3.23") { // (4.3 + 2.15) / 2
		require.Equal(t, want[1], said(t, adapter, want[0]), want[0])
	}
	require.Equal(t, -1, one(t, f, Path, "vmhba1:C0:T1:L0").Parent)
	require.Equal(t, "3.00", said(t, one(t, f, Device, naa), "disk.paths"))
	vm := one(t, f, DiskVM, "7001")
	for want := range pairs("vdisk.reads 120.00 vdisk.readLatency 4.00") { // (500 × 3 + 100 × 9) / 600
		require.Equal(t, want[1], said(t, vm, want[0]), want[0])
	}
}

// TestDeriveWithoutTree: data that is only in the first part of an answer is mostly available elsewhere.
func TestDeriveWithoutTree(t *testing.T) {
	before, now := examplePair(t)
	now.drop(now.row("NetPortset", 0))
	require.Equal(t, "vSwitch0", said(t, one(t, now.frame(before), Port, "50331660"), "net.portset"))

	before, now = examplePair(t)
	now.set("SchedGroup", 0, "VMName", "renamed meanwhile")
	require.Equal(t, "web 01 (prod)", one(t, now.frame(before), DiskVM, "7001").Name)

	before, now = examplePair(t)
	now.head = ""
	f := now.frame(before)
	require.Equal(t, "web 01 (prod)", one(t, f, DiskVM, "7001").Name)
	require.Equal(t, "vSwitch0", said(t, one(t, f, Port, "50331660"), "net.portset"))
	var d Deriver
	require.Equal(t, "web 01 (prod)", d.Frame(now.sample(ObjectsOf(VDisk)), ObjectsOf(VDisk)).Rows(DiskVM)[0].Name)
}

// TestDeriveOwnedByID: partition 1 of one device differs from that of another.
func TestDeriveOwnedByID(t *testing.T) {
	before, now := examplePair(t)
	for _, d := range []*dump{before, now} {
		first := d.row("SCSIDevice", 0)
		for i := range 3 { // the device, a world, a partition
			d.rows = append(d.rows[:first+3+i], append([][]string{append([]string(nil), d.rows[first+i]...)}, d.rows[first+3+i:]...)...)
		}
		d.set("SCSIDevice", 1, "DeviceName", "naa.other")
	}
	before.set("Partition", 1, "NumOfCommands", 9000)
	now.set("Partition", 1, "NumOfCommands", 9500)
	first := now.row("SCSIDevice", 0)
	for i := range 3 { // the other one comes first now
		now.rows[first+i], now.rows[first+3+i] = now.rows[first+3+i], now.rows[first+i]
	}
	f := now.frame(before)
	commands := map[string]string{}
	for i := range f.Rows(Partition) {
		r := &f.Rows(Partition)[i]
		commands[f.Rows(Device)[r.Parent].ID] = said(t, r, "disk.commands")
	}
	require.Equal(t, map[string]string{naa: "200.00", "naa.other": "100.00"}, commands)
}

// TestDeriveOtherTypes: a release may count times in 32 bits, and may not have all fields.
func TestDeriveOtherTypes(t *testing.T) {
	schema, err := ParseSchema("|Server|TimeStampInUsec,U64|\n|LCPU|LCPUID,U32|UsedTimeInUsec,U32|\n|Novel|A,U32|\n")
	require.NoError(t, err)
	for used, want := range map[string]string{"3999999": "80.00", "50000000": "-"} {
		var d Deriver
		for _, text := range []string{"|Server|1000000|\n|LCPU|0|4294967295|\n", "|Server|6000000|\n|LCPU|0|" + used + "|\n"} {
			s, err := schema.Parse(valuePart+"\n"+text, AllObjects)
			require.NoError(t, err)
			f := d.Frame(s, AllObjects)
			require.False(t, f.Has(Group))
			require.True(t, f.Has(PCPU))
			if d.last != nil && f.Interval > 0 {
				require.Equal(t, want, said(t, &f.Rows(PCPU)[0], "pcpu.used"))
				require.Equal(t, "-", said(t, &f.Rows(PCPU)[0], "pcpu.util"))
				require.Equal(t, "-", said(t, &f.Rows(Host)[0], "mem.kernel"))
			}
		}
	}
}

// TestDeriveOddAnswers: rows that are duplicated or have disappeared.
func TestDeriveOddAnswers(t *testing.T) {
	before, now := examplePair(t)
	now.rows = append(now.rows, now.rows[now.row("Server", 0)], now.rows[now.row("PMem", 0)], now.rows[now.row("VCPU", 1)])
	now.drop(now.row("Power", 0))
	now.drop(now.row("Vsan", 0))
	f := now.frame(before)
	require.Len(t, f.Rows(Host), 1)
	require.Equal(t, "- - 25.00", said(t, &f.Rows(Host)[0], "power.usage")+" "+said(t, &f.Rows(Host)[0], "vsan.enabled")+" "+said(t, &f.Rows(Host)[0], "pcpu.usedAvg"))
	require.Equal(t, "40.00", said(t, one(t, f, World, "2100510"), "cpu.run"))
	require.Equal(t, "4096.00", said(t, &f.Rows(Host)[0], "mem.physical"))

	now.rows = now.rows[:1]
	f = now.frame(before)
	require.Len(t, f.Rows(Host), 1)
	require.Empty(t, f.Rows(World))
}

func TestDeriveDom(t *testing.T) {
	before, now := richPair(t)
	before.set("Dom", 0, "NumOfReadOps", 0).set("Dom", 0, "SumReadLatencyInUsec", 0).set("Dom", 0, "SqSumReadLatencyInUsec", 0)
	now.set("Dom", 0, "NumOfReadOps", 2).set("Dom", 0, "SumReadLatencyInUsec", 6000).set("Dom", 0, "SqSumReadLatencyInUsec", 20000000) // 2 ms and 4 ms
	r := one(t, now.frame(before), Dom, "owner")
	require.Equal(t, "0.40 3.00 1.00", said(t, r, "dom.reads")+" "+said(t, r, "dom.readLatency")+" "+said(t, r, "dom.readSpread"))
}

// TestDeriveWhatIsWanted: the figures of the wanted objects are the same as with all objects, and a sample has all
// groups they need.
func TestDeriveWhatIsWanted(t *testing.T) {
	before, now := richPair(t)
	all := now.frame(before)
	for o := range objects {
		if o.rawGroup() == "" { // the service has no rows of it
			continue
		}
		wanted := ObjectsOf(o)
		var d Deriver
		d.Frame(before.sample(wanted), wanted)
		f := d.Frame(now.sample(wanted), wanted)
		for other := range objects {
			switch {
			case other == o || other == o.Parent():
				require.True(t, f.Has(other), "%s for %s", other, o)
				require.Equal(t, rowsText(all.Rows(other)), rowsText(f.Rows(other)), "%s for %s", other, o)
			default:
				require.False(t, f.Has(other), "%s for %s", other, o)
			}
		}
		require.False(t, d.Frame(now.sample(wanted), AllObjects).Has((o+7)%objects), "objects that were not decoded are absent")
	}
}

func rowsText(rows []Row) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%+v\n", rows[i])
	}
	return b.String()
}

// TestDeriveBounds: whatever a host counts, figures are finite and shares are within the limits of the interval.
func TestDeriveBounds(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		before, _ := richPair(t)
		f := before.grown(rng, 1+rng.Int64N(30)).frame(before)
		for o := range objects {
			for i := range f.Rows(o) {
				r := &f.Rows(o)[i]
				for _, m := range catalogue.of[o] {
					v, ok := r.Value(m)
					if !ok {
						continue
					}
					require.False(t, math.IsInf(v, 0), m.ID)
					if m.Kind != Gauge {
						require.GreaterOrEqual(t, v, 0.0, m.ID)
					}
					if m.Kind == Share && o != Group && m.ID != "cpu.used" && m.ID != "pcpu.aperfMperf" {
						require.LessOrEqual(t, v, 100.0, m.ID)
					}
				}
			}
		}
		requireIdentities(t, f, 1)
	}
}

// requireIdentities checks invariants of every world of a host.
func requireIdentities(t testing.TB, f *Frame, vms int) {
	t.Helper()
	sums := make([]float64, len(f.Rows(Group)))
	for i := range f.Rows(World) {
		r := &f.Rows(World)[i]
		run, wait, ready, costop := figureOf(t, r, "cpu.run"), figureOf(t, r, "cpu.wait"), figureOf(t, r, "cpu.ready"), figureOf(t, r, "cpu.costop")
		require.InDelta(t, 100, run+wait+ready+costop, 1e-8, r.Name)
		require.LessOrEqual(t, figureOf(t, r, "cpu.idle"), wait+1e-9, r.Name)
		require.GreaterOrEqual(t, figureOf(t, r, "cpu.latency"), ready+costop-1e-9, r.Name)
		sums[r.Parent] += ready
	}
	found := 0
	for i := range f.Rows(Group) {
		r := &f.Rows(Group)[i]
		require.InDelta(t, sums[i], figureOf(t, r, "cpu.ready"), 1e-6, r.Name)
		if r.VM {
			found++
		}
	}
	require.Equal(t, vms, found)
}

func FuzzDerive(f *testing.F) {
	f.Add(example(f, "t0"), example(f, "t1"))
	f.Add(example(f, "t1"), example(f, "t0"))
	f.Add(valuePart+"\n|Server|1|1|1|1|\n|VCPU|1|\n|CPUClient|1|1|\n|NetPort|", valuePart+"\n|Server|1|1|2|1|\n|SchedGroup|1|\n|VCPU|1|\n|LCPUPower|0|\n|CState|\n")
	schema := exampleSchema(f)
	f.Fuzz(func(t *testing.T, before, now string) {
		var d Deriver
		for _, text := range []string{before, now} {
			s, _ := schema.Parse(text, AllObjects)
			if s == nil {
				continue
			}
			frame := d.Frame(s, AllObjects)
			for o := range objects {
				for i := range frame.Rows(o) {
					r := &frame.Rows(o)[i]
					if r.Parent >= len(frame.Rows(o.Parent())) {
						t.Fatalf("%s %q has parent %d", o, r.ID, r.Parent)
					}
					for _, m := range catalogue.of[o] {
						if v, ok := r.Value(m); ok && math.IsInf(v, 0) {
							t.Fatalf("%s of %s %q is endless", m.ID, o, r.ID)
						}
						r.Text(m)
					}
				}
			}
		}
	})
}

func TestAbsentIsNoNumber(t *testing.T) {
	r := NewRow(Group, "1", "a")
	v, ok := r.Value(Lookup("cpu.ready"))
	require.False(t, ok)
	require.Zero(t, v, "adding it up adds 0")
	_, ok = r.Value(Lookup("disk.commands"))
	require.False(t, ok, "of another object")
}
