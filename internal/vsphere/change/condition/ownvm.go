package condition

import (
	"context"
	"net"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathGuestName = "guest.hostName"
	pathGuestIP   = "guest.ipAddress"
)

// OwnVMPaths are the properties of a VM that OwnVM.Is reads.
var OwnVMPaths = []string{tree.PathBIOS, pathGuestName, pathGuestIP}

// OwnVM identifies the VM that this vCenter runs in.
type OwnVM struct {
	bios  inventory.Fact[string] // the BIOS UUID of the VM, as vCenter reads it
	names []string               // the guest's host name and its addresses
}

// FindOwnVM returns how to recognize the VM that a vCenter runs in. The vCenter's settings hold the BIOS UUID of the machine that
// it was installed on. A user without the privilege to read them is limited to the name that the vCenter is reached by.
func FindOwnVM(ctx context.Context, s *session.Session) (OwnVM, error) {
	own := OwnVM{bios: inventory.Absent[string](), names: reachable(s.Hostname())}
	if !s.Client().IsVC() {
		return OwnVM{bios: own.bios}, nil
	}
	own.bios = inventory.Unread[string]("the vCenter does not report its own BIOS UUID")
	setting := s.Client().ServiceContent.Setting
	if setting == nil {
		return own, nil
	}
	res, err := methods.QueryOptions(ctx, s, &types.QueryOptions{This: *setting, Name: "VirtualCenter."})
	switch {
	case ctx.Err() != nil:
		return own, err
	case err != nil:
		own.bios = inventory.Unread[string](session.Cause(err))
		return own, nil
	}
	for _, o := range res.Returnval {
		text, _ := o.GetOptionValue().Value.(string)
		switch key := o.GetOptionValue().Key; {
		case text == "":
		case key == "VirtualCenter.HostBiosUuid":
			own.bios = inventory.Known(text)
		case key == session.FqdnOption, key == "VirtualCenter.AutoManagedIPV4", key == "VirtualCenter.ManagedIP":
			own.names = append(own.names, reachable(text)...)
		}
	}
	return own, nil
}

// reachable removes names and addresses that are local to every machine, such as those of a tunnel to the vCenter.
func reachable(name string) []string {
	if ip := net.ParseIP(name); name == "" || strings.EqualFold(name, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return nil
	}
	return []string{name}
}

// Is reports whether a VM is the vCenter's own.
func (o OwnVM) Is(p *property.Props) bool {
	bios, _ := property.Read(p, tree.PathBIOS, property.Text, property.Required).Value()
	name, _ := property.Read(p, pathGuestName, property.Text, property.AbsentIfUnset).Value()
	address, _ := property.Read(p, pathGuestIP, property.Text, property.AbsentIfUnset).Value()
	if own, known := o.bios.Value(); known && strings.EqualFold(own, bios) {
		return true
	}
	return slices.ContainsFunc(o.names, func(n string) bool { return strings.EqualFold(n, name) || n == address })
}

// doubt returns why the vCenter's own VM may not be recognized, or "".
func (o OwnVM) doubt() string {
	switch gap := Gap(o.bios, "the machine that the vCenter runs on"); {
	case gap == "":
		return ""
	case len(o.names) == 0:
		return gap + "; it may run in this virtual machine"
	default:
		return gap + "; its own virtual machine is known by name only: " + session.Plain(strings.Join(o.names, ", "))
	}
}
