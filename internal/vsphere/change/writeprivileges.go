package change

import "slices"

// Privileges that several kinds of setting take.
const (
	privilegeCluster  = "Host.Inventory.EditCluster"
	privilegeAdvanced = "VirtualMachine.Config.AdvancedConfig"
	privilegeHost     = "Host.Config.Settings"
	privilegeCPUCount = "VirtualMachine.Config.CPUCount"
	privilegeResource = "VirtualMachine.Config.Resource"
	privilegeSettings = "VirtualMachine.Config.Settings"

	privilegeRawDevice = "VirtualMachine.Config.RawDevice" // for disks that are a LUN of their own
)

// Kinds of settings that several files name.
const (
	kindDRSAutomation     = "cluster-drs-automation"
	kindDRSRate           = "cluster-drs-rate"
	kindCoresPerNode      = "vm-cores-per-numa-node"
	kindMemoryLock        = "vm-memory-lock"
	kindMemoryReservation = "vm-memory-reservation"
)

// writePrivileges are what writing a kind of setting takes, as the API's reference has it for the method that is called,
// and for a VM for the field of its specification. Of the host's command line it says nothing; there it is what the methods
// beside it take. Nor does it of cores per socket and of virtual NUMA, which go with the number of vCPUs. A disk is sent
// whole, with its shares, and those count as a resource.
var writePrivileges = map[string][]string{
	"host-option":         {"Host.Config.AdvancedConfig"},
	"power-policy":        {"Host.Config.Power"},
	"hyperthreading":      {"Host.Config.HyperThreading"},
	"driver-options":      {privilegeHost},
	"lun-outstanding-ios": {privilegeHost},
	"datastore-unmap":     {"Host.Config.Storage"},
	"switch-nioc":         {"DVSwitch.ResourceManagement"},
	kindDRSAutomation:     {privilegeCluster},
	kindDRSRate:           {privilegeCluster},
	"pool-cpu-limit":      {"Resource.EditPool"},
	"pool-memory-limit":   {"Resource.EditPool"},

	"vm-latency":          {privilegeResource},
	"vm-vcpus":            {privilegeCPUCount},
	"vm-cores-per-socket": {privilegeCPUCount},
	kindCoresPerNode:      {privilegeCPUCount},
	"vm-cpu-hotadd":       {privilegeCPUCount},
	"vm-vnuma-on-hotadd":  {privilegeCPUCount},
	"vm-memory-hotadd":    {"VirtualMachine.Config.Memory"},
	"vm-cpu-affinity":     {privilegeResource},
	"vm-memory-affinity":  {privilegeResource},
	"vm-ht-sharing":       {privilegeSettings},
	"vm-virtual-mmu":      {privilegeSettings},
	"vm-virtual-exec":     {privilegeSettings},
	"vm-monitor-type":     {privilegeSettings},
	"vm-logging":          {privilegeSettings},
	"vm-cpu-reservation":  {privilegeResource},
	"vm-cpu-limit":        {privilegeResource},
	kindMemoryReservation: {privilegeResource},
	"vm-memory-limit":     {privilegeResource},
	kindMemoryLock:        {privilegeResource},
	"vm-vmx":              {privilegeAdvanced},
	"vnic-vmx":            {privilegeAdvanced}, // written as a key of the VM
	"vdisk-iops-limit":    {"VirtualMachine.Config.EditDevice", privilegeResource},
}

// WritePrivileges are the privileges that writing a kind of setting takes; none are known of a kind that is never written.
// A disk that is a raw device takes VirtualMachine.Config.RawDevice as well.
func WritePrivileges(kind string) []string { return slices.Clone(writePrivileges[kind]) }
