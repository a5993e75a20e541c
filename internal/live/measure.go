package live

import (
	"slices"

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

// telling says what a frame tells of a metric.
type telling int

const (
	untold  telling = iota // the source does not have it
	nothing                // there was nothing to measure
	figure
)

// measures has one entry for each of inventory.LiveMetrics; a test keeps it so.
var measures = assemble(
	ofCatalogue(esxtop.Catalogue()), ofHosts(), ofNodes(),
	ofTraffic(inventory.ScopeVM, append([]esxtop.Object{esxtop.Port}, ofGroups...)...),
	ofTraffic(inventory.ScopeHost, esxtop.Port),
	ofTraffic(inventory.ScopePNIC, esxtop.Port),
)

func assemble(parts ...[]measure) []measure {
	all := slices.Concat(parts...)
	for i := range all {
		m, _ := inventory.LookupLive(all[i].scope, all[i].name)
		all[i].below = m.Below
	}
	return all
}

// metric is one of the catalogue. An id that is not there is a mistake of this package's, which any test finds.
func metric(id string) *esxtop.Metric {
	m := esxtop.Lookup(id)
	if m == nil {
		panic("live: the catalogue has no metric " + id)
	}
	return m
}
