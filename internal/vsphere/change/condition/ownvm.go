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
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathBIOS      = "config.uuid"
	pathGuestName = "guest.hostName"
	pathGuestIP   = "guest.ipAddress"
)

// OwnVMPaths are the properties of a VM that OwnVM.Is reads.
var OwnVMPaths = []string{pathBIOS, pathGuestName, pathGuestIP}

// OwnVM is how the VM that this vCenter runs in can be known.
type OwnVM struct {
	bios  inventory.Fact[string] // the UUID of the machine, as its vCenter sees it
	names []string               // what its guest calls itself, and its addresses
}

// FindOwnVM asks a vCenter which VM it runs in: its settings have the BIOS UUID of the machine that it was installed on. A user
// without the right to see them has to do with the name that it is reached by.
func FindOwnVM(ctx context.Context, s *session.Session) (OwnVM, error) {
	own := OwnVM{bios: inventory.Absent[string](), names: reachable(s.Hostname())}
	if !s.Client().IsVC() {
		return OwnVM{bios: own.bios}, nil
	}
	own.bios = inventory.Unread[string]("the vCenter does not say what machine it runs on")
	setting := s.Client().ServiceContent.Setting
	if setting == nil {
		return own, nil
	}
	res, err := methods.QueryOptions(ctx, s, &types.QueryOptions{This: *setting, Name: "VirtualCenter."})
	switch {
	case ctx.Err() != nil:
		return own, err
	case err != nil:
		own.bios = inventory.Unread[string](session.Why(err))
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

// reachable leaves out names and addresses that every machine has of itself, such as those of a tunnel to the vCenter.
func reachable(name string) []string {
	if ip := net.ParseIP(name); name == "" || strings.EqualFold(name, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return nil
	}
	return []string{name}
}

// Is reports whether a VM is the one.
func (o OwnVM) Is(p *property.Props) bool {
	bios, _ := property.Read(p, pathBIOS, property.Text, property.Must).Value()
	name, _ := property.Read(p, pathGuestName, property.Text, property.None).Value()
	address, _ := property.Read(p, pathGuestIP, property.Text, property.None).Value()
	if own, known := o.bios.Value(); known && strings.EqualFold(own, bios) {
		return true
	}
	return slices.ContainsFunc(o.names, func(n string) bool { return strings.EqualFold(n, name) || n == address })
}

// doubt is why the VM that the vCenter runs in may go unnoticed.
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
