package measure

import (
	"cmp"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// RosterHost is a host of the roster.
type RosterHost struct {
	MoID, Name  string
	Cluster     string               // name of the cluster; empty for a standalone host
	Power       string               // runtime.powerState
	Down        string               // why it cannot be asked, for example disconnected; empty: it is connected
	Standby     inventory.Fact[bool] // in standby, entering or leaving it
	Maintenance inventory.Fact[bool] // in maintenance mode; known also of hosts that are down
	Version     inventory.Fact[inventory.Version]
	Threads     int // per core; 0: not reported
	Datacenter  string
	Path        string // inventory path: /dc1/host/general/esx01
	Model       string // hardware model
	Build       string // ESXi build
	Cores       int    // 0: not reported
	MemoryBytes int64  // 0: not reported
}

// Up reports whether the host is expected to have samples.
func (h *RosterHost) Up() bool {
	return h.Down == "" && (h.Power == "" || h.Power == string(types.HostSystemPowerStatePoweredOn))
}

// RosterVM is a virtual machine or a template.
type RosterVM struct {
	MoID, Name  string
	Host        string // id of the host on which it is registered
	Power       string // runtime.powerState
	VCPUs       int    // 0: not reported
	Path        string // inventory path: /dc1/vm/web/web-1
	UUID        string // config.instanceUuid
	BIOSUUID    string // config.uuid: the one that the guest sees
	Guest       string // config.guestId
	Template    bool
	MemoryBytes int64 // configured memory; 0: not reported
}

func byName(a, b RosterVM) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.MoID, b.MoID))
}

func hostsByName(a, b RosterHost) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.MoID, b.MoID))
}
