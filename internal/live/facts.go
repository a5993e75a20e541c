package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Reads reports whether a live counter is made of a metric of esxtop: who looks at one of them wants to know which rules do, too.
func Reads(name string, m *esxtop.Metric) bool { return slices.Contains(m.Live, name) }

// ofCatalogue are the measures that the catalogue says how to read.
func ofCatalogue(metrics []*esxtop.Metric) (list []measure) {
	for _, m := range metrics {
		for i := range m.Facts {
			f := &m.Facts[i]
			one := measure{scope: inventory.Scope(f.Scope), name: f.Name, needs: needsOf(f), read: reading(m, f)}
			if f.OnNodes {
				one = onNodes(one)
			}
			list = append(list, one)
		}
	}
	return list
}

// ofVDisks are the rows that a virtual disk is found by. The row of a VM's group says how many vCPUs it has: its worlds, which are
// most of what there is, need not be read.
var ofVDisks = []esxtop.Object{esxtop.Group, esxtop.DiskVM, esxtop.VDisk}

// needsOf are the objects whose rows a fact is read off.
func needsOf(f *esxtop.Fact) []esxtop.Object {
	switch inventory.Scope(f.Scope) {
	case inventory.ScopeVM:
		return ofGroups
	case inventory.ScopeVDisk:
		return ofVDisks
	case inventory.ScopeLUN:
		return onlyDevices
	}
	if f.As == esxtop.FactSum || f.As == esxtop.FactWorst {
		return onlyDevices
	}
	return append([]esxtop.Object{esxtop.Host}, f.With...)
}

// reading is how a fact is read off the rows of an object.
func reading(m *esxtop.Metric, f *esxtop.Fact) func(*subject) (float64, telling) {
	switch {
	case f.As == esxtop.FactSum:
		return sumOfDevices(m)
	case f.As == esxtop.FactWorst:
		return worstDevice(m, f.By)
	case f.By != nil:
		return func(s *subject) (float64, telling) { return inUse(s.row, m, f.By) }
	}
	host := inventory.Scope(f.Scope) == inventory.ScopeHost
	return func(s *subject) (float64, telling) {
		row := s.row
		if rows := s.frame.Rows(esxtop.Host); host && len(rows) > 0 {
			row = &rows[0]
		}
		if row == nil {
			return 0, untold
		}
		if v, ok := figureOf(row, m, f.As); ok {
			return v, figure
		}
		if f.Else != nil {
			if v, ok := row.Value(f.Else); ok {
				return v, figure
			}
		}
		return 0, untold
	}
}

// figureOf is a figure of a row. There is none by vCPU where nobody knows how many there are.
func figureOf(row *esxtop.Row, m *esxtop.Metric, as esxtop.FactWay) (float64, bool) {
	v, ok := row.Value(m)
	switch {
	case as == esxtop.FactInKB:
		return v * kbOfMB, ok
	case as != esxtop.FactPerVCPU:
		return v, ok
	case row.VCPUs == 0:
		return 0, false
	}
	return v / float64(row.VCPUs), ok
}
