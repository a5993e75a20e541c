package capture

import (
	"strings"
	"time"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// captureHost is a host of captures.
type captureHost struct {
	estate       *estate
	vcenter      *inventory.VCenter
	host         *inventory.Host
	unconfigured bool // its configuration is unknown
	notTarget    bool // it is not one of the targets

	vms          map[groupKey]*inventory.VM // by group; nil: the VM of the snapshot is ambiguous
	known        map[string][]*inventory.VM // VMs of the snapshot on this host
	layout       [len(layoutObjects)][]rowOwner
	grown        map[any]bool // lists of devices that the snapshot did not have
	last         time.Time    // time of the last sample
	newer        bool         // the present sample is later than all previous ones
	coveredUntil time.Time    // end of the time that previous files cover
	skipped      int          // samples that another file covers
	gaps         gaps

	unknown, duplicated, missing []string // VMs that the snapshot does not have, or has twice, and missing devices
}

type groupKey struct{ id, name string }

// layoutObjects are the objects whose rows belong to VMs, or become devices.
var layoutObjects = [...]esxtop.Object{esxtop.Group, esxtop.DiskVM, esxtop.VDisk, esxtop.Port, esxtop.Device}

// rowOwner is a row of every frame, with its VM.
type rowOwner struct {
	id, name string
	vm       *inventory.VM
}

func newCaptureHost(e *estate, v *inventory.VCenter, host *inventory.Host) *captureHost {
	h := &captureHost{
		estate: e, vcenter: v, host: host, unconfigured: v == e.unconfigured,
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

// accepts reports whether a frame is new and its host is a target.
func (h *captureHost) accepts(f *esxtop.Frame) bool {
	if h.notTarget {
		return false
	}
	if !h.coveredUntil.IsZero() && !f.Time.After(h.coveredUntil) {
		h.skipped++
		return false
	}
	if h.newer = f.Time.After(h.last); h.newer {
		h.gaps.check(h.last, f)
		h.last = f.Time
	}
	return true
}

// sameLayout reports whether a frame has the same rows as the previous one, which is the case until a capture is restarted.
func (h *captureHost) sameLayout(f *esxtop.Frame) bool {
	for i, o := range layoutObjects {
		rows, owners := f.Rows(o), h.layout[i]
		if len(rows) != len(owners) {
			return false
		}
		for j := range rows {
			if rows[j].ID != owners[j].id || rows[j].Name != owners[j].name {
				return false
			}
		}
	}
	return h.last != (time.Time{}) || len(h.layout[0]) > 0
}

// setIDs sets the ids of objects in a frame, by which measurements are assigned to them.
func (h *captureHost) setIDs(f *esxtop.Frame) {
	f.Host, f.MoID = h.host.Name, h.host.ID
	for i, o := range layoutObjects {
		rows := f.Rows(o)
		for j := range rows {
			if vm := h.layout[i][j].vm; vm != nil {
				rows[j].MoID = vm.ID
			}
		}
		if h.estate.chosen != nil && len(rows) > 0 && o != esxtop.DiskVM { // disks find their VM's row by its position
			f.Put(o, h.targetRows(i, rows))
		}
	}
}

// targetRows drops the rows of VMs that are not targets.
func (h *captureHost) targetRows(i int, rows []esxtop.Row) []esxtop.Row {
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
	snapshot     *inventory.Snapshot
	configSource string             // where the configuration is from; empty: none
	unconfigured *inventory.VCenter // of hosts without a known configuration
	names        []string           // of hosts, as in headers
	hosts        map[string]*captureHost
	windows      map[*inventory.VCenter]*live.Window
	narrowed     bool                   // hosts found later are not targets
	chosen       map[*inventory.VM]bool // nil: all VMs
	notes        []string
}

// Unread is the reason why only counters are known of objects that are only in a capture.
const Unread = inventory.CountersOnly
