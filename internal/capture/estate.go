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
		hosts:    map[string]*captureHost{}, windows: map[*inventory.VCenter]*live.Window{},
	}
	for _, f := range files {
		e.names = append(e.names, f.hosts...)
	}
	slices.Sort(e.names)
	e.names = slices.Compact(e.names)
	return e
}

// hostOf finds the host of a frame, and adds the objects that are new in the frame.
func (e *estate) hostOf(f *esxtop.Frame) *captureHost {
	h := e.hosts[f.Host]
	if h == nil {
		h = e.find(f.Host)
		e.hosts[f.Host] = h
	}
	if !h.notTarget && !h.sameLayout(f) {
		h.assignRows(f)
	}
	return h
}

// find finds a host in the snapshot, or creates one without facts.
func (e *estate) find(name string) *captureHost {
	for _, v := range e.snapshot.VCenters {
		if host := matchingHost(v.Hosts, name); host != nil && v != e.unconfigured {
			return newCaptureHost(e, v, host)
		}
	}
	if e.narrowed {
		return &captureHost{notTarget: true}
	}
	v := e.unreadVCenter()
	host := &inventory.Host{Entity: inventory.Entity{ID: name, Name: name, Path: "/" + name, Unread: Unread}}
	v.Hosts = append(v.Hosts, host)
	return newCaptureHost(e, v, host)
}

// unreadVCenter returns the endpoint of hosts without a known configuration.
func (e *estate) unreadVCenter() *inventory.VCenter {
	if e.unconfigured == nil {
		e.unconfigured = &inventory.VCenter{
			Entity: inventory.Entity{ID: "capture", Name: "capture", Path: "/"}, Kind: inventory.EndpointESXi,
			Version: inventory.Unread[inventory.Version](Unread),
			// An ESXi host has neither.
			StatsIntervals: inventory.Absent[[]*inventory.StatsInterval](),
			Libraries:      inventory.Absent[[]*inventory.ContentLibrary](),
		}
		e.snapshot.VCenters = append(e.snapshot.VCenters, e.unconfigured)
	}
	return e.unconfigured
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
		if e.unconfigured != nil && len(v.Hosts) > 0 && slices.Contains(e.unconfigured.Hosts, v.Hosts[0]) {
			e.unconfigured = v // narrowing creates a copy
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
	for _, h := range e.hosts {
		h.vcenter = in[h.host]
		h.notTarget = h.vcenter == nil
	}
	return nil
}

// begin starts a file: samples of times that previous files covered are skipped.
func (e *estate) begin() {
	for _, h := range e.hosts {
		h.coveredUntil = h.last
	}
}

// window returns the measurements of an endpoint: ids are unique only within an endpoint.
func (e *estate) window(h *captureHost) *live.Window {
	w := e.windows[h.vcenter]
	if w == nil {
		w = new(live.Window)
		e.windows[h.vcenter] = w
	}
	return w
}

// store stores the measurements until a time in the objects.
func (e *estate) store(until time.Time) {
	if e.unconfigured != nil {
		e.unconfigured.TakenAt = until
	}
	e.snapshot.Link()
	for v, w := range e.windows {
		w.Put(v)
	}
}
