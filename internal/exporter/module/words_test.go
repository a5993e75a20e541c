package module

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// hostile is a name that would end a label, a line and a page if it were let.
const hostile = "esx\"} 1\n# TYPE x counter\\"

// series are the lines of a page that are no comments.
func seriesLines(page string) (lines []string) {
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// TestInventory: old data of a host that does not respond is not exported, and templates never are.
func TestInventory(t *testing.T) {
	hosts := []source.Host{
		{
			MoID: "host-1", Name: "esx01", Cluster: "general", Datacenter: "dc1", Power: "poweredOn", Model: "R750", Build: "24784735",
			Version: inventory.Known(inventory.Version{Major: 8, Minor: 0, Update: 3}), Cores: 64, MemoryBytes: 512 << 30, Maintenance: inventory.Known(true), Standby: inventory.Known(false),
		},
		{
			MoID: "host-2", Name: hostile, Down: "host not responding", Power: "unknown", Cores: 32, MemoryBytes: 1 << 30,
			Version: inventory.Unread[inventory.Version]("gone"),
		},
		{MoID: "host-3", Name: "esx03", Power: "standBy", Down: "host disconnected"},
	}
	apart := source.Host{MoID: "host-9", Name: "esx09", Cluster: "secret", Power: "poweredOn"}
	vms := map[string][]source.VM{
		"host-1": {
			{MoID: "vm-1", Name: "web", Power: "poweredOn", VCPUs: 4, MemoryBytes: 8 << 30, UUID: "5012", Guest: "rhel9_64Guest"},
			{MoID: "vm-2", Name: "web", Power: "suspended", VCPUs: 2},
			{MoID: "vm-3", Name: "golden", Template: true},
		},
		"host-2": {{MoID: "vm-4", Name: hostile, Power: "poweredOn", VCPUs: 4, MemoryBytes: 8 << 30}},
		"host-9": {{MoID: "vm-5", Name: "guest of another", Power: "poweredOff"}},
	}
	tags := map[string]map[string]string{"host-1": {"tag_tier": "gold"}, "vm-1": {"tag_tier": "gold,silver", "tag_env": "a\"b"}, "vm-9": {"tag_tier": "x"}}
	got := page(t, func(w *exposition.Writer) {
		new(Inventory).Write(w, hosts, append(hosts[:3:3], apart), func(host string) []source.VM { return vms[host] }, tags)
	})
	golden.Equal(t, "testdata/inventory.prom", []byte(got))
}

func TestTagLabels(t *testing.T) {
	tagged := func(e *inventory.Entity, id string, tags ...string) { e.ID, e.Tags = id, inventory.Known(tags) }
	tags := &inventory.VCenter{Hosts: []*inventory.Host{{}, {}}, VMs: []*inventory.VM{{}, {}, {}}}
	tagged(&tags.VMs[0].Entity, "vm-1", "Tier/silver", "tier/gold", "Tier/gold", "other/x", "no category")
	tagged(&tags.VMs[1].Entity, "vm-2", "cost/center/north", "cost/south", "/odd")
	tagged(&tags.Hosts[0].Entity, "host-1", "Cost Center/4711", "cost-center/4712", "Ünit/ü")
	tagged(&tags.Hosts[1].Entity, "host-2")
	got := TagLabels(tags, []string{"TIER", "cost", "cost/center", "cost-center", "Cost Center", "ünit", "", "tier"})
	require.Equal(t, map[string]map[string]string{
		"vm-1":   {"tag_tier": "gold,silver"},
		"vm-2":   {"tag_cost_center_3": "north", "tag_cost": "south"},
		"host-1": {"tag_cost_center": "4711", "tag_cost_center_2": "4712", "tag__nit": "ü"},
	}, got)
	require.Empty(t, TagLabels(tags, nil))
	// A name with a number of its own gives way, too, and what stands where does not depend on the order of the categories.
	require.Equal(t, map[string]string{"a b": "tag_a_b", "a-b": "tag_a_b_2", "a.b 2": "tag_a_b_2_2"}, tagNames([]string{"a.b 2", "a-b", "a b"}))
	require.Equal(t, tagNames([]string{"a-b", "a b"}), tagNames([]string{"a b", "a-b"}))
}

func host(name string, fill func(*inventory.Host)) *inventory.Host {
	h := &inventory.Host{
		Sensors: inventory.Absent[[]*inventory.Sensor](), PNICs: inventory.Known([]*inventory.PNIC{}), HBAs: inventory.Known([]*inventory.HBA{}),
		VSAN: inventory.Known(false),
	}
	h.ID, h.Name = "host-"+name, name
	if fill != nil {
		fill(h)
	}
	return h
}

// linked is an endpoint whose objects know each other.
func linked(v *inventory.VCenter) *inventory.VCenter {
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{v}}).Link()
	return v
}

func TestSensorsOfOneName(t *testing.T) {
	sensor := func(name, id, health string, reading inventory.Fact[float64]) *inventory.Sensor {
		s := &inventory.Sensor{Name: name, ID: id, Kind: "fan", Health: inventory.Known(health), Unit: inventory.Known(inventory.UnitRPM), Reading: reading}
		if health == "" {
			s.Health = inventory.Absent[string]()
		}
		return s
	}
	v := linked(&inventory.VCenter{Hosts: []*inventory.Host{host("a", func(h *inventory.Host) {
		h.Sensors = inventory.Known([]*inventory.Sensor{
			sensor("Fan", "1.2", "green", inventory.Known(60.)), sensor("Fan", "1.3", "red", inventory.Known(0.)), sensor("Fan", "", "yellow", inventory.Absent[float64]()),
			sensor("Fan", "1.2", "unknown", inventory.Unread[float64]("odd")), sensor("Fan 1.2", "", "", inventory.Known(120.)), sensor(hostile, "", "green", inventory.Known(180.)),
		})
	})}})
	module := moduleOf(t, Hardware)
	const of = `{host="a",`
	require.Equal(t, []string{
		`esxi_host_sensor_healthy` + of + `kind="fan",moid="host-a",sensor="Fan 1.2"} 1`,
		`esxi_host_sensor_healthy` + of + `kind="fan",moid="host-a",sensor="Fan 1.3"} 0`,
		`esxi_host_sensor_healthy` + of + `kind="fan",moid="host-a",sensor="Fan"} 0`,
		`esxi_host_sensor_healthy` + of + `kind="fan",moid="host-a",sensor="esx\"} 1\n# TYPE x counter\\"} 1`,
		`esxi_host_sensor_fan_speed_hertz` + of + `moid="host-a",sensor="Fan 1.2"} 1`,
		`esxi_host_sensor_fan_speed_hertz` + of + `moid="host-a",sensor="Fan 1.3"} 0`,
		`esxi_host_sensor_fan_speed_hertz` + of + `moid="host-a",sensor="Fan 1.2 #3"} 2`,
		`esxi_host_sensor_fan_speed_hertz` + of + `moid="host-a",sensor="esx\"} 1\n# TYPE x counter\\"} 3`,
	}, seriesLines(page(t, func(w *exposition.Writer) { module.Write(w, v) })))
	expected, collected, trouble := module.Coverage(v)
	require.Equal(t, []any{1, 0, "a: odd"}, []any{expected, collected, trouble})
}

// TestUnreadIsNeitherZeroNorAbsent: each module, over objects of which nothing, or nearly nothing, was read.
func TestUnreadIsNeitherZeroNorAbsent(t *testing.T) {
	dark := func(e *inventory.Entity, id string) {
		e.ID, e.Name, e.Unread = id, id, "no permission"
	}
	v := &inventory.VCenter{
		Clusters: []*inventory.Cluster{{}}, Hosts: []*inventory.Host{{}, {}, host("plain", nil)}, VMs: []*inventory.VM{{}}, Datastores: []*inventory.Datastore{{}, {}},
	}
	dark(&v.Clusters[0].Entity, "c1")
	dark(&v.Hosts[0].Entity, "h1")
	dark(&v.Hosts[1].Entity, "h2")
	dark(&v.VMs[0].Entity, "v1")
	dark(&v.Datastores[0].Entity, "d1")
	dark(&v.Datastores[1].Entity, "d2")
	v.Datastores[1].Accessible, v.Datastores[1].HostIDs = inventory.Known(false), inventory.Known([]string{"h1"})
	v.Unread = "its list of virtual machines is incomplete"
	linked(v)
	type outcome struct {
		series              []string
		expected, collected int
		trouble             string
	}
	for m, want := range map[Name]outcome{
		Cluster:  {[]string{`esxi_cluster_info{moid="c1",vsphere_cluster="c1"} 1`}, 1, 0, "c1: no permission"},
		Snapshot: {nil, 1, 0, "its list of virtual machines is incomplete; v1: no permission"},
		Hardware: {nil, 3, 1, "v1: no permission; h1: no permission (and 1 more)"},
		VSAN:     {nil, 3, 1, "h1: no permission (and 1 more)"},
		Datastore: {[]string{
			`esxi_datastore_info{datastore="d1",moid="d1"} 1`, `esxi_datastore_info{datastore="d2",moid="d2"} 1`,
			`esxi_datastore_accessible{datastore="d2",moid="d2"} 0`, `esxi_datastore_hosts{datastore="d2",moid="d2"} 1`,
		}, 2, 1, "d1: no permission"},
	} {
		module := moduleOf(t, m)
		got := outcome{series: seriesLines(page(t, func(w *exposition.Writer) { module.Write(w, v) }))}
		got.expected, got.collected, got.trouble = module.Coverage(v)
		require.Equal(t, want, got, m)
	}
}

// TestAbsentIsNoTrouble: an absent fact has no series, and is not reported as missing.
func TestAbsentIsNoTrouble(t *testing.T) {
	d := &inventory.Datastore{
		Kind: inventory.Known("NFS"), Accessible: inventory.Known(true), CapacityMB: inventory.Known(int64(10)), FreeMB: inventory.Known(int64(4)),
		UncommittedMB: inventory.Absent[int64](), InMaintenance: inventory.Absent[bool](), HostIDs: inventory.Known([]string{}), VMCount: inventory.Known(int64(0)),
	}
	d.ID, d.Name = "d", "d"
	v := linked(&inventory.VCenter{Datastores: []*inventory.Datastore{d}, Hosts: []*inventory.Host{host("nested", nil), host("old", func(h *inventory.Host) {
		h.PNICs = inventory.Known([]*inventory.PNIC{{
			Device: "vmnic0", Driver: inventory.Known("ixgben"), DriverVersion: inventory.Unread[string](inventory.PerHost),
			FirmwareVersion: inventory.Unread[string](inventory.PerHost), LinkMbps: inventory.Known(int64(0)), BestMbps: inventory.Known(int64(0)),
		}})
	})}})
	for m, want := range map[Name][]string{
		Datastore: {
			`esxi_datastore_info{datastore="d",kind="NFS",moid="d"} 1`, `esxi_datastore_accessible{datastore="d",moid="d"} 1`,
			`esxi_datastore_capacity_bytes{datastore="d",moid="d"} 1.048576e+07`, `esxi_datastore_free_bytes{datastore="d",moid="d"} 4.194304e+06`,
			`esxi_datastore_hosts{datastore="d",moid="d"} 0`, `esxi_datastore_vms{datastore="d",moid="d"} 0`,
		},
		Hardware: {
			`esxi_pnic_info{driver="ixgben",host="old",moid="host-old",pnic="vmnic0"} 1`, `esxi_pnic_up{host="old",moid="host-old",pnic="vmnic0"} 0`,
			`esxi_pnic_speed_bytes_per_second{host="old",moid="host-old",pnic="vmnic0"} 0`,
		},
		VSAN: nil,
	} {
		module := moduleOf(t, m)
		require.Equal(t, want, seriesLines(page(t, func(w *exposition.Writer) { module.Write(w, v) })), m)
		expected, collected, trouble := module.Coverage(v)
		require.Equal(t, expected, collected, m)
		require.Empty(t, trouble, m)
	}
}

func TestVSANOfTheExpressArchitecture(t *testing.T) {
	v := linked(&inventory.VCenter{Hosts: []*inventory.Host{host("esa", func(h *inventory.Host) {
		h.VSAN, h.VSANESA, h.DiskGroups = inventory.Known(true), inventory.Known(true), inventory.Known([]*inventory.DiskGroup{})
	})}})
	require.Equal(t, []string{`esxi_vsan_host_member{host="esa",moid="host-esa"} 1`, `esxi_vsan_host_express_storage{host="esa",moid="host-esa"} 1`},
		seriesLines(page(t, func(w *exposition.Writer) { writeVSAN(w, v) })))
}

func TestVMsOfAClusterAreThoseOfItsPools(t *testing.T) {
	c := new(inventory.Cluster)
	c.ID = "c1"
	pool := func(cluster string, vms inventory.Fact[int64], root bool) *inventory.Pool {
		return &inventory.Pool{ClusterID: inventory.Known(cluster), VMCount: vms, Root: root}
	}
	count := func(pools ...*inventory.Pool) inventory.Fact[int64] {
		return clusterVMs(&inventory.VCenter{Pools: pools}, c)
	}
	root, other := pool("c1", inventory.Known(int64(3)), true), pool("c2", inventory.Known(int64(50)), true)
	require.Equal(t, inventory.Known(int64(7)), count(root, other, pool("c1", inventory.Known(int64(4)), false)))
	for _, pools := range [][]*inventory.Pool{nil, {other}, {pool("c1", inventory.Known(int64(4)), false)}, {root, pool("c1", inventory.Unread[int64]("held back"), false)}} {
		_, known := count(pools...).Value()
		require.False(t, known, "%v", pools)
	}
}

func TestDatacenterOfPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/dc1/host/general": "dc1", "/emea/dc%2fwest/host/a/b": "dc/west", "/host/dc1/host/c": "dc1", "/host": "", "": "", "…/host/c": "…",
	} {
		require.Equal(t, want, datacenterOf(path), path)
	}
}

func TestOldestSnapshot(t *testing.T) {
	day := func(d int) *inventory.SnapshotPoint {
		return &inventory.SnapshotPoint{Created: time.Unix(int64(d)*86400, 0)}
	}
	v := &inventory.VM{Snapshots: inventory.Known([]*inventory.SnapshotPoint{day(3), day(1), day(2)})}
	got, exists := oldestSnapshot(v)
	require.True(t, exists)
	require.InDelta(t, 86400, got, 0)
}

// judgement is a result over two objects of each outcome.
func judgement() (*advice.Result, []*advice.Rule) {
	disk := &advice.Rule{ID: "disk", Severity: advice.Low}
	look := &advice.Rule{ID: "look", Severity: advice.Info, Manual: "look there"}
	r := &advice.Result{Rules: map[string]*advice.RuleCount{"disk": {Checked: 20, Skipped: 3, Unknown: 1}, "look": {Checked: 1}}}
	add := func(rule *advice.Rule, o advice.Outcome, s advice.Severity, name string, in bool) {
		r.Findings = append(r.Findings, &advice.Finding{
			Rule: rule, Outcome: o, Severity: s, InBaseline: in,
			Evaluated: &advice.Evaluated{Object: inventory.Ref{Kind: inventory.ScopeVDisk, ID: "vm-1/" + name, Name: "web/" + name}},
		})
	}
	add(disk, advice.Fail, advice.High, "a", false)
	add(disk, advice.Fail, advice.High, "b", true)
	add(disk, advice.Fail, advice.Low, hostile, false)
	add(disk, advice.Fail, advice.Low, hostile, false)
	add(disk, advice.Waived, advice.Low, "c", false)
	add(disk, advice.Unknown, advice.Low, "d", false)
	add(disk, advice.Pass, advice.Low, "e", false) // kept where somebody asked for all
	add(look, advice.Manual, advice.Info, "f", false)
	return r, []*advice.Rule{disk, look, {ID: "quiet", Severity: advice.Critical}}
}

func TestRuleFindings(t *testing.T) {
	r, rules := judgement()
	require.Equal(t, []string{
		`vperf_rule_findings{outcome="fail",rule="disk",severity="high"} 1`,
		`vperf_rule_findings{outcome="known",rule="disk",severity="high"} 1`,
		`vperf_rule_findings{outcome="fail",rule="disk",severity="low"} 2`,
		`vperf_rule_findings{outcome="not-applicable",rule="disk",severity="low"} 3`,
		`vperf_rule_findings{outcome="pass",rule="disk",severity="low"} 11`,
		`vperf_rule_findings{outcome="unknown",rule="disk",severity="low"} 1`,
		`vperf_rule_findings{outcome="waived",rule="disk",severity="low"} 1`,
		`vperf_rule_findings{outcome="manual",rule="look",severity="info"} 1`,
		`vperf_rule_findings{outcome="fail",rule="quiet",severity="critical"} 0`,
	}, seriesLines(page(t, func(w *exposition.Writer) { writeRulesFindings(w, r, rules) })))
}

func TestFindingsAreNewFails(t *testing.T) {
	r, _ := judgement()
	require.Equal(t, []string{
		`vperf_finding{kind="vdisk",moid="vm-1",object="web/a",rule="disk",severity="high"} 1`,
		`vperf_finding{kind="vdisk",moid="vm-1",object="web/esx\"} 1\n# TYPE x counter\\",rule="disk",severity="low"} 1`,
	}, seriesLines(page(t, func(w *exposition.Writer) { WriteFindings(w, r) })))
}
