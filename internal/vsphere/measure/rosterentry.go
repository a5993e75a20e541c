package measure

import (
	"cmp"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// RosterHost is a host.
type RosterHost struct {
	MoID, Name    string
	Cluster       string // its name; empty: the host stands alone
	Power         string // runtime.powerState
	Down          string // why it cannot be asked, such as that it is disconnected; empty: it is connected
	Version       inventory.Fact[inventory.Version]
	Threads       int // of a core; 0: the server does not tell
	Datacenter    string
	Path          string // in the inventory: /dc1/host/general/esx01
	Model         string // of the machine
	Build         string // of ESXi
	InMaintenance bool
	Cores         int   // 0: the server does not tell
	MemoryBytes   int64 // 0: the server does not tell
}

// Up reports whether the host is expected to have samples.
func (h *RosterHost) Up() bool {
	return h.Down == "" && (h.Power == "" || h.Power == string(types.HostSystemPowerStatePoweredOn))
}

// RosterVM is a virtual machine or a template.
type RosterVM struct {
	MoID, Name  string
	Host        string // the id of the host that it is registered on
	Power       string // runtime.powerState
	VCPUs       int    // 0: the server does not tell
	Path        string // in the inventory: /dc1/vm/web/web-1
	UUID        string // config.instanceUuid
	Guest       string // config.guestId
	Template    bool
	MemoryBytes int64 // that it is configured with; 0: the server does not tell
}

func byName(a, b RosterVM) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.MoID, b.MoID))
}

func hostsByName(a, b RosterHost) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.MoID, b.MoID))
}
