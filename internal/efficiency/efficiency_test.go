package efficiency_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/pkg/inventory"
)

type live = map[string]inventory.Series

func at(mean, p95 float64) inventory.Series {
	return inventory.Series{Mean: mean, Median: mean, P95: p95, Worst: p95, Samples: 9}
}

// busy returns the counters of a host with 24 cores.
// remove removes a counter of a host.
func remove(h *inventory.Host, counter string) {
	h.Live = slices.DeleteFunc(h.Live, func(c inventory.LiveCounter) bool { return c.Name == counter })
}

func busy() live {
	return live{
		"cpu.coreUtilization": at(25, 50), "net.rx": at(2000, 3000), "net.tx": at(1000, 3000), "net.packetsRx": at(200_000, 0),
		"net.packetsTx": at(50_000, 0), "power.watts": at(300, 0), "mem.free": at(100_000, 65_536),
	}
}

// host returns a host with 24 cores with two threads each and 256 GiB; two VMs run on it.
func host(id string) *inventory.Host {
	h := &inventory.Host{
		Cores: inventory.Known(int64(24)), CPUThreads: inventory.Known(int64(48)), CPUMHz: inventory.Known(int64(2600)),
		MemoryMB: inventory.Known(int64(256 << 10)), ClusterID: inventory.Known("c1"), Live: inventory.NewLive(busy()),
	}
	h.ID, h.Name = id, id
	h.LUNs = inventory.Known([]*inventory.LUN{
		{Device: "naa.idle", Live: inventory.NewLive(live{"disk.guestLatency": {}})},
		{Device: "naa.quick", Live: inventory.NewLive(live{"disk.guestLatency": at(20, 21)})},
		{Device: "naa.slow", Live: inventory.NewLive(live{
			"disk.guestLatency": at(10, 40), "disk.deviceLatency": at(6, 20), "disk.kernelLatency": at(4, 20), "disk.queueLatency": at(3, 18),
		})},
	})
	return h
}

func vm(on, power string, vcpus int64) *inventory.VM {
	v := &inventory.VM{HostID: inventory.Known(on), PowerState: inventory.Known(power), VCPUs: inventory.Known(vcpus)}
	v.ID = on + power
	return v
}

// fleet returns a snapshot of one cluster.
func fleet(hosts []*inventory.Host, vms ...*inventory.VM) *inventory.Snapshot {
	c := &inventory.Cluster{}
	c.ID, c.Name = "c1", "general"
	var ids []string
	for _, h := range hosts {
		ids = append(ids, h.ID)
	}
	c.HostIDs = inventory.Known(ids)
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: hosts, VMs: vms, Clusters: []*inventory.Cluster{c}}}}
	s.Link()
	return s
}

// of finds a figure of a kind of object.
func of(t *testing.T, s *inventory.Snapshot, scope inventory.Scope, id string) efficiency.Figure {
	t.Helper()
	for _, f := range efficiency.Of(s) {
		if f.ID == id && f.Object.Kind == scope {
			return f
		}
	}
	t.Fatalf("no figure %s of a %s", id, scope)
	return efficiency.Figure{}
}

func requireValue(t *testing.T, want float64, f efficiency.Figure) {
	t.Helper()
	got, known := f.Value.Value()
	_, _, reason := f.Value.Get()
	require.True(t, known, "%s is not known: %s; %v", f.ID, reason, f.From)
	require.InDelta(t, want, got, 1e-9, f.ID)
}

// TestFiguresOfAHost compares with values computed manually.
func TestFiguresOfAHost(t *testing.T) {
	s := fleet([]*inventory.Host{host("h1")}, vm("h1", "poweredOn", 30), vm("h1", "suspended", 99), vm("h1", "poweredOn", 18))
	for _, test := range []struct {
		id    string
		scope inventory.Scope
		want  float64
		from  []string
	}{
		{"vcpus-per-core", inventory.ScopeHost, 2, []string{"48 vCPUs of 2 running VMs", "24 physical cores"}},
		{"gbps-per-core", inventory.ScopeHost, 0.5, []string{"3 Gb/s through the NICs on average, 2 received and 1 sent", "6 cores in use on average"}},
		{"cores-per-gbps", inventory.ScopeHost, 2, []string{"6 cores in use on average", "3 Gb/s through the NICs on average, 2 received and 1 sent"}},
		{"mhz-per-watt", inventory.ScopeHost, 52, []string{"15600 MHz of cores in use on average, by their nominal clock", "300 W on average"}},
		{"mbps-per-watt", inventory.ScopeHost, 10, []string{"3 Gb/s through the NICs on average, 2 received and 1 sent", "300 W on average"}},
		{"packets-rx", inventory.ScopeHost, 200_000, []string{"200000 packets/s received on average"}},
		{"packets-tx", inventory.ScopeHost, 50_000, []string{"50000 packets/s sent on average"}},
		{"packet-size-rx", inventory.ScopeHost, 1250, []string{"2000 Mb/s received on average", "200000 packets/s received on average"}},
		{"packet-size-tx", inventory.ScopeHost, 2500, []string{"1000 Mb/s sent on average", "50000 packets/s sent on average"}},
		{"latency-device", inventory.ScopeLUN, 60, []string{"6 ms in the array", "10 ms of latency as guests see it, on average"}},
		{"latency-kernel", inventory.ScopeLUN, 40, []string{"4 ms in the VMkernel", "10 ms of latency as guests see it, on average"}},
		{"latency-queue", inventory.ScopeLUN, 30, []string{"3 ms waiting in the queue", "10 ms of latency as guests see it, on average"}},
		{"headroom-cores", inventory.ScopeHost, 12, []string{"24 physical cores", "12 cores in use at the 95th percentile"}},
		{"headroom-memory", inventory.ScopeHost, 64, []string{"256 GiB of memory", "192 GiB of memory taken at the 95th percentile"}},
		{"headroom", inventory.ScopeHost, 25, []string{"50 % of the cores left", "25 % of the memory left", "bound by memory"}},
	} {
		f := of(t, s, test.scope, test.id)
		requireValue(t, test.want, f)
		require.Equal(t, test.from, f.From, test.id)
		require.NotEmpty(t, f.Title)
		require.NotEmpty(t, f.Unit)
		require.True(t, strings.HasSuffix(f.About, "."), f.About)
	}
	require.Equal(t, "h1/naa.slow", of(t, s, inventory.ScopeLUN, "latency-queue").Object.Name, "the worst at the 95th percentile, not on average")
}

// TestFiguresOfACluster: after the larger of two hosts has failed the VMs of both run on 16 cores and 128 GiB.
func TestFiguresOfACluster(t *testing.T) {
	small := host("h2")
	small.Cores, small.MemoryMB, small.CPUMHz = inventory.Known(int64(16)), inventory.Known(int64(128<<10)), inventory.Known(int64(2000))
	small.Live.Set("cpu.coreUtilization", at(12.5, 25))
	small.Live.Set("mem.free", at(0, 96<<10))
	s := fleet([]*inventory.Host{small, host("h1")}, vm("h1", "poweredOn", 30), vm("h2", "poweredOn", 10))
	cluster := func(id string) efficiency.Figure { return of(t, s, inventory.ScopeCluster, id) }
	requireValue(t, 1, cluster("vcpus-per-core"))
	requireValue(t, 6./8, cluster("gbps-per-core"))
	requireValue(t, 8./6, cluster("cores-per-gbps"))
	requireValue(t, (6*2600.+2*2000.)/600, cluster("mhz-per-watt"))
	requireValue(t, 0, cluster("headroom-cores"))
	requireValue(t, -96, cluster("headroom-memory"))
	requireValue(t, -75, cluster("headroom"))
	require.Equal(t, []string{
		"16 of 40 physical cores, of 2 hosts without h1", "16 cores in use at the 95th percentile of each host, of 2 hosts",
	}, cluster("headroom-cores").From)
	require.Equal(t, []string{"0 % of the cores left", "-75 % of the memory left", "bound by memory"}, cluster("headroom").From)

	s = fleet([]*inventory.Host{host("h1"), small}, vm("h1", "poweredOn", 30), vm("h2", "poweredOn", 10))
	requireValue(t, 0, cluster("headroom-cores")) // the larger one fails, whatever the order
}

func TestBoundByCores(t *testing.T) {
	h := host("h1")
	h.Live.Set("cpu.coreUtilization", at(80, 90))
	f := of(t, fleet([]*inventory.Host{h}), inventory.ScopeHost, "headroom")
	requireValue(t, 10, f)
	require.Equal(t, "bound by cores", f.From[2])
}

// TestOneHostAlone: a single host has no failover capacity.
func TestOneHostAlone(t *testing.T) {
	s := fleet([]*inventory.Host{host("h1")})
	for _, id := range []string{"headroom", "headroom-cores", "headroom-memory"} {
		_, state, _ := of(t, s, inventory.ScopeCluster, id).Value.Get()
		require.Equal(t, inventory.StateAbsent, state, id)
	}
	require.NotContains(t, of(t, s, inventory.ScopeCluster, "headroom").From, "bound by cores", "without capacity, neither resource is the bottleneck")
	require.Contains(t, of(t, s, inventory.ScopeCluster, "headroom-cores").From, "one host, whose VMs no other can take")
}

// TestTooLittleToTell: divisors close to 0 give no figure.
func TestTooLittleToTell(t *testing.T) {
	for name, test := range map[string]struct {
		counters live
		id       string
		scope    inventory.Scope
		from     string
	}{
		"hardly any traffic":    {live{"net.rx": at(50, 0), "net.tx": at(1, 0)}, "cores-per-gbps", inventory.ScopeHost, "0.051 Gb/s through the NICs on average, 0.05 received and 0.001 sent; below 0.1 Gb/s the figure is not meaningful"},
		"hardly any CPU":        {live{"cpu.coreUtilization": at(0.4, 1)}, "gbps-per-core", inventory.ScopeHost, "0.096 cores in use on average; below 0.1 cores the figure is not meaningful"},
		"an idle host":          {live{"cpu.coreUtilization": at(4, 5)}, "mhz-per-watt", inventory.ScopeHost, "0.96 cores in use on average; below 1 core the figure is not meaningful"},
		"traffic of an idle":    {live{"net.rx": at(50, 0), "net.tx": at(1, 0)}, "mbps-per-watt", inventory.ScopeHost, "300 W on average"},
		"hardly any packets":    {live{"net.packetsRx": at(99, 0)}, "packet-size-rx", inventory.ScopeHost, "99 packets/s received on average; below 100 packets/s the figure is not meaningful"},
		"hardly any of them":    {live{"net.packetsTx": at(99, 0)}, "packet-size-tx", inventory.ScopeHost, "1000 Mb/s sent on average"},
		"power without figures": {live{"power.watts": {}}, "mhz-per-watt", inventory.ScopeHost, "power.watts: there was no activity during the measurement"},
	} {
		h := host("h1")
		for name, s := range test.counters {
			h.Live.Set(name, s)
		}
		f := of(t, fleet([]*inventory.Host{h}), test.scope, test.id)
		_, state, _ := f.Value.Get()
		require.Equal(t, inventory.StateAbsent, state, name)
		require.Contains(t, f.From, test.from, name)
	}
}

// TestNumbersAreForPeople: numbers have no exponents.
func TestNumbersAreForPeople(t *testing.T) {
	for mbits, words := range map[float64]string{
		0: "0 Gb/s", 1e-7: "0 Gb/s", 0.0025: "0.000003 Gb/s", 0.05: "0.00005 Gb/s", 125: "0.125 Gb/s", 9999.7: "10 Gb/s", 12_583_000: "12583 Gb/s",
	} {
		h := host("h1")
		h.Live.Set("net.rx", at(mbits, 0))
		h.Live.Set("net.tx", at(0, 0))
		require.Contains(t, of(t, fleet([]*inventory.Host{h}), inventory.ScopeHost, "mbps-per-watt").From[0], words+" through the NICs", mbits)
	}
}

func TestNothingIsDividedByZero(t *testing.T) {
	h := host("h1")
	h.Cores = inventory.Known(int64(0))
	for _, s := range []*inventory.Snapshot{fleet([]*inventory.Host{h}), fleet([]*inventory.Host{h}, vm("h1", "poweredOn", 4))} {
		_, state, _ := of(t, s, inventory.ScopeHost, "vcpus-per-core").Value.Get()
		require.Equal(t, inventory.StateAbsent, state)
	}
	h.Cores = inventory.Absent[int64]()
	_, state, _ := of(t, fleet([]*inventory.Host{h}), inventory.ScopeHost, "vcpus-per-core").Value.Get()
	require.Equal(t, inventory.StateAbsent, state, "a missing object is absent, not unread")
}

// TestEnoughToTell: the limits themselves are enough.
func TestEnoughToTell(t *testing.T) {
	h := host("h1")
	h.Live.Set("net.packetsRx", at(100, 0))
	h.Live.Set("cpu.coreUtilization", at(100./24, 5))
	s := fleet([]*inventory.Host{h})
	requireValue(t, 2000*125_000./100, of(t, s, inventory.ScopeHost, "packet-size-rx"))
	requireValue(t, 2600./300, of(t, s, inventory.ScopeHost, "mhz-per-watt"))
}

// TestWhatIsNotKnown: an unread figure names the missing fact.
func TestWhatIsNotKnown(t *testing.T) {
	for name, test := range map[string]struct {
		change func(h *inventory.Host)
		id     string
		want   string
	}{
		"cores not read":      {func(h *inventory.Host) { h.Cores = inventory.Unread[int64]("no permission") }, "gbps-per-core", "no permission"},
		"unread cores":        {func(h *inventory.Host) { h.Cores = inventory.Fact[int64]{} }, "vcpus-per-core", "the number of cores was not read"},
		"a host that is down": {func(h *inventory.Host) { h.Unread, h.Cores = "not responding", inventory.Fact[int64]{} }, "vcpus-per-core", "not responding"},
		"no power counter":    {func(h *inventory.Host) { remove(h, "power.watts") }, "mhz-per-watt", "the source of the counters does not have power.watts"},
		"no free memory":      {func(h *inventory.Host) { remove(h, "mem.free") }, "headroom", "the source of the counters does not have mem.free"},
		"half of the traffic": {func(h *inventory.Host) { remove(h, "net.tx") }, "gbps-per-core", "the source of the counters does not have net.tx"},
		"no cores in use":     {func(h *inventory.Host) { remove(h, "cpu.coreUtilization") }, "headroom-cores", "the source of the counters does not have cpu.coreUtilization"},
		"LUNs not read":       {func(h *inventory.Host) { h.LUNs = inventory.Fact[[]*inventory.LUN]{} }, "latency-device", "the host's LUNs were not read"},
		"LUNs without latencies": {func(h *inventory.Host) {
			h.LUNs = inventory.Known([]*inventory.LUN{{Device: "naa.1", Live: inventory.NewLive(live{"disk.commands": at(9, 9)})}})
		}, "latency-queue", "the source of the counters does not have the latency of LUNs"},
		"a host without counters": {func(h *inventory.Host) { h.Live = nil }, "packets-rx", "no live counters"},
		"LUNs of such a host":     {func(h *inventory.Host) { h.Live, h.LUNs = nil, inventory.Known([]*inventory.LUN{}) }, "latency-device", "no live counters"},
		"a VM that may be on":     {func(h *inventory.Host) { h.VMs = inventory.Known([]*inventory.VM{{}}) }, "vcpus-per-core", "whether all VMs run was not read"},
		"a VM without permission": {func(h *inventory.Host) {
			h.VMs = inventory.Known([]*inventory.VM{{PowerState: inventory.Unread[string]("no permission")}})
		}, "vcpus-per-core", "whether all VMs run was not read: no permission"},
		"a VM of unknown size": {func(h *inventory.Host) {
			h.VMs = inventory.Known([]*inventory.VM{{PowerState: inventory.Known("poweredOn")}})
		}, "vcpus-per-core", "how many vCPUs all VMs have was not read"},
		"only some VMs asked for": {func(h *inventory.Host) { h.VMs = inventory.Unread[[]*inventory.VM]("only some") }, "vcpus-per-core", "only some"},
	} {
		h := host("h1")
		s := fleet([]*inventory.Host{h, host("h2")})
		test.change(h)
		for _, f := range efficiency.Of(s) {
			if f.ID != test.id || f.Object.ID != "h1" {
				continue
			}
			_, state, reason := f.Value.Get()
			require.Equal(t, inventory.StateUnread, state, name)
			require.Equal(t, test.want, reason, name)
			test.id = ""
		}
		require.Empty(t, test.id, "%s: there is no such figure", name)
	}
}

func TestUnreadHostsOfClusters(t *testing.T) {
	other := host("h2")
	other.Cores = inventory.Unread[int64]("no permission")
	s := fleet([]*inventory.Host{host("h1"), other})
	_, state, reason := of(t, s, inventory.ScopeCluster, "headroom").Value.Get()
	require.Equal(t, inventory.StateUnread, state)
	require.Equal(t, "h2: no permission", reason)

	s = fleet([]*inventory.Host{host("h1")})
	s.VCenters[0].Clusters[0].HostIDs = inventory.Known([]string{"h1", "h9"})
	s.Link()
	for _, id := range []string{"vcpus-per-core", "gbps-per-core", "headroom"} {
		_, state, reason = of(t, s, inventory.ScopeCluster, id).Value.Get()
		require.Equal(t, inventory.StateUnread, state)
		require.Equal(t, "not in scope: 1 of the cluster's 2 hosts were not asked for", reason)
	}
}

// TestIdleLUNs: without commands there is no latency.
func TestIdleLUNs(t *testing.T) {
	idle := &inventory.LUN{Device: "naa.1", Live: inventory.NewLive(live{"disk.guestLatency": {}})}
	for _, luns := range [][]*inventory.LUN{{}, {idle}, {idle, {Device: "naa.2", Live: inventory.NewLive(live{"disk.commands": {}})}}} {
		h := host("h1")
		h.LUNs = inventory.Known(luns)
		_, state, _ := of(t, fleet([]*inventory.Host{h}), inventory.ScopeHost, "latency-device").Value.Get()
		require.Equal(t, inventory.StateAbsent, state)
	}
	h := host("h1")
	luns, _ := h.LUNs.Value()
	luns[2].Live.Set("disk.guestLatency", at(0.5, 40))
	f := of(t, fleet([]*inventory.Host{h}), inventory.ScopeLUN, "latency-device")
	_, known := f.Value.Value()
	require.False(t, known, "whole milliseconds are too coarse for parts below one")
}

// TestTheWorstLUN does not depend on the order.
func TestTheWorstLUN(t *testing.T) {
	h := host("h1")
	luns, _ := h.LUNs.Value()
	h.LUNs = inventory.Known([]*inventory.LUN{luns[2], luns[1], luns[0]})
	require.Equal(t, "h1/naa.slow", of(t, fleet([]*inventory.Host{h}), inventory.ScopeLUN, "latency-queue").Object.Name)
}

// TestEachObjectHasItsFigures checks every vCenter, cluster and host.
func TestEachObjectHasItsFigures(t *testing.T) {
	s := new(inventory.Snapshot)
	for range 2 {
		part := fleet([]*inventory.Host{host("h1"), host("h2")})
		empty := &inventory.Cluster{HostIDs: inventory.Known([]string{})}
		other := &inventory.Cluster{HostIDs: inventory.Known([]string{})}
		empty.ID, other.ID = "c0", "c2"
		third := host("h3")
		third.ClusterID, other.HostIDs = inventory.Known("c2"), inventory.Known([]string{"h3"})
		v := part.VCenters[0]
		v.Hosts, v.Clusters = append(v.Hosts, third), append([]*inventory.Cluster{empty}, append(v.Clusters, other)...)
		s.VCenters = append(s.VCenters, v)
	}
	s.VCenters[1].Hosts[0].Live = nil // others there were measured
	s.Link()
	rooms := map[string]int{}
	for _, f := range efficiency.Of(s) {
		if f.ID == "headroom" {
			rooms[string(f.Object.Kind)+" "+f.Object.ID]++
		}
	}
	require.Equal(t, map[string]int{"cluster c1": 2, "cluster c2": 2, "host h1": 2, "host h2": 2, "host h3": 2}, rooms)
}

// TestAsMuchOfBoth: if both are equally scarce, the cores are named.
func TestAsMuchOfBoth(t *testing.T) {
	h := host("h1")
	h.Live.Set("cpu.coreUtilization", at(75, 75))
	require.Equal(t, "bound by cores", of(t, fleet([]*inventory.Host{h}), inventory.ScopeHost, "headroom").From[2])
}

// TestThreadsInsteadOfCores: if a source has no figures of cores, those of logical processors are used.
func TestThreadsInsteadOfCores(t *testing.T) {
	h := host("h1")
	remove(h, "cpu.coreUtilization")
	h.Live.Set("cpu.used", at(12.5, 25))
	requireValue(t, 12, of(t, fleet([]*inventory.Host{h}), inventory.ScopeHost, "headroom-cores"))
}

// TestWithoutCounters: there are only figures of the configuration, and no list of missing ones.
func TestWithoutCounters(t *testing.T) {
	h := host("h1")
	h.Live = nil
	var ids []string
	for _, f := range efficiency.Of(fleet([]*inventory.Host{h}, vm("h1", "poweredOn", 12))) {
		ids = append(ids, string(f.Object.Kind)+" "+f.ID)
		requireValue(t, 0.5, f)
	}
	require.Equal(t, []string{"cluster vcpus-per-core", "host vcpus-per-core"}, ids)
	require.Empty(t, efficiency.Of(fleet(nil)), "a cluster without hosts")
}
