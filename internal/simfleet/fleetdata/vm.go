package fleetdata

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
)

// Kinds of virtual NIC and of disk controller.
const (
	NICVmxnet3 = "vmxnet3"
	NICE1000   = "e1000"
	NICE1000e  = "e1000e"
	NICSRIOV   = "sriov"

	DiskPVSCSI      = "pvscsi"
	DiskLSI         = "lsilogic-sas"
	DiskLSIParallel = "lsilogic"
)

// Forms in which a disk keeps what is written to it; the default is thin.
const (
	FormLazy     = "lazy"     // thick, zeroed as it is written
	FormEager    = "eager"    // thick, zeroed before
	FormSESparse = "sesparse" // a delta
	FormRedo     = "redo"     // a delta in the old format
)

// How much of a VM's hardware is reserved.
const (
	ReserveNothing = ""
	ReserveCPU     = "cpu" // every vCPU at the host's full clock
	ReserveAll     = "all" // CPU as above, and the memory reservation locked to the memory size
)

// Levels of latency sensitivity.
const (
	LatencyHigh   = "high"
	LatencyMedium = "medium"
	LatencyNormal = "normal"
)

// Guest is what runs in a VM.
type Guest struct {
	ID     string `yaml:"id"`
	Name   string `yaml:"name"`
	Family string `yaml:"family"`
	Tools  Tools  `yaml:"tools"`
}

// Tools is the state of VMware Tools.
type Tools struct {
	Version string `yaml:"version"`
	Status  string `yaml:"status"`
}

// VM is one VM of the fleet, or several of a kind. The defaults are those of a new VM: no reservation, no limit, powered on, one
// vmxnet3 NIC, a PVSCSI controller.
type VM struct {
	Name   string `yaml:"name"`  // with a count, %02d is its number
	Count  int    `yaml:"count"` // so many of it
	Host   string `yaml:"host"`  // without the domain
	Folder string `yaml:"folder"`
	Pool   string `yaml:"pool"` // default: the cluster's root pool

	GuestName string `yaml:"guest"`
	Guest     *Guest `yaml:"-"`
	Tools     Tools  `yaml:"tools"` // default: the guest's
	VCPUs     int32  `yaml:"vcpus"`
	MemoryMB  int32  `yaml:"memoryMB"`
	Hardware  int    `yaml:"hardware"` // hardware version: 19 is vmx-19
	Latency   string `yaml:"latency"`  // default: normal; none: the field is not set
	Reserve   string `yaml:"reserve"`  // cpu or all
	NICs      []VNIC `yaml:"nics"`
	Disk      string `yaml:"disk"` // the controller of the first disk
	Off       bool   `yaml:"off"`

	Threads       int32    `yaml:"threads"` // vCPUs that share a core; default: the field is not set
	Cores         int32    `yaml:"cores"`   // of a virtual socket; default: 1, or left to ESXi where it can pick
	HotAdd        bool     `yaml:"hotAdd"`  // of vCPUs
	VNUMAOnHotAdd bool     `yaml:"vnumaOnHotAdd"`
	Affinity      []int32  `yaml:"affinity"` // the logical CPUs that the VM is pinned to
	CPULimitMHz   int64    `yaml:"cpuLimitMHz"`
	MemoryLimitMB int64    `yaml:"memoryLimitMB"`
	IOPSLimit     int64    `yaml:"iopsLimit"` // of the first disk
	Data          []Disk   `yaml:"data"`      // disks beside the first
	Keys          Keys     `yaml:"keys"`      // more VMX keys, in the case in which somebody wrote them
	With          []string `yaml:"with"`      // quirks

	Template    bool              `yaml:"template"`
	Consolidate bool              `yaml:"consolidate"` // a backup left delta disks behind
	Snapshots   []Snapshot        `yaml:"snapshots"`   // each the child of the one before
	Secret      string            `yaml:"secret"`      // a VMX key whose value must never leave the reader
	Attributes  map[string]string `yaml:"attributes"`
	Tags        []string          `yaml:"tags"` // CATEGORY/NAME
}

// VNIC is a virtual NIC.
type VNIC struct {
	Kind         string `yaml:"kind"`
	PNICFeatures string `yaml:"pnicFeatures"` // default: the key is not set
	LowerCase    bool   `yaml:"lowerCase"`    // the key as VCF writes it
}

// Disk is a disk for data, on a controller of its own.
type Disk struct {
	Kind      string `yaml:"kind"` // of its controller
	IOPSLimit int64  `yaml:"iopsLimit"`
	Beside    bool   `yaml:"beside"` // on the controller of the disk before
	Form      string `yaml:"form"`   // default: thin
	Store     string `yaml:"store"`  // default: the VM's datastore
}

// Snapshot is one snapshot. It has a date, or an age.
type Snapshot struct {
	Name  string        `yaml:"name"`
	Taken time.Time     `yaml:"taken"`
	Age   time.Duration `yaml:"age"`
	GB    int64         `yaml:"gb"` // that the disk has changed since
}

// Quirk is something that people do to single VMs. Config, NIC and Disk have vSphere's own field names, and are laid over the
// VM's configuration, first NIC and first disk. Where vSphere has a base type, _typeName names the type.
type Quirk struct {
	Config    map[string]any   `yaml:"config"`
	NIC       map[string]any   `yaml:"nic"`
	Disk      map[string]any   `yaml:"disk"`
	Devices   []map[string]any `yaml:"devices"`   // more of them
	PortGroup string           `yaml:"portGroup"` // of a distributed switch, for the first NIC
}

// Key is one VMX key.
type Key struct{ Key, Value string }

// Keys are VMX keys in the order in which they were written. All values are texts.
type Keys []Key

// UnmarshalYAML reads a map in its order.
func (k *Keys) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want a map of VMX keys", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		*k = append(*k, Key{n.Content[i].Value, n.Content[i+1].Value})
	}
	return nil
}
