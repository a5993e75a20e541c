package capture

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// owners are the VMs of a frame, by the ids and names that rows use.
type owners struct {
	byID, byLeader map[string]*inventory.VM
	byName         map[string]*inventory.VM // nil if two have the name
	names          map[string]int
}

// assignRows determines the VM and the device of each row of a frame.
func (h *captureHost) assignRows(f *esxtop.Frame) {
	of := owners{map[string]*inventory.VM{}, map[string]*inventory.VM{}, map[string]*inventory.VM{}, map[string]int{}}
	for _, r := range f.Rows(esxtop.Group) {
		if r.VM {
			of.names[r.Name]++
		}
	}
	for i, o := range layoutObjects {
		rows := f.Rows(o)
		h.layout[i] = make([]rowOwner, len(rows))
		for j := range rows {
			r := &rows[j]
			h.layout[i][j] = rowOwner{r.ID, r.Name, h.owner(f, r, &of)}
		}
	}
	if h.unconfigured {
		h.setHardware(f)
	}
}

// owner returns the VM that a row belongs to; nil: none or unknown. It adds new devices.
func (h *captureHost) owner(f *esxtop.Frame, r *esxtop.Row, of *owners) *inventory.VM {
	switch {
	case r.Object == esxtop.Group && r.VM:
		vm := h.vm(r, of.names[r.Name] > 1)
		of.add(r, vm)
		return vm
	case r.Object == esxtop.DiskVM:
		return ofDisks(r, of)
	case r.Object == esxtop.VDisk && r.Parent >= 0:
		vm := ofDisks(&f.Rows(esxtop.DiskVM)[r.Parent], of)
		if vm != nil {
			h.disk(vm, r)
		}
		return vm
	case r.Object == esxtop.Port && r.VM:
		if vm := of.byLeader[r.Leader]; vm != nil {
			return vm
		}
		return ofPort(r.Name, of)
	case r.Object == esxtop.Port && isNIC(r):
		h.nic(r)
	case r.Object == esxtop.Device:
		h.lun(r)
	}
	return nil
}

// add adds the VM of a group under all ids and names that other rows may use.
func (of *owners) add(r *esxtop.Row, vm *inventory.VM) {
	of.byID[r.ID+":"+r.Name] = vm
	if r.Leader != "" {
		of.byLeader[r.Leader] = vm
	}
	if of.names[r.Name] == 1 {
		of.byName[r.Name] = vm
	}
}

func ofDisks(r *esxtop.Row, of *owners) *inventory.VM {
	if vm := of.byID[r.ID+":"+r.Name]; vm != nil {
		return vm
	}
	return of.byName[r.Name]
}

var adapter = regexp.MustCompile(`\.eth[0-9]+$`)

// ofPort returns the VM whose port has this name: older releases name ports after the VM, newer ones after its adapter,
// such as web-01.eth0. If VMs have both names, the result is unknown.
func ofPort(port string, of *owners) *inventory.VM {
	vm := adapter.ReplaceAllString(port, "")
	switch {
	case vm == port || of.names[vm] == 0:
		return of.byName[port]
	case of.names[port] > 0:
		return nil
	}
	return of.byName[vm]
}

// vm finds the VM of a group. After a restart, a VM has another group.
func (h *captureHost) vm(r *esxtop.Row, duplicate bool) *inventory.VM {
	key := groupKey{r.ID, r.Name}
	vm, met := h.vms[key]
	if met {
		return vm
	}
	switch found := h.known[r.Name]; {
	case h.unconfigured && duplicate:
		vm = h.add(r, h.host.ID+":"+r.Name+"#"+r.ID)
	case duplicate || len(found) > 1:
		h.duplicated = append(h.duplicated, r.Name)
	case len(found) == 1:
		vm = found[0]
	default:
		vm = h.add(r, h.host.ID+":"+r.Name)
		h.known[r.Name] = []*inventory.VM{vm}
		h.unknown = append(h.unknown, r.Name)
	}
	h.vms[key] = vm
	return vm
}

// add creates a running VM of which only counters are known.
func (h *captureHost) add(r *esxtop.Row, id string) *inventory.VM {
	vm := &inventory.VM{
		Entity: inventory.Entity{ID: id, Name: r.Name, Path: h.host.Path + "/" + r.Name, Unread: Unread},
		HostID: inventory.Known(h.host.ID), Template: inventory.Known(false), PowerState: inventory.Known("poweredOn"),
	}
	if r.VCPUs > 0 {
		vm.VCPUs = inventory.Known(int64(r.VCPUs))
	}
	h.vcenter.VMs = append(h.vcenter.VMs, vm)
	return vm
}

// isNIC reports whether a port is a physical NIC's.
func isNIC(r *esxtop.Row) bool {
	return !r.VM && (strings.HasPrefix(r.Name, "vmnic") || strings.HasPrefix(r.Name, "vusb"))
}

var (
	linkUp     = esxtop.Lookup("net.linkUp")
	linkSpeed  = esxtop.Lookup("net.linkSpeed")
	queueDepth = esxtop.Lookup("disk.queueDepth")
)

// nic adds a physical NIC, with the link facts of the capture.
func (h *captureHost) nic(r *esxtop.Row) {
	n := growList(h, &h.host.PNICs, r.Name, func(n *inventory.PNIC) bool { return n.Device == r.Name },
		func() *inventory.PNIC { return &inventory.PNIC{Device: r.Name} })
	if n == nil {
		return
	}
	up, known := r.Value(linkUp)
	speed, too := r.Value(linkSpeed)
	switch {
	case known && up == 0:
		n.LinkMbps = inventory.Known[int64](0)
	case too && speed > 0:
		n.LinkMbps = inventory.Known(int64(speed))
	}
}

func (h *captureHost) lun(r *esxtop.Row) {
	l := growList(h, &h.host.LUNs, r.Name, func(l *inventory.LUN) bool { return l.Device == r.Name },
		func() *inventory.LUN { return &inventory.LUN{Device: r.Name} })
	if depth, known := r.Value(queueDepth); l != nil && known && depth > 0 {
		l.QueueDepth = inventory.Known(int64(depth))
	}
}

func (h *captureHost) disk(vm *inventory.VM, r *esxtop.Row) {
	is := func(d *inventory.VDisk) bool { address, _ := d.Address.Value(); return address == r.Name }
	growList(h, &vm.Disks, vm.Name+" "+r.Name, is, func() *inventory.VDisk {
		return &inventory.VDisk{Label: r.Name, Address: inventory.Known(r.Name)}
	})
}

// growList adds a device to a list that the snapshot does not have, and returns it. A list of the snapshot is not extended:
// a device without facts would make all rules over the list unknown.
func growList[T any](h *captureHost, list *inventory.Fact[[]*T], name string, is func(*T) bool, device func() *T) *T {
	all, state, _ := list.Get()
	if slices.ContainsFunc(all, is) {
		return nil
	}
	if state != inventory.StateUnread && !h.grown[list] {
		h.missing = append(h.missing, name)
		return nil
	}
	h.grown[list] = true
	d := device()
	*list = inventory.Known(append(all, d))
	return d
}
