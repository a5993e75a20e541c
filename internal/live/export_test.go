package live

import "slices"

// Names are the live metrics that there is a measure for, with their scopes.
func Names() []string {
	var names []string
	for _, m := range measures {
		names = append(names, string(m.scope)+" "+m.name)
	}
	slices.Sort(names)
	return names
}

// Columns are the ids of the metrics that a live metric is told from.
func Columns(name string) []string { return columns[name] }
