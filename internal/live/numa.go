package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

var (
	local     = metric("numa.local")
	remote    = metric("numa.remote")
	homeNodes = metric("numa.homeNodes")
	granted   = metric("mem.granted")
)

// onNodes is a figure on NUMA nodes. Of a host that has one there is nothing to measure, though it may print 0 or 100 percent.
func onNodes(m measure) measure {
	read := m.read
	m.needs = append([]esxtop.Object{esxtop.Node}, m.needs...)
	m.numa = true
	m.read = func(s *subject) (float64, telling) {
		if len(s.frame.Rows(esxtop.Node)) == 1 {
			return 0, nothing
		}
		return read(s)
	}
	return m
}

// ofGroups are what a VM's figures come from.
var ofGroups = []esxtop.Object{esxtop.Group}

// ofNodes is the measure of a VM's memory on its home nodes.
func ofNodes() []measure {
	return []measure{onNodes(measure{scope: inventory.ScopeVM, name: "numa.local", needs: ofGroups, read: localMemory})}
}

// localMemory is how much of a VM's memory is near. A host prints 0 for a VM that has touched none.
func localMemory(s *subject) (float64, telling) {
	if s.row == nil {
		return 0, untold
	}
	v, ok := s.row.Value(local)
	_, far := s.row.Value(remote)
	memory, known := s.row.Value(granted)
	switch {
	case !ok && !far:
		return 0, untold
	case !ok, known && memory == 0, v == 0 && !severalNodes(s.frame):
		return 0, nothing
	}
	return v, figure
}

// severalNodes reports whether there is proof that a host has more than one NUMA node, so that 0 percent is a figure: it lists
// them, or a VM is at home on another than the first or has memory that is far.
func severalNodes(f *esxtop.Frame) bool {
	const onlyFirst = 1
	return len(f.Rows(esxtop.Node)) > 1 || slices.ContainsFunc(f.Rows(esxtop.Group), func(r esxtop.Row) bool {
		home, _ := r.Value(homeNodes)
		far, _ := r.Value(remote)
		return far > 0 || home > onlyFirst
	})
}
