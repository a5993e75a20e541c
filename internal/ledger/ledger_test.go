package ledger

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

const (
	readyOf1 = `esxi_vm_cpu_ready_seconds_total{moid="vm-1",vm="name-vm-1"}`
	readyOf2 = `esxi_vm_cpu_ready_seconds_total{moid="vm-2",vm="name-vm-2"}`
)

// TestSum: each sample counts once, in base units, however often and late it comes.
func TestSum(t *testing.T) {
	l := fleet(t, Options{})
	take(l, round(frame("host-1", after(1), ready("vm-1", 10), ready("vm-2", 50))))
	require.InDelta(t, 2, page(t, l, after(1))[readyOf1], 1e-12, "10 % of 20 s")
	require.InDelta(t, 10, page(t, l, after(1))[readyOf2], 1e-12)

	take(l, round(frame("host-1", after(2), ready("vm-1", 20))))
	take(l, round(frame("host-1", after(2), ready("vm-1", 20))))
	take(l, again(round(frame("host-1", after(1), ready("vm-1", 10)))))
	take(l, round(frame("host-1", after(2).Add(10*time.Second), ready("vm-1", 20)))) // with another date
	require.InDelta(t, 6, page(t, l, after(2))[readyOf1], 1e-12)

	take(l, round(frame("host-1", after(3), ready("vm-1", 20)), frame("host-1", after(2), ready("vm-2", 50)))) // one of them catches up
	require.InDelta(t, 10, page(t, l, after(3))[readyOf1], 1e-12)
	require.InDelta(t, 20, page(t, l, after(3))[readyOf2], 1e-12)
	take(l, round(frame("host-2", after(4), ready("vm-1", 20)))) // it goes on counting elsewhere
	require.InDelta(t, 14, page(t, l, after(4))[readyOf1], 1e-12)
	require.Equal(t, uint64(6), statsAt(l, after(4)).Samples, "of vm-1 four, of vm-2 two; no row of a host")
	require.Empty(t, reasons(l, after(4)))
}

// TestValues: impossible values are skipped, absent ones are not shown, and neither changes a sum.
func TestValues(t *testing.T) {
	const series = `esxi_vm_cpu_ready_seconds_total{moid="vm-1",vm="name-vm-1"}`
	for name, test := range map[string]struct {
		value float64
		shown bool
		other uint64
	}{
		"absent":       {math.NaN(), false, 0},
		"negative":     {-1, false, 1},
		"infinite":     {math.Inf(1), false, 1},
		"minus":        {math.Inf(-1), false, 1},
		"nothing":      {0, true, 0},
		"minus nought": {math.Copysign(0, -1), true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := fleet(t, Options{})
			take(l, round(frame("host-1", after(1), ready("vm-1", 10))))
			take(l, round(frame("host-1", after(2), ready("vm-1", test.value))))
			v, shown := page(t, l, after(2))[series]
			require.Equal(t, test.shown, shown)
			if shown {
				require.InDelta(t, 2, v, 1e-12)
			}
			require.Equal(t, test.other, reasons(l, after(2))["other"])
			take(l, round(frame("host-1", after(3), ready("vm-1", 10))))
			require.InDelta(t, 4, page(t, l, after(3))[series], 1e-12)
		})
	}
}

// TestTooMuch: a sum remains finite.
func TestTooMuch(t *testing.T) {
	const series = `esxi_vm_memory_swap_read_bytes_total{moid="vm-1",vm="name-vm-1"}`
	l := fleet(t, Options{})
	for i, v := range []float64{1, math.MaxFloat64, math.MaxFloat64 / (1 << 25), math.MaxFloat64 / (1 << 25), math.MaxFloat64 / (1 << 25), 1} {
		take(l, round(frame("host-1", after(i+1), vmRow(esxtop.Group, "vm-1", "vm-1", figures{"mem.swapIn": v}))))
	}
	require.Equal(t, map[string]uint64{"other": 3}, reasons(l, after(6)))
	require.Less(t, page(t, l, after(6))[series], math.Inf(1))
	require.Greater(t, page(t, l, after(6))[series], math.MaxFloat64/4)
}

// TestGauge: the newest value, in base units; none where the newest sample has none.
func TestGauge(t *testing.T) {
	const series = `esxi_vm_memory_granted_bytes{moid="vm-1",vm="name-vm-1"}`
	l := fleet(t, Options{})
	for i, v := range []float64{7, 3, math.NaN(), math.Inf(1), 5} {
		take(l, round(frame("host-1", after(i+1), vmRow(esxtop.Group, "vm-1", "vm-1", figures{"mem.granted": v}))))
		got, shown := page(t, l, after(i+1))[series]
		require.Equal(t, i != 2 && i != 3, shown)
		if shown {
			require.InDelta(t, v*(1<<20), got, 0)
		}
	}
}

// TestHostCounts: a counter of the host does not decrease when the host starts from 0, as after a restart or a move.
func TestHostCounts(t *testing.T) {
	const series = `esxi_vm_numa_migrations_total{moid="vm-1",vm="name-vm-1"}`
	l := fleet(t, Options{})
	want := []float64{5, 5, 9, 11, 13}
	for i, v := range []float64{5, 5, 9, 2, 4} {
		r := vmRow(esxtop.Group, "vm-1", "17", figures{"numa.migrations": v})
		take(l, round(service(frame("host-1", start.Add(time.Duration(i+1)*5*time.Second), r), 5*time.Second)))
		require.InDelta(t, want[i], page(t, l, after(1))[series], 0, i)
	}
}

// TestFirstSample: the first frame of the Esxtop service has no interval.
func TestFirstSample(t *testing.T) {
	l := fleet(t, Options{})
	group := func(v float64) esxtop.Row {
		return vmRow(esxtop.Group, "vm-1", "17", figures{"cpu.switches": v, "cpu.demand": 50})
	}
	take(l, round(service(frame("host-1", after(1), group(math.NaN())), 0)))
	require.Equal(t, map[string]float64{`esxi_vm_cpu_demand_ratio{moid="vm-1",vm="name-vm-1"}`: 0.5}, page(t, l, after(1)))
	require.Zero(t, statsAt(l, after(1)).Samples)
	take(l, round(service(frame("host-1", after(1).Add(5*time.Second), group(100)), 5*time.Second)))
	take(l, round(service(frame("host-1", after(1).Add(10*time.Second), group(100)), -5*time.Second)))
	require.InDelta(t, 500, page(t, l, after(2))[`esxi_vm_cpu_switches_total{moid="vm-1",vm="name-vm-1"}`], 0)
	require.Equal(t, uint64(1), statsAt(l, after(2)).Samples)
}

// TestOneFeeder: every metric is counted by exactly one origin.
func TestOneFeeder(t *testing.T) {
	l := fleet(t, Options{})
	both := figures{"cpu.ready": 10, "cpu.switches": 3, "cpu.vmWait": 10, "mem.granted": 8, "cpu.demand": 50}
	take(l, round(
		frame("host-1", after(1), vmRow(esxtop.Group, "vm-1", "vm-1", both), vmRow(esxtop.World, "vm-1", "0", both)),
		service(frame("host-1", after(1).Add(time.Second), vmRow(esxtop.Group, "vm-1", "4711", both), world(0, "vmx-vcpu-0:name-vm-1", both)), 5*time.Second),
	))
	labels, vcpu := `{moid="vm-1",vm="name-vm-1"}`, `{moid="vm-1",vcpu="0",vm="name-vm-1"}`
	require.Equal(t, map[string]float64{
		"esxi_vm_cpu_ready_seconds_total" + labels:   2,
		"esxi_vm_cpu_vm_wait_seconds_total" + labels: 2,
		"esxi_vm_cpu_switches_total" + labels:        15,
		"esxi_vm_memory_granted_bytes" + labels:      8 << 20,
		"esxi_vm_cpu_demand_ratio" + labels:          0.5,
		"esxi_vcpu_ready_seconds_total" + vcpu:       2,
		"esxi_vcpu_vm_wait_seconds_total" + vcpu:     2,
		"esxi_vcpu_switches_total" + vcpu:            15,
		"esxi_vcpu_demand_ratio" + vcpu:              0.5,
	}, page(t, l, after(1)))
}

// world returns a world of the Esxtop service that belongs to the VM of a group.
func world(group int, name string, of figures) esxtop.Row {
	r := row(esxtop.World, "2100"+name, of)
	r.Name, r.Parent, r.VM = name, group, true
	return r
}

// TestLabels: each object has its labels, whatever the origin.
func TestLabels(t *testing.T) {
	one := func(o esxtop.Object) figures {
		for _, m := range esxtop.MetricsOf(o) {
			if m.PrometheusName(o) != "" && m.ID != "net.uplink" {
				return figures{m.ID: 1}
			}
		}
		return nil
	}
	name := func(r esxtop.Row, name string) esxtop.Row { r.Name = name; return r }
	below := func(r esxtop.Row, parent int) esxtop.Row { r.Parent = parent; return r }
	port := func(name string, uplink float64) esxtop.Row {
		r := row(esxtop.Port, "id of "+name, figures{"net.errorsRx": 1, "net.linkUp": 1, "net.actions": 1, "net.uplink": uplink})
		r.Name = name
		return r
	}
	vnic := func(vm, name string) esxtop.Row {
		r := port(name, 0)
		r.VM, r.MoID = true, vm
		return r
	}
	group := vmRow(esxtop.Group, "vm-1", "17", one(esxtop.Group))
	other := row(esxtop.Group, "18", one(esxtop.Group))
	other.MoID = "vm-1" // of the host's own: no source does that
	for _, test := range []struct {
		name string
		rows []esxtop.Row
		want []string
	}{
		{"host", []esxtop.Row{hostRow("x", one(esxtop.Host))}, []string{`{host="esx-host-1",moid="host-1"}`}},
		{"pcpu", []esxtop.Row{row(esxtop.PCPU, "3", one(esxtop.PCPU))}, []string{`{cpu="3",host="esx-host-1",moid="host-1"}`}},
		{"node", []esxtop.Row{row(esxtop.Node, "1", one(esxtop.Node))}, []string{`{host="esx-host-1",moid="host-1",node="1"}`}},
		{"group", []esxtop.Row{group}, []string{`{moid="vm-1",vm="name-vm-1"}`}},
		{"group of the host", []esxtop.Row{other, row(esxtop.Group, "1", one(esxtop.Group))}, nil},
		{"group of an unknown VM", []esxtop.Row{vmRow(esxtop.Group, "", "17", one(esxtop.Group))}, nil},
		{"node of a group", []esxtop.Row{other, group, below(row(esxtop.GroupNode, "0", one(esxtop.GroupNode)), 1), below(row(esxtop.GroupNode, "0", one(esxtop.GroupNode)), 0)},
			[]string{`{moid="vm-1",node="0",vm="name-vm-1"}`, `{moid="vm-1",vm="name-vm-1"}`}},
		{"worlds", []esxtop.Row{group, world(0, "vmx-vcpu-3:a:b", figures{"cpu.switches": 1}), world(0, "vmx", figures{"cpu.switches": 1}), world(0, "vmx-vcpu-x:a", figures{"cpu.switches": 1}),
			world(-1, "vmx-vcpu-1:a", figures{"cpu.switches": 1}), world(7, "vmx-vcpu-1:a", figures{"cpu.switches": 1})},
			[]string{`{moid="vm-1",vcpu="3",vm="name-vm-1"}`, `{moid="vm-1",vm="name-vm-1"}`}},
		{"adapter", []esxtop.Row{row(esxtop.Adapter, "vmhba0", one(esxtop.Adapter))}, []string{`{adapter="vmhba0",host="esx-host-1",moid="host-1"}`}},
		{"path", []esxtop.Row{row(esxtop.Path, "vmhba0:C0", one(esxtop.Path))}, []string{`{host="esx-host-1",moid="host-1",path="vmhba0:C0"}`}},
		{"device", []esxtop.Row{row(esxtop.Device, "naa.6", one(esxtop.Device)), below(row(esxtop.Partition, "2", one(esxtop.Partition)), 0), below(row(esxtop.DeviceWorld, "99", one(esxtop.DeviceWorld)), 0), row(esxtop.Partition, "3", one(esxtop.Partition))},
			[]string{`{device="naa.6",host="esx-host-1",moid="host-1"}`, `{device="naa.6",host="esx-host-1",moid="host-1",partition="2"}`, `{device="naa.6",host="esx-host-1",moid="host-1",world="99"}`}},
		{"nfs", []esxtop.Row{row(esxtop.NFS, `a "b"\`, one(esxtop.NFS))}, []string{`{host="esx-host-1",moid="host-1",nfs="a \"b\"\\"}`}},
		{"disks", []esxtop.Row{vmRow(esxtop.DiskVM, "vm-1", "9", one(esxtop.DiskVM)), below(row(esxtop.VDisk, "scsi0:0", one(esxtop.VDisk)), 0)},
			[]string{`{disk="scsi0:0",moid="vm-1",vm="name-vm-1"}`, `{moid="vm-1",vm="name-vm-1"}`}},
		{"ports", []esxtop.Row{port("vmnic0", 1), port("vmk0", 0), port("vmk1", math.NaN()), port("", 0), vnic("vm-1", "web.a.eth0"), vnic("vm-2", "eth1"), vnic("", "gone.eth0")},
			[]string{`{host="esx-host-1",moid="host-1",pnic="vmnic0"}`, `{host="esx-host-1",moid="host-1",port="vmk0"}`, `{host="esx-host-1",moid="host-1",port="vmk1"}`,
				`{moid="vm-1",vm="name-vm-1",vnic="eth0"}`, `{moid="vm-2",vm="name-vm-2",vnic="eth1"}`}},
		{"vectors", []esxtop.Row{row(esxtop.Vector, "0x2", one(esxtop.Vector)), below(row(esxtop.VectorCPU, "1", one(esxtop.VectorCPU)), 0)},
			[]string{`{cpu="1",host="esx-host-1",moid="host-1",vector="0x2"}`, `{host="esx-host-1",moid="host-1",vector="0x2"}`}},
		{"states", []esxtop.Row{row(esxtop.PCPU, "3", one(esxtop.PCPU)), below(name(row(esxtop.CState, "1", one(esxtop.CState)), "C1"), 0)},
			[]string{`{cpu="3",host="esx-host-1",moid="host-1",state="C1"}`, `{cpu="3",host="esx-host-1",moid="host-1"}`}},
		{"dom", []esxtop.Row{row(esxtop.Dom, "Owner", one(esxtop.Dom))}, []string{`{host="esx-host-1",moid="host-1",role="Owner"}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := map[string]bool{}
			l := fleet(t, Options{})
			take(l, round(frame("host-1", after(1), test.rows...), service(frame("host-1", after(1), test.rows...), time.Second)))
			for series := range page(t, l, after(1)) {
				for i := range series {
					if series[i] == '{' {
						got[series[i:]] = true
						break
					}
				}
			}
			want := map[string]bool{}
			for _, s := range test.want {
				want[s] = true
			}
			require.Equal(t, want, got)
		})
	}
}

// TestRename: series have the present names of the roster, and continue counting.
func TestRename(t *testing.T) {
	l := fleet(t, Options{})
	rows := []esxtop.Row{hostRow("esx", figures{"host.uptime": 5}), row(esxtop.PCPU, "0", figures{"pcpu.used": 10}), ready("vm-1", 10)}
	take(l, round(frame("host-1", after(1), rows...)))
	before, _ := changesAt(l, after(1))
	l.Expect([]Host{{MoID: "host-1", Name: "new\nhost", Up: true}}, []VM{{MoID: "vm-1", Name: "", On: true}})
	changed, _ := changesAt(l, after(1))
	require.Greater(t, changed, before)
	take(l, round(frame("host-1", after(2), rows...)))
	require.Equal(t, map[string]float64{
		`esxi_host_uptime_seconds{host="new\nhost",moid="host-1"}`:             5,
		`esxi_pcpu_used_seconds_total{cpu="0",host="new\nhost",moid="host-1"}`: 4,
		`esxi_vm_cpu_ready_seconds_total{moid="vm-1",vm="vm-1"}`:               4,
	}, page(t, l, after(2)))
}

// TestRenamedOrder: series are sorted by their present names.
func TestRenamedOrder(t *testing.T) {
	l := newLedger(Options{Objects: esxtop.AllObjects})
	names := func(one, two string) {
		l.Expect([]Host{{MoID: "host-1", Name: one, Up: true}, {MoID: "host-2", Name: two, Up: true}}, nil)
	}
	names("a", "b")
	take(l, round(frame("host-1", after(1), hostRow("x", figures{"host.uptime": 1})), frame("host-2", after(1), hostRow("y", figures{"host.uptime": 2}))))
	require.Equal(t, []string{`esxi_host_uptime_seconds{host="a",moid="host-1"} 1`, `esxi_host_uptime_seconds{host="b",moid="host-2"} 2`}, lines(t, l, after(1)))
	names("c", "b")
	require.Equal(t, []string{`esxi_host_uptime_seconds{host="b",moid="host-2"} 2`, `esxi_host_uptime_seconds{host="c",moid="host-1"} 1`}, lines(t, l, after(1)))
}

// TestTwins: two objects with the same labels are counted once, and reported.
func TestTwins(t *testing.T) {
	l := fleet(t, Options{})
	for i := range 2 {
		take(l, round(frame("host-1", after(i+1),
			row(esxtop.NFS, "\xff", figures{"nfs.reads": 1}), row(esxtop.NFS, "\xfe", figures{"nfs.reads": 2}), row(esxtop.NFS, "b", figures{"nfs.reads": 4}),
			ready("vm-1", 10), ready("vm-1", 90))))
	}
	got := page(t, l, after(2))
	require.Len(t, got, 3)
	require.InDelta(t, 4, got[readyOf1], 1e-12)
	require.InDelta(t, 40, got[`esxi_nfs_reads_total{host="esx-host-1",moid="host-1",nfs="`+"\uFFFD"+`"}`], 1e-12)
	require.Equal(t, uint64(4), statsAt(l, after(2)).Duplicates)
}

// TestForgotten: objects that are not listed are removed with their sums; listed ones remain, however long they have no
// samples.
func TestForgotten(t *testing.T) {
	l := fleet(t, Options{})
	take := func(n int) {
		take(l, round(frame("host-1", after(n), ready("vm-1", 10), ready("vm-2", 10), ready("vm-3", 10), row(esxtop.PCPU, "0", figures{"pcpu.used": 10}))))
	}
	take(1)
	require.NotContains(t, fmt.Sprint(page(t, l, after(1))), "vm-3", "which is not expected")
	l.Expect(hostsUp("host-1"), vmsOn("vm-2"))
	require.NotContains(t, page(t, l, after(1)), readyOf1)
	l.Expect(hostsUp("host-1"), vmsOn("vm-1", "vm-2"))
	take(500)
	require.InDelta(t, 2, page(t, l, after(500))[readyOf1], 1e-12)
	require.InDelta(t, 4, page(t, l, after(500))[readyOf2], 1e-12)
	l.Expect(nil, nil)
	require.Empty(t, page(t, l, after(500)))
	require.Empty(t, l.tables[esxtop.PCPU].entities)
	require.Empty(t, l.tables[esxtop.PCPU].order())
}

// TestParts: a part without samples is stale, and after an hour removed; the time without its owner does not count.
func TestParts(t *testing.T) {
	const disk = `esxi_vdisk_reads_total{disk="a",moid="vm-1",vm="name-vm-1"}`
	l := fleet(t, Options{})
	l.Expect(hostsUp("host-1"), vmsOn("vm-1"))
	take := func(n int, with bool) {
		rows := []esxtop.Row{ready("vm-1", 10)}
		if with {
			rows = append(rows, vmRow(esxtop.VDisk, "vm-1", "a", figures{"vdisk.reads": 1}))
		}
		take(l, round(frame("host-1", after(n), rows...)))
	}
	take(1, true)
	take(2, false)
	require.Contains(t, page(t, l, after(2)), disk)
	take(3, false)
	take(4, false)
	require.NotContains(t, page(t, l, after(4)), disk)
	take(181, false)
	take(182, true)
	require.InDelta(t, 40, page(t, l, after(182))[disk], 0, "an hour")
	take(1000, false)
	take(1004, true)
	require.InDelta(t, 60, page(t, l, after(1004))[disk], 0, "the VM was away, too")
	for n := 1005; n < 1190; n++ {
		take(n, false)
	}
	take(1190, true)
	require.InDelta(t, 20, page(t, l, after(1190))[disk], 0, "it was forgotten")
}

// TestStale: old values are hidden for each origin, and their sums continue.
func TestStale(t *testing.T) {
	const demand = `esxi_vm_cpu_demand_ratio{moid="vm-1",vm="name-vm-1"}`
	l := fleet(t, Options{Stale: 50 * time.Second})
	take(l, round(frame("host-1", after(1), ready("vm-1", 10))))
	take(l, round(service(frame("host-1", after(2), vmRow(esxtop.Group, "vm-1", "1", figures{"cpu.demand": 50})), time.Second)))
	count, until := changesAt(l, after(1))
	end := after(1).Add(50 * time.Second)
	require.Equal(t, end, until)
	require.Len(t, page(t, l, end.Add(-time.Millisecond)), 2)
	again, _ := changesAt(l, end.Add(-time.Millisecond))
	require.Equal(t, count, again)
	require.Equal(t, map[string]float64{demand: 0.5}, page(t, l, end))
	require.Equal(t, 1, statsAt(l, end).Series)
	again, until = changesAt(l, end)
	require.Greater(t, again, count, "the page is another one")
	require.Equal(t, after(2).Add(50*time.Second), until)
	_, until = changesAt(l, until)
	require.Zero(t, until)
	require.Empty(t, page(t, l, after(9)))
	take(l, round(frame("host-1", after(10), ready("vm-1", 10))))
	require.InDelta(t, 4, page(t, l, after(10))[readyOf1], 1e-12)
}

// TestMaxSeries: hosts come first, then VMs, then parts, each by their ids; hidden ones are still counted.
func TestMaxSeries(t *testing.T) {
	rows := func() []esxtop.Row {
		return []esxtop.Row{
			hostRow("x", figures{"host.uptime": 1, "mem.physical": 1}),
			row(esxtop.PCPU, "0", figures{"pcpu.used": 10}), row(esxtop.PCPU, "10", figures{"pcpu.used": 10}), row(esxtop.PCPU, "9", figures{"pcpu.used": 10}),
			ready("vm-10", 10), ready("vm-9", 10),
		}
	}
	all := []string{ // in the order of what is kept
		`esxi_host_uptime_seconds{host="esx-host-1",moid="host-1"}`, `esxi_host_memory_physical_bytes{host="esx-host-1",moid="host-1"}`,
		`esxi_vm_cpu_ready_seconds_total{moid="vm-9",vm="name-vm-9"}`, `esxi_vm_cpu_ready_seconds_total{moid="vm-10",vm="name-vm-10"}`,
		`esxi_pcpu_used_seconds_total{cpu="0",host="esx-host-1",moid="host-1"}`, `esxi_pcpu_used_seconds_total{cpu="9",host="esx-host-1",moid="host-1"}`,
		`esxi_pcpu_used_seconds_total{cpu="10",host="esx-host-1",moid="host-1"}`,
	}
	for most := range 9 {
		l := newLedger(Options{Objects: esxtop.AllObjects, MaxSeries: most})
		l.Expect(hostsUp("host-1"), vmsOn("vm-9", "vm-10"))
		take(l, round(frame("host-1", after(1), rows()...)))
		want := min(most, len(all))
		switch most {
		case 0:
			want = len(all) // no limit
		case 1:
			want = 0 // the host has two, and is not split
		}
		got, s := page(t, l, after(1)), statsAt(l, after(1))
		require.Len(t, got, want, most)
		for _, series := range all[:want] {
			require.Contains(t, got, series, most)
		}
		require.Equal(t, []int{want, len(all) - want}, []int{s.Series, s.Over}, most)
	}
	l := newLedger(Options{Objects: esxtop.AllObjects, MaxSeries: 3})
	l.Expect(hostsUp("host-1"), vmsOn("vm-9", "vm-10"))
	take(l, round(frame("host-1", after(1), rows()...)))
	require.Len(t, page(t, l, after(1)), 3)
	take(l, round(frame("host-1", after(2), ready("vm-10", 10))))
	take(l, round(frame("host-1", after(5), ready("vm-10", 10))))
	require.Equal(t, map[string]float64{`esxi_vm_cpu_ready_seconds_total{moid="vm-10",vm="name-vm-10"}`: 6}, page(t, l, after(5)), "there is room again")
	take(l, round(frame("host-1", after(6), rows()...)))
	require.Len(t, page(t, l, after(6)), 3)
	l.Expect(hostsUp("host-1"), vmsOn("vm-1", "vm-9", "vm-10"))
	take(l, round(frame("host-1", after(7), append(rows(), ready("vm-1", 10))...)))
	require.Len(t, page(t, l, after(7)), 3)
	require.Contains(t, page(t, l, after(7)), readyOf1, "it comes before the others")
	l.Expect(nil, vmsOn("vm-9", "vm-10"))
	require.Equal(t, 2, statsAt(l, after(7)).Series)
}

// TestCoverage: objects that are expected, and those with a sample as new as the others.
func TestCoverage(t *testing.T) {
	l := newLedger(Options{Objects: esxtop.AllObjects})
	hosts := append(hostsUp("host-1", "host-2"), Host{MoID: "host-3"})
	vms := append(vmsOn("vm-1", "vm-2"), VM{MoID: "vm-3", Host: "host-2"})
	l.Expect(hosts, vms)
	covers := func(now time.Time) []int {
		s := statsAt(l, now)
		return []int{s.Hosts.Expected, s.Hosts.Collected, s.VMs.Expected, s.VMs.Collected}
	}
	require.Equal(t, []int{2, 0, 2, 0}, covers(after(1)))
	one := frame("host-1", after(1), hostRow("a", figures{"host.uptime": 1}), ready("vm-1", 1), ready("vm-2", 1), ready("vm-3", 1))
	two := frame("host-2", after(1).Add(2*time.Second), hostRow("b", figures{"host.uptime": 1}))
	take(l, round(one, two))
	require.Equal(t, []int{2, 2, 2, 2}, covers(after(1)))
	require.Equal(t, after(1).Add(2*time.Second), statsAt(l, after(1)).Newest)
	take(l, round(frame("host-1", after(2), hostRow("a", figures{"host.uptime": 1}), ready("vm-1", 1)), service(frame("host-2", after(2).Add(17*time.Second), hostRow("b", figures{"host.uptime": 1})), time.Second)))
	require.Equal(t, []int{2, 1, 2, 1}, covers(after(2)), "the others have no sample of that slot")
	require.Equal(t, []int{2, 0, 2, 0}, covers(after(6)))
	take(l, round(frame("host-2", after(9000), hostRow("b", figures{"host.uptime": 1})), frame("host-1", after(6), hostRow("a", figures{"host.uptime": 1}))))
	require.Equal(t, []int{2, 2, 2, 0}, covers(after(6)), "a wrong clock does not make others late")
	require.Equal(t, after(6), statsAt(l, after(6)).Newest)
}
