package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// fewCommands is how many commands a second a device has at least before its latency says anything: the mean over a few is
// that of one slow command, and a CD-ROM drive that nobody uses answers in tens of milliseconds.
const fewCommands = 10

// worstDevice is the highest of a latency of all devices that are in use.
func worstDevice(id string) measure {
	m, commands := metric(id), metric("disk.commands")
	return measure{inventory.ScopeHost, id, []esxtop.Object{esxtop.Device}, false, func(t *tally, f *esxtop.Frame) {
		worst, found := 0.0, false
		for i := range f.Rows(esxtop.Device) {
			row := &f.Rows(esxtop.Device)[i]
			rate, told := row.Value(commands)
			if !told {
				continue
			}
			t.idle(f.MoID)
			if v, ok := row.Value(m); ok && rate >= fewCommands {
				worst, found = max(worst, v), true
			}
		}
		if found {
			t.add(f.MoID, worst)
		}
	}}
}

// abortsOfHost adds up what all devices gave up.
func abortsOfHost(t *tally, f *esxtop.Frame) {
	m, sum, told := metric("disk.aborts"), 0.0, false
	for i := range f.Rows(esxtop.Device) {
		if v, ok := f.Rows(esxtop.Device)[i].Value(m); ok {
			sum, told = sum+v, true
		}
	}
	if told {
		t.add(f.MoID, sum)
	}
}
