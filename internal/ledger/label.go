package ledger

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// newLabelling returns the labels of a host or a VM, or of a part of it that has more labels.
func newLabelling(owner string, parts ...string) *labelling {
	values := map[string]func(*entity) string{
		owner:  func(e *entity) string { return e.owner.title() },
		"moid": func(e *entity) string { return e.owner.moid },
	}
	for i, name := range parts {
		values[name] = func(e *entity) string { return e.part }
		if i > 0 {
			values[name] = func(e *entity) string { return e.sub }
		}
	}
	l := &labelling{}
	for name := range values {
		l.names = append(l.names, name)
	}
	slices.Sort(l.names)
	for _, name := range l.names {
		l.from = append(l.from, values[name])
	}
	return l
}

// labellings of all objects but ports, of which there are three kinds.
var labellings = map[esxtop.Object]*labelling{
	esxtop.Host:        newLabelling("host"),
	esxtop.PCPU:        newLabelling("host", "cpu"),
	esxtop.Node:        newLabelling("host", "node"),
	esxtop.Group:       newLabelling("vm"),
	esxtop.GroupNode:   newLabelling("vm", "node"),
	esxtop.World:       newLabelling("vm", "vcpu"),
	esxtop.Adapter:     newLabelling("host", "adapter"),
	esxtop.Path:        newLabelling("host", "path"),
	esxtop.Device:      newLabelling("host", "device"),
	esxtop.DeviceWorld: newLabelling("host", "device", "world"),
	esxtop.Partition:   newLabelling("host", "device", "partition"),
	esxtop.NFS:         newLabelling("host", "nfs"),
	esxtop.DiskVM:      newLabelling("vm"),
	esxtop.VDisk:       newLabelling("vm", "disk"),
	esxtop.Vector:      newLabelling("host", "vector"),
	esxtop.VectorCPU:   newLabelling("host", "vector", "cpu"),
	esxtop.CState:      newLabelling("host", "cpu", "state"),
	esxtop.PState:      newLabelling("host", "cpu", "state"),
	esxtop.TState:      newLabelling("host", "cpu", "state"),
	esxtop.Dom:         newLabelling("host", "role"),
	esxtop.GPU:         newLabelling("host", "gpu"),
}

// Ports are of three kinds: uplinks are physical NICs; those of VMs are vNICs; the host itself has the others.
var (
	labelsOfPNIC = newLabelling("host", "pnic")
	labelsOfPort = newLabelling("host", "port")
	labelsOfVNIC = newLabelling("vm", "vnic")
)

var isUplink = esxtop.Lookup("net.uplink")

// ofVMs are the objects whose rows belong to a VM. Ports may belong to one.
var ofVMs = esxtop.ObjectsOf(esxtop.Group, esxtop.GroupNode, esxtop.World, esxtop.DiskVM, esxtop.VDisk)

// reader finds the owners and label values of a frame's rows.
type reader struct {
	frame  *esxtop.Frame
	ledger *Ledger
	host   *owner // nil: it is not expected
}

// key returns the key of a row, which does not depend on the origin: two rows with the same key would have the same
// labels. It returns false for rows that are not stored: of objects that are not expected, of the host's own worlds,
// and of parts that cannot be distinguished.
func (r *reader) key(o esxtop.Object, row *esxtop.Row) (key, bool) {
	if row.Object != o {
		return key{}, false
	}
	k := key{labelling: labellings[o], owner: r.host}
	switch {
	case o == esxtop.Port && row.VM:
		k.labelling, k.owner = labelsOfVNIC, r.vm(row)
	case o == esxtop.Port:
		k.labelling = labelsOfPort
		if v, ok := row.Value(isUplink); ok && v != 0 {
			k.labelling = labelsOfPNIC
		}
	case ofVMs.Has(o):
		k.owner = r.vm(row)
	}
	if k.owner == nil {
		return key{}, false
	}
	k.part, k.sub = r.parts(o, row)
	k.part, k.sub = strings.ToValidUTF8(k.part, "\uFFFD"), strings.ToValidUTF8(k.sub, "\uFFFD")
	labels := len(k.labelling.names)
	return k, (labels < 3 || k.part != "") && (labels < 4 || k.sub != "")
}

// vm returns the VM that a row or its owner belongs to; nil if it is not expected.
func (r *reader) vm(row *esxtop.Row) *owner {
	if row.MoID == "" {
		if row = r.frame.Owner(row); row == nil {
			return nil
		}
	}
	if row.Object == esxtop.Group && !row.VM {
		return nil
	}
	return r.ledger.vms[row.MoID]
}

// parts returns the values of the labels after those of the owner.
func (r *reader) parts(o esxtop.Object, row *esxtop.Row) (part, sub string) {
	switch o {
	case esxtop.Host, esxtop.Group, esxtop.DiskVM:
		return "", ""
	case esxtop.World:
		return r.vcpu(row), ""
	case esxtop.Port:
		if row.VM {
			return vnic(row.Name), ""
		}
		return row.Name, ""
	case esxtop.CState, esxtop.PState, esxtop.TState:
		return r.idAbove(row), row.Name
	case esxtop.DeviceWorld, esxtop.Partition, esxtop.VectorCPU:
		return r.idAbove(row), row.ID
	}
	return row.ID, ""
}

func (r *reader) idAbove(row *esxtop.Row) string {
	if up := r.frame.Owner(row); up != nil {
		return up.ID
	}
	return ""
}

// vcpu returns the number of a vCPU, which the Esxtop service has in the world's name: vmx-vcpu-0:web-1. It is empty
// for a VM's other worlds.
func (r *reader) vcpu(row *esxtop.Row) string {
	number := row.ID
	if r.frame.Origin != esxtop.Performance {
		name, is := strings.CutPrefix(row.Name, "vmx-vcpu-")
		if !is {
			return ""
		}
		number, _, _ = strings.Cut(name, ":")
	}
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return number
}

// vnic returns the name of a NIC within its VM: eth0 of web-1.eth0. VMs can be renamed, NICs cannot.
func vnic(port string) string {
	if i := strings.LastIndexByte(port, '.'); i >= 0 && i+1 < len(port) {
		return port[i+1:]
	}
	return port
}
