package esxtop

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCatalogueIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Catalogue() {
		require.Regexp(t, `^[a-z]+\.[a-z][A-Za-z0-9]*$`, m.ID)
		require.False(t, seen[m.ID], "%s is there twice", m.ID)
		seen[m.ID] = true
		require.NotEmpty(t, m.Objects, m.ID)
		require.Equal(t, m.Unit == Words, m.Kind == Text, m.ID)
		require.True(t, m.Formula.op != opNone || len(m.Perf) > 0 || m.Counter != "", "%s comes from nowhere", m.ID)
	}
}

// TestCatalogueWords checks texts for narrow places: the help of a column and HELP lines.
func TestCatalogueWords(t *testing.T) {
	for _, m := range Catalogue() {
		require.Regexp(t, `^[A-Z].*\.$`, m.About, m.ID)
		require.LessOrEqual(t, len(m.About), 200, m.ID)
		require.NotContains(t, m.About, "—", m.ID)
	}
}

func TestCatalogueThresholds(t *testing.T) {
	for _, m := range Catalogue() {
		id, threshold := m.ID, m.Threshold
		if threshold == nil {
			continue
		}
		require.NotEmpty(t, threshold.Source, id)
		require.Regexp(t, `^[a-zA-Z -]+$`, threshold.Word, id)
		require.Regexp(t, `^[A-Z].*[.?]$`, threshold.Action, id)
		if threshold.Critical != 0 {
			require.Equal(t, threshold.Below, threshold.Critical < threshold.Warn, id)
		}
		if threshold.Needs != "" {
			needed := Lookup(threshold.Needs)
			require.NotNil(t, needed, id)
			for _, o := range m.Objects {
				require.Contains(t, needed.Objects, o, "%s needs %s", id, threshold.Needs)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	vm := func(ready float64, vcpus int) Row {
		r := NewRow(Group, "1", "vm")
		r.VM, r.VCPUs = true, vcpus
		r.Set(Lookup("cpu.ready"), ready)
		return r
	}
	disk := func(latency, commands float64) Row {
		r := NewRow(Device, "naa", "naa")
		r.Set(Lookup("disk.deviceLatency"), latency)
		r.Set(Lookup("disk.commands"), commands)
		return r
	}
	numa := func(local float64) Row {
		r := vm(0, 1)
		r.Set(Lookup("numa.local"), local)
		return r
	}
	system := vm(2400, 1)
	system.VM = false
	world := NewRow(World, "1", "vmx-vcpu-0:vm")
	world.VM = true
	world.Set(Lookup("cpu.ready"), 7)
	for name, tc := range map[string]struct {
		metric string
		row    Row
		want   Level
	}{
		"one vCPU":            {"cpu.ready", vm(10.5, 1), Critical},
		"as much, four vCPUs": {"cpu.ready", vm(10.5, 4), Unremarkable},
		"four vCPUs":          {"cpu.ready", vm(24, 4), Warning},
		"on the limit":        {"cpu.ready", vm(5, 1), Unremarkable},
		"unknown size":        {"cpu.ready", vm(50, 0), Unremarkable},
		"idle worlds":         {"cpu.ready", system, Unremarkable},
		"a world is one":      {"cpu.ready", world, Warning},
		"absent":              {"cpu.costop", vm(50, 1), Unremarkable},
		"no threshold":        {"cpu.run", vm(50, 1), Unremarkable},
		"slow disk":           {"disk.deviceLatency", disk(31.98, 50), Warning},
		"slow but idle disk":  {"disk.deviceLatency", disk(31.98, 0.38), Unremarkable},
		"busy enough":         {"disk.deviceLatency", disk(31.98, 10), Warning},
		"below":               {"numa.local", numa(79), Warning},
		"absent, not below":   {"numa.local", vm(0, 1), Unremarkable},
		"far below":           {"numa.local", numa(0), Critical},
		"not below":           {"numa.local", numa(80), Unremarkable},
	} {
		require.Equal(t, tc.want, Lookup(tc.metric).Judge(&tc.row), name)
	}
}

func TestCatalogueCounters(t *testing.T) {
	for _, batch := range batchCounters {
		for counter := range strings.SplitSeq(batch.counters, " · ") {
			require.True(t, slices.ContainsFunc(Catalogue(), func(m *Metric) bool {
				return m.Counter == counter && slices.ContainsFunc(m.Objects, func(o Object) bool { return slices.Contains(batch.of, o) })
			}), "%s\\%s", batch.group, counter)
		}
	}
}

// rawGroup returns the group and name of an object's field. Adapters have no activity fields of their own, their paths
// do.
func rawGroup(o Object, field string) (group, name string) {
	if group, name, ok := strings.Cut(field, "."); ok {
		return group, name
	}
	if o == Adapter {
		return "Path", field
	}
	return objectInfos[o].group, field
}

// TestCatalogueFields: each field is one that hosts have, under that name, in a group that is decoded for the object.
func TestCatalogueFields(t *testing.T) {
	schema := exampleSchema(t)
	has := func(o Object, field string) bool {
		group, name := rawGroup(o, field)
		g := schema.byName[group]
		return g != nil && g.Field(name) >= 0 && ObjectsOf(o).groups()[group]
	}
	named := regexp.MustCompile(`\b([A-Z][A-Za-z]+)\.([A-Z]\w+)`)
	for _, m := range Catalogue() {
		for _, field := range slices.Concat(m.Formula.fields, m.Formula.by) {
			require.True(t, slices.ContainsFunc(m.Objects, func(o Object) bool { return has(o, field) }), "%s: %s", m.ID, field)
		}
		for _, o := range m.Objects {
			if m.Formula.op == opNone || m.Formula.op == opComputed || m.Formula.op == opOwn {
				continue
			}
			require.True(t, slices.ContainsFunc(m.Formula.fields, func(field string) bool { return has(o, field) }), "%s of %s", m.ID, o)
		}
		for _, field := range named.FindAllStringSubmatch(m.Formula.words, -1) {
			g := schema.byName[field[1]]
			require.True(t, g != nil && g.Field(field[2]) >= 0, "%s: %s", m.ID, field[0])
		}
	}
	for group := range AllObjects.groups() {
		require.Contains(t, schema.byName, group)
	}
}

// TestCatalogueFollows: a derived figure is in the same rows as the figures it is derived from, and not derived from
// another derived one.
func TestCatalogueFollows(t *testing.T) {
	for _, m := range Catalogue() {
		others := slices.Clone(m.Formula.of)
		for _, id := range m.Formula.of {
			require.NotNil(t, Lookup(id), "%s of %s", id, m.ID)
			require.NotEqual(t, opComputed, Lookup(id).Formula.op, "%s of %s", id, m.ID)
		}
		require.Equal(t, m.Formula.op == opComputed, len(others) > 0, m.ID)
		if m.per != "" {
			require.Equal(t, Mean, m.Kind, m.ID)
			require.Equal(t, Rate, Lookup(m.per).Kind, m.ID)
			others = append(others, m.per)
		}
		for _, id := range others {
			for _, o := range m.Objects {
				require.Contains(t, Lookup(id).Objects, o, "%s of %s", id, m.ID)
			}
		}
	}
}

// TestCataloguePrometheus: the names follow Prometheus's own rules, which promtool checks only partly.
func TestCataloguePrometheus(t *testing.T) {
	base := map[string]bool{"seconds": true, "bytes": true, "ratio": true, "hertz": true, "watts": true, "joules": true, "celsius": true, "total": true, "second": true}
	wrong := regexp.MustCompile(`_(ms|us|usec|milliseconds|kb|mb|mbps|kilobytes|megabytes|bits|mhz|megahertz|percent|pct|minutes|gauge|counter|sum|count|bucket|info)(_|$)`)
	seen := map[string]string{}
	for _, m := range Catalogue() {
		p := m.Prometheus
		if p.Name == "" {
			continue
		}
		require.NotEqual(t, Text, m.Kind, m.ID)
		require.NotZero(t, p.Scale, m.ID)
		require.Equal(t, p.Counter, strings.HasSuffix(p.Name, "_total"), m.ID)
		if strings.HasSuffix(p.Name, "_seconds_total") {
			require.Equal(t, Percent, m.Unit, m.ID)
		}
		if suffix, _ := baseUnit(m.Unit); suffix != "" && !p.Counter {
			require.True(t, base[p.Name[strings.LastIndexByte(p.Name, '_')+1:]], "%s is %s and called %s", m.ID, m.Unit, p.Name)
		}
		require.Contains(t, m.Help(), m.Column, m.ID)
		for _, field := range m.Formula.fields {
			if m.Formula.op != opOwn {
				require.Contains(t, m.Help(), field, m.ID)
			}
		}
		for _, o := range m.Objects {
			name := m.PrometheusName(o)
			require.Regexp(t, `^esxi(_[a-z][a-z0-9]*)+$`, name)
			require.False(t, wrong.MatchString(name), name)
			require.Empty(t, seen[name], "%s and %s have the same name %s", m.ID, seen[name], name)
			seen[name] = m.ID
		}
	}
	for id, want := range map[string]struct {
		of    Object
		name  string
		scale float64
	}{
		"cpu.ready":         {Group, "esxi_vm_cpu_ready_seconds_total", 0.01},
		"disk.readRate":     {Device, "esxi_device_read_bytes_total", 1 << 20},
		"disk.guestLatency": {Path, "esxi_path_guest_latency_seconds", 0.001},
		"net.rateTx":        {Port, "esxi_port_transmit_bytes_total", 131072},
		"net.linkSpeed":     {Port, "esxi_pnic_link_speed_bytes_per_second", 125000},
		"numa.local":        {Group, "esxi_vm_numa_locality_ratio", 0.01},
		"vaai.ats":          {Device, "esxi_device_vaai_ats_total", 1},
		"cpu.readyPerVCPU":  {Group, "esxi_vm_cpu_ready_per_vcpu_ratio", 0.01},
		"cpu.usageMHz":      {Group, "esxi_vm_cpu_usage_hertz", 1e6},
		"cpu.switches":      {World, "esxi_vcpu_switches_total", 1},
		"power.usage":       {Host, "esxi_host_power_watts", 1},
		"power.energy":      {Group, "esxi_vm_energy_joules_total", 1},
		"net.allRx":         {Host, "esxi_host_network_receive_bytes_total", 131072},
		"host.load1":        {Host, "esxi_host_load1", 1},
	} {
		m := Lookup(id)
		require.Equal(t, want.name, m.PrometheusName(want.of))
		require.InDelta(t, want.scale, m.Prometheus.Scale, 0)
	}
	require.Empty(t, Lookup("cpu.ready").PrometheusName(Device), "no device is ever ready")
}

// batchCounters are the counters that esxtop writes to a batch file, by group and in its order.
var batchCounters = []struct {
	group    string
	of       []Object
	counters string
}{
	{"Memory", []Object{Host}, "Memory Overcommit (1 Minute Avg) · Memory Overcommit (5 Minute Avg) · Memory Overcommit (15 Minute Avg) · " +
		"Machine MBytes · Kernel MBytes · NonKernel MBytes · Free MBytes · Kernel Managed MBytes · Kernel MinFree MBytes · " +
		"Kernel Reserved MBytes · Kernel Unreserved MBytes · Kernel State · PShare Shared MBytes · PShare Common MBytes · " +
		"PShare Savings MBytes · Swap Used MBytes · Swap Target MBytes · Swap MBytes Read/sec · Swap MBytes Write/sec · " +
		"Total Compressed MBytes · Total Saved By Compression MBytes · Memctl Current MBytes · Memctl Target MBytes · " +
		"Memctl Max MBytes"},
	{"Physical Cpu Load", []Object{Host}, "Cpu Load (1 Minute Avg) · Cpu Load (5 Minute Avg) · Cpu Load (15 Minute Avg)"},
	{"Physical Cpu", []Object{PCPU}, "% Processor Time · % Util Time · % Core Util Time"},
	{"Power", []Object{Host, PState}, "Power Usage Now Watts · Power Usage Cap Watts · P-State MHZ"},
	{"VSAN", []Object{Host}, "Enabled?"},
	{"Group Cpu", []Object{Group}, "Members · % Used · % Run · % System · % Wait · % VmWait · % Ready · % Idle · % Overlap · % CoStop · % Max Limited · " +
		"% Swap Wait · Switches/sec · Migrates/sec · Quantum Expires/sec · Wakeups/sec · Alloc Min · Alloc Max · " +
		"Alloc Shares · Alloc Min Limited · % CPU Latency · % Memory Latency · % Demand · Effective Min (MHz) · Timers/sec · " +
		"Power Usage Watts"},
	{"Vcpu", []Object{World}, "% Used · % Run · % System · % Wait · % VmWait · % Ready · % Idle · % Overlap · % CoStop · % Max Limited · " +
		"% Swap Wait · Switches/sec · Migrates/sec · Quantum Expires/sec · Wakeups/sec · Alloc Min · Alloc Max · " +
		"Alloc Shares · Alloc Min Limited · % CPU Latency · % Memory Latency · % Demand · Effective Min (MHz) · Physical Cpu"},
	{"Group Memory", []Object{Group}, "Members · Alloc Min · Alloc Max · Alloc Shares · Alloc Min Limited · Numa Home Nodes · Numa Rebalance Count Delta · " +
		"Numa Remote Memory MBytes · Numa Local Memory MBytes · Numa % Local · Memory Size MBytes · " +
		"Memory Granted Size MBytes · Memory Consumed Size MBytes · Target Size MBytes · Touched MBytes · " +
		"Touched Write MBytes · % Active Estimate · % Active Slow Estimate · % Active Fast Estimate · % Active Next Estimate · " +
		"Memctl? · Memctl MBytes · Memctl Target MBytes · Memctl Max MBytes · Swapped MBytes · Swap Target MBytes · " +
		"Swap Read MBytes/sec · Swap Written MBytes/sec · Llswap Read MBytes/sec · Llswap Written MBytes/sec · " +
		"Checkpoint Read MBytes · Checkpoint Target MBytes · Zero MBytes · Shared MBytes · Shared Saved MBytes · " +
		"Copy On Write Hint MBytes · Overhead UW MBytes · Overhead MBytes · Overhead Max MBytes · Min Commit Target MBytes · " +
		"Commit Target MBytes · Commit Charged MBytes · Commit Pages Per Share · Compressed Memory MBytes · " +
		"Used Compressed Memory MBytes · Compression MBytes/sec · Decompression MBytes/sec"},
	{"Physical Disk", []Object{Adapter}, "Adapter Q Depth · Commands/sec · Reads/sec · Writes/sec · MBytes Read/sec · MBytes Written/sec · Reserves/sec · " +
		"Conflicts/sec · Average Driver MilliSec/Command · Average Kernel MilliSec/Command · Average Guest MilliSec/Command · " +
		"Average Queue MilliSec/Command · Average Driver MilliSec/Read · Average Kernel MilliSec/Read · " +
		"Average Guest MilliSec/Read · Average Queue MilliSec/Read · Average Driver MilliSec/Write · " +
		"Average Kernel MilliSec/Write · Average Guest MilliSec/Write · Average Queue MilliSec/Write · Failed Commands/sec · " +
		"Failed Reads/sec · Failed Writes/sec · Failed Bytes Read/sec · Failed Bytes Written/sec · Failed Reserves/sec · " +
		"Aborts/sec · Resets/sec · PAE Commands/sec · PAE Copies/sec · Split Commands/sec · Split Copies/sec"},
	{"Physical Disk Adapter", []Object{Adapter}, "Commands/sec · Reads/sec · Writes/sec · MBytes Read/sec · MBytes Written/sec · Reserves/sec · Conflicts/sec · " +
		"Average Driver MilliSec/Command · Average Kernel MilliSec/Command · Average Guest MilliSec/Command · " +
		"Average Queue MilliSec/Command · Average Driver MilliSec/Read · Average Kernel MilliSec/Read · " +
		"Average Guest MilliSec/Read · Average Queue MilliSec/Read · Average Driver MilliSec/Write · " +
		"Average Kernel MilliSec/Write · Average Guest MilliSec/Write · Average Queue MilliSec/Write · Failed Commands/sec · " +
		"Failed Reads/sec · Failed Writes/sec · Failed Bytes Read/sec · Failed Bytes Written/sec · Failed Reserves/sec · " +
		"Aborts/sec · Resets/sec · PAE Commands/sec · PAE Copies/sec · Split Commands/sec · Split Copies/sec"},
	{"Physical Disk SCSI Device", []Object{Device}, "Device Q Depth · World Q Depth · Active Commands · Queued Commands · % Used · Load · Commands/sec · Reads/sec · " +
		"Writes/sec · MBytes Read/sec · MBytes Written/sec · Reserves/sec · Conflicts/sec · Average Driver MilliSec/Command · " +
		"Average Kernel MilliSec/Command · Average Guest MilliSec/Command · Average Queue MilliSec/Command · " +
		"Average Driver MilliSec/Read · Average Kernel MilliSec/Read · Average Guest MilliSec/Read · " +
		"Average Queue MilliSec/Read · Average Driver MilliSec/Write · Average Kernel MilliSec/Write · " +
		"Average Guest MilliSec/Write · Average Queue MilliSec/Write · Failed Commands/sec · Failed Reads/sec · " +
		"Failed Writes/sec · Failed Bytes Read/sec · Failed Bytes Written/sec · Failed Reserves/sec · Aborts/sec · " +
		"Resets/sec · CReads · CWrites · CFailed · MBytes CReads/sec · MBytes CWrites/sec · ATS · ATS Failed · Zeros · " +
		"Zeros Failed · MBytes Zeroed/sec · Delete · Deletes Failed · MBytes Deletes/sec · Average Success Latency ms/Clone · " +
		"Average Failure Latency ms/Clone · Average Success Latency ms/ATS · Average Failure Latency ms/ATS · " +
		"Average Success Latency ms/Zero · Average Failure Latency ms/Zero"},
	{"Physical Disk Path", []Object{Path}, "Commands/sec · Reads/sec · Writes/sec · MBytes Read/sec · MBytes Written/sec · Reserves/sec · Conflicts/sec · " +
		"Average Driver MilliSec/Command · Average Kernel MilliSec/Command · Average Guest MilliSec/Command · " +
		"Average Queue MilliSec/Command · Average Driver MilliSec/Read · Average Kernel MilliSec/Read · " +
		"Average Guest MilliSec/Read · Average Queue MilliSec/Read · Average Driver MilliSec/Write · " +
		"Average Kernel MilliSec/Write · Average Guest MilliSec/Write · Average Queue MilliSec/Write · Failed Commands/sec · " +
		"Failed Reads/sec · Failed Writes/sec · Failed Bytes Read/sec · Failed Bytes Written/sec · Failed Reserves/sec · " +
		"Aborts/sec · Resets/sec · PAE Commands/sec · PAE Copies/sec · Split Commands/sec · Split Copies/sec"},
	{"Physical Disk Per-Device-Per-World", []Object{DeviceWorld}, "Shares · Device Q Depth · World Q Depth · Active Commands · Queued Commands · % Used · Load · Commands/sec · " +
		"Reads/sec · Writes/sec · MBytes Read/sec · MBytes Written/sec · Reserves/sec · Conflicts/sec · " +
		"Average Driver MilliSec/Command · Average Kernel MilliSec/Command · Average Guest MilliSec/Command · " +
		"Average Queue MilliSec/Command · Average Driver MilliSec/Read · Average Kernel MilliSec/Read · " +
		"Average Guest MilliSec/Read · Average Queue MilliSec/Read · Average Driver MilliSec/Write · " +
		"Average Kernel MilliSec/Write · Average Guest MilliSec/Write · Average Queue MilliSec/Write · Failed Commands/sec · " +
		"Failed Reads/sec · Failed Writes/sec · Failed Bytes Read/sec · Failed Bytes Written/sec · Failed Reserves/sec · " +
		"Aborts/sec · Resets/sec"},
	{"Physical Disk Partition", []Object{Partition}, "Commands/sec · Reads/sec · Writes/sec · MBytes Read/sec · MBytes Written/sec · Average Driver MilliSec/Command · " +
		"Average Kernel MilliSec/Command · Average Guest MilliSec/Command · Average Queue MilliSec/Command · " +
		"Average Driver MilliSec/Read · Average Kernel MilliSec/Read · Average Guest MilliSec/Read · " +
		"Average Queue MilliSec/Read · Average Driver MilliSec/Write · Average Kernel MilliSec/Write · " +
		"Average Guest MilliSec/Write · Average Queue MilliSec/Write"},
	{"Virtual Disk", []Object{DiskVM}, "FailedIOs · TotalIOs · Latency · Commands/sec · Reads/sec · Writes/sec · MBytes Read/sec · MBytes Written/sec · " +
		"Average MilliSec/Read · Average MilliSec/Write"},
	{"Network Port", []Object{Port}, "Link Up? · Link Speed (Mb/s) · Full Duplex? · Packets Transmitted/sec · MBits Transmitted/sec · " +
		"Average Packet Size  Transmitted (Bytes) · Packets Received/sec · MBits Received/sec · " +
		"Average Packet Size  Received (Bytes) · % Outbound Packets Dropped · % Received Packets Dropped · " +
		"Actions Posted/sec · Multicast Packets Transmitted/sec · Multicast Packets Received/sec · " +
		"Broadcast Packets Transmitted/sec · Broadcast Packets Received/sec"},
	{"Interrupt Cookie", []Object{Vector}, "Interrupts/second · Processing Time MicroSec/Interrupt"},
	{"PCPU Power State", []Object{CState, PState, TState}, "%C-State · %P-State · %T-State"},
}

// TestSumsOfAnInterval: a sum over an interval, stored per second, gives the same sum again when a counter multiplies
// it by the interval. No joule is lost.
func TestSumsOfAnInterval(t *testing.T) {
	m := Lookup("power.energy")
	const interval = 20 * time.Second
	for joules := range int64(1_000_000) {
		if took := m.Perf[0].As.Apply(joules, interval) * interval.Seconds() * m.Prometheus.Scale; took != float64(joules) {
			t.Fatalf("%d J became %v J", joules, took)
		}
	}
}
