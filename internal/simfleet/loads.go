package simfleet

import (
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/perf"
)

// addLoads connects the load model to the simulator, and adds performance statistics.
func (b *builder) addLoads() error {
	b.observer = b.newObserver()
	b.loads = load.New(b.observer.history, b.cfg.Speed, b.cfg.Zone, b.cfg.Noise)
	b.loads.Lossless = b.cfg.Lossless
	b.observer.history.Changed = b.loads.Forget
	stock := get[*simulator.PerformanceManager](b, *b.model.ServiceContent.PerfManager)
	b.ctx.Map.Put(perf.NewManager(stock, b.cfg.Now, b.loads, b.site.name))
	if !b.site.standalone() {
		perf.LimitQueries(b.ctx.Map.OptionManager())
	}
	return nil
}

// poolsInOrder are the pools that users made. Each comes after the pool above it.
func (b *builder) poolsInOrder() (pools []*simulator.ResourcePool) {
	for _, row := range b.site.pools {
		pools = append(pools, b.pools[row.Cluster+"/"+row.Name])
	}
	return pools
}

// addServices adds each host's Esxtop service.
func (b *builder) addServices() error {
	b.kept = esxtopservice.Add(
		b.ctx.Map, *b.model.ServiceContent.ServiceManager, b.nodes(), b.site.standalone(), b.scene.isDown, b.loads, b.cfg.Now,
	)
	return nil
}
