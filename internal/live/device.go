package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// worstDevice is the highest of a latency of all devices that have as many commands as it takes for it to say anything.
func worstDevice(id string) measure {
	m := metric(id)
	commands, enough := metric(m.Threshold.Needs), m.Threshold.AtLeast
	return measure{inventory.ScopeHost, id, []esxtop.Object{esxtop.Device}, false, func(t *tally, f *esxtop.Frame) {
		worst, found := 0.0, false
		for i := range f.Rows(esxtop.Device) {
			row := &f.Rows(esxtop.Device)[i]
			rate, told := row.Value(commands)
			if !told {
				continue
			}
			t.idle(f.MoID)
			if v, ok := row.Value(m); ok && rate >= enough {
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
