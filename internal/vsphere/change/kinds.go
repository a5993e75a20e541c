package change

import (
	"math"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// writers maps the name of a kind of setting to its writer.
var writers = map[string]writer{
	"host-option":         optionWriter{},
	"power-policy":        powerWriter,
	"hyperthreading":      hyperthreadingWriter,
	"driver-options":      driverWriter{},
	"lun-outstanding-ios": lunWriter,
	"datastore-unmap":     unmapWriter,
	"switch-nioc":         niocWriter,
	kindDRSAutomation:     drsWriter,
	kindDRSRate:           drsWriter,
	"pool-cpu-limit":      poolCPUWriter,
	"pool-memory-limit":   poolMemoryWriter,
}

func init() {
	for kind := range vmSettings {
		writers[kind] = vmWriter{}
	}
}

// Kinds of settings that their writers name.
const (
	kindDRSAutomation     = "cluster-drs-automation"
	kindDRSRate           = "cluster-drs-rate"
	kindCoresPerNode      = "vm-cores-per-numa-node"
	kindMemoryLock        = "vm-memory-lock"
	kindMemoryReservation = "vm-memory-reservation"
)

// vmSettings maps the kinds that vmWriter writes. Only the parts of a VM's configuration that change are sent; others keep their values.
var vmSettings = map[string]vmSetting{
	"vm-latency": vmLatency,

	"vm-cpu-reservation": number("config.cpuAllocation.reservation", 0, math.MaxInt64,
		func(e *vmEdit, mhz int64) { e.cpu().Reservation = &mhz }, cpuFits),
	"vm-cpu-limit": limitSetting("config.cpuAllocation.limit", 1,
		func(e *vmEdit, mhz int64) { e.cpu().Limit = &mhz }, cpuFits),
	kindMemoryReservation: number("config.memoryAllocation.reservation", 0, math.MaxInt64,
		func(e *vmEdit, mb int64) { e.memory().Reservation = &mb }, memoryFits),
	"vm-memory-limit": limitSetting("config.memoryAllocation.limit", 1,
		func(e *vmEdit, mb int64) { e.memory().Limit = &mb }, memoryFits),
	kindMemoryLock: memoryLock(),

	"vm-cpu-affinity": affinity(func(v *vm) inventory.Fact[[]int64] { return v.CPUAffinity },
		func(e *vmEdit, a *types.VirtualMachineAffinityInfo) { e.spec.CpuAffinity = a }),
	"vm-memory-affinity": affinity(func(v *vm) inventory.Fact[[]int64] { return v.MemoryAffinity },
		func(e *vmEdit, a *types.VirtualMachineAffinityInfo) { e.spec.MemoryAffinity = a }),

	"vm-vcpus": number("config.hardware.numCPU", 1, math.MaxInt32,
		func(e *vmEdit, n int64) { e.spec.NumCPUs = int32(n) }, wholeSockets),
	"vm-cores-per-socket": coresPerSocket(),
	kindCoresPerNode:      coresPerNode(),
	"vm-vnuma-on-hotadd":  vnumaOnHotAdd(),
	"vm-cpu-hotadd":       trueOrFalse("config.cpuHotAddEnabled", func(e *vmEdit, on bool) { e.spec.CpuHotAddEnabled = &on }),
	"vm-memory-hotadd":    trueOrFalse("config.memoryHotAddEnabled", func(e *vmEdit, on bool) { e.spec.MemoryHotAddEnabled = &on }),

	"vm-ht-sharing": oneWord("config.flags.htSharing",
		func(e *vmEdit, sharing string) { e.flags().HtSharing = sharing }, "any", "none", "internal"),
	"vm-virtual-mmu": oneWord("config.flags.virtualMmuUsage",
		func(e *vmEdit, usage string) { e.flags().VirtualMmuUsage = usage }, "automatic", "on", "off"),
	"vm-virtual-exec": oneWord("config.flags.virtualExecUsage",
		func(e *vmEdit, usage string) { e.flags().VirtualExecUsage = usage }, "hvAuto", "hvOn", "hvOff"),
	"vm-monitor-type": oneWord("config.flags.monitorType",
		func(e *vmEdit, kind string) { e.flags().MonitorType = kind }, "release", "debug", "stats"),
	"vm-logging": trueOrFalse("config.flags.enableLogging", func(e *vmEdit, on bool) { e.flags().EnableLogging = &on }),

	"vm-vmx":           vmxSetting,
	"vdisk-iops-limit": diskLimit,
}

// ownedKeys maps VMX keys that a field of the API represents to the setting to use instead; "" means that vperf does not write
// it. The server silently drops these keys.
var ownedKeys = map[string]string{
	"cpuid.corespersocket":         "vm-cores-per-socket",
	"mem.hotadd":                   "vm-memory-hotadd",
	"memsize":                      "",
	"numvcpus":                     "vm-vcpus",
	"sched.cpu.affinity":           "vm-cpu-affinity",
	"sched.cpu.latencysensitivity": "vm-latency",
	"sched.cpu.max":                "vm-cpu-limit",
	"sched.cpu.min":                "vm-cpu-reservation",
	"sched.cpu.shares":             "",
	"sched.cpu.units":              "",
	"sched.mem.affinity":           "vm-memory-affinity",
	"sched.mem.max":                "vm-memory-limit",
	"sched.mem.min":                "vm-memory-reservation",
	"sched.mem.minsize":            "vm-memory-reservation",
	"sched.mem.pin":                "vm-memory-lock",
	"sched.mem.shares":             "",
	"vcpu.hotadd":                  "vm-cpu-hotadd",
}
