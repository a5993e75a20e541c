package script

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/tuning"
)

// ways is how a tool reads and writes the settings of a kind: of a target, a device of it, and a key.
type ways func(t tuning.Target, device, key string) way

// tools is how each tool does a kind of setting; nil: it has no command for it.
type tools struct{ govc, esxcli, powercli ways }

// kinds has every kind of setting that vperf writes.
var kinds = map[string]tools{
	"host-option": {govcOption, esxcliOption, psOption},
	"power-policy": {govcESXCLI(powerPolicy), func(tuning.Target, string, string) way { return powerPolicy(onHost, "") },
		ps("(Get-Part {id} PowerSystem).Info.CurrentPolicy.ShortName", "Set-PowerPolicy {id} {value}")},
	"hyperthreading": {nil, func(tuning.Target, string, string) way { return kernelSetting("hyperthreading") },
		ps("(Get-Part {id} CpuScheduler).HyperthreadInfo.Config", "Set-HyperThreading {id} {value}")},
	"driver-options": {nil, esxcliDriver, ps("Get-Option {id} {device} {key}", "Set-Option {id} {device} {key} {text}")},
	"lun-outstanding-ios": {govcESXCLI(esxcliWay.outstanding), func(_ tuning.Target, device, _ string) way { return onHost.outstanding(device) },
		ps("(Get-EsxDevice {id} {device}).NoofoutstandingIOswithcompetingworlds", "Set-EsxDevice {id} {device} {value}")},
	"datastore-unmap": {nil, nil, ps("(Get-View -Id {id}).Info.Vmfs.UnmapPriority", "Set-Unmap {id} {value}")},
	"switch-nioc":     {nil, nil, ps("(Get-View -Id {id}).Config.NetworkResourceManagementEnabled", "(Get-View -Id {id}).EnableNetworkResourceManagement({value})")},
	"cluster-drs-automation": {govcObject("cluster.change", "configuration.drsConfig.defaultVmBehavior", "-drs-mode"), nil,
		ps("(Get-View -Id {id}).ConfigurationEx.DrsConfig.DefaultVmBehavior", "Set-Drs {id} { param($drs) $drs.DefaultVmBehavior = {value} }")},
	"cluster-drs-rate": {govcObject("cluster.change", "configuration.drsConfig.vmotionRate", "-drs-vmotion-rate"), nil,
		ps("(Get-View -Id {id}).ConfigurationEx.DrsConfig.VmotionRate", "Set-Drs {id} { param($drs) $drs.VmotionRate = {value} }")},
	"pool-cpu-limit": {govcObject("pool.change", "config.cpuAllocation.limit", "-cpu.limit"), nil,
		ps("(Get-View -Id {id}).Config.CpuAllocation.Limit", "Set-PoolLimit {id} CpuAllocation {value}")},
	"pool-memory-limit": {govcObject("pool.change", "config.memoryAllocation.limit", "-mem.limit"), nil,
		ps("(Get-View -Id {id}).Config.MemoryAllocation.Limit", "Set-PoolLimit {id} MemoryAllocation {value}")},

	"vm-latency": {govcVM("config.latencySensitivity.level", "normal", "-latency"), nil,
		psOr("normal", psPart("Config.LatencySensitivity.Level", "LatencySensitivity", "LatencySensitivity", "Level"))},
	"vm-vcpus": {govcVM("config.hardware.numCPU", "", "-c"), nil, psVM("Config.Hardware.NumCPU", "$spec.NumCPUs = {value}").way},
	"vm-cores-per-socket": {nil, nil,
		psVM("Config.Hardware | ForEach-Object { if ($_.AutoCoresPerSocket) { 0 } else { $_.NumCoresPerSocket } }", "$spec.NumCoresPerSocket = {value}").way},
	"vm-cores-per-numa-node": {nil, nil, psOr("0", psPart("Config.NumaInfo | ForEach-Object { if ($_.AutoCoresPerNumaNode) { 0 } else { $_.CoresPerNumaNode } }",
		"VirtualNuma", "VirtualMachineVirtualNuma", "CoresPerNumaNode"))},
	"vm-vnuma-on-hotadd": {nil, nil, psPart("Config.NumaInfo.VnumaOnCpuHotaddExposed", "VirtualNuma", "VirtualMachineVirtualNuma", "ExposeVnumaOnCpuHotadd").way},
	"vm-cpu-hotadd": {govcVM("config.cpuHotAddEnabled", "false", "-cpu-hot-add-enabled"), nil,
		psVM("Config.CpuHotAddEnabled", "$spec.CpuHotAddEnabled = {value}").way},
	"vm-memory-hotadd": {govcVM("config.memoryHotAddEnabled", "false", "-memory-hot-add-enabled"), nil,
		psVM("Config.MemoryHotAddEnabled", "$spec.MemoryHotAddEnabled = {value}").way},
	"vm-memory-lock": {govcVM("config.memoryReservationLockedToMax", "false", "-memory-pin"), nil,
		psVM("Config.MemoryReservationLockedToMax", "$spec.MemoryReservationLockedToMax = {value}").way},
	"vm-cpu-reservation":    {govcVM("config.cpuAllocation.reservation", "", "-cpu.reservation"), nil, psAllocation("CpuAllocation", "Reservation")},
	"vm-cpu-limit":          {govcVM("config.cpuAllocation.limit", "", "-cpu.limit"), nil, psAllocation("CpuAllocation", "Limit")},
	"vm-memory-reservation": {govcVM("config.memoryAllocation.reservation", "", "-mem.reservation"), nil, psAllocation("MemoryAllocation", "Reservation")},
	"vm-memory-limit":       {govcVM("config.memoryAllocation.limit", "", "-mem.limit"), nil, psAllocation("MemoryAllocation", "Limit")},
	"vm-cpu-affinity":       {nil, nil, psAffinity("CpuAffinity")},
	"vm-memory-affinity":    {nil, nil, psAffinity("MemoryAffinity")},
	"vm-ht-sharing":         {nil, nil, psFlag("HtSharing")},
	"vm-virtual-mmu":        {nil, nil, psFlag("VirtualMmuUsage")},
	"vm-virtual-exec":       {nil, nil, psFlag("VirtualExecUsage")},
	"vm-monitor-type":       {nil, nil, psFlag("MonitorType")},
	"vm-logging":            {nil, nil, psFlag("EnableLogging")},
	"vm-vmx":                {govcVMX, nil, ps("Get-VMXKey {id} {key}", "Set-VMXKey {id} {key} {text}")},
	"vdisk-iops-limit":      {nil, nil, ps("(Get-Disk {id} {device}).StorageIOAllocation.Limit", "Set-DiskLimit {id} {device} {value}")},
}

// wayOf returns how a tool does settings; without says that it has no command for one.
func wayOf(without string, tool func(tools) ways) func(tuning.Target, tuning.Address) way {
	return func(t tuning.Target, a tuning.Address) way {
		kind, key, _ := strings.Cut(a.Setting, "/")
		if w := tool(kinds[kind]); w != nil {
			return w(t, a.Device, key)
		}
		return cannot(without, a.Setting)
	}
}

// powerPolicy is the power policy; as an option, only hosts from 8.0 have it.
func powerPolicy(e esxcliWay, _ string) way { return policyNamed(e.option("/Power/CpuPolicy", false)) }

func ps(read, write string) ways { return psField{read, "", write}.way }

// psOr is a field with a meaning where the server omits it.
func psOr(none string, f psField) ways {
	f.none = none
	return f.way
}

// psVM is a field of a VM, and how it is set in a reconfiguration.
func psVM(read, set string) psField {
	return psField{"(Get-View -Id {id})." + read, "", "Set-VMField {id} { param($spec) " + set + " }"}
}

// psPart is a property of a part of the reconfiguration, which has a class.
func psPart(read, part, class, property string) psField {
	return psVM(read, fmt.Sprintf("$spec.%s = New-Object VMware.Vim.%s -Property @{ %s = {value} }", part, class, property))
}

func psAllocation(of, property string) ways {
	return psPart("Config."+of+"."+property, of, "ResourceAllocationInfo", property).way
}

func psFlag(name string) ways {
	return psPart("Config.Flags."+name, "Flags", "VirtualMachineFlagInfo", name).way
}

func psAffinity(of string) ways {
	f := psVM("", fmt.Sprintf("$spec.%s = New-Object VMware.Vim.VirtualMachineAffinityInfo -Property @{ AffinitySet = {list} }", of))
	f.read = fmt.Sprintf("(Get-View -Id {id}).Config.%s.AffinitySet -join ' '", of)
	return f.way
}
