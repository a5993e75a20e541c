package fleetdata

import (
	"strings"
	"time"
)

// NIC is a kind of physical NIC.
type NIC struct {
	Vendor        string `yaml:"vendor"`
	Device        string `yaml:"device"`
	VendorID      uint16 `yaml:"vendorID"`
	DeviceID      uint16 `yaml:"deviceID"`
	Driver        string `yaml:"driver"`
	DriverVersion string `yaml:"driverVersion"`
	Firmware      string `yaml:"firmware"`
	Mbps          int32  `yaml:"mbps"`
	Copper        bool   `yaml:"copper"`     // supports lower speeds as well
	EDPCapable    bool   `yaml:"edpCapable"` // supports Enhanced Data Path
}

// Slot is the place of a NIC: its PCI bus, and the bus's socket.
type Slot struct {
	Bus    byte `yaml:"bus"`
	Socket int  `yaml:"socket"`
}

// Server is a kind of server.
type Server struct {
	Vendor    string         `yaml:"vendor"`
	Model     string         `yaml:"model"`
	BIOS      string         `yaml:"bios"`
	Virtual   bool           `yaml:"virtual"` // a VM
	CPU       string         `yaml:"cpu"`
	CPUModel  int16          `yaml:"cpuModel"` // of Intel's family 6
	Hz        int64          `yaml:"hz"`
	EVC       string         `yaml:"evc"` // the newest EVC mode that its CPU supports
	Sockets   int            `yaml:"sockets"`
	Cores     int            `yaml:"cores"` // of one socket
	MemoryGB  int64          `yaml:"memoryGB"`
	NICName   string         `yaml:"nic"`
	NIC       *NIC           `yaml:"-"`
	Slots     []Slot         `yaml:"slots"`     // one NIC in each
	Adapter   map[string]any `yaml:"adapter"`   // of the local disks: a vSphere object with _typeName
	SAS       *HBAVersions   `yaml:"sas"`       // of that adapter, if esxcli lists it as SAS
	LocalDisk LUN            `yaml:"localDisk"` // the boot disk; %x in its id is the number of the host
}

// AllCores is the number of cores of all sockets.
func (s *Server) AllCores() int { return s.Sockets * s.Cores }

// FibreChannel is a Fibre Channel adapter.
type FibreChannel struct {
	Model    string      `yaml:"model"`
	Driver   string      `yaml:"driver"`
	Versions HBAVersions `yaml:"versions"`
}

// HBAVersions are the versions of a storage adapter that only esxcli shows.
type HBAVersions struct {
	Driver   string `yaml:"driver"`
	Firmware string `yaml:"firmware"`
}

// Release is a release of ESXi.
type Release struct {
	Version string `yaml:"version"`
	Build   string `yaml:"build"`
}

// Values of host fields.
const (
	ThreadsOff    = "off"    // configured off, in force since the last boot
	ThreadsHidden = "hidden" // disabled in the BIOS
	ThreadsNone   = "none"   // the CPU has none

	SoftwareTiering = "softwareTiering" // memory is extended by NVMe
	HardwareTiering = "hardwareTiering" // memory is extended by slower modules

	BothStates = "ACPI P-states, ACPI C-states"
	none       = "none"
)

// Host is a host of the fleet. A host without a cluster is standalone.
type Host struct {
	Name    string `yaml:"name"`
	Cluster string `yaml:"cluster"`
	Address string `yaml:"address"` // of vmk0

	// Identity is the source of the hardware UUID; default: the name.
	Identity string `yaml:"-"`

	ServerName    string    `yaml:"server"`
	Server        *Server   `yaml:"-"`
	Hz            int64     `yaml:"hz"`      // default: the server's
	Release       string    `yaml:"release"` // as inventory.Releases names it
	Version       string    `yaml:"version"` // default: the release's
	Build         string    `yaml:"build"`   // default: the release's
	Booted        time.Time `yaml:"booted"`
	Power         string    `yaml:"power"`         // the power policy: dynamic (default), static, low or custom
	PowerHardware string    `yaml:"powerHardware"` // default: P-states and C-states; none: the BIOS controls power
	HidePCI       bool      `yaml:"hidePCI"`       // numaInfo lists no PCI devices, as on some servers
	EDP           bool      `yaml:"edp"`           // Enhanced Data Path is on
	Free          bool      `yaml:"free"`          // the licence is the free one, which allows no writes
	Threads       string    `yaml:"threads"`       // Hyper-Threading: on (default), off, hidden or none
	Nodes         int       `yaml:"nodes"`         // NUMA nodes; default: one per socket
	Scheduler     string    `yaml:"scheduler"`     // of CPUs, as releases from 8.0 U3 report it; default: systemDefault
	Tiering       string    `yaml:"tiering"`       // of memory: softwareTiering or hardwareTiering

	Options map[string]any `yaml:"options"` // advanced options that differ from their default
	// Defaults are definitions of advanced options that the release does not have in inventory's table, on a host of a later version.
	Defaults map[string]any           `yaml:"defaults"`
	Modules  map[string]ModuleOptions `yaml:"modules"` // by driver
	ESXCLI   ESXCLI                   `yaml:"esxcli"`

	Uplinks    int             `yaml:"uplinks"`    // NICs on vSwitch0, the others are on the distributed switch; default: all
	DVS        string          `yaml:"dvs"`        // the distributed switch
	Links      map[string]Link `yaml:"links"`      // NICs whose link differs from the default
	IdleNIC    bool            `yaml:"idleNIC"`    // an onboard NIC that is down and on no switch
	Board      int             `yaml:"board"`      // onboard NICs that are up, at 1 Gb/s
	MTU        int32           `yaml:"mtu"`        // of vSwitch0; default: 1500
	Switches   []HostSwitch    `yaml:"switches"`   // in addition to vSwitch0
	Teams      map[string]Team `yaml:"teams"`      // port groups with their own teaming
	VMotionMTU int32           `yaml:"vmotionMTU"` // default: 1500
	VMKs       []VMK           `yaml:"vmks"`       // VMkernel adapters in addition to management and vMotion

	GPUs []GPU `yaml:"gpus"` // graphics devices that VMs share

	SwapCacheMB  int64              `yaml:"swapCacheMB"`
	FlashCacheGB int64              `yaml:"flashCacheGB"`
	OSData       bool               `yaml:"osData"`       // ESXi runs from flash, and the API lists that volume as a virtual flash resource
	ISCSI        bool               `yaml:"iscsi"`        // the array is connected by iSCSI, not Fibre Channel
	NoDelayedAck bool               `yaml:"noDelayedAck"` // of the iSCSI adapter
	Unbound      bool               `yaml:"unbound"`      // the iSCSI adapter has no bindings and no targets
	SAN          map[string]SANPath `yaml:"san"`          // disks with different paths, by name; local is the host's own disk
	DiskGroups   []DiskGroup        `yaml:"diskGroups"`   // of vSAN; none: no vSAN

	SensorFaults map[string]SensorFault `yaml:"sensorFaults"` // by sensor
	Alarms       []string               `yaml:"alarms"`       // that have been red for a long time
	Attributes   map[string]string      `yaml:"attributes"`
	Tags         []string               `yaml:"tags"` // CATEGORY/NAME
}

// GPU is a graphics device of a host.
type GPU struct {
	Vendor   string `yaml:"vendor"`
	Device   string `yaml:"device"`
	PCIID    string `yaml:"pciID"`    // bus, slot and function
	MemoryMB int64  `yaml:"memoryMB"` // of the device
}

// ModuleOptions are a driver's options. The running ones are those of the last boot.
type ModuleOptions struct {
	Configured string `yaml:"configured"`
	Running    string `yaml:"running"`
}

// Link is the state of a NIC's link; the zero value is down.
type Link struct {
	Mbps int32 `yaml:"mbps"`
	Half bool  `yaml:"half"`
}

// HostSwitch is a standard switch with its NICs and port groups.
type HostSwitch struct {
	Name   string   `yaml:"name"`
	MTU    int32    `yaml:"mtu"` // default: 1500
	NICs   []string `yaml:"nics"`
	Groups []string `yaml:"groups"`
}

// Team is a port group's use of the NICs of its switch.
type Team struct {
	Policy  string   `yaml:"policy"`
	Active  []string `yaml:"active"`
	Standby []string `yaml:"standby"`
}

// VMK is a VMkernel adapter: on a port group, or on a distributed switch.
type VMK struct {
	Service string `yaml:"service"`
	Group   string `yaml:"group"`
	DVS     string `yaml:"dvs"`
	Address string `yaml:"address"`
	MTU     int32  `yaml:"mtu"` // default: 1500
}

// SANPath is how a host reaches a disk; default: as in the disk's row.
type SANPath struct {
	Policy string   `yaml:"policy"`
	Paths  []string `yaml:"paths"` // their states
}

// DiskGroup is a vSAN disk group.
type DiskGroup struct {
	CacheGB    int64 `yaml:"cacheGB"`
	CapacityGB int64 `yaml:"capacityGB"` // of one disk
	Disks      int   `yaml:"disks"`
	Flash      bool  `yaml:"flash"` // the capacity, too
}

// ESXCLI has values that only the host's command line reports, if they differ from the defaults.
type ESXCLI struct {
	Rings       map[string]Ring   `yaml:"rings"`       // by NIC
	Interrupts  map[string]int    `yaml:"interrupts"`  // microseconds of a NIC without adaptive coalescing
	Outstanding map[int]int       `yaml:"outstanding"` // I/Os, by number of the disk
	SampleSize  map[int]int       `yaml:"sampleSize"`  // of adaptive queue depth, by number of the disk
	SwitchAfter map[int]int       `yaml:"switchAfter"` // I/Os after which Round Robin changes paths, by number of the disk
	Kernel      map[string]string `yaml:"kernel"`      // settings of the kernel
	FCFirmware  string            `yaml:"fcFirmware"`  // of the Fibre Channel adapters
}

// Ring is the size of a NIC's rings, and the driver's maximum.
type Ring struct {
	RX   int `yaml:"rx"`
	TX   int `yaml:"tx"`
	Most int `yaml:"most"`
}

// SensorFault is the reading of a sensor with a fault.
type SensorFault struct {
	Reading *int64 `yaml:"reading"`
	State   string `yaml:"state"` // yellow or red
}

// Short returns the name without the domain.
func (h *Host) Short() string {
	short, _, _ := strings.Cut(h.Name, ".")
	return short
}

// BIOSPower reports whether the firmware controls power.
func (h *Host) BIOSPower() bool { return h.PowerHardware == "" }

// HasEDP reports whether the release supports Enhanced Data Path.
func (h *Host) HasEDP() bool { return h.Version >= "7" }

// NUMANodes returns the number of NUMA nodes: one per socket unless the BIOS splits or hides them.
func (h *Host) NUMANodes() int {
	if h.Nodes > 0 {
		return h.Nodes
	}
	return h.Server.Sockets
}

// Services returns the traffic of the VMkernel adapters, in order.
func (h *Host) Services() []string {
	list := []string{"management", "vmotion"}
	for _, v := range h.VMKs {
		list = append(list, v.Service)
	}
	return list
}

// FullName returns the product's name as ESXi reports it.
func (h *Host) FullName() string { return "VMware ESXi " + h.Version + " build-" + h.Build }

// APIVersion returns the API version, which has four parts from 7.0 on and two before.
func (h *Host) APIVersion() string {
	if h.Version < "7" {
		return h.Version[:3]
	}
	return h.Version + ".0"
}

// KernelSetting is a kernel setting that esxcli lists.
type KernelSetting struct {
	Name  string `yaml:"name"`
	From  string `yaml:"from"` // the first release that has it
	Value string `yaml:"value"`
}

// Sensor is a sensor of every host, or several of the same kind. Readings of a larger server are higher.
type Sensor struct {
	Name       string `yaml:"name"`
	EachSocket bool   `yaml:"eachSocket"` // one for each CPU; %d in the name is its number
	Kind       string `yaml:"kind"`
	Units      string `yaml:"units"`
	Reading    int64  `yaml:"reading"`
	PerCore    int64  `yaml:"perCore"`  // added to the reading for each core
	PerCores   int64  `yaml:"perCores"` // one is added to the reading for this number of cores
	Step       int64  `yaml:"step"`     // added to the reading for each sensor before
	Power      int32  `yaml:"power"`    // of ten, by which the reading is multiplied
}
