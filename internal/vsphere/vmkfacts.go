package vsphere

import (
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const pathVNICManager = "config.virtualNicManagerInfo.netConfig"

// readVMKs is the host's own list. An unset list is an empty one.
func readVMKs(p *props) inventory.Fact[types.ArrayOfHostVirtualNic] {
	return read(p, pathVMK, asIs[types.ArrayOfHostVirtualNic], means(types.ArrayOfHostVirtualNic{}))
}

func fillVMKNICs(p *props, h *host) {
	h.VMKNICs = then(readVMKs(p), func(list types.ArrayOfHostVirtualNic) inventory.Fact[[]*inventory.VMKNIC] {
		nics := make([]*inventory.VMKNIC, 0, len(list.HostVirtualNic))
		for _, n := range list.HostVirtualNic {
			nics = append(nics, vmknic(n))
		}
		return inventory.Known(nics)
	})
}

// vmknic: a NIC that names no stack is in the default one. Which MTU the system picks is not said.
func vmknic(n types.HostVirtualNic) *inventory.VMKNIC {
	nic := &inventory.VMKNIC{
		Device: n.Device, NetStack: inventory.Known("defaultTcpipStack"), MTU: inventory.Known(int64(n.Spec.Mtu)),
	}
	if n.Spec.NetStackInstanceKey != "" {
		nic.NetStack = inventory.Known(n.Spec.NetStackInstanceKey)
	}
	if n.Spec.Mtu == 0 {
		nic.MTU = inventory.Unread[int64]("the host names no MTU for " + plain(n.Device))
	}
	return nic
}

// fillServices says what each NIC is selected for. Hosts without the manager's information select nothing that could
// be known.
func fillServices(p *props, h *host) {
	manager := read(p, pathVNICManager, asIs[types.ArrayOfVirtualNicManagerNetConfig], must)
	list, _ := readVMKs(p).Value()
	nics, _ := h.VMKNICs.Value()
	for i, n := range nics {
		n.Services = then(manager, func(m types.ArrayOfVirtualNicManagerNetConfig) inventory.Fact[[]string] {
			return inventory.Known(services(m.VirtualNicManagerNetConfig, list.HostVirtualNic[i]))
		})
	}
}

func services(configs []types.VirtualNicManagerNetConfig, nic types.HostVirtualNic) []string {
	all := []string{}
	for _, c := range configs {
		if slices.ContainsFunc(c.SelectedVnic, func(key string) bool { return selects(c, key, nic) }) {
			all = append(all, c.NicType)
		}
	}
	slices.Sort(all)
	return all
}

// selects reports whether a key means a NIC. Keys are those of the candidates, which hosts make of the kind of traffic
// and the NIC's own key.
func selects(c types.VirtualNicManagerNetConfig, key string, nic types.HostVirtualNic) bool {
	for _, candidate := range c.CandidateVnic {
		if candidate.Key == key {
			return candidate.Device == nic.Device
		}
	}
	return key == nic.Key || strings.HasSuffix(key, "."+nic.Key)
}
