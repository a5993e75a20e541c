package exporter

import (
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// surveyed is a module whose figures come from configuration.
type surveyed struct {
	module Module
	// needs are the facts that it tells of.
	needs inventory.Needs
	// write tells of what is in v.
	write func(w *exposition.Writer, v *inventory.VCenter)
	// coverage is how many objects there are to tell of, of how many all was read, and in words what is missing; "" is nothing.
	coverage func(v *inventory.VCenter) (expected, collected int, trouble string)
}

// status is how the module came out of a survey.
func (m surveyed) status(v *inventory.VCenter, ran time.Time, took time.Duration) CollectorStatus {
	c := CollectorStatus{Name: string(m.module), Ran: ran, Took: took}
	c.Expected, c.Collected, c.Err = m.coverage(v)
	c.Success = c.Err == "" && c.Collected >= c.Expected
	return c
}
