package tree

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties by which objects are known: how they are called, what they lie in, and whether what the server says of them counts.
const (
	PathName        = "name"
	PathParent      = "parent"
	PathVApp        = "parentVApp"
	PathConnection  = "runtime.connectionState"
	PathPower       = "runtime.powerState"
	PathMaintenance = "runtime.inMaintenanceMode"
	PathVMHost      = "runtime.host"
	PathInstance    = "config.instanceUuid"
	PathTemplate    = "config.template"
	PathGuest       = "config.guestId"
	PathVersion     = "config.product.version"
	PathDNSHost     = "config.network.dnsConfig.hostName"
	PathDNSDomain   = "config.network.dnsConfig.domainName"
	PathVMK         = "config.network.vnic"
)

// NameOf is an object's name as people write it; its id where the server does not tell.
func NameOf(p *property.Props) string {
	if name, ok := property.Read(p, PathName, property.Text, property.Must).Value(); ok && name != "" {
		return Unescape(name)
	}
	return p.Ref.Value
}

// unescaper undoes what vSphere does to names, and nothing else: other percent signs stand for themselves.
var unescaper = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")

// Unescape returns a name as people write it: vSphere stores slashes, backslashes and percent signs as %2f, %5c and %25.
func Unescape(name string) string { return unescaper.Replace(name) }

// HostDown is why a host's facts must not be used: what vCenter says of a host that does not answer is what it
// remembers of it.
func HostDown(p *property.Props) string {
	state, ok := property.Read(p, PathConnection, property.Text, property.Must).Value()
	switch types.HostSystemConnectionState(state) {
	case types.HostSystemConnectionStateConnected:
		return ""
	case types.HostSystemConnectionStateNotResponding:
		return "host not responding (state notResponding)"
	case types.HostSystemConnectionStateDisconnected:
		return "host disconnected (state disconnected)"
	}
	if !ok {
		return "the server does not say whether the host responds"
	}
	return "host in state " + session.Plain(state)
}

// VMDown is why what the server says about a VM is what it remembers of it, or "".
func VMDown(from *property.Props) string {
	state, _ := property.Read(from, PathConnection, property.Text, property.Must).Value()
	switch types.VirtualMachineConnectionState(state) {
	case types.VirtualMachineConnectionStateConnected:
	case types.VirtualMachineConnectionStateOrphaned:
		return "orphaned: no host knows the virtual machine any more (state orphaned)"
	case types.VirtualMachineConnectionStateInaccessible:
		return "inaccessible: the host cannot reach the virtual machine's files (state inaccessible)"
	case types.VirtualMachineConnectionStateInvalid:
		return "invalid: the host cannot read the virtual machine's configuration (state invalid)"
	case types.VirtualMachineConnectionStateDisconnected:
		return "disconnected: its host does not respond (state disconnected)"
	}
	return ""
}

// DNSName joins what the host calls itself; a host without a domain has a bare name.
func DNSName(p *property.Props) inventory.Fact[string] {
	domain := property.Read(p, PathDNSDomain, property.Text, property.Means(""))
	return property.Then(property.Read(p, PathDNSHost, property.Text, property.Must), func(name string) inventory.Fact[string] {
		return property.Then(domain, func(domain string) inventory.Fact[string] {
			return inventory.Known(strings.TrimSuffix(name+"."+domain, "."))
		})
	})
}

// HostAddresses lists the addresses of a host's VMkernel NICs. An unset list is an empty one.
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

// ParseVersion returns the version that text such as 8.0.2 names. It is unread if text is no version.
func ParseVersion(text string) inventory.Fact[inventory.Version] {
	v, err := inventory.ParseVersion(text)
	if err != nil {
		return inventory.Unread[inventory.Version]("the server calls its version " + session.Plain(text))
	}
	return inventory.Known(v)
}

// ReadVMKs is the host's own list. An unset list is an empty one.
func ReadVMKs(p *property.Props) inventory.Fact[types.ArrayOfHostVirtualNic] {
	return property.Read(p, PathVMK, property.As[types.ArrayOfHostVirtualNic], property.Means(types.ArrayOfHostVirtualNic{}))
}
