package read

import (
	"bytes"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// factsOf lists the facts of a struct by their names in needs, by reflection.
func factsOf(t *testing.T, objects ...any) []string {
	t.Helper()
	reader := reflect.TypeFor[inventory.Reader]()
	var names []string
	for _, o := range objects {
		typ := reflect.TypeOf(o)
		for f := range typ.Fields() {
			if reflect.PointerTo(f.Type).Implements(reader) {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" && f.Tag.Get("cel") != "-" { // set by linking, or read from counters
					names = append(names, typ.Name()+"."+name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

func tableFacts() (names []string) {
	add := func(facts []string) { names = append(names, facts...) }
	for _, e := range hostfacts.Table.Entries {
		add(e.Facts)
	}
	for _, e := range vmfacts.Table.Entries {
		add(e.Facts)
	}
	for _, e := range estatefacts.PoolTable.Entries {
		add(e.Facts)
	}
	for _, e := range estatefacts.SwitchTable.Entries {
		add(e.Facts)
	}
	for _, e := range estatefacts.ClusterTable.Entries {
		add(e.Facts)
	}
	for _, e := range estatefacts.StoreTable.Entries {
		add(e.Facts)
	}
	for _, e := range estatefacts.VcenterTable.Entries {
		add(e.Facts)
	}
	add([]string{"Host.tags", "Host.attributes"}) // the index reads them
	slices.Sort(names)
	return slices.Compact(names)
}

func TestTablesReadEveryFact(t *testing.T) {
	all := factsOf(t, inventory.VCenter{}, inventory.Cluster{}, inventory.Pool{}, inventory.Host{}, inventory.NUMANode{},
		inventory.PNIC{}, inventory.VMKNIC{}, inventory.LUN{}, inventory.HBA{}, inventory.Switch{}, inventory.VM{}, inventory.VNIC{}, inventory.VDisk{},
		inventory.Portgroup{}, inventory.TrafficClass{}, inventory.PCIDevice{}, inventory.GraphicsDevice{}, inventory.Datastore{}, inventory.Sensor{})
	for _, kind := range []string{"VCenter", "Cluster", "Pool", "Host", "Switch", "Datastore", "VM"} {
		all = append(all, kind+".tags", kind+".attributes")
	}
	slices.Sort(all)
	require.Equal(t, all, tableFacts())
}

func TestTablesAskForLeaves(t *testing.T) {
	everything := slices.Concat(hostfacts.Table.Plan(inventory.Everything()).Paths, vmfacts.Table.Plan(inventory.Everything()).Paths,
		estatefacts.SwitchTable.Plan(inventory.Everything()).Paths)
	for _, path := range everything {
		if path == "config" && !slices.Contains(estatefacts.SwitchTable.Plan(vspheretest.NeedsOf("Switch.niocEnabled")).Paths, path) {
			continue // the MTU has no property path, and is requested with another property
		}
		for _, whole := range []string{
			"config", "summary", "runtime", "hardware", "config.network", "config.hardware", "snapshot", "guest", "capability",
			"config.host", "configManager", "config.virtualNicManagerInfo",
			"config.storageDevice", "config.vsanHostConfig", "config.vFlashConfigInfo", "config.cpuScheduler", "hardware.cpuInfo",
			"config.vsanHostConfig.storageInfo",
		} {
			require.NotEqual(t, whole, path)
		}
	}
}

func TestPlanAsksOnlyForWhatIsNeeded(t *testing.T) {
	require.True(t, hostfacts.Table.Plan(inventory.Needs{}).Empty())
	require.True(t, vmfacts.Table.Plan(inventory.Needs{}).Empty())
	require.Equal(t, []string{tree.PathVersion, "hardware.cpuInfo.hz", "hardware.cpuInfo.numCpuCores"}, hostfacts.Table.Plan(vspheretest.NeedsOf("Host.cpuMHz")).Paths)
	require.NotContains(t, vmfacts.Table.Plan(vspheretest.NeedsOf("VM.vcpus")).Paths, vmfacts.PathDevices)

	var options inventory.Needs
	options.AddOption("Mem.ShareForceSalting")
	require.Contains(t, hostfacts.Table.Plan(options).Paths, "config.option")
	require.NotContains(t, hostfacts.Table.Plan(options).Paths, "config.optionDef")
	options.AddOptionBounds("Mem.ShareForceSalting")
	require.Contains(t, hostfacts.Table.Plan(options).Paths, "config.optionDef")
}

func TestReadEverythingOfVPX(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(3), nil)
	vc := readSim(t, s, inventory.Everything())
	require.Equal(t, inventory.EndpointVCenter, vc.Kind)
	require.NotEmpty(t, vc.ID)
	require.Equal(t, "sim", vc.Name)
	require.Empty(t, vc.Unread)
	require.WithinDuration(t, time.Now(), vc.TakenAt, time.Minute)
	require.Equal(t, []string{"/DC0/host/DC0_C0"}, paths(vc.Clusters))
	require.Equal(t, []string{"/DC0/host/DC0_C0/DC0_C0_H0", "/DC0/host/DC0_C0/DC0_C0_H1", "/DC0/host/DC0_H0/DC0_H0"}, paths(vc.Hosts))
	require.Equal(t, []string{"/DC0/host/DC0_C0/Resources", "/DC0/host/DC0_H0/Resources"}, paths(vc.Pools))
	require.Equal(t, []string{"/DC0/vm/DC0_C0_RP0_VM0", "/DC0/vm/DC0_H0_VM0"}, paths(vc.VMs))
	require.True(t, vc.Pools[0].Root)
	hosts, _ := vc.Clusters[0].Hosts.Value()
	require.Len(t, hosts, 2)
	require.Nil(t, vc.Hosts[2].Cluster())
	for _, v := range vc.VMs {
		require.NotNil(t, v.Host())
	}
	require.Equal(t, stockGaps(), vspheretest.Gaps(vc), "the stock simulator gives all else")
	h := vc.Hosts[0]
	require.Equal(t, inventory.Known(inventory.HostNested), h.Kind)
	require.Equal(t, inventory.Known("dynamic"), h.PowerPolicy)
	require.Equal(t, inventory.Known(inventory.Version{Major: 8, Minor: 0, Update: 2}), h.Version)
	require.Equal(t, inventory.Known(false), h.VSAN)
	require.Equal(t, []string{"/DC0/network/DVS0"}, paths(vc.Switches))
}

func paths[T inventory.Object](list []T) (all []string) {
	for _, o := range list {
		all = append(all, o.Ref().Path)
	}
	return all
}

// stockGaps returns the facts that the stock simulator does not have for some kinds of object, or for all.
func stockGaps(of ...string) []string {
	all := []string{
		"vm.AutoCoresPerNUMANode: the server does not report whether virtual NUMA is exposed", "vm.CoresPerNUMANode: the server does not report whether virtual NUMA is exposed", "vm.VNUMAOnHotAdd: the server does not report whether virtual NUMA is exposed",
		"vm.EncryptedVMotion: the server returned no config.migrateEncryption",
		"vm.SwapPlacement: the server returned no config.swapPlacement",
		"cluster.DPMEnabled: the server returned no configurationEx.dpmConfigInfo",
		"cluster.DRSAutomation: the server does not report how far DRS is automated",
		"cluster.DRSMigrationRate: the server does not report how readily DRS moves virtual machines",
		"cluster.EVCBest: of DC0_C0_H0: the server returned no summary",
		"cluster.HAAdmissionControl: the server does not report whether vSphere HA admission control is on",
		"cluster.HAEnabled: the server does not report whether vSphere HA is on",
		"lun.PerenniallyReserved: the host does not report whether the disk is perennially reserved",
		"switch.MTU: the server does not report the MTU of the switch",
		"vcenter.Libraries: over REST it answered HTTP 404 Not Found",
	}
	for _, group := range []string{"DC0_DVPG0", "DVS0-DVUplinks-8"} {
		all = append(all, "portgroup.Active: the server does not report in which order port group "+group+" uses its uplinks",
			"portgroup.Standby: the server does not report in which order port group "+group+" uses its uplinks")
	}
	slices.Sort(all)
	return slices.DeleteFunc(all, func(s string) bool {
		return len(of) > 0 && !slices.ContainsFunc(of, func(kind string) bool { return strings.HasPrefix(s, kind) })
	})
}

func TestReadEverythingOfESX(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, simulator.ESX(), nil)
	vc := readSim(t, s, inventory.Everything())
	require.Equal(t, inventory.EndpointESXi, vc.Kind)
	require.Equal(t, []string{"/ha-datacenter/host/localhost.localdomain/localhost.localdomain"}, paths(vc.Hosts))
	require.Len(t, vc.VMs, 2)
	require.Equal(t, stockGaps("lun.", "vm."), vspheretest.Gaps(vc))
	require.Equal(t, inventory.Absent[[]string](), vc.Hosts[0].Tags, "a host by itself has no tags, no attributes and no libraries")
	require.Equal(t, inventory.Absent[map[string]string](), vc.VMs[0].Attributes)
	require.Equal(t, inventory.Absent[[]*inventory.ContentLibrary](), vc.Libraries)
	require.Equal(t, inventory.Absent[[]*inventory.StatsInterval](), vc.StatsIntervals)
	require.Equal(t, []*inventory.Switch{}, vc.Switches)
	_, state, _ := vc.Hosts[0].ClusterID.Get()
	require.Equal(t, inventory.StateAbsent, state)
}

// TestEachFactAlone needs one fact at a time: each must be read, without any other retrieval.
func TestEachFactAlone(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(2), nil)
	session := s.Dial(t)
	for _, fact := range tableFacts() {
		vc, err := Inventory(t.Context(), session, tree.Scope{}, vspheretest.NeedsOf(fact), nil)
		require.NoError(t, err)
		kind, name, _ := strings.Cut(fact, ".")
		objects := objectsByKind(vc)
		switch kind {
		case "Switch", "Portgroup", "TrafficClass":
		default:
			require.True(t, len(vc.Switches) == 0 || fact == "VNIC.switch", "no switch is read for "+fact)
		}
		if luns, _ := vc.Hosts[0].LUNs.Value(); len(luns) > 0 {
			objects["LUN"] = []any{luns[0]}
		}
		if hbas, _ := vc.Hosts[0].HBAs.Value(); len(hbas) > 0 {
			objects["HBA"] = []any{hbas[0]}
		}
		if kind != "VM" && kind != "VNIC" && kind != "VDisk" && kind != "PCIDevice" {
			require.Empty(t, vc.VMs, "no VM is read for "+fact)
		}
		if kind != "Datastore" {
			require.Nil(t, vc.Datastores, "no datastore is read for "+fact)
		}
		if fact == "Host.options" || kind == "PCIDevice" || kind == "GraphicsDevice" || kind == "TrafficClass" {
			continue // options are requested by key; the simulator has no passthrough or graphics devices and no traffic classes
		}
		if slices.Contains([]string{"Datastore.pseudo", "Pool.runningVMs", "Pool.directRunningVMs"}, fact) {
			continue // Link computes it
		}
		require.NotEmpty(t, objects[kind], fact)
		_, state, reason := field(t, objects[kind][0], name).Raw()
		require.False(t, state == inventory.StateUnread && reason == "", "%s was not read", fact)
	}
}

// objectsByKind returns the objects of a result by the kind that fact names use.
func objectsByKind(vc *inventory.VCenter) map[string][]any {
	all := map[string][]any{"VCenter": {vc}}
	add := func(kind string, o any) { all[kind] = append(all[kind], o) }
	for _, c := range vc.Clusters {
		add("Cluster", c)
	}
	for _, p := range vc.Pools {
		add("Pool", p)
	}
	for _, d := range vc.Datastores {
		add("Datastore", d)
	}
	for _, s := range vc.Switches {
		add("Switch", s)
		each(s.Portgroups, func(g *inventory.Portgroup) { add("Portgroup", g) })
		each(s.TrafficClasses, func(c *inventory.TrafficClass) { add("TrafficClass", c) })
	}
	for _, h := range vc.Hosts {
		add("Host", h)
		each(h.PNICs, func(n *inventory.PNIC) { add("PNIC", n) })
		each(h.NUMANodes, func(n *inventory.NUMANode) { add("NUMANode", n) })
		each(h.VMKNICs, func(n *inventory.VMKNIC) { add("VMKNIC", n) })
		each(h.Sensors, func(s *inventory.Sensor) { add("Sensor", s) })
	}
	for _, v := range vc.VMs {
		add("VM", v)
		each(v.VNICs, func(n *inventory.VNIC) { add("VNIC", n) })
		each(v.Disks, func(d *inventory.VDisk) { add("VDisk", d) })
	}
	return all
}

func each[T any](list inventory.Fact[[]T], do func(T)) {
	all, _ := list.Value()
	for _, x := range all {
		do(x)
	}
}

// field finds the fact with a JSON name.
func field(t *testing.T, o any, name string) inventory.Reader {
	t.Helper()
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		if e, ok := reflect.TypeAssert[*inventory.Entity](v.Field(i).Addr()); ok {
			if name == "tags" {
				return &e.Tags
			}
			if name == "attributes" {
				return &e.Attributes
			}
		}
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return v.Field(i).Addr().Interface().(inventory.Reader)
		}
	}
	t.Fatalf("no fact %s in %T", name, o)
	return nil
}

func TestCallsDoNotGrowWithTheFleet(t *testing.T) {
	t.Parallel()
	count := func(hosts int, needs inventory.Needs) (calls map[string]int, pages int) {
		s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) { vspheretest.AddHosts(t, m, hosts-1) })
		session, err := session.Dial(t.Context(), s.Endpoint())
		require.NoError(t, err)
		vc, err := Inventory(t.Context(), session, tree.Scope{}, needs, nil)
		require.NoError(t, err)
		require.Len(t, vc.Hosts, hosts)
		require.NoError(t, session.Close(t.Context()))
		calls = session.Calls()
		pages = calls["ContinueRetrievePropertiesEx"]
		delete(calls, "ContinueRetrievePropertiesEx")
		delete(calls, "REST login") // refused: the stock simulator has no REST
		return calls, pages
	}
	one, pagesOfOne := count(1, inventory.Everything())
	many, pagesOfMany := count(64, vspheretest.NeedsOf("Host.cores", "VM.vcpus")) // the needed facts change the size of the answers, not the number of calls
	require.Equal(t, one, many)
	require.Equal(t, 0, pagesOfOne)
	require.Equal(t, 2, pagesOfMany, "64 hosts are three pages of 25, and the rest fits in one")
	total := 0
	for _, n := range one {
		total += n
	}
	require.LessOrEqual(t, total, 12, "%v", one)
	t.Logf("calls for 1 and for 64 hosts: %d %v; further pages: %d and %d", total, one, pagesOfOne, pagesOfMany)
}

func TestTargets(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
		network := *vspheretest.HostsOf(m)[2].Config.Network // hosts share the template's configuration
		network.DnsConfig = &types.HostDnsConfig{HostName: "esx-c", DomainName: "demo.local"}
		network.Vnic = []types.HostVirtualNic{{Spec: types.HostVirtualNicSpec{Ip: &types.HostIpConfig{IpAddress: "10.1.2.3"}}}}
		vspheretest.HostsOf(m)[2].Config.Network = &network
	})
	for _, target := range []string{"esx-c.demo.local", "ESX-C", "10.1.2.3", "DC0_H0"} {
		vc := readSim(t, s, vspheretest.NeedsOf("Host.version"), target)
		require.Equal(t, []string{"/DC0/host/DC0_H0/DC0_H0"}, paths(vc.Hosts), target)
		require.Equal(t, []string{"/DC0/host/DC0_H0/Resources"}, paths(vc.Pools))
		require.Empty(t, vc.Clusters)
	}
	vc := readSim(t, s, inventory.Everything(), "dc0_c0_h1", "DC0_C0_H1")
	require.Equal(t, []string{"/DC0/host/DC0_C0/DC0_C0_H1"}, paths(vc.Hosts))
	require.Equal(t, []string{"/DC0/host/DC0_C0"}, paths(vc.Clusters))
	require.Equal(t, []string{"/DC0/host/DC0_C0/Resources"}, paths(vc.Pools))
	for _, v := range vc.VMs {
		require.Equal(t, vc.Hosts[0], v.Host())
	}
	all := readSim(t, s, inventory.Everything())
	vms := 0
	for _, h := range all.Hosts {
		vms += len(readSim(t, s, inventory.Everything(), h.ID).VMs)
	}
	require.Len(t, all.VMs, vms, "every VM is on one of the hosts")
	_, err := Inventory(t.Context(), s.Dial(t), tree.Scope{Hosts: []string{"DC0_C0_H9"}}, inventory.Everything(), nil)
	var none *inventory.NoMatchError
	require.ErrorAs(t, err, &none)
	require.Subset(t, none.Near, []string{"DC0_C0_H0", "DC0_C0_H1"})
}

// TestPlannedAbsences: a host in standby, or in maintenance mode and down, is unread as a planned absence, and so are its VMs and
// the facts of its cluster. A host in maintenance mode that responds is read.
func TestPlannedAbsences(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(4), func(m *simulator.Model) {
		hosts := vspheretest.HostsOf(m)
		hosts[0].Runtime.PowerState, hosts[0].Runtime.StandbyMode = types.HostSystemPowerStateStandBy, string(types.HostStandbyModeIn)
		hosts[1].Runtime.ConnectionState, hosts[1].Runtime.InMaintenanceMode = types.HostSystemConnectionStateDisconnected, true
		hosts[2].Runtime.InMaintenanceMode = true
		vspheretest.VmsOf(m)[0].Runtime.Host = new(hosts[0].Self)
		vspheretest.VmsOf(m)[1].Runtime.Host = new(hosts[1].Self)
	})
	for _, targets := range [][]string{nil, {"DC0_C0_H0", "DC0_C0_H1", "DC0_C0_H2"}} {
		vc := readSim(t, s, inventory.Everything(), targets...)
		require.Equal(t, "planned absence: in standby", vc.Hosts[0].Unread)
		require.True(t, vc.Hosts[0].Cores.IsZero())
		require.Equal(t, "planned absence: in maintenance mode and disconnected", vc.Hosts[1].Unread)
		require.Empty(t, vc.Hosts[2].Unread)
		why := map[string]bool{}
		for _, v := range vc.VMs {
			why[v.Unread] = true
			require.True(t, v.Unread == "" || v.VCPUs.IsZero())
		}
		if targets == nil {
			require.True(t, why["planned absence: on host DC0_C0_H0, which is in standby"], why)
			require.True(t, why["planned absence: on host DC0_C0_H1, which is in maintenance mode and disconnected"], why)
		}
		require.Contains(t, vspheretest.ReasonOf(&vc.Clusters[0].EVCBest), "unread: planned absence: of host DC0_C0_H0, which is in standby")
	}
}

func TestHostsThatDoNotRespond(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
		hosts := vspheretest.HostsOf(m)
		hosts[0].Runtime.ConnectionState = types.HostSystemConnectionStateNotResponding
		hosts[1].Runtime.ConnectionState = types.HostSystemConnectionStateDisconnected
		vspheretest.VmsOf(m)[0].Runtime.Host = new(hosts[0].Self)
		vspheretest.VmsOf(m)[1].Runtime.Host = new(hosts[1].Self)
	})
	for _, targets := range [][]string{nil, {"DC0_C0_H0", "DC0_C0_H1", "DC0_H0"}, {"DC0_C0_H0"}} {
		vc := readSim(t, s, inventory.Everything(), targets...)
		h := vc.Hosts[0]
		require.Equal(t, "host not responding (state notResponding)", h.Unread)
		id, ok := h.ClusterID.Value()
		require.True(t, ok)
		require.Equal(t, inventory.Host{Entity: h.Entity, ClusterID: inventory.Known(id)}, without(*h))
		if len(targets) == 1 {
			continue
		}
		require.Equal(t, "host disconnected (state disconnected)", vc.Hosts[1].Unread)
		require.Empty(t, vc.Hosts[2].Unread)
	}
	var why []string
	for _, v := range readSim(t, s, inventory.Everything()).VMs {
		why = append(why, v.Unread)
		require.True(t, v.VCPUs.IsZero())
		require.Equal(t, v.Unread, v.Gap())
	}
	require.ElementsMatch(t, []string{"on host DC0_C0_H0, which does not respond", "on host DC0_C0_H1, which is disconnected"}, why)
}

// without returns a copy of a host without its links.
func without(h inventory.Host) inventory.Host {
	h.VMs, h.Datastores = inventory.Fact[[]*inventory.VM]{}, inventory.Fact[[]*inventory.Datastore]{}
	v := reflect.ValueOf(&h).Elem()
	bare := reflect.New(v.Type()).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			bare.Field(i).Set(v.Field(i))
		}
	}
	return bare.Interface().(inventory.Host)
}

func TestVMsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	states := map[types.VirtualMachineConnectionState]string{
		types.VirtualMachineConnectionStateConnected:    "the server returned no config",
		types.VirtualMachineConnectionStateOrphaned:     "orphaned: the virtual machine is no longer registered",
		types.VirtualMachineConnectionStateInaccessible: "inaccessible: the host cannot reach",
		types.VirtualMachineConnectionStateInvalid:      "invalid: the host cannot read",
		types.VirtualMachineConnectionStateDisconnected: "disconnected: its host",
	}
	want := map[string]string{}
	m := vspheretest.SmallVPX(1)
	m.Machine = len(states)
	s := vspheretest.Start(t, m, func(m *simulator.Model) {
		all := vspheretest.VmsOf(m)
		for state, why := range states {
			all[0].Runtime.ConnectionState = state
			if state == types.VirtualMachineConnectionStateConnected {
				all[0].Config = nil
			}
			want[all[0].Name] = why
			all = all[1:]
		}
	})
	for _, v := range readSim(t, s, inventory.Everything()).VMs {
		require.Contains(t, v.Unread, want[v.Name])
		require.True(t, v.VMX.IsZero())
		require.NotNil(t, v.Host())
	}
}

func TestSecretsNeverArrive(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) {
		vspheretest.VmsOf(m)[0].Config.ExtraConfig = []types.BaseOptionValue{
			&types.OptionValue{Key: "guestinfo.userdata", Value: "hush-hush"},
			&types.OptionValue{Key: "GuestInfo.machinePasswd", Value: "hush-hush"},
			&types.OptionValue{Key: "ethernet0.networkName", Value: "hush-hush"},
			&types.OptionValue{Key: "ethernet0.pnicFeatures.evil", Value: "hush-hush"},
			&types.OptionValue{Key: "sched.swap.derivedName", Value: "/vmfs/hush-hush"},
			&types.OptionValue{Key: "Ethernet0.PnicFeatures", Value: "5"},
			&types.OptionValue{Key: "NUMA.vcpu.preferHT", Value: "TRUE"},
		}
	})
	vc := readSim(t, s, inventory.Everything())
	var out bytes.Buffer
	require.NoError(t, inventory.Save(&out, &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{vc}}))
	require.NotContains(t, out.String(), "hush-hush")
	require.NotContains(t, out.String(), vspheretest.TestPassword)
	keys, _ := vc.VMs[0].VMX.Value()
	require.Equal(t, map[string]string{"Ethernet0.PnicFeatures": "5", "NUMA.vcpu.preferHT": "TRUE"}, keys)
	nics, _ := vc.VMs[0].VNICs.Value()
	require.Equal(t, inventory.Known(int64(5)), nics[0].PNICFeatures)
	_, err := inventory.Load(&out)
	require.NoError(t, err)
}

// deny makes a property missing because of a missing privilege.
func deny(path, privilege string) func(_, answer []byte) []byte {
	value := regexp.MustCompile(`(?s)<propSet><name>` + regexp.QuoteMeta(path) + `</name>.*?</propSet>`)
	missing := `<missingSet><path>` + path + `</path><fault><fault xsi:type="NoPermission"><object type="HostSystem">host-1</object>` +
		`<privilegeId>` + privilege + `</privilegeId></fault><localizedMessage></localizedMessage></fault></missingSet>`
	return func(_, answer []byte) []byte { return value.ReplaceAll(answer, []byte(missing)) }
}

func TestNoPermissionOnProperties(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
	s.Rewrite(deny("config.option", "Host.Config.AdvancedConfig"))
	s.Rewrite(deny("config.network.pnic", "System.Read"))
	s.Rewrite(deny("config.extraConfig", "VirtualMachine.Config.AdvancedConfig"))
	vc := readSim(t, s, inventory.Everything())
	_, state, reason := vc.Hosts[0].Options.Get()
	require.Equal(t, inventory.StateUnread, state)
	require.Equal(t, "no permission (privilege Host.Config.AdvancedConfig)", reason)
	require.ElementsMatch(t, append(stockGaps("lun.", "vm.", "cluster.", "vcenter."),
		"host.Options: no permission (privilege Host.Config.AdvancedConfig)",
		"host.OffDefault: no permission (privilege Host.Config.AdvancedConfig)",
		"host.PNICs: no permission (privilege System.Read)",
		"vswitch.Uplinks: no permission (privilege System.Read)",
		"vm.VMX: no permission (privilege VirtualMachine.Config.AdvancedConfig)",
		"vnic.PNICFeatures: no permission (privilege VirtualMachine.Config.AdvancedConfig)",
	), vspheretest.Gaps(vc), "everything else is read")
}

func TestNoPermissionOnWholeConfig(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	value := regexp.MustCompile(`(?s)<propSet><name>config\.[^<]*</name>.*?</propSet>`)
	s.Rewrite(func(_, answer []byte) []byte { return value.ReplaceAll(answer, nil) })
	vc := readSim(t, s, inventory.Everything())
	for name, f := range map[string]inventory.Reader{
		"vsan": &vc.Hosts[0].VSAN, "policy": &vc.Hosts[0].PowerPolicy, "pnics": &vc.Hosts[0].PNICs,
		"options": &vc.Hosts[0].Options, "version": &vc.Hosts[0].Version,
	} {
		_, state, reason := f.Raw()
		require.Equal(t, inventory.StateUnread, state, "%s: nil means nothing where all of config is missing", name)
		require.Equal(t, "the server returned no config", reason)
	}
	require.Equal(t, inventory.Known(int64(2)), vc.Hosts[0].Cores)
	require.Equal(t, "the server returned no config", vc.VMs[0].Unread)
}

func TestPropertiesThatTheAPIDoesNotHave(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	named := map[string]string{
		"config.hardware.simultaneousThreads": "config.hardware.simultaneousThreads",
		"config.vsanHostConfig.enabled":       "vsanHostConfig.enabled",
		"config.network.opaqueSwitch":         "opaqueSwitch",
		"config.hardware.autoCoresPerSocket":  "autoCoresPerSocket",
	}
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		for path, name := range named {
			if bytes.Contains(body, []byte("<pathSet>"+path+"</pathSet>")) {
				vspheretest.Fault(w, "", "InvalidProperty", "<name>"+name+"</name>")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
	session := s.Dial(t)
	for range 2 {
		vc, err := Inventory(t.Context(), session, tree.Scope{}, inventory.Everything(), nil)
		require.NoError(t, err)
		(&inventory.Snapshot{VCenters: []*inventory.VCenter{vc}}).Link()
		require.Equal(t, stockGaps("lun.", "vm.", "vcenter."), vspheretest.Gaps(vc))
		require.Equal(t, inventory.Absent[bool](), vc.Hosts[0].VSAN)
		require.Equal(t, inventory.Known(int64(1)), vc.VMs[0].ThreadsPerCore, "before vSphere 8 there was nothing else")
		require.Equal(t, inventory.Known(false), vc.VMs[0].AutoCoresPerSocket)
		nics, _ := vc.Hosts[0].PNICs.Value()
		require.Equal(t, inventory.Known(true), nics[0].Uplink)
	}
	require.Equal(t, 3+4+3, session.Calls()["RetrievePropertiesEx"], "each unknown property is asked for once")
}

func TestNothingVisible(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	objects := regexp.MustCompile(`(?s)<objects>.*</objects>`)
	s.Rewrite(func(_, answer []byte) []byte { return objects.ReplaceAll(answer, nil) })
	vc := readSim(t, s, inventory.Everything())
	require.Contains(t, vc.Unread, "sees no host")
}

// TestPartsThatFail: one failed retrieval does not fail the whole fleet.
func TestPartsThatFail(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
	var failing atomic.Value
	failing.Store("config.option</pathSet>")
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte(failing.Load().(string))) {
			vspheretest.Fault(w, "A general system error occurred", "SystemError", "<reason>boom</reason>")
			return
		}
		next.ServeHTTP(w, r)
	})
	vc := readSim(t, s, inventory.Everything())
	require.Contains(t, vc.Hosts[0].Unread, "reading hosts: reading properties from ")
	require.Contains(t, vc.Hosts[0].Unread, "system error: A general system error occurred")
	require.Empty(t, vc.VMs[0].Unread)

	failing.Store("config.extraConfig</pathSet>")
	vc = readSim(t, s, inventory.Everything())
	require.Empty(t, vc.Hosts[0].Unread)
	require.Empty(t, vc.Unread)
	require.NotEmpty(t, vc.VMs)
	require.Contains(t, vc.VMs[0].Unread, "reading virtual machines: ")
	require.NotEmpty(t, vc.VMs[0].Name)

	failing.Store("<propSet><type>VirtualMachine</type>")
	vc = readSim(t, s, inventory.Everything())
	require.Contains(t, vc.Unread, "its list of virtual machines is incomplete: reading virtual machines")

	failing.Store("<RetrievePropertiesEx ")
	_, err := Inventory(t.Context(), s.Dial(t), tree.Scope{}, inventory.Everything(), nil)
	require.ErrorContains(t, err, "reading inventory: ")
}

func TestPermissionError(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte("<CreateContainerView ")) {
			vspheretest.Fault(w, "", "NoPermission", `<object type="Folder">group-d1</object><privilegeId>System.View</privilegeId>`)
			return
		}
		next.ServeHTTP(w, r)
	})
	_, err := Inventory(t.Context(), s.Dial(t), tree.Scope{}, inventory.Everything(), nil)
	var denied *session.PermissionError
	require.ErrorAs(t, err, &denied)
	require.Equal(t, "System.View", denied.Privilege)
	require.Equal(t, "Folder:group-d1", denied.Object)
}

func TestNamesAndPaths(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, func() *simulator.Model {
		m := vspheretest.SmallVPX(2)
		m.App, m.Pool, m.Folder = 1, 1, 1
		return m
	}(), func(m *simulator.Model) {
		vspheretest.VmsOf(m)[0].Name = "a%2fb 100%25"
	})
	vc := readSim(t, s, inventory.Everything())
	i := slices.IndexFunc(vc.VMs, func(v *inventory.VM) bool { return v.Name == "a/b 100%" })
	require.GreaterOrEqual(t, i, 0)
	require.True(t, strings.HasSuffix(vc.VMs[i].Path, "/a%2fb 100%25"), vc.VMs[i].Path)
	for _, p := range slices.Concat(paths(vc.VMs), paths(vc.Hosts), paths(vc.Pools)) {
		require.True(t, strings.HasPrefix(p, "/F0/DC0/") || strings.HasPrefix(p, "/DC0/"), p)
	}
	require.True(t, slices.IsSorted(paths(vc.VMs)))
	t.Log(paths(vc.VMs), paths(vc.Pools))
}

func TestHiddenParent(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	folder := s.Map().Any("Datacenter").(*simulator.Datacenter).VmFolder
	object := regexp.MustCompile(`(?s)<objects><obj type="Folder">` + folder.Value + `</obj>.*?</objects>`)
	s.Rewrite(func(_, answer []byte) []byte { return object.ReplaceAll(answer, nil) })
	vc := readSim(t, s, inventory.Everything())
	require.Equal(t, []string{"…/DC0_H0_VM0"}, paths(vc.VMs))
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	said := map[string]bool{}
	_, err := Inventory(t.Context(), s.Dial(t), tree.Scope{}, inventory.Everything(), func(text string) { said[text] = true })
	require.NoError(t, err)
	require.Subset(t, slices.Collect(maps.Keys(said)), []string{"hosts: 1", "virtual machines: 1"})
}
