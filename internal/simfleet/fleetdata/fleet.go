// Package fleetdata contains the demo fleet as data: YAML files and the structs that they decode into. README.md shows how to add
// a host, a VM or a device. It does not depend on the simulator; package simfleet converts the rows to vSphere objects.
package fleetdata

import (
	"slices"
	"strings"
)

// Domain is the domain of all hosts.
const Domain = ".demo.local"

// Fleet holds all of the data. Each YAML file has some of the fields.
type Fleet struct {
	// servers.yaml
	NICs     map[string]*NIC    `yaml:"nics"`
	Onboard  *NIC               `yaml:"onboard"`      // the onboard NIC of every server
	FC       FibreChannel       `yaml:"fibreChannel"` // the adapters of every server that is not connected by iSCSI
	Servers  map[string]*Server `yaml:"servers"`
	Releases map[string]Release `yaml:"releases"` // of ESXi, by the names of inventory.Releases

	Hosts []Host `yaml:"hosts"` // hosts.yaml; ids follow the order

	// vms.yaml; ids follow the order of vms
	Folders []string          `yaml:"folders"`
	Guests  map[string]*Guest `yaml:"guests"`
	Quirks  map[string]*Quirk `yaml:"quirks"`
	VMs     []VM              `yaml:"vms"`

	// clusters.yaml
	Attributes []string  `yaml:"attributes"` // custom attributes
	EVCModes   []string  `yaml:"evcModes"`   // from the oldest
	Clusters   []Cluster `yaml:"clusters"`
	Pools      []Pool    `yaml:"pools"`
	CloneHost  string    `yaml:"cloneHost"` // the host that additional hosts are copies of

	// network.yaml
	Switches   []Switch    `yaml:"switches"`
	PortGroups []PortGroup `yaml:"portGroups"`
	Traffic    []Traffic   `yaml:"traffic"` // the default allocations of Network I/O Control version 3

	// storage.yaml
	LUNs       []LUN       `yaml:"luns"`
	VSANDisks  VSANDisks   `yaml:"vsanDisks"`
	Datastores []Datastore `yaml:"datastores"` // all VMs boot from the first
	Libraries  []Library   `yaml:"libraries"`  // content libraries

	// esxi.yaml: what every host has
	Modules          []string            `yaml:"modules"`          // kernel modules other than NIC drivers
	ModuleParameters map[string][]string `yaml:"moduleParameters"` // by module
	Kernel           []KernelSetting     `yaml:"kernel"`
	Sensors          []Sensor            `yaml:"sensors"`

	// load.yaml
	Profiles  map[string]*Profile `yaml:"profiles"`
	Roles     []Role              `yaml:"roles"`     // the first role whose prefix matches a VM's name applies
	Otherwise string              `yaml:"otherwise"` // the profile of VMs without a role
	Processes []Process           `yaml:"processes"`
}

// Managed lists the hosts of the vCenter.
func (f *Fleet) Managed() []Host { return f.hosts(func(h *Host) bool { return h.Cluster != "" }) }

// Standalone lists the hosts that no vCenter manages.
func (f *Fleet) Standalone() []Host { return f.hosts(func(h *Host) bool { return h.Cluster == "" }) }

func (f *Fleet) hosts(which func(*Host) bool) (list []Host) {
	for i := range f.Hosts {
		if which(&f.Hosts[i]) {
			list = append(list, f.Hosts[i])
		}
	}
	return list
}

// Host returns the host with that name, with or without the domain, or nil.
func (f *Fleet) Host(name string) *Host {
	i := slices.IndexFunc(f.Hosts, func(h Host) bool { return h.Name == name || h.Short() == name })
	if i < 0 {
		return nil
	}
	return &f.Hosts[i]
}

// VMsOf lists the VMs of the hosts, in the order of the table.
func (f *Fleet) VMsOf(hosts []Host) (list []VM) {
	for _, v := range f.VMs {
		if slices.ContainsFunc(hosts, func(h Host) bool { return h.Short() == v.Host }) {
			list = append(list, v)
		}
	}
	return list
}

// Cluster returns the cluster with that name, or nil.
func (f *Fleet) Cluster(name string) *Cluster {
	i := slices.IndexFunc(f.Clusters, func(c Cluster) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Clusters[i]
}

// ProfileOf returns the load profile of the VM with that name.
func (f *Fleet) ProfileOf(vm string) *Profile {
	for _, r := range f.Roles {
		if strings.HasPrefix(vm, r.Prefix) {
			return f.Profiles[r.Does]
		}
	}
	return f.Profiles[f.Otherwise]
}

// CloneClusters returns the clusters that additional hosts join.
func (f *Fleet) CloneClusters() []Cluster {
	return slices.DeleteFunc(slices.Clone(f.Clusters), func(c Cluster) bool { return c.DVS == "" })
}

// LUN returns the disk with that name or id, or nil.
func (f *Fleet) LUN(name string) *LUN {
	i := slices.IndexFunc(f.LUNs, func(l LUN) bool { return l.Name == name || l.ID == name })
	if i < 0 {
		return nil
	}
	return &f.LUNs[i]
}

// DiskOf returns the id of the disk behind a datastore, or "".
func (f *Fleet) DiskOf(datastore string) string {
	i := slices.IndexFunc(f.Datastores, func(d Datastore) bool { return d.Name == datastore && d.LUN != "" })
	if i < 0 {
		return ""
	}
	return f.LUN(f.Datastores[i].LUN).ID
}

// VMFS lists the datastores on disks.
func (f *Fleet) VMFS() (names []string) {
	for _, d := range f.Datastores {
		if d.LUN != "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// ClusterNames lists the clusters.
func (f *Fleet) ClusterNames() (names []string) {
	for _, c := range f.Clusters {
		names = append(names, c.Name)
	}
	return names
}
