package simfleet

import (
	"maps"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/guard"
	"github.com/vperf/vperf/internal/simfleet/overrides"
	"github.com/vperf/vperf/internal/simfleet/perf"
)

// dispatcher sees every SOAP call before the simulator does: it counts it, refuses it, or redirects it to an object of the fleet.
type dispatcher struct {
	calls     *callCounter
	timetable *timetable
	ours      *overrides.Service
	divert    map[string]types.ManagedObjectReference // by type.method
	hosts     map[types.ManagedObjectReference]*esxi.Host
	scene     scene
	denied    overrides.Denial
	quick     *perf.QuickStats
	cli       *esxcli.Service
	locked    bool // refuses all logins
	slowBy    time.Duration
	hooks     Config
	alone     *esxi.Host      // the host that is the server; nil on a vCenter
	gone      <-chan struct{} // closed with the fleet
	guard.PanicGuard
}

// callCounter counts calls by method name.
type callCounter struct {
	mu sync.Mutex
	n  map[string]int
}

func newCallCounter() *callCounter { return &callCounter{n: map[string]int{}} }

func (c *callCounter) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[name]++
}

func (c *callCounter) all() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.n)
}
