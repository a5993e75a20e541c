package hotspot

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// watched are the objects that users know by name. Worlds, paths, partitions and adapters show the same problems as
// their VM or their device.
var watched = []esxtop.Object{
	esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.Device, esxtop.NFS, esxtop.VDisk, esxtop.Port,
}

// column is a metric of an object, with the data to evaluate it.
type column struct {
	metric *esxtop.Metric
	needs  *esxtop.Metric // has to be at least atLeast; nil: no condition
	least  float64
}

// columns are the columns by object, in the catalogue's order.
var columns = columnsOf(esxtop.Catalogue())

func columnsOf(catalogue []*esxtop.Metric) map[esxtop.Object][]column {
	of := map[esxtop.Object][]column{}
	for _, m := range catalogue {
		if m.Threshold == nil || shownElsewhere(m) {
			continue
		}
		for _, o := range m.Objects {
			if slices.Contains(watched, o) {
				of[o] = append(of[o], newColumn(m))
			}
		}
	}
	return of
}

func newColumn(m *esxtop.Metric) column {
	c := column{metric: m, needs: esxtop.Lookup(m.Threshold.Needs), least: m.Threshold.AtLeast}
	if m.ID == "disk.failedCommands" {
		// An empty CD-ROM drive fails every command that asks whether there is a disc in it.
		c.needs, c.least = esxtop.Lookup("disk.commands"), esxtop.Lookup("disk.deviceLatency").Threshold.AtLeast
	}
	return c
}

// shownElsewhere reports whether another metric shows the same: for one vCPU instead of all, or for the last minute instead of a
// longer time.
func shownElsewhere(m *esxtop.Metric) bool {
	if esxtop.Lookup(m.ID+"PerVCPU") != nil {
		return true
	}
	for _, minutes := range []string{"15", "5"} {
		if one, ok := strings.CutSuffix(m.ID, minutes); ok {
			return esxtop.Lookup(one+"1") != nil
		}
	}
	return false
}

// judged returns the figure to compare with the threshold. It returns false if the figure is not meaningful: for the
// host's own worlds, and for latencies of very few commands.
func (c *column) judged(r *esxtop.Row) (float64, bool) {
	v, ok := c.metric.Judged(r)
	if !ok || r.Object == esxtop.Group && !r.VM {
		return 0, false
	}
	if c.needs != nil {
		if n, ok := r.Value(c.needs); !ok || n < c.least {
			return 0, false
		}
	}
	return v, true
}

// AddFigures adds the figures of these objects that spots are computed from.
func AddFigures(to *esxtop.MetricSet, of esxtop.Objects) {
	for _, o := range watched {
		if !of.Has(o) {
			continue
		}
		for _, c := range columns[o] {
			to.AddInputs(o, c.metric)
			to.AddInputs(o, c.needs)
		}
	}
}

// Needs returns the objects whose rows are watched, and the needed metrics.
func Needs() (esxtop.Objects, []string) {
	var ids []string
	for _, o := range watched {
		for _, c := range columns[o] {
			ids = append(ids, c.metric.ID)
			if c.needs != nil {
				ids = append(ids, c.needs.ID)
			}
		}
	}
	slices.Sort(ids)
	return esxtop.ObjectsOf(watched...), slices.Compact(ids)
}
