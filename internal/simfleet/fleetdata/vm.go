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

// Formats of a disk; the default is thin.
const (
	FormLazy     = "lazy"     // thick, lazily zeroed
	FormEager    = "eager"    // thick, eagerly zeroed
	FormSESparse = "sesparse" // a delta
	FormRedo     = "redo"     // a delta in the old format
)

// Which of a VM's resources are reserved.
const (
	ReserveNothing = ""
	ReserveCPU     = "cpu" // every vCPU at the host's full clock rate
	ReserveAll     = "all" // CPU as above, and all memory, locked to the memory size
)

// Levels of latency sensitivity.
const (
	LatencyHigh   = "high"
	LatencyMedium = "medium"
	LatencyNormal = "normal"
)

// Guest is the guest operating system of a VM.
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

// VM is one VM of the fleet, or several of the same kind. The defaults are those of a new VM: no reservation, no limit, powered
// on, one vmxnet3 NIC, a PVSCSI controller.
type VM struct {
	Name   string `yaml:"name"`  // with a count, %02d is its number
	Count  int    `yaml:"count"` // number of VMs
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
	Cores         int32    `yaml:"cores"`   // cores per virtual socket; default: 1, or chosen by ESXi if the hardware version supports it
	HotAdd        bool     `yaml:"hotAdd"`  // of vCPUs
	VNUMAOnHotAdd bool     `yaml:"vnumaOnHotAdd"`
	Affinity      []int32  `yaml:"affinity"` // the logical CPUs that the VM is pinned to
	CPULimitMHz   int64    `yaml:"cpuLimitMHz"`
	MemoryLimitMB int64    `yaml:"memoryLimitMB"`
	IOPSLimit     int64    `yaml:"iopsLimit"` // of the first disk
	Data          []Disk   `yaml:"data"`      // disks after the first
	Keys          Keys     `yaml:"keys"`      // additional VMX keys, in the user's spelling
	With          []string `yaml:"with"`      // quirks

	Template    bool              `yaml:"template"`
	Consolidate bool              `yaml:"consolidate"` // a backup left delta disks behind
	Snapshots   []Snapshot        `yaml:"snapshots"`   // each the child of the previous one
	Secret      string            `yaml:"secret"`      // a VMX key whose value a reader must never return
	Attributes  map[string]string `yaml:"attributes"`
	Tags        []string          `yaml:"tags"` // CATEGORY/NAME
}

// VNIC is a virtual NIC.
type VNIC struct {
	Kind         string `yaml:"kind"`
	PNICFeatures string `yaml:"pnicFeatures"` // default: the key is not set
	LowerCase    bool   `yaml:"lowerCase"`    // the key in lower case, as VCF writes it
}

// Disk is a disk for data, on a controller of its own.
type Disk struct {
	Kind      string `yaml:"kind"` // of its controller
	IOPSLimit int64  `yaml:"iopsLimit"`
	Beside    bool   `yaml:"beside"` // on the controller of the previous disk
	Form      string `yaml:"form"`   // default: thin
	Store     string `yaml:"store"`  // default: the VM's datastore
}

// Snapshot is one snapshot. It has a date, or an age.
type Snapshot struct {
	Name  string        `yaml:"name"`
	Taken time.Time     `yaml:"taken"`
	Age   time.Duration `yaml:"age"`
	GB    int64         `yaml:"gb"` // data changed on the disk since then
}

// Quirk is a manual change to single VMs. Config, NIC and Disk have vSphere's own field names, and overwrite fields of the VM's
// configuration, first NIC and first disk. If vSphere has a base type, _typeName names the type.
type Quirk struct {
	Config    map[string]any   `yaml:"config"`
	NIC       map[string]any   `yaml:"nic"`
	Disk      map[string]any   `yaml:"disk"`
	Devices   []map[string]any `yaml:"devices"`   // additional devices
	PortGroup string           `yaml:"portGroup"` // of a distributed switch, for the first NIC
}

// Key is one VMX key.
type Key struct{ Key, Value string }

// Keys are VMX keys in the order of the file. All values are strings.
type Keys []Key

// UnmarshalYAML decodes a map in the order of its keys.
func (k *Keys) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want a map of VMX keys", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		*k = append(*k, Key{n.Content[i].Value, n.Content[i+1].Value})
	}
	return nil
}
