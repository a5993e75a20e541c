package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Reads reports whether a live counter is computed from a metric of esxtop.
func Reads(name string, m *esxtop.Metric) bool { return slices.Contains(m.Live, name) }

// ofCatalogue returns the measures that the catalogue defines.
func ofCatalogue(metrics []*esxtop.Metric) (list []measure) {
	for _, m := range metrics {
		for i := range m.Facts {
			f := &m.Facts[i]
			one := measure{scope: inventory.Scope(f.Scope), name: f.Name, needs: needsOf(f), reads: []*esxtop.Metric{m, f.By, f.Else}, read: reading(m, f)}
			if f.OnNodes {
				one = onNodes(one)
			}
			list = append(list, one)
		}
	}
	return list
}

// ofVDisks are the rows needed to find a virtual disk. The row of a VM's group has its number of vCPUs, so its worlds,
// which are most of the rows, are not needed.
var ofVDisks = []esxtop.Object{esxtop.Group, esxtop.DiskVM, esxtop.VDisk}

// needsOf returns the objects whose rows have a fact's value.
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

// reading returns a function that reads a fact from the rows of an object.
func reading(m *esxtop.Metric, f *esxtop.Fact) func(*subject) (float64, presence) {
	switch {
	case f.As == esxtop.FactSum:
		return sumOfDevices(m)
	case f.As == esxtop.FactWorst:
		return worstDevice(m, f.By)
	case f.By != nil:
		return func(s *subject) (float64, presence) { return inUse(s.row, m, f.By) }
	}
	host := inventory.Scope(f.Scope) == inventory.ScopeHost
	return func(s *subject) (float64, presence) {
		row := s.row
		if rows := s.frame.Rows(esxtop.Host); host && len(rows) > 0 {
			row = &rows[0]
		}
		if row == nil {
			return 0, notReported
		}
		if v, ok := figureOf(row, m, f.As); ok {
			return v, figure
		}
		if f.Else != nil {
			if v, ok := row.Value(f.Else); ok {
				return v, figure
			}
		}
		return 0, notReported
	}
}

// figureOf returns a figure of a row. Per vCPU, it is missing if the number of vCPUs is unknown.
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
