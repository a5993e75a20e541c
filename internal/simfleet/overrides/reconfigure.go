package overrides

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// ReconfigVMTask checks a change as a host does, which applies all of it or nothing, completes it and passes it on.
//
// govmomi v0.56.0 simulator: it accepts any change.
func (o *Service) ReconfigVMTask(ctx *simulator.Context, req *types.ReconfigVM_Task) (res soap.HasFault) {
	vm, ok := ctx.Map.Get(req.This).(*simulator.VirtualMachine)
	if !ok {
		return &methods.ReconfigVM_TaskBody{Fault_: world.NotFound(req.This)}
	}
	c := o.changeOf(ctx, vm, &req.Spec)
	ctx.WithLock(vm, func() {
		if fault := c.check(); fault != nil {
			res = &methods.ReconfigVM_TaskBody{Res: &types.ReconfigVM_TaskResponse{Returnval: failed(ctx, vm, "reconfigVm", fault)}}
			return
		}
		c.complete()
		res = vm.ReconfigVMTask(ctx, req)
	})
	return res
}

// failed returns a task that ended with a fault and changed nothing.
func failed(ctx *simulator.Context, object mo.Reference, name string, fault types.BaseMethodFault) types.ManagedObjectReference {
	task := simulator.CreateTask(object, name, func(*simulator.Task) (types.AnyType, types.BaseMethodFault) { return nil, fault })
	return task.Run(ctx)
}

// vmChange is one reconfiguration of a VM, or its start. The VM's lock is held except while other VMs are read: two changes that
// each held their own VM's lock could deadlock.
type vmChange struct {
	ctx  *simulator.Context
	vm   *simulator.VirtualMachine
	spec *types.VirtualMachineConfigSpec
	host *world.Host // nil if unknown

	freeMHz, freeMB int64 // the host's capacity without the other VMs' reservations
	cpus, nodes     int32 // logical CPUs and NUMA nodes of the host
}

// changeOf returns a change of a VM, with the capacity and the free reservations of its host.
func (o *Service) changeOf(ctx *simulator.Context, vm *simulator.VirtualMachine, spec *types.VirtualMachineConfigSpec) *vmChange {
	c := &vmChange{ctx: ctx, vm: vm, spec: spec}
	e := o.Hosts[world.HostOf(ctx, vm)]
	if e == nil {
		return c
	}
	c.host = e.Host
	c.freeMHz, c.freeMB = e.Free(ctx, vm)
	ctx.WithLock(e.System, func() {
		hw := e.System.Hardware
		c.cpus, c.nodes = int32(hw.CpuInfo.NumCpuThreads), hw.NumaInfo.NumNodes
	})
	return c
}

// check returns the first reason to refuse the change.
func (c *vmChange) check() types.BaseMethodFault {
	s, config := c.spec, c.vm.Config
	if s.ChangeVersion != "" && s.ChangeVersion != config.ChangeVersion {
		return &types.ConcurrentAccess{}
	}
	if config.Template {
		return nil // the simulator refuses changes of templates
	}
	for _, check := range []func() types.BaseMethodFault{
		c.checkWords, c.checkRunning, c.checkCores, c.checkAffinity, c.checkDisks, c.checkAllocations, c.checkLock, c.checkRoom,
	} {
		if fault := check(); fault != nil {
			return fault
		}
	}
	return nil
}

func (c *vmChange) on() bool {
	return c.vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
}

// checkRunning refuses changes that require the VM to be powered off.
func (c *vmChange) checkRunning() types.BaseMethodFault {
	if !c.on() || !c.movesSwitches() && !c.movesTopology() && !c.movesEngine() && !c.touches(OnePagesKey) {
		return nil
	}
	return &types.InvalidPowerState{
		RequestedState: types.VirtualMachinePowerStatePoweredOff, ExistingState: c.vm.Runtime.PowerState,
	}
}

// movesSwitches reports a change of flags, or of the firmware.
func (c *vmChange) movesSwitches() bool {
	s, config := c.spec, c.vm.Config
	return differs(s.CpuHotAddEnabled, config.CpuHotAddEnabled) ||
		differs(s.CpuHotRemoveEnabled, config.CpuHotRemoveEnabled) ||
		differs(s.MemoryHotAddEnabled, config.MemoryHotAddEnabled) ||
		differs(s.NestedHVEnabled, config.NestedHVEnabled) ||
		differs(s.VPMCEnabled, config.VPMCEnabled) ||
		s.Firmware != "" && s.Firmware != config.Firmware
}

// movesTopology reports a change of vCPUs, of their topology, or of memory, except hot-add.
func (c *vmChange) movesTopology() bool {
	s, config := c.spec, c.vm.Config
	want, have := s.VirtualNuma, config.NumaInfo
	if want == nil {
		want = new(types.VirtualMachineVirtualNuma)
	}
	if have == nil {
		have = new(types.VirtualMachineVirtualNumaInfo)
	}
	return differs(s.NumCoresPerSocket, config.Hardware.NumCoresPerSocket) ||
		differs(want.CoresPerNumaNode, have.CoresPerNumaNode) ||
		differs(want.ExposeVnumaOnCpuHotadd, have.VnumaOnCpuHotaddExposed) ||
		s.SimultaneousThreads != 0 && s.SimultaneousThreads != max(config.Hardware.SimultaneousThreads, 1) ||
		grows(int64(s.NumCPUs), int64(config.Hardware.NumCPU), config.CpuHotAddEnabled) ||
		grows(s.MemoryMB, int64(config.Hardware.MemoryMB), config.MemoryHotAddEnabled)
}

// OnePagesKey enables pages of 1 GB for a VM's memory.
const OnePagesKey = "sched.mem.lpage.enable1GPage"

// differs reports whether a requested value differs from the existing one. Unset equals the zero value.
func differs[T comparable](want, have *T) bool {
	var zero T
	if want == nil {
		return false
	}
	if have == nil {
		return *want != zero
	}
	return *want != *have
}

// grows reports whether a running VM's size would change without hot-add.
func grows(want, have int64, hotAdd *bool) bool {
	return want != 0 && want != have && (want < have || hotAdd == nil || !*hotAdd)
}

func (c *vmChange) touches(key string) bool {
	for _, o := range c.spec.ExtraConfig {
		v := o.GetOptionValue()
		if _, value := c.key(v.Key); strings.EqualFold(v.Key, key) && value != fmt.Sprint(v.Value) {
			return true
		}
	}
	return false
}

// key finds a VMX key regardless of case, and returns the VM's spelling and the value.
func (c *vmChange) key(key string) (written, value string) {
	for _, o := range c.vm.Config.ExtraConfig {
		if v := o.GetOptionValue(); strings.EqualFold(v.Key, key) {
			return v.Key, fmt.Sprint(v.Value)
		}
	}
	return "", ""
}

// checkCores requires full sockets, and allows ESXi to choose only if the hardware version supports it.
func (c *vmChange) checkCores() types.BaseMethodFault {
	hw := c.vm.Config.Hardware
	cores, cpus := c.spec.NumCoresPerSocket, cmp.Or(c.spec.NumCPUs, hw.NumCPU)
	if cores == nil {
		if of := world.Deref(hw.NumCoresPerSocket); cpus < 1 || c.spec.NumCPUs != 0 && !world.Deref(hw.AutoCoresPerSocket) && of > 0 && cpus%of != 0 {
			return &types.InvalidArgument{InvalidProperty: "spec.numCPUs"}
		}
		return nil
	}
	if cpus < 1 || *cores < 0 || *cores == 0 && c.hardware() < AutoCoresFrom || *cores > 0 && cpus%*cores != 0 {
		return &types.InvalidArgument{InvalidProperty: "spec.numCoresPerSocket"}
	}
	return nil
}

// hardware returns the hardware version after the change.
func (c *vmChange) hardware() int {
	version := c.vm.Config.Version
	if c.spec.Version != "" {
		version = c.spec.Version
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(version, "vmx-"))
	return n
}

const memoryField = "spec.memoryAllocation"

func (c *vmChange) checkAllocations() types.BaseMethodFault {
	for name, a := range map[string]*types.ResourceAllocationInfo{
		"spec.cpuAllocation": c.merged(c.spec.CpuAllocation, c.vm.Config.CpuAllocation),
		memoryField:          c.merged(c.spec.MemoryAllocation, c.vm.Config.MemoryAllocation),
	} {
		reservation, limit := world.Deref(a.Reservation), world.Deref(a.Limit)
		if name == memoryField && c.willLock() {
			reservation = c.memoryMB()
		}
		if reservation < 0 || limit < world.NoLimit || limit != world.NoLimit && limit < reservation {
			return &types.InvalidArgument{InvalidProperty: name}
		}
	}
	return nil
}

// merged returns the existing allocation with the sent fields.
func (*vmChange) merged(sent, have *types.ResourceAllocationInfo) *types.ResourceAllocationInfo {
	var all types.ResourceAllocationInfo
	if have != nil {
		all = *have
	}
	if sent != nil {
		all = world.Overlay(all, *sent)
	}
	return &all
}

// memoryMB returns the memory size after the change.
func (c *vmChange) memoryMB() int64 {
	if c.spec.MemoryMB != 0 {
		return c.spec.MemoryMB
	}
	return int64(c.vm.Config.Hardware.MemoryMB)
}

// willLock reports whether the memory reservation is locked to the memory size after the change.
func (c *vmChange) willLock() bool {
	if l := c.spec.MemoryReservationLockedToMax; l != nil {
		return *l
	}
	return world.Deref(c.vm.Config.MemoryReservationLockedToMax)
}

// checkLock refuses a memory reservation while it is locked to the memory size.
func (c *vmChange) checkLock() types.BaseMethodFault {
	a := c.spec.MemoryAllocation
	if c.willLock() && a != nil && a.Reservation != nil && *a.Reservation != c.memoryMB() {
		return &types.InvalidArgument{InvalidProperty: "spec.memoryAllocation.reservation"}
	}
	return nil
}

// reservations returns the reservations after the change, in MHz and MiB.
func (c *vmChange) reservations() (mhz, mb int64) {
	mhz = world.Deref(c.merged(c.spec.CpuAllocation, c.vm.Config.CpuAllocation).Reservation)
	mb = world.Deref(c.merged(c.spec.MemoryAllocation, c.vm.Config.MemoryAllocation).Reservation)
	if c.willLock() {
		mb = c.memoryMB()
	}
	return mhz, mb
}

// checkRoom checks whether the host has enough capacity for the VM's reservations. A powered-off VM needs none.
func (c *vmChange) checkRoom() types.BaseMethodFault {
	if !c.on() || c.host == nil {
		return nil
	}
	mhz, mb := c.reservations()
	oldMHz, oldMB := world.Deref(c.vm.Config.CpuAllocation.Reservation), world.Deref(c.vm.Config.MemoryAllocation.Reservation)
	return c.room(mhz, mb, mhz > oldMHz, mb > oldMB)
}

// room compares the reservations with the capacity that the other running VMs leave.
func (c *vmChange) room(mhz, mb int64, moreCPU, moreMemory bool) types.BaseMethodFault {
	if moreCPU && mhz > c.freeMHz {
		return &types.InsufficientCpuResourcesFault{Unreserved: max(c.freeMHz, 0), Requested: mhz}
	}
	if moreMemory && mb > c.freeMB {
		return &types.InsufficientMemoryResourcesFault{Unreserved: max(c.freeMB, 0) << 20, Requested: mb << 20}
	}
	return nil
}

// complete adds what the simulator would omit, and notifies watchers of each field.
//
// govmomi v0.56.0 simulator: a part of an allocation or of the flags replaces the whole, and keys are case-sensitive.
func (c *vmChange) complete() {
	if c.vm.Config.Template {
		return
	}
	config := *c.vm.Config // the old one may be in use for an answer
	c.vm.Config = &config
	c.completeAllocations()
	c.spec.ExtraConfig = c.extraConfig()
	config.CpuAffinity = affinity(config.CpuAffinity, c.spec.CpuAffinity)
	config.MemoryAffinity = affinity(config.MemoryAffinity, c.spec.MemoryAffinity)
	if c.spec.Flags != nil {
		c.spec.Flags = new(world.Overlay(config.Flags, *c.spec.Flags))
	}
	c.topology(&config)
	c.editDisks(&config)
	c.notify()
	c.spec.CpuAffinity, c.spec.MemoryAffinity = nil, nil // done
}

func (c *vmChange) completeAllocations() {
	s, config := c.spec, c.vm.Config
	if s.CpuAllocation != nil {
		s.CpuAllocation = c.merged(s.CpuAllocation, config.CpuAllocation)
	}
	if s.MemoryAllocation != nil || c.willLock() {
		s.MemoryAllocation = c.merged(s.MemoryAllocation, config.MemoryAllocation)
		if c.willLock() {
			s.MemoryAllocation.Reservation = new(c.memoryMB())
		}
	}
}

// govmomi v0.56.0 simulator: it ignores these fields.
func (c *vmChange) topology(config *types.VirtualMachineConfigInfo) {
	s := c.spec
	if s.SimultaneousThreads != 0 {
		config.Hardware.SimultaneousThreads = s.SimultaneousThreads
	}
	if s.VPMCEnabled != nil {
		config.VPMCEnabled = s.VPMCEnabled
	}
	if s.SwapPlacement != "" {
		config.SwapPlacement = s.SwapPlacement
	}
	if cores := s.NumCoresPerSocket; cores != nil && c.hardware() >= AutoCoresFrom {
		config.Hardware.AutoCoresPerSocket = new(*cores == 0)
		if *cores == 0 { // ESXi chooses when the VM starts; the number stays until then
			s.NumCoresPerSocket = nil
		}
	}
	if s.VirtualNuma == nil || config.NumaInfo == nil {
		return
	}
	numa := *config.NumaInfo
	if cores := s.VirtualNuma.CoresPerNumaNode; cores != nil {
		numa.AutoCoresPerNumaNode = new(*cores == 0)
		if *cores != 0 {
			numa.CoresPerNumaNode = cores
		}
	}
	if exposed := s.VirtualNuma.ExposeVnumaOnCpuHotadd; exposed != nil {
		numa.VnumaOnCpuHotaddExposed = exposed
	}
	config.NumaInfo = &numa
}

// govmomi v0.56.0 simulator: watchers are told of few fields of a configuration.
func (c *vmChange) notify() {
	s := c.spec
	var list []types.PropertyChange
	add := func(sent bool, name string, value any) {
		if sent {
			list = append(list, types.PropertyChange{Name: "config." + name, Val: value})
		}
	}
	add(s.LatencySensitivity != nil, "latencySensitivity", s.LatencySensitivity)
	add(s.CpuAllocation != nil, "cpuAllocation", s.CpuAllocation)
	add(s.MemoryAllocation != nil, "memoryAllocation", s.MemoryAllocation)
	add(s.MemoryReservationLockedToMax != nil, "memoryReservationLockedToMax", world.Deref(s.MemoryReservationLockedToMax))
	add(s.CpuHotAddEnabled != nil, "cpuHotAddEnabled", world.Deref(s.CpuHotAddEnabled))
	add(s.MemoryHotAddEnabled != nil, "memoryHotAddEnabled", world.Deref(s.MemoryHotAddEnabled))
	add(s.CpuAffinity != nil, "cpuAffinity", orNil(c.vm.Config.CpuAffinity))
	add(s.MemoryAffinity != nil, "memoryAffinity", orNil(c.vm.Config.MemoryAffinity))
	if s.Flags != nil {
		add(true, "flags", *s.Flags)
	}
	add(s.NumCPUs != 0, "hardware.numCPU", s.NumCPUs)
	add(s.NumCoresPerSocket != nil, "hardware.numCoresPerSocket", world.Deref(s.NumCoresPerSocket))
	add(s.MemoryMB != 0, "hardware.memoryMB", int32(s.MemoryMB))
	add(s.GuestId != "", "guestId", s.GuestId)
	if s.Name != "" {
		list = append(list, types.PropertyChange{Name: "name", Val: s.Name})
	}
	mhz, mb := c.reservations()
	list = append(list, types.PropertyChange{Name: "summary.config.cpuReservation", Val: int32(mhz)},
		types.PropertyChange{Name: "summary.config.memoryReservation", Val: int32(mb)})
	c.ctx.Update(c.vm, list)
}

// orNil returns a pointer as a property value that may be unset.
func orNil[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

// ownedKeys are VMX keys that fields of the API represent: written as keys they are silently dropped.
var ownedKeys = map[string]bool{
	"annotation": true, "cpuid.corespersocket": true, "displayname": true, "guestos": true, "mem.hotadd": true, "memsize": true,
	"numvcpus": true, "sched.cpu.affinity": true, "sched.cpu.latencysensitivity": true, "sched.cpu.max": true, "sched.cpu.min": true,
	"sched.cpu.shares": true, "sched.mem.max": true, "sched.mem.min": true, "sched.mem.pin": true, "sched.mem.shares": true,
	"uuid.bios": true, "vcpu.hotadd": true, "virtualhw.version": true,
}

// extraConfig returns the sent keys that take effect, in the VM's spelling. The values are strings; true and false are in
// capitals.
func (c *vmChange) extraConfig() []types.BaseOptionValue {
	var list []types.BaseOptionValue
	for _, o := range c.spec.ExtraConfig {
		v := *o.GetOptionValue()
		written, _ := c.key(v.Key)
		text := vmxText(v.Value)
		switch {
		case v.Key == "", ownedKeys[strings.ToLower(v.Key)], text == "" && written == "":
			continue
		case written != "":
			v.Key = written
		}
		v.Value = text
		list = append(list, &v)
	}
	return list
}

func vmxText(value any) string {
	if value == nil {
		return ""
	}
	text := fmt.Sprint(value)
	if upper := strings.ToUpper(text); upper == "TRUE" || upper == "FALSE" {
		return upper
	}
	return text
}

// PowerOnVMTask refuses to start a VM if the host cannot provide its reservations or, from 7.0 on, its exclusive cores because
// its memory is not fully reserved. Older releases start it, and latency sensitivity high has no effect.
func (o *Service) PowerOnVMTask(ctx *simulator.Context, req *types.PowerOnVM_Task) (res soap.HasFault) {
	vm, ok := ctx.Map.Get(req.This).(*simulator.VirtualMachine)
	if !ok {
		return &methods.PowerOnVM_TaskBody{Fault_: world.NotFound(req.This)}
	}
	c := o.changeOf(ctx, vm, new(types.VirtualMachineConfigSpec))
	ctx.WithLock(vm, func() {
		if fault := c.checkStart(); fault != nil {
			res = &methods.PowerOnVM_TaskBody{Res: &types.PowerOnVM_TaskResponse{Returnval: failed(ctx, vm, "powerOn", fault)}}
			return
		}
		res = vm.PowerOnVMTask(ctx, req)
	})
	return res
}

func (c *vmChange) checkStart() types.BaseMethodFault {
	config := c.vm.Config
	if config.Template || c.on() || c.host == nil {
		return nil // the simulator reports it
	}
	mhz, mb := c.reservations()
	isHigh := config.LatencySensitivity != nil && config.LatencySensitivity.Level == types.LatencySensitivitySensitivityLevelHigh
	if isHigh && c.host.Row.Version >= "7" && mb < c.memoryMB() {
		return &types.InvalidVmConfig{Property: "memoryAllocation.reservation"}
	}
	return c.room(mhz, mb, true, true)
}

// AutoCoresFrom is the hardware version from which ESXi chooses the cores per socket.
const AutoCoresFrom = 20
