package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// ofHosts returns the measures of a host that need more than one figure.
func ofHosts() []measure {
	cpus := []esxtop.Object{esxtop.Host, esxtop.PCPU}
	return []measure{
		{scope: inventory.ScopeHost, name: "cpu.coreUtilization", needs: cpus, reads: []*esxtop.Metric{coreUtil, ofCore, threadUtil}, read: coresOfHost},
		{scope: inventory.ScopeHost, name: "cpu.clock", needs: cpus, reads: []*esxtop.Metric{clock, util}, read: clockOfHost},
	}
}

var coreUtil, ofCore, threadUtil = metric("pcpu.coreUtilAvg"), metric("pcpu.coreUtil"), metric("pcpu.utilAvg")

// coresOfHost returns the use of cores. If each core has one thread, the Esxtop service has only figures of threads.
func coresOfHost(s *subject) (float64, presence) {
	v, ok := s.frame.Of(coreUtil)
	if !ok {
		v, ok = meanOfCores(s.frame.Rows(esxtop.PCPU))
	}
	if !ok && s.frame.Origin != esxtop.Performance {
		v, ok = s.frame.Of(threadUtil)
	}
	if !ok {
		return 0, notReported
	}
	return v, figure
}

// meanOfCores is for a source with figures of cores but without their mean.
func meanOfCores(rows []esxtop.Row) (float64, bool) {
	sum, n := 0.0, 0
	for i := range rows {
		if v, present := rows[i].Value(ofCore); present {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(max(n, 1)), n > 0
}

var (
	clock    = metric("pcpu.aperfMperf")
	util     = metric(clock.Threshold.Needs)
	busyFrom = clock.Threshold.AtLeast
)

// clockOfHost returns the lowest clock of the busy processors: idle ones are slow on purpose.
func clockOfHost(s *subject) (lowest float64, present presence) {
	for i := range s.frame.Rows(esxtop.PCPU) {
		row := &s.frame.Rows(esxtop.PCPU)[i]
		v, ok := row.Value(clock)
		busy, too := row.Value(util)
		switch {
		case !ok || !too:
		case busy < busyFrom:
			present = max(present, notMeasured)
		case present != figure || v < lowest:
			lowest, present = v, figure
		}
	}
	return lowest, present
}
