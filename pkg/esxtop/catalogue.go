package esxtop

import "slices"

// catalogue holds every metric once, and what leads to it.
type metrics struct {
	list []*Metric
	byID map[string]*Metric
	of   [objects][]*Metric // in the catalogue's order; a row keeps its values in this order
}

var catalogue = assemble(hostMetrics, cpuMetrics, memoryMetrics, diskMetrics, netMetrics)

func assemble(chapters ...[]Metric) *metrics {
	c := &metrics{byID: map[string]*Metric{}}
	for _, chapter := range chapters {
		for i := range chapter {
			m := &chapter[i]
			w := words[m.ID]
			m.About, m.Threshold = w.about, thresholds[m.ID]
			m.Prometheus = prometheus(m, w.stem)
			c.list = append(c.list, m)
			c.byID[m.ID] = m
			for _, o := range m.Objects {
				c.of[o] = append(c.of[o], m)
				m.slot[o] = len(c.of[o])
			}
		}
	}
	return c
}

// Catalogue lists every metric. Nobody changes one.
func Catalogue() []*Metric { return slices.Clone(catalogue.list) }

// Lookup finds a metric by its id; nil where there is none.
func Lookup(id string) *Metric { return catalogue.byID[id] }

// MetricsOf lists the metrics of an object.
func MetricsOf(o Object) []*Metric { return slices.Clone(catalogue.of[o]) }
