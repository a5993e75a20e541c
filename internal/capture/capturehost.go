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
	alone   bool // its configuration is unknown
	left    bool // it is not one of the targets

	vms     map[groupKey]*inventory.VM // by group; nil: the VM of the snapshot is ambiguous
	known   map[string][]*inventory.VM // VMs of the snapshot on this host
	layout  [len(laid)][]seat
	grown   map[any]bool // lists of devices that the snapshot did not have
	last    time.Time    // time of the last sample
	newer   bool         // the present sample is later than all previous ones
	told    time.Time    // end of the time that previous files cover
	skipped int          // samples that another file covers
	gaps    gaps

	unknown, alike, missing []string // VMs that the snapshot does not have, or has twice, and missing devices
}

type groupKey struct{ id, name string }

// laid are the objects whose rows belong to VMs, or become devices.
var laid = [...]esxtop.Object{esxtop.Group, esxtop.DiskVM, esxtop.VDisk, esxtop.Port, esxtop.Device}

// seat is a row of every frame, with its VM.
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

// takes reports whether a frame is new and its host is a target.
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

// fits reports whether a frame has the same rows as the previous one, which is the case until a capture is restarted.
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

// dress sets the ids of objects in a frame, by which measurements are assigned to them.
func (h *machine) dress(f *esxtop.Frame) {
	f.Host, f.MoID = h.host.Name, h.host.ID
	for i, o := range laid {
		rows := f.Rows(o)
		for j := range rows {
			if vm := h.layout[i][j].vm; vm != nil {
				rows[j].MoID = vm.ID
			}
		}
		if h.estate.chosen != nil && len(rows) > 0 && o != esxtop.DiskVM { // disks find their VM's row by its position
			f.Put(o, h.wanted(i, rows))
		}
	}
}

// wanted drops the rows of VMs that are not targets.
func (h *machine) wanted(i int, rows []esxtop.Row) []esxtop.Row {
	kept := rows[:0]
	for j := range rows {
		if vm := h.layout[i][j].vm; !rows[j].VM || vm != nil && h.estate.chosen[vm] {
			kept = append(kept, rows[j])
		}
	}
	return kept
}

// displayed returns the name of a VM as the host has it: the inventory escapes three characters.
func displayed(name string) string {
	return strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%").Replace(name)
}

// estate is the hosts of captures and their VMs and devices, as objects of a snapshot.
type estate struct {
	snapshot *inventory.Snapshot
	beside   string             // where the configuration is from; empty: none
	alone    *inventory.VCenter // of hosts without a known configuration
	names    []string           // of hosts, as in headers
	machines map[string]*machine
	windows  map[*inventory.VCenter]*live.Window
	narrowed bool                   // hosts found later are not targets
	chosen   map[*inventory.VM]bool // nil: all VMs
	notes    []string
}

// Unread is the reason why only counters are known of objects that are only in a capture.
const Unread = "a capture has counters only: name a snapshot with --from"
