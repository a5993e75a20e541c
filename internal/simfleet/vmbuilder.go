package simfleet

import (
	"fmt"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// firstVM is the number in the first VM's id.
const firstVM = 1001

// created is the creation time of all VMs.
var created = time.Date(2025, 6, 1, 8, 0, 0, 0, time.UTC)

// vmBuilder creates one VM. It registers the complete object.
//
// govmomi v0.56.0 simulator: its own tasks take 40 ms per VM, and assign ids that differ from start to start.
type vmBuilder struct {
	*builder
	row    fleetdata.VM
	number int // 0 for the first
	host   *esxi.Host
	now    time.Time
	vm     *simulator.VirtualMachine
}

// store returns a datastore by name, or the VM's own.
func (v *vmBuilder) store(name string) types.ManagedObjectReference {
	if d := v.datastores[name]; d != nil {
		return d.Self
	}
	return v.datastore.Self
}

func (v *vmBuilder) path(file string) string {
	return fmt.Sprintf("[%s] %s/%s", datastoreName, v.row.Name, file)
}
