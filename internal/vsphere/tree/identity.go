package tree

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties that identify objects: their names, their parents, and whether the server's data about them is current.
const (
	PathName        = "name"
	PathParent      = "parent"
	PathVApp        = "parentVApp"
	PathConnection  = "runtime.connectionState"
	PathPower       = "runtime.powerState"
	PathStandby     = "runtime.standbyMode"
	PathMaintenance = "runtime.inMaintenanceMode"
	PathVMHost      = "runtime.host"
	PathInstance    = "config.instanceUuid"
	PathBIOS        = "config.uuid" // what the guest finds in its firmware
	PathTemplate    = "config.template"
	PathGuest       = "config.guestId"
	PathVersion     = "config.product.version"
	PathDNSHost     = "config.network.dnsConfig.hostName"
	PathDNSDomain   = "config.network.dnsConfig.domainName"
	PathVMK         = "config.network.vnic"
)

// NameOf returns an object's unescaped name, or its id if the server does not return the name.
func NameOf(p *property.Props) string {
	if name, ok := property.Read(p, PathName, property.Text, property.Required).Value(); ok && name != "" {
		return Unescape(name)
	}
	return p.Ref.Value
}

// unescaper reverses the escapes of vSphere only; other percent signs stay unchanged.
var unescaper = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")

// Unescape returns an unescaped name: vSphere stores slashes, backslashes and percent signs as %2f, %5c and %25.
func Unescape(name string) string { return unescaper.Replace(name) }

// VMUnreadReason returns why the server's data about a VM is cached, or "".
func VMUnreadReason(from *property.Props) string {
	state, _ := property.Read(from, PathConnection, property.Text, property.Required).Value()
	switch types.VirtualMachineConnectionState(state) {
	case types.VirtualMachineConnectionStateConnected:
	case types.VirtualMachineConnectionStateOrphaned:
		return "orphaned: the virtual machine is no longer registered on a host (state orphaned)"
	case types.VirtualMachineConnectionStateInaccessible:
		return "inaccessible: the host cannot reach the virtual machine's files (state inaccessible)"
	case types.VirtualMachineConnectionStateInvalid:
		return "invalid: the host cannot read the virtual machine's configuration (state invalid)"
	case types.VirtualMachineConnectionStateDisconnected:
		return "disconnected: its host does not respond (state disconnected)"
	}
	return ""
}

// DNSName joins the host and domain name of a host; without a domain it is the bare host name.
func DNSName(p *property.Props) inventory.Fact[string] {
	domain := property.Read(p, PathDNSDomain, property.Text, property.DefaultTo(""))
	return property.Then(property.Read(p, PathDNSHost, property.Text, property.Required), func(name string) inventory.Fact[string] {
		return property.Then(domain, func(domain string) inventory.Fact[string] {
			return inventory.Known(strings.TrimSuffix(name+"."+domain, "."))
		})
	})
}

// HostAddresses lists the addresses of a host's VMkernel NICs. An unset list means an empty one.
func HostAddresses(p *property.Props) inventory.Fact[[]string] {
	return property.Then(ReadVMKs(p), func(list types.ArrayOfHostVirtualNic) inventory.Fact[[]string] {
		all := []string{}
		for _, n := range list.HostVirtualNic {
			if n.Spec.Ip != nil {
				all = append(all, addresses(n.Spec.Ip)...)
			}
		}
		return inventory.Known(all)
	})
}

func addresses(c *types.HostIpConfig) (all []string) {
	if c.IpAddress != "" {
		all = append(all, c.IpAddress)
	}
	if c.IpV6Config != nil {
		for _, a := range c.IpV6Config.IpV6Address {
			all = append(all, a.IpAddress)
		}
	}
	return all
}

// ParseVersion parses text such as 8.0.2. The result is unread if text is not a version.
func ParseVersion(text string) inventory.Fact[inventory.Version] {
	v, err := inventory.ParseVersion(text)
	if err != nil {
		return inventory.Unread[inventory.Version]("the server reports its version as " + session.Plain(text))
	}
	return inventory.Known(v)
}

// ReadVMKs returns the host's own list. An unset list means an empty one.
func ReadVMKs(p *property.Props) inventory.Fact[types.ArrayOfHostVirtualNic] {
	return property.Read(p, PathVMK, property.As[types.ArrayOfHostVirtualNic], property.DefaultTo(types.ArrayOfHostVirtualNic{}))
}
