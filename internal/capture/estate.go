package capture

import (
	"slices"
	"time"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

func newEstate(files []*file) *estate {
	e := &estate{
		snapshot: &inventory.Snapshot{Schema: inventory.SnapshotSchema},
		machines: map[string]*machine{}, windows: map[*inventory.VCenter]*live.Window{},
	}
	for _, f := range files {
		e.names = append(e.names, f.hosts...)
	}
	slices.Sort(e.names)
	e.names = slices.Compact(e.names)
	return e
}

// meet finds the host of a frame, and adds the objects that are new in the frame.
func (e *estate) meet(f *esxtop.Frame) *machine {
	h := e.machines[f.Host]
	if h == nil {
		h = e.find(f.Host)
		e.machines[f.Host] = h
	}
	if !h.left && !h.fits(f) {
		h.lay(f)
	}
	return h
}

// find finds a host in the snapshot, or creates one without facts.
func (e *estate) find(name string) *machine {
	for _, v := range e.snapshot.VCenters {
		if host := matching(v.Hosts, name); host != nil && v != e.alone {
			return newMachine(e, v, host)
		}
	}
	if e.narrowed {
		return &machine{left: true}
	}
	v := e.nowhere()
	host := &inventory.Host{Entity: inventory.Entity{ID: name, Name: name, Path: "/" + name, Unread: Unread}}
	v.Hosts = append(v.Hosts, host)
	return newMachine(e, v, host)
}

// nowhere returns the endpoint of hosts without a known configuration.
func (e *estate) nowhere() *inventory.VCenter {
	if e.alone == nil {
		e.alone = &inventory.VCenter{
			Entity: inventory.Entity{ID: "capture", Name: "capture", Path: "/"}, Kind: inventory.EndpointESXi,
			Version: inventory.Unread[inventory.Version](Unread),
			// An ESXi host has neither.
			StatsIntervals: inventory.Absent[[]*inventory.StatsInterval](),
			Libraries:      inventory.Absent[[]*inventory.ContentLibrary](),
		}
		e.snapshot.VCenters = append(e.snapshot.VCenters, e.alone)
	}
	return e.alone
}

// narrow keeps the targets.
func (e *estate) narrow(t inventory.Targets) error {
	e.snapshot.Link()
	if t.Everything() {
		return nil
	}
	n, err := e.snapshot.Narrow(t)
	if err != nil {
		return err
	}
	e.snapshot, e.narrowed = n, true
	if len(t.VMs) > 0 {
		e.chosen = map[*inventory.VM]bool{}
	}
	in := map[*inventory.Host]*inventory.VCenter{}
	for _, v := range n.VCenters {
		if e.alone != nil && len(v.Hosts) > 0 && slices.Contains(e.alone.Hosts, v.Hosts[0]) {
			e.alone = v // narrowing creates a copy
		}
		for _, h := range v.Hosts {
			in[h] = v
		}
		for _, vm := range v.VMs {
			if e.chosen != nil {
				e.chosen[vm] = true
			}
		}
	}
	for _, h := range e.machines {
		h.vcenter = in[h.host]
		h.left = h.vcenter == nil
	}
	return nil
}

// begin starts a file: samples of times that previous files covered are skipped.
func (e *estate) begin() {
	for _, h := range e.machines {
		h.told = h.last
	}
}

// window returns the measurements of an endpoint: ids are unique only within an endpoint.
func (e *estate) window(h *machine) *live.Window {
	w := e.windows[h.vcenter]
	if w == nil {
		w = new(live.Window)
		e.windows[h.vcenter] = w
	}
	return w
}

// put stores the measurements until a time in the objects.
func (e *estate) put(until time.Time) {
	if e.alone != nil {
		e.alone.TakenAt = until
	}
	e.snapshot.Link()
	for v, w := range e.windows {
		w.Put(v)
	}
}
