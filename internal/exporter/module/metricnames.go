package module

import (
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// ServerPrefix is the prefix of the metrics of servers. Those of the collection and of rules have another one.
const ServerPrefix = "esxi_"

// MetricNames lists the names of all metrics of all modules, except those of the collection.
func MetricNames() (names []string) {
	for o := range esxtop.NumObjects {
		for _, m := range esxtop.MetricsOf(o) {
			if name := m.PrometheusName(o); name != "" {
				names = append(names, name)
			}
		}
	}
	exposition.Record(func(w *exposition.Writer) {
		w.Only(func(name string) bool {
			names = append(names, name)
			return false
		})
		new(Inventory).Write(w, nil, nil, func(string) []source.VM { return nil }, nil)
		for _, m := range All {
			if s, is := Survey(m, nil); is {
				s.Write(w, &inventory.VCenter{})
			}
		}
		new(PoolReady).Write(w, time.Time{}, 0)
	})
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return !strings.HasPrefix(name, ServerPrefix) })
}
