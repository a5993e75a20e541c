package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// measure reads one live metric from a frame.
type measure struct {
	scope inventory.Scope
	name  string
	needs []esxtop.Object
	reads []*esxtop.Metric // in rows of the needed objects
	read  func(*subject) (float64, presence)
	numa  bool // of NUMA nodes
	below bool // the lowest value is the worst, as defined in inventory
}
