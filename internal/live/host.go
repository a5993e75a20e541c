package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// ofHosts are the measures of a host's own figures.
func ofHosts() []measure {
	cpus := []esxtop.Object{esxtop.Host, esxtop.PCPU}
	of := func(name, id string, scale float64, needs ...esxtop.Object) measure {
		m := metric(id)
		return measure{scope: inventory.ScopeHost, name: name, needs: append(needs, esxtop.Host), read: func(s *subject) (float64, telling) {
			if v, ok := s.frame.Of(m); ok {
				return v * scale, figure
			}
			return 0, untold
		}}
	}
	return []measure{
		of("cpu.load", "host.load1", 1),
		of("cpu.utilization", "pcpu.utilAvg", 1, esxtop.PCPU),
		of("cpu.used", "pcpu.usedAvg", 1, esxtop.PCPU),
		{scope: inventory.ScopeHost, name: "cpu.coreUtilization", needs: cpus, read: coresOfHost},
		{scope: inventory.ScopeHost, name: "cpu.clock", needs: cpus, read: clockOfHost},
		of("power.watts", "power.usage", 1),
		of("mem.state", "mem.state", 1),
		of("mem.overcommit", "mem.overcommit1", 1),
		of("mem.free", "mem.free", 1),
		of("mem.balloon", "mem.hostBalloon", 1),
		of("mem.swapped", "mem.hostSwapUsed", 1),
		of("mem.swapIn", "mem.hostSwapRead", kbOfMB),
		of("mem.swapOut", "mem.hostSwapWrite", kbOfMB),
		of("mem.compressed", "mem.hostZipped", 1),
	}
}

var coreUtil, ofCore, threadUtil = metric("pcpu.coreUtilAvg"), metric("pcpu.coreUtil"), metric("pcpu.utilAvg")

// coresOfHost is how busy cores are. Where each has one thread the Esxtop service tells of threads alone.
func coresOfHost(s *subject) (float64, telling) {
	v, ok := s.frame.Of(coreUtil)
	if !ok {
		v, ok = meanOfCores(s.frame.Rows(esxtop.PCPU))
	}
	if !ok && s.frame.Origin != esxtop.Performance {
		v, ok = s.frame.Of(threadUtil)
	}
	if !ok {
		return 0, untold
	}
	return v, figure
}

// meanOfCores is of a source that has figures of cores and no mean of them.
func meanOfCores(rows []esxtop.Row) (float64, bool) {
	sum, n := 0.0, 0
	for i := range rows {
		if v, told := rows[i].Value(ofCore); told {
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

// clockOfHost is the lowest clock of the processors that are busy: what idles is slow on purpose.
func clockOfHost(s *subject) (lowest float64, told telling) {
	for i := range s.frame.Rows(esxtop.PCPU) {
		row := &s.frame.Rows(esxtop.PCPU)[i]
		v, ok := row.Value(clock)
		busy, too := row.Value(util)
		switch {
		case !ok || !too:
		case busy < busyFrom:
			told = max(told, nothing)
		case told != figure || v < lowest:
			lowest, told = v, figure
		}
	}
	return lowest, told
}
