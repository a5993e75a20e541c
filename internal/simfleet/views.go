package simfleet

import (
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/perf"
)

// addLoads has the load model follow what the simulator holds, and shows it as performance statistics.
func (b *builder) addLoads() error {
	b.observer = newObserver(b)
	b.loads = load.New(b.observer.history, b.cfg.Speed, b.cfg.Zone)
	b.observer.history.Changed = b.loads.Forget
	stock := get[*simulator.PerformanceManager](b, *b.model.ServiceContent.PerfManager)
	b.ctx.Map.Put(perf.NewManager(stock, b.cfg.Now, b.loads, b.site.name))
	if !b.site.standalone() {
		perf.LimitQueries(b.ctx.Map.OptionManager())
	}
	return nil
}
