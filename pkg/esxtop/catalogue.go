package esxtop

import "slices"

// metrics holds every metric once, with indexes.
type metrics struct {
	list   []*Metric
	byID   map[string]*Metric
	of     [objects][]*Metric // in the catalogue's order; a row keeps its values in this order
	panels []*Panel

	means, follow, notZero [objects][]*Metric // metrics that are means, that are derived from others, and that are missing if they are 0
	link                   []*Metric          // of the physical NIC behind a port
}

var catalogue = mustLoad()

// Catalogue lists every metric. Metrics are immutable.
func Catalogue() []*Metric { return slices.Clone(catalogue.list) }

// Lookup finds a metric by its id; nil if there is none.
func Lookup(id string) *Metric { return catalogue.byID[id] }

// MetricsOf lists the metrics of an object.
func MetricsOf(o Object) []*Metric { return slices.Clone(catalogue.of[o]) }

// Panels lists the screens in the order of esxtop's configuration file. Panels are immutable.
func Panels() []*Panel { return slices.Clone(catalogue.panels) }

// PanelOf finds a panel by its key; nil if there is none.
func PanelOf(key byte) *Panel {
	return catalogue.panel(key)
}

func (c *metrics) panel(key byte) *Panel {
	if i := slices.IndexFunc(c.panels, func(p *Panel) bool { return p.Key == key }); i >= 0 {
		return c.panels[i]
	}
	return nil
}
