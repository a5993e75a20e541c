package capture

import (
	"strings"
	"time"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// machine is a host of captures.
type machine struct {
	estate  *estate
	vcenter *inventory.VCenter
	host    *inventory.Host
	alone   bool // its configuration is not known
	left    bool // it is none of the targets

	vms     map[groupKey]*inventory.VM // that were met; nil: nobody can tell which VM of the snapshot it is
	known   map[string][]*inventory.VM // of the snapshot, on this host
	layout  [len(laid)][]seat
	grown   map[any]bool // lists of devices that the snapshot did not have
	last    time.Time    // that a sample was of
	newer   bool         // this one is of a later time than all before
	told    time.Time    // up to where files before this one told of
	skipped int          // samples that another file has told of
	gaps    gaps

	unknown, alike, missing []string // VMs that the snapshot does not have, or has twice, and devices that it does not have
}

type groupKey struct{ id, name string }

// laid are the objects whose rows belong to VMs, or become devices.
var laid = [...]esxtop.Object{esxtop.Group, esxtop.DiskVM, esxtop.VDisk, esxtop.Port, esxtop.Device}

// seat is a row of every frame, and the VM whose it is.
type seat struct {
	id, name string
	vm       *inventory.VM
}

func newMachine(e *estate, v *inventory.VCenter, host *inventory.Host) *machine {
	h := &machine{
		estate: e, vcenter: v, host: host, alone: v == e.alone,
		vms: map[groupKey]*inventory.VM{}, known: map[string][]*inventory.VM{}, grown: map[any]bool{},
	}
	for _, vm := range v.VMs {
		template, _ := vm.Template.Value()
		if id, _ := vm.HostID.Value(); id == host.ID && !template {
			name := displayed(vm.Name)
			h.known[name] = append(h.known[name], vm)
		}
	}
	return h
}

// takes reports whether a frame is news of a host that somebody asked for.
func (h *machine) takes(f *esxtop.Frame) bool {
	if h.left {
		return false
	}
	if !h.told.IsZero() && !f.Time.After(h.told) {
		h.skipped++
		return false
	}
	if h.newer = f.Time.After(h.last); h.newer {
		h.gaps.look(h.last, f)
		h.last = f.Time
	}
	return true
}

// fits reports whether the rows of a frame are those of the frame before, as they are until a capture is begun anew.
func (h *machine) fits(f *esxtop.Frame) bool {
	for i, o := range laid {
		rows, seats := f.Rows(o), h.layout[i]
		if len(rows) != len(seats) {
			return false
		}
		for j := range rows {
			if rows[j].ID != seats[j].id || rows[j].Name != seats[j].name {
				return false
			}
		}
	}
	return h.last != (time.Time{}) || len(h.layout[0]) > 0
}

// dress gives a frame the ids of objects, by which what was measured finds them.
func (h *machine) dress(f *esxtop.Frame) {
	f.Host, f.MoID = h.host.Name, h.host.ID
	for i, o := range laid {
		rows := f.Rows(o)
		for j := range rows {
			if vm := h.layout[i][j].vm; vm != nil {
				rows[j].MoID = vm.ID
			}
		}
		if h.estate.chosen != nil && len(rows) > 0 && o != esxtop.DiskVM { // disks find their VM's row by its place
			f.Put(o, h.wanted(i, rows))
		}
	}
}

// wanted leaves out the rows of VMs that nobody asked for.
func (h *machine) wanted(i int, rows []esxtop.Row) []esxtop.Row {
	kept := rows[:0]
	for j := range rows {
		if vm := h.layout[i][j].vm; !rows[j].VM || vm != nil && h.estate.chosen[vm] {
			kept = append(kept, rows[j])
		}
	}
	return kept
}

// displayed is the name of a VM as the host has it: in the inventory three characters are written as their codes.
func displayed(name string) string {
	return strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%").Replace(name)
}

// estate is the hosts of captures and what is on them, as objects of a snapshot.
type estate struct {
	snapshot *inventory.Snapshot
	beside   string             // where the configuration is from; empty: nowhere
	alone    *inventory.VCenter // of hosts whose configuration nobody has
	names    []string           // of hosts, as headers have them
	machines map[string]*machine
	windows  map[*inventory.VCenter]*live.Window
	narrowed bool                   // hosts that come later are none of the targets
	chosen   map[*inventory.VM]bool // nil: all VMs are
	notes    []string
}

// Unread is why nothing but counters is known of what stands in a capture alone.
const Unread = "a capture has counters only: name a snapshot with --from"
