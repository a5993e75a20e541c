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

// Host is a host of the fleet with its settings in force.
type Host struct {
	Row     fleetdata.Host
	System  *simulator.HostSystem
	Now     func() time.Time
	Mu      sync.Mutex // guards what follows, and the managers of the host: they change together
	unsaved []unsaved  // oldest first

	PerCore     hyperThreads
	Rebooting   atomic.Bool    // from when it is asked to until it is there again
	Away        atomic.Bool    // does not answer
	AtBoot      map[string]any // boot options, by name, as they were at the last start
	Modules     map[string]fleetdata.ModuleOptions
	Outstanding map[string]int // I/Os that a device may have open, where somebody has set it
	Rings       map[string]fleetdata.Ring
	Offers      []types.ServiceManagerServiceInfo
	Told        func() // that something was set which no property shows
}

// NewHost is a host with nothing set yet.
func NewHost(row fleetdata.Host, host *simulator.HostSystem, now func() time.Time) *Host {
	return &Host{
		Row: row, System: host, Now: now, Modules: map[string]fleetdata.ModuleOptions{}, Outstanding: map[string]int{}, Rings: map[string]fleetdata.Ring{},
	}
}

// BootPrefix begins the names of options that are read when the host starts.
const BootPrefix = "VMkernel.Boot."

// Option is the value of an advanced option that there is.
func (e *Host) Option(key string) any {
	for _, o := range e.System.Config.Option {
		if v := o.GetOptionValue(); v.Key == key {
			return v.Value
		}
	}
	return nil
}

// hyperThreads says whether second threads are in use.
type hyperThreads struct{ atomic.Bool }

// Count is how many logical CPUs a core shows.
func (t *hyperThreads) Count() int {
	if t.Load() {
		return 2
	}
	return 1
}

// Edit changes a running host. Readers may still be writing the old structs to a client, so f works on copies; the
// changes are told to those who watch the host.
func (e *Host) Edit(ctx *simulator.Context, f func(*mo.HostSystem) []types.PropertyChange) {
	ctx.WithLock(e.System, func() {
		config, hardware := *e.System.Config, *e.System.Hardware
		e.System.Config, e.System.Hardware = &config, &hardware
		ctx.Update(e.System, f(&e.System.HostSystem))
	})
}

// unsavedFor is how long a host may keep a setting in memory only: it saves its configuration once an hour.
const unsavedFor = time.Hour

// unsaved is a setting that was written, and how it was before.
type unsaved struct {
	at   time.Time
	undo func(ctx *simulator.Context)
}

// Wrote notes what a crash would undo. The caller holds the lock of the host's managers.
func (e *Host) Wrote(undo func(ctx *simulator.Context)) {
	e.forgetSaved()
	e.unsaved = append(e.unsaved, unsaved{e.Now(), undo})
}

func (e *Host) forgetSaved() {
	saved := e.Now().Add(-unsavedFor)
	e.unsaved = slices.DeleteFunc(e.unsaved, func(u unsaved) bool { return !u.at.After(saved) })
}

// LoadModules is what a start does: each module runs with what it is configured to.
func (e *Host) LoadModules() {
	for name, options := range e.Modules {
		options.Running = options.Configured
		e.Modules[name] = options
	}
}

// Saved notes that the host has saved its configuration.
func (e *Host) Saved() { e.unsaved = nil }

// Undo takes back what was written and is not saved yet.
func (e *Host) Undo(ctx *simulator.Context) {
	e.forgetSaved()
	for _, u := range slices.Backward(e.unsaved) {
		u.undo(ctx)
	}
	e.unsaved = nil
}

// VMs are the VMs on the host.
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

// Connected reports whether the vCenter has not let go of the host.
func (e *Host) Connected(ctx *simulator.Context) (yes bool) {
	ctx.WithLock(e.System, func() { yes = e.System.Runtime.ConnectionState == types.HostSystemConnectionStateConnected })
	return yes
}

// InMaintenance reports whether the host is in maintenance mode, not whether it is entering it.
func (e *Host) InMaintenance(ctx *simulator.Context) (yes bool) {
	ctx.WithLock(e.System, func() { yes = e.System.Runtime.InMaintenanceMode })
	return yes
}

// Card is a NIC and where it sits.
type Card struct {
	*fleetdata.NIC
	fleetdata.Slot
}

// PCI is the address of the NIC.
func (c Card) PCI() string { return fmt.Sprintf("0000:%02x:00.0", c.Bus) }

// onboardBus is the first bus of NICs of the board.
const onboardBus = 0x3d

// Cards are the host's NICs in the order of their names; those of the board come last.
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

// StockRing is what drivers start with.
var StockRing = fleetdata.Ring{RX: 1024, TX: 1024, Most: 4096}

// RingNow is the rings of a NIC as they are set.
func (e *Host) RingNow(nic string) fleetdata.Ring {
	if r, set := e.Rings[nic]; set {
		return r
	}
	if r, own := e.Row.ESXCLI.Rings[nic]; own {
		return r
	}
	return StockRing
}

// StockOutstanding is the limit on outstanding I/Os of a disk, in commands, unless somebody set another.
const StockOutstanding = 32

// OutstandingOf is how many I/Os a disk may have open while VMs compete for it.
func (e *Host) OutstandingOf(i int, name string) int {
	if n, set := e.Outstanding[name]; set {
		return n
	}
	if n, own := e.Row.ESXCLI.Outstanding[i]; own {
		return n
	}
	return StockOutstanding
}

// Free is what the host has left for one VM, given what the others that run have reserved.
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

// HostOf is the host that a VM is on, if any.
func HostOf(ctx *simulator.Context, vm *simulator.VirtualMachine) (host types.ManagedObjectReference) {
	ctx.WithLock(vm, func() {
		if vm.Runtime.Host != nil {
			host = *vm.Runtime.Host
		}
	})
	return host
}

// NoLimit is a limit that is none.
const NoLimit = -1
