package live

import (
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// subject is an object in a frame, as read by measures.
type subject struct {
	frame   *esxtop.Frame
	row     *esxtop.Row // its own; nil: the frame has none, or it is the host
	traffic *traffic    // of all its ports; nil: the frame has none
}

var uplink = metric("net.uplink")

// eachSubject calls visit with the objects of a frame. The host's own worlds are skipped: its idle worlds are ready all
// the time.
func eachSubject(f *esxtop.Frame, visit func(key, *subject)) {
	host, vms := subject{frame: f}, map[string]*subject{}
	of := func(vm string) *subject {
		if vms[vm] == nil {
			vms[vm] = &subject{frame: f}
		}
		return vms[vm]
	}
	each := func(o esxtop.Object, do func(*esxtop.Row)) {
		for i := range f.Rows(o) {
			do(&f.Rows(o)[i])
		}
	}
	each(esxtop.Group, func(r *esxtop.Row) {
		if r.VM {
			of(r.MoID).row = r
		}
	})
	each(esxtop.Port, func(r *esxtop.Row) {
		switch {
		case r.VM:
			of(r.MoID).pass(r)
		case isUplink(r):
			host.pass(r)
			nic := subject{frame: f, row: r}
			nic.pass(r)
			visit(key{inventory.ScopePNIC, f.MoID, r.Name}, &nic)
		}
	})
	each(esxtop.Device, func(r *esxtop.Row) { visit(key{inventory.ScopeLUN, f.MoID, r.ID}, &subject{frame: f, row: r}) })
	each(esxtop.VDisk, func(r *esxtop.Row) {
		visit(key{inventory.ScopeVDisk, vmOfDisk(f, r), r.ID}, &subject{frame: f, row: r})
	})
	for vm, s := range vms {
		visit(key{inventory.ScopeVM, vm, ""}, s)
	}
	visit(key{inventory.ScopeHost, f.MoID, ""}, &host)
}

// isUplink reports whether a port is an uplink: captures do not mark uplinks, but their ports have the names of NICs.
func isUplink(r *esxtop.Row) bool {
	if is, ok := r.Value(uplink); ok {
		return is != 0
	}
	return strings.HasPrefix(r.Name, "vmnic") || strings.HasPrefix(r.Name, "vusb")
}

// vmOfDisk returns the VM of a virtual disk.
func vmOfDisk(f *esxtop.Frame, disk *esxtop.Row) string {
	owners := f.Rows(esxtop.DiskVM)
	if disk.MoID == "" && disk.Parent >= 0 && disk.Parent < len(owners) {
		return owners[disk.Parent].MoID
	}
	return disk.MoID
}

// pass adds the traffic of a port.
func (s *subject) pass(port *esxtop.Row) {
	if s.traffic == nil {
		s.traffic = new(traffic)
	}
	s.traffic.rx.add(port, &receiving, s.frame.Interval)
	s.traffic.tx.add(port, &sending, s.frame.Interval)
}

// key identifies an object: devices by their owner.
type key struct {
	scope     inventory.Scope
	owner, id string
}
