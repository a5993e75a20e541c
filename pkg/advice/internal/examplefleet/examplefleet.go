package examplefleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/inventory"
)

// Facts are the objects an example may describe, by their names in rules. Facts that an example omits are unread, as on
// a host that was not asked.
type Facts struct {
	VCenter   *inventory.VCenter   `json:"vcenter"`
	Cluster   *inventory.Cluster   `json:"cluster"`
	Pool      *inventory.Pool      `json:"pool"`
	Host      *inventory.Host      `json:"host"`
	PNIC      *inventory.PNIC      `json:"pnic"`
	VMKNIC    *inventory.VMKNIC    `json:"vmknic"`
	HBA       *inventory.HBA       `json:"hba"`
	LUN       *inventory.LUN       `json:"lun"`
	VM        *inventory.VM        `json:"vm"`
	VNIC      *inventory.VNIC      `json:"vnic"`
	VDisk     *inventory.VDisk     `json:"vdisk"`
	Switch    *inventory.Switch    `json:"switch"`
	Datastore *inventory.Datastore `json:"datastore"`

	// The others of their kind: hosts of the cluster, pools of the cluster, VMs on the host, datastores the host mounts.
	Hosts      []*inventory.Host      `json:"hosts"`
	Pools      []*inventory.Pool      `json:"pools"`
	VMs        []*inventory.VM        `json:"vms"`
	Datastores []*inventory.Datastore `json:"datastores"`
}

// Build builds the small fleet that the facts of an example describe.
func Build(facts *yaml.Node) (*inventory.Snapshot, error) {
	var tree any
	if err := facts.Decode(&tree); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	b, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	var x Facts
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	return x.fleet(), nil
}

func (x *Facts) fleet() *inventory.Snapshot {
	v := x.VCenter
	if v == nil {
		v = new(inventory.VCenter)
	}
	name(&v.Entity, "vcenter", 0)
	x.addHosts(v)
	x.addCluster(v)
	x.addVMs(v)
	if x.Switch != nil {
		name(&x.Switch.Entity, "switch", 0)
		known(&x.Switch.HostIDs, ids(v.Hosts))
		v.Switches = append(v.Switches, x.Switch)
	}
	for i, d := range first(x.Datastore, x.Datastores) {
		name(&d.Entity, "datastore", i)
		known(&d.HostIDs, ids(v.Hosts))
		known(&d.Pseudo, false) // real hosts mount it, unless the example sets it
		v.Datastores = append(v.Datastores, d)
	}
	for _, h := range v.Hosts { // no provider administers them, unless the example has one
		known(&h.Cloud, "")
	}
	for _, p := range v.Pools {
		if p.ParentID.IsZero() && p.ClusterID.IsZero() {
			p.ParentID, p.ClusterID = inventory.Absent[string](), inventory.Absent[string]()
		}
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "example", VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

// first returns the object in question, followed by the others.
func first[T any](one *T, others []*T) []*T {
	if one == nil {
		return others
	}
	return append([]*T{one}, others...)
}

// known sets a fact that the example does not set.
func known[T any](f *inventory.Fact[T], v T) {
	if f.IsZero() {
		*f = inventory.Known(v)
	}
}

func ids(hosts []*inventory.Host) []string {
	all := []string{}
	for _, h := range hosts {
		all = append(all, h.ID)
	}
	return all
}

// addHosts adds the hosts; a device without a host gets one.
func (x *Facts) addHosts(v *inventory.VCenter) {
	if x.Host == nil && (x.PNIC != nil || x.VMKNIC != nil || x.HBA != nil || x.LUN != nil) {
		x.Host = new(inventory.Host)
	}
	for i, h := range first(x.Host, x.Hosts) {
		name(&h.Entity, "host", i)
		if x.Cluster != nil {
			h.ClusterID = inventory.Known("cluster")
		} else if h.ClusterID.IsZero() {
			h.ClusterID = inventory.Absent[string]()
		}
		v.Hosts = append(v.Hosts, h)
	}
	if x.Host == nil {
		return
	}
	before(&x.Host.PNICs, x.PNIC)
	before(&x.Host.VMKNICs, x.VMKNIC)
	before(&x.Host.HBAs, x.HBA)
	before(&x.Host.LUNs, x.LUN)
}

// before puts the device in question before the others in the owner's list.
func before[T any](list *inventory.Fact[[]*T], device *T) {
	if device != nil {
		others, _ := list.Value()
		*list = inventory.Known(append([]*T{device}, others...))
	}
}

func (x *Facts) addCluster(v *inventory.VCenter) {
	if x.Cluster != nil {
		x.Cluster.ID = "cluster"
		name(&x.Cluster.Entity, "cluster", 0)
		known(&x.Cluster.HostIDs, ids(v.Hosts))
		v.Clusters = append(v.Clusters, x.Cluster)
	}
	for i, p := range first(x.Pool, x.Pools) {
		name(&p.Entity, "pool", i)
		if x.Cluster != nil {
			known(&p.ClusterID, x.Cluster.ID)
		}
		v.Pools = append(v.Pools, p)
	}
}

func (x *Facts) addVMs(v *inventory.VCenter) {
	if x.VM == nil && (x.VNIC != nil || x.VDisk != nil) {
		x.VM = new(inventory.VM)
	}
	if x.VM != nil {
		before(&x.VM.VNICs, x.VNIC)
		before(&x.VM.Disks, x.VDisk)
	}
	for i, vm := range first(x.VM, x.VMs) {
		name(&vm.Entity, "vm", i)
		if vm == x.VM {
			runsUnlessSaid(vm)
		}
		ordinaryUnlessSaid(vm)
		if x.Host != nil {
			known(&vm.HostID, x.Host.ID)
		}
		v.VMs = append(v.VMs, vm)
	}
}

// runsUnlessSaid powers on the VM in question unless the example sets its power state, because rules skip VMs that are
// not running. Templates are powered off.
func runsUnlessSaid(vm *inventory.VM) {
	if template, _ := vm.Template.Value(); template {
		known(&vm.PowerState, "poweredOff")
	}
	known(&vm.PowerState, "poweredOn")
}

// ordinaryUnlessSaid makes a VM neither a template nor an appliance nor a parent of clones, unless the example says so.
func ordinaryUnlessSaid(vm *inventory.VM) {
	known(&vm.Template, false)
	known(&vm.Appliance, "")
	known(&vm.MaybeAppliance, "")
	known(&vm.InstantCloneFrozen, false)
	known(&vm.VDIRole, "")
}

// name gives an example's object an identity if it has none: host, host-2, host-3.
func name(e *inventory.Entity, kind string, i int) {
	if i > 0 {
		kind += "-" + strconv.Itoa(i+1)
	}
	for _, s := range []*string{&e.ID, &e.Name, &e.Path} {
		if *s == "" {
			*s = kind
		}
	}
}
