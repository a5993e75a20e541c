package live

import "github.com/vperf/vperf/pkg/esxtop"

// fewCommands is the minimum rate of commands for a meaningful mean or failure rate: the mean over a few is that of one
// slow command, and an unused CD-ROM drive fails one every other second.
var fewCommands = metric("disk.deviceLatency").Threshold.AtLeast

// inUse returns a figure that is meaningful only if a rate of the row is high enough. A mean of no commands does not
// exist, which differs from unknown; other figures have to be there.
func inUse(row *esxtop.Row, m, by *esxtop.Metric) (float64, presence) {
	rate, present := row.Value(by)
	v, ok := row.Value(m)
	switch {
	case !present, !ok && m.Kind != esxtop.Mean:
		return 0, notReported
	case !ok, rate < fewCommands:
		return 0, notMeasured
	}
	return v, figure
}

var onlyDevices = []esxtop.Object{esxtop.Device}

// worstDevice returns the highest figure of all devices with enough commands.
func worstDevice(m, by *esxtop.Metric) func(*subject) (float64, presence) {
	return func(s *subject) (worst float64, all presence) {
		for i := range s.frame.Rows(esxtop.Device) {
			v, of := inUse(&s.frame.Rows(esxtop.Device)[i], m, by)
			all = max(all, of)
			if of == figure {
				worst = max(worst, v)
			}
		}
		return worst, all
	}
}

// sumOfDevices adds up a figure of all devices.
func sumOfDevices(m *esxtop.Metric) func(*subject) (float64, presence) {
	return func(s *subject) (float64, presence) {
		var all sum
		for i := range s.frame.Rows(esxtop.Device) {
			if v, ok := s.frame.Rows(esxtop.Device)[i].Value(m); ok {
				all.add(v)
			}
		}
		return all.read()
	}
}
