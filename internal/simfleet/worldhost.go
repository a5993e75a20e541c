package simfleet

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// node is a host of the fleet with its settings in force.
type node struct {
	row     fleetdata.Host
	host    *simulator.HostSystem
	now     func() time.Time
	mu      sync.Mutex // guards what follows, and the managers of the host: they change together
	unsaved []unsaved  // oldest first

	perCore     hyperThreads
	rebooting   atomic.Bool    // from when it is asked to until it is there again
	away        atomic.Bool    // does not answer
	atBoot      map[string]any // boot options, by name, as they were at the last start
	modules     map[string]fleetdata.ModuleOptions
	outstanding map[string]int // I/Os that a device may have open, where somebody has set it
	rings       map[string]fleetdata.Ring
	offers      []types.ServiceManagerServiceInfo
	told        func() // that something was set which no property shows
}

func newNode(row fleetdata.Host, host *simulator.HostSystem, now func() time.Time) *node {
	return &node{
		row: row, host: host, now: now, modules: map[string]fleetdata.ModuleOptions{}, outstanding: map[string]int{}, rings: map[string]fleetdata.Ring{},
	}
}

// option is the value of an advanced option that there is.
func (e *node) option(key string) any {
	for _, o := range e.host.Config.Option {
		if v := o.GetOptionValue(); v.Key == key {
			return v.Value
		}
	}
	return nil
}

// hyperThreads says whether second threads are in use.
type hyperThreads struct{ atomic.Bool }

// count is how many logical CPUs a core shows.
func (t *hyperThreads) count() int {
	if t.Load() {
		return 2
	}
	return 1
}

// edit changes a running host. Readers may still be writing the old structs to a client, so f works on copies; the
// changes are told to those who watch the host.
func (e *node) edit(ctx *simulator.Context, f func(*mo.HostSystem) []types.PropertyChange) {
	ctx.WithLock(e.host, func() {
		config, hardware := *e.host.Config, *e.host.Hardware
		e.host.Config, e.host.Hardware = &config, &hardware
		ctx.Update(e.host, f(&e.host.HostSystem))
	})
}

// unsavedFor is how long a host may keep a setting in memory only: it saves its configuration once an hour.
const unsavedFor = time.Hour

// unsaved is a setting that was written, and how it was before.
type unsaved struct {
	at   time.Time
	undo func(ctx *simulator.Context)
}

// wrote notes what a crash would undo. The caller holds the lock of the host's managers.
func (e *node) wrote(undo func(ctx *simulator.Context)) {
	e.forgetSaved()
	e.unsaved = append(e.unsaved, unsaved{e.now(), undo})
}

func (e *node) forgetSaved() {
	saved := e.now().Add(-unsavedFor)
	e.unsaved = slices.DeleteFunc(e.unsaved, func(u unsaved) bool { return !u.at.After(saved) })
}

// loadModules is what a start does: each module runs with what it is configured to.
func (e *node) loadModules() {
	for name, options := range e.modules {
		options.Running = options.Configured
		e.modules[name] = options
	}
}

// undo takes back what was written and is not saved yet.
func (e *node) undo(ctx *simulator.Context) {
	e.forgetSaved()
	for _, u := range slices.Backward(e.unsaved) {
		u.undo(ctx)
	}
	e.unsaved = nil
}

// vms are the VMs on the host.
func (e *node) vms(ctx *simulator.Context) []*simulator.VirtualMachine {
	var refs []types.ManagedObjectReference
	ctx.WithLock(e.host, func() { refs = slices.Clone(e.host.Vm) })
	var all []*simulator.VirtualMachine
	for _, ref := range refs {
		if vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine); ok {
			all = append(all, vm)
		}
	}
	return all
}

// connected reports whether the vCenter has not let go of the host.
func (e *node) connected(ctx *simulator.Context) (yes bool) {
	ctx.WithLock(e.host, func() { yes = e.host.Runtime.ConnectionState == types.HostSystemConnectionStateConnected })
	return yes
}

func (e *node) inMaintenance(ctx *simulator.Context) (yes bool) {
	ctx.WithLock(e.host, func() { yes = e.host.Runtime.InMaintenanceMode })
	return yes
}

// card is a NIC and where it sits.
type card struct {
	*fleetdata.NIC
	fleetdata.Slot
}

// cards are the host's NICs in the order of their names; those of the board come last.
func (e *node) cards() []card {
	var list []card
	onboard := fleetdata.Demo().Onboard
	for _, at := range e.row.Server.Slots {
		list = append(list, card{e.row.Server.NIC, at})
	}
	for range e.row.Board {
		list = append(list, card{onboard, fleetdata.Slot{Bus: onboardBus + byte(len(list))}})
	}
	if e.row.IdleNIC {
		list = append(list, card{onboard, fleetdata.Slot{Bus: onboardBus}})
	}
	return list
}

// stockRing is what drivers start with.
var stockRing = fleetdata.Ring{RX: 1024, TX: 1024, Most: 4096}

// ringNow is the rings of a NIC as they are set.
func (e *node) ringNow(nic string) fleetdata.Ring {
	if r, set := e.rings[nic]; set {
		return r
	}
	if r, own := e.row.ESXCLI.Rings[nic]; own {
		return r
	}
	return stockRing
}

const stockOutstanding = 32

// outstandingOf is how many I/Os a disk may have open while VMs compete for it.
func (e *node) outstandingOf(i int, name string) int {
	if n, set := e.outstanding[name]; set {
		return n
	}
	if n, own := e.row.ESXCLI.Outstanding[i]; own {
		return n
	}
	return stockOutstanding
}
