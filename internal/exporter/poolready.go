package exporter

import (
	"maps"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// addPoolReady adds the newest samples of VMs to the sums of their pools.
func (t *Target) addPoolReady(here present) {
	if !t.modules[module.Pool] || !t.objects.Has(esxtop.Group) {
		return
	}
	vms := map[string]bool{}
	for list := range maps.Values(here.vms) {
		for i := range list {
			vms[list[i].MoID] = true
		}
	}
	t.ready.Add(func(each func(exposition.Family, exposition.Labels, float64, time.Time)) {
		t.ledger.Walk(esxtop.ObjectsOf(esxtop.Group), each)
	}, t.serverNow(), func(vm string) bool { return vms[vm] })
}

// writePoolReady writes the sums of pools.
func (t *Target) writePoolReady(w *exposition.Writer, modules []module.Name, now time.Time) {
	if slices.Contains(modules, module.Pool) {
		t.ready.Write(w, now, t.config.Stale)
	}
}
