package vsphere

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// Properties by which objects are known: how they are called, what they lie in, and whether what the server says of them counts.
const (
	pathName        = "name"
	pathParent      = "parent"
	pathVApp        = "parentVApp"
	pathConnection  = "runtime.connectionState"
	pathPower       = "runtime.powerState"
	pathMaintenance = "runtime.inMaintenanceMode"
	pathVMHost      = "runtime.host"
	pathInstance    = "config.instanceUuid"
	pathTemplate    = "config.template"
	pathGuest       = "config.guestId"
	pathVersion     = "config.product.version"
	pathDNSHost     = "config.network.dnsConfig.hostName"
	pathDNSDomain   = "config.network.dnsConfig.domainName"
	pathVMK         = "config.network.vnic"
)

// nameOf is an object's name as people write it; its id where the server does not tell.
func nameOf(p *props) string {
	if name, ok := read(p, pathName, asText, must).Value(); ok && name != "" {
		return unescape(name)
	}
	return p.ref.Value
}

// unescaper undoes what vSphere does to names, and nothing else: other percent signs stand for themselves.
var unescaper = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")

func unescape(name string) string { return unescaper.Replace(name) }

// hostDown is why a host's facts must not be used: what vCenter says of a host that does not answer is what it
// remembers of it.
func hostDown(p *props) string {
	state, ok := read(p, pathConnection, asText, must).Value()
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
	return "host in state " + plain(state)
}

// vmDown is why what the server says about a VM is what it remembers of it, or "".
func vmDown(from *props) string {
	state, _ := read(from, pathConnection, asText, must).Value()
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

// dnsName joins what the host calls itself; a host without a domain has a bare name.
func dnsName(p *props) inventory.Fact[string] {
	domain := read(p, pathDNSDomain, asText, means(""))
	return then(read(p, pathDNSHost, asText, must), func(name string) inventory.Fact[string] {
		return then(domain, func(domain string) inventory.Fact[string] {
			return inventory.Known(strings.TrimSuffix(name+"."+domain, "."))
		})
	})
}

// hostAddresses lists the addresses of a host's VMkernel NICs. An unset list is an empty one.
func hostAddresses(p *props) inventory.Fact[[]string] {
	return then(readVMKs(p), func(list types.ArrayOfHostVirtualNic) inventory.Fact[[]string] {
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

func parseVersion(text string) inventory.Fact[inventory.Version] {
	v, err := inventory.ParseVersion(text)
	if err != nil {
		return inventory.Unread[inventory.Version]("the server calls its version " + plain(text))
	}
	return inventory.Known(v)
}

// readVMKs is the host's own list. An unset list is an empty one.
func readVMKs(p *props) inventory.Fact[types.ArrayOfHostVirtualNic] {
	return read(p, pathVMK, asIs[types.ArrayOfHostVirtualNic], means(types.ArrayOfHostVirtualNic{}))
}
