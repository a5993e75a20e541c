package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Names returns the live metrics that have a measure, with their scopes.
func Names() []string {
	var names []string
	for _, m := range measures {
		names = append(names, string(m.scope)+" "+m.name)
	}
	slices.Sort(names)
	return names
}

// Columns returns the ids of the metrics that a live metric is computed from.
func Columns(name string) (ids []string) {
	for _, m := range esxtop.Catalogue() {
		if Reads(name, m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
