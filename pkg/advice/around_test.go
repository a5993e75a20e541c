package advice_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// wrong is the value with which an object fails the rules of this file.
const wrong = 7

// aroundRules maps a scope to a rule that fails for objects with the value wrong.
var aroundRules = map[inventory.Scope]string{
	inventory.ScopeCluster: "cluster.drsMigrationRate", inventory.ScopePool: "pool.cpuShares", inventory.ScopeHost: "host.cores",
	inventory.ScopePNIC: "pnic.linkMbps", inventory.ScopeVMKNIC: "vmknic.mtu", inventory.ScopeHBA: "hba.model.size()",
	inventory.ScopeLUN: "lun.queueDepth", inventory.ScopeVM: "vm.vcpus", inventory.ScopeVNIC: "vnic.pnicFeatures",
	inventory.ScopeVDisk: "vdisk.iopsLimit", inventory.ScopeSwitch: "switch.mtu", inventory.ScopeDatastore: "datastore.freeMB",
}

// estate is two similar hosts, each with a cluster, a disk, and other objects of each kind. A VM runs on the first
// host; its disks are on the first datastore of that host and on the third datastore, which no host has a device of.
// There are no faults and no counters.
type estate struct {
	*inventory.VCenter
	disks []*inventory.VDisk
}

func newEstate() *estate {
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	v.ID, v.Name = "uuid", "vc"
	for n := range 2 {
		id := strconv.Itoa(n + 1)
		c := &inventory.Cluster{HostIDs: inventory.Known([]string{"host-" + id}), DRSMigrationRate: inventory.Known(int64(1))}
		c.ID, c.Name = "cluster-"+id, "cluster-"+id
		sw := &inventory.Switch{MTU: inventory.Known(int64(1))}
		sw.ID, sw.Name = "vSwitch-"+id, "vSwitch-"+id
		h := &inventory.Host{
			ClusterID: inventory.Known(c.ID), Cores: inventory.Known(int64(1)), VSAN: inventory.Known(false),
			PNICs:     inventory.Known([]*inventory.PNIC{{Device: "nic-" + id, LinkMbps: inventory.Known(int64(1))}}),
			VMKNICs:   inventory.Known([]*inventory.VMKNIC{{Device: "vmk-" + id, MTU: inventory.Known(int64(1))}}),
			HBAs:      inventory.Known([]*inventory.HBA{{Device: "hba-" + id, Model: inventory.Known("")}}),
			LUNs:      inventory.Known([]*inventory.LUN{{Device: "naa." + id, QueueDepth: inventory.Known(int64(1))}}),
			VSwitches: inventory.Known([]*inventory.Switch{sw}),
		}
		h.ID, h.Name = "host-"+id, "host-"+id
		dvs := &inventory.Switch{MTU: inventory.Known(int64(1)), HostIDs: inventory.Known([]string{h.ID})}
		dvs.ID, dvs.Name = "dvs-"+id, "dvs-"+id
		v.Hosts, v.Clusters, v.Switches = append(v.Hosts, h), append(v.Clusters, c), append(v.Switches, dvs)
	}
	store := func(id, host string, extents ...string) {
		d := &inventory.Datastore{FreeMB: inventory.Known(int64(1)), HostIDs: inventory.Known([]string{host}), Extents: inventory.Known(extents)}
		d.ID, d.Name = id, id
		v.Datastores = append(v.Datastores, d)
	}
	store("ds-1", "host-1", "naa.1")
	store("ds-2", "host-2", "naa.2")
	store("ds-3", "host-1")
	store("ds-4", "host-1")
	pool := func(id string, parent inventory.Fact[string]) {
		p := &inventory.Pool{ParentID: parent, CPUShares: inventory.Known(int64(1)), ClusterID: inventory.Known("cluster-1")}
		p.ID, p.Name = id, id
		v.Pools = append(v.Pools, p)
	}
	pool("root", inventory.Absent[string]())
	pool("own", inventory.Known("root"))
	pool("other", inventory.Known("root"))
	e := &estate{VCenter: v}
	for n, ds := range []string{"ds-1", "ds-3"} {
		e.disks = append(e.disks, &inventory.VDisk{Key: int32(2000 + n), Label: fmt.Sprint("disk-", n+1), DatastoreID: inventory.Known(ds), IOPSLimit: inventory.Known(int64(1))})
	}
	vm := &inventory.VM{
		HostID: inventory.Known("host-1"), PowerState: inventory.Known("poweredOn"), PoolID: inventory.Known("own"), VCPUs: inventory.Known(int64(1)),
		VNICs: inventory.Known([]*inventory.VNIC{{Key: 4000, Label: "nic", PNICFeatures: inventory.Known(int64(1))}}), Disks: inventory.Known(e.disks),
	}
	vm.ID, vm.Name = "vm-1", "vm-1"
	v.VMs = []*inventory.VM{vm}
	return e
}

func first[T any](list inventory.Fact[[]T]) T {
	all, _ := list.Value()
	return all[0]
}

// spoil makes one object fail.
func (e *estate) spoil(o string) {
	bad := inventory.Known(int64(wrong))
	for n, h := range e.Hosts {
		switch id := strconv.Itoa(n + 1); o {
		case "cluster-" + id:
			e.Clusters[n].DRSMigrationRate = bad
		case "host-" + id:
			h.Cores = bad
		case "nic-" + id:
			first(h.PNICs).LinkMbps = bad
		case "vmk-" + id:
			first(h.VMKNICs).MTU = bad
		case "hba-" + id:
			first(h.HBAs).Model = inventory.Known("7777777")
		case "naa." + id:
			first(h.LUNs).QueueDepth = bad
		case "vSwitch-" + id:
			first(h.VSwitches).MTU = bad
		case "dvs-" + id:
			e.Switches[n].MTU = bad
		case "disk-" + id:
			e.disks[n].IOPSLimit = bad
		}
	}
	for _, d := range e.Datastores {
		if d.Name == o {
			d.FreeMB = bad
		}
	}
	for _, p := range e.Pools {
		if p.Name == o {
			p.CPUShares = bad
		}
	}
	switch o {
	case "vm":
		e.VMs[0].VCPUs = bad
	case "vnic":
		first(e.VMs[0].VNICs).PNICFeatures = bad
	}
}

// suffer gives the first object of a scope a symptom, and returns the symptom's rule.
func (e *estate) suffer(from inventory.Scope) (symptom string) {
	metric := map[inventory.Scope]string{
		inventory.ScopeVM: "cpu.vmWait", inventory.ScopeHost: "cpu.load", inventory.ScopePNIC: "net.rx", inventory.ScopeLUN: "disk.queued",
		inventory.ScopeVDisk: "disk.readLatency",
	}[from]
	switch live := worse(metric); from {
	case inventory.ScopeVM:
		e.VMs[0].Live = live
	case inventory.ScopeHost:
		e.Hosts[0].Live = live
	case inventory.ScopePNIC:
		first(e.Hosts[0].PNICs).Live = live
	case inventory.ScopeLUN:
		first(e.Hosts[0].LUNs).Live = live
	case inventory.ScopeVDisk:
		e.disks[0].Live = live
	}
	return symptomOf("bad", string(from), metric)
}

// ask returns the result of a diagnosis of one scope that reads a rule of another.
func (e *estate) ask(t *testing.T, from, about inventory.Scope) *advice.Finding {
	t.Helper()
	symptom := e.suffer(from)
	rule := fmt.Sprintf("id: asked\ntitle: T\ncategory: cpu\nscope: %s\nseverity: low\nwant: %s != %d\nwhy: W.\n", about, aroundRules[about], wrong)
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{e.VCenter}}
	s.Link()
	set := rulesOf(t, advice.Selection{Diagnoses: true}, symptom, rule, causeOf("it", "bad", string(from), `findings["asked"]`, "fixes: [asked]"))
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
	require.NoError(t, err)
	require.Len(t, diagnosed(r), 1)
	d := diagnosed(r)[0]
	require.Equal(t, d.Finding.Outcome == advice.Fail, len(d.Fixes) == 1, "a diagnosis that holds names what failed")
	return d.Finding
}

// TestWhatADiagnosisReaches: a diagnosis can read rules about its object, the object's devices, and the objects it
// belongs to, and no others.
func TestWhatADiagnosisReaches(t *testing.T) {
	const vm, vnic, vdisk, host = inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk, inventory.ScopeHost
	const cluster, pool, store, network = inventory.ScopeCluster, inventory.ScopePool, inventory.ScopeDatastore, inventory.ScopeSwitch
	const pnic, vmknic, hba, lun = inventory.ScopePNIC, inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeLUN
	for _, c := range []struct {
		from, about  inventory.Scope
		sees, doesNo []string
	}{
		{vm, vm, []string{"vm"}, nil},
		{vm, vnic, []string{"vnic"}, nil},
		{vm, vdisk, []string{"disk-1", "disk-2"}, nil},
		{vm, host, []string{"host-1"}, []string{"host-2"}},
		{vm, pnic, []string{"nic-1"}, []string{"nic-2"}},
		{vm, vmknic, []string{"vmk-1"}, []string{"vmk-2"}},
		{vm, hba, []string{"hba-1"}, []string{"hba-2"}},
		{vm, lun, []string{"naa.1"}, []string{"naa.2"}},
		{vm, cluster, []string{"cluster-1"}, []string{"cluster-2"}},
		{vm, pool, []string{"own", "root"}, []string{"other"}},
		{vm, network, []string{"vSwitch-1", "dvs-1"}, []string{"vSwitch-2", "dvs-2"}},
		{vm, store, []string{"ds-1", "ds-3"}, []string{"ds-2", "ds-4"}},
		{vdisk, store, []string{"ds-1"}, []string{"ds-2", "ds-3", "ds-4"}},
		{vdisk, vdisk, []string{"disk-1"}, []string{"disk-2"}},
		{vdisk, vnic, []string{"vnic"}, nil},
		{vdisk, vm, []string{"vm"}, nil},
		{vdisk, pool, []string{"own", "root"}, []string{"other"}},
		{vdisk, hba, []string{"hba-1"}, []string{"hba-2"}},
		{host, host, []string{"host-1"}, []string{"host-2"}},
		{host, pnic, []string{"nic-1"}, []string{"nic-2"}},
		{host, store, []string{"ds-1", "ds-3", "ds-4"}, []string{"ds-2"}},
		{host, network, []string{"vSwitch-1", "dvs-1"}, []string{"vSwitch-2", "dvs-2"}},
		{host, cluster, []string{"cluster-1"}, []string{"cluster-2"}},
		{lun, store, []string{"ds-1"}, []string{"ds-2", "ds-3", "ds-4"}},
		{lun, lun, []string{"naa.1"}, []string{"naa.2"}},
		{lun, hba, []string{"hba-1"}, []string{"hba-2"}},
		{pnic, network, []string{"vSwitch-1", "dvs-1"}, []string{"dvs-2"}},
		{pnic, lun, []string{"naa.1"}, []string{"naa.2"}},
		{pnic, store, []string{"ds-1", "ds-3", "ds-4"}, []string{"ds-2"}},
	} {
		for outcome, objects := range map[advice.Outcome][]string{advice.Fail: c.sees, advice.Pass: c.doesNo} {
			for _, o := range objects {
				t.Run(fmt.Sprintf("%s asks for %s of %s", c.from, c.about, o), func(t *testing.T) {
					e := newEstate()
					e.spoil(o)
					f := e.ask(t, c.from, c.about)
					require.Equal(t, outcome, f.Outcome, "%v", f.Gaps)
				})
			}
		}
	}
}

// TestWhatADiagnosisCannotReach: if a fact that connects objects is unread, the result is unknown and names it; an
// object that does not exist has no findings.
func TestWhatADiagnosisCannotReach(t *testing.T) {
	const vm, vdisk, host = inventory.ScopeVM, inventory.ScopeVDisk, inventory.ScopeHost
	const pool, store, network = inventory.ScopePool, inventory.ScopeDatastore, inventory.ScopeSwitch
	dark, nothing := inventory.Unread[string]("dark"), inventory.Absent[string]()
	for name, c := range map[string]struct {
		from, about inventory.Scope
		with        func(e *estate)
		wrong       string // that is, all the same
		want        advice.Outcome
		gap         string
	}{
		"its host":                       {vm, inventory.ScopeHBA, func(e *estate) { e.VMs[0].HostID = dark }, "", advice.Unknown, "VM.hostId: dark"},
		"its host, for switches":         {vm, network, func(e *estate) { e.VMs[0].HostID = dark }, "", advice.Unknown, "VM.hostId: dark"},
		"the VM's pool":                  {vm, pool, func(e *estate) { e.VMs[0].PoolID = dark }, "", advice.Unknown, "VM.poolId: dark"},
		"no pool":                        {vm, pool, func(e *estate) { e.VMs[0].PoolID = nothing }, "other", advice.Pass, ""},
		"a pool that was not read":       {vm, pool, func(e *estate) { e.VMs[0].PoolID = inventory.Known("gone") }, "", advice.Unknown, "VM.poolId: the pool was not read"},
		"the pool above":                 {vm, pool, func(e *estate) { e.Pools[1].ParentID = dark }, "", advice.Unknown, "Pool.parentId: dark"},
		"the pool above was not read":    {vm, pool, func(e *estate) { e.Pools[1].ParentID = inventory.Known("gone") }, "", advice.Unknown, "Pool.parentId: the pool was not read"},
		"its own pool is enough":         {vm, pool, func(e *estate) { e.Pools[1].ParentID = dark }, "own", advice.Fail, ""},
		"pools in a ring":                {vm, pool, func(e *estate) { e.Pools[0].ParentID = inventory.Known("own") }, "", advice.Pass, ""},
		"which hosts a switch has":       {host, network, func(e *estate) { e.Switches[1].HostIDs = inventory.Unread[[]string]("dark") }, "", advice.Unknown, "Switch.hostIds: dark"},
		"a switch that is none's":        {host, network, func(e *estate) { e.Switches[1].HostIDs = inventory.Absent[[]string]() }, "", advice.Pass, ""},
		"another switch is enough":       {host, network, func(e *estate) { e.Switches[1].HostIDs = inventory.Unread[[]string]("dark") }, "dvs-1", advice.Fail, ""},
		"the VM's disks":                 {vm, store, func(e *estate) { e.VMs[0].Disks = inventory.Unread[[]*inventory.VDisk]("dark") }, "", advice.Unknown, "VM.disks: dark"},
		"where one of its disks is":      {vm, store, func(e *estate) { e.disks[0].DatastoreID = dark }, "", advice.Unknown, "VDisk.datastore: dark"},
		"where another is, is enough":    {vm, store, func(e *estate) { e.disks[0].DatastoreID = dark }, "ds-3", advice.Fail, ""},
		"where the disk is":              {vdisk, store, func(e *estate) { e.disks[0].DatastoreID = dark }, "", advice.Unknown, "VDisk.datastore: dark"},
		"a disk that is on no datastore": {vdisk, store, func(e *estate) { e.disks[0].DatastoreID = nothing }, "ds-1", advice.Pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEstate()
			if c.with != nil {
				c.with(e)
			}
			e.spoil(c.wrong)
			f := e.ask(t, c.from, c.about)
			require.Equal(t, c.want, f.Outcome, "%v", f.Gaps)
			if c.gap != "" {
				require.Len(t, f.Gaps, 1)
				require.Equal(t, c.gap, f.Gaps[0].Fact+": "+f.Gaps[0].Reason)
			}
		})
	}
}
