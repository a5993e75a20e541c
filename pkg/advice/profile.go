package advice

import (
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
)

// fastUplinkMbps is the link speed from which a host counts as built for network throughput.
const fastUplinkMbps = 40_000

// ProfileOf is the automatic profile: the one that an object's own configuration speaks for, and why, in words for the
// finding. It counts where nobody says otherwise.
//
// A VM is latency when its latency sensitivity is high, monster when it is wider than a NUMA node of its host. A host is
// network when an uplink of 40 Gb/s or more is up, vsan when vSAN is on. A device has the profile of its owner.
// Everything else is general. Where a fact was not read the profile is general too, and why says so.
func ProfileOf(o inventory.Object) (p Profile, why string) {
	switch x := o.(type) {
	case *inventory.Host:
		return hostProfile(x)
	case *inventory.PNIC, *inventory.VMKNIC, *inventory.HBA, *inventory.LUN, *inventory.Switch:
		if h := x.(interface{ Host() *inventory.Host }).Host(); h != nil {
			return hostProfile(h)
		}
	case *inventory.VM:
		return vmProfile(x)
	case *inventory.VDisk:
		if x.VM() != nil {
			return vmProfile(x.VM())
		}
	case *inventory.VNIC:
		if x.VM() != nil {
			return vmProfile(x.VM())
		}
	}
	return ProfileGeneral, "nothing speaks for another profile"
}

// profileNeeds are the facts ProfileOf reads.
func profileNeeds() inventory.Needs {
	var n inventory.Needs
	n.AddFact("Host.pnics", "PNIC.linkMbps", "PNIC.uplink", "Host.vsan", "Host.cores", "Host.numaNodes",
		"VM.hostId", "VM.latencySensitivity", "VM.vcpus")
	return n
}

func hostProfile(h *inventory.Host) (Profile, string) {
	nics, read := h.PNICs.Value()
	for _, n := range nics {
		up, _ := n.Uplink.Value()
		speed, known := n.LinkMbps.Value()
		read = read && known
		if up && speed >= fastUplinkMbps {
			return ProfileNetwork, fmt.Sprintf("uplink %s is up at %d Gb/s", n.Device, speed/1000)
		}
	}
	if on, known := h.VSAN.Value(); on {
		return ProfileVSAN, "vSAN is on"
	} else if !known || !read {
		return ProfileGeneral, "uplinks or vSAN state were not read"
	}
	return ProfileGeneral, "no uplink of 40 Gb/s or more, vSAN off"
}

func vmProfile(v *inventory.VM) (Profile, string) {
	level, known := v.LatencySensitivity.Value()
	if level == "high" {
		return ProfileLatency, "latency sensitivity is high"
	}
	vcpus, haveVCPUs := v.VCPUs.Value()
	node, haveNode := coresPerNode(v.Host())
	if !known || !haveVCPUs || !haveNode {
		return ProfileGeneral, "latency sensitivity, vCPUs or the host's NUMA nodes were not read"
	}
	if vcpus > node {
		return ProfileMonster, fmt.Sprintf("%d vCPUs are wider than a NUMA node of %d cores", vcpus, node)
	}
	return ProfileGeneral, "latency sensitivity is not high, fits a NUMA node"
}

func coresPerNode(h *inventory.Host) (int64, bool) {
	if h == nil {
		return 0, false
	}
	cores, ok1 := h.Cores.Value()
	nodes, ok2 := h.NUMANodes.Value()
	if !ok1 || !ok2 || len(nodes) == 0 {
		return 0, false
	}
	return cores / int64(len(nodes)), true
}
