package world

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// Host is a host of the fleet with its current settings.
type Host struct {
	Row     fleetdata.Host
	System  *simulator.HostSystem
	Now     func() time.Time
	Mu      sync.Mutex // guards the following fields and the managers of the host, which change together
	unsaved []unsaved  // oldest first

	PerCore        hyperThreads
	Rebooting      atomic.Bool    // from the reboot request until the host is back
	Away           atomic.Bool    // not reachable
	AtBoot         map[string]any // boot options by name, as of the last start
	Modules        map[string]fleetdata.ModuleOptions
	Outstanding    map[string]int // configured outstanding I/Os by device
	Rings          map[string]fleetdata.Ring
	Offers         []types.ServiceManagerServiceInfo
	OnHiddenChange func() // called after a change that no property shows
}

// NewHost returns a host with default settings.
func NewHost(row fleetdata.Host, host *simulator.HostSystem, now func() time.Time) *Host {
	return &Host{
		Row: row, System: host, Now: now, Modules: map[string]fleetdata.ModuleOptions{}, Outstanding: map[string]int{}, Rings: map[string]fleetdata.Ring{},
	}
}

// BootPrefix is the prefix of options that are read when the host starts.
const BootPrefix = "VMkernel.Boot."

// Option returns the value of an existing advanced option.
func (e *Host) Option(key string) any {
	for _, o := range e.System.Config.Option {
		if v := o.GetOptionValue(); v.Key == key {
			return v.Value
		}
	}
	return nil
}

// hyperThreads is whether hyperthreading is active.
type hyperThreads struct{ atomic.Bool }

// Count returns the number of logical CPUs per core.
func (t *hyperThreads) Count() int {
	if t.Load() {
		return 2
	}
	return 1
}

// Edit changes a running host. The old structs may be in use for an answer, so f works on copies; watchers are notified of the
// changes.
func (e *Host) Edit(ctx *simulator.Context, f func(*mo.HostSystem) []types.PropertyChange) {
	ctx.WithLock(e.System, func() {
		config, hardware := *e.System.Config, *e.System.Hardware
		e.System.Config, e.System.Hardware = &config, &hardware
		ctx.Update(e.System, f(&e.System.HostSystem))
	})
}

// unsavedFor is how long a host may keep a setting in memory only: it saves its configuration once an hour.
const unsavedFor = time.Hour

// unsaved is a written setting that is not saved yet, with its previous value.
type unsaved struct {
	at   time.Time
	undo func(ctx *simulator.Context)
}

// Wrote records how a crash would undo a write. The caller holds the lock of the host's managers.
func (e *Host) Wrote(undo func(ctx *simulator.Context)) {
	e.forgetSaved()
	e.unsaved = append(e.unsaved, unsaved{e.Now(), undo})
}

func (e *Host) forgetSaved() {
	saved := e.Now().Add(-unsavedFor)
	e.unsaved = slices.DeleteFunc(e.unsaved, func(u unsaved) bool { return !u.at.After(saved) })
}

// LoadModules applies the configured options of each module, as a start does.
func (e *Host) LoadModules() {
	for name, options := range e.Modules {
		options.Running = options.Configured
		e.Modules[name] = options
	}
}

// Saved records that the host has saved its configuration.
func (e *Host) Saved() { e.unsaved = nil }

// Undo reverts the writes that are not saved yet.
func (e *Host) Undo(ctx *simulator.Context) {
	e.forgetSaved()
	for _, u := range slices.Backward(e.unsaved) {
		u.undo(ctx)
	}
	e.unsaved = nil
}

// VMs returns the VMs on the host.
func (e *Host) VMs(ctx *simulator.Context) []*simulator.VirtualMachine {
	var refs []types.ManagedObjectReference
	ctx.WithLock(e.System, func() { refs = slices.Clone(e.System.Vm) })
	var all []*simulator.VirtualMachine
	for _, ref := range refs {
		if vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine); ok {
			all = append(all, vm)
		}
	}
	return all
}

// Connected reports whether the host is connected to the vCenter.
func (e *Host) Connected(ctx *simulator.Context) (yes bool) {
	ctx.WithLock(e.System, func() { yes = e.System.Runtime.ConnectionState == types.HostSystemConnectionStateConnected })
	return yes
}

// InMaintenance reports whether the host is in maintenance mode; entering it does not count.
func (e *Host) InMaintenance(ctx *simulator.Context) (yes bool) {
	ctx.WithLock(e.System, func() { yes = e.System.Runtime.InMaintenanceMode })
	return yes
}

// Card is a NIC with its place.
type Card struct {
	*fleetdata.NIC
	fleetdata.Slot
}

// PCI returns the PCI address of the NIC.
func (c Card) PCI() string { return fmt.Sprintf("0000:%02x:00.0", c.Bus) }

// onboardBus is the first bus of the onboard NICs.
const onboardBus = 0x3d

// Cards returns the host's NICs in the order of their names; the onboard NICs come last.
func (e *Host) Cards() []Card {
	var list []Card
	onboard := fleetdata.Demo().Onboard
	for _, at := range e.Row.Server.Slots {
		list = append(list, Card{e.Row.Server.NIC, at})
	}
	for range e.Row.Board {
		list = append(list, Card{onboard, fleetdata.Slot{Bus: onboardBus + byte(len(list))}})
	}
	if e.Row.IdleNIC {
		list = append(list, Card{onboard, fleetdata.Slot{Bus: onboardBus}})
	}
	return list
}

// StockRing is the drivers' default.
var StockRing = fleetdata.Ring{RX: 1024, TX: 1024, Most: 4096}

// RingNow returns the current ring sizes of a NIC.
func (e *Host) RingNow(nic string) fleetdata.Ring {
	if r, set := e.Rings[nic]; set {
		return r
	}
	if r, own := e.Row.ESXCLI.Rings[nic]; own {
		return r
	}
	return StockRing
}

// StockOutstanding is the default limit on outstanding I/Os of a disk, in commands.
const StockOutstanding = 32

// OutstandingOf returns a disk's limit on outstanding I/Os with competing VMs.
func (e *Host) OutstandingOf(i int, name string) int {
	if n, set := e.Outstanding[name]; set {
		return n
	}
	if n, own := e.Row.ESXCLI.Outstanding[i]; own {
		return n
	}
	return StockOutstanding
}

// Free returns the host's unreserved capacity for one VM, without the reservations of the other running VMs.
func (e *Host) Free(ctx *simulator.Context, but *simulator.VirtualMachine) (mhz, mb int64) {
	hw := e.System.Summary.Hardware
	mhz, mb = (e.Row.Hz+999_999)/1_000_000*int64(hw.NumCpuCores), hw.MemorySize>>20
	var vms []types.ManagedObjectReference
	ctx.WithLock(e.System, func() { vms = append(vms, e.System.Vm...) })
	for _, ref := range vms {
		vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine)
		if !ok || vm == but {
			continue
		}
		ctx.WithLock(vm, func() {
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				mhz -= Deref(vm.Config.CpuAllocation.Reservation)
				mb -= Deref(vm.Config.MemoryAllocation.Reservation)
			}
		})
	}
	return mhz, mb
}

// HostOf returns the host of a VM, if any.
func HostOf(ctx *simulator.Context, vm *simulator.VirtualMachine) (host types.ManagedObjectReference) {
	ctx.WithLock(vm, func() {
		if vm.Runtime.Host != nil {
			host = *vm.Runtime.Host
		}
	})
	return host
}

// NoLimit is the value for no limit.
const NoLimit = -1
