package hostfacts

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties of a host's network: its NICs, and its standard, distributed and opaque (NSX) switches.
const (
	PathPNIC        = "config.network.pnic"
	PathStandard    = "config.network.vswitch"
	PathDistributed = "config.network.proxySwitch"
	PathOpaque      = "config.network.opaqueSwitch"
)

// readPNICs returns the host's own list. An unset list means an empty one.
func readPNICs(p *property.Props) inventory.Fact[types.ArrayOfPhysicalNic] {
	return property.Read(p, PathPNIC, property.As[types.ArrayOfPhysicalNic], property.DefaultTo(types.ArrayOfPhysicalNic{}))
}

// FillPNICs sets the host's NICs from PathPNIC. The fact is unread, with the reason, if the server did not return the list.
func FillPNICs(p *property.Props, h *host) {
	h.PNICs = property.Then(readPNICs(p), func(list types.ArrayOfPhysicalNic) inventory.Fact[[]*inventory.PNIC] {
		nics := make([]*inventory.PNIC, 0, len(list.PhysicalNic))
		for _, n := range list.PhysicalNic {
			nics = append(nics, pnic(p, n))
		}
		return inventory.Known(nics)
	})
}

func pnic(p *property.Props, n types.PhysicalNic) *inventory.PNIC {
	nic := &inventory.PNIC{
		Device: n.Device, LinkMbps: inventory.Known(int64(0)), BestMbps: inventory.Known(bestMbps(n)),
		FullDuplex: inventory.Absent[bool](), EDP: flag(p, n.Spec.EnableEnhancedNetworkingStack, since67),
		EDPSupported:    flag(p, n.EnhancedNetworkingStackSupported, since70),
		DriverVersion:   moduleVersion(n.DriverVersion),
		FirmwareVersion: moduleVersion(n.FirmwareVersion),
	}
	if n.LinkSpeed != nil { // unset if the link is down
		nic.LinkMbps = inventory.Known(int64(n.LinkSpeed.SpeedMb))
		nic.FullDuplex = inventory.Known(n.LinkSpeed.Duplex)
	}
	nic.Driver = inventory.Known(n.Driver)
	if n.Driver == "" {
		nic.Driver = inventory.Unread[string]("the host does not report the driver of " + session.Plain(n.Device))
	}
	return nic
}

// bestMbps returns the highest listed speed, or 0 for a NIC that lists no speeds.
func bestMbps(n types.PhysicalNic) (best int64) {
	for _, l := range n.ValidLinkSpecification {
		best = max(best, int64(l.SpeedMb))
	}
	return best
}

// The releases that introduced properties of NICs.
var (
	since67 = inventory.Version{Major: 6, Minor: 7} // Enhanced Data Path
	since70 = inventory.Version{Major: 7}           // the NICs' capability for it
)

// flag returns a boolean that is off if it is unset, and absent on releases before since.
func flag(p *property.Props, on *bool, since inventory.Version) inventory.Fact[bool] {
	if on != nil {
		return inventory.Known(*on)
	}
	return from(p, since, inventory.Known(false))
}

// moduleVersion returns a module's version. Hosts before 8.0, and some of 8.0, do not report versions here; their command line
// does.
func moduleVersion(text string) inventory.Fact[string] {
	if text != "" {
		return inventory.Known(text)
	}
	return inventory.Unread[string](inventory.PerHost)
}

// from returns the meaning of nil on release since and later; on earlier releases the fact is absent.
func from[T any](p *property.Props, since inventory.Version, unset inventory.Fact[T]) inventory.Fact[T] {
	version := property.Then(property.Read(p, tree.PathVersion, property.Text, property.Required), tree.ParseVersion)
	return property.Then(version, func(v inventory.Version) inventory.Fact[T] {
		if v.AtLeast(since) {
			return unset
		}
		return inventory.Absent[T]()
	})
}

// eachPNIC calls do for each fact and the NIC it was made from; both lists have the same order.
func eachPNIC(p *property.Props, h *host, do func(*inventory.PNIC, types.PhysicalNic)) {
	list, _ := readPNICs(p).Value()
	nics, _ := h.PNICs.Value()
	for i, n := range nics {
		do(n, list.PhysicalNic[i])
	}
}

// fillPerHost marks facts that need calls per host: driver settings are in the options of the driver's module. Session.Fill makes
// the calls.
func fillPerHost(p *property.Props, h *host) {
	options, rss := inventory.Unread[string](inventory.PerHost), inventory.Unread[bool](inventory.PerHost)
	eachPNIC(p, h, func(n *inventory.PNIC, _ types.PhysicalNic) { n.DriverOptions, n.RSS = options, rss })
}

// fillRings and fillCoalescing mark facts that the API does not have; Session.Fill asks the host.
func fillRings(p *property.Props, h *host) {
	gap := inventory.Unread[int64](inventory.PerHost)
	eachPNIC(p, h, func(n *inventory.PNIC, _ types.PhysicalNic) {
		n.RingRx, n.RingTx, n.RingRxMax, n.RingTxMax = gap, gap, gap, gap
	})
}

func fillCoalescing(p *property.Props, h *host) {
	micros, adaptive := inventory.Unread[int64](inventory.PerHost), inventory.Unread[bool](inventory.PerHost)
	eachPNIC(p, h, func(n *inventory.PNIC, _ types.PhysicalNic) {
		n.CoalesceRxMicros, n.CoalesceAdaptiveRx = micros, adaptive
	})
}

// FillUplinks finds the switch, of any kind, that uses each NIC.
func FillUplinks(p *property.Props, h *host) {
	used := map[string]string{}
	gaps := []inventory.Fact[bool]{
		useAll(p, used, PathStandard, func(a types.ArrayOfHostVirtualSwitch) (all []wired) {
			for _, s := range a.HostVirtualSwitch {
				all = append(all, wired{s.Name, s.Key, s.Pnic})
			}
			return all
		}),
		useAll(p, used, PathDistributed, func(a types.ArrayOfHostProxySwitch) (all []wired) {
			for _, s := range a.HostProxySwitch {
				all = append(all, wired{s.DvsName, s.Key, s.Pnic})
			}
			return all
		}),
		useAll(p, used, PathOpaque, func(a types.ArrayOfHostOpaqueSwitch) (all []wired) {
			for _, s := range a.HostOpaqueSwitch {
				all = append(all, wired{s.Name, s.Key, s.Pnic})
			}
			return all
		}),
	}
	eachPNIC(p, h, func(n *inventory.PNIC, raw types.PhysicalNic) {
		n.Switch = switchOf(used[raw.Key], gaps)
		n.Uplink = property.Then(n.Switch, func(name string) inventory.Fact[bool] { return inventory.Known(name != "") })
	})
}

// wired is a switch of any kind with the keys of the NICs it uses.
type wired struct {
	name, key string
	nics      []string
}

// useAll records which switch of one kind uses which NIC; a switch without a name is named by its key. A host without such
// switches has no list, or does not know the kind.
func useAll[T any](p *property.Props, used map[string]string, path string, switches func(T) []wired) inventory.Fact[bool] {
	var empty T
	return property.Then(property.Read(p, path, property.As[T], property.DefaultTo(empty)), func(list T) inventory.Fact[bool] {
		for _, s := range switches(list) {
			for _, nic := range s.nics {
				used[nic] = cmp.Or(tree.Unescape(s.name), s.key, path)
			}
		}
		return inventory.Known(true)
	})
}

// switchOf returns the switch of a NIC. A NIC that was not found is in no switch only if all kinds of switches could be read.
func switchOf(name string, unreadLists []inventory.Fact[bool]) inventory.Fact[string] {
	for _, l := range unreadLists {
		if _, state, reason := l.Get(); state == inventory.StateUnread && name == "" {
			return inventory.Unread[string](reason)
		}
	}
	return inventory.Known(name)
}

// fillPNICNodes finds each NIC's NUMA node by its PCI address.
func fillPNICNodes(p *property.Props, h *host) {
	info := property.Read(p, pathNUMA, property.As[types.HostNumaInfo], property.Required)
	nodes := property.Then(info, func(i types.HostNumaInfo) inventory.Fact[map[string]int64] {
		if !listsPCI(i) {
			return inventory.Unread[map[string]int64]("the host lists no PCI devices by NUMA node")
		}
		return inventory.Known(nodesByPCI(i))
	})
	eachPNIC(p, h, func(n *inventory.PNIC, raw types.PhysicalNic) {
		n.NUMANode = property.Then(nodes, func(byPCI map[string]int64) inventory.Fact[int64] {
			if id, ok := byPCI[sbdf(raw.Pci)]; ok {
				return inventory.Known(id)
			}
			return inventory.Unread[int64](fmt.Sprintf("no NUMA node of the host lists PCI device %q of %s", session.Plain(raw.Pci), session.Plain(raw.Device)))
		})
	})
}

func nodesByPCI(i types.HostNumaInfo) map[string]int64 {
	nodes := map[string]int64{}
	for _, n := range i.NumaNode {
		for _, id := range n.PciId {
			nodes[sbdf(id)] = int64(n.TypeId)
		}
	}
	return nodes
}

// sbdf normalizes a PCI address: segment (0 if omitted), bus, device and function, in lower case.
func sbdf(address string) string {
	parts := strings.Split(strings.ToLower(strings.TrimSpace(address)), ":")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	parts[0] = strings.TrimLeft(parts[0], "0")
	return strings.Join(parts, ":")
}
