package simfleet

import (
	"reflect"
	"slices"
	"sync"
	"time"
)

// stay is a time that a VM ran on one host with the same settings. What is written later begins another, so that what was
// measured before stays as it was.
type stay struct {
	vm, host string
	mhz      int64 // of the host
	settings *vmSettings
	does     *profile
	stream   stream
	place    int       // which one on the endpoint it was to begin to run; later stays on the same host keep it
	since    time.Time // it began to run there
	from, to time.Time // zero is before the fleet, and not over yet
}

// newStay begins when a VM runs with settings that it did not have before.
func newStay(site, vm, host string, mhz int64, settings *vmSettings, from time.Time) stay {
	return stay{
		vm: vm, host: host, mhz: mhz, settings: settings, does: profileOf(settings.name), stream: newStream(site, vm), since: from, from: from,
	}
}

// covers reports whether the VM was there with these settings when the slot began.
func (s *stay) covers(slot int64) bool {
	at := slotStart(slot)
	return !at.Before(s.from) && (s.to.IsZero() || at.Before(s.to))
}

// kept is for how long there are samples. A vCenter keeps its historical ones longer.
const kept = time.Hour

// tooOld is the moment of which nobody can ask any more.
func tooOld(now time.Time) time.Time { return now.Add(-kept - time.Minute) }

// over is a stay that ended before there are samples.
func (s *stay) over(now time.Time) bool { return !s.to.IsZero() && s.to.Before(tooOld(now)) }

// hostSpan is a time that a host had the same settings, up to the next.
type hostSpan struct {
	from     time.Time
	settings *hostSettings
}

// history is where VMs ran and run, and with which settings. Hosts and VMs go by their ids.
type history struct {
	now     func() time.Time
	changed func(host string, at time.Time) // tells whoever has worked something out

	mu     sync.Mutex
	dirty  []string // hosts whose last change nobody was told of yet
	places int
	open   map[string]*stay   // by VM
	all    map[string][]*stay // by VM, the open one last
	on     map[string][]*stay // by host, as they came
	spans  map[string][]hostSpan
	began  map[string]time.Time
}

func newHistory(now func() time.Time) *history {
	return &history{
		now: now, changed: func(string, time.Time) {}, open: map[string]*stay{}, all: map[string][]*stay{}, on: map[string][]*stay{},
		spans: map[string][]hostSpan{}, began: map[string]time.Time{},
	}
}

// addHost begins with the settings that a host has from the start.
func (h *history) addHost(host string, settings *hostSettings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spans[host] = []hostSpan{{settings: settings}}
}

// runs begins a stay, unless the VM runs there with these settings already.
func (h *history) runs(next stay) {
	defer h.tell()
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.open[next.vm]
	if old != nil && old.host == next.host {
		if reflect.DeepEqual(old.settings, next.settings) {
			return
		}
		next.since, next.place = old.since, old.place
	} else {
		next.place = h.places
		h.places++
	}
	h.end(next.vm, next.from)
	h.begin(&next)
}

// stops ends the stay of a VM that does not run any more.
func (h *history) stops(vm string) {
	defer h.tell()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end(vm, h.now())
}

// revise has VMs that run go on with what a function makes of their settings; nil leaves a VM as it is.
func (h *history) revise(change func(vm string, settings vmSettings) *vmSettings) {
	defer h.tell()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	for vm, old := range h.open {
		if settings := change(vm, *old.settings); settings != nil {
			next := *old
			next.settings, next.from = settings, now
			h.end(vm, now)
			h.begin(&next)
		}
	}
}

// restart begins the series of a host and of its VMs anew.
func (h *history) restart(host string) {
	defer h.tell()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	h.began[host] = now
	h.dirty = append(h.dirty, host)
	for _, old := range slices.Clone(h.on[host]) {
		if old.to.IsZero() {
			next := *old
			next.from, next.since, next.place = now, now, h.places
			h.places++
			h.end(old.vm, now)
			h.begin(&next)
		}
	}
}

func (h *history) begin(next *stay) {
	h.open[next.vm] = next
	h.all[next.vm] = append(h.all[next.vm], next)
	h.on[next.host] = append(h.on[next.host], next)
	h.dirty = append(h.dirty, next.host)
}

// end also forgets what is too long ago to be asked for.
func (h *history) end(vm string, now time.Time) {
	old := h.open[vm]
	if old != nil {
		old.to = now
		delete(h.open, vm)
		h.on[old.host] = slices.DeleteFunc(h.on[old.host], func(o *stay) bool { return o.over(now) })
		h.dirty = append(h.dirty, old.host)
	}
	h.all[vm] = slices.DeleteFunc(h.all[vm], func(o *stay) bool { return o.over(now) })
	if len(h.all[vm]) == 0 {
		delete(h.all, vm)
	}
}

// tell lets others know of hosts that changed, when nothing is locked: they ask back.
func (h *history) tell() {
	h.mu.Lock()
	dirty := h.dirty
	h.dirty = nil
	h.mu.Unlock()
	for _, host := range dirty {
		h.changed(host, h.now())
	}
}

// rewrite has a host go on with other settings.
func (h *history) rewrite(host string, change func(*hostSettings)) {
	defer h.tell()
	h.mu.Lock()
	defer h.mu.Unlock()
	now, spans := h.now(), h.spans[host]
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

// at is a host's settings when a slot began, and what ran there, as it came. Without the host it is nil.
func (h *history) at(host string, slot int64) (*hostSettings, []*stay) {
	h.mu.Lock()
	defer h.mu.Unlock()
	spans := h.spans[host]
	if len(spans) == 0 {
		return nil, nil
	}
	settings := spans[0].settings
	for _, sp := range spans[1:] {
		if !slotStart(slot).Before(sp.from) {
			settings = sp.settings
		}
	}
	return settings, h.listed(host, func(s *stay) bool { return s.covers(slot) })
}

// running is what runs on a host now, as it came.
func (h *history) running(host string) []*stay {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listed(host, func(s *stay) bool { return s.to.IsZero() })
}

func (h *history) listed(host string, wanted func(*stay) bool) (list []*stay) {
	for _, one := range h.on[host] {
		if wanted(one) {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b *stay) int { return a.place - b.place })
	return list
}

// ofVM is copies of the VM's stays, so that none ends while it is read.
func (h *history) ofVM(vm string) []*stay {
	h.mu.Lock()
	defer h.mu.Unlock()
	var own []*stay
	for _, one := range h.all[vm] {
		c := *one
		own = append(own, &c)
	}
	return own
}

// onHost is a host's settings now, and since when it has samples.
func (h *history) onHost(host string) (*hostSettings, time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if spans := h.spans[host]; len(spans) > 0 {
		return spans[len(spans)-1].settings, h.began[host]
	}
	return nil, time.Time{}
}
