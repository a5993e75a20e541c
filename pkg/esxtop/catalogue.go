package esxtop

import "slices"

// metrics holds every metric once, and what leads to it.
type metrics struct {
	list []*Metric
	byID map[string]*Metric
	of   [objects][]*Metric // in the catalogue's order; a row keeps its values in this order

	means, follow, notZero [objects][]*Metric // those of them that are means, reckoned from others, and none where they are 0
}

var catalogue = assemble(hostMetrics, cpuMetrics, memoryMetrics, diskMetrics, netMetrics, perfMetrics)

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
	c.join()
	return c
}

// join finds what metrics name.
func (c *metrics) join() {
	for _, m := range c.list {
		m.counts = c.byID[m.per]
		for _, id := range m.Formula.of {
			m.of = append(m.of, c.byID[id])
		}
		for _, o := range m.Objects {
			if m.Kind == Mean {
				c.means[o] = append(c.means[o], m)
			}
			if m.of != nil {
				c.follow[o] = append(c.follow[o], m)
			}
			if m.zeroIsNone {
				c.notZero[o] = append(c.notZero[o], m)
			}
		}
	}
}

// Catalogue lists every metric. Nobody changes one.
func Catalogue() []*Metric { return slices.Clone(catalogue.list) }

// Lookup finds a metric by its id; nil where there is none.
func Lookup(id string) *Metric { return catalogue.byID[id] }

// MetricsOf lists the metrics of an object.
func MetricsOf(o Object) []*Metric { return slices.Clone(catalogue.of[o]) }
