package fleetdata

import "slices"

// Cluster is a cluster with its configuration.
type Cluster struct {
	Name       string `yaml:"name"`
	First      bool   `yaml:"first"`      // it exists before any host
	DVS        string `yaml:"dvs"`        // the switch of additional hosts; default: they join other clusters
	Automation string `yaml:"automation"` // of DRS
	Rate       int32  `yaml:"rate"`       // in the API's order: 1 moves most, 5 least
	Scale      bool   `yaml:"scale"`      // scalable shares for pools
	DPM        bool   `yaml:"dpm"`
	Swap       string `yaml:"swap"`
	EVC        string `yaml:"evc"`
	DRSOption  string `yaml:"drsOption"` // a DRS advanced option that is set to 1
	DRSScore   int32  `yaml:"drsScore"`  // in percent; default: 92
	NoAdmit    bool   `yaml:"noAdmit"`   // admission control of vSphere HA is off

	Overrides  map[string]bool   `yaml:"overrides"` // VMs with an automation level of their own, and whether DRS may move them at all
	Pairs      [][]string        `yaml:"pairs"`     // VMs with a keep-together rule
	OlderEVC   []string          `yaml:"olderEVC"`  // VMs that were powered on under the oldest EVC mode
	Attributes map[string]string `yaml:"attributes"`
	Tags       []string          `yaml:"tags"` // CATEGORY/NAME
}

// Pool is a resource pool below a cluster's root pool, or below another.
type Pool struct {
	Cluster       string `yaml:"cluster"`
	Name          string `yaml:"name"`
	Parent        string `yaml:"parent"`      // default: the cluster's root pool
	CPULimitMHz   int64  `yaml:"cpuLimitMHz"` // default: none
	CPUShares     int32  `yaml:"cpuShares"`   // default: the shares of every pool
	MemoryLimitMB int64  `yaml:"memoryLimitMB"`
}

// Switch is a distributed switch.
type Switch struct {
	Name    string           `yaml:"name"`
	NIOC    bool             `yaml:"nioc"`        // Network I/O Control is on
	Version string           `yaml:"niocVersion"` // version2 or version3
	Product string           `yaml:"product"`     // the version of the switch
	MTU     int32            `yaml:"mtu"`
	Traffic map[string]Given `yaml:"traffic"` // by kind, if it differs from the default
}

// PortGroup is a port group of a distributed switch, for VMs.
type PortGroup struct {
	DVS     string   `yaml:"dvs"`
	Name    string   `yaml:"name"`
	Policy  string   `yaml:"policy"`
	Active  []string `yaml:"active"`
	Standby []string `yaml:"standby"`
}

// Traffic is a kind of traffic and its shares.
type Traffic struct {
	Class  string `yaml:"class"`
	Level  string `yaml:"level"`
	Shares int32  `yaml:"shares"`
}

// Given is a configured allocation of one kind of traffic.
type Given struct {
	Shares      int32 `yaml:"shares"`      // default: unchanged
	Reservation int64 `yaml:"reservation"` // in Mbit/s
	Limit       int64 `yaml:"limit"`       // in Mbit/s; default: none
}

// LUN is a disk and the paths by which hosts reach it.
type LUN struct {
	Name    string   `yaml:"name"` // its name in these files
	ID      string   `yaml:"id"`
	Vendor  string   `yaml:"vendor"`
	Model   string   `yaml:"model"`
	GB      int64    `yaml:"gb"`
	Flash   bool     `yaml:"flash"`
	Offload bool     `yaml:"offload"` // the array supports hardware acceleration
	Array   string   `yaml:"array"`   // the array type plug-in
	Policy  string   `yaml:"policy"`  // path selection policy
	Paths   []string `yaml:"paths"`   // their states
	Millis  float64  `yaml:"millis"`  // latency of a command at low load
	IOPS    float64  `yaml:"iops"`    // maximum I/Os per second
}

// VSANDisks are the disks that vSAN uses; their size is in the group.
type VSANDisks struct {
	Cache LUN `yaml:"cache"`
	Flash LUN `yaml:"flash"`
	Disk  LUN `yaml:"disk"`
}

// Datastore is a datastore, or several of the same kind.
type Datastore struct {
	Name          string   `yaml:"name"`  // with a count, %02d is its number
	Count         int      `yaml:"count"` // number of datastores
	Kind          string   `yaml:"kind"`  // VMFS, NFS, NFS41 or vsan
	CapacityGB    int64    `yaml:"capacityGB"`
	FreeGB        int64    `yaml:"freeGB"`
	UncommittedGB int64    `yaml:"uncommittedGB"` // space that thin disks may still use; 0: not reported
	VMFS          string   `yaml:"vmfs"`          // its version
	Unmap         string   `yaml:"unmap"`         // its priority
	LUN           string   `yaml:"lun"`           // the disk behind it
	Flash         bool     `yaml:"flash"`
	SIOC          *SIOC    `yaml:"sioc"`
	Hosts         []string `yaml:"hosts"`  // hosts that mount it; default: all
	Remote        string   `yaml:"remote"` // NFS path
}

// On reports whether a host, without its domain, mounts the datastore.
func (d *Datastore) On(host string) bool { return d.Hosts == nil || slices.Contains(d.Hosts, host) }

// SIOC is the configuration of Storage I/O Control.
type SIOC struct {
	Enabled   bool   `yaml:"enabled"`
	Mode      string `yaml:"mode"`      // automatic or manual
	Threshold int32  `yaml:"threshold"` // in milliseconds
}

// Library is a content library; without a datastore it is on a file share of the vCenter's own.
type Library struct {
	Name      string `yaml:"name"`
	Datastore string `yaml:"datastore"`
}
