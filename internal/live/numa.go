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

	memoryOfNodes = []*esxtop.Metric{local, remote, homeNodes, granted}
)

// onNodes is for a figure on NUMA nodes. A host with one node has nothing to measure, although it may print 0 or 100
// percent.
func onNodes(m measure) measure {
	read := m.read
	m.needs = append([]esxtop.Object{esxtop.Node}, m.needs...)
	m.numa = true
	m.read = func(s *subject) (float64, presence) {
		if len(s.frame.Rows(esxtop.Node)) == 1 {
			return 0, notMeasured
		}
		return read(s)
	}
	return m
}

// ofGroups are the objects with a VM's figures.
var ofGroups = []esxtop.Object{esxtop.Group}

// ofNodes returns the measure of a VM's memory on its home nodes.
func ofNodes() []measure {
	return []measure{onNodes(measure{scope: inventory.ScopeVM, name: "numa.local", needs: ofGroups, reads: memoryOfNodes, read: localMemory})}
}

// localMemory returns the ratio of a VM's memory on its home nodes. A host prints 0 for a VM that has not touched any.
func localMemory(s *subject) (float64, presence) {
	if s.row == nil {
		return 0, notReported
	}
	v, ok := s.row.Value(local)
	_, far := s.row.Value(remote)
	memory, known := s.row.Value(granted)
	switch {
	case !ok && !far:
		return 0, notReported
	case !ok, known && memory == 0, v == 0 && !severalNodes(s.frame):
		return 0, notMeasured
	}
	return v, figure
}

// severalNodes reports whether a host certainly has more than one NUMA node, so that 0 percent is a figure: it lists
// them, or a VM is at home on another than the first or has remote memory.
func severalNodes(f *esxtop.Frame) bool {
	const onlyFirst = 1
	return len(f.Rows(esxtop.Node)) > 1 || slices.ContainsFunc(f.Rows(esxtop.Group), func(r esxtop.Row) bool {
		home, _ := r.Value(homeNodes)
		far, _ := r.Value(remote)
		return far > 0 || home > onlyFirst
	})
}
