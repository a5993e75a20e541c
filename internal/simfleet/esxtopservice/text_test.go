package esxtopservice

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// The schema of hosts up to 8.0 equals a real host's, to the byte.
func TestCounterInfoIsAsARealHostsIs(t *testing.T) {
	t.Parallel()
	const file = "../../../shared/testdata/esxtop/api-counterinfo.dsv"
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("recorded schema not present: %s", file)
	}
	require.Equal(t, string(recorded), CounterInfo("6.5.0"))
	require.Equal(t, string(recorded), CounterInfo("8.0.3"))
	newer := CounterInfo("9.0.1")
	require.NotEqual(t, string(recorded), newer, "a client has to get along with fields it does not know")
	require.Equal(t, string(recorded), strings.Replace(newer, "NumOfUnmapOps,U64|NumOfBlocksUnmapped,U64|", "", 1))
}

// plain returns a host with one VM of two vCPUs, and minimal other data.
func plain() (*world.Host, load.HostCounters) {
	e := &world.Host{Row: fleetdata.Host{Server: new(fleetdata.Server), Version: "6.7.0", PowerHardware: fleetdata.BothStates}}
	return e, load.HostCounters{
		At: time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC), Uptime: 1_000_000, Cores: 1, Packages: 1,
		LCPUs: []load.LCPUCounters{{
			ID: 0, Hz: 2_000_000_000, Used: 300, Halt: 600_000, CoreHalt: 500_000, BusyWait: 7, Aperf: 20, Mperf: 10,
			Cstates: [3]int64{400_000, 500_000, 100_000}, Interrupts: 1000, InterruptMicros: 2000,
		}},
		Load: [3]int64{45, 40, 38},
		Mem: load.HostMemory{
			Physical: 8192, Managed: 8000, Kernel: 100, Other: 1000, Free: 7092, MinFree: 10, Reserved: 20, Unreserved: 7980, State: 1,
			SwapRead: 1<<32 + 5,
		},
		Nodes: []load.NodeMemory{{ID: 0, Total: 8192, Free: 4096}},
		Groups: []load.GroupCounters{
			{ID: 1, Name: "system", Display: "system", Worlds: []load.WorldCounters{{ID: 10, Name: "idle0", VCPU: -1}}},
			{
				ID: 50, Leader: 60, Name: "hostd.60", Display: "hostd.60", CPU: load.Allotment{Least: 0, Most: -1, Shares: 1000}, Memory: load.Allotment{Least: 0, Most: -1, Shares: -3},
				Worlds: []load.WorldCounters{{ID: 60, Name: "hostd", VCPU: -1}}, Mem: &load.GroupMemory{Size: 68404, Target: 50652, Granted: 42608, Touched: 35136},
			},
			{
				ID: 70, Leader: 80, Name: "vm.80", Display: "a, b: (c)", VM: true, CPU: load.Allotment{Least: 0, Most: -1, Shares: -3}, Memory: load.Allotment{Least: 0, Most: -1, Shares: -3},
				Worlds: []load.WorldCounters{
					{ID: 80, Name: "vmx", VCPU: -1, Affinity: "0-1"},
					{
						ID: 82, Name: "vmx-vcpu-0:a, b: (c)", VCPU: 0, Affinity: "0-1", Up: 900, Run: 310, Used: 300, Sys: 1, Overlap: 2, Ready: 20,
						Costop: 3, Wait: 567, Idle: 560, SwapWait: 4, Latency: 30, MemLatency: 5, Demand: 48, EffectiveMin: 1000, LCPU: 1,
						Switches: 1<<32 + 100, Migrations: 400, Expires: 10, Wakeups: 90, MaxLimited: 6,
					},
					{ID: 83, Name: "vmx-vcpu-1:a, b: (c)", VCPU: 1, Affinity: "0-1"},
					{ID: 85, Name: "LSI-81:0", VCPU: -1},
				},
				Hidden: []load.HiddenWorld{{ID: 81, Name: "vmm0:a, b: (c)"}, {ID: 84, Name: "vmm1:a, b: (c)"}}, HomeNodes: 1, Migrations: 2,
				Local: 750, Remote: 250, Nodes: []load.GroupNode{{Guest: 1000, Overhead: 20}}, TimerPeriod: 10000, Watts: 4,
				Mem: &load.GroupMemory{
					Size: 2_117_632, Target: 2_000_000, Granted: 2_097_152, Touched: 524_288, Overhead: 20_480, OverheadMax: 40_960, OverheadUW: 1000,
					ActivePct: 25, BalloonDriver: true, BalloonMax: 1_363_148, SwapRead: 2048,
				},
				Disks: []load.VDiskCounters{{ID: 8274, Name: "scsi0:0", Reads: 1, ReadBytes: 2, ReadTime: 3, Writes: 4, WriteBytes: 5, WriteTime: 6}},
			},
		},
		Adapters: []load.AdapterCounters{{Name: "vmhba0", QueueDepth: 1848}},
		Devices: []load.DeviceCounters{{
			Name: "naa.aa", Display: "a disk", QueueDepth: 64, Blocks: 1000, Active: 3,
			IO: load.IO{
				Commands: 11, Reads: 6, Writes: 4, BlocksRead: 50, BlocksWritten: 10, Resets: 2, ReadIssue: 20, ReadQueue: 1, ReadTotal: 25,
				WriteIssue: 10, WriteQueue: 2, WriteTotal: 14,
			},
			Worlds: []load.DeviceWorld{{World: 80, Shares: 1000}},
		}},
		Paths: []load.PathCounters{{Name: "vmhba0:C0:T0:L0", Device: "naa.aa", Adapter: "vmhba0", IO: load.IO{Commands: 12}}},
		NFS:   []load.NFSCounters{{Name: "share", Reads: 1, ReadBytes: 2, ReadTime: 3, Writes: 4, WriteBytes: 5, WriteTime: 6}},
		Portsets: []load.PortsetCounters{{Name: "vSwitch0", Ports: []load.PortCounters{
			{ID: 99, Client: "Management"},
			{ID: 100, Uplink: true, Client: "vmnic0"},
			{ID: 101, Client: "a, b: (c).eth0", Team: "vmnic0", Leader: 81, Traffic: load.Traffic{TxPackets: 1, TxBytes: 2, RxPackets: 3, RxBytes: 4, DroppedTx: 5, DroppedRx: 6, TxMulticast: 7, TxBroadcast: 8, RxMulticast: 9, RxBroadcast: 10}},
		}}},
		PNICs: []load.PNICCounters{{Name: "vmnic0", Port: 100, Up: true, Mbps: 10_000, Full: true, Rings: 1}},
		Watts: 166,
	}
}

// The lines of a plain host have the documented format.
func TestFetchOfAPlainHost(t *testing.T) {
	t.Parallel()
	text := newSnapshot(plain()).text()
	tree, values, ok := strings.Cut(text, "==COUNTER-VALUE==\n")
	require.True(t, ok)
	require.True(t, strings.HasPrefix(tree, "==NUM-OF-OBJ==\n|Server|PCPU,1|PMem,1|Sched,1|SCSI,1|Nfs,1|Vscsi,1|Net,1|Interrupt,1|Power,1|\n"))
	requireInOrder(t, tree,
		"|PCPU|LCPU,1|Core,1|Package,1|", "|PMem|NUMANode,1|",
		"|SchedGroup|GroupID,1|GroupName,system|VMNUMANodeMem,0|CPUClient,1|HiddenWorld,0|",
		"|CPUClient|CPUClientID,10|VCPUName,idle0|",
		"|SchedGroup|GroupID,50|GroupName,hostd.60|MemClientID,60|VMNUMANodeMem,0|CPUClient,1|HiddenWorld,0|",
		"|SchedGroup|GroupID,70|GroupName,vm.80|MemClientID,80|VMNUMANodeMem,1|CPUClient,4|HiddenWorld,2|",
		"|CPUClient|CPUClientID,82|VCPUName,vmx-vcpu-0:a, b: (c)|", "|HiddenWorld|HiddenWorldID,81|HiddenWorldName,vmm0:a, b: (c)|",
		"|SCSI|Path,1|SCSIDevice,1|Adapter,1|", "|Path|PathName,vmhba0:C0:T0:L0|DeviceName,naa.aa|",
		"|SCSIDevice|DeviceName,naa.aa|DisplayName,a disk|WorldPerDev,1|Partition,1|", "|WorldPerDev|WorldID,81|", "|Partition|PartitionID,1|",
		"|Adapter|AdapterName,vmhba0|", "|Nfs|NfsClient,1|", "|Vscsi|VscsiGroup,1|",
		"|VscsiGroup|GroupId,70|GroupName,a, b: (c)|VscsiDisk,1|", "|VscsiDisk|DiskId,8274|DiskName,scsi0:0|",
		"|Net|TotalPorts,4|NetPortset,1|PNIC,1|", "|NetPortset|NetPort,4|", "|NetPort|PortID,100|PortsetName,vSwitch0|",
		"|Power|CState,3|PState,3|TState,8|LCPU,1|", "|LCPUPower|LCPUID,0|CStates,3|PStates,3|TStates,8|", "|Vsan|Dom,0|")
	requireInOrder(t, values,
		"|Server|2000000|1|1000000|1795178096|", "|PCPU|1|1|1|", "|LCPU|0|2000000000|300|600000|500000|1000000|7|",
		"|PMem|8192|0|8192|1000|7092|0|0|8000|10|20|7980|1|clear|0|0|0|0|0|5|0|0|0|0|0|0|1|", "|NUMANode|0|2048|1024|",
		"|Sched|45|40|38|",
		"|CPUClient|10|1|1|", "|VCPU|10|idle0|1||",
		"|SchedGroup|50|hostd.60|1|0|hostd.60|0|0|-1|1000|0|0|pct|0|-1|-3|-1|4|kb|0|0|0|0|0|0|0|0|0|1|0|0|1|60|",
		"|VMem|60|0|0|0|0|0|0|0|35136|0|68404|50652|42608|0|0|0|0|0|0|0|0|4611686018427387904|0|",
		"|SchedGroup|70|vm.80|1|1|a, b: (c)|10000|0|-1|-3|-1|1|mhz|0|-1|-3|-1|4|kb|1|1|2|0|0|250|750|75|4|3|2|1|1|80|",
		"|VMNUMANodeMem|0|1|1000|20|", "|CPUClient|80|1|1|", "|VCPU|80|vmx|1|0-1|0|-1|1000|0|pct|", "|CPUClient|82|1|2|",
		"|VCPU|82|vmx-vcpu-0:a, b: (c)|1|0-1|0|-1|2000|-1|pct|1|1000|30|4|5|900|300|1|2|310|567|0|567|3|560|20|6|48|100|400|10|90|",
		"|VCPU|83|vmx-vcpu-1:a, b: (c)|", "|CPUClient|85|1|1|", "|HiddenWorld|81|vmm0:a, b: (c)|", "|HiddenWorld|84|vmm1:a, b: (c)|",
		"|VMem|80|1|0|0|2048|0|0|0|524288|0|2117632|2000000|2097152|0|0|0|20480|40960|0|0|0|4611686018427387904|25|0|0|0|0|0|0|0|1000|1|0|0|1363148|0|0|0|",
		"|uw.80|1|0|a, b: (c)|10000|", "|vmm.80|1|0|a, b: (c)|10000|",
		"|SCSI|0|0|0|32|1|1|1|", "|Adapter|vmhba0|1|1848|",
		"|SCSIDevice|naa.aa|1|64|512|1000|3|0|11|50|10|0|0|2|0|0|2|6|4|0|0|30|9|3|39|20|5|1|25|10|4|2|14|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|1|1|\n",
		"|WorldPerDev|81|1|0|0|1000|", "|Partition|1|1|10|50|10|6|4|0|0|30|9|3|39|20|5|1|25|10|4|2|14|",
		"|Path|vmhba0:C0:T0:L0|naa.aa|1|12|", "|Nfs|1|", "|NfsClient|share|1|2|3|4|5|6|0|0|",
		"|Vscsi|1|", "|VscsiGroup|70|1|", "|VscsiDisk|scsi0:0|1|2|3|4|5|6|", "|Net|1|1|", "|NetPortset|vSwitch0|1|4|",
		"|1|0|Management|n/a|0|", "|NetPort|100|1|1|vmnic0|-|0|", "|1|0|Shadow of vmnic0|n/a|0|",
		"|NetPort|101|1|0|a, b: (c).eth0|vmnic0|81|1|2|3|4|5|6|0|7|8|9|10|", "|PNIC|vmnic0|100|1|1|10000|1|",
		"|InterruptVector|239|VMK timer|1|", "|Power|1|166|0|", "|CStateInfo|2|", "|PStateInfo|2|", "|TStateInfo|7|",
		"|LCPUPower|0|20|10|3|3|8|", "|CState|0|400000|", "|CState|2|100000|", "|PState|0|2001|400000|", "|PState|2|1000|600000|",
		"|TState|0|1000000|", "|TState|7|0|", "|Vsan|0|\n")
}

// requireInOrder checks that each of the words comes after the one before it.
func requireInOrder(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		at := strings.Index(text, w)
		require.GreaterOrEqual(t, at, 0, "%s\nis not in\n%s", w, text)
		text = text[at+len(w):]
	}
}

// Every row has exactly the fields of the schema.
func TestRowsAreAsTheSchemaSays(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"6.7.0", "9.0.1"} {
		e, counted := plain()
		e.Row.Version = version
		counted.VSAN = true
		seen := checkSchema(t, CounterInfo(version), newSnapshot(e, counted).text())
		require.Len(t, seen, len(schemaFields(CounterInfo(version))), "each kind is there")
	}
}
