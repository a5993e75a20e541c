package privilege

import (
	"maps"
	"slices"
)

// Privileges required by several kinds of setting.
const (
	privilegeCluster  = "Host.Inventory.EditCluster"
	privilegeAdvanced = "VirtualMachine.Config.AdvancedConfig"
	privilegeHost     = "Host.Config.Settings"
	privilegeCPUCount = "VirtualMachine.Config.CPUCount"
	privilegeResource = "VirtualMachine.Config.Resource"
	privilegeSettings = "VirtualMachine.Config.Settings"

	// RawDevice is also required for the limit of a disk that is a raw device mapping or a LUN used directly.
	RawDevice = "VirtualMachine.Config.RawDevice"
)

// writing lists the privileges required to write each kind of setting. The source is the API reference for the called
// method and, for VMs, for the field of the specification. The reference says nothing about the host's command line; there the
// list has the privileges of the related methods. It says nothing about cores per socket and virtual NUMA either, which need the
// privilege for the number of vCPUs. A disk is sent whole with its shares, which count as a resource.
var writing = map[string][]string{
	"host-option":            {"Host.Config.AdvancedConfig"},
	"power-policy":           {"Host.Config.Power"},
	"hyperthreading":         {"Host.Config.HyperThreading"},
	"driver-options":         {privilegeHost},
	"lun-outstanding-ios":    {privilegeHost},
	"datastore-unmap":        {"Host.Config.Storage"},
	"switch-nioc":            {"DVSwitch.ResourceManagement"},
	"cluster-drs-automation": {privilegeCluster},
	"cluster-drs-rate":       {privilegeCluster},
	"pool-cpu-limit":         {"Resource.EditPool"},
	"pool-memory-limit":      {"Resource.EditPool"},

	"vm-latency":             {privilegeResource},
	"vm-vcpus":               {privilegeCPUCount},
	"vm-cores-per-socket":    {privilegeCPUCount},
	"vm-cores-per-numa-node": {privilegeCPUCount},
	"vm-cpu-hotadd":          {privilegeCPUCount},
	"vm-vnuma-on-hotadd":     {privilegeCPUCount},
	"vm-memory-hotadd":       {"VirtualMachine.Config.Memory"},
	"vm-cpu-affinity":        {privilegeResource},
	"vm-memory-affinity":     {privilegeResource},
	"vm-ht-sharing":          {privilegeSettings},
	"vm-virtual-mmu":         {privilegeSettings},
	"vm-virtual-exec":        {privilegeSettings},
	"vm-monitor-type":        {privilegeSettings},
	"vm-logging":             {privilegeSettings},
	"vm-cpu-reservation":     {privilegeResource},
	"vm-cpu-limit":           {privilegeResource},
	"vm-memory-reservation":  {privilegeResource},
	"vm-memory-limit":        {privilegeResource},
	"vm-memory-lock":         {privilegeResource},
	"vm-vmx":                 {privilegeAdvanced},
	"vnic-vmx":               {privilegeAdvanced}, // written as a key of the VM
	"vdisk-iops-limit":       {"VirtualMachine.Config.EditDevice", privilegeResource},
}

// ToWrite returns the privileges required to write a kind of setting, or none for a kind that is never written. A raw device also
// requires [RawDevice].
func ToWrite(kind string) []string { return slices.Clone(writing[kind]) }

// Kinds returns the kinds of settings that are written.
func Kinds() []string { return slices.Sorted(maps.Keys(writing)) }
