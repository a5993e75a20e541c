package load

import (
	"math"
	"slices"
	"time"
)

// blend is what is in effect while changes of settings settle: the settings and their weights, which add up to 1. The last are the
// settings in force; without a recent change they are the only ones.
type blend[T any] []weighted[T]

type weighted[T any] struct {
	settings *T
	weight   float64
}

// of returns the weighted mean of a value of the settings.
func (b blend[T]) of(value func(*T) float64) float64 {
	if len(b) == 1 {
		return value(b[0].settings)
	}
	var sum float64
	for _, w := range b {
		sum += w.weight * value(w.settings)
	}
	return sum
}

func (b blend[T]) now() *T { return b[len(b)-1].settings }

// settled returns a blend of one.
func settled[T any](settings *T) blend[T] { return blend[T]{{settings, 1}} }

// settledAfter is the number of time constants after which a change has settled: what is missing is a hundredth of a percent.
const settledAfter = 9

// course is how settings followed one another, oldest first. Each was in force until the next began; the first, since ever.
type course[T any] []begun[T]

type begun[T any] struct {
	from     time.Time
	settings *T
}

// during returns what is in effect in a slot, on average. The effect approaches the settings in force exponentially.
func (c course[T]) during(slot int64, settle time.Duration) blend[T] {
	last := len(c) - 1
	if settle <= 0 || last <= 0 {
		return settled(c[last].settings)
	}
	begin := SlotStart(slot)
	// past returns the effect, on average over the slot, that is left of what was in force before the nth settings.
	past := func(n int) float64 {
		if n == 0 {
			return 0
		}
		if n > last {
			return 1
		}
		long := float64(SlotSeconds) / settle.Seconds()
		return math.Exp(-begin.Sub(c[n].from).Seconds()/settle.Seconds()) * (1 - math.Exp(-long)) / long
	}
	var b blend[T]
	left := 1.0
	for n := range c {
		weight := past(n+1) - past(n)
		if n < last && begin.Sub(c[n+1].from) > settledAfter*settle {
			continue
		}
		if n == last {
			weight = left
		}
		left -= weight
		b = append(b, weighted[T]{c[n].settings, weight})
	}
	return b
}

// scene is what runs on a host in a slot, and the settings that are in effect.
type scene struct {
	hosts       blend[Host]
	residencies []*Residency // in order of arrival
	vms         []blend[VM]
}

// scene returns the settings of a host and of its VMs in a slot. For an unknown host it is empty.
func (h *History) scene(host string, slot int64, settle time.Duration) (in scene) {
	settings, residencies := h.At(host, slot)
	if settings == nil {
		return in
	}
	in.residencies = residencies
	h.mu.Lock()
	defer h.mu.Unlock()
	var hosts course[Host]
	for _, sp := range h.spans[host] {
		if SlotStart(slot).Before(sp.from) {
			break
		}
		hosts = append(hosts, begun[Host](sp))
	}
	hosts = slices.DeleteFunc(hosts, func(b begun[Host]) bool {
		return len(b.settings.PNICs) != len(settings.PNICs) || len(b.settings.Devices) != len(settings.Devices)
	})
	in.hosts = hosts.during(slot, settle)
	for _, s := range residencies {
		in.vms = append(in.vms, h.courseOf(s).during(slot, settle))
	}
	return in
}

// courseOf returns the settings of a VM since it came to the host, up to those of a residency.
func (h *History) courseOf(s *Residency) (vm course[VM]) {
	for _, one := range h.all[s.VM] {
		same := one.Place == s.Place && len(one.Settings.Disks) == len(s.Settings.Disks)
		if same && !one.from.After(s.from) {
			vm = append(vm, begun[VM]{one.from, one.Settings})
		}
	}
	if len(vm) == 0 || vm[len(vm)-1].settings != s.Settings {
		vm = append(vm, begun[VM]{s.from, s.Settings})
	}
	return vm
}
