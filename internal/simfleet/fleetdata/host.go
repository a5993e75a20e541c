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
	Copper        bool   `yaml:"copper"`     // runs at lower speeds as well
	EDPCapable    bool   `yaml:"edpCapable"` // knows Enhanced Data Path
}

// Slot is where a NIC sits: its PCI bus, and the socket that the bus belongs to.
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
	EVC       string         `yaml:"evc"` // the newest mode that its CPU can be in
	Sockets   int            `yaml:"sockets"`
	Cores     int            `yaml:"cores"` // of one socket
	MemoryGB  int64          `yaml:"memoryGB"`
	NICName   string         `yaml:"nic"`
	NIC       *NIC           `yaml:"-"`
	Slots     []Slot         `yaml:"slots"`     // one NIC in each
	Adapter   map[string]any `yaml:"adapter"`   // of the local disks: a vSphere object with _typeName
	LocalDisk LUN            `yaml:"localDisk"` // the disk it starts from; %x in its id is the number of the host
}

// AllCores is the number of cores of all sockets.
func (s *Server) AllCores() int { return s.Sockets * s.Cores }

// Release is a release of ESXi.
type Release struct {
	Version string `yaml:"version"`
	Build   string `yaml:"build"`
}

// Words of hosts.
const (
	ThreadsOff    = "off"    // configured off, in force since the last boot
	ThreadsHidden = "hidden" // the BIOS does not show them
	ThreadsNone   = "none"   // the CPU has none

	SoftwareTiering = "softwareTiering" // memory continues on NVMe
	HardwareTiering = "hardwareTiering" // memory continues on slower modules

	BothStates = "ACPI P-states, ACPI C-states"
	none       = "none"
)

// Host is a host of the fleet. Without a cluster it is a server by itself.
type Host struct {
	Name    string `yaml:"name"`
	Cluster string `yaml:"cluster"`
	Address string `yaml:"address"` // of vmk0

	// Identity is what the UUID of the hardware is made from; empty is the name.
	Identity string `yaml:"-"`

	ServerName    string    `yaml:"server"`
	Server        *Server   `yaml:"-"`
	Hz            int64     `yaml:"hz"`      // default: the server's
	Release       string    `yaml:"release"` // as inventory.Releases names it
	Version       string    `yaml:"version"` // default: the release's
	Build         string    `yaml:"build"`   // default: the release's
	Booted        time.Time `yaml:"booted"`
	Power         string    `yaml:"power"`         // the power policy: dynamic (default), static, low or custom
	PowerHardware string    `yaml:"powerHardware"` // default: P-states and C-states; none: the BIOS keeps power control
	HidePCI       bool      `yaml:"hidePCI"`       // numaInfo lists no PCI devices, as on some servers
	EDP           bool      `yaml:"edp"`           // Enhanced Data Path is on
	Free          bool      `yaml:"free"`          // the licence that allows no writes
	Threads       string    `yaml:"threads"`       // Hyper-Threading: on (default), off, hidden or none
	Nodes         int       `yaml:"nodes"`         // NUMA nodes; default: one a socket
	Scheduler     string    `yaml:"scheduler"`     // of CPUs, as releases from 8.0 U3 report it; default: systemDefault
	Tiering       string    `yaml:"tiering"`       // of memory: softwareTiering or hardwareTiering

	Options map[string]any           `yaml:"options"` // advanced options that are not at their default
	Modules map[string]ModuleOptions `yaml:"modules"` // by driver
	ESXCLI  ESXCLI                   `yaml:"esxcli"`

	Uplinks    int             `yaml:"uplinks"`    // NICs on vSwitch0, the rest is on the distributed switch; default: all
	DVS        string          `yaml:"dvs"`        // the distributed switch
	Links      map[string]Link `yaml:"links"`      // of NICs whose link is not what it could be
	IdleNIC    bool            `yaml:"idleNIC"`    // a NIC of the board that is down and on no switch
	Board      int             `yaml:"board"`      // NICs of the board that are up, at 1 Gb/s
	MTU        int32           `yaml:"mtu"`        // of vSwitch0; default: 1500
	Switches   []HostSwitch    `yaml:"switches"`   // beside vSwitch0
	Teams      map[string]Team `yaml:"teams"`      // of port groups with a team of their own
	VMotionMTU int32           `yaml:"vmotionMTU"` // default: 1500
	VMKs       []VMK           `yaml:"vmks"`       // VMkernel adapters beside management and vMotion

	SwapCacheMB  int64              `yaml:"swapCacheMB"`
	FlashCacheGB int64              `yaml:"flashCacheGB"`
	OSData       bool               `yaml:"osData"`       // ESXi runs from flash, and the API lists that volume as a virtual flash resource
	ISCSI        bool               `yaml:"iscsi"`        // the array is reached by iSCSI, not by Fibre Channel
	NoDelayedAck bool               `yaml:"noDelayedAck"` // of the iSCSI adapter
	Unbound      bool               `yaml:"unbound"`      // the iSCSI adapter is bound to nothing and knows no target
	SAN          map[string]SANPath `yaml:"san"`          // disks that are reached in another way, by name; local is its own
	DiskGroups   []DiskGroup        `yaml:"diskGroups"`   // of vSAN; none: no vSAN

	SensorFaults map[string]SensorFault `yaml:"sensorFaults"` // by sensor
	Alarms       []string               `yaml:"alarms"`       // that have been red for long
	Attributes   map[string]string      `yaml:"attributes"`
	Tags         []string               `yaml:"tags"` // CATEGORY/NAME
}

// ModuleOptions are a driver's options. Running ones are those of the last boot.
type ModuleOptions struct {
	Configured string `yaml:"configured"`
	Running    string `yaml:"running"`
}

// Link is how a NIC is connected; the zero value is not at all.
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

// Team is how a port group uses the NICs of its switch.
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

// SANPath is how a host reaches a disk; the default is the disk's.
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

// ESXCLI is what only the command line of a host reports, where it is not what hosts start with.
type ESXCLI struct {
	Rings       map[string]Ring   `yaml:"rings"`       // by NIC
	Interrupts  map[string]int    `yaml:"interrupts"`  // microseconds of a NIC that does not adapt
	Outstanding map[int]int       `yaml:"outstanding"` // I/Os, by number of the disk
	SampleSize  map[int]int       `yaml:"sampleSize"`  // of adaptive queue depth, by number of the disk
	SwitchAfter map[int]int       `yaml:"switchAfter"` // I/Os after which Round Robin changes paths, by number of the disk
	Kernel      map[string]string `yaml:"kernel"`      // settings of the kernel
}

// Ring is the size of a NIC's rings, and the most that its driver takes.
type Ring struct {
	RX   int `yaml:"rx"`
	TX   int `yaml:"tx"`
	Most int `yaml:"most"`
}

// SensorFault is what a sensor reports that is not well.
type SensorFault struct {
	Reading *int64 `yaml:"reading"`
	State   string `yaml:"state"` // yellow or red
}

// Short is the name without the domain.
func (h *Host) Short() string {
	short, _, _ := strings.Cut(h.Name, ".")
	return short
}

// BIOSPower reports a host whose firmware keeps power control to itself.
func (h *Host) BIOSPower() bool { return h.PowerHardware == "" }

// HasEDP reports a release that knows Enhanced Data Path.
func (h *Host) HasEDP() bool { return h.Version >= "7" }

// NUMANodes are one a socket unless the BIOS splits or hides them.
func (h *Host) NUMANodes() int {
	if h.Nodes > 0 {
		return h.Nodes
	}
	return h.Server.Sockets
}

// Services are the traffic of the VMkernel adapters, in order.
func (h *Host) Services() []string {
	list := []string{"management", "vmotion"}
	for _, v := range h.VMKs {
		list = append(list, v.Service)
	}
	return list
}

// FullName is the product's name as ESXi reports it.
func (h *Host) FullName() string { return "VMware ESXi " + h.Version + " build-" + h.Build }

// APIVersion has four parts from 7.0, before that two.
func (h *Host) APIVersion() string {
	if h.Version < "7" {
		return h.Version[:3]
	}
	return h.Version + ".0"
}

// KernelSetting is a setting of the kernel that esxcli lists.
type KernelSetting struct {
	Name  string `yaml:"name"`
	From  string `yaml:"from"` // the first release that has it
	Value string `yaml:"value"`
}

// Sensor is a sensor that every host has, or several of it. Readings of a larger server are higher.
type Sensor struct {
	Name       string `yaml:"name"`
	EachSocket bool   `yaml:"eachSocket"` // one for each CPU; %d in the name is its number
	Kind       string `yaml:"kind"`
	Units      string `yaml:"units"`
	Reading    int64  `yaml:"reading"`
	PerCore    int64  `yaml:"perCore"`  // added to the reading for each core
	PerCores   int64  `yaml:"perCores"` // one is added to the reading for so many cores
	Step       int64  `yaml:"step"`     // added to the reading for each sensor before
	Power      int32  `yaml:"power"`    // of ten, that the reading is multiplied with
}
