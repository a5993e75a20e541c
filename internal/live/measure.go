package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// measure is how one live metric is read off a frame.
type measure struct {
	scope inventory.Scope
	name  string
	needs []esxtop.Object
	read  func(*subject) (float64, telling)
	numa  bool // of NUMA nodes
	below bool // the lowest is the worst; inventory says so
}
