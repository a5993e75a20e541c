package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Names are the live metrics that there is a measure for, with their scopes.
func Names() []string {
	var names []string
	for _, m := range measures {
		names = append(names, string(m.scope)+" "+m.name)
	}
	slices.Sort(names)
	return names
}

// Columns are the ids of the metrics that a live metric is made of.
func Columns(name string) (ids []string) {
	for _, m := range esxtop.Catalogue() {
		if Reads(name, m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
