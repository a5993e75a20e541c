package simfleet

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Noise varies the load of a fleet as on real hosts.
type Noise = load.Noise

// SteadyNoise returns the noise of a host with steady work for a seed.
func SteadyNoise(seed uint64, phi float64) Noise { return load.SteadyNoise(seed, phi) }

// Lab is a copy of what the vCenter's hosts and VMs do, with a clock and noise of its own, for experiments by the thousand: no
// server is asked. It is safe for concurrent use.
type Lab struct {
	Loads *load.Model

	mu    sync.Mutex
	now   time.Time
	hosts []labHost
}

type labHost struct{ id, name, short string }

// Lab returns a copy of the fleet's current settings whose clock shows a time and is moved by Forward.
func (f *Fleet) Lab(noise Noise, begin time.Time) *Lab {
	b := f.vcenter().built
	l := &Lab{now: begin}
	history := b.loads.History.Copy(l.Now)
	l.Loads = load.New(history, b.cfg.Speed, b.cfg.Zone, noise)
	l.Loads.Lossless = b.cfg.Lossless
	history.Changed = l.Loads.Forget
	for _, e := range b.hostOrder {
		l.hosts = append(l.hosts, labHost{e.System.Self.Value, e.Row.Name, e.Row.Short()})
	}
	slices.SortStableFunc(l.hosts, func(a, b labHost) int { return strings.Compare(a.name, b.name) })
	return l
}

// Now returns the time of the lab's clock.
func (l *Lab) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Forward moves the clock.
func (l *Lab) Forward(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// Host returns the id of a host by its short or full name.
func (l *Lab) Host(name string) (string, error) {
	for _, h := range l.hosts {
		if h.name == name || h.short == name {
			return h.id, nil
		}
	}
	return "", &UnknownHostError{name}
}

// Set changes the settings of a host, or of its VMs, from now on.
func (l *Lab) Set(host string, change load.Change) {
	if change.Host != nil {
		l.Loads.History.Rewrite(host, change.Host)
	}
	if change.VM == nil {
		return
	}
	here := map[string]bool{}
	for _, s := range l.Loads.History.Running(host) {
		here[s.VM] = true
	}
	l.Loads.History.Revise(func(vm string, settings load.VM) *load.VM {
		if !here[vm] {
			return nil
		}
		next := settings
		if change.VM(&next); reflect.DeepEqual(next, settings) {
			return nil
		}
		return &next
	})
}

// Round returns the last samples of hosts, by id, as the PerformanceManager has them.
func (l *Lab) Round(hosts []string, objects esxtop.Objects) *esxtop.Round {
	slot := load.SlotOf(l.Now()) - 1
	r := &esxtop.Round{Time: load.SlotEnd(slot)}
	for _, h := range l.hosts {
		if !slices.Contains(hosts, h.id) {
			continue
		}
		if f := perf.Frame(l.Loads, h.id, h.name, slot, objects); f != nil {
			r.Frames = append(r.Frames, f)
		}
	}
	return r
}
