package esxtop

import (
	_ "embed"
	"errors"
	"fmt"
)

// The files of the catalogue.
var (
	//go:embed catalogue/host.txt
	hostEntries string
	//go:embed catalogue/cpu.txt
	cpuEntries string
	//go:embed catalogue/memory.txt
	memoryEntries string
	//go:embed catalogue/disk.txt
	diskEntries string
	//go:embed catalogue/network.txt
	networkEntries string
	//go:embed catalogue/whole.txt
	wholeEntries string
	//go:embed catalogue/panels.txt
	panelEntries string
)

// chapters are the metrics, in the order of the catalogue.
func chapters() []string {
	return []string{hostEntries, cpuEntries, memoryEntries, diskEntries, networkEntries, wholeEntries}
}

func mustLoad() *metrics {
	c, err := loadCatalogue(chapters(), panelEntries)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return c
}

func loadCatalogue(chapters []string, panels string) (*metrics, error) {
	c := &metrics{byID: make(map[string]*Metric, 300)}
	for _, text := range chapters {
		if err := readEntries(text, metricKeys, c.add); err != nil {
			return nil, err
		}
	}
	if err := readEntries(panels, panelKeys, c.addPanel); err != nil {
		return nil, err
	}
	for _, m := range c.list {
		if err := errors.Join(c.join(m), c.show(m)); err != nil {
			return nil, fmt.Errorf("catalogue: metric %s: %w", m.ID, err)
		}
	}
	return c, nil
}

// add adds a metric, and assigns its place in rows.
func (c *metrics) add(m *Metric) error {
	if m.ID == "" || len(m.Objects) == 0 || c.byID[m.ID] != nil {
		return fmt.Errorf("metric %q has no id of its own, or no objects", m.ID)
	}
	m.Prometheus = prometheus(m)
	c.list = append(c.list, m)
	c.byID[m.ID] = m
	for _, o := range m.Objects {
		c.of[o] = append(c.of[o], m)
		m.slot[o] = len(c.of[o])
	}
	if m.ofNIC {
		c.link = append(c.link, m)
	}
	return nil
}

// join finds the metrics that a metric refers to.
func (c *metrics) join(m *Metric) (err error) {
	find := func(id string) *Metric {
		found := c.byID[id]
		if found == nil && id != "" {
			err = fmt.Errorf("%s is no metric", id)
		}
		return found
	}
	m.counts = find(m.per)
	for _, id := range m.Formula.of {
		m.of = append(m.of, find(id))
	}
	for i := range m.Facts {
		f := &m.Facts[i]
		f.By, f.Else = find(f.by), find(f.orElse)
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
	return err
}
