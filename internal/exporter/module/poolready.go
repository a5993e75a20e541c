package module

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// PoolReady sums the ready time of VMs by resource pool. It adds what a VM's own sum has grown by, so that a sample counts
// once, and a VM that leaves a pool takes nothing with it.
type PoolReady struct {
	mu     sync.Mutex
	pools  []*inventory.Pool    // that are shown; nil: there was no survey
	above  map[string][]string  // the pools that a VM is in, by the ids of the VM and of the pools
	counts map[string]float64   // the part of a VM's sum that is in those of its pools
	sums   map[string]poolTotal // by the pool's id
	newest map[string]time.Time // of the sample that is in them, by the VM's id
}

// poolTotal is a pool's sum; at is when its newest sample came.
type poolTotal struct {
	seconds float64
	at      time.Time
}

// PoolReadyName is the name of the metric of the ready time of pools.
const PoolReadyName = "esxi_resource_pool_cpu_ready_seconds_total"

// ReadyName is the metric of the ready time of VMs.
var ReadyName = esxtop.Lookup("cpu.ready").PrometheusName(esxtop.Group)

// Survey takes the pools of VMs from a survey. The ready time of VMs whose pool is not known yet is added when it is.
func (p *PoolReady) Survey(v *inventory.VCenter) {
	pools, above := usersPools(v), map[string][]string{}
	parents := map[string]string{}
	for _, pool := range pools {
		parents[pool.ID] = text(pool.ParentID)
	}
	for _, vm := range v.VMs {
		id, known := vm.PoolID.Value()
		if !known {
			continue
		}
		above[vm.ID] = []string{}
		for range pools { // a bound, for a server that reports a cycle
			parent, shown := parents[id]
			if !shown {
				break
			}
			above[vm.ID] = append(above[vm.ID], id)
			id = parent
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pools, p.above = pools, above
	maps.DeleteFunc(p.sums, func(id string, _ poolTotal) bool { _, there := parents[id]; return !there })
}

// Add takes the growth of the sums of VMs. walk calls its argument with each of their series; exists reports whether a VM
// is still exported.
func (p *PoolReady) Add(walk func(each func(exposition.Family, exposition.Labels, float64, time.Time)), now time.Time, exists func(vm string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts == nil {
		p.counts, p.sums = map[string]float64{}, map[string]poolTotal{}
	}
	if p.newest == nil {
		p.newest = map[string]time.Time{}
	}
	walk(func(f exposition.Family, labels exposition.Labels, v float64, at time.Time) {
		if f.Name == ReadyName {
			p.count(moidOf(labels), v, at, now)
		}
	})
	maps.DeleteFunc(p.counts, func(vm string, _ float64) bool { return !exists(vm) })
	maps.DeleteFunc(p.newest, func(vm string, _ time.Time) bool { return !exists(vm) })
}

// count adds the growth of a VM's sum. A smaller sum than before is that of a VM that was removed and is back.
func (p *PoolReady) count(vm string, sum float64, at, now time.Time) {
	pools, known := p.above[vm]
	if !known {
		return
	}
	grown := sum - p.counts[vm]
	if grown < 0 {
		grown = sum
	}
	p.counts[vm] = sum
	isNew := !at.Equal(p.newest[vm])
	p.newest[vm] = at
	for _, id := range pools {
		t := p.sums[id]
		t.seconds += grown
		if isNew || t.at.IsZero() {
			t.at = now
		}
		p.sums[id] = t
	}
}

// Write writes the sums of pools that have samples that are not stale.
func (p *PoolReady) Write(w *exposition.Writer, now time.Time, stale time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Family(exposition.Family{
		Name: PoolReadyName, Kind: exposition.Counter,
		Help: "Ready time of the exported VMs in the pool, and in pools below it, while they were in it (sum of " + ReadyName + ").",
	})
	for _, pool := range p.pools {
		if t, there := p.sums[pool.ID]; there && now.Before(t.at.Add(stale)) {
			w.Sample(poolLabels(pool), t.seconds)
		}
	}
}

// moidOf returns the value of the label moid; ids have no characters that are escaped.
func moidOf(labels exposition.Labels) string {
	_, rest, _ := strings.Cut(string(labels), `moid="`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// PoolSums are the sums of pools, and how far those of VMs are in them, for a later process.
type PoolSums struct {
	Counts  map[string]float64
	Seconds map[string]float64
	Newest  map[string]time.Time
}

// Sums returns the present sums.
func (p *PoolReady) Sums() PoolSums {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := PoolSums{maps.Clone(p.counts), map[string]float64{}, map[string]time.Time{}}
	for id, t := range p.sums {
		s.Seconds[id], s.Newest[id] = t.seconds, t.at
	}
	return s
}

// Resume continues with the sums of an earlier process.
func (p *PoolReady) Resume(s PoolSums) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts, p.sums = map[string]float64{}, map[string]poolTotal{}
	maps.Copy(p.counts, s.Counts)
	for id, seconds := range s.Seconds {
		p.sums[id] = poolTotal{seconds, s.Newest[id]}
	}
}
