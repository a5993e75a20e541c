package load

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// Residency is a period in which a VM ran on one host with the same settings. A change of settings starts a new residency, so that earlier
// measurements do not change.
type Residency struct {
	VM, host string
	MHz      int64 // of the host
	Settings *VM
	does     *fleetdata.Profile
	Stream   Stream
	Place    int       // sequence number of the VM's start on the endpoint; later residencies on the same host keep it
	Since    time.Time // when it started to run there
	from, To time.Time // zero: since before the fleet, and not ended yet
}

// NewResidency returns a residency that starts when a VM gets new settings or a new host.
func NewResidency(site, vm, host string, mhz int64, settings *VM, from time.Time) Residency {
	return Residency{
		VM: vm, host: host, MHz: mhz, Settings: settings, does: fleetdata.Demo().ProfileOf(settings.Name), Stream: NewStream(site, vm), Since: from, from: from,
	}
}

// Covers reports whether the VM was there with these settings when the slot began.
func (s *Residency) Covers(slot int64) bool {
	at := SlotStart(slot)
	return !at.Before(s.from) && (s.To.IsZero() || at.Before(s.To))
}

// Kept is how long hosts keep samples. A vCenter keeps its historical samples longer.
const Kept = time.Hour

// remembered is how long former settings and residencies are kept, so that historical samples can be computed: a week.
const remembered = 7*24*time.Hour + time.Minute

// tooOld returns the time before which former settings are forgotten.
func tooOld(now time.Time) time.Time { return now.Add(-remembered) }

// over reports a residency that ended before the oldest available samples.
func (s *Residency) over(now time.Time) bool { return !s.To.IsZero() && s.To.Before(tooOld(now)) }

// hostSpan is a period in which a host had the same settings.
type hostSpan struct {
	from     time.Time
	settings *Host
}

// History records where VMs ran and run, and with which settings. Hosts and VMs are identified by id.
type History struct {
	Now     func() time.Time
	Changed func(host string, at time.Time) // called to invalidate computed values

	mu     sync.Mutex
	dirty  []string // hosts with changes not reported yet
	places int
	open   map[string]*Residency   // by VM
	all    map[string][]*Residency // by VM, the open one last
	on     map[string][]*Residency // by host, in order of arrival
	spans  map[string][]hostSpan
	began  map[string]time.Time
}

// NewHistory returns an empty history. now is the clock of the fleet.
func NewHistory(now func() time.Time) *History {
	return &History{
		Now: now, Changed: func(string, time.Time) {}, open: map[string]*Residency{}, all: map[string][]*Residency{}, on: map[string][]*Residency{},
		spans: map[string][]hostSpan{}, began: map[string]time.Time{},
	}
}

// Copy returns a copy with a clock of its own, whose changes do not show in the original.
func (h *History) Copy(now func() time.Time) *History {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := NewHistory(now)
	own.places = h.places
	copies := map[*Residency]*Residency{}
	each := func(list []*Residency) (own []*Residency) {
		for _, s := range list {
			if copies[s] == nil {
				one := *s
				copies[s] = &one
			}
			own = append(own, copies[s])
		}
		return own
	}
	for vm, list := range h.all {
		own.all[vm] = each(list)
	}
	for host, list := range h.on {
		own.on[host] = each(list)
	}
	for vm, s := range h.open {
		own.open[vm] = copies[s]
	}
	for host, spans := range h.spans {
		own.spans[host] = slices.Clone(spans)
	}
	own.began = maps.Clone(h.began)
	return own
}

// AddHost adds a host with its initial settings.
func (h *History) AddHost(host string, settings *Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spans[host] = []hostSpan{{settings: settings}}
}

// Runs starts a residency, unless the VM already runs there with these settings.
func (h *History) Runs(next Residency) {
	defer h.reportChanges()
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.open[next.VM]
	if old != nil && old.host == next.host {
		if reflect.DeepEqual(old.Settings, next.Settings) {
			return
		}
		next.Since, next.Place = old.Since, old.Place
	} else {
		next.Place = h.places
		h.places++
	}
	h.end(next.VM, next.from)
	h.begin(&next)
}

// Stops ends the residency of a VM that no longer runs.
func (h *History) Stops(vm string) {
	defer h.reportChanges()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end(vm, h.Now())
}

// Revise changes the settings of running VMs by a function; nil leaves a VM unchanged.
func (h *History) Revise(change func(vm string, settings VM) *VM) {
	defer h.reportChanges()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	for vm, old := range h.open {
		if settings := change(vm, *old.Settings); settings != nil {
			next := *old
			next.Settings, next.from = settings, now
			h.end(vm, now)
			h.begin(&next)
		}
	}
}

// Restart starts the series of a host and of its VMs anew.
func (h *History) Restart(host string) {
	defer h.reportChanges()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	h.began[host] = now
	h.dirty = append(h.dirty, host)
	for _, old := range slices.Clone(h.on[host]) {
		if old.To.IsZero() {
			next := *old
			next.from, next.Since, next.Place = now, now, h.places
			h.places++
			h.end(old.VM, now)
			h.begin(&next)
		}
	}
}

func (h *History) begin(next *Residency) {
	h.open[next.VM] = next
	h.all[next.VM] = append(h.all[next.VM], next)
	h.on[next.host] = append(h.on[next.host], next)
	h.dirty = append(h.dirty, next.host)
}

// end ends a VM's residency and removes residencies that are too old.
func (h *History) end(vm string, now time.Time) {
	old := h.open[vm]
	if old != nil {
		old.To = now
		delete(h.open, vm)
		h.on[old.host] = slices.DeleteFunc(h.on[old.host], func(o *Residency) bool { return o.over(now) })
		h.dirty = append(h.dirty, old.host)
	}
	h.all[vm] = slices.DeleteFunc(h.all[vm], func(o *Residency) bool { return o.over(now) })
	if len(h.all[vm]) == 0 {
		delete(h.all, vm)
	}
}

// reportChanges reports changed hosts after all locks are released, because the callbacks read the history.
func (h *History) reportChanges() {
	h.mu.Lock()
	dirty := h.dirty
	h.dirty = nil
	h.mu.Unlock()
	for _, host := range dirty {
		h.Changed(host, h.Now())
	}
}

// Rewrite changes the settings of a host from now on.
func (h *History) Rewrite(host string, change func(*Host)) {
	defer h.reportChanges()
	h.mu.Lock()
	defer h.mu.Unlock()
	now, spans := h.Now(), h.spans[host]
	if len(spans) == 0 {
		return
	}
	old := spans[len(spans)-1]
	next := *old.settings
	change(&next)
	if reflect.DeepEqual(&next, old.settings) {
		return
	}
	for len(spans) > 1 && spans[1].from.Before(tooOld(now)) {
		spans = spans[1:]
	}
	h.spans[host] = append(slices.Clone(spans), hostSpan{now, &next})
	h.dirty = append(h.dirty, host)
}

// At returns a host's settings at the start of a slot, and the residencies there in order of arrival. For an unknown host it returns
// nil.
func (h *History) At(host string, slot int64) (*Host, []*Residency) {
	h.mu.Lock()
	defer h.mu.Unlock()
	spans := h.spans[host]
	if len(spans) == 0 {
		return nil, nil
	}
	settings := spans[0].settings
	for _, sp := range spans[1:] {
		if !SlotStart(slot).Before(sp.from) {
			settings = sp.settings
		}
	}
	return settings, h.listed(host, func(s *Residency) bool { return s.Covers(slot) })
}

// Running returns the current residencies on a host, in order of arrival.
func (h *History) Running(host string) []*Residency {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listed(host, func(s *Residency) bool { return s.To.IsZero() })
}

func (h *History) listed(host string, wanted func(*Residency) bool) (list []*Residency) {
	for _, one := range h.on[host] {
		if wanted(one) {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b *Residency) int { return a.Place - b.Place })
	return list
}

// OfVM returns copies of the VM's residencies, which do not change later.
func (h *History) OfVM(vm string) []*Residency {
	h.mu.Lock()
	defer h.mu.Unlock()
	var own []*Residency
	for _, one := range h.all[vm] {
		c := *one
		own = append(own, &c)
	}
	return own
}

// OnHost returns a host's current settings, and the time of its first sample.
func (h *History) OnHost(host string) (*Host, time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if spans := h.spans[host]; len(spans) > 0 {
		return spans[len(spans)-1].settings, h.began[host]
	}
	return nil, time.Time{}
}
